//! What files looked like, to notice that one changed without reading it.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// How a file or folder looked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stamp {
    modified: (i64, i64),
    bytes: u64,
    inode: u64,
}

/// How a set of files and folders looked. What was not there counts too: it may appear.
#[derive(Debug, Clone, Default)]
pub struct Stamps(Vec<(PathBuf, Option<Stamp>)>);

impl Stamps {
    /// Remembers how a path looks. Call it before reading, so that a change in between is noticed.
    pub(crate) fn take(&mut self, path: &Path) {
        self.0.push((path.to_owned(), stamp(path)));
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether everything still looks the same.
    #[must_use]
    pub(crate) fn are_current(&self) -> bool {
        self.0.iter().all(|(path, before)| stamp(path) == *before)
    }
}

fn stamp(path: &Path) -> Option<Stamp> {
    let found = std::fs::metadata(path).ok()?;
    let modified = (found.mtime(), found.mtime_nsec());
    Some(Stamp { modified, bytes: found.size(), inode: found.ino() })
}
