//! The table of platforms. A new one is a folder and a line here.

use homard_channel::ChannelRegistry;
pub use homard_channel::{AccountParts as Parts, BuildError, ChannelEntry};

/// Every platform, in the order people are shown.
pub const ENTRIES: &[ChannelEntry] = &[crate::telegram::ENTRY, crate::irc::ENTRY];

/// The table, to be handed to those who only ask about platforms.
pub const REGISTRY: ChannelRegistry = ChannelRegistry::new(ENTRIES);

/// A platform by its name or alias.
#[must_use]
pub fn entry(name: &str) -> Option<&'static ChannelEntry> {
    REGISTRY.entry(name)
}
