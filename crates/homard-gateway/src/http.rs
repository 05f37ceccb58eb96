//! HTTP on the gateway's port. Every family of routes has a file; [`route`] asks them in turn.

mod answers;
mod auth;
mod body;
mod canvas;
mod control_ui;
mod folder;
mod framing;
mod guard;
mod hooks;
mod join;
mod media;
mod openai;
mod other_ui;
mod page;
mod probes;
mod reading;
mod sessions;
mod state;
mod tools_invoke;
mod upgrade;

use std::sync::Arc;

use http::header::HeaderValue;
use http::{Method, Request};
use hyper::body::Incoming;

pub(crate) use answers::Answer;
pub(crate) use canvas::surface_urls;
pub use page::{PageFile, Pages};
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
        return answers::busy();
    }
    if upgrade::is_upgrade(request.headers()) {
        return upgrade::answer(gateway, &mut request, peer, (place, forwarded.flatten()));
    }
    let is_last = framing::is_last(request.headers());
    let mut answer = match framing::refusal(request.headers()) {
        Some(refused) => refused,
        None => route(&gateway, request, &peer).await,
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

/// Finds the family of a path. Families that act come first and take the whole request; the page is last,
/// because every path nobody else claims may be one of its own.
async fn route(gateway: &Arc<Gateway>, request: Request<Incoming>, peer: &Peer) -> Answer {
    let path = request.uri().path();
    let looks = matches!(*request.method(), Method::GET | Method::HEAD);
    if looks && probes::owns(path) {
        return probes::answer(gateway, &request, peer);
    }
    if let Err(refused) = guard::check(gateway, request.method(), request.headers(), peer) {
        return *refused;
    }
    let config = gateway.config().current();
    if hooks::owned(&config, path).is_some() {
        return hooks::answer(gateway, request, peer).await;
    }
    if path == tools_invoke::PATH {
        return tools_invoke::answer(gateway, request, peer).await;
    }
    if let Some(wanted) = sessions::owned(path) {
        return sessions::answer(gateway, &request, peer, wanted).await;
    }
    if openai::owns(path) {
        return openai::answer(gateway, request, peer).await;
    }
    if !looks {
        return answers::method_not_allowed("GET, HEAD");
    }
    if let Some(path) = canvas::owned(path) {
        return canvas::answer(gateway, &request, peer, path).await;
    }
    if let Some(wanted) = control_ui::owned(&config.gateway.control_ui, path) {
        return control_ui::answer(gateway, &request, peer, wanted).await;
    }
    if let Some(root) = config.gateway.control_ui.root.as_ref().filter(|_| config.gateway.control_ui.enabled)
    {
        return other_ui::answer(root, &config.gateway.control_ui.base_path, &request).await;
    }
    if let Some(code) = join::code(path) {
        return join::answer(gateway, code, peer).await;
    }
    page::answer(gateway, path, request.headers())
}
