//! Long texts come in pieces: the app cuts what somebody pastes, and the pieces belong together.

use std::collections::HashMap;

/// Shorter texts were not cut.
const CUT_FROM: usize = 4_000;
/// Pieces come at once.
const GAP_MS: i64 = 1_500;
const MOST_PARTS: usize = 12;
const MOST_CHARS: usize = 50_000;
/// Conversations with an unfinished text that are remembered.
const MOST_OPEN: usize = 1_000;

/// Chat, sender and topic.
pub(super) type Speaker = (i64, i64, i64);

struct Series {
    first: i64,
    last: i64,
    at: i64,
    parts: usize,
    chars: usize,
}

/// Texts that may go on.
#[derive(Default)]
pub(super) struct Fragments {
    open: HashMap<Speaker, Series>,
}

impl Fragments {
    /// The word this piece shares with the others, if it is one. Texts only: files break a series.
    pub(super) fn part_of(
        &mut self,
        speaker: Speaker,
        message: i64,
        chars: usize,
        now: i64,
    ) -> Option<String> {
        let is_cut = chars >= CUT_FROM;
        if let Some(series) = self.open.remove(&speaker)
            && message == series.last + 1
            && now.saturating_sub(series.at) <= GAP_MS
            && series.parts < MOST_PARTS
            && series.chars.saturating_add(chars) <= MOST_CHARS
        {
            let word = word(&speaker, series.first);
            if is_cut {
                let parts = series.parts + 1;
                let chars = series.chars + chars;
                self.open.insert(speaker, Series { last: message, at: now, parts, chars, ..series });
            }
            return Some(word);
        }
        if !is_cut {
            return None;
        }
        if self.open.len() >= MOST_OPEN {
            self.open.retain(|_, series| now.saturating_sub(series.at) <= GAP_MS);
        }
        if self.open.len() < MOST_OPEN {
            self.open.insert(speaker, Series { first: message, last: message, at: now, parts: 1, chars });
        }
        Some(word(&speaker, message))
    }
}

fn word(speaker: &Speaker, first: i64) -> String {
    format!("text:{}:{first}", speaker.1)
}

#[cfg(test)]
mod tests;
