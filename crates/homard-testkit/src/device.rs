//! A device with a key, proving itself in either spelling. Written apart from the production client on purpose:
//! a mistake in one must not be repeated by the other.

use anyhow::{Context, Result};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ed25519_dalek::{Signer, SigningKey};
use homard_runtime::hex;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// Which payload to sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProofVersion {
    /// Without platform and device family.
    V2,
    V3,
}

/// A device of the test's own.
#[derive(Clone)]
pub struct TestDevice {
    key: SigningKey,
}

impl TestDevice {
    /// A device nobody has seen before.
    ///
    /// # Errors
    /// When the system offers no random numbers.
    pub fn new() -> Result<Self> {
        let mut secret = [0_u8; 32];
        getrandom::fill(&mut secret).context("no random numbers")?;
        Ok(Self { key: SigningKey::from_bytes(&secret) })
    }

    /// Always the same device, for snapshots.
    #[must_use]
    pub fn numbered(number: u8) -> Self {
        Self { key: SigningKey::from_bytes(&[number; 32]) }
    }

    /// Hex SHA-256 of the raw public key.
    #[must_use]
    pub fn id(&self) -> String {
        hex(&Sha256::digest(self.key.verifying_key().as_bytes()))
    }

    /// The raw public key in base64url.
    #[must_use]
    pub fn public_key(&self) -> String {
        URL_SAFE_NO_PAD.encode(self.key.verifying_key().as_bytes())
    }

    /// The `device` of a `connect` with these `params`, for this challenge's payload.
    #[must_use]
    pub fn proof(&self, version: ProofVersion, params: &Value, challenge: &Value) -> Value {
        let nonce = text(challenge, "/nonce");
        let signed_at = challenge.pointer("/ts").and_then(Value::as_i64).unwrap_or(0);
        self.proof_at(version, params, nonce, signed_at)
    }

    /// The same with a nonce and time of the test's choosing, to see them refused.
    #[must_use]
    pub fn proof_at(&self, version: ProofVersion, params: &Value, nonce: &str, signed_at: i64) -> Value {
        let payload = self.payload(version, params, nonce, signed_at);
        json!({
            "id": self.id(),
            "publicKey": self.public_key(),
            "signature": URL_SAFE_NO_PAD.encode(self.key.sign(payload.as_bytes()).to_bytes()),
            "signedAt": signed_at,
            "nonce": nonce,
        })
    }

    fn payload(&self, version: ProofVersion, params: &Value, nonce: &str, signed_at: i64) -> String {
        let scopes: Vec<&str> = match params.pointer("/scopes").and_then(Value::as_array) {
            Some(scopes) => scopes.iter().filter_map(Value::as_str).collect(),
            None => Vec::new(),
        };
        let role = params.pointer("/role").and_then(Value::as_str).unwrap_or("operator");
        let secrets = ["/auth/token", "/auth/deviceToken", "/auth/bootstrapToken"];
        let token =
            secrets.iter().find_map(|path| params.pointer(path).and_then(Value::as_str)).unwrap_or("");
        let signed_at = signed_at.to_string();
        let (id, scopes) = (self.id(), scopes.join(","));
        let client = (text(params, "/client/id"), text(params, "/client/mode"));
        let mut parts = vec!["v2", &id, client.0, client.1, role, &scopes, &signed_at, token, nonce];
        let platform = text(params, "/client/platform").trim().to_ascii_lowercase();
        let family = text(params, "/client/deviceFamily").trim().to_ascii_lowercase();
        if version == ProofVersion::V3 {
            parts.splice(0..1, ["v3"]);
            parts.extend([platform.as_str(), family.as_str()]);
        }
        parts.join("|")
    }
}

impl std::fmt::Debug for TestDevice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("TestDevice").field(&self.id()).finish()
    }
}

fn text<'a>(value: &'a Value, path: &str) -> &'a str {
    value.pointer(path).and_then(Value::as_str).unwrap_or("")
}

#[cfg(test)]
mod tests;
