//! Changing the file.
//!
//! Every way of changing it ends in one `commit`: stamp, check, back up, replace atomically, audit. An
//! invalid configuration is never written. Comments, layout and `${VAR}` references survive, and redaction
//! sentinels sent back by clients stand for the secret on disk. Writes go to `Paths::config_path`; when the
//! settings were read from an older program's file, that file is left as it is and its content moves over. What the
//! file is to become is `draft`'s.

use std::io::Write;
use std::path::{Path, PathBuf};

use homard_runtime::{FileDraft, OrLog, create_private_dir, replace_private};
use serde_json::{Value, json};

use crate::changes::audit;
use crate::changes::draft::{Draft, Edit, read_object};
use crate::changes::handle::ConfigHandle;
use crate::changes::overrides::Overrides;
use crate::changes::reload::ReloadAction;
use crate::changes::restore::NothingToRestore;
use crate::issue::{Issue, listed};
use crate::load::{ConfigSource, Snapshot};
use crate::syntax::splice::rewrite;
use crate::syntax::value_path::{PathSyntaxError, changed_paths};

/// Backups kept: `.bak`, `.bak.1` … `.bak.4`.
const BACKUPS: usize = 5;

/// Why the file was not changed.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    #[error(transparent)]
    Path(#[from] PathSyntaxError),
    /// A base hash is needed to replace an existing file.
    #[error("config base hash required; read the configuration first and send its hash")]
    BaseHashRequired,
    /// Somebody else changed the file in between.
    #[error("config changed since last load; read it again and repeat the change")]
    Conflict {
        /// Hash of the file now.
        current: String,
    },
    /// The new text is not JSON5, or not an object.
    #[error("the new configuration cannot be read: {0}")]
    Syntax(String),
    /// The place cannot be set.
    #[error("`{0}` cannot be set: something above it is not an object")]
    InTheWay(String),
    /// The place holds nothing.
    #[error("`{0}` is not set")]
    NotSet(String),
    /// The place does not hold what the caller thought.
    #[error("`{0}` is not what was expected; nothing was changed")]
    NotAsExpected(String),
    /// The value comes from an included file.
    #[error("`{0}` is set in an included file; change it there")]
    InIncludedFile(String),
    /// The settings would not be valid; nothing was written.
    #[error("this would not be a valid configuration:{}", listed(.0))]
    Invalid(Vec<Issue>),
    /// A sentinel stands where there is no secret on disk.
    #[error(transparent)]
    NothingToRestore(#[from] NothingToRestore),
    /// The file on disk is broken; there is nothing a change could be applied to.
    #[error("the configuration on disk cannot be read, mend it first:{}", listed(.0))]
    BrokenOnDisk(Vec<Issue>),
    /// Somebody else keeps this file.
    #[error("the configuration is managed from outside (HOMARD_NIX_MODE) and cannot be changed here")]
    ReadOnly,
    /// The file system refused.
    #[error("could not write `{path}`")]
    Io {
        path: PathBuf,
        #[source]
        source: std::io::Error,
    },
}

/// What a write did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WriteOutcome {
    /// Hash of the file now.
    pub hash: String,
    /// Places that changed, stamps left out; empty when nothing had to be written.
    pub changed_paths: Vec<String>,
    /// What the change asks of the gateway; already announced to subscribers.
    pub action: ReloadAction,
    /// The older program's file whose content moved to our own with this write.
    pub migrated_from: Option<PathBuf>,
}

impl ConfigHandle {
    /// Sets one place.
    ///
    /// # Errors
    /// When the result would not be valid or could not be written.
    pub fn set_path(&self, path: &str, value: Value) -> Result<WriteOutcome, WriteError> {
        self.write(|before| Draft::of(before, &[Edit::set(path, value)]))
    }

    /// Takes one place out.
    ///
    /// # Errors
    /// When there is nothing at it, or the result would not be valid or could not be written.
    pub fn unset_path(&self, path: &str) -> Result<WriteOutcome, WriteError> {
        self.write(|before| Draft::of(before, &[Edit::unset(path)]))
    }

