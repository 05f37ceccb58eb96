//! The Control UI, embedded: the files of `web/dist`, ready to be served. Owns which files
//! there are, their types and their cache keys; the gateway owns routes, headers and who may ask. Beside it the
//! [`book`], for `homard docs`.

mod asset;
pub mod book;
mod dist;

pub use asset::{Asset, CONTENT_SECURITY_POLICY, Encoding, asset, compressed, is_built};
