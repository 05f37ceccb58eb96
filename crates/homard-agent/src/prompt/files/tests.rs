//! The owner's files: who is told what, and how much.

use super::{AGENTS, Found, MEMORY, NAMES, TOOLS, cut, is_blank, read, told};
use crate::prompt::input::Audience;

fn found(texts: &[(&str, &str)]) -> Vec<Found> {
    texts
        .iter()
        .map(|(name, text)| Found { name: (*name).to_owned(), text: Some((*text).to_owned()) })
        .collect()
}

fn names(audience: Audience) -> Vec<String> {
    let all: Vec<(&str, &str)> = NAMES.iter().map(|name| (*name, "x")).collect();
    told(&found(&all), audience, 100, 1_000).into_iter().map(|file| file.name).collect()
}

#[test]
fn each_audience_is_told_what_is_for_it() {
    assert_eq!(names(Audience::Owner), NAMES);
    assert_eq!(names(Audience::Group), ["AGENTS.md", "SOUL.md", "TOOLS.md", "IDENTITY.md"]);
    assert_eq!(names(Audience::Worker), [AGENTS, TOOLS]);
}

#[test]
fn files_share_a_total_limit_and_say_what_was_left_out() {
    let long = "a".repeat(500);
    let told = told(&found(&[("A", &long), ("B", &long), ("C", &long)]), Audience::Owner, 200, 450);
    let sizes: Vec<(usize, bool, bool)> =
        told.iter().map(|file| (file.raw_chars, file.is_truncated, file.text.is_some())).collect();
    assert_eq!(
        sizes,
        [(500, true, true), (500, true, true), (500, true, false)],
        "no room was left for the third"
    );
}

#[test]
fn a_file_of_nothing_but_comments_says_nothing() {
    let rows = [
        ("", true),
        (" \n\t", true),
        ("<!-- a -->\n", true),
        ("<!-- a --> <!-- b\nc -->", true),
        ("<!-- never closed", true),
        ("<!-- a --> x", false),
        ("x <!-- a -->", false),
        ("# Head", false),
    ];
    for (text, expected) in rows {
        assert_eq!(is_blank(text), expected, "{text:?}");
    }
    let told = told(&found(&[("A", "<!-- note -->")]), Audience::Owner, 200, 450);
    assert_eq!((told[0].text.as_deref(), told[0].raw_chars, told[0].is_truncated), (None, 0, false));
}

#[test]
fn a_long_file_keeps_its_beginning_and_end() {
    let text: String = ('a'..='z').collect();
    let kept = cut(&text, 10);
    assert!(kept.starts_with("abcdefg\n") && kept.ends_with("\nyz"), "{kept}");
    assert!(kept.contains("17 characters left out"));
    assert_eq!(cut("short", 10), "short");
}

#[test]
fn the_small_spelling_of_memory_stands_in_for_the_large() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("memory.md"), "small").unwrap();
    let files = read(dir.path());
    let there: Vec<&str> = files.iter().filter_map(|file| file.text.as_deref()).collect();
    assert_eq!(there, ["small"]);
    std::fs::write(dir.path().join(MEMORY), "large").unwrap();
    let files = read(dir.path());
    assert_eq!(files.last().unwrap().text.as_deref(), Some("large"));
}

#[cfg(unix)]
#[test]
fn a_link_that_leads_out_of_the_workspace_is_not_followed() {
    use std::os::unix::fs::symlink;
    let (dir, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let secret = outside.path().join("secret");
    std::fs::write(&secret, "key").unwrap();
    symlink(&secret, dir.path().join("AGENTS.md")).unwrap();
    std::fs::write(dir.path().join("real.md"), "inside").unwrap();
    symlink("real.md", dir.path().join("SOUL.md")).unwrap();
    let files = read(dir.path());
    let there: Vec<&str> = files.iter().filter_map(|file| file.text.as_deref()).collect();
    assert_eq!(there, ["inside"]);
}
