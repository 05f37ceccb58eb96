//! Documents that agents made for people, behind addresses that only open sockets know.
//!
//! A document is an agent's work and may hold anything, so it runs in a sandbox without an origin: it cannot read what
//! the page keeps, nor call the gateway as the page could.

use std::collections::BTreeMap;

use futures_util::FutureExt;
use homard_protocol::ConnId;
use homard_runtime::off_thread;
use http::StatusCode;
use http::header::HeaderValue;

use super::folder::{self, ServedFile};
use super::reading;
use super::routes::{RouteCx, RouteEntry, RouteGuard, RouteMethods};
use crate::access::origin::Peer;
use crate::gateway::Gateway;
use crate::table::Cx;
use homard_http::answers::{Answer, text};

/// Addresses that carry their own right.
const CAPABILITY: &str = "/__openclaw__/cap/";
/// Where documents are.
const DOCUMENTS: &str = "/__openclaw__/canvas/documents/";
/// Their folder below the state's.
const FOLDER: [&str; 2] = ["canvas", "documents"];
/// What a capability is for.
const PURPOSE: &str = "canvas";
/// What a document may do: run, and show what it brings along.
const DOCUMENT_POLICY: &str = "sandbox allow-scripts allow-forms allow-popups; default-src 'self' data: blob: \
    'unsafe-inline'; connect-src 'none'; object-src 'none'; base-uri 'none'; form-action 'none'";

/// Documents.
pub(super) const ENTRY: RouteEntry = RouteEntry {
    reserved: &["/__openclaw__/"],
    methods: RouteMethods::Look,
    guard: RouteGuard::Guarded,
    owns: |_known, path| owned(path).is_some(),
    answer: |cx| answer(cx).boxed(),
};

/// What a path asks for.
#[derive(Debug, PartialEq, Eq)]
struct CanvasPath<'p> {
    capability: Option<&'p str>,
    /// Below the folder of documents; `None` when it is elsewhere.
    document: Option<&'p str>,
}

/// Whether `path` is about documents.
fn owned(path: &str) -> Option<CanvasPath<'_>> {
    if let Some(rest) = path.strip_prefix(CAPABILITY) {
        let (capability, inner) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        return Some(CanvasPath { capability: Some(capability), document: inner.strip_prefix(DOCUMENTS) });
    }
    let is_canvas = path.starts_with("/__openclaw__/canvas") || path.starts_with("/__openclaw__/a2ui");
    is_canvas.then(|| CanvasPath { capability: None, document: path.strip_prefix(DOCUMENTS) })
}

/// Where a socket finds documents for as long as it is open.
pub(crate) fn surface_urls(
    gateway: &Gateway,
    conn: &ConnId,
    peer: &Peer,
) -> Option<BTreeMap<String, String>> {
    let host = peer.host.as_deref()?;
    let seal = gateway.http().seal(PURPOSE, conn.as_str());
    // What stands before us may speak TLS in our place; a page says so by where it comes from.
    let from_secure_page = peer.origin.as_deref().is_some_and(|origin| origin.starts_with("https://"));
    let secure = gateway.connections().tls.is_some() || from_secure_page;
    let scheme = if secure { "https" } else { "http" };
    let url = format!("{scheme}://{host}{CAPABILITY}{conn}.{seal}");
    Some(BTreeMap::from([("canvas".to_owned(), url)]))
}

/// The address of one kind of page for whoever asks; empty for a kind that nobody serves.
pub(crate) fn surface_of(cx: &Cx, surface: &str) -> BTreeMap<String, String> {
    let caller = &cx.caller;
    let mut urls = surface_urls(&cx.gateway, &caller.client.conn, &caller.peer).unwrap_or_default();
    urls.retain(|name, _| name == surface);
    urls
}

/// Answers with a document.
async fn answer(cx: RouteCx<'_>) -> Answer {
    let Some(wanted) = owned(cx.path()) else { return text(StatusCode::NOT_FOUND, "Not Found") };
    let (gateway, request) = (cx.gateway, &cx.request);
    match wanted.capability {
        Some(capability) if is_open(gateway, capability) => {}
        Some(_closed) => return text(StatusCode::UNAUTHORIZED, "Unauthorized"),
        None => {
            if let Err(refused) = reading::check(gateway, request.headers(), cx.peer).await {
                return *refused;
            }
        }
    }
    let Some(document) = wanted.document else { return text(StatusCode::NOT_FOUND, "Not Found") };
    let state = &gateway.config().source().paths.state_dir;
    let root = FOLDER.iter().fold(state.clone(), |path, part| path.join(part));
    let document =
        if document.ends_with('/') { format!("{document}index.html") } else { document.to_owned() };
    let found = off_thread(move || folder::confined(&root, &document)).await;
    let Some(path) = found.ok().flatten() else { return text(StatusCode::NOT_FOUND, "Not Found") };
    let content_type = folder::content_type(&path);
    let served = ServedFile { path, content_type, cache: "no-store", encoding: None };
    let mut answer = folder::serve(&served, request.headers()).await;
    answer.headers_mut().insert("content-security-policy", HeaderValue::from_static(DOCUMENT_POLICY));
    answer
}

/// Whether the socket a capability was given to is still open.
fn is_open(gateway: &Gateway, capability: &str) -> bool {
    let Some((conn, seal)) = capability.rsplit_once('.') else { return false };
    let Ok(id) = ConnId::parse(conn) else { return false };
    gateway.http().is_sealed(PURPOSE, conn, seal) && gateway.connections().clients.has(&id)
}

#[cfg(test)]
mod tests {
    use super::{CanvasPath, owned};

    #[test]
    fn documents_are_found_with_and_without_a_capability() {
        let rows = [
            ("/__openclaw__/canvas/documents/a/index.html", Some((None, Some("a/index.html")))),
            ("/__openclaw__/cap/x.y/__openclaw__/canvas/documents/a/b", Some((Some("x.y"), Some("a/b")))),
            ("/__openclaw__/cap/x.y/hooks/agent", Some((Some("x.y"), None))),
            ("/__openclaw__/cap/x.y", Some((Some("x.y"), None))),
            ("/__openclaw__/canvas/", Some((None, None))),
            ("/__openclaw__/a2ui/", Some((None, None))),
            ("/chat/main", None),
        ];
        for (path, expected) in rows {
            let expected = expected.map(|(capability, document)| CanvasPath { capability, document });
            assert_eq!(owned(path), expected, "{path}");
        }
    }
}
