//! How far a long work is, in one line that is written over.

use std::io::{self, IsTerminal as _, Write as _};

use homard_runtime::Clip as _;

use super::examination::width;

/// A line on standard error that says how far it is, where somebody watches.
pub(super) struct Meter {
    what: &'static str,
    is_seen: bool,
    /// What it showed last, in percent.
    shown: Option<u64>,
}

impl Meter {
    pub(super) fn new(what: &'static str, json: bool) -> Self {
        Self { what, is_seen: !json && io::stderr().is_terminal(), shown: None }
    }

    /// Shows how much is done, and of how much; nothing of nothing means that nobody knows yet.
    pub(super) fn show(&mut self, done: u64, all: u64) {
        let percent = (done.min(all) * 100).checked_div(all).unwrap_or(0);
        if !self.is_seen || self.shown == Some(percent) {
            return;
        }
        self.shown = Some(percent);
        let text = format!("{percent:>3} % {} of {}", self.what, size(all));
        let text = text.clip_chars(width().saturating_sub(1));
        drop(write!(io::stderr().lock(), "\r{text}"));
    }

    /// Takes the line away.
    pub(super) fn end(&mut self) {
        if self.is_seen && self.shown.is_some() {
            drop(write!(io::stderr().lock(), "\r\x1b[K"));
        }
    }
}

impl Drop for Meter {
    fn drop(&mut self) {
        self.end();
    }
}

/// A size as people write it.
pub(super) fn size(bytes: u64) -> String {
    const KB: u64 = 1024;
    match bytes {
        0..KB => format!("{bytes} B"),
        KB..0x10_0000 => format!("{} KB", bytes / KB),
        0x10_0000..0x4000_0000 => format!("{}.{} MB", bytes >> 20, ((bytes & 0xF_FFFF) * 10) >> 20),
        _ => format!("{}.{} GB", bytes >> 30, ((bytes & 0x3FFF_FFFF) * 10) >> 30),
    }
}
