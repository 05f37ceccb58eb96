//! Which files hold words of others, so that reading one in another conversation, or after a restart, is not
//! taken for the owner's words.
//!
//! A short list of paths in a file of its own. It is no proof that a file is clean: copies made by commands are
//! not seen.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, MutexGuard};

use homard_runtime::{Mutex, hex};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::tools::file_edits::replace_file::replace_file;
use crate::words_of_others::taint::{Label, Source};

/// Files remembered; beyond it the ones marked first are forgotten.
const MAX_FILES: usize = 4_096;
/// Largest file that is known again by its content.
const MAX_HASHED: u64 = 16 * 1024 * 1024;
/// Where words in a file came from that somebody attached, the owner included.
const ATTACHED: &str = "attached to a message";
/// Shortest file name that is looked for in command lines.
const MIN_NAMED: usize = 3;

/// The list. Clone-cheap: clones share it. The default is kept in memory only.
#[derive(Debug, Clone, Default)]
pub struct TaintedFiles {
    inner: Arc<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    kept_in: Option<PathBuf>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    loaded: bool,
    files: Vec<Tainted>,
}

/// One file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Tainted {
    path: PathBuf,
    /// Where its words came from.
    from: Label,
    /// Its size and the SHA-256 of its content when it was marked, by which a copy is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    content: Option<(u64, String)>,
    /// Whether the owner has written it anew since. It is not forgotten, because that can be undone.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    is_over: bool,
}

impl TaintedFiles {
    /// The list kept in this file; read when it is first needed.
    #[must_use]
    pub fn kept_in(file: PathBuf) -> Self {
        Self { inner: Arc::new(Inner { kept_in: Some(file), state: Mutex::default() }) }
    }

    /// These files hold words of others from now on. Blocks on the disk.
    pub fn mark(&self, paths: &[PathBuf], from: &Label) {
        // The list has real paths, whatever way whoever marks goes; one that is not there yet may come.
        let real = |path: &PathBuf| path.canonicalize().unwrap_or_else(|_absent| without_links(path));
        let paths: Vec<PathBuf> = paths.iter().map(real).collect();
        let contents: Vec<_> = paths.iter().map(|path| content_of(path)).collect();
        let mut state = self.state();
        for (path, content) in paths.into_iter().zip(contents) {
            state.files.retain(|file| file.path != path);
            state.files.push(Tainted { path, from: from.clone(), content, is_over: false });
        }
        let surplus = state.files.len().saturating_sub(MAX_FILES);
        state.files.drain(..surplus);
        self.save(&state);
    }

    /// A file that came with a message: somebody made it, whoever passed it on. Blocks on the disk.
    pub fn mark_attached(&self, path: &Path) {
        self.mark(&[path.to_owned()], &Label::new(Source::File, ATTACHED));
    }

    /// These files were written anew by the owner. Blocks on the disk.
    pub(crate) fn unmark(&self, paths: &[PathBuf]) {
        self.set_over(paths, true);
    }

    /// These files hold again what they held before: if that was words of others, they are marked again. Blocks on
    /// the disk.
    pub fn restored(&self, paths: &[PathBuf]) {
        self.set_over(paths, false);
    }

    fn set_over(&self, paths: &[PathBuf], is_over: bool) {
        let mut state = self.state();
        let mut changed = false;
        for file in state.files.iter_mut().filter(|file| paths.contains(&file.path)) {
            changed |= file.is_over != is_over;
            file.is_over = is_over;
        }
        if changed {
            self.save(&state);
        }
    }

    /// The label of a file's content, when it holds words of others. Blocks on the disk the first time.
    #[must_use]
    pub fn label_of(&self, path: &Path) -> Option<Label> {
        self.state().files.iter().find(|file| !file.is_over && file.path == path).map(Tainted::label)
    }

    /// The label of a file by its name, or by what it holds where that was marked under another. Blocks on the disk.
    #[must_use]
    pub fn label_by_name_or_content(&self, path: &Path) -> Option<Label> {
        self.label_of(path).or_else(|| self.label_of_content(path))
    }

