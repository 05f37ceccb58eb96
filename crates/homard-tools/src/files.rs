//! Files: which a turn may have, opening them safely, which hold words of others, undoing changes.

pub(crate) mod file_access;
pub(crate) mod open_no_symlinks;
pub(crate) mod paths;
pub(crate) mod tainted_files;
pub(crate) mod undo;
