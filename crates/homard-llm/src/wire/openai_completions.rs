//! `openai-completions`: `POST {base}/chat/completions`, which most servers in the world also speak.
//!
//! The shape of requests is in `body`, the shape of streams in `stream`; where servers differ is data on the
//! model ([`Compat`](crate::Compat)), never a vendor's name here.

use super::Wire;

mod body;
mod stream;

/// The table line.
pub(super) const ENTRY: Wire = Wire {
    api: "openai-completions",
    key_header: None,
    headers: &[],
    endpoint,
    body: body::write,
    decoder: |draft| Box::new(stream::Decoder::new(draft)),
};

fn endpoint(base: &str) -> String {
    if base.ends_with("/chat/completions") { base.to_owned() } else { format!("{base}/chat/completions") }
}
