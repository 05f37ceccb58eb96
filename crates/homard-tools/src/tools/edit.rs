//! `edit`: one exact replacement in a text file.

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::cx::ToolCx;
use crate::files::paths::{PathError, Paths};
use crate::files::undo::{KeepError, Keeper, PlannedChange};
use crate::gate::{Effect, Subject};
use crate::outcome::ToolOutcome;
use crate::registry::ToolEntry;
use crate::tool::Tool;
use crate::tools::file_edits::nearest_lines::nearest_lines;
use crate::tools::file_edits::off_thread::off_thread;
use crate::tools::file_edits::replace_file::{ReplaceError, replace_file};
use crate::tools::file_edits::text_file::{TextFileError, diff, load};

/// Most places of a text that is there too often that are named.
const MAX_PLACES: usize = 10;

pub(crate) const ENTRY: ToolEntry = ToolEntry {
    build: |options| Some(Arc::new(Edit { paths: Paths::new(&options.home, options.workspace_only) })),
};

pub(crate) struct Edit {
    paths: Paths,
}

/// Replace one piece of text in a file. oldText must occur exactly once, whitespace included; add surrounding
/// lines until it does.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct EditInput {
    /// File, relative to the workspace or absolute.
    #[serde(alias = "file_path")]
    path: String,
    /// The text to replace.
    #[serde(rename = "oldText", alias = "old_string", alias = "old_text")]
    old_text: String,
    /// What stands there afterwards.
    #[serde(rename = "newText", alias = "new_string", alias = "new_text")]
    new_text: String,
}

impl Tool for Edit {
    type Input = EditInput;
    const NAME: &'static str = "edit";
    const EFFECT: Effect = Effect::Files;

    fn subject(input: &EditInput) -> Subject {
        Subject::writing(vec![input.path.clone()])
    }

    async fn run(&self, input: EditInput, cx: &ToolCx) -> ToolOutcome {
        if cx.cancel.is_cancelled() {
            return ToolOutcome::error("stopped before anything was changed");
        }
        let (paths, workspace) = (self.paths.for_change(cx), cx.workspace.clone());
        let keeper = Keeper::of(cx, Self::NAME);
        off_thread(move || edit(&paths, &workspace, &input, &keeper)).await
    }
}

/// Why a file was not changed.
#[derive(Debug, thiserror::Error)]
enum EditError {
    #[error(transparent)]
    Path(#[from] PathError),
    #[error(transparent)]
    Replace(#[from] ReplaceError),
    #[error(transparent)]
    Keep(#[from] KeepError),
    #[error(transparent)]
    File(#[from] TextFileError),
    #[error("nothing was changed in `{path}`: {why}")]
    Unchanged { path: String, why: Mismatch },
}

fn edit(
    paths: &Paths,
    workspace: &Path,
    input: &EditInput,
    keeper: &Keeper,
) -> Result<ToolOutcome, EditError> {
    let real = paths.resolve(workspace, &input.path)?;
    let before = load(&real, &input.path)?;
    let edited = replace_once(&before, &input.old_text, &input.new_text)
        .map_err(|why| EditError::Unchanged { path: input.path.clone(), why })?;
    keeper.before(&[PlannedChange::put(&real, edited.text.as_bytes())])?;
    replace_file(&real, edited.text.as_bytes())?;
    let text = format!("changed {} at line {}", input.path, edited.line);
    let details =
        json!({ "diff": diff(&input.path, &before, &edited.text), "firstChangedLine": edited.line });
    Ok(ToolOutcome::text(text).with_details(details))
}

/// A text with one replacement made.
#[derive(Debug, PartialEq, Eq)]
struct Edited {
    text: String,
    /// The line where the replacement begins, counted from 1.
    line: usize,
}

/// Why a replacement could not be made.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
enum Mismatch {
    #[error("oldText is empty; use write to create a file")]
    Empty,
    #[error("oldText and newText are the same")]
    Same,
    #[error("oldText occurs 0 times; it must match exactly, whitespace included{near}")]
    Absent { near: String },
    #[error("oldText occurs {count} times (lines {lines}); add surrounding lines so that it occurs once")]
    Ambiguous { count: usize, lines: String },
}

fn replace_once(text: &str, old: &str, new: &str) -> Result<Edited, Mismatch> {
    if old.is_empty() {
        return Err(Mismatch::Empty);
    }
    if old == new {
        return Err(Mismatch::Same);
    }
    let (old, new) = (with_line_ends_of(text, old), with_line_ends_of(text, new));
    let places = places(text, &old);
    match places.as_slice() {
        [at] => Ok(splice(text, *at, old.len(), &new)),
        [] => Err(Mismatch::Absent { near: nearest_lines(text, &old) }),
        many => {
            let lines: Vec<String> =
                many.iter().take(MAX_PLACES).map(|&at| line_of(text, at).to_string()).collect();
            Err(Mismatch::Ambiguous { count: many.len(), lines: lines.join(", ") })
        }
    }
}

/// Models write plain line ends; a file that has only the other kind keeps its own.
fn with_line_ends_of<'t>(file: &str, text: &'t str) -> Cow<'t, str> {
    let windows_only = file.contains("\r\n") && file.matches('\n').count() == file.matches("\r\n").count();
    if windows_only && text.contains('\n') && !text.contains('\r') {
        return Cow::Owned(text.replace('\n', "\r\n"));
    }
    Cow::Borrowed(text)
}

/// Where `old` begins in `text`, overlapping places included, since any of them could have been meant.
fn places(text: &str, old: &str) -> Vec<usize> {
    let step = old.chars().next().map_or(1, char::len_utf8);
    let mut places = Vec::new();
    let mut from = 0;
    while let Some(found) = text.get(from..).and_then(|rest| rest.find(old)) {
        places.push(from + found);
        from += found + step;
    }
    places
}

fn splice(text: &str, at: usize, length: usize, new: &str) -> Edited {
    let (before, rest) = text.split_at(at);
    let after = rest.get(length..).unwrap_or_default();
    Edited { text: [before, new, after].concat(), line: line_of(text, at) }
}

fn line_of(text: &str, at: usize) -> usize {
    text.bytes().take(at).filter(|&byte| byte == b'\n').count() + 1
}

#[cfg(test)]
mod tests;
