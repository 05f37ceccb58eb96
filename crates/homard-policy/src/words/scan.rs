//! Directives and shortcuts anywhere in a text.
//!
//! A directive is a word of its own, outside fenced code. In a text with other words it counts only with an argument
//! it knows, so that people can write *about* `/think` without meaning it.

use super::levels::{Arg, Elevation, ExecOptions, ThinkingLevel, Thoughts, Took, Verbosity, take_queue};
use super::table::{Form, command};
use super::{Directive, Extent, Reading, slash_word};
use crate::queue::QueueOptions;

/// Parts of a model's name that say nothing about which one.
const VAGUE_PARTS: [&str; 12] = [
    "chat",
    "coder",
    "experimental",
    "flash",
    "instruct",
    "large",
    "latest",
    "preview",
    "small",
    "thinking",
    "turbo",
    "vision",
];
/// Shortest part of a model's name that names it.
const MIN_PART: usize = 5;

/// What was found, and what is left.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) directives: Vec<Directive>,
    pub(super) shortcuts: Vec<&'static str>,
    pub(super) text: String,
}

/// A word and where it stands.
#[derive(Debug, Clone, Copy)]
struct Word<'t> {
    text: &'t str,
    start: usize,
    end: usize,
}

/// A directive as it stands in a text.
struct Hit {
    directive: Directive,
    /// How many words it takes.
    words: usize,
}

/// Takes directives and shortcuts out of a text. `bare` is the text without our name in front.
pub(super) fn scan(text: &str, bare: &str, reading: &Reading<'_>) -> Found {
    if !text.contains('/') {
        return Found { text: text.to_owned(), ..Found::default() };
    }
    if let Some(alone) = alone(bare, reading) {
        return alone;
    }
    let words = words(text);
    let mut found = Found::default();
    let mut kept_from = 0;
    let mut at = 0;
    while let Some(word) = words.get(at) {
        let rest = words.get(at..).unwrap_or_default();
        let taken = match directive(rest, reading) {
            Some(hit) if is_settled(&hit.directive) && is_answered(&hit.directive, reading) => {
                found.directives.push(hit.directive);
                hit.words
            }
            _ => match shortcut(word.text, reading) {
                Some(name) => {
                    if !found.shortcuts.contains(&name) {
                        found.shortcuts.push(name);
                    }
                    1
                }
                None => 0,
            },
        };
        if taken == 0 {
            at = at.saturating_add(1);
            continue;
        }
        let end = words.get(at.saturating_add(taken).saturating_sub(1)).map_or(word.end, |last| last.end);
        keep(&mut found.text, text.get(kept_from..word.start).unwrap_or_default());
        kept_from = end;
        at = at.saturating_add(taken);
    }
    if kept_from == 0 && found.directives.is_empty() && found.shortcuts.is_empty() {
        found.text = text.to_owned();
        return found;
    }
    keep(&mut found.text, text.get(kept_from..).unwrap_or_default());
    found.text = found.text.trim().to_owned();
    found
}

/// A message of nothing but directives. Here one without an argument counts, because somebody asks; and one with a
/// word nobody knows, because somebody mistyped.
fn alone(bare: &str, reading: &Reading<'_>) -> Option<Found> {
    let words = words(bare);
    let mut directives = Vec::new();
    let mut rest = words.as_slice();
    while !rest.is_empty() {
        let hit = directive(rest, reading)?;
        let after = rest.get(hit.words..).unwrap_or_default();
        match (after, is_asked(&hit.directive)) {
            ([word], true) if directives.is_empty() && !word.text.starts_with('/') => {
                directives.push(unknown(&hit.directive, word.text));
                break;
            }
            _ => directives.push(hit.directive),
        }
        rest = after;
    }
    (!directives.is_empty()).then(|| Found { directives, ..Found::default() })
}

fn unknown(directive: &Directive, word: &str) -> Directive {
    let word = word.to_owned();
    match directive {
        Directive::Think(_) => Directive::Think(Arg::Unknown(word)),
        Directive::Verbose(_) => Directive::Verbose(Arg::Unknown(word)),
        Directive::Reasoning(_) => Directive::Reasoning(Arg::Unknown(word)),
        Directive::Elevated(_) => Directive::Elevated(Arg::Unknown(word)),
        Directive::Exec(_) => Directive::Exec(Arg::Unknown(word)),
        Directive::Queue(_) => Directive::Queue(Arg::Unknown(word)),
        // Which models there are is for others to say.
        Directive::Model(_) => Directive::Model(Arg::Is(word)),
    }
}

