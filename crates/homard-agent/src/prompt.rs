//! What the model is told first: who it is, its tools, its folder, and the owner's own files.
//!
//! Nothing here changes between turns unless a file does, so providers can cache it; the files are read again
//! only when their stamp changes.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use homard_tools::ToolSpec;

const TEMPLATE: &str = include_str!("../prompts/system.md");

/// The workspace files the model is told, in this order.
const FILES: [&str; 6] = ["AGENTS.md", "SOUL.md", "TOOLS.md", "IDENTITY.md", "USER.md", "MEMORY.md"];
/// Share of a cut file that is kept from its beginning, in tenths.
const HEAD_TENTHS: usize = 7;
/// Share of a cut file that is kept from its end, in tenths.
const TAIL_TENTHS: usize = 2;
/// A file that has less room than this left is not begun.
const MIN_FILE_CHARS: usize = 64;
/// How long the files are taken to be as they were.
const LOOK_AGAIN_AFTER: Duration = Duration::from_secs(1);
/// Prompts kept; one per workspace in use.
const MAX_CACHED: usize = 64;

/// What the owner set that ends up in the prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptSettings {
    /// What the assistant is called.
    pub name: String,
    /// Its folder; made when missing.
    pub workspace: PathBuf,
    /// The owner's time zone.
    pub timezone: String,
    /// Most characters of one file.
    pub max_file_chars: usize,
    /// Most characters of all files.
    pub max_total_chars: usize,
}

/// The workspace could not be used.
#[derive(Debug, thiserror::Error)]
#[error("the workspace `{path}` cannot be made or read: check agents.defaults.workspace")]
pub struct PromptError {
    /// Which folder.
    pub path: PathBuf,
    /// Why.
    #[source]
    pub source: std::io::Error,
}

/// Builds system prompts and keeps them while nothing changed.
#[derive(Debug, Default)]
pub struct Prompt {
    cache: Mutex<HashMap<PathBuf, Cached>>,
}

#[derive(Debug, Clone)]
struct Cached {
    settings: PromptSettings,
    tools: String,
    stamps: Stamps,
    text: Arc<str>,
    looked_at: Instant,
}

type Stamps = [Option<(SystemTime, u64)>; FILES.len()];

impl Prompt {
    /// The prompt, if its files were looked at a moment ago and no tool has run since.
    #[must_use]
    pub fn fresh(&self, settings: &PromptSettings, tools: &[Arc<ToolSpec>]) -> Option<Arc<str>> {
        let cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = cache.get(&settings.workspace)?;
        let recent = kept.looked_at.elapsed() < LOOK_AGAIN_AFTER;
        (recent && kept.settings == *settings && kept.tools == tool_lines(tools))
            .then(|| Arc::clone(&kept.text))
    }

    /// Looks at the files again next time, because one of them may have changed.
    pub fn forget(&self, workspace: &Path) {
        let mut cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(kept) = cache.get_mut(workspace)
            && let Some(long_ago) = Instant::now().checked_sub(LOOK_AGAIN_AFTER)
        {
            kept.looked_at = long_ago;
        }
    }

    /// The prompt for these settings and tools. Looks at the files; blocks, so call it off the reactor.
    ///
    /// # Errors
    /// When the workspace does not exist and cannot be made.
    pub fn build(&self, settings: &PromptSettings, tools: &[Arc<ToolSpec>]) -> Result<Arc<str>, PromptError> {
        let stamps = stamps(&settings.workspace);
        let tools = tool_lines(tools);
        let looked_at = Instant::now();
        if let Some(kept) =
            self.cache.lock().unwrap_or_else(PoisonError::into_inner).get_mut(&settings.workspace)
            && kept.settings == *settings
            && kept.stamps == stamps
            && kept.tools == tools
        {
            kept.looked_at = looked_at;
            return Ok(Arc::clone(&kept.text));
        }
        let broken = |source| PromptError { path: settings.workspace.clone(), source };
        std::fs::create_dir_all(&settings.workspace).map_err(broken)?;
        let text: Arc<str> = assemble(settings, &tools).into();
        let cached = Cached { settings: settings.clone(), tools, stamps, text: Arc::clone(&text), looked_at };
        let mut cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        if cache.len() >= MAX_CACHED {
            cache.clear();
        }
        cache.insert(settings.workspace.clone(), cached);
        Ok(text)
    }
}

fn stamps(workspace: &Path) -> Stamps {
    FILES.map(|name| {
        let metadata = std::fs::metadata(workspace.join(name)).ok()?;
        Some((metadata.modified().ok()?, metadata.len()))
    })
}

fn tool_lines(tools: &[Arc<ToolSpec>]) -> String {
    if tools.is_empty() {
        return "You have no tools in this conversation.".to_owned();
    }
    let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
    format!("You have: {}.", names.join(", "))
}

fn assemble(settings: &PromptSettings, tools: &str) -> String {
    let mut text = TEMPLATE
        .replace("{name}", &settings.name)
        .replace("{tools}", tools)
        .replace("{workspace}", &settings.workspace.display().to_string())
        .replace("{timezone}", &settings.timezone);
    let mut room = settings.max_total_chars;
    for name in FILES {
        let Ok(content) = std::fs::read_to_string(settings.workspace.join(name)) else { continue };
        let limit = settings.max_file_chars.min(room);
        if content.trim().is_empty() || limit < MIN_FILE_CHARS {
            continue;
        }
        let kept = cut(content.trim_end(), limit);
        room = room.saturating_sub(kept.chars().count());
        text.push_str(&format!("\n## {name}\n{kept}\n"));
    }
    text
}

/// Keeps the beginning and the end of a text that is too long, and says how much is missing.
fn cut(text: &str, limit: usize) -> String {
    let length = text.chars().count();
    if length <= limit {
        return text.to_owned();
    }
    let head: String = text.chars().take(limit * HEAD_TENTHS / 10).collect();
    let tail: String = text.chars().skip(length - limit * TAIL_TENTHS / 10).collect();
    let missing = length - head.chars().count() - tail.chars().count();
    format!("{head}\n[… {missing} characters left out; read the file for the rest …]\n{tail}")
}

#[cfg(test)]
mod tests;
