//! What a word is: how texts are put into the index, how a question is asked of it, what is shown of a hit.

/// Most words and phrases of one question; the rest is not looked at.
const MAX_TERMS: usize = 24;
/// Characters a word has at least that may be the beginning of one, where there are others.
const MIN_BEGINNING: usize = 5;
/// Characters shown before the first word found.
const BEFORE: usize = 60;
/// Characters shown in all.
const SHOWN: usize = 200;

/// A text as the index reads it. Scripts that write no spaces are taken apart into characters, so that a word
/// is found in the middle of a sentence.
pub(super) fn spaced(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if is_unspaced(c) {
            out.extend([' ', c, ' ']);
        } else {
            out.push(c);
        }
    }
    out
}

/// Whether a character is of a script that writes no spaces between words.
fn is_unspaced(c: char) -> bool {
    matches!(u32::from(c),
        0x0E00..=0x0EFF // Thai, Lao
        | 0x1000..=0x109F // Burmese
        | 0x1780..=0x17FF // Khmer
        | 0x3040..=0x30FF // Hiragana, Katakana
        | 0x31F0..=0x31FF
        | 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xF900..=0xFAFF // Han
        | 0x20000..=0x3FFFF)
}

/// One thing looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Term {
    text: String,
    is_phrase: bool,
}

/// The words and `"phrases"` of a question.
fn terms(question: &str) -> Vec<Term> {
    let mut terms = Vec::new();
    for (number, part) in question.split('"').enumerate() {
        let is_phrase = number % 2 == 1;
        let words = if is_phrase { vec![part] } else { part.split_whitespace().collect() };
        let meant = words.into_iter().filter(|word| word.chars().any(char::is_alphanumeric));
        terms.extend(meant.map(|word| Term { text: word.to_owned(), is_phrase }));
    }
    terms.truncate(MAX_TERMS);
    terms
}

/// The question in the index's own language; `None` when nothing is asked. Some of the words are enough: whoever asks
/// rarely knows which were used. Quotes make every word harmless. A word may be the beginning of one, unless it is so short
/// that half of all words begin with it and there are others.
pub(super) fn expression(question: &str) -> Option<String> {
    let terms = terms(question);
    let is_alone = terms.len() == 1;
    let ask = |term: &Term| {
        let is_long = is_alone || term.text.chars().count() >= MIN_BEGINNING;
        let is_whole = !is_long || term.is_phrase || term.text.chars().any(is_unspaced);
        let text: String = spaced(&term.text).chars().map(|c| if c == '\0' { ' ' } else { c }).collect();
        format!("\"{text}\"{}", if is_whole { "" } else { "*" })
    };
    (!terms.is_empty()).then(|| terms.iter().map(ask).collect::<Vec<_>>().join(" OR "))
}

/// What to look for in a text that was found: the words in small letters.
pub(super) fn needles(question: &str) -> Vec<String> {
    let words = terms(question).into_iter().flat_map(|term| {
        let parts = term.text.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase);
        parts.filter(|part| !part.is_empty()).collect::<Vec<_>>()
    });
    words.collect()
}

/// The words around the first one found, on one line.
pub(super) fn snippet(text: &str, needles: &[String]) -> String {
    let line: Vec<char> = text.split_whitespace().collect::<Vec<_>>().join(" ").chars().collect();
    let at = needles.iter().filter_map(|needle| position(&line, needle)).min().unwrap_or(0);
    let from = at.saturating_sub(BEFORE);
    // Not in the middle of a word, if one begins soon.
    let from = match line.get(from..at).and_then(|run| run.iter().position(|c| *c == ' ')) {
        Some(space) if from > 0 => from + space + 1,
        _ => from,
    };
    let shown: String = line.iter().skip(from).take(SHOWN).collect();
    let begins = if from > 0 { "…" } else { "" };
    let ends = if line.len() > from + SHOWN { "…" } else { "" };
    format!("{begins}{shown}{ends}")
}

/// Where a word begins in a line, whatever the case; at the beginning of a word if it stands there anywhere.
fn position(line: &[char], needle: &str) -> Option<usize> {
    let begins_here = |at: usize| {
        let mut rest = line.get(at..).unwrap_or_default().iter().flat_map(|c| c.to_lowercase());
        needle.chars().all(|wanted| rest.next() == Some(wanted))
    };
    let begins_word = |at: usize| {
        at.checked_sub(1).and_then(|before| line.get(before)).is_none_or(|c| !c.is_alphanumeric())
    };
    let found: Vec<usize> = (0..line.len()).filter(|at| begins_here(*at)).collect();
    found.iter().copied().find(|at| begins_word(*at)).or(found.first().copied())
}

#[cfg(test)]
mod tests;
