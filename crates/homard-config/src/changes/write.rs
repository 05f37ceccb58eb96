//! Changing the file.
//!
//! Every way of changing it ends in one `commit`: stamp, check, back up, replace atomically, audit. An
//! invalid configuration is never written. Comments, layout and `${VAR}` references survive, and redaction
//! sentinels sent back by clients stand for the secret on disk. Writes go to `Paths::config_path`; when the
//! settings were read from an older program's file, that file is left as it is and its content moves over.

use std::io::Write;
use std::path::{Path, PathBuf};

use homard_runtime::{FileDraft, OrLog, create_private_dir, replace_private};
use serde_json::{Value, json};

use crate::changes::audit;
use crate::changes::handle::ConfigHandle;
use crate::changes::overrides::Overrides;
use crate::changes::reload::ReloadAction;
use crate::changes::restore::{NothingToRestore, restore};
use crate::issue::{Issue, listed};
use crate::load::{ConfigSource, Snapshot};
use crate::syntax::document;
use crate::syntax::merge_patch::merge_patch;
use crate::syntax::splice::rewrite;
use crate::syntax::substitute::expand;
use crate::syntax::value_path::{PathSyntaxError, ValuePath, changed_paths};

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
        self.write(|before| Draft::set(before, path, value))
    }

    /// Takes one place out.
    ///
    /// # Errors
    /// When there is nothing at it, or the result would not be valid or could not be written.
    pub fn unset_path(&self, path: &str) -> Result<WriteOutcome, WriteError> {
        self.write(|before| Draft::unset(before, path))
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
            Draft::patch(before, raw, replace_paths)
        })
    }

    fn write(
        &self,
        draft: impl FnOnce(&Snapshot) -> Result<Draft, WriteError>,
    ) -> Result<WriteOutcome, WriteError> {
        let mut state = self.state();
        let before = Snapshot::load(self.source(), &Overrides::default());
        let draft = draft(&before)?;
        let (after, mut outcome) = commit(self.source(), &before, &draft)?;
        if after.is_some() {
            let fresh = Snapshot::load(self.source(), &state.overrides);
            outcome.action = self.adopt(fresh, &mut state).action;
        }
        Ok(outcome)
    }
}

/// Sets one place of the file without a running handle: for commands and the first start.
///
/// # Errors
/// When the result would not be valid or could not be written.
pub fn set_path(source: &ConfigSource, path: &str, value: Value) -> Result<WriteOutcome, WriteError> {
    let before = Snapshot::load(source, &Overrides::default());
    let draft = Draft::set(&before, path, value)?;
    commit(source, &before, &draft).map(|(_, outcome)| outcome)
}

/// Takes one place out of the file without a running handle.
///
/// # Errors
/// When there is nothing at it, or the result would not be valid or could not be written.
pub fn unset_path(source: &ConfigSource, path: &str) -> Result<WriteOutcome, WriteError> {
    let before = Snapshot::load(source, &Overrides::default());
    let draft = Draft::unset(&before, path)?;
    commit(source, &before, &draft).map(|(_, outcome)| outcome)
}

/// Takes several places out of the file in one step: a file with several mistakes is valid only without all of them.
///
/// # Errors
/// When there is nothing at one of them, or the result would not be valid or could not be written.
pub fn unset_paths(source: &ConfigSource, paths: &[String]) -> Result<WriteOutcome, WriteError> {
    let before = Snapshot::load(source, &Overrides::default());
    let mut new = readable(&before)?.clone();
    // From the back, so that what is taken out of a list does not move what is still to go.
    for path in paths.iter().rev() {
        if ValuePath::parse(path)?.remove(&mut new).is_none() {
            return Err(WriteError::NotSet(path.clone()));
        }
    }
    let draft = Draft { text: rewrite(text_of(&before), &new), promise: None };
    commit(source, &before, &draft).map(|(_, outcome)| outcome)
}

/// Replaces the whole text without a running handle, whatever was there: for a configuration that comes from elsewhere.
///
/// # Errors
/// When the text is not valid or could not be written.
pub fn replace_config(source: &ConfigSource, raw: &str) -> Result<WriteOutcome, WriteError> {
    let before = Snapshot::load(source, &Overrides::default());
    let draft = Draft::replace(&before, raw)?;
    commit(source, &before, &draft).map(|(_, outcome)| outcome)
}

