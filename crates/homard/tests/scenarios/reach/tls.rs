//! Encryption on the gateway's port: who believes which certificate.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use homard_testkit::{TEST_TOKEN, TestGateway, TestHome};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair, date_time_ymd};
use serde_json::{Value, json};

use super::{ended, homard};
use crate::scenarios::world::{World, fetch, launch, until};

/// A gateway that speaks TLS.
async fn encrypted(tls: Value) -> TestGateway {
    let config = json!({"gateway": {"tls": tls, "auth": {"token": TEST_TOKEN}}});
    TestGateway::start(launch(), TestHome::with_config(&config).unwrap()).await.unwrap()
}

/// The fingerprint a gateway printed.
async fn printed(gateway: &TestGateway) -> String {
    let log = gateway.logged("TLS fingerprint (SHA-256): ").await.unwrap();
    let line = log.lines().find_map(|line| line.strip_prefix("TLS fingerprint (SHA-256): "));
    line.unwrap_or_else(|| panic!("{log}")).to_owned()
}

/// Asks a gateway how it is from a home that knows nothing about it.
async fn ask(gateway: &TestGateway, scheme: &str, more: &[&str], roots: Option<&Path>) -> (i32, String) {
    let stranger = TestHome::new().unwrap();
    let url = format!("{scheme}://127.0.0.1:{}", gateway.port());
    let mut args = vec!["health", "--url", &url, "--token", TEST_TOKEN];
    args.extend(more);
    let mut command = homard(&stranger, &args);
    if let Some(roots) = roots {
        command.env("SSL_CERT_FILE", roots);
    }
    ended(command).await
}

#[tokio::test]
async fn a_generated_certificate_is_known_by_the_fingerprint_the_gateway_prints() {
    let gateway = encrypted(json!({"enabled": true})).await;
    let pin = printed(&gateway).await;
    let key = gateway.home().state_dir().join("gateway/tls/gateway-key.pem");
    assert_eq!(std::fs::metadata(key).unwrap().permissions().mode() & 0o777, 0o600);

    let (code, said) = ask(&gateway, "wss", &["--tls-fingerprint", &pin], None).await;
    assert_eq!(code, 0, "{said}");
    let wrong = "00".repeat(32);
    let rows: [(&str, &[&str], &str); 4] = [
        ("wss", &["--tls-fingerprint", &wrong], "shows another certificate than the pinned one"),
        ("wss", &[], "is not trusted"),
        ("ws", &[], "speaks TLS (use wss://)"),
        ("wss", &["--tls-fingerprint", "abc"], "is not a SHA-256 fingerprint"),
    ];
    for (scheme, more, words) in rows {
        let (code, said) = ask(&gateway, scheme, more, None).await;
        assert_eq!(code, 1, "{words}");
        assert!(said.contains(words), "{said}");
        assert!(!said.contains(TEST_TOKEN));
    }
    // Commands of the same home read the certificate where the gateway keeps it.
    let mut own = homard(gateway.home(), &["gateway", "call", "sessions.list"]);
    own.env("HOMARD_GATEWAY_PORT", gateway.port().to_string());
    let (code, said) = ended(own).await;
    assert_eq!(code, 0, "{said}");
}

