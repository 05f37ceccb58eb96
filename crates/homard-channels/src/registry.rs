//! The table of platforms. A new one is a folder and a line here.

use std::path::PathBuf;
use std::sync::LazyLock;

use homard_channel::{SectionKeys, SharedChannel, defaults_schema};
use homard_config::{ChannelSections, Environment};
use homard_protocol::{AccountId, ChannelId};
use homard_runtime::Clock;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::Value;

/// One platform.
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
    pub build: fn(Parts) -> Result<SharedChannel, BuildError>,
}

/// What an account is made of.
#[derive(Debug, Clone)]
pub struct Parts {
    /// The platform.
    pub channel: ChannelId,
    /// The account.
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
}

/// Why an account cannot be made ready.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// Something is missing.
    #[error("{0}")]
    Incomplete(String),
    /// A value cannot be used.
    #[error("`channels.{path}`: {problem}")]
    BadValue {
        /// Where.
        path: String,
        /// What is wrong and what to write instead.
        problem: String,
    },
}

/// Every platform, in the order people are shown.
pub const ENTRIES: &[ChannelEntry] = &[crate::telegram::ENTRY, crate::irc::ENTRY];

/// A platform by its name or alias.
#[must_use]
pub fn entry(name: &str) -> Option<&'static ChannelEntry> {
    let name = name.trim().to_ascii_lowercase();
    ENTRIES.iter().find(|entry| entry.id == name || entry.aliases.contains(&name.as_str()))
}

/// Platforms people may have written about elsewhere and that cannot be connected yet.
const NOT_YET: &[&str] = &[
    "bluebubbles",
    "discord",
    "feishu",
    "googlechat",
    "imessage",
    "line",
    "matrix",
    "mattermost",
    "msteams",
    "nextcloud-talk",
    "nostr",
    "signal",
    "slack",
    "tlon",
    "twitch",
    "whatsapp",
    "zalo",
    "zalouser",
];

static SECTIONS: LazyLock<ChannelSections> = LazyLock::new(|| {
    let platforms = ENTRIES.iter().map(|entry| (entry.id, entry.keys.schema()));
    ChannelSections { schemas: platforms.chain([("defaults", defaults_schema())]).collect(), inert: NOT_YET }
});

/// What may stand in `channels`.
#[must_use]
pub fn sections() -> &'static ChannelSections {
    &SECTIONS
}

/// The schema of an adapter's own keys.
pub(crate) fn own_schema<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    settings.into_generator().into_root_schema_for::<T>().to_value()
}

#[cfg(test)]
mod tests;
