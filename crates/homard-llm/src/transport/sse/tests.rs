//! Events do not depend on how the bytes were cut, and nothing grows without bound.

use proptest::prelude::{Strategy, any, prop, proptest};

use super::{MAX_SSE_EVENT, MAX_SSE_LINE, SseError, SseParser};

fn parse(pieces: &[&[u8]]) -> Result<Vec<(String, String)>, SseError> {
    let mut parser = SseParser::new();
    let mut events = Vec::new();
    let mut sink = |event: super::SseEvent<'_>| {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        events.push((text(event.name), text(event.data)));
        Ok::<_, SseError>(())
    };
    for piece in pieces {
        parser.feed(piece, &mut sink)?;
    }
    parser.finish(&mut sink)?;
    Ok(events)
}

#[test]
fn fields_comments_and_line_ends_follow_the_standard() {
    let rows: &[(&str, &[(&str, &str)])] = &[
        ("data: a\n\n", &[("", "a")]),
        ("data:a\r\rdata:  b\r\r", &[("", "a"), ("", " b")]),
        ("event: x\r\ndata: a\r\ndata: b\r\n\r\n", &[("x", "a\nb")]),
        (": hi\ndata: a\n: there\n\n", &[("", "a")]),
        (":\n\n\n\ndata: a\n\n", &[("", "a")]),
        ("event: lonely\n\ndata: a\n\n", &[("", "a")]),
        ("data\ndata\n\n", &[("", "\n")]),
        ("id: 1\nretry: 5\nnonsense\ndata: a\n\n", &[("", "a")]),
        ("\u{feff}data: a\n\n", &[("", "a")]),
        ("data: no blank line", &[("", "no blank line")]),
        ("data: a\nevent: late", &[("late", "a")]),
        ("", &[]),
    ];
    for (text, expected) in rows {
        let expected: Vec<_> = expected.iter().map(|(n, d)| ((*n).to_owned(), (*d).to_owned())).collect();
        assert_eq!(parse(&[text.as_bytes()]).unwrap(), expected, "{text:?}");
    }
}

#[test]
fn a_line_without_end_is_refused_before_it_fills_the_memory() {
    let piece = vec![b'x'; 1024 * 1024];
    let mut pieces: Vec<&[u8]> = vec![b"data: "];
    pieces.extend(std::iter::repeat_n(piece.as_slice(), 5));
    assert_eq!(parse(&pieces), Err(SseError::LineTooLong));
    let long = vec![b'x'; MAX_SSE_LINE + 1];
    assert_eq!(parse(&[&long, b"\n"]), Err(SseError::LineTooLong));
}

#[test]
fn an_event_of_endless_lines_is_refused() {
    let line = [b"data: ".as_slice(), &vec![b'x'; 1024 * 1024], b"\n"].concat();
    let pieces = vec![line.as_slice(); MAX_SSE_EVENT / (1024 * 1024) + 1];
    assert_eq!(parse(&pieces), Err(SseError::EventTooLarge));
}

#[test]
fn endless_comments_are_dropped_as_they_come() {
    let mut parser = SseParser::new();
    let piece = [b":".as_slice(), &vec![b'x'; 65_536]].concat();
    for _ in 0..200 {
        parser.feed(&piece, &mut |_| Ok::<_, SseError>(())).unwrap();
    }
    assert_eq!(parser.line.capacity(), 0);
}

#[test]
fn a_huge_event_does_not_keep_its_buffer() {
    let mut parser = SseParser::new();
    let event = [b"data: ".as_slice(), &vec![b'x'; 1024 * 1024], b"\n\n"].concat();
    parser.feed(&event, &mut |_| Ok::<_, SseError>(())).unwrap();
    assert!(parser.data.capacity() < 100_000);
}

fn stream_text() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "data: ",
        "data:",
        "event: e",
        "\n",
        "\r",
        "\r\n",
        "\n\n",
        ":c",
        "é€😀",
        "{\"a\":1}",
        "id: 7",
        "\u{feff}",
        " ",
        "x",
    ]);
    prop::collection::vec(piece, 0..40).prop_map(|parts| parts.concat())
}

proptest! {
    #[test]
    fn any_split_gives_the_same_events(text in stream_text(), cuts in prop::collection::vec(any::<u16>(), 0..12)) {
        let bytes = text.as_bytes();
        let mut at: Vec<usize> = cuts.iter().map(|&c| usize::from(c) % (bytes.len() + 1)).collect();
        at.sort_unstable();
        let mut pieces = Vec::new();
        let mut from = 0;
        for to in at.into_iter().chain([bytes.len()]) {
            pieces.push(&bytes[from..to]);
            from = to;
        }
        let single: Vec<&[u8]> = bytes.chunks(1).collect();
        let whole = parse(&[bytes]).unwrap();
        assert_eq!(parse(&pieces).unwrap(), whole);
        assert_eq!(parse(&single).unwrap(), whole);
    }

    #[test]
    fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        drop(parse(&[&bytes]));
    }
}