#[tokio::test]
async fn the_addresses_a_socket_is_told_are_encrypted_where_the_gateway_is() {
    let plain = World::start().await.gateway;
    let encrypted = encrypted(json!({"enabled": true})).await;
    for (gateway, scheme) in [(&plain, "http"), (&encrypted, "https")] {
        let args = ["gateway", "call", "plugin.surface.refresh", "--params", r#"{"surface":"canvas"}"#];
        let mut command = homard(gateway.home(), &args);
        command.env("HOMARD_GATEWAY_PORT", gateway.port().to_string());
        let output = command.output().await.unwrap();
        let told: Value = serde_json::from_slice(&output.stdout).unwrap();
        let url = told["pluginSurfaceUrls"]["canvas"].as_str().unwrap();
        assert!(url.starts_with(&format!("{scheme}://127.0.0.1:{}/", gateway.port())), "{url}");
    }
}

#[tokio::test]
async fn the_certificate_stays_the_same_over_restarts() {
    let mut gateway = encrypted(json!({"enabled": true})).await;
    let pin = printed(&gateway).await;
    gateway.terminate().await.unwrap();
    gateway.restart().await.unwrap();
    let told = until("the second start to print", || async {
        let log = gateway.log();
        let lines = log.lines().filter_map(|line| line.strip_prefix("TLS fingerprint (SHA-256): "));
        let told: Vec<String> = lines.map(str::to_owned).collect();
        (told.len() > 1).then_some(told)
    })
    .await;
    assert_eq!(told, [pin.clone(), pin.clone()]);
    let (code, said) = ask(&gateway, "wss", &["--tls-fingerprint", &pin], None).await;
    assert_eq!(code, 0, "{said}");
}

#[tokio::test]
async fn a_plain_request_on_the_encrypted_port_hears_what_is_wrong() {
    let gateway = encrypted(json!({"enabled": true})).await;
    let page = fetch(gateway.port(), "GET /", &[]).await;
    assert_eq!(page.status, 400);
    assert!(page.body.contains("use https:// or wss://"), "{}", page.body);
    let long = "x".repeat(100_000);
    assert_eq!(fetch(gateway.port(), "POST /", &[("x-long", &long)]).await.status, 400);
}

#[tokio::test]
async fn a_gateway_that_speaks_plainly_says_so_to_whoever_wants_tls() {
    let world = World::start().await;
    let (code, said) = ask(&world.gateway, "wss", &[], None).await;
    assert_eq!(code, 1);
    assert!(said.contains("does not speak TLS"), "{said}");
}

#[tokio::test]
async fn turning_encryption_on_takes_effect_in_the_running_gateway() {
    let config = |tls: bool| json!({"gateway": {"tls": {"enabled": tls}, "auth": {"token": TEST_TOKEN}}});
    let gateway = TestGateway::start(launch(), TestHome::with_config(&config(false)).unwrap()).await.unwrap();
    assert_eq!(fetch(gateway.port(), "GET /healthz", &[]).await.status, 200);
    gateway.home().write_config(&config(true)).unwrap();
    until("the port to speak TLS", || async {
        let (code, _) = ask(&gateway, "ws", &[], None).await;
        (code != 0 && gateway.log().contains("speaking TLS")).then_some(())
    })
    .await;
    let mut own = homard(gateway.home(), &["health"]);
    own.env("HOMARD_GATEWAY_PORT", gateway.port().to_string());
    let (code, said) = ended(own).await;
    assert_eq!(code, 0, "{said}");
}

/// An authority of the test's own.
fn authority() -> CertifiedIssuer<'static, KeyPair> {
    let mut params = CertificateParams::new(Vec::<String>::new()).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap()
}

/// A certificate for 127.0.0.1 that ends with `year`, and its key, as files.
fn signed(by: &CertifiedIssuer<'static, KeyPair>, dir: &Path, year: i32) -> (PathBuf, PathBuf) {
    let mut params = CertificateParams::new(["127.0.0.1".to_owned()]).unwrap();
    params.not_before = date_time_ymd(2020, 1, 1);
    params.not_after = date_time_ymd(year, 1, 1);
    let key = KeyPair::generate().unwrap();
    let certificate = params.signed_by(&key, by).unwrap();
    let (cert_path, key_path) = (dir.join("cert.pem"), dir.join("key.pem"));
    std::fs::write(&cert_path, certificate.pem()).unwrap();
    std::fs::write(&key_path, key.serialize_pem()).unwrap();
    (cert_path, key_path)
}

fn given((cert, key): &(PathBuf, PathBuf)) -> Value {
    json!({"enabled": true, "certPath": cert, "keyPath": key})
}

#[tokio::test]
async fn the_machines_own_roots_vouch_for_a_given_certificate_while_it_is_good() {
    let files = tempfile::tempdir().unwrap();
    let authority = authority();
    let roots = files.path().join("roots.pem");
    std::fs::write(&roots, authority.pem()).unwrap();
    for (year, code, words) in [(2100, 0, ""), (2021, 1, "is not trusted")] {
        let gateway = encrypted(given(&signed(&authority, files.path(), year))).await;
        let (ended_with, said) = ask(&gateway, "wss", &[], Some(&roots)).await;
        assert_eq!(ended_with, code, "{year}: {said}");
        assert!(said.contains(words), "{year}: {said}");
        // Who pinned this very certificate does not mind its dates.
        let (code, said) = ask(&gateway, "wss", &["--tls-fingerprint", &printed(&gateway).await], None).await;
        assert_eq!(code, 0, "{year}: {said}");
    }
}

#[tokio::test]
async fn a_renewed_certificate_is_taken_over_without_a_restart() {
    let files = tempfile::tempdir().unwrap();
    let authority = authority();
    let gateway = encrypted(given(&signed(&authority, files.path(), 2100))).await;
    let old = printed(&gateway).await;
    std::fs::write(files.path().join("cert.pem"), "half a certificate").unwrap();
    let (code, said) = ask(&gateway, "wss", &["--tls-fingerprint", &old], None).await;
    assert_eq!(code, 0, "{said}");
    signed(&authority, files.path(), 2101);
    until("the new certificate", || async {
        let (code, _) = ask(&gateway, "wss", &["--tls-fingerprint", &old], None).await;
        (code == 1).then_some(())
    })
    .await;
    gateway.logged("the certificate changed").await.unwrap();
}
