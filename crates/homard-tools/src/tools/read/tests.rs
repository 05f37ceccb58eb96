//! Pages, pictures and refusals.

use std::io::Cursor;
use std::os::unix::fs::symlink;

use homard_protocol::UserBlock;
use proptest::prelude::{prop_assert, prop_assert_eq, proptest};

use super::{MAX_BYTES, MAX_IMAGE_BYTES, Page, ReadInput, read};
use crate::files::paths::Paths;
use crate::outcome::ToolOutcome;

fn page(text: &str, first: u64, max_lines: u64) -> Page {
    Page::read(&mut Cursor::new(text), first, max_lines, true).unwrap()
}

fn words(outcome: &ToolOutcome) -> &str {
    outcome.content[0].as_text().unwrap()
}

#[test]
fn pages_hold_what_was_asked_and_say_how_to_go_on() {
    let rows = [
        ("", 1, 10, "(the file is empty)"),
        ("a", 1, 10, "a"),
        ("a\nb\n", 1, 10, "a\nb\n"),
        ("a\nb\n", 1, 2, "a\nb\n"),
        ("a\nb\nc", 1, 2, "a\nb\n\n\n[lines 1-2 of 3; use offset=3 to continue]"),
        ("a\nb\nc\n", 2, 1, "b\n\n\n[lines 2-2 of 3; use offset=3 to continue]"),
        ("a\nb\nc", 3, 1, "c"),
        ("a\r\nb\r\n", 2, 5, "b\r\n"),
        ("\n\n\n", 2, 1, "\n\n\n[lines 2-2 of 3; use offset=3 to continue]"),
    ];
    for (text, first, limit, expected) in rows {
        let outcome = page(text, first, limit).into_outcome(first);
        assert_eq!(words(&outcome), expected, "{text:?} from {first}, {limit} lines");
    }
}

#[test]
fn a_page_ends_before_the_line_that_does_not_fit() {
    let line = format!("{}\n", "x".repeat(999));
    let got = page(&line.repeat(100), 1, 2_000);
    assert_eq!((got.lines, got.bytes.len(), got.more, got.total), (51, 51_000, true, Some(100)));
}

#[test]
fn a_line_too_long_to_show_is_cut_and_passed() {
    let text = format!("{}\nnext\n", "x".repeat(MAX_BYTES * 3));
    let got = page(&text, 1, 2_000);
    assert_eq!(
        (got.lines, got.bytes.len(), got.is_cut, got.more, got.total),
        (1, MAX_BYTES, true, true, Some(2))
    );
    assert_eq!(words(&page(&text, 2, 2_000).into_outcome(2)), "next\n");
}

#[test]
fn a_large_file_is_not_counted() {
    let got = Page::read(&mut Cursor::new("a\nb\nc\n"), 1, 1, false).unwrap();
    assert_eq!(words(&got.into_outcome(1)), "a\n\n\n[lines 1-1; use offset=2 to continue]");
}

/// Endless text that counts how much of it is held at a time.
struct Counting {
    left: u64,
    text: Vec<u8>,
    largest: usize,
}

impl std::io::Read for Counting {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        self.largest = self.largest.max(buffer.len());
        let length = buffer.len().min(self.text.len()).min(usize::try_from(self.left).unwrap_or(usize::MAX));
        buffer[..length].copy_from_slice(&self.text[..length]);
        self.left -= length as u64;
        Ok(length)
    }
}

#[test]
fn however_large_the_file_no_more_than_a_page_is_held() {
    for line in ["a line of a log\n", "no end"] {
        for first in [1, 100_000] {
            let text = line.repeat(MAX_BYTES / line.len()).into_bytes();
            let text = Counting { left: 200 * 1024 * 1024, text, largest: 0 };
            let mut file = std::io::BufReader::new(text);
            let got = Page::read(&mut file, first, 2_000, false).unwrap();
            assert!(
                got.bytes.len() <= MAX_BYTES && got.bytes.capacity() <= 2 * MAX_BYTES,
                "{}",
                got.bytes.capacity()
            );
            assert!(file.get_ref().largest <= MAX_BYTES, "read {} at once", file.get_ref().largest);
        }
    }
}

#[test]
fn files_that_cannot_be_shown_are_refused_with_words() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    std::fs::create_dir(root.join("dir")).unwrap();
    std::fs::write(root.join("dir/inner"), "").unwrap();
    std::fs::write(root.join("notes.md"), "one\ntwo\n").unwrap();
    std::fs::write(root.join("blob"), b"ab\0cd").unwrap();
    let mut large = b"\x89PNG\r\n\x1a\n".to_vec();
    large.resize(usize::try_from(MAX_IMAGE_BYTES).unwrap() + 1, 0);
    std::fs::write(root.join("large.png"), large).unwrap();
    symlink("/dev/zero", root.join("endless")).unwrap();
    let rows = [
        ("note.md", None, "there is no file `note.md`; similar names there: `notes.md`"),
        ("zzz", None, "there is no file `zzz`"),
        ("no/such", None, "there is no file `no/such`; its directory does not exist"),
        ("dir", None, "`dir` is a directory; it holds: inner"),
        (
            "blob",
            None,
            "`blob` is a binary file of 5 bytes and cannot be shown as text; use exec to inspect it",
        ),
        ("notes.md", Some(9), "offset 9 is past the end of `notes.md`, which has 2 lines"),
        ("endless", None, "`endless` is not a regular file and cannot be read"),
        (
            "large.png",
            None,
            "`large.png` is an image of 5242881 bytes; at most 5242880 can be shown: make it smaller first",
        ),
    ];
    let paths = Paths::new(&root, false);
    for (path, offset, expected) in rows {
        let input = ReadInput { path: path.to_owned(), offset, limit: None };
        let outcome = ToolOutcome::from(read(&paths, &root, &input));
        assert_eq!((outcome.is_error, words(&outcome)), (true, expected));
    }
}

#[test]
fn a_picture_is_known_by_its_first_bytes() {
    let rows: [(&[u8], &str); 5] = [
        (b"\x89PNG\r\n\x1a\nrest", "image/png"),
        (b"\xff\xd8\xff\xe0", "image/jpeg"),
        (b"GIF89a..", "image/gif"),
        (b"GIF87a..", "image/gif"),
        (b"RIFF\0\0\0\0WEBPVP8 ", "image/webp"),
    ];
    let dir = tempfile::tempdir().unwrap();
    let paths = Paths::new(dir.path(), true);
    for (bytes, expected) in rows {
        std::fs::write(dir.path().join("named.txt"), bytes).unwrap();
        let input = ReadInput { path: "named.txt".to_owned(), offset: None, limit: None };
        let outcome = read(&paths, dir.path(), &input).unwrap();
        let UserBlock::Image { mime_type, .. } = &outcome.content[1] else { panic!("{outcome:?}") };
        assert_eq!(mime_type, expected);
    }
}

proptest! {
    #[test]
    fn pages_put_together_are_the_file(lines in proptest::collection::vec("[a-z]{0,3}\r?", 0..20), limit in 1u64..5, ended: bool) {
        let mut text = lines.join("\n");
        if ended && !text.is_empty() {
            text.push('\n');
        }
        let (mut whole, mut first) = (Vec::new(), 1);
        loop {
            let got = page(&text, first, limit);
            prop_assert!(got.lines <= limit);
            prop_assert_eq!(got.total, Some(text.lines().count() as u64));
            whole.extend_from_slice(&got.bytes);
            first += got.lines;
            if !got.more {
                break;
            }
        }
        prop_assert_eq!(String::from_utf8(whole).unwrap(), text);
    }
}
