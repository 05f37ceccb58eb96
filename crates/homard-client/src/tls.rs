//! Encrypted connections: whom to believe. Either the machine's own roots say that a certificate is good, or the
//! owner named one certificate by its fingerprint; then that one counts and nothing else.

use std::fmt;
use std::io;
use std::sync::Arc;

use homard_runtime::{Clip, Mutex, from_hex, hex};
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{CertificateError, ClientConfig, DigitallySignedStruct, SignatureScheme};
use rustls_platform_verifier::BuilderVerifierExt;
use sha2::{Digest, Sha256};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

use crate::error::ClientError;

/// Bytes of a fingerprint.
const FINGERPRINT_BYTES: usize = 32;

/// A connection, encrypted or not.
pub trait ByteStream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> ByteStream for T {}

/// SHA-256 of a certificate: names the one certificate a gateway must show.
///
/// A certificate that is pinned needs no authority behind it, and its dates and names do not count: whoever holds
/// its key is the gateway.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Fingerprint([u8; FINGERPRINT_BYTES]);

impl Fingerprint {
    /// Reads 64 hexadecimal digits, with or without colons and `sha256:` before them.
    ///
    /// # Errors
    /// When it is anything else.
    pub fn parse(text: &str) -> Result<Self, ClientError> {
        let bad = || ClientError::BadFingerprint { text: text.clip_chars(100).to_owned() };
        let lower = text.trim().to_ascii_lowercase();
        let digits = ["sha256:", "sha-256:", "sha256/", "sha256 fingerprint="]
            .iter()
            .find_map(|p| lower.strip_prefix(p));
        let digits = digits.unwrap_or(&lower).trim();
        let digits: Vec<u8> = digits.bytes().filter(|byte| !matches!(byte, b':' | b' ' | b'-')).collect();
        from_hex(digits).and_then(|bytes| bytes.try_into().ok()).map(Self).ok_or_else(bad)
    }

    fn of(certificate: &CertificateDer<'_>) -> Self {
        Self(Sha256::digest(certificate.as_ref()).into())
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex(&self.0))
    }
}

impl fmt::Debug for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

/// Encrypts a connection to `host`; `url` is for messages. Public because chat servers are believed in the same way.
///
/// # Errors
/// When the other side is not whom the machine's roots, or the pin, vouch for, or speaks no TLS.
pub async fn encrypt(
    stream: TcpStream,
    host: &str,
    url: &str,
    pin: Option<Fingerprint>,
) -> Result<Box<dyn ByteStream>, ClientError> {
    let setup = |source| ClientError::TlsSetup { url: url.to_owned(), source };
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider));
    let builder = builder.with_safe_default_protocol_versions().map_err(setup)?;
    let pinned = pin.map(|pin| Arc::new(Pinned { pin, shown: Mutex::new(None), provider }));
    let config = match &pinned {
        Some(pinned) => {
            let verifier = Arc::clone(pinned) as Arc<dyn ServerCertVerifier>;
            builder.dangerous().with_custom_certificate_verifier(verifier).with_no_client_auth()
        }
        None => builder.with_platform_verifier().map_err(setup)?.with_no_client_auth(),
    };
    let name = ServerName::try_from(host.to_owned())
        .map_err(|_not_a_name| ClientError::BadUrl { url: url.to_owned() })?;
    match TlsConnector::from(Arc::new(config)).connect(name, stream).await {
        Ok(stream) => Ok(Box::new(stream)),
        Err(source) => Err(refused(url, pin.zip(pinned.and_then(|pinned| pinned.shown())), source)),
    }
}

/// Says why a handshake failed. `pins` are the fingerprint that was wanted and the one that was shown.
fn refused(url: &str, pins: Option<(Fingerprint, Fingerprint)>, source: io::Error) -> ClientError {
    let url = url.to_owned();
    if let Some((wanted, shown)) = pins.filter(|(wanted, shown)| wanted != shown) {
        return ClientError::WrongCertificate { url, wanted, shown };
    }
    match source.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>()) {
        Some(rustls::Error::InvalidCertificate(_)) => ClientError::UntrustedCertificate { url, source },
        Some(rustls::Error::InvalidMessage(_)) => ClientError::NotTls { url, source },
        _ => ClientError::TlsFailed { url, source },
    }
}

/// Believes one certificate.
#[derive(Debug)]
struct Pinned {
    pin: Fingerprint,
    /// What the other side showed, for the message.
    shown: Mutex<Option<Fingerprint>>,
    provider: Arc<CryptoProvider>,
}

impl Pinned {
    fn shown(&self) -> Option<Fingerprint> {
        *self.shown.lock()
    }
}

impl ServerCertVerifier for Pinned {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        let shown = Fingerprint::of(end_entity);
        *self.shown.lock() = Some(shown);
        if shown == self.pin {
            Ok(ServerCertVerified::assertion())
        } else {
            Err(rustls::Error::InvalidCertificate(CertificateError::ApplicationVerificationFailure))
        }
    }

    // The certificate is public; what proves the gateway is that it can sign with its key.
    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(message, cert, signed, &self.provider.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(message, cert, signed, &self.provider.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}

#[cfg(test)]
mod tests;
