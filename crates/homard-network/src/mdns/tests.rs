//! What is told to the network, and what is made of what it tells.

use std::collections::BTreeMap;

use homard_config::config::gateway::reach::MdnsMode;

use super::{Beacon, Facts, services, shown};

fn facts() -> Facts {
    Facts {
        display_name: "Den".into(),
        host: "den".into(),
        port: 18_789,
        tls_sha256: Some("ab".repeat(32)),
        tailnet_dns: Some("den.tail.ts.net".into()),
        ssh_port: Some(22),
        cli_path: Some("/usr/bin/homard".into()),
    }
}

#[test]
fn the_keys_are_the_documented_ones_and_full_adds_how_to_log_in() {
    let minimal = [
        ("role", "gateway"),
        ("displayName", "Den"),
        ("lanHost", "den.local"),
        ("gatewayPort", "18789"),
        ("gatewayTls", "1"),
        ("gatewayTlsSha256", &"ab".repeat(32)),
        ("transport", "gateway"),
        ("tailnetDns", "den.tail.ts.net"),
    ];
    let mut expected: Vec<(&str, String)> = minimal.iter().map(|(k, v)| (*k, (*v).to_owned())).collect();
    assert_eq!(facts().txt(MdnsMode::Minimal), expected);
    expected.extend([("sshPort", "22".to_owned()), ("cliPath", "/usr/bin/homard".to_owned())]);
    assert_eq!(facts().txt(MdnsMode::Full), expected);
    let plain = Facts { display_name: "x".into(), host: "x".into(), port: 1, ..Facts::default() };
    let keys: Vec<&str> = plain.txt(MdnsMode::Full).iter().map(|(key, _)| *key).collect();
    assert_eq!(keys, ["role", "displayName", "lanHost", "gatewayPort", "transport"]);
}

#[test]
fn what_we_announce_is_what_we_understand() {
    let txt: BTreeMap<String, String> =
        facts().txt(MdnsMode::Full).into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
    let host = "den.local.";
    let beacon =
        Beacon::from_txt("Den (Homard)".into(), host, 18_789, vec!["192.0.2.7".parse().unwrap()], &txt);
    assert_eq!(beacon.ws_url, "wss://192.0.2.7:18789");
    assert_eq!(beacon.host, "den.local");
    assert_eq!((beacon.gateway_port, beacon.ssh_port), (Some(18_789), Some(22)));
    assert_eq!(beacon.gateway_tls_fingerprint_sha256, Some("ab".repeat(32)));
    let rows = [
        (vec!["fd00::7"], vec![("gatewayPort", "7")], "ws://[fd00::7]:7"),
        (vec![], vec![("gatewayTls", "1")], "wss://den.local:18789"),
        (vec![], vec![("gatewayTls", "no"), ("gatewayPort", "99999")], "ws://den.local:18789"),
    ];
    for (addresses, txt, url) in rows {
        let addresses = addresses.iter().map(|ip| ip.parse().unwrap()).collect();
        let txt = txt.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        assert_eq!(Beacon::from_txt("x".into(), host, 18_789, addresses, &txt).ws_url, url);
    }
}

#[test]
fn words_from_the_network_are_cut_and_cannot_move_the_cursor() {
    assert_eq!(shown("a\u{1b}[31mb\r\n"), "a[31mb");
    assert_eq!(shown(&"é".repeat(200)).len(), 200);
}

#[test]
fn apps_of_every_age_find_the_same_gateway() {
    let services = services(&facts(), MdnsMode::Minimal).unwrap();
    let kinds: Vec<&str> = services.iter().map(|service| service.get_type()).collect();
    assert_eq!(kinds, ["_openclaw-gw._tcp.local.", "_openclaw._tcp.local."]);
    for service in services {
        assert_eq!(service.get_port(), 18_789);
        assert_eq!(service.get_property_val_str("gatewayPort"), Some("18789"));
        assert_eq!(service.get_property_val_str("sshPort"), None);
    }
}
