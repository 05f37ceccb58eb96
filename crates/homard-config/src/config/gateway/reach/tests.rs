//! What the sections about reach decide.

use std::path::Path;

use serde_json::{Value, json};

use super::{CertificateSource, MdnsMode, TailscaleMode, Transport};
use crate::config::{Config, Resolve};
use crate::env::Environment;
use crate::paths::Paths;

fn decide(written: Value, env: &[(&str, &str)]) -> (Config, Vec<String>) {
    let paths = Paths::under(Path::new("/nowhere"));
    let env = Environment::from_pairs(env.iter().copied());
    let mut cx = Resolve::new(&paths, &env);
    let config = Config::resolve(serde_json::from_value(written).unwrap(), &mut cx);
    let told = cx.issues.iter().chain(&cx.warnings).map(|issue| issue.path.clone()).collect();
    (config, told)
}

#[test]
fn a_certificate_is_generated_unless_both_of_its_files_are_given() {
    let rows = [
        (json!({}), true, vec![]),
        (json!({"certPath": "c.pem", "keyPath": "k.pem"}), false, vec![]),
        (json!({"certPath": "c.pem"}), true, vec!["gateway.tls.keyPath"]),
        (json!({"keyPath": "k.pem"}), true, vec!["gateway.tls.certPath"]),
        (json!({"enabled": true, "autoGenerate": false}), true, vec!["gateway.tls.certPath"]),
        (json!({"autoGenerate": false}), true, vec![]),
    ];
    for (tls, generated, issues) in rows {
        let (config, told) = decide(json!({"gateway": {"tls": tls}}), &[]);
        let source = &config.gateway.tls.certificate;
        assert_eq!(matches!(source, CertificateSource::Generated { .. }), generated, "{tls}");
        assert_eq!(told, issues, "{tls}");
    }
}

#[test]
fn proxies_are_addresses_and_networks_and_nonsense_trusts_nobody() {
    let written = json!(["127.0.0.1", "10.0.0.0/8", "::1", "fd00::/8", "everybody", "10.0.0.0/99"]);
    let (config, told) = decide(json!({"gateway": {"trustedProxies": written}}), &[]);
    let shown: Vec<String> = config.gateway.trusted_proxies.iter().map(ToString::to_string).collect();
    assert_eq!(shown, ["127.0.0.1/32", "10.0.0.0/8", "::1/128", "fd00::/8"]);
    assert_eq!(told, ["gateway.trustedProxies[4]", "gateway.trustedProxies[5]"]);
}

#[test]
fn the_tailnet_is_believed_by_default_only_where_it_serves() {
    let rows = [
        (json!({}), TailscaleMode::Off, false),
        (json!({"tailscale": {"mode": "serve"}}), TailscaleMode::Serve, true),
        (json!({"tailscale": {"mode": "funnel"}}), TailscaleMode::Funnel, false),
        (
            json!({"tailscale": {"mode": "serve"}, "auth": {"allowTailscale": false}}),
            TailscaleMode::Serve,
            false,
        ),
        (json!({"auth": {"allowTailscale": true}}), TailscaleMode::Off, true),
    ];
    for (gateway, mode, believed) in rows {
        let (config, _) = decide(json!({"gateway": gateway}), &[]);
        assert_eq!((config.gateway.tailscale.mode, config.gateway.auth.allow_tailscale), (mode, believed));
    }
}

#[test]
fn a_tunnel_needs_somewhere_to_go() {
    let ssh = |target: &str| Transport::Ssh { target: target.to_owned(), identity: None };
    let rows = [
        (json!({"url": "wss://h"}), Transport::Direct),
        (json!({"sshTarget": "me@h"}), ssh("me@h")),
        (json!({"sshTarget": " me@h ", "transport": "ssh"}), ssh("me@h")),
        (json!({"sshTarget": "me@h", "transport": "direct"}), Transport::Direct),
        (json!({"transport": "ssh"}), Transport::SshNowhere),
    ];
    for (remote, transport) in rows {
        let (config, _) = decide(json!({"gateway": {"remote": remote}}), &[]);
        assert_eq!(config.gateway.remote.transport, transport);
    }
}

#[test]
fn the_local_network_is_told_what_the_owner_wants() {
    let quiet = [("HOMARD_DISABLE_BONJOUR", "1")];
    type Variables<'a> = &'a [(&'a str, &'a str)];
    let rows: [(Value, Variables<'_>, MdnsMode); 5] = [
        (json!({}), &[], MdnsMode::Minimal),
        (json!({"mode": "off"}), &[], MdnsMode::Off),
        (json!({"mode": "full"}), &[], MdnsMode::Full),
        (json!({"mode": "full"}), &quiet, MdnsMode::Off),
        (json!({}), &[("HOMARD_DISABLE_BONJOUR", "0")], MdnsMode::Minimal),
    ];
    for (mdns, env, mode) in rows {
        assert_eq!(decide(json!({"discovery": {"mdns": mdns}}), env).0.discovery.mdns, mode);
    }
}

#[test]
fn chat_platforms_are_looked_at_as_often_as_the_owner_says() {
    use crate::config::gateway::HealthCheck;
    for (written, look) in [
        (json!({}), HealthCheck::Usual),
        (json!({"channelHealthCheckMinutes": 0}), HealthCheck::Off),
        (json!({"channelHealthCheckMinutes": 60}), HealthCheck::Every(std::time::Duration::from_secs(3_600))),
    ] {
        let (config, told) = decide(json!({"gateway": written}), &[]);
        assert_eq!((config.gateway.channel_health_check, told), (look, vec![]));
    }
}
