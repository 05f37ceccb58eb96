//! Another page in place of the built-in one: the files of `gateway.controlUi.root`.
//!
//! It is served as it was built, with two changes to its first file: relative addresses are made to fit deep links, and
//! the place it is mounted at is written down where it looks for it. Its inline scripts are allowed by their hashes and
//! no others.

use std::path::{Path, PathBuf};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use futures_util::FutureExt;
use homard_config::config::gateway::ControlUi;
use homard_runtime::off_thread;
use http::header::{ACCEPT, ACCEPT_ENCODING, CACHE_CONTROL, ETAG, HeaderValue, IF_NONE_MATCH, VARY};
use http::{HeaderMap, StatusCode};
use sha2::{Digest, Sha256};

use super::folder::{self, ServedFile};
use super::page::redirect;
use super::routes::{RouteCx, RouteEntry, RouteGuard, RouteMethods};
use homard_http::answers::{Answer, text, with_type};

/// The first file.
const INDEX: &str = "index.html";
/// Files here have their hash in their names.
const HASHED: &str = "assets/";
/// Largest first file, in bytes.
const MAX_INDEX: u64 = 4 * 1024 * 1024;
/// Where the page looks for the place it is mounted at.
const BASE_ATTRIBUTE: &str = "data-openclaw-control-ui-base-path";

/// A page in place of the built-in one.
pub(super) const ENTRY: RouteEntry = RouteEntry {
    reserved: &[],
    methods: RouteMethods::Look,
    guard: RouteGuard::Guarded,
    owns: |known, _path| root(&known.config.gateway.control_ui).is_some(),
    answer: |cx| answer(cx).boxed(),
};

/// The folder of the other page, if one is to be served.
fn root(page: &ControlUi) -> Option<&Path> {
    page.root.as_deref().filter(|_| page.enabled)
}

/// Answers with a file of the folder; paths of the app are the app.
async fn answer(cx: RouteCx<'_>) -> Answer {
    let config = cx.gateway.config().current();
    let (page, path, headers) = (&config.gateway.control_ui, cx.path(), cx.request.headers());
    let Some(root) = root(page) else { return text(StatusCode::NOT_FOUND, "Not Found") };
    let base = page.base_path.as_str();
    if !base.is_empty() && path == base {
        return redirect(&format!("{base}/"));
    }
    let Some(path) = path.strip_prefix(base) else { return text(StatusCode::NOT_FOUND, "Not Found") };
    let (root, path) = (root.to_path_buf(), path.trim_start_matches('/').to_owned());
    if path.is_empty() || path == INDEX {
        return index(&root, base, headers).await;
    }
    let packed = accepts(headers, "br");
    let (folder_here, path_here) = (root.clone(), path.clone());
    let found = off_thread(move || find(&folder_here, &path_here, packed)).await.ok().flatten();
    match found {
        Some((file, encoding)) => asset(&path, file, encoding, headers).await,
        None if wants_page(headers) && folder::decoded(&path).is_some_and(|path| is_app_path(&path)) => {
            index(&root, base, headers).await
        }
        None => text(StatusCode::NOT_FOUND, "Not Found"),
    }
}

/// Paths with plain names only; what looks like a file is none of the app's.
fn is_app_path(path: &str) -> bool {
    let last = path.rsplit('/').next().unwrap_or_default();
    let is_file = last.rsplit_once('.').is_some_and(|(_, extension)| {
        matches!(extension, "js" | "css" | "map" | "json" | "png" | "svg" | "ico" | "woff2" | "webmanifest")
    });
    !is_file && !path.contains("..") && !path.contains(['\\', '\0'])
}

fn wants_page(headers: &HeaderMap) -> bool {
    headers.get(ACCEPT).and_then(|value| value.to_str().ok()).is_some_and(|value| value.contains("text/html"))
}

fn accepts(headers: &HeaderMap, encoding: &str) -> bool {
    let said = headers.get(ACCEPT_ENCODING).and_then(|value| value.to_str().ok()).unwrap_or_default();
    said.split(',').any(|part| part.trim().split(';').next() == Some(encoding))
}

