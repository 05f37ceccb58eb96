//! The way from HTTP to WebSocket.

use std::sync::Arc;

use homard_protocol::limits::MAX_PREAUTH_PAYLOAD;
use http::header::{
    CONNECTION, HeaderValue, SEC_WEBSOCKET_ACCEPT, SEC_WEBSOCKET_KEY, SEC_WEBSOCKET_VERSION, UPGRADE,
};
use http::{HeaderMap, Request, StatusCode};
use hyper::body::Incoming;
use hyper_util::rt::TokioIo;
use tokio_websockets::{Config, Limits, ServerBuilder};

use super::guard::forbidden;
use crate::access::origin::{Peer, check_upgrade};
use crate::connections::conn;
use crate::connections::connection_limits::Ticket;
use crate::connections::server::SocketPlace;
use crate::gateway::Gateway;
use homard_http::answers::{Answer, empty, text};

/// Whether a request wants to become a WebSocket.
pub(super) fn is_upgrade(headers: &HeaderMap) -> bool {
    let has = |name, word: &str| {
        headers
            .get_all(name)
            .iter()
            .filter_map(|v: &HeaderValue| v.to_str().ok())
            .any(|v| v.split(',').any(|part| part.trim().eq_ignore_ascii_case(word)))
    };
    has(UPGRADE, "websocket") && has(CONNECTION, "upgrade")
}

/// What a WebSocket holds to its end: the place of its connection, and of whom a proxy speaks for.
type ConnectionPlaces = (Arc<SocketPlace>, Option<Ticket>);

/// Turns the connection into a WebSocket, on any path.
pub(super) fn answer(
    gateway: Arc<Gateway>,
    request: &mut Request<Incoming>,
    peer: Peer,
    places: ConnectionPlaces,
) -> Answer {
    let source = match check_upgrade(&peer, &gateway.access().rules().allowed_origins) {
        Ok(source) => source,
        Err(refusal) => {
            if gateway.access().noise.allows("socket of a page refused") {
                tracing::warn!(ip = %peer.ip, "a page from elsewhere asked for a WebSocket and was refused");
            }
            return *forbidden(refusal.message());
        }
    };
    let version = request.headers().get(SEC_WEBSOCKET_VERSION).map(HeaderValue::as_bytes);
    let key = request.headers().get(SEC_WEBSOCKET_KEY).map(HeaderValue::as_bytes);
    let (Some(key), Some(b"13")) = (key, version) else {
        let mut answer = text(StatusCode::UPGRADE_REQUIRED, "WebSocket version 13 is required");
        answer.headers_mut().insert(SEC_WEBSOCKET_VERSION, HeaderValue::from_static("13"));
        return answer;
    };
    if gateway.lifecycle().stopping.is_cancelled() {
        return text(StatusCode::SERVICE_UNAVAILABLE, "the gateway is stopping");
    }
    let Some(ticket) = gateway.connections().limits.unauthenticated.enter(source) else {
        if gateway.access().noise.allows("too many unauthenticated sockets") {
            tracing::warn!(ip = %peer.ip, "too many unauthenticated sockets from one address");
        }
        return text(
            StatusCode::TOO_MANY_REQUESTS,
            "too many connections that have not finished the handshake",
        );
    };
    let accept = accept_key(key);
    let upgraded = hyper::upgrade::on(request);
    let tasks = gateway.connections().sockets.clone();
    tasks.spawn(async move {
        talk(gateway, upgraded, peer, ticket).await;
        drop(places);
    });
    let mut answer = empty(StatusCode::SWITCHING_PROTOCOLS);
    let headers = answer.headers_mut();
    headers.insert(UPGRADE, HeaderValue::from_static("websocket"));
    headers.insert(CONNECTION, HeaderValue::from_static("Upgrade"));
    if let Ok(accept) = HeaderValue::from_str(&accept) {
        headers.insert(SEC_WEBSOCKET_ACCEPT, accept);
    }
    answer
}

async fn talk(gateway: Arc<Gateway>, upgraded: hyper::upgrade::OnUpgrade, peer: Peer, ticket: Ticket) {
    let upgraded = match upgraded.await {
        Ok(upgraded) => upgraded,
        Err(error) => {
            if gateway.access().noise.allows("upgrade did not happen") {
                tracing::debug!(%error, "an upgrade to WebSocket did not happen");
            }
            return;
        }
    };
    let socket = ServerBuilder::new()
        .limits(Limits::default().max_payload_len(Some(MAX_PREAUTH_PAYLOAD)))
        .config(Config::default())
        .serve(TokioIo::new(upgraded));
    let cancel = gateway.connections().sockets.token().clone();
    conn::run(gateway, socket, peer, ticket, cancel).await;
}

/// The handshake's proof, RFC 6455 section 4.2.2.
fn accept_key(key: &[u8]) -> String {
    use base64::Engine;
    const MAGIC: &[u8] = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
    let mut sha1 = sha1_smol::Sha1::new();
    sha1.update(key);
    sha1.update(MAGIC);
    base64::engine::general_purpose::STANDARD.encode(sha1.digest().bytes())
}
