//! Hiding secrets in text that comes in pieces.

use super::{HIDDEN, Redactor};

/// Passes text on without secrets. What might be the beginning of one is held back until the next piece shows
/// whether it is; everything else goes on at once.
#[derive(Debug)]
pub struct HidingStream {
    redactor: Redactor,
    held: String,
}

impl HidingStream {
    pub(super) fn new(redactor: Redactor) -> Self {
        Self { redactor, held: String::new() }
    }

    /// Takes the next piece; answers what may go on.
    pub fn push(&mut self, piece: &str) -> String {
        let Some(finder) = self.redactor.finder() else {
            let mut all = std::mem::take(&mut self.held);
            all.push_str(piece);
            return all;
        };
        let mut text = std::mem::take(&mut self.held);
        text.push_str(piece);
        let mut out = String::with_capacity(text.len());
        let mut rest = text.as_str();
        loop {
            let hold = finder.unfinished(rest);
            match finder.machine.find(rest).filter(|found| found.start() < hold) {
                Some(found) => {
                    out.push_str(rest.get(..found.start()).unwrap_or_default());
                    out.push_str(HIDDEN);
                    rest = rest.get(found.end()..).unwrap_or_default();
                }
                None => {
                    let (go, held) = rest.split_at(hold);
                    out.push_str(go);
                    self.held = held.to_owned();
                    return out;
                }
            }
        }
    }

    /// What is left when nothing more comes.
    #[must_use]
    pub fn finish(self) -> String {
        self.redactor.hide(&self.held).into_owned()
    }
}

impl super::Finder {
    /// Where the end of a text begins that may be the beginning of a secret; its length when there is none.
    fn unfinished(&self, text: &str) -> usize {
        let from = text.len().saturating_sub(self.longest);
        let mut starts = text.char_indices().map(|(at, _)| at).filter(|at| *at >= from);
        starts.find(|at| self.begins_longer(text.get(*at..).unwrap_or_default())).unwrap_or(text.len())
    }

    /// Whether a secret begins with this and has more.
    fn begins_longer(&self, text: &str) -> bool {
        let after = self.spellings.partition_point(|spelling| spelling.as_str() <= text);
        self.spellings.get(after).is_some_and(|spelling| spelling.starts_with(text))
    }
}
