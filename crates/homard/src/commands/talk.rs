//! Commands that talk: to an agent, to people, about conversations.

pub(crate) mod agent;
pub(crate) mod agents;
pub(crate) mod directory;
pub(crate) mod message;
pub(crate) mod route;
pub(crate) mod sessions;
pub(crate) mod tasks;
pub(crate) mod tui;
pub(crate) mod undo;
pub(crate) mod usage;
