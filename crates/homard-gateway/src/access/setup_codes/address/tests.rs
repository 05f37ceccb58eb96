//! Addresses as a table.

use homard_config::config::gateway::BindMode;
use homard_protocol::methods::devices::setup_codes::SetupCodeParams;

use super::{Network, find};

fn network(bind: BindMode) -> Network {
    Network {
        bind,
        custom_host: Some("192.168.7.9".to_owned()),
        port: 18_789,
        remote_url: None,
        lan_ip: Some([192, 168, 7, 2].into()),
    }
}

#[test]
fn what_is_asked_for_is_an_address_that_keeps_a_secret() {
    let cases = [
        ("wss://homard.example", Ok(("wss://homard.example", false))),
        ("https://homard.example/base/", Ok(("wss://homard.example/base", false))),
        ("ws://127.0.0.1:18789", Ok(("ws://127.0.0.1:18789", false))),
        ("ws://localhost", Ok(("ws://localhost", false))),
        ("ws://[::1]:1", Ok(("ws://[::1]:1", false))),
        ("ws://10.0.0.5:18789", Ok(("ws://10.0.0.5:18789", true))),
        ("http://kitchen.local", Ok(("ws://kitchen.local", true))),
        ("ws://[fd00::1]", Ok(("ws://[fd00::1]", true))),
        ("ws://homard.example", Err("needs a secure address")),
        ("http://203.0.113.9", Err("needs a secure address")),
        ("wss://user:pass@homard.example", Err("is not the address")),
        ("ftp://homard.example", Err("is not the address")),
        ("nonsense", Err("is not the address")),
        ("wss://", Err("is not the address")),
    ];
    for (url, expected) in cases {
        let params = SetupCodeParams { public_url: Some(url.to_owned()), ..SetupCodeParams::default() };
        let found = find(&params, &network(BindMode::Loopback));
        match (found, expected) {
            (Ok(place), Ok((wanted, open))) => {
                assert_eq!((place.url.as_str(), place.is_open_road()), (wanted, open), "{url}");
            }
            (Err(error), Err(words)) => assert!(error.to_string().contains(words), "{url}: {error}"),
            (found, _) => panic!("{url}: {found:?}"),
        }
    }
}

#[test]
fn without_wishes_the_network_decides() {
    let params = SetupCodeParams::default();
    let url = |network: &Network| find(&params, network).map(|place| (place.url, place.source));
    assert!(url(&network(BindMode::Loopback)).unwrap_err().to_string().contains("loopback"));
    let lan = network(BindMode::Lan);
    assert_eq!(url(&lan).unwrap(), ("ws://192.168.7.2:18789".to_owned(), "gateway.bind=lan"));
    assert!(url(&Network { lan_ip: None, ..lan.clone() }).is_err());
    let custom = network(BindMode::Custom);
    assert_eq!(url(&custom).unwrap().0, "ws://192.168.7.9:18789");
    let known = Network { remote_url: Some("wss://far.example".to_owned()), ..network(BindMode::Loopback) };
    assert_eq!(url(&known).unwrap(), ("wss://far.example".to_owned(), "gateway.remote.url"));
    let wish = SetupCodeParams { prefer_remote_url: Some(true), ..SetupCodeParams::default() };
    assert!(find(&wish, &lan).unwrap_err().to_string().contains("gateway.remote.url is not set"));
}

#[test]
fn a_joining_address_is_beneath_the_gateway() {
    for (url, join) in
        [("wss://h.example", "https://h.example/j/abc"), ("ws://localhost:1/x", "http://localhost:1/x/j/abc")]
    {
        let params = SetupCodeParams { public_url: Some(url.to_owned()), ..SetupCodeParams::default() };
        assert_eq!(find(&params, &network(BindMode::Loopback)).unwrap().join_url("abc"), join);
    }
}
