//! Noticing that a model says the same over and over.
//!
//! Small models fall into loops that end only with their answer limit, or never. What is looked for is exact: the
//! last so many bytes are one piece repeated, for longer than anybody means it. Honest answers repeat too (tables,
//! rules, zeroes, a sentence a hundred times), so words may go on for pages, and what carries no words for longer.

/// How much of the end is looked at for a piece that repeats, in bytes.
const TAIL: usize = 2_048;
/// How many bytes come between two looks.
const LOOK_EVERY: usize = 1_024;
/// How long the copies must be together before they are watched, in bytes.
const FIRST_LENGTH: usize = 256;
/// How much of the end must have come before for a look to be worth it, in bytes.
const ECHO: usize = 16;
/// How often a piece must have come before it is watched.
const FIRST_REPEATS: usize = 4;
/// How long a repetition of words may be, in bytes: about a thousand tokens.
const WORDS_LIMIT: usize = 4_000;
/// How often a long piece may be repeated.
const MAX_REPEATS: usize = 8;
/// How long a repetition of anything else may be, in bytes: rules, zeroes, drawings, encoded data.
const SIGNS_LIMIT: usize = 16_384;
/// How long nothing but white space may be, in bytes.
const BLANK_LIMIT: usize = 4_000;
/// Letters that make numbers rather than words.
const DIGIT_LETTERS: &str = "abcdefx";
/// Different letters a piece must have to be words.
const MIN_LETTERS: usize = 2;

/// Reads a stream and remembers its end.
#[derive(Debug, Default)]
pub(crate) struct Repetition {
    tail: Vec<u8>,
    since_look: usize,
    run: Option<Run>,
}

#[derive(Debug)]
struct Run {
    period: usize,
    length: usize,
    limit: usize,
}

/// A repetition that went too far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Repeated {
    /// Bytes of the piece that repeats.
    pub(crate) period: usize,
    /// Bytes all its copies have together, the newest at the end of what was read.
    pub(crate) length: usize,
    /// Bytes of what was handed over last that came after the limit was met.
    pub(crate) after: usize,
}

impl Repetition {
    /// Reads on; tells when the end has become nothing but repetition.
    pub(crate) fn push(&mut self, text: &str) -> Option<Repeated> {
        let mut rest = text.as_bytes();
        while !rest.is_empty() {
            // Looks come at the same places however a text is cut.
            let (now, later) = rest.split_at(rest.len().min(LOOK_EVERY - self.since_look));
            rest = later;
            self.tail.extend_from_slice(now);
            self.since_look += now.len();
            if let Some(told) = self.follow(now.len()) {
                return Some(Repeated { after: told.after + rest.len(), ..told });
            }
            if self.since_look >= LOOK_EVERY {
                self.since_look = 0;
                if self.run.is_none() {
                    self.look();
                }
            }
            if self.tail.len() >= 2 * TAIL {
                self.tail.drain(..TAIL);
            }
        }
        None
    }

    /// The run goes on with the newest bytes, meets its limit, or is over.
    fn follow(&mut self, added: usize) -> Option<Repeated> {
        let run = self.run.as_mut()?;
        let start = self.tail.len() - added;
        let newest = self.tail.get(start..).unwrap_or_default();
        let before = self.tail.get(start.saturating_sub(run.period)..).unwrap_or_default();
        let same = newest.iter().zip(before).take_while(|(new, old)| new == old).count();
        let missing = run.limit.saturating_sub(run.length);
        if same >= missing {
            return Some(Repeated { period: run.period, length: run.limit, after: added - missing });
        }
        run.length += same;
        if same < added {
            self.run = None;
        }
        None
    }

    /// Looks for a piece that the tail ends with several copies of.
    fn look(&mut self) {
        let from = self.tail.len().saturating_sub(TAIL);
        let tail = self.tail.get(from..).unwrap_or_default();
        if !has_echo(tail) {
            return;
        }
        let Some((period, length)) = repeated_end(tail) else { return };
        // Two copies, so that a piece cut inside a letter shows all its letters.
        let shown = tail.get(tail.len().saturating_sub(2 * period)..).unwrap_or_default();
        let limit = limit(&String::from_utf8_lossy(shown), period);
        self.run = Some(Run { period, length, limit });
    }
}

/// Whether the very end of `tail` stands in it once more: what repeats does, and most texts do not.
fn has_echo(tail: &[u8]) -> bool {
    let Some(end) = tail.len().checked_sub(ECHO) else { return false };
    let from = end.saturating_sub(TAIL / FIRST_REPEATS);
    let (before, echo) =
        (tail.get(from..tail.len() - 1).unwrap_or_default(), tail.get(end..).unwrap_or_default());
    before.windows(ECHO).any(|piece| piece == echo)
}

/// The longest end of `tail` that is one piece [`FIRST_REPEATS`] times or more: the piece's length and the end's.
fn repeated_end(tail: &[u8]) -> Option<(usize, usize)> {
    let reversed: Vec<u8> = tail.iter().rev().copied().collect();
    // For each beginning of the reversed tail, the longest proper part that both begins and ends it.
    let mut borders = vec![0_usize; reversed.len()];
    let mut found = None;
    let mut border = 0_usize;
    for at in 1..reversed.len() {
        let byte = reversed.get(at)?;
        while border > 0 && reversed.get(border)? != byte {
            border = *borders.get(border - 1)?;
        }
        if reversed.get(border)? == byte {
            border += 1;
        }
        *borders.get_mut(at)? = border;
        let (length, period) = (at + 1, at + 1 - border);
        if period * FIRST_REPEATS <= length && length >= FIRST_LENGTH {
            found = Some((period, length));
        }
    }
    found
}

/// How long copies of a piece may go on.
fn limit(piece: &str, period: usize) -> usize {
    if piece.chars().all(char::is_whitespace) {
        return BLANK_LIMIT;
    }
    if is_words(piece) { WORDS_LIMIT.max(period * MAX_REPEATS) } else { SIGNS_LIMIT }
}

/// Whether a piece has words: letters that are no digits, with something between them where the script does that.
fn is_words(piece: &str) -> bool {
    let mut letters: Vec<char> = Vec::new();
    let counts = |c: &char| {
        c.is_alphabetic()
            && *c != char::REPLACEMENT_CHARACTER
            && !DIGIT_LETTERS.contains(c.to_ascii_lowercase())
    };
    for letter in piece.chars().filter(counts).flat_map(char::to_lowercase) {
        if !letters.contains(&letter) {
            letters.push(letter);
        }
    }
    let is_plain = letters.iter().all(char::is_ascii);
    let parted = piece.chars().any(|c| c.is_whitespace() || ",.;:!?".contains(c));
    letters.len() >= MIN_LETTERS && (parted || !is_plain)
}

#[cfg(test)]
mod tests;
