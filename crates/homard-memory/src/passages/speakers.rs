//! Who says a line: `Anna: hello`, `**Anna**: hello`, `- [10:45] Anna (work): hello`. A word before a colon is a name only
//! where it stands before several lines of a note, and is not one of those that notes are ordered by.

use std::collections::HashMap;

use crate::words;

/// Longest name, in characters.
const MAX_NAME_CHARS: usize = 40;
/// Most words of a name.
const MAX_NAME_WORDS: usize = 3;
/// Lines a name stands before, at least.
const MIN_LINES: usize = 2;
/// Words before colons that are nobody; folded.
const NOBODY: [&str; 42] = [
    "action",
    "actions",
    "address",
    "agenda",
    "answer",
    "author",
    "category",
    "context",
    "date",
    "day",
    "decided",
    "decision",
    "description",
    "done",
    "due",
    "example",
    "goal",
    "http",
    "https",
    "idea",
    "important",
    "link",
    "location",
    "mood",
    "name",
    "next",
    "note",
    "notes",
    "open",
    "place",
    "plan",
    "problem",
    "question",
    "result",
    "source",
    "status",
    "summary",
    "time",
    "title",
    "todo",
    "topic",
    "update",
];

/// The names a note's lines begin with.
#[derive(Debug, Default)]
pub(super) struct Speakers<'t> {
    names: HashMap<&'t str, usize>,
}

impl<'t> Speakers<'t> {
    pub(super) fn of(text: &'t str) -> Self {
        let mut names = HashMap::new();
        for (name, _) in text.lines().filter_map(label) {
            *names.entry(name).or_insert(0) += 1;
        }
        names.retain(|name, lines| *lines >= MIN_LINES && !NOBODY.contains(&words::fold(name).as_str()));
        Self { names }
    }

    /// Who says a line, and what.
    pub(super) fn read(&self, line: &'t str) -> Option<(&'t str, &'t str)> {
        label(line).filter(|(name, _)| self.names.contains_key(name))
    }
}

/// What stands before the colon of a line, if it can be a name, and what stands after it.
fn label(line: &str) -> Option<(&str, &str)> {
    let mut rest = line.trim_start_matches([' ', '\t', '-', '*', '>', '•', '+', '_']);
    for (open, close) in [('[', ']'), ('(', ')')] {
        if let Some(inside) = rest.strip_prefix(open) {
            rest = inside.split_once(close)?.1.trim_start_matches([' ', '-', '*', '_', ':']);
        }
    }
    while let Some((word, after)) = rest.split_once(' ').filter(|(word, _)| is_time(word)) {
        let _: &str = word;
        rest = after.trim_start_matches([' ', '-', '–', '*', '_']);
    }
    let end = rest.char_indices().take(MAX_NAME_CHARS).find(|(_, c)| matches!(c, ':' | '：'));
    let (end, colon) = end?;
    let (name, said) = (rest.get(..end)?, rest.get(end + colon.len_utf8()..)?);
    let name = name.trim_end_matches(['*', '_', ' ']);
    let name = name.split_once(" (").map_or(name, |(name, _)| name).trim_end_matches(['*', '_', ' ']);
    (is_name(name) && !said.starts_with("//")).then(|| (name, said.trim_start_matches(['*', '_', ' '])))
}

/// A word of a time of day or a date: `10:45`, `8.5.23,`, `pm`.
fn is_time(word: &str) -> bool {
    let is_clock = word.starts_with(|c: char| c.is_ascii_digit())
        && word.chars().all(|c| c.is_ascii_digit() || ":.,/-".contains(c) || "apm".contains(c));
    is_clock || matches!(word, "am" | "pm" | "AM" | "PM" | "-" | "–")
}

fn is_name(name: &str) -> bool {
    let mut parts = name.split(' ');
    let is_part = |part: &str| {
        let first = part.chars().next();
        let begins = first
            .is_some_and(|c| c.is_uppercase() || (c.is_alphabetic() && !c.is_ascii() && !c.is_lowercase()));
        begins && part.chars().all(|c| c.is_alphanumeric() || matches!(c, '.' | '-' | '\'' | '’'))
    };
    !name.is_empty() && name.split(' ').count() <= MAX_NAME_WORDS && parts.all(is_part)
}
