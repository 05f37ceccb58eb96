//! The tools, one file each, and the few ideas they share.

pub(crate) mod apply_patch;
pub(crate) mod edit;
pub(crate) mod exec;
#[cfg(test)]
mod hostile_paths;
mod near_names;
mod nearest_lines;
mod off_thread;
pub(crate) mod process;
pub(crate) mod read;
mod replace_file;
mod text_file;
mod web;
pub(crate) mod web_fetch;
pub(crate) mod web_search;
pub(crate) mod write;
