//! Device proofs: does the client hold the key it names, and did it sign *this* handshake.

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD};
use ed25519_dalek::pkcs8::DecodePublicKey;
use ed25519_dalek::{Signature, VerifyingKey};
use homard_protocol::DeviceId;
use homard_protocol::connect::{ConnectParams, DeviceProof};
use homard_protocol::device::{PayloadVersion, signed_payload};
use homard_protocol::limits::SIGNATURE_SKEW_MS;
use sha2::{Digest, Sha256};

/// Length of a raw Ed25519 public key.
const KEY_LEN: usize = 32;

/// A device that proved itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ProvenDevice {
    /// Hex SHA-256 of the key.
    pub(crate) id: DeviceId,
    /// The raw key in base64url, in one spelling whatever the client used.
    pub(crate) public_key: String,
}

/// Why a proof was not accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ProofRefusal {
    IdMismatch,
    Stale,
    NonceMissing,
    NonceMismatch,
    BadSignature,
    BadKey,
}

impl ProofRefusal {
    /// The finer code clients decide on.
    pub(crate) fn code(self) -> &'static str {
        match self {
            Self::IdMismatch => "DEVICE_AUTH_DEVICE_ID_MISMATCH",
            Self::Stale => "DEVICE_AUTH_SIGNATURE_EXPIRED",
            Self::NonceMissing => "DEVICE_AUTH_NONCE_REQUIRED",
            Self::NonceMismatch => "DEVICE_AUTH_NONCE_MISMATCH",
            Self::BadSignature => "DEVICE_AUTH_SIGNATURE_INVALID",
            Self::BadKey => "DEVICE_AUTH_PUBLIC_KEY_INVALID",
        }
    }

    /// The reason older clients read.
    pub(crate) fn reason(self) -> &'static str {
        match self {
            Self::IdMismatch => "device-id-mismatch",
            Self::Stale => "device-signature-stale",
            Self::NonceMissing => "device-nonce-missing",
            Self::NonceMismatch => "device-nonce-mismatch",
            Self::BadSignature => "device-signature",
            Self::BadKey => "device-public-key",
        }
    }

    /// What a person reads.
    pub(crate) fn message(self) -> &'static str {
        match self {
            Self::IdMismatch => "device identity mismatch",
            Self::Stale => "device signature expired",
            Self::NonceMissing => "device nonce required",
            Self::NonceMismatch => "device nonce mismatch",
            Self::BadSignature => "device signature invalid",
            Self::BadKey => "device public key invalid",
        }
    }
}

/// Checks a proof, in the order clients rely on: id, time, nonce, signature.
pub(crate) fn check_proof(
    params: &ConnectParams,
    proof: &DeviceProof,
    nonce: &str,
    now_ms: i64,
) -> Result<ProvenDevice, ProofRefusal> {
    let key = public_key(&proof.public_key).ok_or(ProofRefusal::BadKey)?;
    let id = DeviceId::of_key(Sha256::digest(key.as_bytes()).into());
    if id.as_str() != proof.id {
        return Err(ProofRefusal::IdMismatch);
    }
    if now_ms.abs_diff(proof.signed_at) > SIGNATURE_SKEW_MS.unsigned_abs() {
        return Err(ProofRefusal::Stale);
    }
    if proof.nonce.is_empty() {
        return Err(ProofRefusal::NonceMissing);
    }
    if proof.nonce != nonce {
        return Err(ProofRefusal::NonceMismatch);
    }
    let signature = decode(&proof.signature)
        .and_then(|bytes| Signature::from_slice(&bytes).ok())
        .ok_or(ProofRefusal::BadSignature)?;
    let signed = [PayloadVersion::V3, PayloadVersion::V2].into_iter().any(|version| {
        key.verify_strict(signed_payload(version, params, proof).as_bytes(), &signature).is_ok()
    });
    if !signed {
        return Err(ProofRefusal::BadSignature);
    }
    Ok(ProvenDevice { id, public_key: URL_SAFE_NO_PAD.encode(key.as_bytes()) })
}

/// Reads a key: raw in base64url or base64, or PEM.
fn public_key(text: &str) -> Option<VerifyingKey> {
    if text.contains("BEGIN PUBLIC KEY") {
        return VerifyingKey::from_public_key_pem(text).ok();
    }
    let raw: [u8; KEY_LEN] = decode(text)?.try_into().ok()?;
    VerifyingKey::from_bytes(&raw).ok()
}

fn decode(text: &str) -> Option<Vec<u8>> {
    let text = text.trim();
    [&URL_SAFE_NO_PAD, &URL_SAFE, &STANDARD, &STANDARD_NO_PAD]
        .into_iter()
        .find_map(|engine| engine.decode(text).ok())
}
