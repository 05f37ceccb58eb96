//! The embedded Control UI, as the gateway asks for it.

use bytes::Bytes;
use homard_gateway::{PageFile, Pages};

/// The page inside the binary.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Embedded;

impl Pages for Embedded {
    fn file(&self, path: &str, accept_encoding: &str) -> Option<PageFile> {
        let accepts_brotli =
            accept_encoding.split(',').any(|part| part.trim().split(';').next() == Some("br"));
        let found = accepts_brotli.then(|| homard_web::compressed(path)).flatten();
        let asset = found.or_else(|| homard_web::asset(path))?;
        Some(PageFile {
            body: match asset.body {
                std::borrow::Cow::Borrowed(body) => Bytes::from_static(body),
                std::borrow::Cow::Owned(body) => Bytes::from(body),
            },
            content_type: asset.content_type,
            encoding: asset.encoding.header(),
            etag: asset.etag,
            immutable: asset.immutable,
        })
    }
}
