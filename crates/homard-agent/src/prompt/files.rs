//! The owner's files in the workspace: which there are, which are told to whom, and how much of them.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;
use std::time::SystemTime;

use super::input::Audience;
use homard_runtime::Clip;

/// What the assistant is told how to work by.
pub(super) const AGENTS: &str = "AGENTS.md";
/// Its manner.
pub(super) const SOUL: &str = "SOUL.md";
/// Notes about the machine.
pub(super) const TOOLS: &str = "TOOLS.md";
/// Who the owner is.
pub(super) const USER: &str = "USER.md";
/// What it does when it wakes up by itself.
pub(super) const HEARTBEAT: &str = "HEARTBEAT.md";
/// The first conversation's plan.
pub(super) const BOOTSTRAP: &str = "BOOTSTRAP.md";
/// What is remembered for good.
pub(super) const MEMORY: &str = "MEMORY.md";
/// The other spelling of [`MEMORY`].
const SMALL_MEMORY: &str = "memory.md";

/// The files of a workspace, in the order they are told.
pub(super) const NAMES: [&str; 8] = [AGENTS, SOUL, TOOLS, "IDENTITY.md", USER, HEARTBEAT, BOOTSTRAP, MEMORY];

/// Most bytes read of one file; what is longer is cut far below this anyway.
const MAX_READ_BYTES: u64 = 2 * 1024 * 1024;
/// Share of a cut file that is kept from its beginning, in tenths.
const HEAD_TENTHS: usize = 7;
/// Share of a cut file that is kept from its end, in tenths.
const TAIL_TENTHS: usize = 2;
/// A file that has less room than this left is not begun.
const MIN_FILE_CHARS: usize = 64;

/// What tells whether a file is still what it was.
pub(super) type Stamp = Option<(SystemTime, u64)>;

/// A file as it was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) name: String,
    /// `None` when there is none, or none that may be read.
    pub(super) text: Option<String>,
}

/// A file as it is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Told {
    pub(super) name: String,
    /// What the model reads of it; nothing when it is missing, empty, or there was no room.
    pub(super) text: Option<String>,
    pub(super) raw_chars: usize,
    pub(super) injected_chars: usize,
    pub(super) is_missing: bool,
    /// Whether what is told is not all of it.
    pub(super) is_truncated: bool,
}

/// When the files last changed, in the order of [`read`].
pub(super) fn stamps(workspace: &Path) -> Vec<Stamp> {
    let stamp = |name: &str| {
        let metadata = std::fs::metadata(workspace.join(name)).ok()?;
        Some((metadata.modified().ok()?, metadata.len()))
    };
    NAMES.into_iter().chain([SMALL_MEMORY]).map(stamp).collect()
}

/// Reads the files.
pub(super) fn read(workspace: &Path) -> Vec<Found> {
    let found = |name: &str| Found { name: name.to_owned(), text: text_of(workspace, name) };
    let usual = NAMES.into_iter().map(|name| match found(name) {
        missing if missing.text.is_none() && name == MEMORY => found(SMALL_MEMORY),
        there => there,
    });
    usual.collect()
}

/// The text of a file in the workspace. A link that leads out of it is as good as no file: a model that can
/// write a link must not be told the owner's keys by its own prompt.
fn text_of(workspace: &Path, name: &str) -> Option<String> {
    let real = workspace.join(name).canonicalize().ok()?;
    if !real.starts_with(workspace.canonicalize().ok()?) {
        tracing::warn!(file = name, "a workspace file is a link that leads out of the workspace; not told");
        return None;
    }
    if !real.metadata().ok()?.is_file() {
        return None;
    }
    let mut bytes = Vec::new();
    File::open(&real).ok()?.take(MAX_READ_BYTES).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// Whether a text says nothing: only white space and comments.
pub(super) fn is_blank(text: &str) -> bool {
    let mut rest = text.trim_start();
    while let Some(comment) = rest.strip_prefix("<!--") {
        match comment.split_once("-->") {
            Some((_, after)) => rest = after.trim_start(),
            None => return true,
        }
    }
    rest.is_empty()
}

/// Whether a file is for this audience. Helpers get what they need for work; many people never get what is
/// between the owner and the assistant.
fn is_for(audience: Audience, name: &str) -> bool {
    match audience {
        Audience::Owner => true,
        Audience::Group => ![USER, HEARTBEAT, BOOTSTRAP, MEMORY, SMALL_MEMORY].contains(&name),
        Audience::Worker => [AGENTS, TOOLS].contains(&name),
    }
}

/// What is told of the files, within both limits.
pub(super) fn told(found: &[Found], audience: Audience, per_file: usize, total: usize) -> Vec<Told> {
    let mut room = total;
    let mut told = Vec::new();
    for file in found.iter().filter(|file| is_for(audience, &file.name)) {
        let text = file.text.as_deref().unwrap_or_default().trim_end();
        let limit = per_file.min(room);
        let kept = (!is_blank(text) && limit >= MIN_FILE_CHARS).then(|| cut(text, limit));
        let (raw_chars, injected_chars) = match &kept {
            Some(kept) => (text.chars().count(), kept.chars().count()),
            None if is_blank(text) => (0, 0),
            None => (text.chars().count(), 0),
        };
        room = room.saturating_sub(injected_chars);
        told.push(Told {
            name: file.name.clone(),
            text: kept,
            raw_chars,
            injected_chars,
            is_missing: file.text.is_none(),
            is_truncated: raw_chars > limit || raw_chars > injected_chars,
        });
    }
    told
}

/// Keeps the beginning and the end of a text that is too long, and says how much is missing.
pub(super) fn cut(text: &str, limit: usize) -> String {
    let length = text.chars().count();
    if length <= limit {
        return text.to_owned();
    }
    let head = text.clip_chars(limit * HEAD_TENTHS / 10).to_owned();
    let tail: String = text.chars().skip(length - limit * TAIL_TENTHS / 10).collect();
    let missing = length - head.chars().count() - tail.chars().count();
    format!("{head}\n[… {missing} characters left out; read the file for the rest …]\n{tail}")
}

#[cfg(test)]
mod tests;
