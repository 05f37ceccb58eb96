//! Serving files of a folder: nothing outside it, whatever a path says or a link points at.

use std::io;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use futures_util::StreamExt;
use homard_media::file_type::media_type;
use http::header::{CACHE_CONTROL, CONTENT_LENGTH, CONTENT_TYPE, ETAG, HeaderValue, IF_NONE_MATCH};
use http::{HeaderMap, StatusCode};
use http_body_util::{BodyExt, StreamBody};
use hyper::body::Frame;
use percent_encoding::percent_decode_str;
use tokio_util::io::ReaderStream;

use homard_http::answers::{Answer, empty, text};

/// Read at once from a file.
const CHUNK: usize = 64 * 1024;

/// A path of a request, decoded once; `None` when it is not plain text or hides a second encoding.
pub(super) fn decoded(path: &str) -> Option<String> {
    if !encodings_are_whole(path) {
        return None;
    }
    let decoded = percent_decode_str(path).decode_utf8().ok()?;
    (!decoded.contains('%') || !has_encoding(&decoded)).then(|| decoded.into_owned())
}

/// Whether every `%` begins an encoding.
fn encodings_are_whole(path: &str) -> bool {
    path.split('%').skip(1).all(|after| {
        let mut digits = after.bytes().take(2);
        digits.next().is_some_and(|b| b.is_ascii_hexdigit())
            && digits.next().is_some_and(|b| b.is_ascii_hexdigit())
    })
}

fn has_encoding(text: &str) -> bool {
    text.split('%').skip(1).any(|after| after.bytes().take(2).filter(u8::is_ascii_hexdigit).count() == 2)
}

/// Whether a decoded path names something below a folder by plain names only.
pub(super) fn is_plain(path: &str) -> bool {
    let plain = |part: &str| {
        !part.is_empty()
            && !part.starts_with('.')
            && !part.contains(['\\', ':'])
            && !part.contains(char::is_control)
    };
    !path.is_empty() && path.split('/').all(plain)
}

/// The file a request's path names below `root`; links are followed and must stay inside.
pub(super) fn confined(root: &Path, path: &str) -> Option<PathBuf> {
    let path = decoded(path)?;
    if !is_plain(&path) {
        return None;
    }
    inside(root, &root.join(path))
}

/// The file at `path` if it really lies below `root`.
pub(super) fn inside(root: &Path, path: &Path) -> Option<PathBuf> {
    let (root, found) = (root.canonicalize().ok()?, path.canonicalize().ok()?);
    (found.starts_with(&root) && found != root && found.is_file()).then_some(found)
}

/// A file that is going to be served.
#[derive(Debug)]
pub(super) struct ServedFile {
    pub(super) path: PathBuf,
    pub(super) content_type: &'static str,
    /// How it may be kept.
    pub(super) cache: &'static str,
    /// How it is packed.
    pub(super) encoding: Option<&'static str>,
}

/// Answers with a file, or that the client has it already.
pub(super) async fn serve(served: &ServedFile, headers: &HeaderMap) -> Answer {
    match open(served, headers).await {
        Ok(answer) => answer,
        Err(error) => {
            tracing::debug!(%error, "a file could not be served");
            text(StatusCode::NOT_FOUND, "Not Found")
        }
    }
}

async fn open(served: &ServedFile, headers: &HeaderMap) -> io::Result<Answer> {
    let file = tokio::fs::File::open(&served.path).await?;
    let metadata = file.metadata().await?;
    let changed = metadata.modified()?.duration_since(UNIX_EPOCH).unwrap_or_default();
    let etag = format!("\"{:x}-{:x}\"", metadata.len(), changed.as_nanos());
    let is_fresh = headers.get(IF_NONE_MATCH).is_some_and(|known| known.as_bytes() == etag.as_bytes());
    let mut answer = empty(if is_fresh { StatusCode::NOT_MODIFIED } else { StatusCode::OK });
    if !is_fresh {
        let chunks = ReaderStream::with_capacity(file, CHUNK);
        // A file that breaks off ends the answer early; its length tells the client.
        let frames = chunks
            .take_while(|chunk| std::future::ready(chunk.is_ok()))
            .filter_map(|chunk| std::future::ready(chunk.ok().map(|bytes| Ok(Frame::data(bytes)))));
        *answer.body_mut() = StreamBody::new(frames).boxed_unsync();
        answer.headers_mut().insert(CONTENT_LENGTH, HeaderValue::from(metadata.len()));
    }
    let headers = answer.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(served.content_type));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static(served.cache));
    if let Ok(etag) = HeaderValue::from_str(&etag) {
        headers.insert(ETAG, etag);
    }
    if let Some(encoding) = served.encoding {
        headers.insert(http::header::CONTENT_ENCODING, HeaderValue::from_static(encoding));
    }
    Ok(answer)
}

/// The type of a file by its name; unknown ones are bytes nobody runs.
pub(super) fn content_type(path: &Path) -> &'static str {
    let extension = path.extension().and_then(|e| e.to_str()).unwrap_or_default().to_ascii_lowercase();
    match extension.as_str() {
        "html" | "htm" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "json" | "map" => "application/json; charset=utf-8",
        "webmanifest" => "application/manifest+json",
        "wasm" => "application/wasm",
        "txt" | "md" | "log" | "csv" => "text/plain; charset=utf-8",
        "svg" => "image/svg+xml",
        "woff" => "font/woff",
        "woff2" => "font/woff2",
        "ttf" => "font/ttf",
        "pdf" => "application/pdf",
        _ => media_type(&extension).unwrap_or("application/octet-stream"),
    }
}

#[cfg(test)]
mod tests;
