//! Whose headers count.

use homard_config::config::gateway::TrustedProxy;
use homard_protocol::ScopeSet;
use http::{HeaderMap, HeaderName, HeaderValue};

use super::{Claims, ProxyRules, address};
use crate::access::auth::{AuthMethod, AuthRefusal};

/// Headers of a request.
type Pairs<'a> = &'a [(&'a str, &'a str)];

fn headers(pairs: &[(&str, &str)]) -> HeaderMap {
    let mut map = HeaderMap::new();
    for (name, value) in pairs {
        map.append(HeaderName::try_from(*name).unwrap(), HeaderValue::from_str(value).unwrap());
    }
    map
}

fn rules(trusted: &[&str]) -> ProxyRules {
    ProxyRules { trusted: trusted.iter().map(|net| net.parse().unwrap()).collect(), ..ProxyRules::default() }
}

#[test]
fn the_caller_is_the_first_hop_that_is_not_ours() {
    let ours: &[&str] = &["10.0.0.0/8", "127.0.0.1/32", "fd00::/8"];
    let rows: [(&str, Pairs<'_>, bool, &str); 17] = [
        // Untrusted sockets speak for themselves, whatever they write.
        ("192.0.2.1", &[("x-forwarded-for", "127.0.0.1")], false, "192.0.2.1"),
        ("192.0.2.1", &[("x-real-ip", "127.0.0.1")], true, "192.0.2.1"),
        // One proxy, two, and one that was lied to.
        ("10.0.0.1", &[("x-forwarded-for", "203.0.113.9")], false, "203.0.113.9"),
        ("10.0.0.1", &[("x-forwarded-for", "203.0.113.9, 10.0.0.2")], false, "203.0.113.9"),
        ("10.0.0.1", &[("x-forwarded-for", "127.0.0.1, 203.0.113.9, 10.0.0.2")], false, "203.0.113.9"),
        ("10.0.0.1", &[("x-forwarded-for", "10.9.9.9, 203.0.113.9")], false, "203.0.113.9"),
        // Several lines are one list.
        (
            "10.0.0.1",
            &[("x-forwarded-for", "1.1.1.1"), ("x-forwarded-for", "203.0.113.9")],
            false,
            "203.0.113.9",
        ),
        // Spellings.
        ("10.0.0.1", &[("x-forwarded-for", "203.0.113.9:4711")], false, "203.0.113.9"),
        ("10.0.0.1", &[("x-forwarded-for", "[2001:db8::1]:4711")], false, "2001:db8::1"),
        ("10.0.0.1", &[("x-forwarded-for", "::ffff:203.0.113.9")], false, "203.0.113.9"),
        ("::ffff:10.0.0.1", &[("x-forwarded-for", "203.0.113.9")], false, "203.0.113.9"),
        // Behind nonsense nobody is looked for.
        ("10.0.0.1", &[("x-forwarded-for", "203.0.113.9, unknown")], false, "10.0.0.1"),
        ("10.0.0.1", &[("x-forwarded-for", "")], false, "10.0.0.1"),
        ("10.0.0.1", &[("x-forwarded-for", "10.0.0.3, 10.0.0.2")], false, "10.0.0.1"),
        // The other header counts only where it may, and never beside the first.
        ("10.0.0.1", &[("x-real-ip", "203.0.113.9")], false, "10.0.0.1"),
        ("10.0.0.1", &[("x-real-ip", "203.0.113.9")], true, "203.0.113.9"),
        ("10.0.0.1", &[("x-real-ip", "203.0.113.9"), ("x-forwarded-for", "x")], true, "10.0.0.1"),
    ];
    for (remote, pairs, real_ip_fallback, expected) in rows {
        let rules = ProxyRules { real_ip_fallback, ..rules(ours) };
        let client = rules.client(remote.parse().unwrap(), &headers(pairs));
        assert_eq!(client.to_string(), expected, "{remote} {pairs:?}");
    }
}

fn naming(required: &[&str], allowed: &[&str]) -> ProxyRules {
    let names = TrustedProxy {
        user_header: "x-forwarded-user".into(),
        required_headers: required.iter().map(|&name| name.to_owned()).collect(),
        allow_users: allowed.iter().map(|&name| name.to_owned()).collect(),
    };
    ProxyRules { names: Some(names), ..rules(&["10.0.0.0/8"]) }
}

#[test]
fn only_the_owners_proxy_says_who_is_calling() {
    let ann = ("x-forwarded-user", "ann");
    type Named = Result<&'static str, AuthRefusal>;
    let rows: [(ProxyRules, &str, Pairs<'_>, Named); 10] = [
        (naming(&[], &[]), "10.0.0.1", &[ann], Ok("ann")),
        (naming(&[], &["ann"]), "10.0.0.1", &[ann], Ok("ann")),
        (naming(&["X-Secret-Path"], &[]), "10.0.0.1", &[ann, ("x-secret-path", "1")], Ok("ann")),
        (naming(&[], &["bob"]), "10.0.0.1", &[ann], Err(AuthRefusal::UserNotAllowed)),
        (naming(&[], &["Ann"]), "10.0.0.1", &[ann], Err(AuthRefusal::UserNotAllowed)),
        (naming(&[], &[]), "10.0.0.1", &[], Err(AuthRefusal::IdentityHeaderRequired)),
        (
            naming(&[], &[]),
            "10.0.0.1",
            &[("x-forwarded-user", " ")],
            Err(AuthRefusal::IdentityHeaderRequired),
        ),
        (
            naming(&[], &[]),
            "10.0.0.1",
            &[ann, ("x-forwarded-user", "bob")],
            Err(AuthRefusal::IdentityHeaderRequired),
        ),
        (naming(&["x-secret-path"], &[]), "10.0.0.1", &[ann], Err(AuthRefusal::IdentityHeaderRequired)),
        // A stranger may write what it likes.
        (
            naming(&[], &[]),
            "192.0.2.1",
            &[ann, ("x-forwarded-for", "10.0.0.1")],
            Err(AuthRefusal::ProxyNotTrusted),
        ),
    ];
    for (rules, remote, pairs, expected) in rows {
        let claims = rules.claims(remote.parse().unwrap(), &headers(pairs));
        assert_eq!(claims.user, expected.map(str::to_owned), "{remote} {pairs:?}");
    }
}

#[test]
fn the_tailnets_headers_count_only_from_this_machine() {
    let all = [
        ("tailscale-user-login", "ann@example.com"),
        ("x-forwarded-for", "100.64.0.7"),
        ("x-forwarded-host", "den.tail.ts.net"),
        ("x-forwarded-proto", "https"),
    ];
    let read = |tailnet: bool, remote: &str, pairs: &[(&str, &str)]| {
        let rules = ProxyRules { tailnet, ..ProxyRules::default() };
        rules.claims(remote.parse().unwrap(), &headers(pairs)).tailnet
    };
    let claim = read(true, "127.0.0.1", &all).unwrap();
    assert_eq!(claim.login.as_deref(), Some("ann@example.com"));
    assert_eq!(claim.address, Some("100.64.0.7".parse().unwrap()));
    assert_eq!(read(false, "127.0.0.1", &all), None, "the owner did not ask for it");
    assert_eq!(read(true, "192.0.2.1", &all), None, "anybody can write headers");
    assert_eq!(
        read(true, "127.0.0.1", &all[..1]).unwrap().address,
        None,
        "the proxy's own headers are missing"
    );
    assert_eq!(read(true, "127.0.0.1", &all[1..]).unwrap().login, None, "a device without a person");
    assert_eq!(read(true, "127.0.0.1", &[]), None);
    for (scheme, authority, own) in [
        ("https", "den.tail.ts.net", true),
        ("https", "DEN.tail.ts.net", true),
        ("http", "den.tail.ts.net", false),
        ("https", "other.tail.ts.net", false),
        ("https", "evil.example", false),
    ] {
        assert_eq!(claim.is_own_page(scheme, authority), own, "{scheme}://{authority}");
    }
}

#[test]
fn a_cap_binds_those_whom_others_name() {
    let cap = |list: &str| {
        rules(&[]).claims("192.0.2.1".parse().unwrap(), &headers(&[("x-openclaw-scopes", list)]))
    };
    let read = ScopeSet::parse(["operator.read", "operator.sessions.read"]);
    let write = ScopeSet::parse(["operator.read", "operator.write"]);
    let admin = ScopeSet::parse(["operator.admin"]);
    let rows = [
        (cap("operator.read"), AuthMethod::TrustedProxy, write, read),
        (cap(" operator.read , operator.write "), AuthMethod::TrustedProxy, read, read),
        (cap("operator.read"), AuthMethod::Tailscale, admin, read),
        (cap(""), AuthMethod::TrustedProxy, write, ScopeSet::EMPTY),
        (cap("operator.read"), AuthMethod::Token, write, write),
        (Claims::default(), AuthMethod::TrustedProxy, write, write),
    ];
    for (claims, method, asked, left) in rows {
        assert_eq!(claims.cap(method, asked), left, "{:?} {method:?}", claims.scope_cap);
    }
}

proptest::proptest! {
    #[test]
    fn no_header_breaks_the_walk_or_lets_a_stranger_choose(line in "[ -~]{0,80}") {
        let _any: Option<std::net::IpAddr> = address(&line);
        let Ok(value) = HeaderValue::from_str(&line) else { return Ok(()) };
        let mut map = HeaderMap::new();
        map.insert("x-forwarded-for", value);
        let stranger = "192.0.2.1".parse().unwrap();
        proptest::prop_assert_eq!(rules(&["10.0.0.0/8"]).client(stranger, &map), stranger);
        let seen = rules(&["10.0.0.0/8"]).client("10.0.0.1".parse().unwrap(), &map);
        proptest::prop_assert!(seen == "10.0.0.1".parse::<std::net::IpAddr>().unwrap() || !rules(&["10.0.0.0/8"]).trusts(seen));
    }
}
