//! Putting an archive back: unpacked beside, checked, and only then put in its place by exchanging names.
//!
//! Wherever a process is killed, the state folder is either the old one or the new one. What was there is kept beside it
//! until its owner deletes it. An archive says where its things were; whether they may go there is decided here.

mod exchange;

use std::fs::{self, File};
use std::io::{self, BufWriter, Read};
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Component, Path, PathBuf};

use homard_config::Paths;
use homard_runtime::create_private_dir;
use tar::EntryType;

use self::exchange::Move;

use crate::Progress;
use crate::archive::{self, ArchiveKind, EntryTaker, Head, Manifest};
use crate::error::BackupError;
use crate::plan::{CONFIG, STATE, WORKSPACES};

/// A folder with one of these is a workspace, whoever made it.
const FIRST_FILES: [&str; 5] = ["AGENTS.md", "SOUL.md", "IDENTITY.md", "USER.md", "MEMORY.md"];

/// How much of a file is written at once.
const STEP: usize = 256 * 1024;

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
    // Opened before anything is written, or it would not hear of what could not be.
    let opened = File::open(folder).map_err(|error| BackupError::write(folder, error))?;
    let mut unpacking = Unpacking { folder };
    let done = archive::read(archive, passphrase, report, &mut unpacking).and_then(|manifest| {
        flush_all(&opened).map_err(|error| BackupError::write(folder, error))?;
        Ok(manifest)
    });
    if done.is_err() {
        // The words about what went wrong matter more than what is left of the folder.
        drop(fs::remove_dir_all(folder));
    }
    done
}

/// Where an archive is put back.
#[derive(Debug, Clone, Copy)]
pub struct RestoreTarget<'a> {
    pub paths: &'a Paths,
    /// The workspaces of the settings of this machine: folders that may be exchanged.
    pub workspaces: &'a [PathBuf],
    /// The time, which names what is kept.
    pub stamp: i64,
}

/// Puts an archive back where its things belong on this machine: the state folder, settings and workspaces elsewhere.
///
/// # Errors
/// When the archive is not whole or something cannot be written; what was there is in its place then.
pub fn restore(
    archive: &Path,
    target: &RestoreTarget<'_>,
    passphrase: Option<&str>,
    report: &mut dyn FnMut(Progress),
) -> Result<Restored, BackupError> {
    let state = real(&target.paths.state_dir);
    let above = state.parent().unwrap_or(Path::new("/"));
    create_private_dir(above).map_err(|error| BackupError::write(above, error))?;
    forget_unfinished(&state);
    let beside = named(&state, &format!(".restoring-{}", target.stamp));
    let manifest = unpack(archive, &beside, passphrase, report)?;
    let put = moves(&manifest, target, &state, &beside).and_then(|moves| exchange::all(moves, target.stamp));
    // Whatever was not moved into its place is not needed any more.
    drop(fs::remove_dir_all(&beside));
    Ok(Restored { manifest, places: put? })
}

/// What goes where. Nothing is moved before all of it is known to be possible.
fn moves(
    manifest: &Manifest,
    target: &RestoreTarget<'_>,
    state: &Path,
    beside: &Path,
) -> Result<Vec<Move>, BackupError> {
    let mut moves = Vec::new();
    let unpacked = beside.join(STATE);
    if manifest.about.kind == ArchiveKind::Config {
        for name in below(manifest, STATE) {
            moves.push(Move::file(unpacked.join(name), state.join(name))?);
        }
    } else if unpacked.symlink_metadata().is_ok() {
        moves.push(Move::folder(unpacked, state.to_owned())?);
    }
    for (agent, place) in &manifest.about.workspaces {
        let from = beside.join(WORKSPACES).join(agent_folder(agent)?);
        if from.symlink_metadata().is_err() {
            continue;
        }
        check_workspace(place, state, target)?;
        moves.push(Move::folder(from, real(place))?);
    }
    // The settings go to where those of this machine are, whatever the archive says.
    if let Some(name) = below(manifest, CONFIG).next() {
        moves.push(Move::file(beside.join(CONFIG).join(name), target.paths.config_path.clone())?);
    }
    Ok(moves)
}

/// The names of the files below a part of the archive.
fn below<'a>(manifest: &'a Manifest, part: &'a str) -> impl Iterator<Item = &'a str> {
    let names = manifest.files.iter().filter_map(move |file| file.path.strip_prefix(part));
    names.filter_map(|rest| rest.strip_prefix('/'))
}

