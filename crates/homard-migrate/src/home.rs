//! Finding an OpenClaw home, and telling which era it is of.

use std::path::{Path, PathBuf};

use homard_runtime::Arrange as _;
use serde::Serialize;

/// The folders OpenClaw and the programs before it used, newest first.
const DIRS: [&str; 4] = [".openclaw", ".clawdbot", ".moldbot", ".moltbot"];
/// The names of its configuration, newest first.
const CONFIGS: [&str; 4] = ["openclaw.json", "clawdbot.json", "moldbot.json", "moltbot.json"];
/// The database all agents share in the later era.
pub(crate) const STATE_DATABASE: &str = "state/openclaw.sqlite";
/// The database of one agent, from its folder on.
pub(crate) const AGENT_DATABASE: &str = "agent/openclaw-agent.sqlite";

/// How a home keeps things.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Era {
    /// JSON and JSONL files.
    Files,
    /// SQLite databases, beside files.
    Sqlite,
}

/// A home that can be taken over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Home {
    pub dir: PathBuf,
    pub era: Era,
    /// Its configuration, if it has one.
    pub(crate) config: Option<PathBuf>,
    /// The names of its agents' folders.
    pub(crate) agents: Vec<String>,
}

/// Why a folder cannot be taken over.
#[derive(Debug, thiserror::Error)]
pub enum NoHome {
    #[error("`{0}` is not a folder")]
    NotThere(PathBuf),
    #[error("`{0}` is no OpenClaw home: it has neither a configuration nor agents")]
    NotAHome(PathBuf),
    #[error("`{0}` is our own folder")]
    Ourselves(PathBuf),
    /// What is written here would be written into that home.
    #[error("`{0}` and our own folder lie in one another, so nothing could be taken without changing it")]
    Nested(PathBuf),
}

impl Home {
    /// The home in one of the usual places below `home`, if there is one.
    #[must_use]
    pub fn find(home: &Path, state_dir: &Path) -> Option<Self> {
        DIRS.iter().find_map(|dir| Self::open(&home.join(dir), state_dir).ok())
    }

    /// The home in a folder; `state_dir` is our own, which is never one.
    ///
    /// # Errors
    /// When the folder holds no home.
    pub fn open(dir: &Path, state_dir: &Path) -> Result<Self, NoHome> {
        let Ok(real) = dir.canonicalize() else { return Err(NoHome::NotThere(dir.to_path_buf())) };
        if !real.is_dir() {
            return Err(NoHome::NotThere(dir.to_path_buf()));
        }
        let ours = real_place(state_dir);
        if ours == real {
            return Err(NoHome::Ourselves(dir.to_path_buf()));
        }
        if ours.starts_with(&real) || real.starts_with(&ours) {
            return Err(NoHome::Nested(dir.to_path_buf()));
        }
        let config = CONFIGS.iter().map(|name| real.join(name)).find(|path| path.is_file());
        let agents = names_in(&real.join("agents"));
        if config.is_none() && agents.is_empty() {
            return Err(NoHome::NotAHome(dir.to_path_buf()));
        }
        let of_agents = agents.iter().map(|agent| real.join("agents").join(agent).join(AGENT_DATABASE));
        let has_database = of_agents.chain([real.join(STATE_DATABASE)]).any(|path| path.is_file());
        let era = if has_database { Era::Sqlite } else { Era::Files };
        Ok(Self { dir: real, era, config, agents })
    }
}

/// Where a path leads, links followed; of one that is not there yet, as far as there is something.
pub(crate) fn real_place(path: &Path) -> PathBuf {
    let there = path.ancestors().find_map(|above| Some((above, above.canonicalize().ok()?)));
    match there {
        Some((above, real)) => path.strip_prefix(above).map_or_else(|_| real.clone(), |rest| real.join(rest)),
        None => path.to_path_buf(),
    }
}

/// The names of the folders in a folder that can be part of a path of ours.
fn names_in(dir: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect();
    names.arrange();
    names
}
