//! Who counts as local, and which pages are let in.

use http::{HeaderMap, HeaderName, HeaderValue};

use super::{Locality, OriginRefusal, Peer, check_origin};
use crate::proxy::ProxyRules;

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
