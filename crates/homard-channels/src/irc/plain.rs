//! Text between people and IRC: control codes taken out, our nick found, long texts cut into lines.

use super::casemap::CaseMapping;

/// Begins and ends a message between programs.
const CTCP: char = '\u{1}';
/// Colour by number, and by hexadecimal digits.
const COLOUR: char = '\u{3}';
const HEX_COLOUR: char = '\u{4}';
/// Bold, end of formatting, monospace, reverse, italics, strike-through, underline: what may stay in formatted text.
const FORMATS: [char; 8] = ['\u{2}', COLOUR, '\u{f}', '\u{11}', '\u{16}', '\u{1d}', '\u{1e}', '\u{1f}'];

/// What a message between programs says: the verb and the rest. `None` for what a person says.
pub(super) fn ctcp(text: &str) -> Option<(&str, &str)> {
    let inside = text.strip_prefix(CTCP)?;
    let inside = inside.strip_suffix(CTCP).unwrap_or(inside);
    Some(inside.split_once(' ').unwrap_or((inside, "")))
}

/// Takes out everything that is not text: formatting with its parameters, and control characters.
pub(super) fn without_codes(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(letter) = rest.next() {
        match letter {
            COLOUR => skip_colour(&mut rest, 2, |c| c.is_ascii_digit()),
            HEX_COLOUR => skip_colour(&mut rest, 6, |c| c.is_ascii_hexdigit()),
            '\t' => out.push(' '),
            letter if letter.is_control() => {}
            letter => out.push(letter),
        }
    }
    out.trim().to_owned()
}

/// Passes over `n` or `n,m`; a comma without a second number is text.
fn skip_colour(
    rest: &mut std::iter::Peekable<std::str::Chars<'_>>,
    digits: usize,
    is_digit: fn(&char) -> bool,
) {
    let mut first = 0;
    while first < digits && rest.next_if(is_digit).is_some() {
        first += 1;
    }
    let mut ahead = rest.clone();
    if first > 0 && ahead.next() == Some(',') && ahead.peek().is_some_and(is_digit) {
        rest.next();
        let mut second = 0;
        while second < digits && rest.next_if(is_digit).is_some() {
            second += 1;
        }
    }
}

/// Whether a letter may stand in a nick, or in a word of any language.
fn in_a_word(letter: char) -> bool {
    letter.is_alphanumeric() || "[]\\`_^{|}-".contains(letter)
}

/// Whether `nick` stands in `text` as a word of its own.
pub(super) fn mentions(text: &str, nick: &str, mapping: CaseMapping) -> bool {
    if nick.is_empty() {
        return false;
    }
    let (text, nick) = (mapping.fold(text), mapping.fold(nick));
    text.match_indices(&nick).any(|(at, found)| {
        let before = text.get(..at).and_then(|text| text.chars().next_back());
        let after = text.get(at + found.len()..).and_then(|text| text.chars().next());
        !before.is_some_and(in_a_word) && !after.is_some_and(in_a_word)
    })
}

/// The text without our nick and a colon or comma before it: `homard: /status` is `/status`.
pub(super) fn without_address<'a>(text: &'a str, nick: &str, mapping: CaseMapping) -> &'a str {
    let addressed = || {
        let bare = text.strip_prefix('@').unwrap_or(text);
        let head = bare.get(..nick.len()).filter(|head| !nick.is_empty() && mapping.same(head, nick))?;
        let rest = bare.get(head.len()..)?.strip_prefix([':', ','])?;
        Some(rest.trim_start()).filter(|rest| !rest.is_empty())
    };
    addressed().unwrap_or(text)
}

/// Cuts text into what can be sent: one line each, at most `budget` bytes, without control characters but those
/// that format, and those only when `formatted`. Lines are cut at a space where one stands in their second half.
pub(super) fn lines_of(text: &str, budget: usize, formatted: bool) -> Vec<String> {
    let allowed = |letter: &char| !letter.is_control() || (formatted && FORMATS.contains(letter));
    let mut lines = Vec::new();
    for line in text.split(['\n', '\r']) {
        let line: String =
            line.chars().map(|c| if c == '\t' { ' ' } else { c }).filter(|c| allowed(c)).collect();
        let mut rest = line.trim_end();
        while !rest.trim().is_empty() {
            let (piece, after) = cut(rest, budget.max(1));
            lines.push(piece.trim_end().to_owned());
            rest = after;
        }
    }
    lines.retain(|line| !line.is_empty());
    lines
}

fn cut(text: &str, budget: usize) -> (&str, &str) {
    if text.len() <= budget {
        return (text, "");
    }
    // A letter longer than the budget goes out whole rather than never.
    let first = text.chars().next().map_or(1, char::len_utf8);
    let end = (first..=budget.max(first)).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
    let head = text.get(..end).unwrap_or(text);
    // The line may end right where a space stands.
    let next_is_space = text.get(end..).is_some_and(|rest| rest.starts_with(' '));
    let space = if next_is_space { Some(end) } else { head.rfind(' ') };
    match space.filter(|at| at * 2 >= end) {
        Some(at) => (text.get(..at).unwrap_or(text), text.get(at + 1..).unwrap_or_default()),
        None => (head, text.get(end..).unwrap_or_default()),
    }
}

#[cfg(test)]
mod tests;
