//! Reading what a token says about itself. Not verified: the token came from the provider over TLS, and it is
//! the provider who will check it.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::Value;

/// Longest token looked into, in bytes.
const MAX_TOKEN: usize = 64 * 1024;

/// The claims of a token, when it is of the kind that has any.
pub(crate) fn claims(token: &str) -> Option<Value> {
    if token.len() > MAX_TOKEN {
        return None;
    }
    let mut parts = token.split('.');
    let (_, payload, _, None) = (parts.next()?, parts.next()?, parts.next()?, parts.next()) else {
        return None;
    };
    let bytes = URL_SAFE_NO_PAD.decode(payload.trim_end_matches('=')).ok()?;
    serde_json::from_slice(&bytes).ok()
}

/// One claim by its JSON pointer.
pub(crate) fn claim(token: &str, pointer: &str) -> Option<String> {
    claims(token)?.pointer(pointer)?.as_str().filter(|text| !text.is_empty()).map(str::to_owned)
}

/// When the token says it expires, in milliseconds since 1970.
pub(crate) fn expiry(token: &str) -> Option<i64> {
    claims(token)?.get("exp")?.as_i64()?.checked_mul(1_000)
}
