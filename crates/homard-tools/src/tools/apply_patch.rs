//! `apply_patch`: several changes to several files in one call, all of them or none.
//!
//! `parse` reads the format, `hunks` changes texts, `commit` writes. This file decides what the sections of a
//! patch mean for the files that are there.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::cx::ToolCx;
use crate::files::paths::{PathError, Paths};
use crate::files::undo::{KeepError, Keeper};
use crate::gate::{Effect, Subject};
use crate::outcome::ToolOutcome;
use crate::registry::ToolEntry;
use crate::tool::Tool;
use crate::tools::file_edits::off_thread::off_thread;
use crate::tools::file_edits::text_file::{self, TextFileError};

mod commit;
mod hunks;
mod parse;

use commit::{CommitError, PatchStep, commit};
use hunks::HunkError;
use parse::{Change, Hunk, ParseError, Section, parse};

pub(crate) const ENTRY: ToolEntry = ToolEntry {
    build: |options| {
        let patch = options.apply_patch?;
        let paths = Paths::new(&options.home, patch.workspace_only);
        Some(Arc::new(ApplyPatch { paths }))
    },
};

pub(crate) struct ApplyPatch {
    paths: Paths,
}

/// Change several files at once; all changes are made or none. The patch:
///
/// *** Begin Patch
///
/// *** Add File: path (then every line with +)
///
/// *** Delete File: path
///
/// *** Update File: path (optionally *** Move to: path; then hunks)
///
/// *** End Patch
///
/// A hunk is `@@` or `@@ line above it`, then about 3 kept lines around each change: a space before kept lines,
/// - before removed, + before added. It must fit one place. *** End of File ends a hunk at the file's end.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct ApplyPatchInput {
    /// The whole patch.
    #[serde(alias = "patch")]
    input: String,
}

impl Tool for ApplyPatch {
    type Input = ApplyPatchInput;
    const NAME: &'static str = "apply_patch";
    const EFFECT: Effect = Effect::Files;

    fn subject(input: &ApplyPatchInput) -> Subject {
        let mut writes = Vec::new();
        // What cannot be read is not applied either.
        for section in parse(&input.input).unwrap_or_default() {
            if let Change::Update { move_to: Some(to), .. } = section.change {
                writes.push(to);
            }
            writes.push(section.path);
        }
        Subject::writing(writes)
    }

    async fn run(&self, input: ApplyPatchInput, cx: &ToolCx) -> ToolOutcome {
        if cx.cancel.is_cancelled() {
            return ToolOutcome::error("stopped before anything was changed");
        }
        let paths = self.paths.narrowed_for(cx);
        let (workspace, keeper) = (cx.workspace.clone(), Keeper::of(cx, Self::NAME));
        off_thread(move || apply_patch(&paths, &workspace, &input.input, &keeper)).await
    }
}

/// Why a patch was not applied. Nothing has been changed, except where the text says so.
#[derive(Debug, thiserror::Error)]
enum PatchError {
    #[error("nothing was changed: {0}")]
    Parse(#[from] ParseError),
    #[error("nothing was changed: patch line {at}")]
    Section {
        at: usize,
        #[source]
        why: SectionError,
    },
    #[error(transparent)]
    Keep(#[from] KeepError),
    #[error(transparent)]
    Commit(#[from] CommitError),
}

/// Why a section cannot be done.
#[derive(Debug, thiserror::Error)]
enum SectionError {
    #[error(transparent)]
    Path(#[from] PathError),
    #[error(transparent)]
    File(#[from] TextFileError),
    #[error("`{path}`, {why}")]
    Hunk { path: String, why: HunkError },
    #[error("`{path}` exists already: use `*** Update File`, or delete it in a patch of its own")]
    Exists { path: String },
    #[error("`{path}` is used twice (also on patch line {first}): put all its changes in one section")]
    Twice { path: String, first: usize },
    #[error("`{path}` cannot be made: `{parent}` is not a directory")]
    NoDirectory { path: String, parent: PathBuf },
    #[error("`{path}` is a symbolic link: name the file it points to")]
    Link { path: String },
    #[error("could not look at `{path}`")]
    Look {
        path: String,
        #[source]
        source: io::Error,
    },
}

/// What is told about one section.
#[derive(Debug, Default)]
struct SectionReport {
    words: Vec<String>,
    added: Vec<String>,
    changed: Vec<String>,
    deleted: Vec<String>,
    diffs: Vec<String>,
}

fn apply_patch(
    paths: &Paths,
    workspace: &Path,
    input: &str,
    keeper: &Keeper,
) -> Result<ToolOutcome, PatchError> {
    let sections = parse(input)?;
    let mut plan =
        Plan { paths, workspace, used: BTreeMap::new(), steps: Vec::new(), told: SectionReport::default() };
    for section in &sections {
        plan.section(section).map_err(|why| PatchError::Section { at: section.at, why })?;
    }
    keeper.before(&plan.steps.iter().map(PatchStep::planned).collect::<Vec<_>>())?;
    commit(&plan.steps)?;
    let SectionReport { words, added, changed, deleted, diffs } = plan.told;
    let diff = text_file::shortened(diffs.concat());
    let details = json!({ "added": added, "modified": changed, "deleted": deleted, "diff": diff });
    Ok(ToolOutcome::text(words.join("\n")).with_details(details))
}

/// What will be done once every section was looked at.
struct Plan<'p> {
    paths: &'p Paths,
    workspace: &'p Path,
    /// Files by their real paths, and the line of the patch that used them first.
    used: BTreeMap<PathBuf, usize>,
    steps: Vec<PatchStep>,
    told: SectionReport,
}

/// A file of a section: as the patch names it, and where it really is.
struct Claimed<'s> {
    path: &'s str,
    real: PathBuf,
}

impl Plan<'_> {
    fn section(&mut self, section: &Section) -> Result<(), SectionError> {
        let file = self.claim(&section.path, section.at)?;
        match &section.change {
            Change::Add { content } => self.add(file, content),
            Change::Delete => self.delete(file),
            Change::Update { move_to: None, hunks } => self.update(file, hunks),
            Change::Update { move_to: Some(to), hunks } => {
                let target = self.claim(to, section.at)?;
                self.rename(file, target, hunks)
            }
        }
    }

    /// A file that no other section may use.
    fn claim<'s>(&mut self, path: &'s str, at: usize) -> Result<Claimed<'s>, SectionError> {
        let real = self.paths.resolve(self.workspace, path)?;
        if let Some(first) = self.used.insert(real.clone(), at) {
            return Err(SectionError::Twice { path: path.to_owned(), first });
        }
        Ok(Claimed { path, real })
    }

