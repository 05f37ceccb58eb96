//! Exchanging what is there for what was unpacked: everything is brought beside its place first, which may take long, and
//! then put into it, which is a rename each. What was done is taken back when one of them fails.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use homard_runtime::{create_private_dir, replace_private};
use rustix::fs::{CWD, RenameFlags, renameat_with};

use super::named;
use crate::error::BackupError;

/// One thing that goes into its place.
#[derive(Debug)]
pub(super) struct Move {
    from: PathBuf,
    place: PathBuf,
    is_folder: bool,
}

impl Move {
    /// A folder that was unpacked. A link in its place would lead elsewhere.
    pub(super) fn folder(from: PathBuf, place: PathBuf) -> Result<Self, BackupError> {
        let is_folder = from.symlink_metadata().is_ok_and(|about| about.is_dir());
        if is_folder { Ok(Self { from, place, is_folder }) } else { Err(outside(&from)) }
    }

    /// A file that was unpacked.
    pub(super) fn file(from: PathBuf, place: PathBuf) -> Result<Self, BackupError> {
        let is_file = from.symlink_metadata().is_ok_and(|about| about.is_file());
        if is_file { Ok(Self { from, place, is_folder: false }) } else { Err(outside(&from)) }
    }
}

fn outside(from: &Path) -> BackupError {
    BackupError::Outside(from.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default())
}

/// Something that lies beside its place, ready to go into it.
enum Staged {
    /// A folder for a place where there is none.
    New {
        from: PathBuf,
        place: PathBuf,
    },
    /// A folder under the name by which what is there now will be kept: after the exchange nothing is left to be done.
    Instead {
        kept: PathBuf,
        place: PathBuf,
    },
    File {
        text: Vec<u8>,
        before: Option<Vec<u8>>,
        kept: PathBuf,
        place: PathBuf,
    },
}

/// Puts everything into its place, or leaves everything as it was. Tells each place and where what was there is kept.
pub(super) fn all(moves: Vec<Move>, stamp: i64) -> Result<Vec<(PathBuf, Option<PathBuf>)>, BackupError> {
    let mut staged: Vec<Staged> = Vec::new();
    for one in moves {
        match stage(&one, stamp) {
            Ok(done) => staged.push(done),
            Err(error) => {
                staged.iter().for_each(Staged::forget);
                return Err(error);
            }
        }
    }
    for (at, one) in staged.iter().enumerate() {
        if let Err(error) = one.commit() {
            let (done, left) = staged.split_at(at);
            done.iter().rev().for_each(Staged::take_back);
            left.iter().for_each(Staged::forget);
            return Err(error);
        }
    }
    Ok(staged.into_iter().map(Staged::told).collect())
}

/// Brings something beside its place: on the same disk, so that a rename is all that is left.
fn stage(one: &Move, stamp: i64) -> Result<Staged, BackupError> {
    let place = one.place.clone();
    let failed = |error: io::Error| BackupError::write(&one.place, error);
    let kept = named(&place, &format!(".before-restore-{stamp}"));
    if !one.is_folder {
        let text = fs::read(&one.from).map_err(|error| BackupError::read(&one.from, error))?;
        let before = match fs::read(&place) {
            Ok(before) => Some(before),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(BackupError::read(&place, error)),
        };
        return Ok(Staged::File { text, before, kept, place });
    }
    create_private_dir(place.parent().unwrap_or(Path::new("/"))).map_err(failed)?;
    let is_there = place.symlink_metadata().is_ok();
    let near = if is_there { kept } else { named(&place, &format!(".restoring-{stamp}.new")) };
    if let Err(error) = move_folder(&one.from, &near) {
        // What was copied before the disk was full is in nobody's way.
        drop(fs::remove_dir_all(&near));
        return Err(failed(error));
    }
    Ok(if is_there { Staged::Instead { kept: near, place } } else { Staged::New { from: near, place } })
}

impl Staged {
    #[expect(clippy::disallowed_methods, reason = "moves whole folders; nothing is written")]
    fn commit(&self) -> Result<(), BackupError> {
        match self {
            Self::New { from, place } => {
                fs::rename(from, place).map_err(|error| BackupError::write(place, error))?;
                flush(place.parent());
            }
            Self::Instead { kept, place } => {
                exchange(kept, place).map_err(|error| BackupError::write(place, error))?;
                flush(place.parent());
            }
            Self::File { text, before, kept, place } => {
                let failed = |error| BackupError::write(place, error);
                if let Some(before) = before {
                    replace_private(kept, before).map_err(failed)?;
                }
                replace_private(place, text).map_err(failed)?;
            }
        }
        Ok(())
    }

    /// Takes a move back. Where even that fails, what was there lies under the name it is kept by.
    #[expect(clippy::disallowed_methods, reason = "moves whole folders; nothing is written")]
    fn take_back(&self) {
        match self {
            Self::New { from, place } => {
                drop(fs::rename(place, from));
                self.forget();
            }
            Self::Instead { kept, place } => {
                if exchange(kept, place).is_ok() {
                    self.forget();
                }
            }
            Self::File { before: Some(before), kept, place, .. } => {
                if replace_private(place, before).is_ok() {
                    drop(fs::remove_file(kept));
                }
            }
            Self::File { before: None, place, .. } => drop(fs::remove_file(place)),
        }
    }

    /// Takes away what was brought beside its place and did not get into it.
    fn forget(&self) {
        match self {
            Self::New { from, .. } => drop(fs::remove_dir_all(from)),
            Self::Instead { kept, .. } => drop(fs::remove_dir_all(kept)),
            Self::File { .. } => {}
        }
    }

    fn told(self) -> (PathBuf, Option<PathBuf>) {
        match self {
            Self::New { place, .. } => (place, None),
            Self::Instead { kept, place } => (place, Some(kept)),
            Self::File { before, kept, place, .. } => (place, before.map(|_| kept)),
        }
    }
}

/// Puts two folders into each other's place in one step. A file system that cannot has it done in three, none of which
/// leaves less than both.
#[expect(clippy::disallowed_methods, reason = "moves whole folders; nothing is written")]
fn exchange(one: &Path, other: &Path) -> io::Result<()> {
    if renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE).is_ok() {
        return Ok(());
    }
    let between = named(one, ".old");
    fs::rename(other, &between)?;
    if let Err(error) = fs::rename(one, other) {
        fs::rename(&between, other)?;
        return Err(error);
    }
    fs::rename(&between, one)
}

/// Moves a folder, over the border of a file system by copying.
#[expect(clippy::disallowed_methods, reason = "moves whole folders; nothing is written")]
fn move_folder(from: &Path, to: &Path) -> io::Result<()> {
    match fs::rename(from, to) {
        Err(error) if error.kind() == io::ErrorKind::CrossesDevices => copy_folder(from, to),
        moved => moved,
    }
}

fn copy_folder(from: &Path, to: &Path) -> io::Result<()> {
    create_private_dir(to)?;
    fs::set_permissions(to, fs::metadata(from)?.permissions())?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (path, place) = (entry.path(), to.join(entry.file_name()));
        let kind = entry.file_type()?;
        if kind.is_dir() {
            copy_folder(&path, &place)?;
        } else if kind.is_symlink() {
            std::os::unix::fs::symlink(fs::read_link(&path)?, &place)?;
        } else {
            fs::copy(&path, &place)?;
            File::open(&place)?.sync_all()?;
        }
    }
    Ok(())
}

fn flush(folder: Option<&Path>) {
    // What was exchanged is in place all the same.
    drop(folder.and_then(|folder| File::open(folder).ok()).map(|folder| folder.sync_all()));
}
