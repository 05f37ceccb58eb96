//! Tools about other conversations and helpers.

pub(crate) mod agents_list;
pub(crate) mod session_status;
pub(crate) mod sessions_history;
pub(crate) mod sessions_list;
pub(crate) mod sessions_search;
pub(crate) mod sessions_send;
pub(crate) mod sessions_spawn;
pub(crate) mod subagents;
