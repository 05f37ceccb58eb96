//! Putting an archive back: unpacked beside, checked, and only then put in its place by exchanging names.
//!
//! Wherever a process is killed, the state folder is either the old one or the new one. What was there is kept beside it
//! until its owner deletes it.

use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use homard_config::Paths;
use homard_runtime::{create_private_dir, replace_private};
use rustix::fs::{CWD, RenameFlags, renameat_with};
use tar::EntryType;

use crate::Progress;
use crate::archive::{self, ArchiveKind, Head, Manifest, Taker};
use crate::error::BackupError;
use crate::plan::{CONFIG, STATE, WORKSPACES};

/// What was put back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Restored {
    pub manifest: Manifest,
    /// Where things were put, and where what was there before is kept.
    pub places: Vec<(PathBuf, Option<PathBuf>)>,
}

/// Unpacks an archive into a folder that is empty or not there, and changes nothing else.
///
/// # Errors
/// When the archive is not whole or the folder cannot be written; the folder is gone again then.
pub fn unpack(
    archive: &Path,
    folder: &Path,
    passphrase: Option<&str>,
    report: &mut dyn FnMut(Progress),
) -> Result<Manifest, BackupError> {
    let is_empty = fs::read_dir(folder).map_or(true, |mut entries| entries.next().is_none());
    if !is_empty {
        return Err(BackupError::Exists(folder.to_owned()));
    }
    create_private_dir(folder).map_err(|error| BackupError::write(folder, error))?;
    let mut unpacking = Unpacking { folder };
    let done = archive::read(archive, passphrase, report, &mut unpacking);
    if done.is_err() {
        // The words about what went wrong matter more than what is left of the folder.
        drop(fs::remove_dir_all(folder));
    }
    done
}

/// Puts an archive back where its things belong on this machine: the state folder, settings and workspaces elsewhere.
///
/// # Errors
/// When the archive is not whole or something cannot be written; what was there is in its place then.
pub fn restore(
    archive: &Path,
    paths: &Paths,
    passphrase: Option<&str>,
    stamp: i64,
    report: &mut dyn FnMut(Progress),
) -> Result<Restored, BackupError> {
    let state = &paths.state_dir;
    let above = state.parent().unwrap_or(Path::new("/"));
    create_private_dir(above).map_err(|error| BackupError::write(above, error))?;
    forget_unfinished(state);
    let beside = named(state, &format!(".restoring-{stamp}"));
    let manifest = unpack(archive, &beside, passphrase, report)?;
    let put = put_back(&manifest, paths, &beside, stamp);
    // Whatever was not moved into its place is not needed any more.
    drop(fs::remove_dir_all(&beside));
    Ok(Restored { manifest, places: put? })
}

fn put_back(
    manifest: &Manifest,
    paths: &Paths,
    beside: &Path,
    stamp: i64,
) -> Result<Vec<(PathBuf, Option<PathBuf>)>, BackupError> {
    let mut places = Vec::new();
    let unpacked = beside.join(STATE);
    if manifest.about.kind == ArchiveKind::Config {
        for file in manifest.files.iter().filter_map(|file| file.path.strip_prefix(STATE)) {
            let name = file.trim_start_matches('/');
            places.push(replace(&unpacked.join(name), &paths.state_dir.join(name), stamp)?);
        }
    } else if unpacked.is_dir() {
        places.push(exchange(&unpacked, &paths.state_dir, stamp)?);
    }
    for (agent, place) in &manifest.about.workspaces {
        let from = beside.join(WORKSPACES).join(agent);
        if from.is_dir() {
            places.push(exchange(&from, place, stamp)?);
        }
    }
    for file in manifest.files.iter().filter_map(|file| file.path.strip_prefix(CONFIG)) {
        let from = beside.join(CONFIG).join(file.trim_start_matches('/'));
        let is_same_home = manifest.about.state_dir == paths.state_dir;
        let place = if is_same_home { &manifest.about.config_path } else { &paths.config_path };
        places.push(replace(&from, place, stamp)?);
    }
    Ok(places)
}

