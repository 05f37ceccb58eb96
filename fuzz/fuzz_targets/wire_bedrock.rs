//! Any bytes are a stream of `bedrock-converse-stream`, or fail as one, and where they are cut does not matter.
//!
//! Chance makes no checksum, so bytes that begin with a letter are taken as lines of an event's kind, a tab and
//! its payload, and put into frames; other bytes are the stream itself.
#![no_main]

use libfuzzer_sys::fuzz_target;

const API: &str = "bedrock-converse-stream";

fuzz_target!(|data: &[u8]| {
    let Some((&cut, rest)) = data.split_first() else { return };
    if !rest.first().is_some_and(u8::is_ascii_alphabetic) {
        return homard_fuzz::stream(API, data);
    }
    let mut framed = vec![cut];
    for line in rest.split(|&byte| byte == b'\n') {
        let mut parts = line.splitn(2, |&byte| byte == b'\t');
        framed.extend(frame(parts.next().unwrap_or_default(), parts.next().unwrap_or_default()));
    }
    homard_fuzz::stream(API, &framed);
});

/// A frame; a kind that ends like an exception is one.
fn frame(kind: &[u8], payload: &[u8]) -> Vec<u8> {
    let kind = &kind[..kind.len().min(1_000)];
    let (message, name): (&[u8], &[u8]) = match kind.ends_with(b"Exception") {
        true => (b"exception", b":exception-type"),
        false => (b"event", b":event-type"),
    };
    let mut headers = Vec::new();
    for (name, value) in [(&b":message-type"[..], message), (name, kind)] {
        headers.push(name.len() as u8);
        headers.extend_from_slice(name);
        headers.push(7);
        headers.extend_from_slice(&(value.len() as u16).to_be_bytes());
        headers.extend_from_slice(value);
    }
    let mut out = ((headers.len() + payload.len() + 16) as u32).to_be_bytes().to_vec();
    out.extend_from_slice(&(headers.len() as u32).to_be_bytes());
    out.extend_from_slice(&crc32fast::hash(&out).to_be_bytes());
    out.extend_from_slice(&headers);
    out.extend_from_slice(payload);
    out.extend_from_slice(&crc32fast::hash(&out).to_be_bytes());
    out
}
