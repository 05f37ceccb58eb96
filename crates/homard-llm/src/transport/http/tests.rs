//! Small facts about addresses and headers; whole calls are driven over sockets in `tests/`.

use reqwest::header::HeaderMap;

use homard_http::is_this_machine;

use super::{add_header, address, host_and_port};

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
        assert_eq!(address(url).unwrap().host_str().is_some_and(is_this_machine), expected, "{url}");
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

#[test]
fn of_an_address_only_where_it_is_is_said() {
    let rows = [
        ("http://me:secret@127.0.0.1:8000/v1?key=secret", "127.0.0.1:8000"),
        ("https://models.test/v1", "models.test:443"),
        ("http://[::1]/", "[::1]:80"),
    ];
    for (url, expected) in rows {
        assert_eq!(host_and_port(&address(url).unwrap()).as_deref(), Some(expected), "{url}");
    }
}
