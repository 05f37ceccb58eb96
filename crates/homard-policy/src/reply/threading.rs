//! Which of the messages an answer becomes is a reply to something.

use serde::{Deserialize, Serialize};

use super::ReplyTo;

/// When an answer is sent as a reply to the message it answers (`replyToMode`). A message the model names is honoured always.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ReplyToMode {
    #[default]
    Off,
    /// The first message of it.
    First,
    All,
    /// The first, and only if it answers several messages at once.
    Batched,
}

/// Hands out what each message of one answer is a reply to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Threader {
    mode: ReplyToMode,
    current: Option<String>,
    /// Whether a message has become a reply by the mode.
    threaded: bool,
}

impl Threader {
    /// For an answer to `current`, which stands for `merged` messages that came together.
    #[must_use]
    pub fn new(mode: ReplyToMode, current: Option<String>, merged: usize) -> Self {
        let mode = match mode {
            ReplyToMode::Batched if merged > 1 => ReplyToMode::First,
            ReplyToMode::Batched => ReplyToMode::Off,
            mode => mode,
        };
        Self { mode, current, threaded: false }
    }

    /// What part number `part` (from 0) of a payload replies to, given the model's wish for that payload.
    pub fn reply_to(&mut self, wish: &ReplyTo, part: usize) -> Option<String> {
        let begins = part == 0 || self.mode == ReplyToMode::All;
        let target = match wish {
            ReplyTo::Id(id) => begins.then(|| id.clone()),
            ReplyTo::Current => self.current.clone().filter(|_| begins),
            ReplyTo::None => match self.mode {
                ReplyToMode::Off | ReplyToMode::Batched => None,
                ReplyToMode::First if self.threaded => None,
                ReplyToMode::First | ReplyToMode::All => self.current.clone(),
            },
        };
        self.threaded |= target.is_some();
        target
    }
}
