//! The database under it all: opening, migrating, writing in batches, reading, the transcripts' layout.

pub(crate) mod database;
#[cfg(test)]
pub(crate) mod fixture;
pub(crate) mod import;
pub(crate) mod layout;
pub(crate) mod reader;
pub(crate) mod salvage;
pub(crate) mod writer;
