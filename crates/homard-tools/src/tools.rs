//! The tools, one file each, the table that names them, and the few ideas they share.

pub(crate) mod apply_patch;
pub(crate) mod conversations;
pub(crate) mod cron;
pub(crate) mod edit;
pub(crate) mod exec;
pub(crate) mod file_edits;
pub(crate) mod gateway;
pub(crate) mod image;
/// What was written down.
pub(crate) mod memory {
    pub(crate) mod get;
    pub(crate) mod search;
}
pub(crate) mod message;
pub(crate) mod nodes;
pub(crate) mod process;
pub(crate) mod read;
pub(crate) mod web;
pub(crate) mod web_fetch;
pub(crate) mod web_search;
pub(crate) mod write;

use conversations::{
    agents_list, session_status, sessions_history, sessions_list, sessions_search, sessions_send,
    sessions_spawn, subagents,
};

use crate::registry::ToolEntry;

/// Every built-in tool, alphabetical, one line each.
pub(crate) const TABLE: &[ToolEntry] = &[
    agents_list::ENTRY,
    apply_patch::ENTRY,
    cron::ENTRY,
    edit::ENTRY,
    exec::ENTRY,
    gateway::ENTRY,
    image::ENTRY,
    memory::get::ENTRY,
    memory::search::ENTRY,
    message::ENTRY,
    nodes::ENTRY,
    process::ENTRY,
    read::ENTRY,
    session_status::ENTRY,
    sessions_history::ENTRY,
    sessions_list::ENTRY,
    sessions_search::ENTRY,
    sessions_send::ENTRY,
    sessions_spawn::ENTRY,
    subagents::ENTRY,
    web_fetch::ENTRY,
    web_search::ENTRY,
    write::ENTRY,
];
