//! Any text is a transcript line or nothing, and a line that was read can be written and read again.
//!
//! Not asserted: that the second reading equals the first. A line with a key twice is kept as an unknown
//! kind, loses the double when written, and is understood after that.

use homard_protocol::transcript::Line;
use serde::Serialize;

/// The promise.
pub(super) fn run(text: &str) {
    let Some(line) = Line::parse(text) else { return };
    let written = written(&line);
    assert!(!written.contains('\n'), "one line stays one line");
    let again = Line::parse(&written);
    match (&line, &again) {
        (Line::Header(first), Some(Line::Header(second))) => assert_eq!(first, second),
        (Line::Entry(first), Some(Line::Entry(second))) => {
            assert_eq!(
                (&first.id, &first.parent_id),
                (&second.id, &second.parent_id),
                "the tree keeps its shape"
            );
            assert_eq!(first.kind.tag(), second.kind.tag(), "the kind keeps its name");
        }
        _ => panic!("`{written}` does not read back"),
    }
}

fn written(line: &Line) -> String {
    fn json<T: Serialize>(value: &T) -> String {
        serde_json::to_string(value).expect("a line that was read can be written")
    }
    match line {
        Line::Header(header) => json(header),
        Line::Entry(entry) => json(entry),
    }
}
