//! What tools there are: the table, and the box that holds them built and described.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use homard_exec::BuiltEnv;
use serde_json::Value;

use crate::cx::ToolCx;
use crate::outcome::ToolOutcome;
use crate::policy::{ToolPolicy, canonical_name};
use crate::tool::{DynTool, ToolSpec};
use crate::tools::{edit, exec, read, write};

/// Every built-in tool, alphabetical, one line each.
const TABLE: &[ToolEntry] = &[edit::ENTRY, exec::ENTRY, read::ENTRY, write::ENTRY];

/// Least likeness at which an unknown name is taken for a misspelling.
const LIKENESS: f64 = 0.75;

/// A line of the table: how a tool is built.
pub(crate) struct ToolEntry {
    /// Builds it from the options.
    pub(crate) build: fn(&ToolOptions) -> Arc<dyn DynTool>,
}

/// What the owner decided about the built-in tools.
#[derive(Debug, Clone)]
pub struct ToolOptions {
    /// What `~` means.
    pub home: PathBuf,
    /// Whether file tools refuse paths that lead out of the workspace.
    pub workspace_only: bool,
    /// The environment of commands.
    pub env: BuiltEnv,
    /// How long a command may run when the model names no time.
    pub exec_timeout: Duration,
}

impl ToolOptions {
    /// How long a command may run unless the owner says otherwise.
    pub const EXEC_TIMEOUT: Duration = Duration::from_secs(1800);
}

/// A tool with its description, built once.
#[derive(Clone)]
pub struct OfferedTool {
    tool: Arc<dyn DynTool>,
    spec: Arc<ToolSpec>,
}

impl OfferedTool {
    /// What the model is told.
    #[must_use]
    pub fn spec(&self) -> &Arc<ToolSpec> {
        &self.spec
    }

    /// Runs it.
    pub async fn call(&self, arguments: Value, cx: &ToolCx) -> ToolOutcome {
        self.tool.call(arguments, cx).await
    }
}

impl std::fmt::Debug for OfferedTool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("OfferedTool").field(&self.spec.name).finish()
    }
}

/// All tools there are, by name. Built once at start; what a conversation sees of it is the policy's choice.
#[derive(Debug, Clone, Default)]
pub struct Toolbox {
    tools: BTreeMap<String, OfferedTool>,
}

impl Toolbox {
    /// The built-in tools.
    #[must_use]
    pub fn new(options: &ToolOptions) -> Self {
        TABLE.iter().fold(Self::default(), |toolbox, entry| toolbox.with((entry.build)(options)))
    }

    /// The same box with one more tool; it replaces one of the same name. Tools that need something from above
    /// (and plugins) come in by this door.
    #[must_use]
    pub fn with(mut self, tool: Arc<dyn DynTool>) -> Self {
        let spec = Arc::new(tool.spec());
        self.tools.insert(spec.name.clone(), OfferedTool { tool, spec });
        self
    }

    /// The tool of that name or alias.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&OfferedTool> {
        self.tools.get(&canonical_name(name))
    }

    /// What the model is told under `policy`, alphabetical.
    #[must_use]
    pub fn specs(&self, policy: &ToolPolicy) -> Arc<[Arc<ToolSpec>]> {
        let offered = self.tools.iter().filter(|(name, _)| policy.decide(name).allowed);
        offered.map(|(_, tool)| Arc::clone(&tool.spec)).collect()
    }

    /// Runs a tool if there is one of that name and `policy` offers it; otherwise answers so.
    pub async fn call(&self, policy: &ToolPolicy, name: &str, arguments: Value, cx: &ToolCx) -> ToolOutcome {
        match self.get(name) {
            Some(tool) if policy.decide(name).allowed => tool.call(arguments, cx).await,
            Some(_) | None => self.unknown(policy, name),
        }
    }

    /// A tool that is not offered is answered like one that does not exist: the model cannot do more about it.
    fn unknown(&self, policy: &ToolPolicy, name: &str) -> ToolOutcome {
        let asked = canonical_name(name);
        let specs = self.specs(policy);
        let names: Vec<&str> = specs.iter().map(|spec| spec.name.as_str()).collect();
        let alike = |name: &&&str| strsim::jaro_winkler(name, &asked) >= LIKENESS;
        let hint =
            names.iter().find(alike).map(|name| format!(" Did you mean `{name}`?")).unwrap_or_default();
        let shown: String = asked.chars().take(64).collect();
        let there = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        ToolOutcome::error(format!(
            "there is no tool `{shown}` in this conversation.{hint} Available: {there}"
        ))
    }
}

#[cfg(test)]
mod tests;
