//! Taking away what is kept, by scope: for `homard reset`, `homard uninstall` and `homard onboard --reset`.
//!
//! There is one way: what goes is put aside by renames, which a process that is killed leaves whole, and then deleted, where
//! it is not to be kept.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use homard_config::{ConfigSource, Snapshot};
use homard_runtime::{Arrange as _, create_private_dir};

use crate::error::BackupError;

/// How much is taken away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EraseScope {
    Config,
    /// Settings, keys, logins, pairings and conversations.
    ConfigCredsSessions,
    /// Everything in the state folder but workspaces.
    State,
    /// The state folder and all workspaces.
    Full,
}

/// What stays of the state folder when keys and conversations go, by how it begins: what is taught, made and told.
const KEPT: [&str; 7] = ["bundled-skills", "gateway.lock", "hooks", "logs", "media", "skills", "workspace"];

/// What is to be taken away.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Erase {
    pub paths: Vec<PathBuf>,
}

impl Erase {
    /// Decides what goes; nothing is changed. What is not there is not named.
    #[must_use]
    pub fn of(source: &ConfigSource, snapshot: &Snapshot, scope: EraseScope) -> Self {
        let state = &source.paths.state_dir;
        let mut paths = match scope {
            EraseScope::Config => settings(source),
            EraseScope::ConfigCredsSessions => {
                let is_kept = |name: &str| KEPT.iter().any(|kept| name.starts_with(kept));
                let known = settings(source);
                let others =
                    below(state, |name| !is_kept(name)).into_iter().filter(|path| !known.contains(path));
                known.iter().cloned().chain(others).collect()
            }
            EraseScope::State => below(state, |name| !name.starts_with("workspace")),
            EraseScope::Full if is_elsewhere(state) => below(state, |_any| true),
            EraseScope::Full => vec![state.clone()],
        };
        if scope == EraseScope::Full {
            let agents = snapshot.config.iter().flat_map(|config| &config.agents.list);
            paths.extend(agents.map(|agent| agent.workspace.clone()).filter(|path| !path.starts_with(state)));
        }
        if matches!(scope, EraseScope::State | EraseScope::Full)
            && !source.paths.config_path.starts_with(state)
        {
            paths.extend(settings(source));
        }
        Self::checked(paths, source)
    }

    /// Workspaces alone, wherever they are.
    #[must_use]
    pub fn workspaces(source: &ConfigSource, snapshot: &Snapshot) -> Self {
        let state = &source.paths.state_dir;
        let agents = snapshot.config.iter().flat_map(|config| &config.agents.list);
        let mut paths = below(state, |name| name.starts_with("workspace"));
        paths.extend(agents.map(|agent| agent.workspace.clone()).filter(|path| !path.starts_with(state)));
        Self::checked(paths, source)
    }

    fn checked(paths: Vec<PathBuf>, source: &ConfigSource) -> Self {
        let (home, state) = (real(&source.paths.home), real(&source.paths.state_dir));
        let mut wanted: Vec<PathBuf> = Vec::new();
        for path in paths {
            let is_there = path.symlink_metadata().is_ok() && !is_too_much(&path, &home, &state);
            // Agents may share a workspace, or one may lie in another's.
            if is_there && !wanted.iter().any(|above| path.starts_with(above)) {
                wanted.push(path);
            }
        }
        Self { paths: wanted }
    }

