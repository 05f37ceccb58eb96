//! The words people use for levels.

use std::time::Duration;

use crate::queue::{QueueDrop, QueueMode, QueueOptions};

pub use homard_llm::ThinkingLevel;

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

/// How much is told of tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verbosity {
    Off,
    /// That they are used.
    On,
    /// What they answered as well.
    Full,
}

impl Verbosity {
    /// Reads one of the words people use.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Some(match word.trim().to_lowercase().as_str() {
            "off" | "false" | "no" | "0" => Self::Off,
            "on" | "true" | "yes" | "1" | "minimal" => Self::On,
            "full" | "all" | "everything" => Self::Full,
            _ => return None,
        })
    }

    /// The word that is kept.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::On => "on",
            Self::Full => "full",
        }
    }
}

/// What is shown of the model's thoughts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Thoughts {
    Off,
    /// All, before the answer.
    On,
    /// All, while it thinks.
    Stream,
}

impl Thoughts {
    /// Reads one of the words people use.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Some(match word.trim().to_lowercase().as_str() {
            "off" | "false" | "no" | "0" | "hide" | "hidden" => Self::Off,
            "on" | "true" | "yes" | "1" | "show" | "visible" => Self::On,
            "stream" | "streaming" | "draft" | "live" => Self::Stream,
            _ => return None,
        })
    }

    /// The word that is kept.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::On => "on",
            Self::Stream => "stream",
        }
    }
}

/// Whether commands leave the sandbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Elevation {
    Off,
    /// They do, and the usual questions are asked.
    On,
    /// They do, and every one is asked about.
    Ask,
    /// They do, and nothing is asked.
    Full,
}

impl Elevation {
    /// Reads one of the words people use.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Some(match word.trim().to_lowercase().as_str() {
            "off" | "false" | "no" | "0" => Self::Off,
            "on" | "true" | "yes" | "1" => Self::On,
            "ask" | "prompt" | "approval" | "approve" => Self::Ask,
            "full" | "auto" | "auto-approve" | "autoapprove" => Self::Full,
            _ => return None,
        })
    }

    /// The word that is kept.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::On => "on",
            Self::Ask => "ask",
            Self::Full => "full",
        }
    }
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
    /// `sandbox`, `gateway` or `node`.
    pub host: Option<String>,
    /// `deny`, `allowlist` or `full`.
    pub security: Option<String>,
    /// `off`, `on-miss` or `always`.
    pub ask: Option<String>,
    pub node: Option<String>,
}

impl ExecOptions {
    /// Takes one `key=value`.
    pub(super) fn take(&mut self, word: &str) -> Took {
        let Some((key, value)) = word.split_once(['=', ':']) else { return Took::Nothing };
        let value = value.trim_matches(['"', '\'']);
        let lower = value.to_lowercase();
        let (known, place): (&[&str], &mut Option<String>) = match key.to_lowercase().as_str() {
            "host" => (&["sandbox", "gateway", "node"], &mut self.host),
            "security" => (&["deny", "allowlist", "full"], &mut self.security),
            "ask" => (&["off", "on-miss", "always"], &mut self.ask),
            "node" if !value.is_empty() => {
                self.node = Some(value.to_owned());
                return Took::It;
            }
            _ => return Took::Nothing,
        };
        if !known.contains(&lower.as_str()) {
            return Took::Offence;
        }
        *place = Some(lower);
        Took::It
    }

    /// Whether nothing was said.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
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
