//! Doing what mends. Whatever is changed is first kept in a folder of its own, `doctor/<time>` of the state folder, with a
//! list of what was done.

use std::fs::{self, File, TryLockError};
use std::io::{self, Write as _};
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use homard_config::{ConfigSource, WriteError, restore_last_good, set_path, unset_paths};
use homard_runtime::{create_private_dir, replace_private};
use homard_store::{StoreError, salvage};
use serde_json::json;

use crate::files;
use crate::finding::Act;

/// What SQLite keeps beside a database.
const BESIDE_DATABASES: [&str; 3] = ["-wal", "-shm", "-journal"];

/// What a database that takes a damaged one's place ends with until it is whole.
const SALVAGED: &str = "salvaged.sqlite";

/// Why something could not be mended.
#[derive(Debug, thiserror::Error)]
pub enum RepairError {
    #[error("could not change `{path}`: {source}")]
    File {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error(transparent)]
    Config(#[from] WriteError),
    /// What it wrote since would be lost with the old one.
    #[error("a gateway was started meanwhile and writes to it; stop it, and ask again")]
    InUse,
    /// Too much of a database is lost.
    #[error("nothing of the database could be read: {0}; homard backup list shows what could be put back")]
    Database(#[from] StoreError),
    /// There is nothing to go back to.
    #[error("there is no configuration that worked to go back to")]
    NoLastGood,
}

/// What is mended in one go.
#[derive(Debug)]
pub struct Repair<'a> {
    source: &'a ConfigSource,
    /// Where what was changed is kept; made with the first change.
    folder: PathBuf,
}

impl<'a> Repair<'a> {
    /// Nothing is written yet.
    #[must_use]
    pub fn new(source: &'a ConfigSource) -> Self {
        let stamp = source.clock.now_ms();
        Self { source, folder: source.paths.state_dir.join("doctor").join(stamp.to_string()) }
    }

    /// Where what was changed is kept.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Does what was agreed to. Keys of the configuration go together: a file with two mistakes is valid only without
    /// both. Answers in the order that was asked, with what somebody has to know of it beside that it was done.
    pub fn apply(&self, acts: &[Act]) -> Vec<Result<Option<String>, RepairError>> {
        let keys: Vec<String> = acts.iter().filter_map(Act::unset_key).collect();
        let mut unset = (!keys.is_empty()).then(|| self.unset(&keys));
        let mut done = Vec::new();
        for act in acts {
            let outcome = match (act.unset_key(), unset.take()) {
                (Some(_), Some(outcome)) => outcome.map(|()| None),
                // The first of them told how it went.
                (Some(_), None) => Ok(None),
                (None, kept) => {
                    unset = kept;
                    self.one(act)
                }
            };
            done.push(outcome);
        }
        done
    }

    fn unset(&self, keys: &[String]) -> Result<(), RepairError> {
        self.keep_settings()?;
        unset_paths(self.source, keys)?;
        self.note(&json!({"unset": keys}))
    }

    fn one(&self, act: &Act) -> Result<Option<String>, RepairError> {
        let done = match act {
            Act::Close { path, mode } => {
                let before = files::mode(path);
                self.note(&json!({"chmod": shown(path), "before": before.map(|mode| format!("{mode:o}"))}))?;
                fs::set_permissions(path, fs::Permissions::from_mode(*mode)).map_err(at(path))
            }
            Act::Set { key, value } => {
                self.keep_settings()?;
                set_path(self.source, key, value.clone())?;
                self.note(&json!({"set": key}))
            }
            Act::LastGood => {
                let path = &self.source.paths.config_path;
                self.keep_settings()?;
                let restored = restore_last_good(self.source, |_settings| true).map_err(at(path))?;
                restored.ok_or(RepairError::NoLastGood)?;
                self.note(&json!({"restored": shown(path)}))
            }
            Act::SetAside { path } => self.set_aside(path),
            Act::Salvage { path } => return self.salvage(path),
            Act::EmptyLock { path } => {
                self.note(&json!({"emptied": shown(path)}))?;
                fs::write(path, "").map_err(at(path))
            }
            Act::Unset { key } => self.unset(std::slice::from_ref(key)),
        };
        done.map(|()| None)
    }

    /// Moves something into the folder of what was changed; of a database everything that belongs to it, or what was
    /// written to the old one last would be read into a new one.
    fn set_aside(&self, path: &Path) -> Result<(), RepairError> {
        self.move_away(path)?;
        match path.extension().is_some_and(|ending| ending == "sqlite") {
            true => self.set_aside_beside(path),
            false => Ok(()),
        }
    }

