//! The tools, one file each, and the few ideas they share.

pub(crate) mod edit;
pub(crate) mod exec;
mod near_names;
mod off_thread;
pub(crate) mod read;
mod replace_file;
pub(crate) mod write;
