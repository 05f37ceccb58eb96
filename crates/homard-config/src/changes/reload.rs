//! What a change of settings asks of a running gateway.

use homard_protocol::ChannelId;
use homard_runtime::Arrange as _;

use crate::config::gateway::ReloadMode;
use crate::issue::Issue;

/// A part of the gateway that is started anew when its settings change.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum HotPart {
    MailWatcher,
    Hooks,
    /// Agents looking around by themselves.
    Heartbeat,
    Cron,
    Browser,
    Channel(ChannelId),
}

/// What a change asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReloadAction {
    /// Nothing: whoever needs the setting reads it anew each time.
    None,
    /// These parts are started anew; everything else goes on.
    Hot(Vec<HotPart>),
    /// The gateway is started anew.
    Restart,
}

/// News for those who hold a [`ConfigHandle`](crate::ConfigHandle).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reload {
    /// Counts up with every piece of news; 0 is the start.
    pub generation: u64,
    pub changed: Vec<String>,
    /// What that asks for.
    pub action: ReloadAction,
    /// Why an edit was refused; the settings before it stay in effect. Empty when it was not.
    pub rejected: Vec<Issue>,
}

impl Reload {
    /// Nothing has happened yet.
    pub(crate) fn start() -> Self {
        Self { generation: 0, changed: Vec::new(), action: ReloadAction::None, rejected: Vec::new() }
    }
}

enum Rule {
    Nothing,
    Part(HotPart),
    Channel,
    Restart,
}

/// Prefixes and what a change beneath them asks for; the longest match counts, no match asks for a restart.
const RULES: [(&str, Rule); 38] = [
    ("agents", Rule::Nothing),
    ("agents.defaults.heartbeat", Rule::Part(HotPart::Heartbeat)),
    ("approvals", Rule::Nothing),
    ("audio", Rule::Nothing),
    ("auth", Rule::Nothing),
    ("bindings", Rule::Nothing),
    ("browser", Rule::Part(HotPart::Browser)),
    ("budgets", Rule::Nothing),
    ("canvasHost", Rule::Restart),
    ("channels", Rule::Channel),
    ("commands.allowFrom", Rule::Nothing),
    ("commands.ownerAllowFrom", Rule::Nothing),
    ("commands.useAccessGroups", Rule::Nothing),
    ("cron", Rule::Part(HotPart::Cron)),
    ("diagnostics", Rule::Nothing),
    ("discovery", Rule::Restart),
    ("gateway", Rule::Restart),
    ("gateway.http.endpoints", Rule::Nothing),
    ("gateway.nodes", Rule::Nothing),
    ("gateway.reload", Rule::Nothing),
    ("gateway.remote", Rule::Nothing),
    ("hooks", Rule::Part(HotPart::Hooks)),
    ("hooks.gmail", Rule::Part(HotPart::MailWatcher)),
    ("hooks.internal", Rule::Restart),
    ("identity", Rule::Nothing),
    ("logging", Rule::Nothing),
    ("memory", Rule::Nothing),
    ("messages", Rule::Nothing),
    ("meta", Rule::Nothing),
    ("models", Rule::Nothing),
    ("plugins", Rule::Restart),
    ("session", Rule::Nothing),
    ("skills", Rule::Nothing),
    ("talk", Rule::Nothing),
    ("tools", Rule::Nothing),
    ("ui", Rule::Nothing),
    ("update", Rule::Nothing),
    ("wizard", Rule::Nothing),
];

/// What changes at these places ask for, in this mode.
#[must_use]
pub fn action_for(changed: &[String], mode: ReloadMode) -> ReloadAction {
    if changed.is_empty() || mode == ReloadMode::Off {
        return ReloadAction::None;
    }
    if mode == ReloadMode::Restart && changed.iter().any(|path| !is_under(path, "meta")) {
        return ReloadAction::Restart;
    }
    let mut parts = Vec::new();
    let mut restart = false;
    for path in changed {
        match asked(path) {
            Asked::Nothing => {}
            Asked::Part(part) => parts.push(part),
            Asked::Restart => restart = true,
        }
    }
    parts.arrange();
    parts.dedup();
    match (restart, mode) {
        (true, ReloadMode::Hybrid | ReloadMode::Restart | ReloadMode::Off) => ReloadAction::Restart,
        (true, ReloadMode::Hot) if parts.is_empty() => ReloadAction::None,
        (false, _) if parts.is_empty() => ReloadAction::None,
        (true, ReloadMode::Hot) | (false, _) => ReloadAction::Hot(parts),
    }
}

/// Whether a change at this place takes effect only after a restart.
#[must_use]
pub fn needs_restart(path: &str) -> bool {
    matches!(asked(path), Asked::Restart)
}

enum Asked {
    Nothing,
    Part(HotPart),
    Restart,
}

fn asked(path: &str) -> Asked {
    let matching = RULES.iter().filter(|(prefix, _)| is_under(path, prefix));
    match matching.max_by_key(|(prefix, _)| prefix.len()).map(|(_, rule)| rule) {
        Some(Rule::Nothing) => Asked::Nothing,
        Some(Rule::Part(part)) => Asked::Part(part.clone()),
        Some(Rule::Channel) => {
            let id = path.split('.').nth(1).and_then(|id| ChannelId::parse(id).ok());
            id.map_or(Asked::Restart, |id| Asked::Part(HotPart::Channel(id)))
        }
        Some(Rule::Restart) | None => Asked::Restart,
    }
}

/// Whether a path of the configuration is `above`, or beneath it.
#[must_use]
pub fn is_under(path: &str, above: &str) -> bool {
    path.strip_prefix(above).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

#[cfg(test)]
mod tests;
