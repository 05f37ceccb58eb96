//! `openai-responses`: `POST {base}/responses`, the API the inventor's reasoning models are meant for; its
//! subscription service speaks it too.
//!
//! The shape of requests is in `body`, the shape of streams in `stream`; what a transcript must keep for the
//! one to repeat what the other read is in `keepsake`.

use super::Wire;
use crate::spec::ModelSpec;
use crate::transport::framing::Framing;

mod body;
mod keepsake;
mod stream;

/// The table line.
pub(super) const ENTRY: Wire = Wire {
    api: "openai-responses",
    framing: Framing::Sse,
    key_header: None,
    headers: &[],
    token_mark: None,
    token_headers: &[("openai-beta", "responses=experimental")],
    endpoint,
    sign: None,
    body: body::write,
    decoder: |draft| Box::new(stream::ResponsesDecoder::new(draft)),
};

fn endpoint(base: &str, _: &ModelSpec) -> String {
    if base.ends_with("/responses") { base.to_owned() } else { format!("{base}/responses") }
}

#[cfg(test)]
mod tests;
