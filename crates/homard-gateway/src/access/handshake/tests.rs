//! The decisions that need no store: version, role, and clients without a device.

use std::net::{IpAddr, Ipv4Addr};

use homard_protocol::connect::ConnectParams;
use homard_protocol::{ErrorCode, Role, ScopeSet};
use serde_json::{Value, json};

use super::{check_version, read_role, without_device};
use crate::access::auth::{AuthMethod, AuthRefusal};
use crate::access::origin::{Locality, Peer, Source};
use crate::access::proxy::Claims;

fn params(extra: &Value) -> ConnectParams {
    let mut value = json!({
        "minProtocol": 4, "maxProtocol": 4,
        "client": {"id": "cli", "mode": "cli", "version": "1", "platform": "linux"},
        "scopes": ["operator.read"],
    });
    value.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
    serde_json::from_value(value).unwrap()
}

fn peer(locality: Locality, origin: Option<&str>) -> Peer {
    let ip = IpAddr::V4(Ipv4Addr::LOCALHOST);
    Peer {
        ip,
        locality,
        source: Source::ThisMachine,
        origin: origin.map(str::to_owned),
        host: None,
        claims: Claims::default(),
    }
}

fn client(id: &str, mode: &str) -> ConnectParams {
    params(&json!({"client": {"id": id, "mode": mode, "version": "1", "platform": "linux"}}))
}

#[test]
fn protocol_three_and_four_are_served() {
    for (min, max, served) in
        [(4, 4, true), (3, 4, true), (3, 3, true), (1, 9, true), (99, 99, false), (1, 2, false)]
    {
        let outcome = check_version(&params(&json!({"minProtocol": min, "maxProtocol": max})));
        assert_eq!(outcome.is_ok(), served, "{min}..{max}");
        if let Err(refusal) = outcome {
            assert_eq!(refusal.close.code, 1002);
            assert_eq!(refusal.error.into_shape().details.unwrap()["code"], "PROTOCOL_MISMATCH");
        }
    }
}

#[test]
fn roles_are_operator_or_node() {
    assert_eq!(read_role(&params(&json!({}))), Ok(Role::Operator));
    assert_eq!(read_role(&params(&json!({"role": "node"}))), Ok(Role::Node));
    assert_eq!(read_role(&params(&json!({"role": "root"}))).unwrap_err().close.reason, "invalid role");
}

#[test]
fn without_a_device_only_the_owners_own_local_programs_keep_their_scopes() {
    let read = ScopeSet::parse(["operator.read"]);
    let ok = Ok(AuthMethod::Token);
    let cases = [
        ("cli", "cli", Locality::Local, None, ok, Ok(read)),
        ("gateway-client", "backend", Locality::Local, None, ok, Ok(read)),
        ("cli", "cli", Locality::Remote, None, ok, Ok(ScopeSet::EMPTY)),
        ("cli", "cli", Locality::Local, Some("http://localhost"), ok, Ok(ScopeSet::EMPTY)),
        ("cli", "probe", Locality::Local, None, ok, Ok(ScopeSet::EMPTY)),
        ("test", "test", Locality::Local, None, ok, Ok(ScopeSet::EMPTY)),
        ("cli", "cli", Locality::Local, None, Err(AuthRefusal::TokenMismatch), Err("AUTH_TOKEN_MISMATCH")),
        (
            "cli",
            "cli",
            Locality::Local,
            None,
            Err(AuthRefusal::TokenMissing),
            Err("DEVICE_IDENTITY_REQUIRED"),
        ),
        (
            "openclaw-control-ui",
            "webchat",
            Locality::Local,
            None,
            ok,
            Err("CONTROL_UI_DEVICE_IDENTITY_REQUIRED"),
        ),
        (
            "openclaw-control-ui",
            "webchat",
            Locality::Remote,
            None,
            Ok(AuthMethod::TrustedProxy),
            Ok(ScopeSet::EMPTY),
        ),
        (
            "openclaw-control-ui",
            "webchat",
            Locality::Remote,
            None,
            Ok(AuthMethod::Tailscale),
            Err("CONTROL_UI_DEVICE_IDENTITY_REQUIRED"),
        ),
        ("cli", "cli", Locality::Remote, None, Ok(AuthMethod::TrustedProxy), Ok(ScopeSet::EMPTY)),
    ];
    for (id, mode, locality, origin, shared, expected) in cases {
        let got = without_device(&client(id, mode), &peer(locality, origin), Role::Operator, read, shared);
        let got =
            got.map(|(_, scopes)| scopes).map_err(|r| r.error.into_shape().details.unwrap()["code"].clone());
        assert_eq!(got, expected.map_err(|code| json!(code)), "{id}/{mode} {locality:?} {origin:?}");
    }
    let node =
        without_device(&client("node-host", "node"), &peer(Locality::Local, None), Role::Node, read, ok);
    assert_eq!(node.unwrap_err().error.code(), ErrorCode::NotPaired);
}
