//! `write`: a whole file, new or replaced.

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
use crate::tools::file_edits::off_thread::off_thread;
use crate::tools::file_edits::replace_file::{ReplaceError, check_replaceable, replace_file};

/// Largest content of one call.
const MAX_BYTES: usize = 10 * 1024 * 1024;

pub(crate) const ENTRY: ToolEntry = ToolEntry {
    build: |options| Some(Arc::new(Write { paths: Paths::new(&options.home, options.workspace_only) })),
};

pub(crate) struct Write {
    paths: Paths,
}

/// Write a whole file, creating it and its directories or replacing what was there. To change part of a file
/// use edit.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct WriteInput {
    /// File, relative to the workspace or absolute.
    #[serde(alias = "file_path")]
    path: String,
    /// Everything the file shall hold.
    content: String,
}

impl Tool for Write {
    type Input = WriteInput;
    const NAME: &'static str = "write";
    const EFFECT: Effect = Effect::Files;

    fn subject(input: &WriteInput) -> Subject {
        Subject { replaces: true, ..Subject::writing(vec![input.path.clone()]) }
    }

    async fn run(&self, input: WriteInput, cx: &ToolCx) -> ToolOutcome {
        if cx.cancel.is_cancelled() {
            return ToolOutcome::error("stopped before anything was written");
        }
        let (paths, workspace) = (self.paths.for_change(cx), cx.workspace.clone());
        let keeper = Keeper::of(cx, Self::NAME);
        off_thread(move || write(&paths, &workspace, &input, &keeper)).await
    }
}

/// Why a file was not written.
#[derive(Debug, thiserror::Error)]
enum WriteError {
    #[error(transparent)]
    Path(#[from] PathError),
    #[error(transparent)]
    Replace(#[from] ReplaceError),
    #[error(transparent)]
    Keep(#[from] KeepError),
    #[error("the content has {bytes} bytes; at most {MAX_BYTES} can be written in one call")]
    TooLarge { bytes: usize },
}

fn write(
    paths: &Paths,
    workspace: &Path,
    input: &WriteInput,
    keeper: &Keeper,
) -> Result<ToolOutcome, WriteError> {
    let bytes = input.content.len();
    if bytes > MAX_BYTES {
        return Err(WriteError::TooLarge { bytes });
    }
    let real = paths.resolve(workspace, &input.path)?;
    check_replaceable(&real)?;
    keeper.before(&[PlannedChange::put(&real, input.content.as_bytes())])?;
    let created = replace_file(&real, input.content.as_bytes())?;
    let done = if created { "created" } else { "replaced" };
    let text = format!("{done} {} ({bytes} bytes)", input.path);
    Ok(ToolOutcome::text(text).with_details(json!({ "bytes": bytes, "created": created })))
}

#[cfg(test)]
mod tests;
