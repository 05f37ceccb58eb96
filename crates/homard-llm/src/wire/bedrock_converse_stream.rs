//! `bedrock-converse-stream`: `POST {base}/model/{id}/converse-stream`.
//!
//! The shape of requests is in `body`, the shape of streams in `stream`, what the models behind this one API
//! differ in in `family`. A request is signed when its credential has AWS keys; a key or token is borne.

use homard_http::escaped;

use super::{BEDROCK_CONVERSE_STREAM, Wire};
use crate::spec::ModelSpec;
use crate::transport::aws_sign::signed;
use crate::transport::framing::Framing;

mod body;
mod family;
mod stream;

/// The table line.
pub(super) const ENTRY: Wire = Wire {
    api: BEDROCK_CONVERSE_STREAM,
    framing: Framing::EventStream,
    key_header: None,
    headers: &[("accept", "application/vnd.amazon.eventstream")],
    token_mark: None,
    token_headers: &[],
    endpoint,
    sign: Some(signed),
    body: body::write,
    decoder: |draft| Box::new(stream::BedrockDecoder::new(draft)),
};

/// Model ids may be whole resource names with colons and slashes, which belong into one segment.
fn endpoint(base: &str, model: &ModelSpec) -> String {
    format!("{base}/model/{}/converse-stream", escaped(model.id.as_str()))
}

/// Marks the signature of thinking that came encrypted, so that it goes back as such.
const REDACTED: &str = "redacted:";

#[cfg(test)]
mod tests;
