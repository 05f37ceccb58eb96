//! Agents that start and write to other agents: `agents.*.subagents`, `tools.subagents`, `tools.sessions`,
//! `tools.agentToAgent`.

use std::time::Duration;

use crate::config::agents::ModelSelection;
use crate::raw::{agents as raw_agents, tools as raw_tools, turns as raw_turns};

const DEFAULT_MAX_CONCURRENT: u64 = 8;
const DEFAULT_MAX_DEPTH: u64 = 1;
/// Deepest nesting anybody may ask for.
const MAX_DEPTH: u64 = 5;
const DEFAULT_MAX_CHILDREN: u64 = 5;
const DEFAULT_ARCHIVE_MINUTES: u64 = 60;
/// In a list of agents: any.
const ANY: &str = "*";

/// Agents started by agents: the limits for all of them.
#[derive(Debug, Clone, PartialEq)]
pub struct Subagents {
    /// How many may run at once, beside the other runs.
    pub max_concurrent: usize,
    /// How deep they may nest.
    pub max_depth: u32,
    /// How many one conversation may have under way.
    pub max_children: usize,
    /// When their conversations are put away; `None` means never.
    pub archive_after: Option<Duration>,
    /// Model they use; empty means as the conversation that started them.
    pub model: ModelSelection,
    /// How hard they think, as written.
    pub thinking: Option<String>,
    /// Longest run; `None` means as every run.
    pub run_timeout: Option<Duration>,
    /// Agents that may be started.
    pub allow: AgentNames,
}

/// What one agent says about the agents it starts; what it leaves out comes from [`Subagents`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AgentSubagents {
    /// Agents it may start; `None` means as everywhere.
    pub allow: Option<AgentNames>,
    pub model: ModelSelection,
    /// How hard they think, as written.
    pub thinking: Option<String>,
}

/// Names of agents in a list; `*` stands for any.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AgentNames(Vec<String>);

impl AgentNames {
    /// Names as the configuration spells them.
    fn new(names: &[String]) -> Self {
        Self(names.iter().map(|name| name.trim().to_lowercase()).filter(|name| !name.is_empty()).collect())
    }

    /// Whether nobody is named.
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether an agent is named.
    #[must_use]
    pub fn has(&self, agent: &str) -> bool {
        self.0.iter().any(|name| name == ANY || name == agent)
    }
}

/// Which other conversations an agent sees.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Visibility {
    OnlySelf,
    /// Those it started, and those they started.
    #[default]
    Tree,
    /// All of its agent.
    Agent,
    /// All, as far as `tools.agentToAgent` lets agents write to each other.
    All,
}

/// Agents writing to each other.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AgentToAgent {
    /// Whether they may at all.
    enabled: bool,
    /// Who; empty means everybody.
    allow: AgentNames,
}

impl AgentToAgent {
    /// Whether one agent may reach another's conversations.
    #[must_use]
    pub fn allows(&self, from: &str, to: &str) -> bool {
        let named = |agent: &str| self.allow.is_empty() || self.allow.has(agent);
        from == to || (self.enabled && named(from) && named(to))
    }

    pub(in crate::config) fn resolve(raw: raw_tools::AgentToAgent) -> Self {
        let allow = AgentNames::new(&raw.allow.unwrap_or_default());
        Self { enabled: raw.enabled.unwrap_or(false), allow }
    }
}

impl Visibility {
    pub(in crate::config) fn resolve(raw: Option<raw_tools::SessionTools>) -> Self {
        match raw.and_then(|raw| raw.visibility).as_deref() {
            Some("self") => Self::OnlySelf,
            Some("agent") => Self::Agent,
            Some("all") => Self::All,
            _ => Self::Tree,
        }
    }
}

impl Subagents {
    pub(in crate::config) fn resolve(
        raw: raw_turns::SubagentDefaults,
        model: impl FnOnce(crate::raw::value::ModelChoice) -> ModelSelection,
    ) -> Self {
        let size = |written: Option<u64>, default: u64| {
            usize::try_from(written.unwrap_or(default)).unwrap_or(usize::MAX).max(1)
        };
        let depth = raw.max_spawn_depth.unwrap_or(DEFAULT_MAX_DEPTH).clamp(1, MAX_DEPTH);
        let seconds = |written: u64| (written > 0).then(|| Duration::from_secs(written));
        Self {
            max_concurrent: size(raw.max_concurrent, DEFAULT_MAX_CONCURRENT),
            max_depth: u32::try_from(depth).unwrap_or(1),
            max_children: size(raw.max_children_per_agent, DEFAULT_MAX_CHILDREN),
            archive_after: seconds(
                raw.archive_after_minutes.unwrap_or(DEFAULT_ARCHIVE_MINUTES).saturating_mul(60),
            ),
            model: raw.model.map(model).unwrap_or_default(),
            thinking: raw.thinking,
            run_timeout: raw.run_timeout_seconds.and_then(seconds),
            allow: AgentNames::new(&raw.allow_agents.unwrap_or_default()),
        }
    }
}

impl AgentSubagents {
    pub(in crate::config) fn resolve(
        raw: raw_agents::AgentSubagents,
        model: impl FnOnce(crate::raw::value::ModelChoice) -> ModelSelection,
    ) -> Self {
        Self {
            allow: raw.allow_agents.map(|names| AgentNames::new(&names)),
            model: raw.model.map(model).unwrap_or_default(),
            thinking: raw.thinking,
        }
    }
}

#[cfg(test)]
mod tests;
