//! The tools, one file each, and the few ideas they share.

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
