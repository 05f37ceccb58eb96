//! Where hunks fit, what they leave alone, and what is said when they do not fit.

use proptest::prelude::{Just, Strategy, prop_assert_eq, proptest};
use similar::{ChangeTag, TextDiff};

use super::super::parse::{Change, Hunk, parse};
use super::apply;

fn hunks(body: &str) -> Vec<Hunk> {
    let patch = format!("*** Begin Patch\n*** Update File: f\n{body}\n*** End Patch");
    let mut sections = parse(&patch).unwrap_or_else(|error| panic!("{body}: {error}"));
    match sections.remove(0).change {
        Change::Update { hunks, .. } => hunks,
        other => panic!("{other:?}"),
    }
}

#[test]
fn hunks_that_fit_change_their_place_and_nothing_else() {
    let rows = [
        // Plain changes.
        ("a\nb\nc\n", "-b\n+x", "a\nx\nc\n"),
        ("a\nb\nc\n", " a\n-b\n+x\n c", "a\nx\nc\n"),
        ("a\nb\nc\n", "-a", "b\nc\n"),
        ("a\nb\nc\n", "-a\n-b\n-c", ""),
        ("a\nb\nc\n", " b\n+x", "a\nb\nx\nc\n"),
        ("a\nb\nc\n", "+x\n a", "x\na\nb\nc\n"),
        ("a\nb\nc\n", "@@\n-a\n+1\n@@\n-c\n+3", "1\nb\n3\n"),
        ("a\nb\nc\n", "-a\n+1\n@@\n b\n-c\n+3", "1\nb\n3\n"),
        // Headers choose among places.
        ("f\nx\ng\nx\n", "@@ g\n-x\n+y", "f\nx\ng\ny\n"),
        ("A\nf\nx\nB\nf\nx\n", "@@ B\n@@ f\n-x\n+y", "A\nf\nx\nB\nf\ny\n"),
        ("f\nx\nx\n", "@@ f\n-x\n+y", "f\ny\nx\n"),
        ("f\ng\n", "@@ f\n+x", "f\nx\ng\n"),
        // The end of the file.
        ("x\na\nx\n", "-x\n+y\n*** End of File", "x\na\ny\n"),
        ("a\nb\n", "+c", "a\nb\nc\n"),
        ("a\nb\n", "+c\n*** End of File", "a\nb\nc\n"),
        ("", "+a\n+b", "a\nb\n"),
        // A missing last line end stays missing.
        ("a\nb", "-b\n+c", "a\nc"),
        ("a\nb", "-a\n+c", "c\nb"),
        ("a\nb", " b\n+c", "a\nb\nc"),
        // Both kinds of line ends.
        ("a\r\nb\r\n", "-b\n+x\n+y", "a\r\nx\r\ny\r\n"),
        ("a\r\nb", "-a\n+x", "x\r\nb"),
        ("a\r\nb\nc\n", "-b\n+x", "a\r\nx\nc\n"),
        ("a\r\nb\n", " a\n-b\n+x", "a\r\nx\n"),
        // Blank lines and spaces.
        ("a\n\nb\n", " a\n\n-b\n+c", "a\n\nc\n"),
        ("  a\n", "-  a\n+    a", "    a\n"),
        ("\n\n\na\n", " \n-a\n+b", "\n\n\nb\n"),
        // Second chance: trailing whitespace and typographic punctuation; kept lines stay as they are.
        ("keep  \nold\t\n", " keep\n-old\n+new", "keep  \nnew\n"),
        (
            "say \u{201C}hi\u{201D} \u{2014} now\nb\n",
            " say \"hi\" - now\n-b\n+c",
            "say \u{201C}hi\u{201D} \u{2014} now\nc\n",
        ),
        ("it\u{2019}s\u{A0}so\n", "-it's so\n+it is", "it is\n"),
        // An exact place wins over a loose one.
        ("x \nx\n", "-x\n+y", "x \ny\n"),
        // Unicode.
        ("naïve\n日本語\n👩‍💻\n", "-日本語\n+にほんご", "naïve\nにほんご\n👩‍💻\n"),
        ("+a\n-b\n", "-+a\n+-a", "-a\n-b\n"),
        ("*** End Patch\n", "-*** End Patch\n+*** Begin Patch", "*** Begin Patch\n"),
    ];
    for (text, body, expected) in rows {
        assert_eq!(apply(text, &hunks(body)).as_deref(), Ok(expected), "{text:?} {body:?}");
    }
}

