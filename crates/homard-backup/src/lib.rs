//! Archives of everything that is kept: made while a gateway runs, checked, and put back.
//!
//! An archive is a tar in gzip, for a passphrase in the age format (`age -d` opens it). Its first entry says what it is,
//! its last is the list of all others with sizes and SHA-256: an archive without it was not finished. Databases are copied
//! by SQLite itself from one moment, and before the conversations they speak of, so what is restored is what a gateway that
//! was killed at that moment would find.
//!
//! Putting back never touches what is there before the archive is unpacked beside it and every hash was right; then names
//! are exchanged. Taking away is putting aside first: what goes leaves its place by a rename, and is deleted after that
//! where nobody wants it kept. Reading order: `plan`, `create`, `archive` (reading), `restore`, `erase`; `age` is the
//! envelope.

mod age;
mod archive;
mod create;
mod erase;
mod error;
#[cfg(test)]
mod fixture;
mod listing;
mod plan;
mod restore;

pub use archive::{About, ArchiveKind, FileEntry, Manifest, verify};
pub use create::{Created, create};
pub use erase::{Erase, EraseScope};
pub use error::BackupError;
pub use listing::{Listed, list};
pub use plan::{Choice, Plan};
pub use restore::{RestoreTarget, Restored, restore, unpack};

/// How far a long work is: what is done, and all there is, in bytes. Zero means that nobody knows yet.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Progress {
    pub done: u64,
    pub all: u64,
}