/// Joins what is kept, without leaving a gap where something was taken out.
fn keep(kept: &mut String, piece: &str) {
    if kept.ends_with(char::is_whitespace) || kept.is_empty() {
        kept.push_str(piece.trim_start_matches(' '));
    } else if piece.is_empty() || piece.starts_with(char::is_whitespace) {
        kept.push_str(piece);
    } else {
        kept.push(' ');
        kept.push_str(piece);
    }
}

/// Words outside fenced code.
fn words(text: &str) -> Vec<Word<'_>> {
    let mut words = Vec::new();
    let mut is_code = false;
    let mut offset: usize = 0;
    for line in text.split_inclusive('\n') {
        let start = offset;
        offset = offset.saturating_add(line.len());
        let is_fence = line.trim_start().starts_with("```") || line.trim_start().starts_with("~~~");
        if is_fence {
            is_code = !is_code;
        }
        if is_fence || is_code {
            // A word nobody takes keeps what stands around code from being read as one.
            words.push(Word { text: "", start, end: offset });
            continue;
        }
        let mut from = 0;
        while let Some(skipped) = line.get(from..).and_then(|rest| rest.find(|c: char| !c.is_whitespace())) {
            let begin = from.saturating_add(skipped);
            let rest = line.get(begin..).unwrap_or_default();
            let end = begin.saturating_add(rest.find(char::is_whitespace).unwrap_or(rest.len()));
            words.push(Word {
                text: line.get(begin..end).unwrap_or_default(),
                start: start.saturating_add(begin),
                end: start.saturating_add(end),
            });
            from = end;
        }
    }
    words
}

