//! The chat platforms Homard knows, one folder each, and the table that names them.

mod irc;
mod registry;
mod telegram;

pub use registry::{
    BuildError, ChannelEntry, ENTRIES, Parts, REGISTRY, entry, own_schema, sections, sections_of,
};