/// The name of an agent's folder in the archive, which is one name and leads nowhere else.
fn agent_folder(agent: &str) -> Result<&str, BackupError> {
    let mut parts = Path::new(agent).components();
    match (parts.next(), parts.next()) {
        (Some(Component::Normal(name)), None) if name == agent => Ok(agent),
        _ => Err(BackupError::Outside(agent.to_owned())),
    }
}

/// Refuses to put a workspace where there is something that is none: an archive says where its workspaces were, and may
/// come from somebody else.
fn check_workspace(place: &Path, state: &Path, target: &RestoreTarget<'_>) -> Result<(), BackupError> {
    let is_plain = place.is_absolute()
        && place.components().all(|part| matches!(part, Component::RootDir | Component::Normal(_)));
    let there = real(place);
    let home = real(&target.paths.home);
    if !is_plain || home.starts_with(&there) || state.starts_with(&there) || there.starts_with(state) {
        return Err(BackupError::Outside(place.display().to_string()));
    }
    let is_known = target.workspaces.iter().any(|known| real(known) == there);
    let is_empty = || fs::read_dir(&there).is_ok_and(|mut entries| entries.next().is_none());
    let is_workspace = || FIRST_FILES.iter().any(|name| there.join(name).is_file());
    if is_known || there.symlink_metadata().is_err() || is_empty() || is_workspace() {
        Ok(())
    } else {
        Err(BackupError::Occupied(place.to_owned()))
    }
}

/// A place with links followed; what is not there yet is taken as it is written.
fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_absent| path.to_owned())
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

pub(super) fn named(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

struct Unpacking<'a> {
    folder: &'a Path,
}

impl EntryTaker for Unpacking<'_> {
    fn take(&mut self, name: &Path, entry: &mut dyn Read, head: &Head) -> Result<(), BackupError> {
        let place = self.folder.join(name);
        let failed = |error| BackupError::write(&place, error);
        self.check_real(name)?;
        match head.kind {
            EntryType::Directory => {
                create_private_dir(&place).map_err(failed)?;
                // Its owner must be able to put files into it; the state folder is nobody else's, whatever the archive says.
                let others = if name == Path::new(STATE) { 0 } else { head.mode };
                fs::set_permissions(&place, fs::Permissions::from_mode(others | 0o700)).map_err(failed)
            }
            // The parts of an archive are folders of its own: what is looked for below a link would be this machine's.
            EntryType::Symlink if name.components().count() == 1 => {
                Err(BackupError::Outside(name.display().to_string()))
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
                let mut writer = BufWriter::with_capacity(STEP, options.map_err(failed)?);
                let len = io::copy(entry, &mut writer).map_err(failed)?;
                let file = writer.into_inner().map_err(|error| failed(error.into_error()))?;
                let time = std::time::UNIX_EPOCH + std::time::Duration::from_secs(head.mtime);
                file.set_modified(time).map_err(failed)?;
                begin_flush(&file, len).map_err(failed)
            }
            _other => Err(BackupError::Outside(name.display().to_string())),
        }
    }
}

/// Has what was unpacked written to the disk: all of it at its end, which is much faster than one file after the other,
/// and begun with at once where there is much.
#[cfg(target_os = "linux")]
fn begin_flush(file: &File, len: u64) -> io::Result<()> {
    use rustix::fs::{Advice, fadvise};

    if len >= STEP as u64 {
        // A file system that cannot does it at the end.
        fadvise(file, 0, None, Advice::DontNeed).ok();
    }
    Ok(())
}

#[cfg(target_os = "linux")]
fn flush_all(folder: &File) -> io::Result<()> {
    Ok(rustix::fs::syncfs(folder)?)
}

#[cfg(not(target_os = "linux"))]
fn begin_flush(file: &File, _len: u64) -> io::Result<()> {
    file.sync_all()
}

#[cfg(not(target_os = "linux"))]
fn flush_all(folder: &File) -> io::Result<()> {
    // Each file was flushed when it was there; a folder that cannot be is in place all the same.
    folder.sync_all().or(Ok(()))
}

impl Unpacking<'_> {
    /// Refuses to write through a link that the archive itself brought.
    fn check_real(&self, name: &Path) -> Result<(), BackupError> {
        let mut place = self.folder.to_owned();
        // The last part too: a folder that is there already is given other rights, and a link's target would be.
        for part in name.components() {
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
