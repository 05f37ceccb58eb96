//! The gateway's certificate: made once and kept, or the owner's own; read from files either way.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use homard_config::config::gateway::reach::CertificateSource;
use homard_runtime::{Clock, hex, replace_private};
use rcgen::{CertificateParams, DistinguishedName, DnType, KeyPair, PKCS_ECDSA_P256_SHA256};
use rustls::crypto::CryptoProvider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::sign::CertifiedKey;
use sha2::{Digest, Sha256};

/// How long a certificate we make is good. Clients know it by its fingerprint, so a short life would only break
/// what they pinned.
const YEARS: i32 = 10;
/// Its file.
const CERT_FILE: &str = "gateway-cert.pem";
/// Its key's file.
const KEY_FILE: &str = "gateway-key.pem";
/// Only the owner may read a key.
/// The largest file taken for a certificate or key.
const MAX_FILE_BYTES: u64 = 1024 * 1024;

/// Why there is no certificate.
#[derive(Debug, thiserror::Error)]
pub enum CertificateError {
    /// A file cannot be read or written.
    #[error("`{path}` cannot be used for TLS")]
    File {
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// A file holds no certificate.
    #[error("`{path}` holds no certificate in PEM form")]
    NoCertificate { path: PathBuf },
    /// A file holds no key.
    #[error("`{path}` holds no private key in PEM form")]
    NoKey { path: PathBuf },
    /// Key and certificate do not belong together, or are of a kind we cannot use.
    #[error("the key in `{key}` does not fit the certificate in `{cert}`")]
    Mismatch {
        cert: PathBuf,
        key: PathBuf,
        #[source]
        source: rustls::Error,
    },
    /// None could be made.
    #[error("a certificate could not be made")]
    Make(#[from] rcgen::Error),
}

/// Where a certificate and its key are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CertificateFiles {
    /// The certificate, with its chain behind it.
    pub cert: PathBuf,
    pub key: PathBuf,
    /// Further certificates to send along.
    pub ca: Option<PathBuf>,
}

/// When files were last changed; a different one asks for reading them again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Stamps(Vec<Option<(SystemTime, u64, u64)>>);

/// A certificate ready for use.
#[derive(Debug)]
pub(crate) struct Loaded {
    pub(crate) key: Arc<CertifiedKey>,
    pub(crate) fingerprint: String,
}

impl CertificateFiles {
    /// The files of a source, whether they exist yet or not.
    #[must_use]
    pub fn of(source: &CertificateSource) -> Self {
        match source {
            CertificateSource::Generated { dir } => {
                Self { cert: dir.join(CERT_FILE), key: dir.join(KEY_FILE), ca: None }
            }
            CertificateSource::Given { cert, key, ca } => {
                Self { cert: cert.clone(), key: key.clone(), ca: ca.clone() }
            }
        }
    }

    /// Makes a certificate for `names` unless both files are there.
    pub(crate) fn ensure(&self, names: &[String], clock: &Clock) -> Result<(), CertificateError> {
        if self.cert.exists() && self.key.exists() {
            return Ok(());
        }
        let key = KeyPair::generate_for(&PKCS_ECDSA_P256_SHA256)?;
        let certificate = parameters(names, clock)?.self_signed(&key)?;
        write_private(&self.key, key.serialize_pem().as_bytes())?;
        write_private(&self.cert, certificate.pem().as_bytes())
    }

    /// When each file last changed.
    pub(crate) fn stamps(&self) -> Stamps {
        let stamp = |path: &Path| {
            let meta = fs::metadata(path).ok()?;
            Some((meta.modified().ok()?, meta.len(), meta.ino()))
        };
        Stamps(
            [Some(&self.cert), Some(&self.key), self.ca.as_ref()]
                .into_iter()
                .flatten()
                .map(|p| stamp(p))
                .collect(),
        )
    }

    /// Reads and checks the files.
    pub(crate) fn load(&self, provider: &CryptoProvider) -> Result<Loaded, CertificateError> {
        let mut chain = certificates(&self.cert)?;
        let first =
            chain.first().ok_or_else(|| CertificateError::NoCertificate { path: self.cert.clone() })?;
        let fingerprint = fingerprint(first);
        if let Some(ca) = &self.ca {
            let more: Vec<_> = certificates(ca)?.into_iter().filter(|der| !chain.contains(der)).collect();
            chain.extend(more);
        }
        let key = PrivateKeyDer::from_pem_slice(&read(&self.key)?)
            .map_err(|_no_key| CertificateError::NoKey { path: self.key.clone() })?;
        let key = CertifiedKey::from_der(chain, key, provider).map_err(|source| {
            CertificateError::Mismatch { cert: self.cert.clone(), key: self.key.clone(), source }
        })?;
        Ok(Loaded { key: Arc::new(key), fingerprint })
    }
}

fn parameters(names: &[String], clock: &Clock) -> Result<CertificateParams, rcgen::Error> {
    let mut params = CertificateParams::new(names)?;
    let mut name = DistinguishedName::new();
    name.push(DnType::CommonName, "Homard gateway");
    params.distinguished_name = name;
    let today = jiff::Timestamp::from_millisecond(clock.now_ms())
        .unwrap_or_default()
        .to_zoned(jiff::tz::TimeZone::UTC)
        .date();
    // From the first of the month, so that a clock that is a little behind accepts it too; it holds no leap day.
    let month = u8::try_from(today.month()).unwrap_or(1);
    params.not_before = rcgen::date_time_ymd(i32::from(today.year()), month, 1);
    params.not_after = rcgen::date_time_ymd(i32::from(today.year()) + YEARS, month, 1);
    Ok(params)
}

/// Writes a file nobody else may read, whole or not at all.
fn write_private(path: &Path, bytes: &[u8]) -> Result<(), CertificateError> {
    replace_private(path, bytes).map_err(|source| CertificateError::File { path: path.to_owned(), source })
}

fn read(path: &Path) -> Result<Vec<u8>, CertificateError> {
    let failed = |source| CertificateError::File { path: path.to_owned(), source };
    let size = fs::metadata(path).map_err(failed)?.len();
    if size > MAX_FILE_BYTES {
        return Err(failed(io::Error::from(io::ErrorKind::FileTooLarge)));
    }
    fs::read(path).map_err(failed)
}

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, CertificateError> {
    let bytes = read(path)?;
    CertificateDer::pem_slice_iter(&bytes)
        .collect::<Result<_, _>>()
        .map_err(|_not_pem| CertificateError::NoCertificate { path: path.to_owned() })
}

/// SHA-256 of a certificate, in lower-case hexadecimal.
fn fingerprint(certificate: &CertificateDer<'_>) -> String {
    hex(&Sha256::digest(certificate.as_ref()))
}

/// The fingerprint of the first certificate in a file, for clients on the same machine.
///
/// # Errors
/// When the file cannot be read or holds no certificate.
pub fn fingerprint_of_file(path: &Path) -> Result<String, CertificateError> {
    let found = certificates(path)?;
    let first = found.first().ok_or_else(|| CertificateError::NoCertificate { path: path.to_owned() })?;
    Ok(fingerprint(first))
}

#[cfg(test)]
mod tests;
