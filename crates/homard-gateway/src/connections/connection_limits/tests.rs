//! Who shares places with whom, and how many there are.

use super::{
    ConnectionLimit, ConnectionLimits, MAX_OPEN_PER_ADDRESS, MAX_OPEN_SHARED, MAX_PREAUTH_SHARED,
    MAX_SILENT_PER_ADDRESS,
};
use crate::access::origin::Source;
use homard_protocol::limits::MAX_PREAUTH_PER_IP;

fn at(address: &str) -> Source {
    Source::Address(address.parse().unwrap())
}

/// Enters until nobody is let in any more.
fn fill(limit: &ConnectionLimit, source: &Source) -> usize {
    let tickets: Vec<_> = std::iter::from_fn(|| limit.enter(source.clone())).collect();
    tickets.len()
}

#[test]
fn each_source_has_its_own_places_and_gets_them_back() {
    let connection_limits = ConnectionLimits::default();
    let limit = &connection_limits.unauthenticated;
    let mut tickets: Vec<_> =
        (0..MAX_PREAUTH_PER_IP).map(|_| limit.enter(at("192.0.2.1")).unwrap()).collect();
    assert!(limit.enter(at("192.0.2.1")).is_none());
    for other in [
        at("192.0.2.2"),
        at("2001:db8::1"),
        Source::ThisMachine,
        Source::PassedOn,
        Source::Page("http://evil.example".to_owned()),
        Source::Proxy("192.0.2.1".parse().unwrap()),
    ] {
        assert!(limit.enter(other.clone()).is_some(), "{other}");
    }
    tickets.pop();
    assert!(limit.enter(at("192.0.2.1")).is_some());
    drop(tickets);
    assert!(limit.inside.lock().is_empty());
}

#[test]
fn one_ipv6_network_is_one_source() {
    let connection_limits = ConnectionLimits::default();
    let limit = &connection_limits.silent;
    let tickets: Vec<_> = (0..MAX_SILENT_PER_ADDRESS)
        .map(|n| limit.enter(at(&format!("2001:db8:0:1:{n:x}::{n:x}"))).unwrap())
        .collect();
    assert!(limit.enter(at("2001:db8:0:1:ffff::")).is_none(), "the same network");
    assert!(limit.enter(at("2001:db8:0:2::1")).is_some(), "the next one");
    drop(tickets);
    assert!(limit.enter(at("2001:db8:0:1:ffff::")).is_some());
}

#[test]
fn a_source_that_stands_for_many_has_more_places() {
    let connection_limits = ConnectionLimits::default();
    let page = Source::Page("http://localhost:5173".to_owned());
    let proxy = Source::Proxy("192.0.2.1".parse().unwrap());
    for (limit, source, places) in [
        (&connection_limits.unauthenticated, &page, MAX_PREAUTH_PER_IP),
        (&connection_limits.unauthenticated, &Source::PassedOn, MAX_PREAUTH_PER_IP),
        (&connection_limits.unauthenticated, &Source::ThisMachine, MAX_PREAUTH_SHARED),
        (&connection_limits.open, &at("192.0.2.1"), MAX_OPEN_PER_ADDRESS),
        (&connection_limits.open, &Source::ThisMachine, MAX_OPEN_SHARED),
        (&connection_limits.open, &proxy, MAX_OPEN_SHARED),
    ] {
        assert_eq!(fill(limit, source), places, "{source}");
    }
}
