//! The words people use for levels.

use std::time::Duration;

use crate::queue::{QueueDrop, QueueMode, QueueOptions};

pub use homard_protocol::ThinkingLevel;
pub use homard_protocol::session_words::{Elevation, ExecAsk, ExecHost, ExecSecurity, Thoughts, Verbosity};

/// What follows a directive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Arg<T> {
    /// Nothing: somebody asks how it is.
    Asked,
    Is(T),
    /// What is usual is wanted again.
    Default,
    /// A word nobody knows.
    Unknown(String),
}

/// What became of a word behind a directive.
pub(super) enum Took {
    It,
    /// It is no word of this directive.
    Nothing,
    /// It is one, with a value nobody knows.
    Offence,
}

/// Where commands run, as `/exec` says it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ExecOptions {
    pub host: Option<ExecHost>,
    pub security: Option<ExecSecurity>,
    pub ask: Option<ExecAsk>,
    pub node: Option<String>,
}

impl ExecOptions {
    /// Takes one `key=value`.
    pub(super) fn take(&mut self, word: &str) -> Took {
        let Some((key, value)) = word.split_once(['=', ':']) else { return Took::Nothing };
        let value = value.trim_matches(['"', '\'']);
        let lower = value.to_lowercase();
        let known = match key.to_lowercase().as_str() {
            "host" => put(lower.parse().ok().filter(|host| *host != ExecHost::Auto), &mut self.host),
            "security" => put(lower.parse().ok(), &mut self.security),
            "ask" => put(lower.parse().ok(), &mut self.ask),
            "node" if !value.is_empty() => put(Some(value.to_owned()), &mut self.node),
            _ => return Took::Nothing,
        };
        if known { Took::It } else { Took::Offence }
    }

    /// Whether nothing was said.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

fn put<T>(value: Option<T>, place: &mut Option<T>) -> bool {
    let is_known = value.is_some();
    *place = value.or(place.take());
    is_known
}

/// Takes one word of `/queue` into a wish; `false` when it is none.
pub(super) fn take_queue(wish: &mut QueueOptions, word: &str) -> bool {
    if let Some((key, value)) = word.split_once([':', '=']) {
        let taken = match key.to_lowercase().as_str() {
            "debounce" => {
                wish.debounce = span(value);
                wish.debounce.is_some()
            }
            "cap" => {
                wish.cap = value.parse().ok().filter(|cap| *cap > 0);
                wish.cap.is_some()
            }
            "drop" => {
                wish.drop = QueueDrop::parse(value);
                wish.drop.is_some()
            }
            _ => false,
        };
        return taken;
    }
    match QueueMode::parse(word) {
        Some(mode) if wish.mode.is_none() => {
            wish.mode = Some(mode);
            true
        }
        _ => false,
    }
}

/// `2s`, `500ms`, `1m`, `1.5s`, or bare milliseconds.
fn span(text: &str) -> Option<Duration> {
    let text = text.trim().to_lowercase();
    let end = text.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let number: f64 = number.parse().ok()?;
    let ms = match unit.trim() {
        "" | "ms" => number,
        "s" | "sec" | "secs" => number * 1_000.0,
        "m" | "min" | "mins" => number * 60_000.0,
        "h" => number * 3_600_000.0,
        _ => return None,
    };
    Duration::try_from_secs_f64(ms / 1_000.0).ok()
}
