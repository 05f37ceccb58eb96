//! Keeping what a process wrote, within a bound: bytes become text as they arrive, the beginning and the end
//! stay, the middle is counted and dropped.

use std::collections::VecDeque;

/// Longest piece of a character that may be waiting for its rest.
const MAX_PENDING: usize = 3;

/// Turns bytes into text across any chunk boundary; what is not UTF-8 becomes U+FFFD.
#[derive(Debug, Default)]
pub(crate) struct Utf8Decoder {
    pending: Vec<u8>,
}

impl Utf8Decoder {
    /// The text that is certain after `bytes`; the start of an unfinished character waits for the next call.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> String {
        let mut all = std::mem::take(&mut self.pending);
        all.extend_from_slice(bytes);
        let certain = all.len() - unfinished_tail(&all);
        self.pending = all.split_off(certain);
        String::from_utf8_lossy(&all).into_owned()
    }

    /// What was still waiting when the bytes ended.
    pub(crate) fn finish(&mut self) -> String {
        String::from_utf8_lossy(&std::mem::take(&mut self.pending)).into_owned()
    }
}

/// How many bytes at the end are the beginning of a character whose rest may still come.
fn unfinished_tail(bytes: &[u8]) -> usize {
    (1..=MAX_PENDING.min(bytes.len()))
        .find(|&len| {
            let tail = bytes.get(bytes.len() - len..).unwrap_or_default();
            matches!(std::str::from_utf8(tail), Err(error) if error.valid_up_to() == 0 && error.error_len().is_none())
        })
        .unwrap_or(0)
}

/// The head and the tail of a text of any length, in bounded memory.
#[derive(Debug)]
pub(crate) struct Capture {
    head: String,
    head_limit: usize,
    head_is_full: bool,
    tail: VecDeque<u8>,
    tail_limit: usize,
    total: u64,
}

impl Capture {
    /// Keeps at most `limit` bytes, half from each end.
    pub(crate) fn new(limit: usize) -> Self {
        let head_limit = limit / 2;
        Self {
            head: String::new(),
            head_limit,
            head_is_full: false,
            tail: VecDeque::new(),
            tail_limit: limit - head_limit,
            total: 0,
        }
    }

    /// Takes the next piece.
    pub(crate) fn push(&mut self, text: &str) {
        self.total += text.len() as u64;
        let rest = if self.head_is_full { text } else { self.fill_head(text) };
        let keep = rest.len().min(self.tail_limit);
        let (_, end) = rest.as_bytes().split_at(rest.len() - keep);
        let surplus = (self.tail.len() + end.len()).saturating_sub(self.tail_limit);
        drop(self.tail.drain(..surplus));
        self.tail.extend(end);
    }

    fn fill_head<'t>(&mut self, text: &'t str) -> &'t str {
        let room = self.head_limit - self.head.len();
        let (fits, rest) = text.split_at(text.floor_char_boundary(room));
        self.head.push_str(fits);
        // Once a character did not fit, nothing after it may either, or the text would lose its order.
        self.head_is_full = !rest.is_empty();
        rest
    }

    /// The text with a marker where something is missing, and how many bytes are.
    pub(crate) fn finish(mut self) -> (String, u64) {
        let tail = self.tail.make_contiguous();
        // A cut may have left the end of a character at the front of the tail.
        let start = tail.iter().position(|byte| byte & 0xC0 != 0x80).unwrap_or(tail.len());
        let tail = String::from_utf8_lossy(tail.get(start..).unwrap_or_default());
        let dropped = self.total - (self.head.len() + tail.len()) as u64;
        if dropped == 0 {
            return (self.head + &tail, 0);
        }
        (format!("{}\n[... {dropped} bytes left out ...]\n{tail}", self.head), dropped)
    }
}

#[cfg(test)]
mod tests;
