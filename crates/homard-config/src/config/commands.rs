//! `commands`: which slash commands there are in chats.

pub mod owners;

use std::time::Duration;

use serde_json::Value;

use crate::raw::session as raw;

const DEFAULT_BASH_FOREGROUND_MS: u64 = 2_000;
const MAX_BASH_FOREGROUND_MS: u64 = 30_000;

/// Decided `commands`, except for who the owner is and who may use them ([`Owners`](self::owners::Owners)).
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the file with a name of its own")]
pub struct Commands {
    /// Whether commands are read from plain text, where the platform has a menu of its own.
    pub text: bool,
    /// Whether commands stand in a platform's own menu; `None` means where it has one.
    pub native: Option<bool>,
    /// Whether skills stand beside them.
    pub native_skills: Option<bool>,
    /// Whether `!` commands exist.
    pub bash: bool,
    /// How long they may run in the foreground.
    pub bash_foreground: Duration,
    pub config: bool,
    pub debug: bool,
    pub restart: bool,
}

impl Commands {
    pub(super) fn resolve(raw: &raw::Commands) -> Self {
        let foreground = raw.bash_foreground_ms.unwrap_or(DEFAULT_BASH_FOREGROUND_MS);
        Self {
            text: raw.text.unwrap_or(true),
            native: raw.native.as_ref().and_then(Value::as_bool),
            native_skills: raw.native_skills.as_ref().and_then(Value::as_bool),
            bash: raw.bash.unwrap_or(false),
            bash_foreground: Duration::from_millis(foreground.min(MAX_BASH_FOREGROUND_MS)),
            config: raw.config.unwrap_or(false),
            debug: raw.debug.unwrap_or(false),
            restart: raw.restart.unwrap_or(false),
        }
    }
}

#[cfg(test)]
mod tests;
