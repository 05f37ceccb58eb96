//! The lines of a passage that are told: those around the one that fits best.

use homard_runtime::Clip as _;

use super::concepts::QueryConcept;
use crate::words;

/// Longest text that is told, in characters.
const MAX_CHARS: usize = 700;
/// Words that begin with the same so many letters are taken for forms of one.
const STEM_CHARS: usize = 5;

/// A passage, cut around its best place where it is longer than may be told, and how many lines stand before that place.
pub(super) fn cut(text: &str, question: &QueryConcept) -> (String, usize) {
    let centre = centre(text, question);
    let lines = text.get(..centre).map_or(0, |before| before.matches('\n').count());
    (around(text, centre), lines)
}

fn around(text: &str, centre: usize) -> String {
    let chars = text.chars().count();
    if chars <= MAX_CHARS {
        return text.to_owned();
    }
    let before = text.get(..centre).map_or(0, |before| before.chars().count());
    let from = before.saturating_sub(MAX_CHARS / 2).min(chars - MAX_CHARS);
    let mut told: String = text.chars().skip(from).take(MAX_CHARS).collect();
    // Whole lines read better, where not much is lost by it.
    if from > 0 {
        if let Some(end) = told.find('\n').filter(|end| *end < MAX_CHARS / 4) {
            told.drain(..=end);
        }
        told.insert(0, '…');
    }
    if from + MAX_CHARS < chars {
        if let Some(end) = told.rfind('\n').filter(|end| *end > told.len() * 3 / 4) {
            told.truncate(end);
        }
        told.push('…');
    }
    told
}

/// Where most of the question stands, in bytes.
fn centre(text: &str, question: &QueryConcept) -> usize {
    let asked: Vec<(String, f64)> =
        question.concepts.iter().map(|concept| (words::fold(&concept.word), concept.worth())).collect();
    let mut best = (0.0, 0);
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let mut worth = 0.0;
        let mut first = None;
        for span in words::spans(line) {
            let folded = words::fold(span.text);
            // Stems are prefixes most of the time.
            let is_like = |(word, _): &&(String, f64)| {
                let stem = word.clip_chars(STEM_CHARS);
                folded == *word
                    || (stem.chars().count() == STEM_CHARS && folded.starts_with(stem))
                    || (words::is_unspaced(stem.chars().next().unwrap_or('a'))
                        && folded.contains(word.as_str()))
            };
            if let Some((_, own)) = asked.iter().find(is_like) {
                worth += own;
                first.get_or_insert(span.at);
            }
        }
        if worth > best.0 {
            best = (worth, at + first.unwrap_or(0));
        }
        at += line.len();
    }
    best.1
}
