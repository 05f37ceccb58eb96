//! Which tools a conversation is offered: profiles, groups, allow and deny lists in layers.
//!
//! Pure: lists in, a decision with its reason out. Every layer must agree, and inside a layer deny wins over
//! allow. Where the lists come from (configuration, channel, sandbox) is the caller's business.

use std::fmt;

/// Groups by name, members alphabetical. `group:openclaw` is the spelling existing configurations use.
const GROUPS: [(&str, &[&str]); 11] = [
    ("group:automation", &["cron", "gateway"]),
    ("group:fs", &["apply_patch", "edit", "read", "write"]),
    ("group:homard", NATIVE),
    ("group:memory", &["memory_get", "memory_search"]),
    ("group:messaging", &["message"]),
    ("group:nodes", &["nodes"]),
    ("group:openclaw", NATIVE),
    ("group:runtime", &["exec", "process"]),
    (
        "group:sessions",
        &[
            "session_status",
            "sessions_history",
            "sessions_list",
            "sessions_send",
            "sessions_spawn",
            "subagents",
        ],
    ),
    ("group:ui", &["browser", "canvas"]),
    ("group:web", &["web_fetch", "web_search"]),
];

/// The assistant's own abilities, as opposed to files and commands.
const NATIVE: &[&str] = &[
    "agents_list",
    "browser",
    "canvas",
    "cron",
    "gateway",
    "image",
    "memory_get",
    "memory_search",
    "message",
    "nodes",
    "session_status",
    "sessions_history",
    "sessions_list",
    "sessions_send",
    "sessions_spawn",
    "subagents",
    "tts",
    "web_fetch",
    "web_search",
];

/// Other spellings of a tool's name.
const ALIASES: [(&str, &str); 2] = [("apply-patch", "apply_patch"), ("bash", "exec")];

/// The one spelling of a tool's name: trimmed, lower case, aliases replaced.
#[must_use]
pub fn canonical_name(name: &str) -> String {
    let lower = name.trim().to_lowercase();
    match ALIASES.iter().find(|(alias, _)| *alias == lower) {
        Some((_, name)) => (*name).to_owned(),
        None => lower,
    }
}

/// Whether `pattern` names a group that exists; lets the configuration check find misspelled ones, which
/// would otherwise match nothing.
#[must_use]
pub fn is_known_group(pattern: &str) -> bool {
    group(&canonical_name(pattern)).is_some()
}

fn group(name: &str) -> Option<&'static [&'static str]> {
    GROUPS.iter().find(|(group, _)| *group == name).map(|(_, members)| *members)
}

/// A ready-made choice of tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Profile {
    /// Only what tells the state of the conversation.
    Minimal,
    /// Files, commands, sessions, memory.
    Coding,
    /// Speaking to people and other conversations.
    Messaging,
    /// Everything.
    Full,
}

impl Profile {
    /// Reads the configuration's word.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        match word.trim().to_lowercase().as_str() {
            "minimal" => Some(Self::Minimal),
            "coding" => Some(Self::Coding),
            "messaging" => Some(Self::Messaging),
            "full" => Some(Self::Full),
            _ => None,
        }
    }

    fn allows(self) -> &'static [&'static str] {
        match self {
            Self::Minimal => &["session_status"],
            Self::Coding => &["group:fs", "group:runtime", "group:sessions", "group:memory", "image"],
            Self::Messaging => {
                &["group:messaging", "sessions_list", "sessions_history", "sessions_send", "session_status"]
            }
            Self::Full => &[],
        }
    }
}

/// Where a layer's lists come from, in the order they are asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LayerName {
    /// `tools.profile` with `tools.alsoAllow`.
    Profile,
    /// The profile for the model's provider.
    ProviderProfile,
    /// `tools.allow` and `tools.deny`.
    Global,
    /// The same for the model's provider.
    GlobalProvider,
    /// The agent's own lists.
    Agent,
    /// The agent's own lists for the model's provider.
    AgentProvider,
    /// The group's or channel's lists.
    Group,
    /// The sandbox.
    Sandbox,
    /// Being a subagent.
    Subagent,
}

impl fmt::Display for LayerName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Profile => "tools.profile",
            Self::ProviderProfile => "tools.byProvider profile",
            Self::Global => "tools",
            Self::GlobalProvider => "tools.byProvider",
            Self::Agent => "the agent's tools",
            Self::AgentProvider => "the agent's tools.byProvider",
            Self::Group => "the group's tools",
            Self::Sandbox => "sandbox tools",
            Self::Subagent => "subagent tools",
        })
    }
}

/// One layer of allow and deny lists. An empty allow list allows everything.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layer {
    name: LayerName,
    allow: Vec<String>,
    deny: Vec<String>,
}

