//! The end of a text of any length, in bounded memory.

use std::collections::VecDeque;

/// Keeps the last bytes of what was pushed and counts the rest.
#[derive(Debug)]
pub(crate) struct Tail {
    kept: VecDeque<u8>,
    limit: usize,
    total: u64,
}

impl Tail {
    /// Keeps at most `limit` bytes.
    pub(crate) fn new(limit: usize) -> Self {
        Self { kept: VecDeque::new(), limit, total: 0 }
    }

    /// Takes the next piece.
    pub(crate) fn push(&mut self, text: &str) {
        self.total += text.len() as u64;
        let (_, end) = text.as_bytes().split_at(text.len() - text.len().min(self.limit));
        let surplus = (self.kept.len() + end.len()).saturating_sub(self.limit);
        drop(self.kept.drain(..surplus));
        self.kept.extend(end);
    }

    /// How much was ever pushed.
    pub(crate) fn total(&self) -> u64 {
        self.total
    }

    /// What is kept, and how many bytes before it are not.
    pub(crate) fn text(&self) -> (String, u64) {
        // A cut may have left the end of a character at the front.
        let whole = self.kept.iter().skip_while(|byte| *byte & 0xC0 == 0x80);
        let bytes: Vec<u8> = whole.copied().collect();
        let dropped = self.total - bytes.len() as u64;
        (String::from_utf8_lossy(&bytes).into_owned(), dropped)
    }

    /// The same, and forgets it.
    pub(crate) fn take(&mut self) -> (String, u64) {
        let taken = self.text();
        *self = Self::new(self.limit);
        taken
    }
}

#[cfg(test)]
mod tests;