fn shortcut(word: &str, reading: &Reading<'_>) -> Option<&'static str> {
    if reading.extent == Extent::WholeMessage {
        return None;
    }
    let slash = slash_word(word, reading).filter(|slash| slash.rest.is_empty())?;
    command(&slash.name).filter(|command| command.form == Form::Shortcut).map(|command| command.name)
}

/// What is said behind a directive, whichever it is.
fn arg_of(directive: &Directive) -> Arg<()> {
    fn bare<T>(arg: &Arg<T>) -> Arg<()> {
        match arg {
            Arg::Asked => Arg::Asked,
            Arg::Is(_) => Arg::Is(()),
            Arg::Default => Arg::Default,
            Arg::Unknown(word) => Arg::Unknown(word.clone()),
        }
    }
    match directive {
        Directive::Think(arg) => bare(arg),
        Directive::Verbose(arg) => bare(arg),
        Directive::Reasoning(arg) => bare(arg),
        Directive::Elevated(arg) => bare(arg),
        Directive::Exec(arg) => bare(arg),
        Directive::Model(arg) => bare(arg),
        Directive::Queue(arg) => bare(arg),
    }
}

/// Whether a directive says something, so that it counts in a text.
fn is_settled(directive: &Directive) -> bool {
    matches!(arg_of(directive), Arg::Is(()) | Arg::Default)
}

/// Whether whoever wrote a directive into a text can be told what becomes of it. There is no sandbox to leave yet, and
/// operators are told nothing beside the answer: for them it stays in the text.
fn is_answered(directive: &Directive, reading: &Reading<'_>) -> bool {
    reading.extent != Extent::WholeMessage || !matches!(directive, Directive::Elevated(_))
}

fn is_asked(directive: &Directive) -> bool {
    arg_of(directive) == Arg::Asked
}

/// The directive a list of words begins with.
fn directive(words: &[Word<'_>], reading: &Reading<'_>) -> Option<Hit> {
    let (first, after) = words.split_first()?;
    let slash = slash_word(first.text, reading)?;
    // `/think:high` is one word with its argument inside.
    let inner = (!slash.rest.is_empty()).then_some(slash.rest);
    let args: Vec<&str> = inner.into_iter().chain(after.iter().map(|word| word.text)).collect();
    let own = usize::from(inner.is_none());
    let is_alias = reading.aliases.iter().any(|alias| alias.eq_ignore_ascii_case(&slash.name));
    let name = match command(&slash.name).filter(|command| command.form == Form::Directive) {
        Some(command) => command.name,
        None if is_alias && command(&slash.name).is_none() && inner.is_none() => {
            return Some(Hit { directive: Directive::Model(Arg::Is(slash.name)), words: 1 });
        }
        None => return None,
    };
    let (directive, taken) = match name {
        "think" => {
            let (arg, taken) = think(&args);
            (Directive::Think(arg), taken)
        }
        "verbose" => level(&args, Verbosity::parse, Directive::Verbose),
        "reasoning" => level(&args, Thoughts::parse, Directive::Reasoning),
        "elevated" => level(&args, Elevation::parse, Directive::Elevated),
        "exec" => exec(&args),
        "model" => model(&args, reading),
        _ => queue(&args),
    };
    // Something behind a colon that was not taken means that this is another word.
    if inner.is_some() && taken == 0 {
        return None;
    }
    Some(Hit { directive, words: own.saturating_add(taken) })
}

fn level<T>(
    args: &[&str],
    parse: fn(&str) -> Option<T>,
    make: fn(Arg<T>) -> Directive,
) -> (Directive, usize) {
    match args.first() {
        Some(word) if is_default(word) => (make(Arg::Default), 1),
        Some(word) => parse(word).map_or_else(|| (make(Arg::Asked), 0), |level| (make(Arg::Is(level)), 1)),
        None => (make(Arg::Asked), 0),
    }
}

fn is_default(word: &str) -> bool {
    ["default", "inherit", "reset"].iter().any(|known| known.eq_ignore_ascii_case(word))
}

fn think(args: &[&str]) -> (Arg<ThinkingLevel>, usize) {
    let is_word = |word: &str| word.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_');
    match args {
        [] => (Arg::Asked, 0),
        [first, ..] if is_default(first) => (Arg::Default, 1),
        [first, second, ..]
            if ["extra", "x"].iter().any(|extra| extra.eq_ignore_ascii_case(first))
                && second.eq_ignore_ascii_case("high") =>
        {
            (Arg::Is(ThinkingLevel::XHigh), 2)
        }
        [first, ..] if is_word(first) => {
            ThinkingLevel::parse(first).map_or((Arg::Asked, 0), |level| (Arg::Is(level), 1))
        }
        [_, ..] => (Arg::Asked, 0),
    }
}

fn exec(args: &[&str]) -> (Directive, usize) {
    if args.first().is_some_and(|word| is_default(word)) {
        return (Directive::Exec(Arg::Default), 1);
    }
    let mut wish = ExecOptions::default();
    let mut taken = 0_usize;
    for word in args {
        match wish.take(word) {
            Took::It => taken = taken.saturating_add(1),
            Took::Nothing => break,
            Took::Offence => {
                return (Directive::Exec(Arg::Unknown((*word).to_owned())), taken.saturating_add(1));
            }
        }
    }
    let arg = if wish.is_empty() { Arg::Asked } else { Arg::Is(wish) };
    (Directive::Exec(arg), taken)
}

fn queue(args: &[&str]) -> (Directive, usize) {
    if args.first().is_some_and(|word| is_default(word)) {
        return (Directive::Queue(Arg::Default), 1);
    }
    let mut wish = QueueOptions::default();
    let taken = args.iter().take_while(|word| take_queue(&mut wish, word)).count();
    let arg = if wish.is_empty() { Arg::Asked } else { Arg::Is(wish) };
    (Directive::Queue(arg), taken)
}

fn model(args: &[&str], reading: &Reading<'_>) -> (Directive, usize) {
    match args.first() {
        Some(word) if is_default(word) => (Directive::Model(Arg::Default), 1),
        Some(word) if args.len() == 1 && word.eq_ignore_ascii_case("status") => {
            (Directive::Model(Arg::Asked), 1)
        }
        Some(word) if is_model(word, reading) => (Directive::Model(Arg::Is((*word).to_owned())), 1),
        _ => (Directive::Model(Arg::Asked), 0),
    }
}

/// Whether a word names a model: a short name, a whole name, the beginning of one, or a telling part of one. A
/// profile may follow (`name@profile`).
pub(super) fn is_model(word: &str, reading: &Reading<'_>) -> bool {
    let name = word.split('@').next().unwrap_or(word).to_lowercase();
    if name.is_empty() {
        return false;
    }
    if reading.aliases.iter().any(|alias| alias.eq_ignore_ascii_case(&name)) {
        return true;
    }
    reading.models.iter().any(|model| {
        let whole = model.to_lowercase();
        let id = whole.split_once('/').map_or(whole.as_str(), |(_, id)| id);
        let is_beginning =
            name.contains('-') && id.strip_prefix(&name).is_some_and(|rest| rest.starts_with('-'));
        let is_part = name.len() >= MIN_PART
            && name.chars().all(char::is_alphabetic)
            && !VAGUE_PARTS.contains(&name.as_str())
            && id.split(['-', '/', ':', '.']).any(|part| part == name);
        name == whole || name == id || is_beginning || is_part
    })
}
