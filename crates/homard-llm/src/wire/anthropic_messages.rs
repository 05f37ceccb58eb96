//! `anthropic-messages`: `POST {base}/v1/messages`.
//!
//! The shape of requests is in `body`, the shape of streams in `stream`.

use super::Wire;
use crate::spec::ModelSpec;
use crate::transport::framing::Framing;

mod body;
mod stream;

/// The table line.
pub(super) const ENTRY: Wire = Wire {
    api: "anthropic-messages",
    framing: Framing::Sse,
    key_header: Some("x-api-key"),
    headers: &[("anthropic-version", "2023-06-01")],
    token_mark: Some(SUBSCRIPTION_TOKEN),
    token_headers: &[("anthropic-beta", "oauth-2025-04-20")],
    endpoint,
    sign: None,
    body: body::write,
    decoder: |draft| Box::new(stream::AnthropicDecoder::new(draft)),
};

/// People write the address with and without the version.
fn endpoint(base: &str, _: &ModelSpec) -> String {
    if base.ends_with("/v1/messages") {
        base.to_owned()
    } else if base.ends_with("/v1") {
        format!("{base}/messages")
    } else {
        format!("{base}/v1/messages")
    }
}

/// How tokens of subscriptions begin.
const SUBSCRIPTION_TOKEN: &str = "sk-ant-oat";
/// Marks the signature of thinking that came encrypted, so that it goes back as such.
const REDACTED: &str = "redacted:";

#[cfg(test)]
mod tests;
