//! Small facts about addresses and headers; whole calls are driven over sockets in `tests/`.

use std::time::Duration;

use homard_runtime::Clock;
use reqwest::header::{HeaderMap, HeaderValue};

use super::{add_header, address, is_loopback, retry_after};

#[test]
fn a_pause_is_read_in_every_spelling() {
    let clock = Clock::fixed(1_445_412_480_000);
    let rows = [
        ("retry-after", "7", Some(Duration::from_secs(7))),
        ("retry-after", "0.5", Some(Duration::from_millis(500))),
        ("retry-after-ms", "250", Some(Duration::from_millis(250))),
        ("retry-after", "Wed, 21 Oct 2015 07:28:30 GMT", Some(Duration::from_secs(30))),
        ("retry-after", "Wed, 21 Oct 2015 07:00:00 GMT", Some(Duration::ZERO)),
        ("retry-after", "1e300", Some(Duration::from_secs(86_400))),
        ("retry-after", "-3", None),
        ("retry-after", "soon", None),
    ];
    for (name, value, expected) in rows {
        let mut headers = HeaderMap::new();
        headers.insert(name, HeaderValue::from_static(value));
        assert_eq!(retry_after(&headers, &clock), expected, "{name}: {value}");
    }
}

#[test]
fn only_this_machine_is_local() {
    let rows = [
        ("http://127.0.0.1:1/v1", true),
        ("http://localhost/", true),
        ("http://[::1]:9/", true),
        ("http://localhost.example.com/", false),
        ("http://10.0.0.1/", false),
    ];
    for (url, expected) in rows {
        assert_eq!(is_loopback(&address(url).unwrap()), expected, "{url}");
    }
    for bad in ["", "ftp://x", "not an address", "file:///etc/passwd"] {
        assert!(address(bad).is_err(), "{bad}");
    }
}

#[test]
fn a_key_http_cannot_carry_is_named_without_being_shown() {
    let error = add_header(&mut HeaderMap::new(), "authorization", "Bearer secret\n").unwrap_err();
    assert!(!error.message.contains("secret"), "{}", error.message);
}
