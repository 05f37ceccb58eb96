//! Who makes the releases: an Ed25519 key, and what it has signed.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ed25519_dalek::pkcs8::DecodePublicKey as _;
use ed25519_dalek::{Signature, VerifyingKey};

use crate::error::UpdateError;

/// The public key of whoever makes the releases.
#[derive(Debug, Clone)]
pub struct ReleaseKey {
    key: VerifyingKey,
}

impl ReleaseKey {
    /// Reads a key: PEM as `openssl pkey -pubout` writes it, the same in one line of base64, or its 32 bytes in base64.
    ///
    /// # Errors
    /// When it is none of them.
    pub fn parse(text: &str) -> Result<Self, UpdateError> {
        let wrong = || UpdateError::NotAKey;
        if text.contains("-----BEGIN") {
            let key = VerifyingKey::from_public_key_pem(text.trim()).ok();
            return key.map(|key| Self { key }).ok_or_else(wrong);
        }
        let bytes = STANDARD.decode(text.trim()).ok().ok_or_else(wrong)?;
        let key = match <[u8; 32]>::try_from(bytes.as_slice()) {
            Ok(bytes) => VerifyingKey::from_bytes(&bytes).ok(),
            Err(_longer) => VerifyingKey::from_public_key_der(&bytes).ok(),
        };
        key.map(|key| Self { key }).ok_or_else(wrong)
    }

    /// Whether it has signed these bytes.
    pub(crate) fn has_signed(&self, bytes: &[u8], signature: &[u8]) -> bool {
        let text = signature.trim_ascii();
        let signature = STANDARD.decode(text).ok().and_then(|bytes| Signature::from_slice(&bytes).ok());
        signature.is_some_and(|signature| self.key.verify_strict(bytes, &signature).is_ok())
    }
}

#[cfg(test)]
mod tests {
    use super::ReleaseKey;

    /// Made by `openssl genpkey -algorithm ed25519`, `openssl pkey -pubout` and `openssl pkeyutl -sign -rawin`.
    const PEM: &str = "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAOgWqXoADlW0nmClWGlDPEzSVGNiMRqvv20L0NPg0FNc=\n-----END PUBLIC KEY-----";
    const SIGNED: &[u8] = b"{\"format\":1}\n";
    const SIGNATURE: &[u8] =
        b"iytke5/8CL3ZyQ1RgH6Ngyzd5UYmp4YFdnGo9lP0E+N1xjucgmE7JIz6XG1pB2NnrGqtOUrE1IswBcvFvinYDQ==\n";

    #[test]
    fn what_openssl_signs_is_recognised_in_every_spelling_of_the_key() {
        let line: String = PEM.lines().filter(|line| !line.starts_with('-')).collect();
        for text in [PEM.to_owned(), format!("\n{PEM}\n"), line] {
            let key = ReleaseKey::parse(&text).unwrap();
            assert!(key.has_signed(SIGNED, SIGNATURE));
            assert!(!key.has_signed(b"{\"format\":2}\n", SIGNATURE), "other words");
            assert!(!key.has_signed(SIGNED, b"nonsense") && !key.has_signed(SIGNED, b""));
        }
    }

    #[test]
    fn what_is_no_key_is_refused() {
        let private = "-----BEGIN PRIVATE KEY-----\nMC4CAQAw\n-----END PRIVATE KEY-----";
        for text in ["", "key", "AAAA", "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----", private]
        {
            let said = ReleaseKey::parse(text).unwrap_err().to_string();
            assert!(said.contains("not a public key") && !said.contains("MC4CAQAw"), "{said}");
        }
    }
}
