//! The embedded Control UI, as the gateway asks for it.

use bytes::Bytes;
use homard_gateway::{PageFile, Pages};

/// The page inside the binary.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Embedded;

impl Pages for Embedded {
    fn file(&self, path: &str, accept_encoding: &str) -> Option<PageFile> {
        let accepts =
            |name: &str| accept_encoding.split(',').any(|part| part.trim().split(';').next() == Some(name));
        let asset = homard_web::compressed(path, accepts).or_else(|| homard_web::asset(path))?;
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
