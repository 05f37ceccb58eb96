//! What the model is told first: who it is, how it works, its folder, and the owner's own files.
//!
//! Nothing here changes between turns unless a file or a setting does, so providers can keep it; files are read
//! again only when their stamp changes. `input` is what a prompt is made from, `sections` writes it, `files`
//! reads the workspace, `seed` begins a new one, `report` says where the tokens go.

mod files;
mod input;
mod report;
mod sections;
mod seed;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use homard_protocol::prompt_report::PromptReport;
use homard_runtime::{Clock, Mutex, is_far};
use homard_tools::ToolSpec;

use files::{Found, Stamp};
pub use input::{Audience, FileRules, PromptInput, PromptMode, Surroundings};
use report::Parts;
use sections::Material;
pub use seed::{prepare as prepare_workspace, prepare_whole as prepare_whole_workspace};

/// How long the files are taken to be as they were.
const LOOK_AGAIN_AFTER: Duration = Duration::from_secs(1);
/// Prompts kept; one per combination of agent, model and kind of conversation in use.
const MAX_MADE: usize = 64;
/// Workspaces whose files are kept in memory.
const MAX_FOLDERS: usize = 64;

/// The workspace could not be used.
#[derive(Debug, thiserror::Error)]
#[error("the workspace `{path}` cannot be made or read: check agents.defaults.workspace")]
pub struct PromptError {
    pub path: PathBuf,
    #[source]
    pub source: std::io::Error,
}

/// A prompt, and where its tokens go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SystemPrompt {
    /// What the model is told.
    pub text: Arc<str>,
    /// The sizes of its parts.
    pub report: Arc<PromptReport>,
}

type Tools = Arc<[Arc<ToolSpec>]>;

/// Builds system prompts and keeps them while nothing changed.
#[derive(Debug, Default)]
pub struct Prompt {
    clock: Clock,
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    folders: HashMap<PathBuf, Folder>,
    made: Vec<Made>,
    /// Counts readings of folders, so that a prompt knows which one it was made from.
    readings: u64,
}

/// The files of a workspace as they were found.
#[derive(Debug, Clone)]
struct Folder {
    stamps: Vec<Stamp>,
    files: Arc<[Found]>,
    reading: u64,
    looked_at: Option<Instant>,
    /// Whether looking may take as long as a server is silent.
    is_far: bool,
}

#[derive(Debug)]
struct Made {
    input: PromptInput,
    tools: Tools,
    reading: u64,
    prompt: SystemPrompt,
}

impl Kept {
    fn made(&self, input: &PromptInput, tools: &Tools, reading: u64) -> Option<SystemPrompt> {
        let same = |made: &&Made| {
            made.reading == reading
                && (Arc::ptr_eq(&made.tools, tools) || made.tools == *tools)
                && made.input == *input
        };
        self.made.iter().find(same).map(|made| made.prompt.clone())
    }
}

impl Prompt {
    /// Builds prompts whose reports are dated by `clock`.
    #[must_use]
    pub fn new(clock: Clock) -> Self {
        Self { clock, kept: Mutex::default() }
    }

    /// The prompt, if it was made before and its files are as they were. Reads nothing: it looks at their dates, unless
    /// that was done a moment ago and no tool has run since. Asking another thread for that costs more, and turns that
    /// begin together would ask for as many threads; where a server has the files, it is asked all the same.
    #[must_use]
    pub fn fresh(&self, input: &PromptInput, tools: &Tools) -> Option<SystemPrompt> {
        let workspace = &input.files.workspace;
        let (looked_at, is_far) =
            self.kept.lock().folders.get(workspace).map(|it| (it.looked_at, it.is_far))?;
        let is_recent = looked_at.is_some_and(|at| at.elapsed() < LOOK_AGAIN_AFTER);
        if is_far && !is_recent {
            return None;
        }
        let looked = (!is_recent).then(|| (Instant::now(), files::stamps(workspace)));
        let mut kept = self.kept.lock();
        let folder = kept.folders.get_mut(workspace)?;
        if let Some((at, stamps)) = looked {
            if stamps != folder.stamps {
                return None;
            }
            folder.looked_at = Some(at);
        }
        let reading = folder.reading;
        kept.made(input, tools, reading)
    }

    /// Looks at the files again next time, because one of them may have changed.
    pub fn forget(&self, workspace: &Path) {
        if let Some(folder) = self.kept.lock().folders.get_mut(workspace) {
            folder.looked_at = None;
        }
    }

    /// The prompt for this input and these tools. Looks at the files; blocks, so call it off the reactor.
    ///
    /// # Errors
    /// When the workspace does not exist and cannot be made.
    pub fn build(&self, input: &PromptInput, tools: &Tools) -> Result<SystemPrompt, PromptError> {
        let folder = self.look(input)?;
        if let Some(prompt) = self.kept.lock().made(input, tools, folder.reading) {
            return Ok(prompt);
        }
        let prompt = assemble(input, tools, &folder.files, self.clock.now_ms());
        let mut kept = self.kept.lock();
        // What was made from an earlier reading of the same folder is never asked for again.
        let is_current = |made: &Made| {
            made.input.files.workspace != input.files.workspace || made.reading >= folder.reading
        };
        kept.made.retain(is_current);
        if kept.made.len() >= MAX_MADE {
            kept.made.clear();
        }
        kept.made.push(Made {
            input: input.clone(),
            tools: Arc::clone(tools),
            reading: folder.reading,
            prompt: prompt.clone(),
        });
        Ok(prompt)
    }

    /// The files as they are now, read only if they changed.
    fn look(&self, input: &PromptInput) -> Result<Folder, PromptError> {
        let rules = &input.files;
        let looked_at = Some(Instant::now());
        let stamps = files::stamps(&rules.workspace);
        if let Some(folder) = self.kept.lock().folders.get_mut(&rules.workspace)
            && folder.stamps == stamps
        {
            folder.looked_at = looked_at;
            return Ok(folder.clone());
        }
        seed::prepare(&rules.workspace, rules.skip_templates, &self.clock.now_rfc3339())
            .map_err(|source| PromptError { path: rules.workspace.clone(), source })?;
        let stamps = files::stamps(&rules.workspace);
        let (files, is_far) = (files::read(&rules.workspace).into(), is_far(&rules.workspace));
        let mut kept = self.kept.lock();
        kept.readings += 1;
        let folder = Folder { stamps, files, reading: kept.readings, looked_at, is_far };
        if kept.folders.len() >= MAX_FOLDERS {
            kept.folders.clear();
        }
        kept.folders.insert(rules.workspace.clone(), folder.clone());
        Ok(folder)
    }
}

fn assemble(input: &PromptInput, tools: &[Arc<ToolSpec>], found: &[Found], now: i64) -> SystemPrompt {
    let told = if input.mode == PromptMode::None {
        Vec::new()
    } else {
        files::told(found, input.audience, input.files.max_file_chars, input.files.max_total_chars)
    };
    let (text, sizes) = sections::write(&Material { input, tools, files: &told });
    let report = report::measure(input, &text, sizes, Parts { files: &told, tools, now });
    SystemPrompt { text: text.into(), report: Arc::new(report) }
}

#[cfg(test)]
mod tests;
