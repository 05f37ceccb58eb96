//! `ollama`: `POST {base}/api/chat`, the native API of the local model server, which says how much of a
//! conversation to keep in memory where its other API cannot.
//!
//! The shape of requests is in `body`, the shape of streams in `stream`.

use super::Wire;
use crate::spec::ModelSpec;
use crate::transport::framing::Framing;

mod body;
mod stream;

/// The table line.
pub(super) const ENTRY: Wire = Wire {
    api: super::OLLAMA,
    framing: Framing::JsonLines,
    key_header: None,
    headers: &[],
    token_mark: None,
    token_headers: &[],
    endpoint,
    sign: None,
    body: body::write,
    decoder: |draft| Box::new(stream::OllamaDecoder::new(draft)),
};

/// People paste the address of the server's other API, or the whole address of a call.
fn endpoint(base: &str, _: &ModelSpec) -> String {
    let base = base.strip_suffix("/api/chat").unwrap_or(base);
    let base = ["/v1", "/api"].iter().find_map(|end| base.strip_suffix(end)).unwrap_or(base);
    format!("{}/api/chat", base.trim_end_matches('/'))
}

/// The name thinking comes and goes by; kept as its signature, which says that it was this API's.
const THINKING: &str = "thinking";

#[cfg(test)]
mod tests;
