//! The page's files: where they come from, and with which rules a browser runs them.

use bytes::Bytes;
use futures_util::FutureExt;
use http::header::{
    ACCEPT, ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, ETAG, HeaderValue, IF_NONE_MATCH, LOCATION,
    VARY,
};
use http::{HeaderMap, StatusCode};

use super::routes::{RouteEntry, RouteGuard, RouteMethods};
use crate::gateway::Gateway;
use homard_http::answers::{Answer, text, with_type};

/// What the page may do: nothing but talk to this gateway.
const PAGE_POLICY: &str = "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; \
    img-src 'self' data: blob:; media-src 'self' data: blob:; connect-src 'self' ws: wss:; frame-ancestors 'none'; base-uri 'none'; \
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

/// The page.
pub(super) const ENTRY: RouteEntry = RouteEntry {
    reserved: &[],
    methods: RouteMethods::Look,
    guard: RouteGuard::Guarded,
    owns: |_known, _path| true,
    answer: |cx| std::future::ready(answer(cx.gateway, cx.path(), cx.request.headers())).boxed(),
};

/// A file of the page; paths of the app itself (`/chat/main`) are the app.
fn answer(gateway: &Gateway, path: &str, headers: &HeaderMap) -> Answer {
    let config = gateway.config().current();
    let Some(pages) = gateway.http().pages().filter(|_| config.gateway.control_ui.enabled) else {
        return text(StatusCode::NOT_FOUND, "Not Found");
    };
    let said = |name| headers.get(name).and_then(|v: &HeaderValue| v.to_str().ok()).unwrap_or("");
    let base = &config.gateway.control_ui.base_path;
    if !base.is_empty() && path == *base {
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

/// The address that is meant.
pub(super) fn redirect(to: &str) -> Answer {
    let mut answer = text(StatusCode::PERMANENT_REDIRECT, "Moved");
    if let Ok(to) = HeaderValue::from_str(to) {
        answer.headers_mut().insert(LOCATION, to);
    }
    answer
}