#[test]
fn hunks_that_do_not_fit_say_which_and_what_is_there_instead() {
    let rows = [
        (
            "a\nb\nc\n",
            " a\n-x\n+y",
            "hunk 1 (patch line 3): its lines are not in the file. Its first line fits at line 1, then the patch has `x` and line 2 of the file is `b`",
        ),
        ("a\nb\n", " a\n b\n-c", "Its first 2 lines fit at line 1, then the patch has `c` and the file ends"),
        (
            "let one = 1;\n",
            "-let one = 2;\n+x",
            "its lines are not in the file. Nearest lines:\n1: let one = 1;",
        ),
        ("", "-a\n+b", "its lines are not in the file; no line is like its first one"),
        (
            "x\na\nx\n",
            "-x\n+y",
            "hunk 1 (patch line 3): its lines fit 2 places (lines 1, 3): add kept lines around",
        ),
        (
            "a\nb\n",
            "-b\n+x\n@@\n-a\n+y",
            "hunk 2 (patch line 5): its lines are at line 1, which the hunk before",
        ),
        (
            "a\nb\nc\n",
            " a\n-b\n+x\n@@\n b\n-c\n+y",
            "hunk 2 (patch line 6): its lines are at line 2, which the hunk before",
        ),
        ("a\nb\n", "-a\n+x\n@@\n-a\n+y", "hunk 2 (patch line 5): its lines are at line 1"),
        ("a\nb\n", "-a\n+x\n*** End of File", "its lines are at line 1, but do not end where the file does"),
        (
            "fn one() {\n",
            "@@ fn ones() {\n-x",
            "`@@ fn ones() {` is not a line of the file. Nearest lines:\n1: fn one() {",
        ),
        (
            "x\nf\n",
            "@@ f\n-x\n+y",
            "its lines are not in the file after line 2, where its header is; they are at line 1",
        ),
        ("  a\n", "-a\n+b", "its lines are not in the file. Nearest lines:\n1:   a"),
    ];
    for (text, body, expected) in rows {
        let complaint = apply(text, &hunks(body)).unwrap_err().to_string();
        assert!(complaint.contains(expected), "{text:?} {body:?}: {complaint}");
    }
}

#[test]
fn a_file_that_repeats_itself_without_end_is_given_up_on() {
    let text = "\n".repeat(1_000_000);
    let body = format!("{}-x", " \n".repeat(10_000));
    let complaint = apply(&text, &hunks(&body)).unwrap_err().to_string();
    assert!(complaint.contains("repeats itself too often"), "{complaint}");
}

/// A patch as a careful model writes it: some kept lines around each change.
fn patch(before: &str, after: &str, kept: usize) -> String {
    let diff = TextDiff::from_lines(before, after);
    let mut body = String::new();
    for group in diff.grouped_ops(kept) {
        body.push_str("@@\n");
        for change in group.iter().flat_map(|op| diff.iter_changes(op)) {
            let mark = match change.tag() {
                ChangeTag::Equal => ' ',
                ChangeTag::Delete => '-',
                ChangeTag::Insert => '+',
            };
            body.push_str(&format!("{mark}{}\n", change.value().trim_end_matches('\n')));
        }
    }
    body.pop();
    body
}

fn text() -> impl Strategy<Value = String> {
    let line = proptest::sample::select(vec!["a", "b", "c", "", " a", "d", "é", "+x", "-y", "@@", "*** z"]);
    let lines = proptest::collection::vec(line, 0..24);
    (lines, Just("\n")).prop_map(|(lines, end)| lines.iter().map(|line| format!("{line}{end}")).collect())
}

proptest! {
    #[test]
    fn the_patch_of_a_difference_gives_the_new_text_or_is_ambiguous(before in text(), after in text(), kept in 1_usize..4) {
        if before != after {
            match apply(&before, &hunks(&patch(&before, &after, kept))) {
                Ok(got) => prop_assert_eq!(got, after),
                Err(error) => prop_assert_eq!(error.to_string().contains("places (lines"), true, "{}", error),
            }
        }
    }

    #[test]
    fn the_patch_that_keeps_everything_always_fits(before in text(), after in text(), windows in proptest::bool::ANY, ended in proptest::bool::ANY) {
        if before != after && !before.is_empty() && !after.is_empty() {
            let body = patch(&before, &after, 1_000);
            let shape = |text: &str| {
                let text = if ended { text } else { text.strip_suffix('\n').unwrap_or(text) };
                if windows { text.replace('\n', "\r\n") } else { text.to_owned() }
            };
            // Without its last line end an empty last line is no line at all.
            let ends_empty = |text: &str| text == "\n" || text.ends_with("\n\n");
            let vanishes = !ended && (ends_empty(&before) || ends_empty(&after));
            // One line without an end does not say which kind of ends the file has.
            let vanishes = vanishes || (windows && !ended && before.lines().count() < 2);
            if !vanishes {
                let result = apply(&shape(&before), &hunks(&body)).map_err(|error| error.to_string());
                prop_assert_eq!(result, Ok(shape(&after)));
            }
        }
    }

    #[test]
    fn no_text_panics(text in ".*", body in "[-+ ][a-z \n]{1,20}") {
        let patch = format!("*** Begin Patch\n*** Update File: f\n{body}\n*** End Patch");
        if let Ok(sections) = parse(&patch)
            && let Change::Update { hunks, .. } = &sections[0].change {
            drop(apply(&text, hunks));
        }
    }
}
