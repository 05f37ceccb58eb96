//! Making, keeping and reading certificates.

use std::os::unix::fs::PermissionsExt;

use homard_config::config::gateway::reach::CertificateSource;
use homard_runtime::Clock;

use super::{CertificateError, CertificateFiles, fingerprint_of_file};

fn files(dir: &std::path::Path) -> CertificateFiles {
    CertificateFiles::of(&CertificateSource::Generated { dir: dir.join("gateway/tls") })
}

fn names() -> Vec<String> {
    ["localhost", "127.0.0.1", "::1", "box.local"].map(str::to_owned).to_vec()
}

#[test]
fn a_certificate_is_made_once_and_its_key_is_the_owners_alone() {
    let home = tempfile::tempdir().unwrap();
    let files = files(home.path());
    let provider = rustls::crypto::ring::default_provider();
    files.ensure(&names(), &Clock::fixed(1_700_000_000_000)).unwrap();
    let first = files.load(&provider).unwrap().fingerprint;
    assert_eq!(first.len(), 64);
    assert_eq!(fingerprint_of_file(&files.cert).unwrap(), first);
    let mode = std::fs::metadata(&files.key).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    files.ensure(&names(), &Clock::fixed(1_800_000_000_000)).unwrap();
    assert_eq!(files.load(&provider).unwrap().fingerprint, first);
}

#[test]
fn files_that_do_not_belong_together_are_refused_with_their_names() {
    let home = tempfile::tempdir().unwrap();
    let provider = rustls::crypto::ring::default_provider();
    let (one, other) = (files(&home.path().join("a")), files(&home.path().join("b")));
    for files in [&one, &other] {
        files.ensure(&names(), &Clock::fixed(0)).unwrap();
    }
    let mixed = CertificateFiles { cert: one.cert.clone(), key: other.key.clone(), ca: None };
    assert!(matches!(mixed.load(&provider), Err(CertificateError::Mismatch { .. })));
    let swapped = CertificateFiles { cert: one.key.clone(), key: one.cert.clone(), ca: None };
    assert!(matches!(swapped.load(&provider), Err(CertificateError::NoCertificate { .. })));
    let keyless = CertificateFiles { cert: one.cert.clone(), key: one.cert.clone(), ca: None };
    assert!(matches!(keyless.load(&provider), Err(CertificateError::NoKey { .. })));
    let gone = CertificateFiles { cert: home.path().join("none"), key: one.key.clone(), ca: None };
    assert!(matches!(gone.load(&provider), Err(CertificateError::File { .. })));
    let chained = CertificateFiles { ca: Some(other.cert), ..one };
    assert_eq!(chained.load(&provider).unwrap().key.cert.len(), 2);
}
