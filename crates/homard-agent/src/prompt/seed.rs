//! A new workspace and its first files; and the first conversation's plan, which is there once and never again.

use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use homard_runtime::{OrLog as _, replace_shared};
use serde::{Deserialize, Serialize};

use super::files::{self, BOOTSTRAP, NAMES};

/// What a new workspace begins with; never written over anything.
const TEMPLATES: [(&str, &str); 6] = [
    (files::AGENTS, include_str!("../../templates/AGENTS.md")),
    (files::SOUL, include_str!("../../templates/SOUL.md")),
    (files::TOOLS, include_str!("../../templates/TOOLS.md")),
    ("IDENTITY.md", include_str!("../../templates/IDENTITY.md")),
    ("USER.md", include_str!("../../templates/USER.md")),
    (files::HEARTBEAT, include_str!("../../templates/HEARTBEAT.md")),
];
const RITUAL: &str = include_str!("../../templates/BOOTSTRAP.md");

/// Where it is noted that a workspace has been begun.
const STATE: &str = ".homard/workspace-state.json";
/// Where other software notes the same; such a workspace is not new.
const FOREIGN_STATE: &str = ".openclaw/workspace-state.json";
/// Things that tell of an earlier life of the folder, beside its files.
const TRACES: [&str; 3] = ["memory", "memory.md", "skills"];
const VERSION: u32 = 1;

/// What is noted of a workspace, as existing software spells it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct State {
    version: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    bootstrap_seeded_at: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    onboarding_completed_at: Option<String>,
}

/// Makes the folder and, the first time it is met, its files; notes when the first conversation is over.
///
/// # Errors
/// When the folder does not exist and cannot be made. Files that cannot be written are only missed.
pub fn prepare(workspace: &Path, skip_templates: bool, now: &str) -> io::Result<()> {
    std::fs::create_dir_all(workspace)?;
    if let Err(error) = prepare_whole(workspace, skip_templates, now) {
        tracing::warn!(%error, workspace = %workspace.display(), "the workspace's first files are not there");
    }
    Ok(())
}

/// The same for somebody who waits for it and can make room: a file that cannot be written is an error, and none of the
/// first files is left behind then, so that the next attempt begins anew.
///
/// # Errors
/// When the folder or one of its first files cannot be made.
pub fn prepare_whole(workspace: &Path, skip_templates: bool, now: &str) -> io::Result<()> {
    std::fs::create_dir_all(workspace)?;
    match state(workspace) {
        Some(state) => end_ritual(workspace, state, now),
        None if skip_templates => Ok(()),
        None => begin(workspace, now),
    }
}

fn state(workspace: &Path) -> Option<State> {
    [STATE, FOREIGN_STATE].iter().find_map(|name| {
        let text = std::fs::read_to_string(workspace.join(name)).ok()?;
        // A note nobody can read still says that the folder has been begun.
        Some(serde_json::from_str(&text).unwrap_or_default())
    })
}

fn begin(workspace: &Path, now: &str) -> io::Result<()> {
    let mut made = Vec::new();
    let outcome = write_first_files(workspace, now, &mut made);
    if outcome.is_err() {
        for path in made {
            std::fs::remove_file(path).or_log("a first file of a workspace that could not be begun is left");
        }
    }
    outcome
}

fn write_first_files(workspace: &Path, now: &str, made: &mut Vec<PathBuf>) -> io::Result<()> {
    let is_new = !NAMES.iter().chain(&TRACES).any(|name| workspace.join(name).exists());
    let ritual = is_new.then_some((BOOTSTRAP, RITUAL));
    for (name, text) in TEMPLATES.into_iter().chain(ritual) {
        let path = workspace.join(name);
        if write_new(&path, text)? {
            made.push(path);
        }
    }
    let seeded = is_new.then(|| now.to_owned());
    save(workspace, &State { version: VERSION, bootstrap_seeded_at: seeded, onboarding_completed_at: None })
}

/// Once the plan is gone, or was emptied by a model that could not delete it, it is over for good.
fn end_ritual(workspace: &Path, state: State, now: &str) -> io::Result<()> {
    if state.bootstrap_seeded_at.is_none() || state.onboarding_completed_at.is_some() {
        return Ok(());
    }
    let plan = workspace.join(BOOTSTRAP);
    match std::fs::read_to_string(&plan) {
        Ok(text) if !files::is_blank(&text) => return Ok(()),
        Ok(_) => std::fs::remove_file(&plan)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    save(workspace, &State { version: VERSION, onboarding_completed_at: Some(now.to_owned()), ..state })
}

/// Writes a file that is not there, whole or not at all; one that is stays as it is, links included. Tells whether it
/// was written.
fn write_new(path: &Path, text: &str) -> io::Result<bool> {
    match OpenOptions::new().write(true).create_new(true).open(path) {
        Ok(mut file) => file.write_all(text.as_bytes()).map(|()| true).inspect_err(|_| {
            std::fs::remove_file(path).or_log("half of a first file is left");
        }),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(error),
    }
}

fn save(workspace: &Path, state: &State) -> io::Result<()> {
    let path = workspace.join(STATE);
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let mut text = serde_json::to_string_pretty(state)?;
    text.push('\n');
    replace_shared(&path, text.as_bytes())
}

#[cfg(test)]
mod tests;
