//! One exact place, or nothing and the reason.

use proptest::prelude::{prop_assert, prop_assert_eq, proptest};

use super::{EditInput, Mismatch, edit, replace_once};
use crate::files::paths::Paths;
use crate::files::undo::Keeper;
use crate::outcome::ToolOutcome;

#[test]
fn a_text_that_occurs_once_is_replaced() {
    let rows = [
        ("a b c", "b", "x", "a x c", 1),
        ("a\nb\nc\n", "b\n", "", "a\nc\n", 2),
        ("a\nb\nc", "c", "c\nd", "a\nb\nc\nd", 3),
        ("a\r\nb\r\nc\r\n", "a\nb", "x\ny", "x\r\ny\r\nc\r\n", 1),
        ("a\r\nb\r\n", "b", "x", "a\r\nx\r\n", 2),
        ("a\r\nb\r\n", "b", "x\ny", "a\r\nx\r\ny\r\n", 2),
        ("a\r\nb\nc", "b\n", "x\n", "a\r\nx\nc", 2),
        ("$1 \\0", "$1", "\\0", "\\0 \\0", 1),
        ("é", "é", "e", "e", 1),
    ];
    for (text, old, new, expected, line) in rows {
        let edited = replace_once(text, old, new).unwrap();
        assert_eq!((edited.text.as_str(), edited.line), (expected, line), "{text:?}: {old:?} -> {new:?}");
    }
}

#[test]
fn a_mismatch_says_what_to_do() {
    let rows = [
        ("a", "", "x", "oldText is empty; use write to create a file"),
        ("a", "a", "a", "oldText and newText are the same"),
        (
            "a\nb\na\n",
            "a",
            "x",
            "oldText occurs 2 times (lines 1, 3); add surrounding lines so that it occurs once",
        ),
        (
            "aaa",
            "aa",
            "x",
            "oldText occurs 2 times (lines 1, 1); add surrounding lines so that it occurs once",
        ),
        (
            "fn main() {\n\tlet x = 1;\n}\n",
            "    let x = 2;\n",
            "",
            "oldText occurs 0 times; it must match exactly, whitespace included. Nearest lines:\n2: \tlet x = 1;",
        ),
        (
            "one\ntwo\n",
            "zzzz",
            "",
            "oldText occurs 0 times; it must match exactly, whitespace included; no line is like its first one: read the file again",
        ),
    ];
    for (text, old, new, expected) in rows {
        assert_eq!(replace_once(text, old, new).unwrap_err().to_string(), expected, "{text:?}: {old:?}");
    }
}

#[test]
fn the_answer_carries_a_unified_diff() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("f.txt");
    std::fs::write(&file, "1\n2\n3\n4\n5\n6\n7\n8\n9\n").unwrap();
    let paths = Paths::new(dir.path(), true);
    let input =
        EditInput { path: "f.txt".to_owned(), old_text: "5\n".to_owned(), new_text: "five\n".to_owned() };
    let outcome = edit(&paths, dir.path(), &input, &Keeper::nothing()).unwrap();
    let expected = "--- f.txt\n+++ f.txt\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n";
    let details = outcome.details.unwrap();
    assert_eq!((details["diff"].as_str().unwrap(), &details["firstChangedLine"]), (expected, &5.into()));
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "1\n2\n3\n4\nfive\n6\n7\n8\n9\n");
}

#[test]
fn what_cannot_be_edited_is_refused_and_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir(dir.path().join("dir")).unwrap();
    std::fs::write(dir.path().join("latin"), b"caf\xe9").unwrap();
    let paths = Paths::new(dir.path(), true);
    let rows = [
        ("dir", "`dir` is not a regular file"),
        ("latin", "`latin` is not UTF-8 text (at byte 3); use exec to change it"),
        ("latina", "there is no file `latina`; similar names there: `latin`"),
    ];
    for (path, expected) in rows {
        let input = EditInput { path: path.to_owned(), old_text: "caf".to_owned(), new_text: "x".to_owned() };
        let outcome = ToolOutcome::from(edit(&paths, dir.path(), &input, &Keeper::nothing()));
        assert_eq!((outcome.is_error, outcome.content[0].as_text().unwrap()), (true, expected));
    }
    assert_eq!(std::fs::read(dir.path().join("latin")).unwrap(), b"caf\xe9");
}

proptest! {
    #[test]
    fn an_edit_changes_its_place_and_nothing_else(before in "[ab\n]{0,12}", old in "[ab\n]{1,4}", after in "[ab\n]{0,12}", new in "[abc\n]{0,4}") {
        let text = format!("{before}{old}{after}");
        match replace_once(&text, &old, &new) {
            Ok(edited) => prop_assert_eq!(edited.text, format!("{before}{new}{after}")),
            Err(Mismatch::Ambiguous { count, .. }) => prop_assert!(count >= 2),
            Err(Mismatch::Same) => prop_assert_eq!(old, new),
            Err(other) => prop_assert!(false, "{other}"),
        }
    }

    #[test]
    fn no_text_panics(text in ".*", old in ".{0,5}", new in ".*") {
        drop(replace_once(&text, &old, &new));
    }
}
