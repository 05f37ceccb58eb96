//! Which pages may send requests that act, and by which name this gateway may be called.
//!
//! A page on the internet can make a browser send requests here, and a domain can be made to resolve to this machine.
//! Whoever presents a secret proves more than a name does; where none is asked for, the name is all there is.

use http::{HeaderMap, Method, StatusCode};
use serde_json::json;

use crate::access::auth::SharedAuth;
use crate::access::origin::{Peer, check_origin, is_listed_host, is_loopback_host};
use crate::gateway::Gateway;
use homard_http::answers::{Answer, json_answer};

/// Refuses what a foreign page sends, and requests to a foreign name where no secret is asked for.
pub(super) fn check(
    gateway: &Gateway,
    method: &Method,
    headers: &HeaderMap,
    peer: &Peer,
) -> Result<(), Box<Answer>> {
    let access = gateway.access().rules();
    let acts = !matches!(*method, Method::GET | Method::HEAD);
    if acts && peer.origin.is_some() && check_origin(peer, &access.allowed_origins).is_err() {
        if gateway.access().noise.allows("request of a page refused") {
            tracing::warn!(ip = %peer.ip, "a request of a page from elsewhere was refused");
        }
        return Err(forbidden("origin not allowed"));
    }
    let site = headers.get("sec-fetch-site").and_then(|value| value.to_str().ok());
    if acts && peer.origin.is_none() && site == Some("cross-site") {
        return Err(forbidden("origin not allowed"));
    }
    let host = peer.host.as_deref().unwrap_or_default();
    let is_ours = is_loopback_host(host) || is_listed_host(host, &access.allowed_origins);
    if matches!(access.auth, SharedAuth::None) && !is_ours {
        if gateway.access().noise.allows("request to another name refused") {
            tracing::warn!(ip = %peer.ip, "a request to a name that is not this machine's was refused");
        }
        return Err(forbidden("host not allowed"));
    }
    Ok(())
}

/// Refuses in a way that says why.
pub(super) fn forbidden(message: &str) -> Box<Answer> {
    let body = json!({"error": {"message": message, "type": "forbidden"}});
    Box::new(json_answer(StatusCode::FORBIDDEN, &body))
}