    /// Replaces the whole text. The base hash is needed when there is a file.
    ///
    /// # Errors
    /// When the file changed in between, or the text is not valid or could not be written.
    pub fn replace_raw(&self, raw: &str, base_hash: Option<&str>) -> Result<WriteOutcome, WriteError> {
        self.write(|before| {
            check_base(before, base_hash)?;
            Draft::replace(before, raw)
        })
    }

    /// Applies a JSON merge patch: null deletes, lists of objects with ids merge by id unless their place is
    /// among `replace_paths`.
    ///
    /// # Errors
    /// As [`replace_raw`](Self::replace_raw).
    pub fn merge_patch(
        &self,
        raw: &str,
        base_hash: Option<&str>,
        replace_paths: &[String],
    ) -> Result<WriteOutcome, WriteError> {
        self.write(|before| {
            check_base(before, base_hash)?;
            let patch = Edit::Patch { patch: read_object(raw)?, replace_paths: replace_paths.to_vec() };
            Draft::of(before, &[patch])
        })
    }

    fn write(
        &self,
        draft: impl FnOnce(&Snapshot) -> Result<Draft, WriteError>,
    ) -> Result<WriteOutcome, WriteError> {
        let mut state = self.state();
        let before = Snapshot::load(self.source(), &Overrides::default());
        let draft = draft(&before)?;
        let (after, mut outcome) = commit(self.source(), &before, &draft, Commit::Write)?;
        if after.is_some() {
            let fresh = Snapshot::load(self.source(), &state.overrides);
            outcome.action = self.adopt(fresh, &mut state).action;
        }
        Ok(outcome)
    }
}

/// Whether what was checked is written, too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Commit {
    Write,
    /// Everything but that: the outcome says what would change.
    CheckOnly,
}

/// Makes several changes of the file in one step, without a running handle: for commands.
///
/// # Errors
/// When the result would not be valid or could not be written; then nothing is.
pub fn edit(source: &ConfigSource, edits: &[Edit], how: Commit) -> Result<WriteOutcome, WriteError> {
    let before = Snapshot::load(source, &Overrides::default());
    let draft = Draft::of(&before, edits)?;
    commit(source, &before, &draft, how).map(|(_, outcome)| outcome)
}

/// Sets one place of the file without a running handle: for commands and the first start.
///
/// # Errors
/// When the result would not be valid or could not be written.
pub fn set_path(source: &ConfigSource, path: &str, value: Value) -> Result<WriteOutcome, WriteError> {
    edit(source, &[Edit::set(path, value)], Commit::Write)
}

/// Takes one place out of the file without a running handle.
///
/// # Errors
/// When there is nothing at it, or the result would not be valid or could not be written.
pub fn unset_path(source: &ConfigSource, path: &str) -> Result<WriteOutcome, WriteError> {
    edit(source, &[Edit::unset(path)], Commit::Write)
}

/// Takes several places out of the file in one step: a file with several mistakes is valid only without all of them.
///
/// # Errors
/// When there is nothing at one of them, or the result would not be valid or could not be written.
pub fn unset_paths(source: &ConfigSource, paths: &[String]) -> Result<WriteOutcome, WriteError> {
    let before = Snapshot::load(source, &Overrides::default());
    let draft = Draft::without(&before, paths)?;
    commit(source, &before, &draft, Commit::Write).map(|(_, outcome)| outcome)
}

/// Replaces the whole text without a running handle, whatever was there: for a configuration that comes from elsewhere.
///
/// # Errors
/// When the text is not valid or could not be written.
pub fn replace_config(source: &ConfigSource, raw: &str) -> Result<WriteOutcome, WriteError> {
    let before = Snapshot::load(source, &Overrides::default());
    let draft = Draft::replace(&before, raw)?;
    commit(source, &before, &draft, Commit::Write).map(|(_, outcome)| outcome)
}

fn check_base(before: &Snapshot, base_hash: Option<&str>) -> Result<(), WriteError> {
    match base_hash {
        Some(hash) if hash == before.hash => Ok(()),
        Some(_) => Err(WriteError::Conflict { current: before.hash.clone() }),
        None if before.exists => Err(WriteError::BaseHashRequired),
        None => Ok(()),
    }
}