    fn add(&mut self, Claimed { path, real }: Claimed<'_>, content: &str) -> Result<(), SectionError> {
        self.check_free(path, &real)?;
        self.told.words.push(format!("added {path} ({} lines)", content.lines().count()));
        self.told.added.push(path.to_owned());
        self.told.diffs.push(text_file::diff(path, "", content));
        self.steps.push(PatchStep::Put { path: real, content: content.as_bytes().to_vec(), mode: None });
        Ok(())
    }

    fn delete(&mut self, Claimed { path, real }: Claimed<'_>) -> Result<(), SectionError> {
        self.check_no_link(path)?;
        text_file::check(&real, path)?;
        self.told.words.push(format!("deleted {path}"));
        self.told.deleted.push(path.to_owned());
        self.steps.push(PatchStep::Remove { path: real });
        Ok(())
    }

    fn update(&mut self, Claimed { path, real }: Claimed<'_>, hunks: &[Hunk]) -> Result<(), SectionError> {
        let before = text_file::load(&real, path)?;
        let after = patched(path, &before, hunks)?;
        self.told.words.push(format!("changed {path} ({} hunks)", hunks.len()));
        self.told.changed.push(path.to_owned());
        self.told.diffs.push(text_file::diff(path, &before, &after));
        self.steps.push(PatchStep::Put { path: real, content: after.into_bytes(), mode: None });
        Ok(())
    }

    fn rename(
        &mut self,
        Claimed { path, real }: Claimed<'_>,
        Claimed { path: to, real: target }: Claimed<'_>,
        hunks: &[Hunk],
    ) -> Result<(), SectionError> {
        self.check_no_link(path)?;
        let before = text_file::load(&real, path)?;
        let after = patched(path, &before, hunks)?;
        self.check_free(to, &target)?;
        let look = |source| SectionError::Look { path: path.to_owned(), source };
        let mode = fs::metadata(&real).map_err(look)?.permissions();
        self.told.words.push(format!("moved {path} to {to} ({} hunks)", hunks.len()));
        self.told.changed.push(to.to_owned());
        self.told.deleted.push(path.to_owned());
        self.told.diffs.push(text_file::diff(to, &before, &after));
        self.steps.push(PatchStep::Put { path: target, content: after.into_bytes(), mode: Some(mode) });
        self.steps.push(PatchStep::Remove { path: real });
        Ok(())
    }

    /// Nothing is there, and nothing stands where a directory is needed.
    fn check_free(&self, path: &str, real: &Path) -> Result<(), SectionError> {
        match real.symlink_metadata() {
            Ok(_) => return Err(SectionError::Exists { path: path.to_owned() }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(source) => return Err(SectionError::Look { path: path.to_owned(), source }),
        }
        for parent in real.ancestors().skip(1) {
            let is_file = parent.exists() && !parent.is_dir();
            if is_file || self.used.contains_key(parent) {
                return Err(SectionError::NoDirectory { path: path.to_owned(), parent: parent.to_owned() });
            }
        }
        let below = |(used, _): (&PathBuf, &usize)| used != real && used.starts_with(real);
        if self.used.iter().any(below) {
            return Err(SectionError::NoDirectory { path: path.to_owned(), parent: real.to_owned() });
        }
        Ok(())
    }

    /// Removing the file behind a link would leave the link behind.
    fn check_no_link(&self, path: &str) -> Result<(), SectionError> {
        if self.paths.is_link(self.workspace, path) {
            return Err(SectionError::Link { path: path.to_owned() });
        }
        Ok(())
    }
}

fn patched(path: &str, before: &str, hunks: &[Hunk]) -> Result<String, SectionError> {
    hunks::apply(before, hunks).map_err(|why| SectionError::Hunk { path: path.to_owned(), why })
}

#[cfg(test)]
mod tests;
