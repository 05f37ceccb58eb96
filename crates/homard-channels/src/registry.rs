//! The table of platforms. A new one is a folder and a line here.

use std::sync::LazyLock;

pub use homard_channel::{AccountParts as Parts, BuildError, ChannelEntry};
use homard_channel::{ChannelRegistry, defaults_schema};
use homard_config::ChannelSections;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::Value;

/// Every platform, in the order people are shown.
pub const ENTRIES: &[ChannelEntry] = &[crate::telegram::ENTRY, crate::irc::ENTRY];

/// The table, to be handed to those who only ask about platforms.
pub const REGISTRY: ChannelRegistry = ChannelRegistry::new(ENTRIES);

/// A platform by its name or alias.
#[must_use]
pub fn entry(name: &str) -> Option<&'static ChannelEntry> {
    REGISTRY.entry(name)
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

static SECTIONS: LazyLock<ChannelSections> = LazyLock::new(|| sections_of(REGISTRY));

/// What may stand in `channels`.
#[must_use]
pub fn sections() -> &'static ChannelSections {
    &SECTIONS
}

/// What may stand in `channels` where these platforms can be connected.
#[must_use]
pub fn sections_of(registry: ChannelRegistry) -> ChannelSections {
    let platforms = registry.entries().iter().map(|entry| (entry.id, entry.keys.schema()));
    ChannelSections { schemas: platforms.chain([("defaults", defaults_schema())]).collect(), inert: NOT_YET }
}

/// The schema of an adapter's own keys: what its section is checked against and its form is drawn from.
#[must_use]
pub fn own_schema<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    settings.into_generator().into_root_schema_for::<T>().to_value()
}

#[cfg(test)]
mod tests;