fn check_base(before: &Snapshot, base_hash: Option<&str>) -> Result<(), WriteError> {
    match base_hash {
        Some(hash) if hash == before.hash => Ok(()),
        Some(_) => Err(WriteError::Conflict { current: before.hash.clone() }),
        None if before.exists => Err(WriteError::BaseHashRequired),
        None => Ok(()),
    }
}

/// A new text, and what must be true of it once it is resolved.
struct Draft {
    text: String,
    /// A place and the value it must resolve to; `None` for a place that must be gone.
    promise: Option<(ValuePath, Option<Value>)>,
}

impl Draft {
    fn set(before: &Snapshot, path: &str, value: Value) -> Result<Self, WriteError> {
        let place = ValuePath::parse(path)?;
        let mut new = readable(before)?.clone();
        if !place.set(&mut new, value) {
            return Err(WriteError::InTheWay(path.to_owned()));
        }
        restore(&mut new, &before.parsed, &before.environment)?;
        let promise = place.get(&new).map(|v| expanded(v, before));
        Ok(Self { text: rewrite(text_of(before), &new), promise: Some((place, promise)) })
    }

    fn unset(before: &Snapshot, path: &str) -> Result<Self, WriteError> {
        let place = ValuePath::parse(path)?;
        let mut new = readable(before)?.clone();
        if place.remove(&mut new).is_none() {
            let included = place.get(&before.resolved).is_some();
            let path = path.to_owned();
            return Err(if included { WriteError::InIncludedFile(path) } else { WriteError::NotSet(path) });
        }
        // Taking an element out of a list moves the others; then nothing can be promised about the place.
        let in_list =
            path.ends_with(']') || path.rsplit('.').next().is_some_and(|last| last.parse::<usize>().is_ok());
        Ok(Self { text: rewrite(text_of(before), &new), promise: (!in_list).then_some((place, None)) })
    }

    fn replace(before: &Snapshot, raw: &str) -> Result<Self, WriteError> {
        let mut new = object(raw)?;
        restore(&mut new, &before.parsed, &before.environment)?;
        Ok(Self { text: rewrite(raw, &new), promise: None })
    }

    fn patch(before: &Snapshot, raw: &str, replace_paths: &[String]) -> Result<Self, WriteError> {
        let patch = object(raw)?;
        let mut new = readable(before)?.clone();
        merge_patch(&mut new, &patch, replace_paths);
        restore(&mut new, &before.parsed, &before.environment)?;
        Ok(Self { text: rewrite(text_of(before), &new), promise: None })
    }
}

fn object(raw: &str) -> Result<Value, WriteError> {
    let value = document::parse(raw).map_err(|e| WriteError::Syntax(e.to_string()))?.to_value();
    if value.is_object() {
        Ok(value)
    } else {
        Err(WriteError::Syntax("expected one object { … }".to_owned()))
    }
}

/// The value on disk, when there is one to change.
fn readable(before: &Snapshot) -> Result<&Value, WriteError> {
    let broken = before.exists
        && before.raw.as_deref().is_none_or(|raw| !raw.trim().is_empty() && object(raw).is_err());
    if broken { Err(WriteError::BrokenOnDisk(before.issues.clone())) } else { Ok(&before.parsed) }
}

fn text_of(before: &Snapshot) -> &str {
    before.raw.as_deref().filter(|raw| !raw.trim().is_empty()).unwrap_or("{}\n")
}

fn expanded(value: &Value, before: &Snapshot) -> Value {
    match value {
        Value::String(text) => Value::String(expand(text, &before.environment).0),
        Value::Array(items) => Value::Array(items.iter().map(|v| expanded(v, before)).collect()),
        Value::Object(map) => {
            Value::Object(map.iter().map(|(k, v)| (k.clone(), expanded(v, before))).collect())
        }
        other => other.clone(),
    }
}

/// Writes a draft. The snapshot is `None` when there was nothing to write.
fn commit(
    source: &ConfigSource,
    before: &Snapshot,
    draft: &Draft,
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
    if let Some((place, wanted)) = &draft.promise
        && place.get(&after.resolved) != wanted.as_ref()
    {
        return Err(WriteError::InIncludedFile(place.to_string()));
    }
    let mut changed = changed_paths(&before.parsed, &after.parsed);
    changed.retain(|path| !path.starts_with("meta."));
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
    let mut value = object(text)?;
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
