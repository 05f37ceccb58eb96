//! The device key on disk.

use std::fs;

use ed25519_dalek::{Signature, Verifier};
use homard_protocol::connect::{ConnectChallenge, ConnectParams};
use homard_runtime::Clock;
use serde_json::{Value, json};

use super::{DeviceIdentity, IdentityError};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

/// A file as the reference client writes it (PKCS #8 version 1, no public half); the key is RFC 8032's test 1.
const FOREIGN_FILE: &str = r#"{
  "version": 1,
  "deviceId": "21fe31dfa154a261626bf854046fd2271b7bed4b6abe45aa58877ef47f9721b9",
  "publicKeyPem": "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=\n-----END PUBLIC KEY-----\n",
  "privateKeyPem": "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g\n-----END PRIVATE KEY-----\n",
  "createdAtMs": 1
}"#;

#[test]
fn the_key_is_made_once_and_read_afterwards() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("identity/device.json");
    let clock = Clock::fixed(5);
    let made = DeviceIdentity::load_or_create(&path, &clock).unwrap();
    let read = DeviceIdentity::load_or_create(&path, &clock).unwrap();
    assert_eq!(made.id(), read.id());
    let file: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    assert_eq!(file["createdAtMs"], 5);
    assert_eq!(file["deviceId"], made.id().as_str());
    assert_eq!(fs::read_dir(home.path().join("identity")).unwrap().count(), 1, "no drafts stay behind");
}

#[cfg(unix)]
#[test]
fn only_the_owner_may_read_the_key() {
    use std::os::unix::fs::PermissionsExt;
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("identity/device.json");
    DeviceIdentity::load_or_create(&path, &Clock::fixed(0)).unwrap();
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(fs::metadata(path.parent().unwrap()).unwrap().permissions().mode() & 0o777, 0o700);
}

#[test]
fn a_file_of_the_reference_client_is_read() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("device.json");
    fs::write(&path, FOREIGN_FILE).unwrap();
    let identity = DeviceIdentity::load_or_create(&path, &Clock::fixed(0)).unwrap();
    assert_eq!(identity.id().as_str(), "21fe31dfa154a261626bf854046fd2271b7bed4b6abe45aa58877ef47f9721b9");
}

#[test]
fn a_damaged_file_is_named_and_left_alone() {
    let cases =
        ["", "{}", "not json", &FOREIGN_FILE.replace("21fe", "0000"), &FOREIGN_FILE.replace("MC4C", "AAAA")];
    for text in cases {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("device.json");
        fs::write(&path, text).unwrap();
        let error = DeviceIdentity::load_or_create(&path, &Clock::fixed(0)).unwrap_err();
        assert!(matches!(error, IdentityError::Damaged { .. }), "{text}: {error}");
        assert!(error.to_string().contains("device.json"));
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
    }
}

#[test]
fn a_proof_signs_the_version_three_payload() {
    let identity = DeviceIdentity::generate().unwrap();
    let params: ConnectParams = serde_json::from_value(json!({
        "minProtocol":4,"maxProtocol":4,"scopes":["operator.read"],"auth":{"token":"T"},
        "client":{"id":"cli","mode":"cli","version":"1","platform":"Linux"}
    }))
    .unwrap();
    let challenge = ConnectChallenge { nonce: "n".into(), ts: 7, capabilities: vec![] };
    let proof = identity.prove(&params, &challenge);
    let expected = format!("v3|{}|cli|cli|operator|operator.read|7|T|n|linux|", identity.id());
    let signature = Signature::from_slice(&URL_SAFE_NO_PAD.decode(&proof.signature).unwrap()).unwrap();
    identity.key.verifying_key().verify(expected.as_bytes(), &signature).unwrap();
}

#[test]
fn debug_does_not_show_the_key() {
    let identity = DeviceIdentity::generate().unwrap();
    let secret = format!("{:?}", identity.key.to_bytes());
    assert!(!format!("{identity:?}").contains(&secret));
}
