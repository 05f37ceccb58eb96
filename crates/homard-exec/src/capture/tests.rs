//! Text arrives whole whatever the chunks, and memory stays bounded.

use proptest::prelude::{any, prop, prop_assert, prop_assert_eq, proptest};

use super::{Capture, Utf8Decoder};

fn decode(bytes: &[u8], chunk: usize) -> String {
    let mut decoder = Utf8Decoder::default();
    let mut text: String = bytes.chunks(chunk).map(|piece| decoder.push(piece)).collect();
    text.push_str(&decoder.finish());
    text
}

fn capture(pieces: &[&str], limit: usize) -> (String, u64) {
    let mut capture = Capture::new(limit);
    for piece in pieces {
        capture.push(piece);
    }
    capture.finish()
}

#[test]
fn head_and_tail_stay_and_the_middle_is_counted() {
    let rows: [(&[&str], usize, &str, u64); 6] = [
        (&["abc"], 10, "abc", 0),
        (&["abcdefghij"], 10, "abcdefghij", 0),
        (&["abcde", "fghij", "k"], 10, "abcde\n[... 1 bytes left out ...]\nghijk", 1),
        (&["aaaaa", "bbbbbbbbbbbbbbbbbbbb", "cc"], 6, "aaa\n[... 21 bytes left out ...]\nbcc", 21),
        (&["ééé", "ééé"], 6, "é\n[... 8 bytes left out ...]\né", 8),
        (&["abc"], 0, "\n[... 3 bytes left out ...]\n", 3),
    ];
    for (pieces, limit, expected, dropped) in rows {
        assert_eq!(capture(pieces, limit), (expected.to_owned(), dropped), "{pieces:?} in {limit}");
    }
}

#[test]
fn memory_is_bounded_however_much_is_written() {
    let mut capture = Capture::new(1_000);
    let piece = "x".repeat(64 * 1024);
    for _ in 0..1_000 {
        capture.push(&piece);
        assert!(capture.head.len() + capture.tail.len() <= 1_000);
    }
    assert!(capture.tail.capacity() <= 4_000);
}

proptest! {
    #[test]
    fn any_split_of_bytes_decodes_like_no_split(bytes in prop::collection::vec(any::<u8>(), 0..64), chunk in 1usize..9) {
        prop_assert_eq!(decode(&bytes, chunk), String::from_utf8_lossy(&bytes).into_owned());
    }

    #[test]
    fn any_split_of_text_decodes_like_no_split(text in ".{0,40}", chunk in 1usize..9) {
        prop_assert_eq!(decode(text.as_bytes(), chunk), text);
    }

    #[test]
    fn a_capture_never_keeps_more_than_its_limit(pieces in prop::collection::vec(".{0,20}", 0..10), limit in 0usize..50) {
        let whole = pieces.concat();
        let (text, dropped) = capture(&pieces.iter().map(String::as_str).collect::<Vec<_>>(), limit);
        if whole.len() <= limit && dropped == 0 {
            prop_assert_eq!(text, whole);
        } else {
            prop_assert!(whole.len() as u64 - dropped <= limit as u64);
        }
    }
}
