//! What is the format and what is not, with the line where it stops being it.

use proptest::prelude::{prop_assert, proptest};

use super::{Change, Hunk, PatchLine, Section, parse};

fn complaint(body: &str) -> String {
    parse(body).unwrap_err().to_string()
}

#[test]
fn a_whole_patch_is_read() {
    let patch = "\n*** Begin Patch\n*** Add File: a b.txt\n+one\n+\n+*** End Patch\n\n*** Delete File: gone\n*** Update File: c\n*** Move to: d\n@@ class A\n@@   def f\n keep\n-old\n+new\n\n*** Update File: e\n-x\n@@\n+y\n*** End of File\n*** End Patch\n\n";
    let keep = |text: &str| PatchLine::Keep(text.to_owned());
    let remove = |text: &str| PatchLine::Remove(text.to_owned());
    let add = |text: &str| PatchLine::Add(text.to_owned());
    let section = |path: &str, at, change| Section { path: path.to_owned(), at, change };
    let hunk = |at, headers: &[&str], lines, at_end| Hunk {
        at,
        headers: headers.iter().map(|&header| header.to_owned()).collect(),
        lines,
        at_end,
    };
    let first = vec![hunk(11, &["class A", "  def f"], vec![keep("keep"), remove("old"), add("new")], false)];
    let second = vec![hunk(18, &[], vec![remove("x")], false), hunk(19, &[], vec![add("y")], true)];
    let expected = vec![
        section("a b.txt", 3, Change::Add { content: "one\n\n*** End Patch\n".to_owned() }),
        section("gone", 8, Change::Delete),
        section("c", 9, Change::Update { move_to: Some("d".to_owned()), hunks: first }),
        section("e", 17, Change::Update { move_to: None, hunks: second }),
    ];
    assert_eq!(parse(patch).unwrap(), expected);
    assert_eq!(parse(&patch.replace('\n', "\r\n")).unwrap(), expected);
}

#[test]
fn blank_lines_inside_a_hunk_are_kept_lines_and_before_a_marker_only_separate() {
    let patch = "*** Begin Patch\n*** Update File: a\n-x\n\n-y\n\n\n*** End Patch";
    let sections = parse(patch).unwrap();
    let Change::Update { hunks, .. } = &sections[0].change else { panic!("{sections:?}") };
    let line = |text: &str| PatchLine::Remove(text.to_owned());
    assert_eq!(hunks[0].lines, [line("x"), PatchLine::Keep(String::new()), line("y")]);
}

#[test]
fn what_is_not_the_format_is_refused_with_its_line() {
    let rows = [
        ("", "must begin with `*** Begin Patch`"),
        ("hello", "must begin with `*** Begin Patch`"),
        ("*** Begin Patch", "must end with `*** End Patch`"),
        ("*** Begin Patch\n*** End Patch", "changes nothing"),
        ("*** Begin Patch\n*** Delete File: a\n*** End Patch\nmore", "patch line 4: there is text after"),
        ("*** Begin Patch\n*** Delete File:  \n*** End Patch", "patch line 2: the path is missing"),
        (
            "*** Begin Patch\n*** Update File: a\n*** Move to:\n*** End Patch",
            "patch line 3: the path is missing",
        ),
        ("*** Begin Patch\n*** Rename File: a\n*** End Patch", "patch line 2: expected `*** Add File: path`"),
        ("*** Begin Patch\n--- a/x\n+++ b/x\n*** End Patch", "patch line 2: expected"),
        (
            "*** Begin Patch\n*** Add File: a\nplain\n*** End Patch",
            "patch line 3: every line of an added file",
        ),
        (
            "*** Begin Patch\n*** Add File: a\n+x\n\n+y\n*** End Patch",
            "patch line 4: every line of an added file",
        ),
        ("*** Begin Patch\n*** Delete File: a\n+x\n*** End Patch", "patch line 3: expected"),
        (
            "*** Begin Patch\n*** Update File: a\n*** End Patch",
            "patch line 2: `a` gets neither hunks nor a new name",
        ),
        (
            "*** Begin Patch\n*** Update File: a\nplain\n*** End Patch",
            "patch line 3: a line of a hunk must begin",
        ),
        (
            "*** Begin Patch\n*** Update File: a\n@@x\n-a\n*** End Patch",
            "patch line 3: a line of a hunk must begin",
        ),
        (
            "*** Begin Patch\n*** Update File: a\n@@\n keep\n*** End Patch",
            "patch line 3: the hunk changes nothing",
        ),
        (
            "*** Begin Patch\n*** Update File: a\n@@ head\n*** End Patch",
            "patch line 3: the hunk changes nothing",
        ),
        (
            "*** Begin Patch\n*** Update File: a\n@@ -1,2 +1,3 @@\n-x\n*** End Patch",
            "patch line 3: line numbers",
        ),
        (
            "*** Begin Patch\n*** Update File: a\n*** End of File\n*** End Patch",
            "patch line 3: a line of a hunk",
        ),
        (
            "*** Begin Patch\n*** Update File: a\n-x\n*** End of File\n+y\n*** End Patch",
            "patch line 4: after",
        ),
        ("*** Begin Patch\n*** Update File: a\n-x\n", "must end with"),
    ];
    for (patch, expected) in rows {
        let complaint = complaint(patch);
        assert!(complaint.contains(expected), "{patch:?}: {complaint}");
    }
    let many = format!("*** Begin Patch\n{}*** End Patch", "*** Delete File: a\n".repeat(201));
    assert!(complaint(&many).contains("more than 200 files"));
    assert!(complaint(&"x".repeat(1024 * 1024 + 1)).contains("at most 1048576"));
}

proptest! {
    #[test]
    fn no_text_panics(text in ".*") {
        drop(parse(&text));
    }

    #[test]
    fn no_arrangement_of_lines_panics(lines in proptest::collection::vec(
        proptest::sample::select(vec!["*** Begin Patch", "*** End Patch", "*** Add File: a", "*** Delete File: b",
            "*** Update File: c", "*** Move to: d", "*** End of File", "@@", "@@ x", " k", "-r", "+a", "", " ", "\r", "é"]), 0..24)) {
        let text = format!("*** Begin Patch\n{}\n*** End Patch", lines.join("\n"));
        if let Ok(sections) = parse(&text) {
            prop_assert!(!sections.is_empty());
        }
    }
}
