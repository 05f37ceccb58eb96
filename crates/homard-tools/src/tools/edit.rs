//! `edit`: one exact replacement in a text file.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use similar::TextDiff;

use crate::cx::ToolCx;
use crate::outcome::ToolOutcome;
use crate::paths::{PathError, Paths};
use crate::registry::ToolEntry;
use crate::tool::Tool;
use crate::tools::near_names::near_names;
use crate::tools::off_thread::off_thread;
use crate::tools::replace_file::{ReplaceError, replace_file};

/// Largest file that can be edited.
const MAX_BYTES: u64 = 10 * 1024 * 1024;
/// Longest diff kept for people to read.
const MAX_DIFF_BYTES: usize = 64 * 1024;
/// How long the diff may look for the shortest answer.
const DIFF_TIME: Duration = Duration::from_millis(200);
/// Lines around a change in the diff.
const DIFF_CONTEXT: usize = 3;
/// Most places of a text that is there too often that are named.
const MAX_PLACES: usize = 10;
/// Most lines compared when looking for what was meant.
const MAX_COMPARED_LINES: usize = 20_000;
/// Most of a line that is compared and shown.
const MAX_LINE_CHARS: usize = 200;
/// Most nearest lines shown.
const MAX_NEAR: usize = 3;
/// Least likeness (0 to 1) of a line that is shown.
const LIKENESS: f64 = 0.5;

pub(crate) const ENTRY: ToolEntry = ToolEntry {
    build: |options| {
        Arc::new(Edit { paths: Paths { home: options.home.clone(), workspace_only: options.workspace_only } })
    },
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

    async fn run(&self, input: EditInput, cx: &ToolCx) -> ToolOutcome {
        if cx.cancel.is_cancelled() {
            return ToolOutcome::error("stopped before anything was changed");
        }
        let (paths, workspace) = (self.paths.clone(), cx.workspace.clone());
        off_thread(move || edit(&paths, &workspace, &input)).await
    }
}

/// Why a file was not changed.
#[derive(Debug, thiserror::Error)]
enum EditError {
    #[error(transparent)]
    Path(#[from] PathError),
    #[error(transparent)]
    Replace(#[from] ReplaceError),
    #[error("there is no file `{path}`{near}")]
    Missing { path: String, near: String },
    #[error("`{path}` is not a regular file")]
    NotAFile { path: String },
    #[error("`{path}` is larger than {MAX_BYTES} bytes; use exec to change it")]
    TooLarge { path: String },
    #[error("`{path}` is not UTF-8 text (at byte {at}); use exec to change it")]
    NotText { path: String, at: usize },
    #[error("could not read `{path}`")]
    Io {
        path: String,
        #[source]
        source: io::Error,
    },
    #[error("nothing was changed in `{path}`: {why}")]
    Unchanged { path: String, why: Mismatch },
}

fn edit(paths: &Paths, workspace: &Path, input: &EditInput) -> Result<ToolOutcome, EditError> {
    let real = paths.resolve(workspace, &input.path)?;
    let before = load(&real, &input.path)?;
    let edited = replace_once(&before, &input.old_text, &input.new_text)
        .map_err(|why| EditError::Unchanged { path: input.path.clone(), why })?;
    replace_file(&real, edited.text.as_bytes())?;
    let text = format!("changed {} at line {}", input.path, edited.line);
    let details =
        json!({ "diff": diff(&input.path, &before, &edited.text), "firstChangedLine": edited.line });
    Ok(ToolOutcome::text(text).with_details(details))
}

fn load(real: &Path, path: &str) -> Result<String, EditError> {
    let found = real.metadata().map_err(|source| match source.kind() {
        io::ErrorKind::NotFound => EditError::Missing { path: path.to_owned(), near: near_names(real) },
        _ => EditError::Io { path: path.to_owned(), source },
    })?;
    if !found.is_file() {
        return Err(EditError::NotAFile { path: path.to_owned() });
    }
    let mut bytes = Vec::new();
    File::open(real)
        .and_then(|file| file.take(MAX_BYTES + 1).read_to_end(&mut bytes))
        .map_err(|source| EditError::Io { path: path.to_owned(), source })?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(EditError::TooLarge { path: path.to_owned() });
    }
    String::from_utf8(bytes)
        .map_err(|error| EditError::NotText { path: path.to_owned(), at: error.utf8_error().valid_up_to() })
}

fn diff(path: &str, before: &str, after: &str) -> String {
    let diff = TextDiff::configure().timeout(DIFF_TIME).diff_lines(before, after);
    let mut text = diff.unified_diff().context_radius(DIFF_CONTEXT).header(path, path).to_string();
    if text.len() > MAX_DIFF_BYTES {
        text.truncate(text.floor_char_boundary(MAX_DIFF_BYTES));
        text.push_str("\n[the rest of the diff was left out]\n");
    }
    text
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
        [] => Err(Mismatch::Absent { near: nearest(text, &old) }),
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

/// The lines most like the first line that was asked for, so that the model can see what really stands there.
fn nearest(text: &str, old: &str) -> String {
    let cut = |line: &str| line.trim().chars().take(MAX_LINE_CHARS).collect::<String>();
    let Some(wanted) = old.lines().map(cut).find(|line| !line.is_empty()) else { return String::new() };
    let lines = text.lines().enumerate().take(MAX_COMPARED_LINES);
    let mut alike: Vec<(f64, usize, String)> = lines
        .map(|(index, line)| (strsim::sorensen_dice(&wanted, &cut(line)), index + 1, line))
        .filter(|(likeness, _, line)| *likeness >= LIKENESS && !line.trim().is_empty())
        .map(|(likeness, number, line)| (likeness, number, line.chars().take(MAX_LINE_CHARS).collect()))
        .collect();
    alike.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    alike.truncate(MAX_NEAR);
    if alike.is_empty() {
        return "; no line is like its first one: read the file again".to_owned();
    }
    let shown: String = alike.iter().map(|(_, number, line)| format!("\n{number}: {line}")).collect();
    format!(". Nearest lines:{shown}")
}

#[cfg(test)]
mod tests;
