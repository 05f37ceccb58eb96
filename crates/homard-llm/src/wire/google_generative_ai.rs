//! `google-generative-ai`: `POST {base}/models/{model}:streamGenerateContent`.
//!
//! The shape of requests is in `body`, how hard to think in `thinking`, the shape of streams in `stream`.

use homard_http::escaped;

use super::{GOOGLE_GENERATIVE_AI, Wire};
use crate::spec::ModelSpec;
use crate::transport::framing::Framing;

mod body;
mod stream;
mod thinking;

pub(super) use body::Body;
pub(super) use stream::GoogleDecoder;

/// The table line.
pub(super) const ENTRY: Wire = Wire {
    api: GOOGLE_GENERATIVE_AI,
    framing: Framing::Sse,
    key_header: Some("x-goog-api-key"),
    headers: &[],
    token_mark: None,
    token_headers: &[],
    endpoint,
    sign: None,
    body: body::write,
    decoder: |draft| Box::new(GoogleDecoder::new(draft)),
};

fn endpoint(base: &str, model: &ModelSpec) -> String {
    format!("{}?alt=sse", gemini_address(base, model, "streamGenerateContent"))
}

/// Where something is asked of a model. People write the address with and without the version, and the model with and
/// without its collection.
pub(crate) fn gemini_address(base: &str, model: &ModelSpec, act: &str) -> String {
    let version = if base.ends_with("googleapis.com") { "/v1beta" } else { "" };
    let id = model.id.as_str();
    let id = escaped(id.strip_prefix("models/").unwrap_or(id));
    format!("{base}{version}/models/{id}:{act}")
}

#[cfg(test)]
mod tests;
