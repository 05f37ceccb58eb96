//! Every rule catches a bad example and leaves a good one alone.

use super::{BANNED, EMPTY_NAMES, changelog, check};
use crate::tidy::clone::SourceFile;

fn file(path: &str, text: &str) -> SourceFile {
    SourceFile { path: path.to_owned(), text: text.to_owned() }
}

#[track_caller]
fn found(path: &str, text: &str, expected: &[&str]) {
    let findings: Vec<String> = check(&file(path, text)).iter().map(ToString::to_string).collect();
    assert_eq!(findings.len(), expected.len(), "{path} {text:?}: {findings:?}");
    for (finding, expected) in findings.iter().zip(expected) {
        assert!(finding.contains(expected), "{finding:?} does not contain {expected:?}");
    }
}

#[test]
fn a_rust_file_begins_by_saying_what_it_owns() {
    found("a/src/lane.rs", "//! The lane.\n\nuse x;", &[]);
    found("a/src/lane.rs", "\n//! The lane.\n", &[]);
    for text in ["", "use x;\n", "// The lane.\n", "/// The lane.\n", "#![no_main]\n//! Late.\n"] {
        found("a/src/lane.rs", text, &["does not begin with"]);
    }
    found("web/src/app.ts", "import x", &[]);
}

#[test]
fn a_file_name_names_an_idea() {
    for name in EMPTY_NAMES {
        found(&format!("a/src/{name}"), "//! x", &["says nothing"]);
    }
    found("a/src/tool_types.rs", "//! x", &[]);
}

#[test]
fn every_banned_text_is_caught_where_it_is_banned() {
    for banned in &BANNED {
        let ending = banned.endings.first().unwrap();
        let found = check(&file(&format!("a/x{ending}"), &format!("//! x\nlet a = 1; {}\n", banned.text)));
        assert_eq!(found.len(), 1, "{}: {found:?}", banned.text);
        assert!(found[0].place.ends_with(":2"), "{found:?}");
    }
}

#[test]
fn a_comment_or_another_language_may_spell_it() {
    found("a/src/x.rs", "//! x\n// never todo!()\nlist.only(3)", &[]);
    found("web/x.ts", "const s = 'todo!('", &[]);
    found("xtask/src/tidy/text/tests.rs", "//! x\ntodo!()", &[]);
}

#[test]
fn paths_of_one_machine_are_caught_at_their_beginning_only() {
    for line in ["cd /work/main", "\"/root/.cargo\"", "/work/", "(/root/x)", "HOME=/root/"] {
        found("README.md", line, &["folder of one machine"]);
    }
    for line in
        ["https://example.com/work/1", "src/root/x", "../work/x", "~/work/x", "${dir}/work/x", "/workspace"]
    {
        found("README.md", line, &[]);
    }
}

#[test]
fn the_changelog_always_has_an_unreleased_part() {
    let log = |text| changelog(&[file("CHANGELOG.md", text)]).is_none();
    assert!(log("# Changelog\n\n## [Unreleased]\n"));
    assert!(!log("# Changelog\n\n## [0.1.0]\n"));
    assert!(changelog(&[]).is_some());
}
