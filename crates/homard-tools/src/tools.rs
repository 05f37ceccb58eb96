//! The tools, one file each, and the few ideas they share.

pub(crate) mod agents_list;
pub(crate) mod apply_patch;
pub(crate) mod cron;
pub(crate) mod edit;
pub(crate) mod exec;
pub(crate) mod gateway;
#[cfg(test)]
mod hostile_paths;
pub(crate) mod image;
pub(crate) mod message;
mod near_names;
mod nearest_lines;
pub(crate) mod nodes;
mod off_thread;
pub(crate) mod process;
pub(crate) mod read;
pub(crate) mod replace_file;
pub(crate) mod session_status;
pub(crate) mod sessions_history;
pub(crate) mod sessions_list;
pub(crate) mod sessions_send;
pub(crate) mod sessions_spawn;
pub(crate) mod subagents;
mod text_file;
pub(crate) mod web;
pub(crate) mod web_fetch;
pub(crate) mod web_search;
pub(crate) mod write;
