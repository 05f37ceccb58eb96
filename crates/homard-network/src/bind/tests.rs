//! Which words lead to which addresses.

use std::net::IpAddr;

use homard_config::config::gateway::BindMode;

use super::{is_exposed, listen};

/// Mode, custom address, this machine's addresses; then where to listen, or what is wrong.
type Row = (BindMode, Option<&'static str>, &'static [&'static str], &'static str);

#[test]
fn every_mode_listens_where_it_says() {
    let home: &[&str] = &["127.0.0.1", "192.168.1.5", "fd7a:115c:a1e0::5"];
    let tailnet: &[&str] = &["127.0.0.1", "192.168.1.5", "100.101.102.103"];
    let rows: [Row; 14] = [
        (BindMode::Loopback, None, home, "127.0.0.1"),
        (BindMode::Auto, None, home, "127.0.0.1, else 0.0.0.0"),
        (BindMode::Lan, None, home, "0.0.0.0"),
        (BindMode::Tailnet, None, tailnet, "100.101.102.103 127.0.0.1"),
        (BindMode::Tailnet, None, &["127.0.0.1", "100.63.0.1", "100.128.0.1"], "127.0.0.1, no tailnet"),
        (BindMode::Tailnet, None, home, "fd7a:115c:a1e0::5 127.0.0.1"),
        (BindMode::Tailnet, None, &[], "127.0.0.1, no tailnet"),
        (BindMode::Custom, Some("192.168.1.5"), home, "192.168.1.5 127.0.0.1"),
        (BindMode::Custom, Some(" 192.168.1.5 "), home, "192.168.1.5 127.0.0.1"),
        (BindMode::Custom, Some("127.0.0.1"), home, "127.0.0.1"),
        (BindMode::Custom, Some("::1"), home, "::1 127.0.0.1"),
        (BindMode::Custom, Some("0.0.0.0"), home, "0.0.0.0"),
        (BindMode::Custom, Some("my-host"), home, "gateway.customBindHost `my-host` is not an address"),
        (BindMode::Custom, None, home, "gateway.customBindHost `` is not an address"),
    ];
    for (bind, custom, own, expected) in rows {
        let own: Vec<IpAddr> = own.iter().map(|ip| ip.parse().unwrap()).collect();
        let shown = match listen(bind, custom, &own) {
            Err(error) => error.to_string(),
            Ok(listen) => {
                let addresses: Vec<String> = listen.addresses.iter().map(ToString::to_string).collect();
                let otherwise = listen.otherwise.map_or(String::new(), |ip| format!(", else {ip}"));
                let none = if listen.no_tailnet { ", no tailnet" } else { "" };
                format!("{}{otherwise}{none}", addresses.join(" "))
            }
        };
        assert_eq!(shown, expected, "{bind:?} {custom:?}");
    }
}

#[test]
fn only_loopback_is_not_exposed() {
    for (addresses, exposed) in [
        (&["127.0.0.1"][..], false),
        (&["::1", "127.0.0.1"], false),
        (&["::ffff:127.0.0.1"], false),
        (&["0.0.0.0"], true),
        (&["::"], true),
        (&["100.101.102.103", "127.0.0.1"], true),
    ] {
        let addresses: Vec<IpAddr> = addresses.iter().map(|ip| ip.parse().unwrap()).collect();
        assert_eq!(is_exposed(&addresses), exposed, "{addresses:?}");
    }
}
