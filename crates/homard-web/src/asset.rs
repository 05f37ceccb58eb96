//! Finding an embedded file by its path. Without a built page there is still one file: a
//! plain page that says so, because a gateway without Node at build time must still answer.

use std::borrow::Cow;

use crate::book;
use crate::dist::{self, File, PACKED_SUFFIX};

/// What the page needs and nothing more; a page served under a laxer policy would work too,
/// so this lives beside the page and is sent with every HTML answer.
pub const CONTENT_SECURITY_POLICY: &str = "default-src 'self'; script-src 'self'; \
    style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; media-src 'self' data: blob:; connect-src 'self' ws: wss:; \
    frame-ancestors 'none'; base-uri 'none'; object-src 'none'";

const INDEX: &str = "index.html";
/// Vite puts a hash of the content into the names of files here, so they never change.
const HASHED_FOLDER: &str = "assets/";
/// Where the book begins.
const BOOK_INDEX: &str = "docs/index.html";
/// Where the book is, beside the page.
const BOOK_FOLDER: &str = "docs/";
const FALLBACK_PAGE: &str = include_str!("fallback.html");
const FALLBACK_ETAG: &str = "\"fallback-1\"";
const UNKNOWN_TYPE: &str = "application/octet-stream";

/// How an asset's body is packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    Identity,
    /// Deflate as HTTP has it, with the head of zlib, done at build time; every browser takes it.
    Deflate,
}

impl Encoding {
    /// The value of the `content-encoding` header, where one is needed.
    #[must_use]
    pub const fn header(self) -> Option<&'static str> {
        match self {
            Self::Identity => None,
            Self::Deflate => Some("deflate"),
        }
    }
}

/// One file of the page, with everything a response about it needs.
#[derive(Debug, Clone)]
pub struct Asset {
    /// The bytes to send.
    pub body: Cow<'static, [u8]>,
    /// The value of `content-type`; the unpacked file's, also when packed.
    pub content_type: &'static str,
    /// The value of `etag`, quotes included; differs between encodings.
    pub etag: String,
    /// Whether the name changes with the content, so a browser may keep it for good.
    pub immutable: bool,
    /// How `body` is packed.
    pub encoding: Encoding,
}

/// Finds a file by its path in the page, with or without a leading slash; `""` is the page
/// itself. Which other paths show the page is the gateway's decision.
#[must_use]
pub fn asset(path: &str) -> Option<Asset> {
    let name = file_name(path)?;
    match dist::get(name) {
        Some(file) => Some(found(name, file, Encoding::Identity)),
        None if name == INDEX => Some(fallback()),
        None => name.strip_prefix(BOOK_FOLDER).and_then(book::page).map(|text| page_of_the_book(&text)),
    }
}

/// The packed copy of a file for a client that accepts these encodings. Fall back to [`asset`] otherwise.
#[must_use]
pub fn compressed(path: &str, accepts: impl Fn(&str) -> bool) -> Option<Asset> {
    let name = file_name(path)?;
    let encoding = Encoding::Deflate;
    let file = encoding.header().filter(|name| accepts(name)).and_then(|_accepted| dist::deflated(name));
    file.map(|file| found(name, file, encoding))
}

/// Whether the real page is here, so that start-up can say when it is not.
#[must_use]
pub fn is_built() -> bool {
    dist::get(INDEX).is_some()
}

/// The name a path asks for; nothing for paths that try to leave the folder (debug builds read
/// from disk) or that ask for a packed copy by name.
fn file_name(path: &str) -> Option<&str> {
    let name = path.strip_prefix('/').unwrap_or(path);
    if name.is_empty() {
        return Some(INDEX);
    }
    if name == BOOK_FOLDER {
        return Some(BOOK_INDEX);
    }
    let plain = name.split('/').all(|part| !part.is_empty() && !part.starts_with('.'));
    let safe = plain && !name.contains(['\\', '\0', ':']) && !name.ends_with(PACKED_SUFFIX);
    safe.then_some(name)
}

fn found(name: &str, file: File, encoding: Encoding) -> Asset {
    Asset {
        content_type: content_type(name),
        etag: format!("\"{}\"", file.digest),
        immutable: name.starts_with(HASHED_FOLDER),
        encoding,
        body: file.body,
    }
}

fn fallback() -> Asset {
    Asset {
        body: Cow::Borrowed(FALLBACK_PAGE.as_bytes()),
        content_type: content_type(INDEX),
        etag: FALLBACK_ETAG.to_owned(),
        immutable: false,
        encoding: Encoding::Identity,
    }
}

fn page_of_the_book(text: &str) -> Asset {
    Asset {
        body: Cow::Owned(text.as_bytes().to_vec()),
        content_type: content_type(INDEX),
        etag: format!("\"{}\"", dist::digest(text.as_bytes())),
        immutable: false,
        encoding: Encoding::Identity,
    }
}

fn content_type(name: &str) -> &'static str {
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    match extension {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "json" => "application/json",
        "webmanifest" => "application/manifest+json",
        "woff2" => "font/woff2",
        "txt" => "text/plain; charset=utf-8",
        _ => UNKNOWN_TYPE,
    }
}

#[cfg(test)]
mod tests;
