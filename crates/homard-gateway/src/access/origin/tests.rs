//! Who counts as local, and which pages are let in.

use http::{HeaderMap, HeaderName, HeaderValue};

use super::{Locality, OriginRefusal, Peer, Source, check_origin, check_upgrade};
use crate::access::proxy::ProxyRules;

/// What the tailnet's proxy adds.
const TAILNET: [(&str, &str); 3] =
    [("x-forwarded-for", "100.64.0.7"), ("x-forwarded-host", "den.t.ts.net"), ("x-forwarded-proto", "https")];

/// Headers of a request.
type Headers<'a> = &'a [(&'static str, &'a str)];

fn peer(remote: &str, headers: &[(&'static str, &str)], trusted: &[&str]) -> Peer {
    let mut map = HeaderMap::new();
    for (name, value) in headers {
        map.insert(HeaderName::from_static(name), HeaderValue::from_str(value).unwrap());
    }
    let trusted = trusted.iter().map(|net| net.parse().unwrap()).collect();
    let rules = ProxyRules { trusted, tailnet: true, ..ProxyRules::default() };
    Peer::read(remote.parse().unwrap(), &map, &rules)
}

#[test]
fn only_direct_loopback_with_a_loopback_name_is_local() {
    let cases: [(&str, Headers<'_>, Locality); 8] = [
        ("127.0.0.1", &[("host", "127.0.0.1:18789")], Locality::Local),
        ("::1", &[("host", "[::1]:18789")], Locality::Local),
        ("::ffff:127.0.0.1", &[("host", "localhost:18789")], Locality::Local),
        ("127.0.0.1", &[], Locality::Local),
        ("127.0.0.1", &[("host", "evil.example:18789")], Locality::Remote),
        ("127.0.0.1", &[("host", "localhost"), ("x-forwarded-for", "203.0.113.9")], Locality::Remote),
        ("127.0.0.1", &[("host", "localhost"), ("forwarded", "for=203.0.113.9")], Locality::Remote),
        ("192.0.2.7", &[("host", "192.0.2.1:18789")], Locality::Remote),
    ];
    for (remote, headers, expected) in cases {
        assert_eq!(peer(remote, headers, &[]).locality, expected, "{remote} {headers:?}");
    }
}

#[test]
fn forwarded_addresses_count_only_from_trusted_proxies() {
    let forwarded = [("x-forwarded-for", "203.0.113.9, 192.0.2.2")];
    assert_eq!(peer("192.0.2.1", &forwarded, &[]).ip.to_string(), "192.0.2.1");
    assert_eq!(peer("192.0.2.1", &forwarded, &["192.0.2.1/32"]).ip.to_string(), "192.0.2.2");
    assert_eq!(peer("192.0.2.1", &forwarded, &["192.0.2.0/30"]).ip.to_string(), "203.0.113.9");
}

#[test]
fn origins_are_loopback_or_listed() {
    let ours = ("host", "127.0.0.1:18789");
    type Outcome = Result<(), OriginRefusal>;
    let cases: [(Headers<'_>, &[&str], Outcome); 15] = [
        (&[ours, ("origin", "http://127.0.0.1:18789")], &[], Ok(())),
        (&[ours, ("origin", "http://localhost:5173")], &[], Ok(())),
        (&[("host", "[::1]:18789"), ("origin", "http://[::1]:18789")], &[], Ok(())),
        (&[ours, ("origin", "https://evil.example")], &[], Err(OriginRefusal::NotAllowed)),
        // A domain made to resolve to this machine names itself in both headers.
        (
            &[("host", "evil.example:18789"), ("origin", "http://evil.example:18789")],
            &[],
            Err(OriginRefusal::NotAllowed),
        ),
        (
            &[("host", "evil.example"), ("origin", "http://localhost:18789")],
            &[],
            Err(OriginRefusal::NotAllowed),
        ),
        (&[("host", "home.example"), ("origin", "https://home.example")], &["https://home.example/"], Ok(())),
        (&[ours], &[], Err(OriginRefusal::MissingOrInvalid)),
        (&[ours, ("origin", "null")], &[], Err(OriginRefusal::MissingOrInvalid)),
        (&[ours, ("origin", "file://localhost")], &[], Err(OriginRefusal::MissingOrInvalid)),
        // Our own page, opened by address from elsewhere.
        (&[("host", "192.0.2.1:18789"), ("origin", "https://192.0.2.1:18789")], &[], Ok(())),
        (
            &[("host", "192.0.2.1:18789"), ("origin", "https://192.0.2.1:9")],
            &[],
            Err(OriginRefusal::NotAllowed),
        ),
        (
            &[("host", "192.0.2.1:18789"), ("origin", "https://192.0.2.9:18789")],
            &[],
            Err(OriginRefusal::NotAllowed),
        ),
        // Our own page as the tailnet shows it.
        (
            &[
                ("host", "den.t.ts.net"),
                ("origin", "https://den.t.ts.net"),
                TAILNET[0],
                TAILNET[1],
                TAILNET[2],
            ],
            &[],
            Ok(()),
        ),
        (
            &[
                ("host", "evil.example"),
                ("origin", "https://evil.example"),
                TAILNET[0],
                TAILNET[1],
                TAILNET[2],
            ],
            &[],
            Err(OriginRefusal::NotAllowed),
        ),
    ];
    for (headers, listed, expected) in cases {
        let listed: Vec<String> = listed.iter().map(|&s| s.to_owned()).collect();
        assert_eq!(check_origin(&peer("127.0.0.1", headers, &[]), &listed), expected, "{headers:?}");
    }
}

#[test]
fn what_a_page_does_is_never_counted_against_this_machines_programs() {
    let ours = ("host", "127.0.0.1:18789");
    let page = |origin: &str| Source::Page(origin.to_owned());
    let at = |address: &str| Source::Address(address.parse().unwrap());
    let cases: [(&str, Headers<'_>, &[&str], Source); 10] = [
        ("127.0.0.1", &[ours], &[], Source::ThisMachine),
        ("::1", &[("host", "localhost")], &[], Source::ThisMachine),
        ("127.0.0.1", &[ours, ("sec-fetch-site", "none")], &[], Source::ThisMachine),
        ("127.0.0.1", &[ours, ("origin", "http://localhost:5173")], &[], page("http://localhost:5173")),
        // A picture or a link of a page says less about where it comes from.
        ("127.0.0.1", &[ours, ("sec-fetch-site", "cross-site")], &[], page("cross-site")),
        // A name that was made to point here, and a proxy nobody told us about.
        ("127.0.0.1", &[("host", "evil.example:18789")], &[], Source::PassedOn),
        ("127.0.0.1", &[ours, ("x-forwarded-for", "203.0.113.9")], &[], Source::PassedOn),
        ("127.0.0.1", &[ours, ("x-forwarded-for", "203.0.113.9")], &["127.0.0.1"], at("203.0.113.9")),
        (
            "127.0.0.1",
            &[ours, ("x-forwarded-for", "203.0.113.9"), ("origin", "https://home.example")],
            &["127.0.0.1"],
            at("203.0.113.9"),
        ),
        ("192.0.2.7", &[("host", "192.0.2.1"), ("origin", "http://192.0.2.1")], &[], at("192.0.2.7")),
    ];
    for (remote, headers, trusted, expected) in cases {
        let trusted: Vec<String> = trusted.iter().map(|address| format!("{address}/32")).collect();
        let trusted: Vec<&str> = trusted.iter().map(String::as_str).collect();
        assert_eq!(peer(remote, headers, &trusted).source, expected, "{remote} {headers:?}");
    }
}

#[test]
fn a_socket_that_has_said_nothing_is_counted_by_its_address() {
    let rules = ProxyRules { trusted: vec!["192.0.2.0/30".parse().unwrap()], ..ProxyRules::default() };
    let ip = |text: &str| text.parse().unwrap();
    for (remote, expected) in [
        ("127.0.0.1", Source::ThisMachine),
        ("::ffff:127.0.0.1", Source::ThisMachine),
        ("::1", Source::ThisMachine),
        ("192.0.2.1", Source::Proxy(ip("192.0.2.1"))),
        ("::ffff:203.0.113.9", Source::Address(ip("203.0.113.9"))),
        ("2001:db8::1", Source::Address(ip("2001:db8::1"))),
    ] {
        assert_eq!(Source::of_socket(ip(remote), &rules), expected, "{remote}");
    }
}

#[test]
fn a_page_gets_no_socket_unless_it_is_let_in_or_may_be_our_own() {
    let ours = ("host", "127.0.0.1:18789");
    let cases: [(Headers<'_>, Result<Source, OriginRefusal>); 8] = [
        (&[ours], Ok(Source::ThisMachine)),
        (
            &[ours, ("origin", "http://127.0.0.1:18789")],
            Ok(Source::Page("http://127.0.0.1:18789".to_owned())),
        ),
        (
            &[ours, ("origin", "https://listed.example")],
            Ok(Source::Page("https://listed.example".to_owned())),
        ),
        (&[ours, ("origin", "https://evil.example")], Err(OriginRefusal::NotAllowed)),
        (&[ours, ("origin", "null")], Err(OriginRefusal::MissingOrInvalid)),
        (&[ours, ("origin", "file://")], Err(OriginRefusal::MissingOrInvalid)),
        (&[("host", "evil.example"), ("origin", "http://localhost:18789")], Err(OriginRefusal::NotAllowed)),
        // Told in `connect`, from places of its own.
        (
            &[("host", "home.example"), ("origin", "https://home.example")],
            Ok(Source::Page("https://home.example".to_owned())),
        ),
    ];
    let listed = ["https://listed.example".to_owned()];
    for (headers, expected) in cases {
        assert_eq!(check_upgrade(&peer("127.0.0.1", headers, &[]), &listed), expected, "{headers:?}");
    }
}
