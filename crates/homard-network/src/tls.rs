//! TLS on the gateway's port: the acceptor and a certificate that may change while it runs.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use arc_swap::ArcSwap;
use homard_config::config::gateway::reach::CertificateSource;
use homard_runtime::{Clock, Mutex};
use rustls::ServerConfig;
use rustls::crypto::CryptoProvider;
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use crate::certificate::{CertificateError, CertificateFiles, Loaded, Stamps};

/// How long a client may take to shake hands.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(10);
/// How often at most the files are looked at; only a new connection makes us look.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// What we speak behind TLS. Browsers would ask for HTTP/2 otherwise.
const SPEAKS: &[u8] = b"http/1.1";

/// Why TLS cannot be served.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    #[error(transparent)]
    Certificate(#[from] CertificateError),
    #[error("TLS could not be set up")]
    Setup(#[from] rustls::Error),
}

/// Serves TLS with a certificate that is read again when its files change.
pub struct TlsConfig {
    acceptor: TlsAcceptor,
    kept: Arc<Kept>,
}

#[derive(Debug)]
struct Kept {
    files: CertificateFiles,
    provider: Arc<CryptoProvider>,
    loaded: ArcSwap<Loaded>,
    seen: Mutex<Seen>,
}

#[derive(Debug)]
struct Seen {
    stamps: Stamps,
    at: Instant,
}

impl TlsConfig {
    /// Reads the certificate, making one for `names` where the source says so.
    ///
    /// # Errors
    /// When there is no usable certificate.
    pub fn open(source: &CertificateSource, names: &[String], clock: &Clock) -> Result<Self, TlsError> {
        let files = CertificateFiles::of(source);
        if matches!(source, CertificateSource::Generated { .. }) {
            files.ensure(names, clock)?;
        }
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let stamps = files.stamps();
        let loaded = ArcSwap::from_pointee(files.load(&provider)?);
        let seen = Mutex::new(Seen { stamps, at: Instant::now() });
        let kept = Arc::new(Kept { files, provider: Arc::clone(&provider), loaded, seen });
        let mut config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .with_no_client_auth()
            .with_cert_resolver(Arc::clone(&kept) as Arc<dyn ResolvesServerCert>);
        config.alpn_protocols = vec![SPEAKS.to_vec()];
        Ok(Self { acceptor: TlsAcceptor::from(Arc::new(config)), kept })
    }

    /// SHA-256 of the certificate in use, in lower-case hexadecimal: what clients pin.
    #[must_use]
    pub fn fingerprint(&self) -> String {
        self.kept.loaded.load().fingerprint.clone()
    }

    /// Shakes hands.
    ///
    /// # Errors
    /// When the client does not speak TLS, or is too slow.
    pub async fn accept(&self, stream: TcpStream) -> io::Result<TlsStream<TcpStream>> {
        self.kept.look(Instant::now());
        match tokio::time::timeout(HANDSHAKE_TIMEOUT, self.acceptor.accept(stream)).await {
            Ok(accepted) => accepted,
            Err(_elapsed) => Err(io::Error::from(io::ErrorKind::TimedOut)),
        }
    }
}

impl Kept {
    /// Takes over changed files. A certificate that cannot be used is told about once, and the old one stays.
    fn look(&self, now: Instant) {
        let mut seen = self.seen.lock();
        if now.duration_since(seen.at) < LOOK_EVERY {
            return;
        }
        seen.at = now;
        let stamps = self.files.stamps();
        if stamps == seen.stamps {
            return;
        }
        seen.stamps = stamps;
        match self.files.load(&self.provider) {
            Ok(loaded) => {
                tracing::info!(fingerprint = %loaded.fingerprint, "the certificate changed");
                self.loaded.store(Arc::new(loaded));
            }
            Err(error) => {
                tracing::error!(%error, "the changed certificate cannot be used; the old one stays");
            }
        }
    }
}

impl ResolvesServerCert for Kept {
    fn resolve(&self, _hello: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(Arc::clone(&self.loaded.load().key))
    }
}

impl std::fmt::Debug for TlsConfig {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TlsConfig").field("fingerprint", &self.fingerprint()).finish_non_exhaustive()
    }
}
