//! Taking away what is kept, by scope: for `homard reset` and `homard uninstall`.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use homard_config::{ConfigSource, Snapshot};

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
const KEPT: [&str; 8] =
    ["bundled-skills", "doctor", "gateway.lock", "hooks", "logs", "media", "skills", "workspace"];

/// What is to be taken away.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Erase {
    pub paths: Vec<PathBuf>,
}

/// What was taken away.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Erased {
    pub gone: Vec<PathBuf>,
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
        paths.retain(|path| path.symlink_metadata().is_ok() && !is_too_much(path, &source.paths.home));
        paths.dedup();
        Self { paths }
    }

    /// Workspaces alone, wherever they are.
    #[must_use]
    pub fn workspaces(source: &ConfigSource, snapshot: &Snapshot) -> Self {
        let state = &source.paths.state_dir;
        let agents = snapshot.config.iter().flat_map(|config| &config.agents.list);
        let mut paths = below(state, |name| name.starts_with("workspace"));
        paths.extend(agents.map(|agent| agent.workspace.clone()).filter(|path| !path.starts_with(state)));
        paths.retain(|path| path.symlink_metadata().is_ok() && !is_too_much(path, &source.paths.home));
        Self { paths }
    }

    /// Takes it away.
    ///
    /// # Errors
    /// With the first that cannot be removed; what came before it is gone.
    pub fn run(&self) -> Result<Erased, BackupError> {
        let mut erased = Erased::default();
        for path in &self.paths {
            remove(path).map_err(|error| BackupError::write(path, error))?;
            erased.gone.push(path.clone());
        }
        Ok(erased)
    }
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
    found.sort();
    found
}

/// A home folder, or one above it, is nothing to take away, whatever the settings call it.
fn is_too_much(path: &Path, home: &Path) -> bool {
    home.starts_with(path) || path.components().count() < 2
}

fn remove(path: &Path) -> io::Result<()> {
    let about = fs::symlink_metadata(path)?;
    if about.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) }
}

#[cfg(test)]
mod tests;