    /// The label of a file that holds what a marked one held. Blocks on the disk.
    pub(crate) fn label_of_content(&self, path: &Path) -> Option<Label> {
        let size = path.metadata().ok()?.len();
        let of_size = |file: &&Tainted| file.content.as_ref().is_some_and(|(known, _)| *known == size);
        let is_possible = self.state().files.iter().any(|file| of_size(&file));
        let content = is_possible.then(|| content_of(path)).flatten()?;
        self.state().files.iter().find(|file| file.content.as_ref() == Some(&content)).map(Tainted::label)
    }

    /// The label of a marked file below a folder, if there is one.
    pub(crate) fn label_below(&self, folder: &Path) -> Option<Label> {
        let state = self.state();
        state.files.iter().find(|file| !file.is_over && file.path.starts_with(folder)).map(Tainted::label)
    }

    /// The label of a file whose name a command line has. Names are compared, not paths: a command may be
    /// anywhere.
    pub(crate) fn named_in(&self, command: &str) -> Option<Label> {
        let state = self.state();
        let is_named = |file: &&Tainted| {
            let name = file.path.file_name().and_then(|name| name.to_str());
            !file.is_over && name.is_some_and(|name| name.len() >= MIN_NAMED && has_word(command, name))
        };
        state.files.iter().find(is_named).map(Tainted::label)
    }

    /// What is known, read from the disk if it has not been.
    fn state(&self) -> MutexGuard<'_, State> {
        let mut state = self.inner.state.lock();
        if !state.loaded {
            state.loaded = true;
            if let Some(kept_in) = &self.inner.kept_in {
                state.files = load(kept_in);
            }
        }
        state
    }

    fn save(&self, state: &State) {
        let Some(kept_in) = &self.inner.kept_in else { return };
        let written = serde_json::to_vec(&state.files).map_err(io::Error::other);
        let saved = written.map_err(|error| error.to_string()).and_then(|bytes| {
            replace_file(&without_links(kept_in), &bytes).map_err(|error| error.to_string())
        });
        if let Err(error) = saved {
            tracing::error!(
                error,
                "the list of files with words of others could not be kept; it holds until the restart"
            );
        }
    }
}

impl Tainted {
    fn label(&self) -> Label {
        if self.from.source == Source::File && self.from.detail == ATTACHED {
            return Label::new(Source::File, format!("{} ({ATTACHED})", self.path.display()));
        }
        Label::new(
            Source::File,
            format!("{} (written while a {} was in play)", self.path.display(), self.from),
        )
    }
}

/// A file's size and the hash of its content; nothing for what is no file, empty or too large.
fn content_of(path: &Path) -> Option<(u64, String)> {
    let about = path.metadata().ok()?;
    if !about.is_file() || about.len() == 0 || about.len() > MAX_HASHED {
        return None;
    }
    let hash = Sha256::digest(std::fs::read(path).ok()?);
    Some((about.len(), hex(&hash)))
}

fn load(file: &Path) -> Vec<Tainted> {
    match std::fs::read(file) {
        Ok(bytes) => serde_json::from_slice(&bytes).unwrap_or_else(|error| {
            tracing::error!(%error, "the list of files with words of others cannot be read and begins anew");
            Vec::new()
        }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
        Err(error) => {
            tracing::error!(%error, "the list of files with words of others cannot be read and begins anew");
            Vec::new()
        }
    }
}

/// Whether `name` stands in `text` with nothing of a name around it.
fn has_word(text: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    text.match_indices(name).any(|(at, _)| {
        let before = text.get(..at).and_then(|before| before.chars().next_back());
        let after = text.get(at + name.len()..).and_then(|after| after.chars().next());
        !before.is_some_and(is_part) && !after.is_some_and(is_part)
    })
}

/// A path whose folder is real; the owner may keep the state directory behind a link.
fn without_links(path: &Path) -> PathBuf {
    let folder = path.parent().and_then(|folder| folder.canonicalize().ok());
    folder.and_then(|folder| Some(folder.join(path.file_name()?))).unwrap_or_else(|| path.to_owned())
}

#[cfg(test)]
mod tests;
