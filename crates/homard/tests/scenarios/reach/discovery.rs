//! Being found on the local network, where it does multicast.

use homard_testkit::{TestGateway, TestHome};
use serde_json::{Value, json};

use super::{ended, homard};
use crate::scenarios::world::{launch, until};

async fn gateway(bind: &str, mode: &str) -> TestGateway {
    let config = json!({
        "gateway": {"bind": bind, "auth": {"token": "test-token"}}, "discovery": {"mdns": {"mode": mode}},
    });
    TestGateway::start(launch(), TestHome::with_config(&config).unwrap()).await.unwrap()
}

/// The names of a process's threads.
fn threads(gateway: &TestGateway) -> Vec<String> {
    let tasks = format!("/proc/{}/task", gateway.pid().unwrap());
    let entries = std::fs::read_dir(tasks).unwrap();
    let names = entries.filter_map(|entry| std::fs::read_to_string(entry.ok()?.path().join("comm")).ok());
    names.map(|name| name.trim().to_owned()).collect()
}

fn announces(gateway: &TestGateway) -> bool {
    threads(gateway).iter().any(|name| name.starts_with("mDNS"))
}

/// Whether this machine has a network where others could hear it.
fn has_network() -> bool {
    homard_network::own_addresses().iter().any(|ip| ip.is_ipv4() && !ip.is_loopback())
}

#[tokio::test]
async fn a_gateway_on_the_network_is_found_with_its_port_and_nothing_private() {
    if !has_network() {
        return;
    }
    let gateway = gateway("lan", "minimal").await;
    let home = TestHome::new().unwrap();
    let beacon = until("the announcement", || async {
        let (code, said) =
            ended(homard(&home, &["gateway", "discover", "--json", "--timeout", "1000"])).await;
        assert_eq!(code, 0, "{said}");
        let found: Value = serde_json::from_str(&said).unwrap();
        let mut beacons = found["beacons"].as_array().unwrap().iter();
        beacons.find(|beacon| beacon["gatewayPort"] == gateway.port()).cloned()
    })
    .await;
    assert_eq!((&beacon["role"], &beacon["transport"]), (&json!("gateway"), &json!("gateway")));
    assert_eq!(beacon["gatewayTls"], false);
    assert_eq!((&beacon["sshPort"], &beacon["cliPath"]), (&Value::Null, &Value::Null));
    assert!(beacon["wsUrl"].as_str().unwrap().ends_with(&format!(":{}", gateway.port())), "{beacon}");
}

#[tokio::test]
async fn a_gateway_nobody_could_reach_or_that_is_told_to_be_quiet_starts_nothing() {
    for (bind, mode, expected) in
        [("loopback", "minimal", false), ("lan", "off", false), ("loopback", "full", true)]
    {
        let gateway = gateway(bind, mode).await;
        if expected {
            until("the announcement", || async { announces(&gateway).then_some(()) }).await;
        } else {
            gateway.operator().await.unwrap();
            assert!(!announces(&gateway), "{bind} {mode}: {:?}", threads(&gateway));
        }
    }
}
