//! HTTP on the gateway's port. Every family of routes has a file; [`route`] asks them in turn.

mod answers;
mod body;
mod join;
mod page;
mod probes;
mod upgrade;
mod who;

use std::net::IpAddr;
use std::sync::Arc;

use http::header::HeaderValue;
use http::{Method, Request};
use hyper::body::Incoming;

pub(crate) use answers::Answer;
pub use page::{PageFile, Pages};

use crate::gateway::Gateway;
use crate::origin::Peer;

/// Answers one request.
pub(crate) async fn answer(gateway: Arc<Gateway>, mut request: Request<Incoming>, remote: IpAddr) -> Answer {
    let peer = Peer::read(remote, request.headers(), &gateway.access().trusted_proxies);
    if upgrade::is_upgrade(request.headers()) {
        return upgrade::answer(gateway, &mut request, peer);
    }
    let mut answer = route(&gateway, request, &peer).await;
    let headers = answer.headers_mut();
    headers.insert("x-content-type-options", HeaderValue::from_static("nosniff"));
    headers.insert("referrer-policy", HeaderValue::from_static("no-referrer"));
    headers.insert(
        "permissions-policy",
        HeaderValue::from_static("camera=(), geolocation=(), microphone=(self), payment=()"),
    );
    answer
}

/// Finds the family of a path. Families that act come first and take the whole request; the page is last,
/// because every path nobody else claims may be one of its own.
async fn route(gateway: &Arc<Gateway>, request: Request<Incoming>, peer: &Peer) -> Answer {
    let path = request.uri().path();
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return answers::method_not_allowed("GET, HEAD");
    }
    if probes::owns(path) {
        return probes::answer(gateway, &request, peer);
    }
    if let Some(code) = join::code(path) {
        return join::answer(gateway, code, peer).await;
    }
    page::answer(gateway, path, request.headers())
}
