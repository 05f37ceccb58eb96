//! What the demo understands: a small table from plain requests to intents. No text makes it panic.

use homard_runtime::Clip;

/// Longest fact the demo writes down, in characters.
const MAX_FACT: usize = 500;
/// Longest command the demo runs, in characters.
const MAX_COMMAND: usize = 500;

/// What a person wants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Intent {
    /// Look around the workspace.
    ListFiles,
    Run(String),
    /// Write this into MEMORY.md.
    Remember(String),
    Recall,
    Read(String),
    Tour,
    /// Get a real model.
    Configure,
    Greet,
    Thank,
    /// A scheduled check-in, to be answered with the agreed token.
    Heartbeat,
    Chat,
}

/// Phrases that ask for something, in lower case; found anywhere in the text, first match wins.
const PHRASES: &[(&str, Intent)] = &[
    ("heartbeat_ok", Intent::Heartbeat),
    ("what do you remember", Intent::Recall),
    ("what do you know about me", Intent::Recall),
    ("list the files", Intent::ListFiles),
    ("list files", Intent::ListFiles),
    ("list all files", Intent::ListFiles),
    ("list my files", Intent::ListFiles),
    ("show the files", Intent::ListFiles),
    ("show files", Intent::ListFiles),
    ("which files", Intent::ListFiles),
    ("what files", Intent::ListFiles),
    ("api key", Intent::Configure),
    ("apikey", Intent::Configure),
    ("real model", Intent::Configure),
    ("another model", Intent::Configure),
    ("configure", Intent::Configure),
    ("set up", Intent::Configure),
    ("setup", Intent::Configure),
    ("what can you do", Intent::Tour),
    ("who are you", Intent::Tour),
    ("what are you", Intent::Tour),
    ("what is homard", Intent::Tour),
    ("about homard", Intent::Tour),
    ("tour", Intent::Tour),
    ("help", Intent::Tour),
];

/// Words that open a sentence and say nothing.
const POLITE: &[&str] =
    &["please ", "can you ", "could you ", "would you ", "hey ", "hi, ", "now ", "ok ", "then "];
const REMEMBER: &[&str] = &["remember that ", "remember: ", "remember ", "note that ", "don't forget that "];
const RUN: &[&str] = &["run the command ", "run ", "execute ", "exec "];
const READ: &[&str] =
    &["read me ", "read the file ", "read ", "show me the file ", "show me ", "show ", "open ", "cat "];
const GREETINGS: &[&str] =
    &["hi", "hello", "hey", "hallo", "bonjour", "good morning", "good evening", "moin"];
const THANKS: &[&str] = &["thanks", "thank you", "thx", "merci", "danke"];

impl Intent {
    /// Reads what a person wrote.
    pub(super) fn of(text: &str) -> Self {
        let text = body(text);
        let plain = without_manners(text);
        if let Some(fact) =
            after_any(plain, REMEMBER).map(|fact| tidy(fact, MAX_FACT)).filter(|f| !f.is_empty())
        {
            return Self::Remember(fact);
        }
        if let Some(command) = after_any(plain, RUN).and_then(command) {
            return Self::Run(command);
        }
        if let Some(path) = after_any(plain, READ).and_then(path) {
            return Self::Read(path);
        }
        let lower = plain.to_lowercase();
        if lower.trim() == "ls" {
            return Self::ListFiles;
        }
        if let Some((_, intent)) = PHRASES.iter().find(|(phrase, _)| lower.contains(phrase)) {
            return intent.clone();
        }
        let word = lower.trim_matches(|c: char| !c.is_alphanumeric());
        match word {
            word if GREETINGS.iter().any(|greeting| begins(word, greeting)) => Self::Greet,
            word if THANKS.iter().any(|thanks| begins(word, thanks)) => Self::Thank,
            _ => Self::Chat,
        }
    }
}

/// The person's words without the time stamp or sender put in front of them.
pub(super) fn body(text: &str) -> &str {
    let text = text.trim();
    match text.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((stamp, rest)) if !stamp.contains('\n') && !rest.trim().is_empty() => rest.trim(),
        _ => text,
    }
}

fn without_manners(mut text: &str) -> &str {
    while let Some(rest) = after_any(text, POLITE) {
        text = rest;
    }
    text
}

/// What follows the first of `openings` the text begins with, in any case.
fn after_any<'a>(text: &'a str, openings: &[&str]) -> Option<&'a str> {
    openings.iter().find_map(|opening| {
        let start = text.get(..opening.len())?;
        start
            .eq_ignore_ascii_case(opening)
            .then(|| text.get(opening.len()..).unwrap_or_default().trim_start())
    })
}

fn begins(word: &str, with: &str) -> bool {
    word.strip_prefix(with).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
}

/// On one line, without the final full stop, no longer than `limit` characters.
fn tidy(text: &str, limit: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    line.trim_end_matches(['.', '!']).chars().filter(|c| !c.is_control()).take(limit).collect()
}

/// The text between the first pair of backticks.
fn quoted(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once('`')?;
    let (inner, _) = rest.split_once('`')?;
    Some(inner.trim()).filter(|inner| !inner.is_empty())
}

/// A command: in backticks, or one bare word of letters. Sentences that merely begin with "run" are no
/// commands.
fn command(rest: &str) -> Option<String> {
    if let Some(inner) = quoted(rest) {
        return Some(inner.clip_chars(MAX_COMMAND).to_owned());
    }
    let line = rest.trim().trim_end_matches(['.', '!', '?']);
    let word = line.split_whitespace().next()?;
    let bare = word.chars().all(|c| c.is_ascii_alphanumeric() || "-_/.".contains(c));
    (bare && line.split_whitespace().count() <= 3 && line.is_ascii())
        .then(|| line.clip_chars(MAX_COMMAND).to_owned())
}

/// A path: in backticks, or one bare word with a dot or a slash in it.
fn path(rest: &str) -> Option<String> {
    if let Some(inner) = quoted(rest) {
        return Some(inner.to_owned());
    }
    let mut words = rest.split_whitespace().filter(|word| !matches!(*word, "the" | "file" | "my"));
    let word = words.next()?.trim_end_matches(['.', ',', '!', '?', ':']);
    let named = word.contains('/') || word.split('.').filter(|part| !part.is_empty()).count() > 1;
    (named && words.next().is_none()).then(|| word.to_owned())
}

#[cfg(test)]
mod tests;