/// Writes a draft. The snapshot is `None` when there was nothing to write.
fn commit(
    source: &ConfigSource,
    before: &Snapshot,
    draft: &Draft,
    how: Commit,
) -> Result<(Option<Snapshot>, WriteOutcome), WriteError> {
    if source.environment.flag("HOMARD_NIX_MODE") {
        return Err(WriteError::ReadOnly);
    }
    let path = &source.paths.config_path;
    let migrated_from = (before.exists && before.path != *path).then(|| before.path.clone());
    if before.raw.as_deref() == Some(draft.text.as_str()) && migrated_from.is_none() {
        let hash = before.hash.clone();
        let outcome =
            WriteOutcome { hash, changed_paths: Vec::new(), action: ReloadAction::None, migrated_from };
        return Ok((None, outcome));
    }
    let text = stamped(&draft.text, source)?;
    let after = Snapshot::of_text(source, path, Some(text.clone()), &Overrides::default());
    if !after.valid() {
        return Err(WriteError::Invalid(after.issues));
    }
    if let Some((place, _)) =
        draft.promises.iter().find(|(place, wanted)| place.get(&after.resolved) != wanted.as_ref())
    {
        return Err(WriteError::InIncludedFile(place.to_string()));
    }
    let mut changed = changed_paths(&before.parsed, &after.parsed);
    changed.retain(|path| !path.starts_with("meta."));
    if how == Commit::CheckOnly {
        let hash = before.hash.clone();
        let outcome =
            WriteOutcome { hash, changed_paths: changed, action: ReloadAction::None, migrated_from: None };
        return Ok((None, outcome));
    }
    let replaced = replace_file(path, &text);
    let written =
        audit::Written { before, after: &after, changed: changed.len(), error: replaced.as_ref().err() };
    audit::append(source, &written).or_log("could not append to the configuration audit log");
    replaced.map_err(|source| WriteError::Io { path: path.clone(), source })?;
    if let Some(from) = &migrated_from {
        tracing::info!(from = %from.display(), to = %path.display(), "the configuration was copied; the old file is no longer read");
    }
    let outcome = WriteOutcome {
        hash: after.hash.clone(),
        changed_paths: changed,
        action: ReloadAction::None,
        migrated_from,
    };
    Ok((Some(after), outcome))
}

/// The text with the stamps of this write.
fn stamped(text: &str, source: &ConfigSource) -> Result<String, WriteError> {
    let mut value = read_object(text)?;
    let stamps = [
        ("lastTouchedVersion", env!("CARGO_PKG_VERSION").to_owned()),
        ("lastTouchedAt", source.clock.now_rfc3339()),
    ];
    if let Some(root) = value.as_object_mut() {
        let meta = root.entry("meta").or_insert_with(|| json!({}));
        for (key, stamp) in stamps {
            if let Some(meta) = meta.as_object_mut() {
                meta.insert(key.to_owned(), Value::String(stamp));
            }
        }
    }
    Ok(rewrite(text, &value))
}

/// Keeps the old file as a backup and puts the new text in its place in one step.
pub(crate) fn replace_file(path: &Path, text: &str) -> std::io::Result<()> {
    create_private_dir(path.parent().unwrap_or(Path::new(".")))?;
    let mut draft = FileDraft::private(path)?;
    draft.write_all(text.as_bytes())?;
    if path.exists() {
        rotate_backups(path).or_log("could not keep a backup of the configuration");
    }
    draft.commit()
}

#[expect(clippy::disallowed_methods, reason = "moves older backups; nothing is written")]
fn rotate_backups(path: &Path) -> std::io::Result<()> {
    let backup = |n: usize| {
        let mut name = path.as_os_str().to_owned();
        name.push(if n == 0 { ".bak".to_owned() } else { format!(".bak.{n}") });
        PathBuf::from(name)
    };
    for n in (1..BACKUPS).rev() {
        let from = backup(n - 1);
        if from.exists() {
            std::fs::rename(from, backup(n))?;
        }
    }
    replace_private(&backup(0), &std::fs::read(path)?)
}

#[cfg(test)]
mod tests;
