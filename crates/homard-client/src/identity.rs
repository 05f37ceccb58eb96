//! The device key: made once per state directory, kept readable for its owner only.

use std::fmt;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ed25519_dalek::pkcs8::spki::der::pem::LineEnding;
use ed25519_dalek::pkcs8::{DecodePrivateKey, EncodePrivateKey, EncodePublicKey, KeypairBytes};
use ed25519_dalek::{Signer, SigningKey};
use homard_protocol::DeviceId;
use homard_protocol::connect::{ConnectChallenge, ConnectParams, DeviceProof};
use homard_protocol::device::{PayloadVersion, signed_payload};
use homard_runtime::{Clock, FileDraft, create_private_dir};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// The only file format so far.
const FILE_VERSION: u32 = 1;

/// Who this device is to a gateway: an Ed25519 key and the id made from it.
#[derive(Clone)]
pub struct DeviceIdentity {
    key: SigningKey,
    id: DeviceId,
}

/// Why the device key could not be read or made.
#[derive(Debug, thiserror::Error)]
pub enum IdentityError {
    /// The system gives no randomness.
    #[error("the system offers no random numbers for a device key")]
    Random {
        #[source]
        source: getrandom::Error,
    },
    /// The file cannot be read.
    #[error("could not read the device key `{}`", path.display())]
    Read {
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// The file cannot be written.
    #[error("could not write the device key `{}`", path.display())]
    Write {
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// The file is there but holds no key. Not repaired by itself: a new key means a new device.
    #[error(
        "the device key `{}` is damaged ({reason}); move it away to get a new one, which must be approved again",
        path.display()
    )]
    Damaged {
        path: PathBuf,
        /// What is wrong; never the key.
        reason: &'static str,
    },
}

/// `identity/device.json`.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct IdentityFile {
    version: u32,
    device_id: String,
    public_key_pem: String,
    private_key_pem: String,
    created_at_ms: i64,
}

impl DeviceIdentity {
    /// A new key that nobody has seen, kept nowhere.
    ///
    /// # Errors
    /// When the system offers no random numbers.
    pub fn generate() -> Result<Self, IdentityError> {
        let mut secret = [0_u8; 32];
        getrandom::fill(&mut secret).map_err(|source| IdentityError::Random { source })?;
        Ok(Self::from_key(SigningKey::from_bytes(&secret)))
    }

    /// Reads the key, or makes and keeps one. Two programs that start together end up with the same key.
    ///
    /// # Errors
    /// When the file cannot be read, written or understood.
    pub fn load_or_create(path: &Path, clock: &Clock) -> Result<Self, IdentityError> {
        match fs::read_to_string(path) {
            Ok(text) => Self::parse(path, &text),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Self::create(path, clock),
            Err(source) => Err(IdentityError::Read { path: path.to_owned(), source }),
        }
    }

    /// Lower-case hex SHA-256 of the raw public key.
    #[must_use]
    pub fn id(&self) -> &DeviceId {
        &self.id
    }

    /// The raw public key, in base64url.
    #[must_use]
    pub fn public_key(&self) -> String {
        URL_SAFE_NO_PAD.encode(self.key.verifying_key().as_bytes())
    }

    /// Signs the facts of `params` for this socket's challenge.
    #[must_use]
    pub fn prove(&self, params: &ConnectParams, challenge: &ConnectChallenge) -> DeviceProof {
        let mut proof = DeviceProof {
            id: self.id.to_string(),
            public_key: self.public_key(),
            signature: String::new(),
            // The gateway's own clock, so that a device with a wrong one can still connect.
            signed_at: challenge.ts,
            nonce: challenge.nonce.clone(),
        };
        let payload = signed_payload(PayloadVersion::V3, params, &proof);
        proof.signature = URL_SAFE_NO_PAD.encode(self.key.sign(payload.as_bytes()).to_bytes());
        proof
    }

    fn from_key(key: SigningKey) -> Self {
        let id = DeviceId::of_key(Sha256::digest(key.verifying_key().as_bytes()).into());
        Self { key, id }
    }

    fn parse(path: &Path, text: &str) -> Result<Self, IdentityError> {
        let damaged = |reason| IdentityError::Damaged { path: path.to_owned(), reason };
        let Ok(file) = serde_json::from_str::<IdentityFile>(text) else {
            return Err(damaged("not valid JSON"));
        };
        if file.version != FILE_VERSION {
            return Err(damaged("unknown version"));
        }
        let Ok(key) = SigningKey::from_pkcs8_pem(&file.private_key_pem) else {
            return Err(damaged("no private key"));
        };
        let identity = Self::from_key(key);
        if identity.id.as_str() == file.device_id { Ok(identity) } else { Err(damaged("key and id differ")) }
    }

    fn create(path: &Path, clock: &Clock) -> Result<Self, IdentityError> {
        let identity = Self::generate()?;
        let text = identity.file_text(path, clock)?;
        match keep(path, &text) {
            Ok(()) => Ok(identity),
            // Somebody else was faster: theirs is the key.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Self::load_or_create(path, clock),
            Err(source) => Err(IdentityError::Write { path: path.to_owned(), source }),
        }
    }

    fn file_text(&self, path: &Path, clock: &Clock) -> Result<String, IdentityError> {
        let unwritable =
            |what| IdentityError::Write { path: path.to_owned(), source: io::Error::other(what) };
        // Without the public half: the plain PKCS #8 form that every other program reads.
        let secret = KeypairBytes { secret_key: self.key.to_bytes(), public_key: None };
        let Ok(private_key_pem) = secret.to_pkcs8_pem(LineEnding::LF) else {
            return Err(unwritable("the key cannot be encoded"));
        };
        let Ok(public_key_pem) = self.key.verifying_key().to_public_key_pem(LineEnding::LF) else {
            return Err(unwritable("the public key cannot be encoded"));
        };
        let file = IdentityFile {
            version: FILE_VERSION,
            device_id: self.id.to_string(),
            public_key_pem,
            private_key_pem: private_key_pem.as_str().to_owned(),
            created_at_ms: clock.now_ms(),
        };
        serde_json::to_string_pretty(&file)
            .map(|text| text + "\n")
            .map_err(|error| IdentityError::Write { path: path.to_owned(), source: error.into() })
    }
}

impl fmt::Debug for DeviceIdentity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeviceIdentity").field("id", &self.id).finish_non_exhaustive()
    }
}

/// Puts it in its place, which fails when the file has appeared meanwhile.
fn keep(path: &Path, text: &str) -> io::Result<()> {
    create_private_dir(path.parent().unwrap_or(Path::new(".")))?;
    let mut draft = FileDraft::private(path)?;
    draft.write_all(text.as_bytes())?;
    draft.commit_new()
}

#[cfg(test)]
mod tests;
