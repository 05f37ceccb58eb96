//! What a chat platform tells of itself, and the table of those there are. The table is filled above; who only asks
//! about platforms needs none of them to be built.

use std::path::PathBuf;

use homard_config::Environment;
use homard_protocol::{AccountId, ChannelId};
use homard_runtime::Clock;
use serde_json::Value;

use crate::channel::SharedChannel;
use crate::ingress::Ingress;
use crate::section::SectionKeys;

/// One platform.
#[derive(Clone, Copy)]
pub struct ChannelEntry {
    /// Its name in configuration and session keys.
    pub id: &'static str,
    /// Other names people use.
    pub aliases: &'static [&'static str],
    /// What people call it.
    pub label: &'static str,
    /// What it is, in a line.
    pub summary: &'static str,
    /// Keys of its section that hold credentials: what a logout clears.
    pub secrets: &'static [&'static str],
    /// The keys of its section beside those all platforms share.
    pub keys: SectionKeys,
    /// What a section says about an account that people want to see beside it: a label and a text, no secrets.
    pub details: fn(&Value) -> Vec<(&'static str, String)>,
    /// Whether a section (or the environment) says enough to start an account.
    pub is_configured: fn(&Value, &Environment) -> bool,
    /// Makes an account ready to listen.
    pub build: fn(AccountParts) -> Result<SharedChannel, BuildError>,
}

/// What an account is made of.
#[derive(Debug, Clone)]
pub struct AccountParts {
    pub channel: ChannelId,
    pub account: AccountId,
    /// The section, the account's own values laid over it.
    pub section: Value,
    /// Credentials that are looked up by name.
    pub env: Environment,
    /// Where the platform's own state may be kept.
    pub state_dir: PathBuf,
    /// Where the time comes from.
    pub clock: Clock,
    /// Commands for the platform's menu: name and description.
    pub commands: Vec<(String, String)>,
    /// Where platforms that bring messages may bring them.
    pub ingress: Ingress,
}

/// Why an account cannot be made ready.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    #[error("{0}")]
    Incomplete(String),
    /// A value cannot be used.
    #[error("`channels.{path}`: {problem}")]
    BadValue {
        path: String,
        /// What is wrong and what to write instead.
        problem: String,
    },
}

/// The platforms there are, in the order people are shown.
#[derive(Clone, Copy)]
pub struct ChannelRegistry {
    entries: &'static [ChannelEntry],
}

impl ChannelRegistry {
    /// These platforms.
    #[must_use]
    pub const fn new(entries: &'static [ChannelEntry]) -> Self {
        Self { entries }
    }

    /// All of them.
    #[must_use]
    pub const fn entries(self) -> &'static [ChannelEntry] {
        self.entries
    }

    /// A platform by its name or alias.
    #[must_use]
    pub fn entry(self, name: &str) -> Option<&'static ChannelEntry> {
        let name = name.trim().to_ascii_lowercase();
        self.entries.iter().find(|entry| entry.id == name || entry.aliases.contains(&name.as_str()))
    }
}