/// The file, packed if that is wanted and there. Deep links name assets relative to themselves.
fn find(root: &Path, path: &str, packed: bool) -> Option<(PathBuf, Option<&'static str>)> {
    let deep = path.rfind(HASHED).and_then(|at| path.get(at..)).filter(|deep| *deep != path);
    [Some(path), deep].into_iter().flatten().find_map(|path| {
        let small = packed.then(|| folder::confined(root, &format!("{path}.br"))).flatten();
        let plain = folder::confined(root, path)?;
        Some(small.map_or((plain, None), |small| (small, Some("br"))))
    })
}

async fn asset(path: &str, file: PathBuf, encoding: Option<&'static str>, headers: &HeaderMap) -> Answer {
    let content_type = folder::content_type(Path::new(path));
    let is_hashed = path.contains(HASHED);
    let cache = if is_hashed { "public, max-age=31536000, immutable" } else { "no-cache" };
    let served = ServedFile { path: file, content_type, cache, encoding };
    let mut answer = folder::serve(&served, headers).await;
    protect(&mut answer, &policy(""));
    answer
}

async fn index(root: &Path, base: &str, headers: &HeaderMap) -> Answer {
    let missing = || text(StatusCode::SERVICE_UNAVAILABLE, "gateway.controlUi.root has no index.html");
    let (root, base) = (root.to_path_buf(), base.to_owned());
    let read = off_thread(move || {
        let path = folder::confined(&root, INDEX)?;
        let is_small = std::fs::metadata(&path).ok()?.len() <= MAX_INDEX;
        let page = is_small.then(|| std::fs::read_to_string(&path).ok()).flatten()?;
        let page = fitted(&page, &base);
        let etag = format!("\"{}\"", hash(page.as_bytes()));
        Some((policy(&page), etag, page))
    });
    let Some((policy, etag, page)) = read.await.ok().flatten() else { return missing() };
    let is_fresh = headers.get(IF_NONE_MATCH).is_some_and(|known| known.as_bytes() == etag.as_bytes());
    let status = if is_fresh { StatusCode::NOT_MODIFIED } else { StatusCode::OK };
    let body = if is_fresh { Bytes::new() } else { Bytes::from(page) };
    let mut answer = with_type(status, "text/html; charset=utf-8", body);
    protect(&mut answer, &policy);
    let headers = answer.headers_mut();
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    if let Ok(etag) = HeaderValue::from_str(&etag) {
        headers.insert(ETAG, etag);
    }
    answer
}

fn protect(answer: &mut Answer, policy: &str) {
    let headers = answer.headers_mut();
    headers.insert("x-frame-options", HeaderValue::from_static("DENY"));
    headers.insert(VARY, HeaderValue::from_static("accept-encoding"));
    if let Ok(policy) = HeaderValue::from_str(policy) {
        headers.insert("content-security-policy", policy);
    }
}

/// The first file as it works at `base` and below.
fn fitted(page: &str, base: &str) -> String {
    let page = page.replace("=\"./", &format!("=\"{base}/"));
    if base.is_empty() {
        return page;
    }
    // The base comes from the owner's settings; it is made of path characters all the same.
    let plain: String = base.chars().filter(|c| !matches!(c, '"' | '<' | '>' | '&')).collect();
    page.replacen("<html", &format!("<html {BASE_ATTRIBUTE}=\"{plain}\""), 1)
}

/// What the page may do: talk to this gateway, show pictures, and run what it brought along.
fn policy(page: &str) -> String {
    let hashes: String =
        inline_scripts(page).map(|script| format!(" 'sha256-{}'", hash(script.as_bytes()))).collect();
    format!(
        "default-src 'self'; script-src 'self'{hashes}; style-src 'self' 'unsafe-inline'; \
         img-src 'self' data: blob: https:; font-src 'self' data:; media-src 'self' data: blob:; \
         worker-src 'self' blob:; manifest-src 'self'; connect-src 'self' data: blob: ws: wss:; frame-src 'self' blob:; \
         frame-ancestors 'none'; base-uri 'none'; object-src 'none'; form-action 'none'"
    )
}

fn hash(bytes: &[u8]) -> String {
    STANDARD.encode(Sha256::digest(bytes))
}

/// The scripts that stand in the page itself.
fn inline_scripts(page: &str) -> impl Iterator<Item = &str> {
    page.split("<script").skip(1).filter_map(|rest| {
        let (tag, rest) = rest.split_once('>')?;
        let (script, _) = rest.split_once("</script")?;
        (!tag.contains("src=") && !script.is_empty()).then_some(script)
    })
}

#[cfg(test)]
mod tests;
