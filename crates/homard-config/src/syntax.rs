//! The text of the file: reading it, following its includes and references, changing it in place.

pub(crate) mod document;
pub(crate) mod include;
pub(crate) mod merge_patch;
pub(crate) mod splice;
pub(crate) mod substitute;
pub(crate) mod value_path;
