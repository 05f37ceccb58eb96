//! HTTP on the gateway's port: probes, metrics, the page, and the way to WebSocket.

use std::net::IpAddr;
use std::sync::Arc;

use bytes::Bytes;
use homard_protocol::limits::MAX_PREAUTH_PAYLOAD;
use http::header::{
    ACCEPT, ACCEPT_ENCODING, ALLOW, CACHE_CONTROL, CONNECTION, CONTENT_ENCODING, CONTENT_TYPE, ETAG,
    HeaderValue, IF_NONE_MATCH, LOCATION, SEC_WEBSOCKET_ACCEPT, SEC_WEBSOCKET_KEY, SEC_WEBSOCKET_VERSION,
    UPGRADE, VARY,
};
use http::{HeaderMap, Method, Request, Response, StatusCode};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio_websockets::{Config, Limits, ServerBuilder};

use crate::conn;
use crate::gateway::Gateway;
use crate::origin::{Locality, Peer};
use crate::preauth::Ticket;

type Answer = Response<Full<Bytes>>;

/// What the page may do: nothing but talk to this gateway.
const PAGE_POLICY: &str = "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; \
    img-src 'self' data: blob:; connect-src 'self' ws: wss:; frame-ancestors 'none'; base-uri 'none'; \
    object-src 'none'; form-action 'none'";

/// A file of the Control UI.
#[derive(Debug, Clone)]
pub struct PageFile {
    /// Its bytes, perhaps compressed.
    pub body: Bytes,
    /// For example `text/html; charset=utf-8`.
    pub content_type: &'static str,
    /// `br` or `gzip`, when `body` is compressed.
    pub encoding: Option<&'static str>,
    /// Changes when the bytes do.
    pub etag: String,
    /// Whether its name contains its hash.
    pub immutable: bool,
}

/// Where the page's files come from. The composition root hands one over, so that the gateway needs to know
/// neither how the page is built nor where it is kept.
pub trait Pages: Send + Sync + 'static {
    /// The file at `path` (no leading slash), in an encoding the client accepts.
    fn file(&self, path: &str, accept_encoding: &str) -> Option<PageFile>;
}

/// Answers one request.
pub(crate) async fn answer(gateway: Arc<Gateway>, mut request: Request<Incoming>, remote: IpAddr) -> Answer {
    let peer = Peer::read(remote, request.headers(), &gateway.access().trusted_proxies);
    if is_upgrade(request.headers()) {
        return upgrade(gateway, &mut request, peer);
    }
    let mut answer = route(&gateway, &request, &peer);
    let headers = answer.headers_mut();
    headers.insert("x-content-type-options", HeaderValue::from_static("nosniff"));
    headers.insert("referrer-policy", HeaderValue::from_static("no-referrer"));
    headers.insert(
        "permissions-policy",
        HeaderValue::from_static("camera=(), geolocation=(), microphone=(self), payment=()"),
    );
    answer
}

fn route(gateway: &Gateway, request: &Request<Incoming>, peer: &Peer) -> Answer {
    let head_or_get = matches!(*request.method(), Method::GET | Method::HEAD);
    if !head_or_get {
        let mut answer = text(StatusCode::METHOD_NOT_ALLOWED, "Method Not Allowed");
        answer.headers_mut().insert(ALLOW, HeaderValue::from_static("GET, HEAD"));
        return answer;
    }
    let detailed = peer.locality == Locality::Local || gateway.bearer_is_good(request.headers(), peer);
    match request.uri().path() {
        "/health" | "/healthz" => json_answer(StatusCode::OK, &json!({"ok": true, "status": "live"})),
        "/ready" | "/readyz" => ready(gateway, detailed),
        "/startup" | "/startupz" => startup(gateway, detailed),
        "/metrics" => metrics(gateway, detailed),
        path => page(gateway, path, request.headers()),
    }
}

fn ready(gateway: &Gateway, detailed: bool) -> Answer {
    // Another process is ready already when this one leaves.
    let ready = !gateway.stopping().is_cancelled() || gateway.leaving().is_cancelled();
    let status = if ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    let body = if detailed {
        json!({"ready": ready, "failing": [], "uptimeMs": gateway.uptime_ms()})
    } else {
        json!({"ready": ready})
    };
    json_answer(status, &body)
}

fn startup(gateway: &Gateway, detailed: bool) -> Answer {
    let body = if detailed {
        json!({"ok": true, "status": "started", "version": gateway.version(), "uptimeMs": gateway.uptime_ms()})
    } else {
        json!({"ok": true, "status": "started"})
    };
    json_answer(StatusCode::OK, &body)
}

fn metrics(gateway: &Gateway, detailed: bool) -> Answer {
    if !detailed {
        return unauthorized();
    }
    let body = gateway.metrics().render(gateway.uptime_ms() / 1_000);
    with_type(StatusCode::OK, "application/openmetrics-text; version=1.0.0; charset=utf-8", body.into())
}

