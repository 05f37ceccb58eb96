//! The test device and the production spelling agree.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ed25519_dalek::{Signature, Verifier};
use homard_protocol::connect::{ConnectParams, DeviceProof};
use homard_protocol::device::{PayloadVersion, signed_payload};
use serde_json::json;

use super::{ProofVersion, TestDevice};

#[test]
fn proofs_of_both_versions_verify_against_the_protocols_spelling() {
    let device = TestDevice::numbered(7);
    let params = json!({
        "minProtocol":4,"maxProtocol":4,"role":"operator","scopes":["operator.read","operator.write"],
        "client":{"id":"cli","mode":"cli","version":"1","platform":" Linux","deviceFamily":"PC"},
        "auth":{"deviceToken":"D"}
    });
    let challenge = json!({"nonce":"n","ts":3,"capabilities":[]});
    for (version, same) in [(ProofVersion::V2, PayloadVersion::V2), (ProofVersion::V3, PayloadVersion::V3)] {
        let proof: DeviceProof = serde_json::from_value(device.proof(version, &params, &challenge)).unwrap();
        let typed: ConnectParams = serde_json::from_value(params.clone()).unwrap();
        let payload = signed_payload(same, &typed, &proof);
        let signature = Signature::from_slice(&URL_SAFE_NO_PAD.decode(&proof.signature).unwrap()).unwrap();
        device.key.verifying_key().verify(payload.as_bytes(), &signature).unwrap();
    }
}