impl Layer {
    /// A layer of lists as the configuration spells them: names, `*` globs and groups.
    pub fn new<S: AsRef<str>>(name: LayerName, allow: &[S], deny: &[S]) -> Self {
        let canonical =
            |patterns: &[S]| patterns.iter().map(|pattern| canonical_name(pattern.as_ref())).collect();
        Self { name, allow: canonical(allow), deny: canonical(deny) }
    }

    /// A profile, widened by what the configuration allows besides.
    pub fn profile<S: AsRef<str>>(name: LayerName, profile: Profile, also_allow: &[S]) -> Self {
        let profile_allows = profile.allows();
        let mut layer = Self::new(name, profile_allows, &[]);
        if !profile_allows.is_empty() {
            layer.allow.extend(also_allow.iter().map(|pattern| canonical_name(pattern.as_ref())));
        }
        layer
    }

    fn judge(&self, tool: &str) -> DecidedBy {
        if let Some(pattern) = first_match(&self.deny, tool) {
            return DecidedBy::Denied { layer: self.name, pattern };
        }
        if self.allow.is_empty() {
            return DecidedBy::Nothing;
        }
        // Patching files is a way of running commands; whoever may do the second may do the first.
        let listed = first_match(&self.allow, tool)
            .or_else(|| if tool == "apply_patch" { first_match(&self.allow, "exec") } else { None });
        match listed {
            Some(pattern) => DecidedBy::Listed { layer: self.name, pattern },
            None => DecidedBy::NotListed { layer: self.name },
        }
    }
}

/// Whether a tool is offered, and the rule that decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// Whether it is.
    pub allowed: bool,
    /// Why.
    pub by: DecidedBy,
}

/// The rule that decided about a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DecidedBy {
    /// A deny list names it.
    Denied {
        /// Whose list.
        layer: LayerName,
        /// The entry that matched.
        pattern: String,
    },
    /// An allow list exists and does not name it.
    NotListed {
        /// Whose list.
        layer: LayerName,
    },
    /// An allow list names it; the innermost one, when several do.
    Listed {
        /// Whose list.
        layer: LayerName,
        /// The entry that matched.
        pattern: String,
    },
    /// No list says anything about it, so it is allowed.
    Nothing,
}

impl fmt::Display for DecidedBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Denied { layer, pattern } => write!(f, "{layer}: deny has `{pattern}`"),
            Self::NotListed { layer } => write!(f, "{layer}: allow does not list it"),
            Self::Listed { layer, pattern } => write!(f, "{layer}: allow has `{pattern}`"),
            Self::Nothing => f.write_str("no list mentions it"),
        }
    }
}

/// All layers that apply to a conversation. The default has none and allows everything.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ToolPolicy {
    layers: Vec<Layer>,
}

impl ToolPolicy {
    /// Puts the layers in their order.
    #[must_use]
    pub fn new(mut layers: Vec<Layer>) -> Self {
        layers.sort_by_key(|layer| layer.name);
        Self { layers }
    }

    /// Decides about a tool. The first layer that refuses decides; otherwise the last that lists it.
    #[must_use]
    pub fn decide(&self, tool: &str) -> Decision {
        let tool = canonical_name(tool);
        let mut by = DecidedBy::Nothing;
        for layer in &self.layers {
            match layer.judge(&tool) {
                refused @ (DecidedBy::Denied { .. } | DecidedBy::NotListed { .. }) => {
                    return Decision { allowed: false, by: refused };
                }
                listed @ DecidedBy::Listed { .. } => by = listed,
                DecidedBy::Nothing => {}
            }
        }
        Decision { allowed: true, by }
    }
}

/// Whether a list of names, `*` globs and groups has a tool.
pub(crate) fn lists(patterns: &[String], tool: &str) -> bool {
    patterns.iter().any(|pattern| matches(pattern, tool))
}

fn first_match(patterns: &[String], tool: &str) -> Option<String> {
    patterns.iter().find(|pattern| matches(pattern, tool)).cloned()
}

fn matches(pattern: &str, tool: &str) -> bool {
    match group(pattern) {
        Some(members) => members.contains(&tool),
        None => glob(pattern, tool),
    }
}

/// `*` stands for any number of characters; everything else for itself.
fn glob(pattern: &str, name: &str) -> bool {
    let Some((first, rest)) = pattern.split_once('*') else { return pattern == name };
    let (middle, last) = rest.rsplit_once('*').unwrap_or(("", rest));
    let Some(mut name) = name.strip_prefix(first).and_then(|name| name.strip_suffix(last)) else {
        return false;
    };
    for part in middle.split('*') {
        let Some((_, after)) = name.split_once(part) else { return false };
        name = after;
    }
    true
}

#[cfg(test)]
mod tests;