/// A file of the page; paths of the app itself (`/chat/main`) are the app.
fn page(gateway: &Gateway, path: &str, headers: &HeaderMap) -> Answer {
    let Some(pages) = gateway.pages() else { return text(StatusCode::NOT_FOUND, "Not Found") };
    let said = |name| headers.get(name).and_then(|v: &HeaderValue| v.to_str().ok()).unwrap_or("");
    let base = gateway.config().current().gateway.control_ui.base_path.clone();
    if !base.is_empty() && path == base {
        return redirect(&format!("{base}/"));
    }
    let Some(path) = path.strip_prefix(base.as_str()) else {
        return text(StatusCode::NOT_FOUND, "Not Found");
    };
    let path = path.trim_start_matches('/');
    let path = if path.is_empty() { "index.html" } else { path };
    // Paths are looked up in a table of embedded names, so `..` finds nothing. The page names its assets
    // relative to itself, so they are found beneath any of its paths.
    let asset = path.rfind("assets/").and_then(|at| path.get(at..));
    let asset = || asset.and_then(|asset| pages.file(asset, said(ACCEPT_ENCODING)));
    let found = pages.file(path, said(ACCEPT_ENCODING)).or_else(asset).or_else(|| {
        let wants_html = said(ACCEPT).contains("text/html");
        wants_html.then(|| pages.file("index.html", said(ACCEPT_ENCODING))).flatten()
    });
    let Some(file) = found else { return text(StatusCode::NOT_FOUND, "Not Found") };
    let fresh = said(IF_NONE_MATCH) == file.etag;
    let status = if fresh { StatusCode::NOT_MODIFIED } else { StatusCode::OK };
    let mut answer = with_type(status, file.content_type, if fresh { Bytes::new() } else { file.body });
    let headers = answer.headers_mut();
    headers.insert("content-security-policy", HeaderValue::from_static(PAGE_POLICY));
    headers.insert("x-frame-options", HeaderValue::from_static("DENY"));
    headers.insert(VARY, HeaderValue::from_static("accept-encoding"));
    let cache = if file.immutable { "public, max-age=31536000, immutable" } else { "no-cache" };
    headers.insert(CACHE_CONTROL, HeaderValue::from_static(cache));
    if let Ok(etag) = HeaderValue::from_str(&file.etag) {
        headers.insert(ETAG, etag);
    }
    if let Some(encoding) = file.encoding {
        headers.insert(CONTENT_ENCODING, HeaderValue::from_static(encoding));
    }
    answer
}

fn redirect(to: &str) -> Answer {
    let mut answer = text(StatusCode::PERMANENT_REDIRECT, "Moved");
    if let Ok(to) = HeaderValue::from_str(to) {
        answer.headers_mut().insert(LOCATION, to);
    }
    answer
}

fn is_upgrade(headers: &HeaderMap) -> bool {
    let has = |name, word: &str| {
        headers
            .get_all(name)
            .iter()
            .filter_map(|v: &HeaderValue| v.to_str().ok())
            .any(|v| v.split(',').any(|part| part.trim().eq_ignore_ascii_case(word)))
    };
    has(UPGRADE, "websocket") && has(CONNECTION, "upgrade")
}

/// Turns the connection into a WebSocket, on any path.
fn upgrade(gateway: Arc<Gateway>, request: &mut Request<Incoming>, peer: Peer) -> Answer {
    let version = request.headers().get(SEC_WEBSOCKET_VERSION).map(HeaderValue::as_bytes);
    let key = request.headers().get(SEC_WEBSOCKET_KEY).map(HeaderValue::as_bytes);
    let (Some(key), Some(b"13")) = (key, version) else {
        let mut answer = text(StatusCode::UPGRADE_REQUIRED, "WebSocket version 13 is required");
        answer.headers_mut().insert(SEC_WEBSOCKET_VERSION, HeaderValue::from_static("13"));
        return answer;
    };
    if gateway.stopping().is_cancelled() {
        return text(StatusCode::SERVICE_UNAVAILABLE, "the gateway is stopping");
    }
    let Some(ticket) = gateway.preauth().enter(peer.ip) else {
        tracing::warn!(ip = %peer.ip, "too many unauthenticated sockets from one address");
        return text(
            StatusCode::TOO_MANY_REQUESTS,
            "too many connections that have not finished the handshake",
        );
    };
    let accept = accept_key(key);
    let upgraded = hyper::upgrade::on(request);
    let tasks = gateway.sockets().clone();
    tasks.spawn(talk(gateway, upgraded, peer, ticket));
    let mut answer = Response::new(Full::default());
    *answer.status_mut() = StatusCode::SWITCHING_PROTOCOLS;
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
            tracing::debug!(%error, "an upgrade to WebSocket did not happen");
            return;
        }
    };
    let socket = ServerBuilder::new()
        .limits(Limits::default().max_payload_len(Some(MAX_PREAUTH_PAYLOAD)))
        .config(Config::default())
        .serve(TokioIo::new(upgraded));
    let cancel = gateway.sockets().token().clone();
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

fn text(status: StatusCode, body: &'static str) -> Answer {
    with_type(status, "text/plain; charset=utf-8", Bytes::from_static(body.as_bytes()))
}

fn json_answer(status: StatusCode, body: &Value) -> Answer {
    with_type(status, "application/json; charset=utf-8", Bytes::from(body.to_string()))
}

fn unauthorized() -> Answer {
    json_answer(
        StatusCode::UNAUTHORIZED,
        &json!({"error": {"message": "Unauthorized", "type": "unauthorized"}}),
    )
}

fn with_type(status: StatusCode, content_type: &'static str, body: Bytes) -> Answer {
    let mut answer = Response::new(Full::new(body));
    *answer.status_mut() = status;
    answer.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    answer
}
