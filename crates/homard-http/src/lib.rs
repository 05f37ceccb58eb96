//! HTTP: the one way to make a client, and what our servers read and answer with.
//!
//! Owns no client: each room keeps its own, with its own time limits and proxies. Clippy forbids the other ways.

pub mod answers;
pub mod body;

use std::net::IpAddr;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use reqwest::{Client, ClientBuilder, redirect};
use rustls::crypto::ring;

/// A client that says who it is and follows nobody: a redirect would hand the key or the token in a request to
/// whoever it points to.
pub fn client() -> ClientBuilder {
    // A program that chose another back end before keeps it; both outcomes leave one in place.
    ring::default_provider().install_default().ok();
    #[expect(clippy::disallowed_methods, reason = "this is the one way")]
    Client::builder()
        .user_agent(concat!("homard/", env!("CARGO_PKG_VERSION")))
        .redirect(redirect::Policy::none())
}

/// A client for an address that is not encrypted: no certificates are loaded.
pub fn plain_client() -> ClientBuilder {
    client().tls_certs_only([])
}

/// All but what may stand in an address as it is.
const TO_ESCAPE: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// A text as one segment of an address.
#[must_use]
pub fn escaped(text: &str) -> String {
    utf8_percent_encode(text, TO_ESCAPE).to_string()
}

/// Whether the host an address names is this machine itself.
#[must_use]
pub fn is_this_machine(host: &str) -> bool {
    let name = host.trim_start_matches('[').trim_end_matches(']');
    name.eq_ignore_ascii_case("localhost")
        || name.parse::<IpAddr>().is_ok_and(|address| address.to_canonical().is_loopback())
}

#[cfg(test)]
mod tests {
    use super::is_this_machine;

    #[test]
    fn only_the_machine_itself_is_this_machine() {
        for own in ["localhost", "LocalHost", "127.0.0.1", "127.8.9.1", "::1", "[::1]", "::ffff:127.0.0.1"] {
            assert!(is_this_machine(own), "{own}");
        }
        for other in
            ["", "localhost.evil.example", "127.0.0.1.nip.io", "0.0.0.0", "192.168.0.1", "::", "[fe80::1]"]
        {
            assert!(!is_this_machine(other), "{other}");
        }
    }
}
