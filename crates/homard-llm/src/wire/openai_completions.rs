//! `openai-completions`: `POST {base}/chat/completions`, which most servers in the world also speak.
//!
//! The shape of requests is in `body`, the shape of streams in `stream`; where servers differ is data on the
//! model ([`Compat`](crate::Compat)), never a vendor's name here.

use super::Wire;
use crate::spec::ModelSpec;
use crate::transport::framing::Framing;

mod body;
mod stream;

/// The table line.
pub(super) const ENTRY: Wire = Wire {
    api: "openai-completions",
    framing: Framing::Sse,
    key_header: None,
    headers: &[],
    token_mark: None,
    token_headers: &[],
    endpoint,
    sign: None,
    body: body::write,
    decoder: |draft| Box::new(stream::CompletionsDecoder::new(draft)),
};

fn endpoint(base: &str, _: &ModelSpec) -> String {
    if base.ends_with("/chat/completions") { base.to_owned() } else { format!("{base}/chat/completions") }
}

#[cfg(test)]
mod tests;
