//! Which addresses it listens on, and when it refuses to.

use homard_testkit::{TestGateway, TestHome};
use serde_json::{Value, json};
use tokio::net::TcpStream;

use crate::scenarios::world::{failed_start, gateway, launch};

fn home(gateway: &Value) -> TestHome {
    TestHome::with_config(&json!({"gateway": gateway})).unwrap()
}

#[tokio::test]
async fn a_custom_address_is_joined_by_loopback_so_that_commands_here_need_nobodys_approval() {
    let home =
        home(&json!({"bind": "custom", "customBindHost": "127.0.0.5", "auth": {"token": "test-token"}}));
    let gateway = TestGateway::start(launch(), home).await.unwrap();
    for host in ["127.0.0.5", "127.0.0.1"] {
        TcpStream::connect((host, gateway.port())).await.unwrap();
    }
    TcpStream::connect(("127.0.0.6", gateway.port())).await.unwrap_err();
    gateway.operator().await.unwrap();
}

#[tokio::test]
async fn without_a_tailnet_the_gateway_stays_on_loopback_and_says_so() {
    let home = home(&json!({"bind": "tailnet", "auth": {"token": "test-token"}}));
    let gateway = TestGateway::start(launch(), home).await.unwrap();
    TcpStream::connect(("127.0.0.2", gateway.port())).await.unwrap_err();
    gateway.logged("no tailnet address").await.unwrap();
}

#[tokio::test]
async fn what_would_be_unsafe_does_not_start() {
    let none = json!({"mode": "none"});
    let rows = [
        (json!({"bind": "lan", "auth": none}), "may only listen on this machine"),
        (
            json!({"bind": "custom", "customBindHost": "0.0.0.0", "auth": none}),
            "may only listen on this machine",
        ),
        (json!({"bind": "custom", "customBindHost": "my-host"}), "`my-host` is not an address"),
        (json!({"bind": "lan", "tailscale": {"mode": "serve"}}), "needs a gateway on loopback"),
        (json!({"tailscale": {"mode": "funnel"}}), "everybody on the internet"),
        (json!({"tailscale": {"mode": "serve"}, "auth": none}), "may not be shown to a tailnet"),
        (json!({"mode": "remote"}), "set up to use another gateway"),
        (
            json!({"tls": {"enabled": true, "certPath": "none.pem", "keyPath": "none.pem"}}),
            "no usable certificate",
        ),
        (json!({"auth": {"mode": "trusted-proxy"}}), "gateway.trustedProxies"),
    ];
    for (section, words) in rows {
        let home = home(&section);
        let (code, said) = failed_start(gateway(), &home).await;
        assert_eq!(code, Some(1), "{section}: {said}");
        assert!(said.contains(words), "{section}: {said}");
    }
}