    /// Puts it aside: what is in the state folder into a folder beside that, what is elsewhere under another name beside
    /// its place. Tells where everything is now.
    ///
    /// # Errors
    /// With the first that cannot be moved; what was moved before it is back in its place then.
    pub fn put_aside(&self, source: &ConfigSource, stamp: &str) -> Result<Vec<PathBuf>, BackupError> {
        let state = &source.paths.state_dir;
        let aside = aside_of(state, stamp);
        let mut moved: Vec<(&PathBuf, PathBuf)> = Vec::new();
        let mut places = Vec::new();
        for path in &self.paths {
            let inside = path.strip_prefix(state).ok().filter(|name| !name.as_os_str().is_empty());
            let (place, told) = match inside {
                Some(name) => (aside.join(name), aside.clone()),
                None => (named(path, stamp), named(path, stamp)),
            };
            if let Err(error) = move_to(path, &place) {
                for (from, to) in moved.iter().rev() {
                    // Where even this fails, it is under the name that was told.
                    drop(move_to(to, from));
                }
                drop(fs::remove_dir(&aside));
                return Err(BackupError::write(path, error));
            }
            moved.push((path, place));
            if !places.contains(&told) {
                places.push(told);
            }
        }
        Ok(places)
    }

    /// Takes it away for good: puts it aside, and deletes that.
    ///
    /// # Errors
    /// As [`put_aside`](Self::put_aside), and when something cannot be deleted; it is out of the way all the same.
    pub fn run(&self, source: &ConfigSource, stamp: &str) -> Result<(), BackupError> {
        for place in self.put_aside(source, stamp)? {
            remove(&place).map_err(|error| BackupError::write(&place, error))?;
        }
        Ok(())
    }
}

/// Whether the state folder cannot be moved itself: it is a link, or a disk of its own.
fn is_elsewhere(state: &Path) -> bool {
    state.is_symlink() || is_disk(state)
}

fn is_disk(folder: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let disk = |path: &Path| fs::metadata(path).ok().map(|about| about.dev());
    let above = real(folder).parent().and_then(disk);
    disk(folder).is_some_and(|own| above.is_some_and(|above| above != own))
}

/// Where what is in the state folder goes: beside it, and where that is another disk, into it.
fn aside_of(state: &Path, stamp: &str) -> PathBuf {
    if is_disk(state) { state.join(format!(".reset-{stamp}")) } else { named(&real(state), stamp) }
}

/// What a place is called once it is put aside.
fn named(path: &Path, stamp: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".reset-{stamp}"));
    PathBuf::from(name)
}

/// Moves something to a place where nothing is.
#[expect(clippy::disallowed_methods, reason = "moves what there is; nothing is written")]
fn move_to(from: &Path, to: &Path) -> io::Result<()> {
    if to.symlink_metadata().is_ok() {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    if let Some(above) = to.parent() {
        create_private_dir(above)?;
    }
    fs::rename(from, to)
}

/// A place with links followed; what is not there is taken as it is written.
fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_absent| path.to_owned())
}

/// The file of settings with the copies beside it, and `.env`.
fn settings(source: &ConfigSource) -> Vec<PathBuf> {
    let own = &source.paths.config_path;
    let name = own.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let folder = own.parent().unwrap_or(Path::new("/"));
    let is_settings = |one: &str| {
        one == name
            || one.strip_prefix(&name).is_some_and(|rest| {
                [".bak", ".last-good", ".rejected."].iter().any(|begin| rest.starts_with(begin))
            })
    };
    below(folder, is_settings).into_iter().chain([source.paths.state_dir.join(".env")]).collect()
}

fn below(folder: &Path, wanted: impl Fn(&str) -> bool) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut found: Vec<PathBuf> = entries
        .filter(|entry| wanted(&entry.file_name().to_string_lossy()))
        .map(|entry| entry.path())
        .collect();
    found.arrange();
    found
}

/// A home folder, or one above it, is nothing to take away, whatever the settings call it and whichever way they write
/// it; nor is what the state folder lies in.
fn is_too_much(path: &Path, home: &Path, state: &Path) -> bool {
    let there = real(path);
    home.starts_with(&there)
        || (state != there && state.starts_with(&there))
        || there.components().count() < 2
}

fn remove(path: &Path) -> io::Result<()> {
    let about = fs::symlink_metadata(path)?;
    if about.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) }
}

#[cfg(test)]
mod tests;
