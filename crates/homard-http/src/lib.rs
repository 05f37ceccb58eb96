//! HTTP: the one way to make a client, and what our servers read and answer with.
//!
//! Owns no client: each room keeps its own, with its own time limits and proxies. Clippy forbids the other ways.

pub mod answers;
pub mod body;

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