    fn set_aside_beside(&self, database: &Path) -> Result<(), RepairError> {
        let there = BESIDE_DATABASES.into_iter().map(|beside| with_end(database, beside));
        there.filter(|path| path.symlink_metadata().is_ok()).try_for_each(|path| self.move_away(&path))
    }

    /// Puts a new database with what could be read in the place of a damaged one, which is kept. There is one in its place
    /// at every moment: where there is none, the next start makes an empty one.
    #[expect(
        clippy::disallowed_methods,
        reason = "the new database is whole when it is moved into its place"
    )]
    fn salvage(&self, path: &Path) -> Result<Option<String>, RepairError> {
        let _alone = self.alone()?;
        create_private_dir(&self.folder).map_err(at(&self.folder))?;
        let new = path.with_extension(SALVAGED);
        remove_database(&new);
        let saved = salvage(path, &new).inspect_err(|_| remove_database(&new))?;
        let kept = self.place_of(path)?;
        // Not every file system has links.
        fs::hard_link(path, &kept).or_else(|_no_link| fs::copy(path, &kept).map(drop)).map_err(at(&kept))?;
        self.set_aside_beside(path)?;
        fs::rename(&new, path).map_err(at(path))?;
        self.note(&json!({"salvaged": shown(path), "rows": saved.rows, "incomplete": saved.incomplete}))?;
        let lost = saved.incomplete.join(", ");
        Ok((!lost.is_empty()).then(|| format!("not everything could be read of: {lost}")))
    }

    /// Keeps gateways away as long as what is returned is held: one that a service starts again and again would write into
    /// the database that is being exchanged.
    fn alone(&self) -> Result<File, RepairError> {
        let path = self.source.paths.lock_file();
        let mut options = fs::OpenOptions::new();
        let file = options.read(true).write(true).create(true).truncate(false).mode(0o600).open(&path);
        let file = file.map_err(at(&path))?;
        match file.try_lock() {
            Ok(()) => Ok(file),
            Err(TryLockError::WouldBlock) => Err(RepairError::InUse),
            Err(TryLockError::Error(error)) => Err(at(&path)(error)),
        }
    }

    /// Where something is kept that is changed.
    fn place_of(&self, path: &Path) -> Result<PathBuf, RepairError> {
        let below = path.strip_prefix(&self.source.paths.state_dir).unwrap_or(path);
        let below = below.strip_prefix("/").unwrap_or(below);
        let place = self.folder.join(below);
        let above = place.parent().unwrap_or(&self.folder);
        create_private_dir(above).map_err(at(above))?;
        Ok(place)
    }

    #[expect(clippy::disallowed_methods, reason = "moves what is set aside; nothing is written")]
    fn move_away(&self, path: &Path) -> Result<(), RepairError> {
        let place = self.place_of(path)?;
        fs::rename(path, &place).map_err(at(path))?;
        self.note(&json!({"moved": shown(path)}))
    }

    /// Keeps the configuration as it is.
    fn keep_settings(&self) -> Result<(), RepairError> {
        let path = self.source.paths.config_source();
        let place = self.folder.join(files::name_of(path));
        if place.exists() || !path.exists() {
            return Ok(());
        }
        let text = fs::read(path).map_err(at(path))?;
        replace_private(&place, &text).map_err(at(&place))
    }

    fn note(&self, what: &serde_json::Value) -> Result<(), RepairError> {
        let path = self.folder.join("changes.jsonl");
        create_private_dir(&self.folder).map_err(at(&self.folder))?;
        let file = fs::OpenOptions::new().append(true).create(true).mode(0o600).open(&path);
        file.and_then(|mut file| writeln!(file, "{what}")).map_err(at(&path))
    }
}

/// Takes a database that is not finished away, and what SQLite keeps beside it.
fn remove_database(path: &Path) {
    for beside in [""].into_iter().chain(BESIDE_DATABASES) {
        // What is not there need not go; what stays is in nobody's way but the next attempt's, which tells.
        drop(fs::remove_file(with_end(path, beside)));
    }
}

/// A path with more at its end.
fn with_end(path: &Path, end: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(end);
    PathBuf::from(name)
}

impl Act {
    fn unset_key(&self) -> Option<String> {
        match self {
            Self::Unset { key } => Some(key.clone()),
            _other => None,
        }
    }
}

/// A path in a note, whatever bytes its name is of.
fn shown(path: &Path) -> String {
    path.display().to_string()
}

fn at(path: &Path) -> impl Fn(io::Error) -> RepairError {
    let path = path.to_owned();
    move |source| RepairError::File { path: path.clone(), source }
}
