//! Frames whole, cut, damaged and hostile.

use proptest::prelude::{any, prop, prop_assert_eq, proptest};

use super::{EXCEPTION, EventStream, MAX_FRAME};
use crate::error::{FailReason, LlmError};

/// A frame as a server writes it.
pub(crate) fn frame(headers: &[(&str, &str)], payload: &[u8]) -> Vec<u8> {
    let mut head = Vec::new();
    for (name, value) in headers {
        head.push(u8::try_from(name.len()).unwrap());
        head.extend_from_slice(name.as_bytes());
        head.push(7);
        head.extend_from_slice(&u16::try_from(value.len()).unwrap().to_be_bytes());
        head.extend_from_slice(value.as_bytes());
    }
    raw(&head, payload)
}

/// An ordinary event.
pub(crate) fn event(kind: &str, payload: &str) -> Vec<u8> {
    let headers = [(":event-type", kind), (":content-type", "application/json"), (":message-type", "event")];
    frame(&headers, payload.as_bytes())
}

fn raw(head: &[u8], payload: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    out.extend_from_slice(&u32::try_from(16 + head.len() + payload.len()).unwrap().to_be_bytes());
    out.extend_from_slice(&u32::try_from(head.len()).unwrap().to_be_bytes());
    out.extend_from_slice(&crc32fast::hash(&out).to_be_bytes());
    out.extend_from_slice(head);
    out.extend_from_slice(payload);
    out.extend_from_slice(&crc32fast::hash(&out).to_be_bytes());
    out
}

fn read(pieces: &[&[u8]]) -> Result<Vec<(String, String)>, LlmError> {
    let mut stream = EventStream::default();
    let mut out = Vec::new();
    for piece in pieces {
        stream.feed(piece, &mut |event| {
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            out.push((text(event.name), text(event.data)));
            Ok(())
        })?;
    }
    stream.finish();
    Ok(out)
}

fn pair(name: &str, data: &str) -> (String, String) {
    (name.to_owned(), data.to_owned())
}

#[test]
fn frames_become_events() {
    let rows = [
        (event("messageStart", "{}"), vec![pair("messageStart", "{}")]),
        (raw(b"", b"x"), vec![pair("", "x")]),
        (
            frame(
                &[(":message-type", "exception"), (":exception-type", "throttlingException")],
                b"{\"message\":\"slow\"}",
            ),
            vec![pair("exception:throttlingException", "{\"message\":\"slow\"}")],
        ),
        (
            frame(
                &[
                    (":message-type", "error"),
                    (":error-code", "InternalError"),
                    (":error-message", "a \"b\""),
                ],
                b"",
            ),
            vec![pair("exception:InternalError", r#"{"message":"a \"b\""}"#)],
        ),
        (frame(&[(":message-type", "from-the-future")], b"x"), vec![]),
        ([event("a", "1"), event("b", "2")].concat(), vec![pair("a", "1"), pair("b", "2")]),
        // Half a frame at the end says nothing.
        (event("a", "1")[..20].to_vec(), vec![]),
    ];
    for (bytes, expected) in rows {
        assert_eq!(read(&[&bytes]).unwrap(), expected);
    }
    assert!(EXCEPTION.ends_with(':'));
}

#[test]
fn headers_of_every_kind_are_stepped_over() {
    let mut head = Vec::new();
    for (kind, size) in [(0_u8, 0), (1, 0), (2, 1), (3, 2), (4, 4), (5, 8), (8, 8), (9, 16)] {
        head.extend_from_slice(&[1, b'x', kind]);
        head.extend(std::iter::repeat_n(7_u8, size));
    }
    head.extend_from_slice(&[1, b'y', 6, 0, 2, 9, 9]);
    head.extend_from_slice(b"\x0b:event-type\x07\x00\x02ok");
    assert_eq!(read(&[&raw(&head, b"!")]).unwrap(), [pair("ok", "!")]);
}

#[test]
fn damage_is_noticed() {
    let good = event("messageStart", "{\"role\":\"assistant\"}");
    // Every single byte of a frame is covered by a checksum.
    for at in 0..good.len() {
        let mut bad = good.clone();
        bad[at] ^= 0x20;
        assert_eq!(read(&[&bad]).unwrap_err().reason, FailReason::Format, "byte {at}");
    }
}

#[test]
fn impossible_lengths_are_refused_before_anything_is_kept() {
    let rows: [(u32, u32); 6] = [
        (u32::MAX, 0),
        (u32::try_from(MAX_FRAME).unwrap() + 1, 0),
        (100, u32::MAX),
        (16, 1),
        (15, 0),
        (0, 0),
    ];
    for (total, headers) in rows {
        let mut bytes = [total.to_be_bytes(), headers.to_be_bytes()].concat();
        bytes.extend_from_slice(&crc32fast::hash(&bytes).to_be_bytes());
        assert_eq!(read(&[&bytes]).unwrap_err().reason, FailReason::Format, "{total} {headers}");
    }
    for head in [&b"\xff"[..], b"\x01", b"\x01x", b"\x01x\x0a", b"\x01x\x07\xff\xff", b"\x00\x05\x00"] {
        assert_eq!(read(&[&raw(head, b"")]).unwrap_err().reason, FailReason::Format, "{head:?}");
    }
}

proptest! {
    #[test]
    fn where_the_bytes_are_cut_does_not_matter(
        payloads in prop::collection::vec("[a-z]{0,40}", 1..6), cuts in prop::collection::vec(1_usize..50, 1..40),
    ) {
        let bytes: Vec<u8> = payloads.iter().flat_map(|payload| event("e", payload)).collect();
        let mut pieces = Vec::new();
        let mut rest = bytes.as_slice();
        for cut in cuts.iter().cycle() {
            if rest.is_empty() { break; }
            let (now, later) = rest.split_at((*cut).min(rest.len()));
            pieces.push(now);
            rest = later;
        }
        let expected: Vec<_> = payloads.iter().map(|payload| pair("e", payload)).collect();
        prop_assert_eq!(read(&pieces).unwrap(), expected);
    }

    #[test]
    fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        drop(read(&[&bytes]));
        drop(read(&[&raw(&bytes, b"x")]));
    }
}
