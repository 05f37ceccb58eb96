//! The spellings a secret is carried about in.

use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};

use super::MIN_SECRET;
use crate::hex;

/// Every spelling of a secret that is looked for: as it is, in base64 (wherever it stands in what was encoded),
/// in hexadecimal, in addresses and in JSON.
pub(super) fn of(secret: &str) -> Vec<String> {
    let mut all = vec![
        secret.to_owned(),
        in_json(secret),
        hex(secret.as_bytes()),
        hex(secret.as_bytes()).to_uppercase(),
    ];
    for is_upper in [true, false] {
        let in_path = in_address(secret, is_upper);
        all.push(in_path.replace("%20", "+"));
        all.push(in_path);
    }
    for shift in 0..3 {
        all.push(in_base64(secret, shift, |bytes| STANDARD_NO_PAD.encode(bytes)));
        all.push(in_base64(secret, shift, |bytes| URL_SAFE_NO_PAD.encode(bytes)));
    }
    all.retain(|spelling| spelling.len() >= MIN_SECRET);
    all
}

/// The characters of an encoding that depend on nothing but the secret, when `shift` bytes (modulo three) stand
/// before it.
fn in_base64(secret: &str, shift: usize, encode: impl Fn(&[u8]) -> String) -> String {
    let mut bytes = vec![0; shift];
    bytes.extend_from_slice(secret.as_bytes());
    let encoded = encode(&bytes);
    let first = (shift * 8).div_ceil(6);
    let last = bytes.len() * 8 / 6;
    encoded.get(first..last).unwrap_or_default().to_owned()
}

fn in_address(secret: &str, is_upper: bool) -> String {
    let mut out = String::with_capacity(secret.len());
    for byte in secret.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            let _written = if is_upper { write!(out, "%{byte:02X}") } else { write!(out, "%{byte:02x}") };
        }
    }
    out
}

fn in_json(secret: &str) -> String {
    let mut out = String::with_capacity(secret.len());
    for c in secret.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c => out.push(c),
        }
    }
    out
}