/// Puts a folder in the place of another in one step, and keeps the other under its name and the time.
#[expect(clippy::disallowed_methods, reason = "moves whole folders; nothing is written")]
fn exchange(new: &Path, place: &Path, stamp: i64) -> Result<(PathBuf, Option<PathBuf>), BackupError> {
    let failed = |error: io::Error| BackupError::write(place, error);
    if !place.exists() {
        let above = place.parent().unwrap_or(Path::new("/"));
        create_private_dir(above).map_err(failed)?;
        move_folder(new, place).map_err(failed)?;
        return Ok((place.to_owned(), None));
    }
    let kept = named(place, &format!(".before-restore-{stamp}"));
    // The new one must be on the same disk to be exchanged.
    let near = named(place, &format!(".restoring-{stamp}.new"));
    move_folder(new, &near).map_err(failed)?;
    if renameat_with(CWD, &near, CWD, place, RenameFlags::EXCHANGE).is_ok() {
        fs::rename(&near, &kept).map_err(failed)?;
    } else {
        // A file system that cannot exchange: two steps, and back again when the second fails.
        fs::rename(place, &kept).map_err(failed)?;
        if let Err(error) = fs::rename(&near, place) {
            fs::rename(&kept, place).map_err(failed)?;
            return Err(failed(error));
        }
    }
    flush(place.parent());
    Ok((place.to_owned(), Some(kept)))
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
        }
    }
    Ok(())
}

/// Puts one file in the place of another, and keeps the other beside it.
fn replace(new: &Path, place: &Path, stamp: i64) -> Result<(PathBuf, Option<PathBuf>), BackupError> {
    let failed = |error: io::Error| BackupError::write(place, error);
    let kept = named(place, &format!(".before-restore-{stamp}"));
    let had = place.exists();
    if had {
        let old = fs::read(place).map_err(|error| BackupError::read(place, error))?;
        replace_private(&kept, &old).map_err(failed)?;
    }
    let text = fs::read(new).map_err(|error| BackupError::read(new, error))?;
    replace_private(place, &text).map_err(failed)?;
    Ok((place.to_owned(), had.then_some(kept)))
}

/// Takes away what a restore left that was killed before anything was exchanged.
fn forget_unfinished(state: &Path) {
    let (Some(above), Some(name)) = (state.parent(), state.file_name()) else { return };
    let begin = format!("{}.restoring-", name.to_string_lossy());
    for entry in fs::read_dir(above).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(&begin) {
            drop(fs::remove_dir_all(entry.path()));
        }
    }
}

fn named(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

fn flush(folder: Option<&Path>) {
    // What was exchanged is in place all the same.
    drop(folder.and_then(|folder| File::open(folder).ok()).map(|folder| folder.sync_all()));
}

struct Unpacking<'a> {
    folder: &'a Path,
}

impl Taker for Unpacking<'_> {
    fn take(&mut self, name: &Path, entry: &mut dyn Read, head: &Head) -> Result<(), BackupError> {
        let place = self.folder.join(name);
        let failed = |error| BackupError::write(&place, error);
        self.check_real(name)?;
        match head.kind {
            EntryType::Directory => {
                create_private_dir(&place).map_err(failed)?;
                // Its owner must be able to put files into it.
                fs::set_permissions(&place, fs::Permissions::from_mode(head.mode | 0o700)).map_err(failed)
            }
            EntryType::Symlink => {
                create_private_dir(place.parent().unwrap_or(self.folder)).map_err(failed)?;
                let to = head.link.as_deref().unwrap_or(Path::new(""));
                std::os::unix::fs::symlink(to, &place).map_err(failed)
            }
            EntryType::Regular => {
                create_private_dir(place.parent().unwrap_or(self.folder)).map_err(failed)?;
                let options =
                    fs::OpenOptions::new().write(true).create_new(true).mode(head.mode | 0o600).open(&place);
                let mut file = options.map_err(failed)?;
                io::copy(entry, &mut file).map_err(failed)?;
                let time = std::time::UNIX_EPOCH + std::time::Duration::from_secs(head.mtime);
                file.set_modified(time).map_err(failed)?;
                file.sync_all().map_err(failed)
            }
            _other => Err(BackupError::Outside(name.display().to_string())),
        }
    }
}

impl Unpacking<'_> {
    /// Refuses to write through a link that the archive itself brought.
    fn check_real(&self, name: &Path) -> Result<(), BackupError> {
        let mut place = self.folder.to_owned();
        for part in name.parent().into_iter().flat_map(Path::components) {
            place.push(part);
            if place.is_symlink() {
                return Err(BackupError::Outside(name.display().to_string()));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
