//! Who counts as local, and which pages are let in.

use std::net::IpAddr;

use http::{HeaderMap, HeaderName, HeaderValue};

use super::{Locality, OriginRefusal, Peer, check_origin};

/// Headers of a request.
type Headers<'a> = &'a [(&'static str, &'a str)];

fn peer(remote: &str, headers: &[(&'static str, &str)], trusted: &[&str]) -> Peer {
    let mut map = HeaderMap::new();
    for (name, value) in headers {
        map.insert(HeaderName::from_static(name), HeaderValue::from_str(value).unwrap());
    }
    let trusted: Vec<IpAddr> = trusted.iter().map(|ip| ip.parse().unwrap()).collect();
    Peer::read(remote.parse().unwrap(), &map, &trusted)
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
    assert_eq!(peer("192.0.2.1", &forwarded, &["192.0.2.1"]).ip.to_string(), "192.0.2.2");
    assert_eq!(peer("192.0.2.1", &forwarded, &["192.0.2.1", "192.0.2.2"]).ip.to_string(), "203.0.113.9");
}

#[test]
fn origins_are_loopback_or_listed() {
    let ours = ("host", "127.0.0.1:18789");
    type Outcome = Result<(), OriginRefusal>;
    let cases: [(Headers<'_>, &[&str], Outcome); 10] = [
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
    ];
    for (headers, listed, expected) in cases {
        let listed: Vec<String> = listed.iter().map(|&s| s.to_owned()).collect();
        assert_eq!(check_origin(&peer("127.0.0.1", headers, &[]), &listed), expected, "{headers:?}");
    }
}
