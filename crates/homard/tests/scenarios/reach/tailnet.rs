//! A tailnet, played by a program on the path.

use homard_testkit::{TestClient, TestGateway, TestHome, operator_params};
use serde_json::{Value, json};

use super::{put_program, search_path};
use crate::scenarios::world::{launch, until};

const FAKE: &str = r#"#!/bin/sh
echo "$@" >> "$HOME/asked"
env | cut -d= -f1 >> "$HOME/seen"
case "$1 $3" in
  "whois 100.64.0.7") echo '{"UserProfile":{"LoginName":"ann@example.com","DisplayName":"Ann"}}' ;;
  whois*) echo 'peer not found' >&2; exit 1 ;;
  status*) echo '{"Self":{"DNSName":"den.tail.ts.net."}}' ;;
esac
"#;

async fn on_tailnet(tailscale: Value) -> TestGateway {
    let config = json!({"gateway": {"tailscale": tailscale, "auth": {"token": "test-token"}}});
    let home = TestHome::with_config(&config).unwrap();
    put_program(&home, "tailscale", FAKE);
    let path = search_path(&home);
    TestGateway::start(launch().env("PATH", path), home).await.unwrap()
}

fn asked(gateway: &TestGateway) -> Vec<String> {
    let text = std::fs::read_to_string(gateway.home().path().join("asked")).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

#[tokio::test]
async fn the_gateway_is_shown_while_it_runs_and_hidden_when_asked_to() {
    let mut gateway = on_tailnet(json!({"mode": "serve", "resetOnExit": true})).await;
    let shown = format!("serve --bg --yes http://127.0.0.1:{}", gateway.port());
    until("its name on the tailnet", || async {
        gateway.log().contains("https://den.tail.ts.net/").then_some(())
    })
    .await;
    assert_eq!(asked(&gateway), [shown.clone(), "status --json".to_owned()]);
    gateway.terminate().await.unwrap();
    assert_eq!(asked(&gateway), [shown, "status --json".to_owned(), "serve reset".to_owned()]);
    let seen = std::fs::read_to_string(gateway.home().path().join("seen")).unwrap();
    assert!(!seen.contains("TOKEN") && !seen.contains("HOMARD"), "{seen}");
}

#[tokio::test]
async fn the_tailnets_word_counts_after_the_tailnet_was_asked() {
    let gateway = on_tailnet(json!({"mode": "serve"})).await;
    let (host, proto) = (("x-forwarded-host", "den.tail.ts.net"), ("x-forwarded-proto", "https"));
    let (ann, bob) =
        (("tailscale-user-login", "Ann@Example.com"), ("tailscale-user-login", "bob@example.com"));
    let (known, unknown) = (("x-forwarded-for", "100.64.0.7"), ("x-forwarded-for", "100.64.0.8"));
    type Headers<'a> = &'a [(&'static str, &'a str)];
    let rows: [(Headers<'_>, Result<&str, &str>); 6] = [
        (&[ann, known, host, proto], Ok("tailscale")),
        (&[bob, known, host, proto], Err("AUTH_TAILSCALE_IDENTITY_MISMATCH")),
        (&[ann, unknown, host, proto], Err("AUTH_TAILSCALE_WHOIS_FAILED")),
        (&[ann, known], Err("AUTH_TAILSCALE_PROXY_MISSING")),
        (&[known, host, proto], Err("AUTH_TAILSCALE_IDENTITY_MISSING")),
        (&[], Err("AUTH_TOKEN_MISSING")),
    ];
    for (headers, expected) in rows {
        let mut client = TestClient::connect_with(&gateway.url(), headers).await.unwrap();
        let mut params = operator_params("");
        let device = homard_testkit::TestDevice::new().unwrap();
        if expected.is_err() {
            params["device"] = device.proof(homard_testkit::ProofVersion::V3, &params, client.challenge());
        }
        let answer = client.handshake(params).await;
        let answer = answer
            .map(|hello| hello["auth"]["method"].as_str().unwrap().to_owned())
            .map_err(|refusal| refusal.error["details"]["code"].as_str().unwrap_or_default().to_owned());
        assert_eq!(answer, expected.map(str::to_owned).map_err(str::to_owned), "{headers:?}");
    }
}

#[tokio::test]
async fn where_the_tailnet_is_off_its_headers_mean_nothing_and_nobody_is_asked() {
    let gateway = on_tailnet(json!({"mode": "off"})).await;
    let headers = [
        ("tailscale-user-login", "ann@example.com"),
        ("x-forwarded-for", "100.64.0.7"),
        ("x-forwarded-host", "den.tail.ts.net"),
        ("x-forwarded-proto", "https"),
    ];
    let mut client = TestClient::connect_with(&gateway.url(), &headers).await.unwrap();
    let refusal = client.handshake(operator_params("")).await.unwrap_err();
    assert_eq!(refusal.error["details"]["code"], "DEVICE_IDENTITY_REQUIRED");
    assert_eq!(asked(&gateway), [""; 0]);
}
