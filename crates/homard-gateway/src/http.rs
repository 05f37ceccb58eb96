//! HTTP on the gateway's port. Every family of routes has a file and an entry in the table (`routes`).

mod auth;
mod canvas;
mod control_ui;
mod folder;
mod framing;
mod guard;
mod hooks;
mod ingress;
mod join;
mod media;
mod openai;
mod other_ui;
mod page;
mod probes;
mod reading;
mod routes;
mod sessions;
mod state;
mod tools_invoke;
mod upgrade;

use std::sync::Arc;

use http::Request;
use http::header::HeaderValue;
use hyper::body::Incoming;

pub(crate) use canvas::{surface_of, surface_urls};
pub(crate) use homard_http::answers::Answer;
pub use page::{PageFile, Pages};
use routes::RouteCx;
pub(crate) use state::HttpState;

use crate::access::origin::{Peer, Source};
use crate::connections::server::SocketPlace;
use crate::gateway::Gateway;

/// Answers one request that came over the socket at `place`.
pub(crate) async fn answer(
    gateway: Arc<Gateway>,
    mut request: Request<Incoming>,
    place: Arc<SocketPlace>,
) -> Answer {
    let peer = Peer::read(place.remote, request.headers(), &gateway.access().rules().proxies);
    // Behind a proxy, whom it speaks for has places of its own: one for each WebSocket and each request under way.
    let is_forwarded = matches!(peer.source, Source::Address(_)) && peer.source != place.source;
    let forwarded = is_forwarded.then(|| gateway.connections().limits.open.enter(peer.source.clone()));
    if matches!(forwarded, Some(None)) {
        return homard_http::answers::busy();
    }
    if upgrade::is_upgrade(request.headers()) {
        return upgrade::answer(gateway, &mut request, peer, (place, forwarded.flatten()));
    }
    let is_last = framing::is_last(request.headers());
    let mut answer = match framing::refusal(request.headers()) {
        Some(refused) => refused,
        None => routes::route(RouteCx { gateway: &gateway, request, peer: &peer }).await,
    };
    if is_last {
        framing::close(&mut answer);
    }
    let headers = answer.headers_mut();
    headers.insert("x-content-type-options", HeaderValue::from_static("nosniff"));
    headers.insert("referrer-policy", HeaderValue::from_static("no-referrer"));
    headers.insert(
        "permissions-policy",
        HeaderValue::from_static("camera=(), geolocation=(), microphone=(self), payment=()"),
    );
    let wanted = gateway.config().current().gateway.strict_transport_security.clone();
    if let Some(value) = wanted.and_then(|value| HeaderValue::from_str(&value).ok()) {
        headers.insert("strict-transport-security", value);
    }
    answer
}
