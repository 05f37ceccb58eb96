//! `commands`: slash commands in chats, and who may use them.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::Value;

use crate::raw::session as raw;

const DEFAULT_BASH_FOREGROUND_MS: u64 = 2_000;
const MAX_BASH_FOREGROUND_MS: u64 = 30_000;
/// The entry of `commands.allowFrom` for platforms without one of their own.
const ANY_CHANNEL: &str = "*";

/// A switch the platform may decide.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Auto {
    /// On.
    On,
    /// Off.
    Off,
    /// On where the platform is made for it.
    #[default]
    Auto,
}

impl Auto {
    /// Reads `true`, `false` or anything else as "auto".
    #[must_use]
    pub fn read(value: Option<&Value>) -> Self {
        match value.and_then(Value::as_bool) {
            Some(true) => Self::On,
            Some(false) => Self::Off,
            None => Self::Auto,
        }
    }

    /// On or off, where `usual` is what the platform is made for.
    #[must_use]
    pub fn or(self, usual: bool) -> bool {
        match self {
            Self::On => true,
            Self::Off => false,
            Self::Auto => usual,
        }
    }
}

/// Decided `commands`, except for who the owner is ([`Owners`](super::owners::Owners)).
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the file with a name of its own")]
pub struct Commands {
    /// Whether commands are registered with the platform.
    pub native: Auto,
    /// Whether skills are.
    pub native_skills: Auto,
    /// Whether commands are read from plain text, where the platform has a menu of its own.
    pub text: bool,
    /// Whether `!` commands exist.
    pub bash: bool,
    /// How long they may run in the foreground.
    pub bash_foreground: Duration,
    /// Whether `/config` exists.
    pub config: bool,
    /// Whether `/debug` exists.
    pub debug: bool,
    /// Whether `/restart` exists.
    pub restart: bool,
    /// Whether access lists count for commands.
    pub use_access_groups: bool,
    allow_from: Option<BTreeMap<String, Vec<String>>>,
}

impl Commands {
    pub(super) fn resolve(raw: raw::Commands) -> Self {
        let foreground = raw.bash_foreground_ms.unwrap_or(DEFAULT_BASH_FOREGROUND_MS);
        let allow_from = raw.allow_from.map(|by_channel| {
            let lists = by_channel.into_iter();
            lists.map(|(channel, ids)| (channel.trim().to_lowercase(), texts(ids))).collect()
        });
        Self {
            native: Auto::read(raw.native.as_ref()),
            native_skills: Auto::read(raw.native_skills.as_ref()),
            text: raw.text.unwrap_or(true),
            bash: raw.bash.unwrap_or(false),
            bash_foreground: Duration::from_millis(foreground.min(MAX_BASH_FOREGROUND_MS)),
            config: raw.config.unwrap_or(false),
            debug: raw.debug.unwrap_or(false),
            restart: raw.restart.unwrap_or(false),
            use_access_groups: raw.use_access_groups.unwrap_or(true),
            allow_from,
        }
    }

    /// Who may use commands on a platform, where `commands.allowFrom` is written: it is then the only thing that
    /// counts, and a platform it does not name allows nobody.
    #[must_use]
    pub fn allow_from(&self, channel: &str) -> Option<&[String]> {
        let lists = self.allow_from.as_ref()?;
        let list = lists.get(&channel.to_lowercase()).or_else(|| lists.get(ANY_CHANNEL));
        Some(list.map_or(&[], Vec::as_slice))
    }
}

fn texts(ids: Vec<Value>) -> Vec<String> {
    let text = |id: Value| match id {
        Value::String(text) => Some(text),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    };
    let ids = ids.into_iter().filter_map(text).map(|id| id.trim().to_owned());
    ids.filter(|id| !id.is_empty()).collect()
}

#[cfg(test)]
mod tests;
