//! Names: which tools there are in principle, what groups and profiles they belong to, other spellings.

/// A group of tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Group {
    /// How lists spell it.
    pub name: &'static str,
    pub label: &'static str,
    pub members: &'static [&'static str],
}

const fn group(name: &'static str, label: &'static str, members: &'static [&'static str]) -> Group {
    Group { name, label, members }
}

/// Groups by name. `group:openclaw` is the spelling existing configurations use.
pub const GROUPS: [Group; 11] = [
    group("group:automation", "Automation", &["cron", "gateway"]),
    group("group:fs", "Files", &["apply_patch", "edit", "read", "write"]),
    group("group:homard", "Homard", NATIVE),
    group("group:memory", "Memory", &["memory_get", "memory_search"]),
    group("group:messaging", "Messaging", &["message"]),
    group("group:nodes", "Nodes", &["nodes"]),
    group("group:openclaw", "Homard", NATIVE),
    group("group:runtime", "Runtime", &["exec", "process"]),
    group(
        "group:sessions",
        "Sessions",
        &[
            "session_status",
            "sessions_history",
            "sessions_list",
            "sessions_search",
            "sessions_send",
            "sessions_spawn",
            "subagents",
        ],
    ),
    group("group:ui", "Interface", &["browser", "canvas"]),
    group("group:web", "Web", &["web_fetch", "web_search"]),
];

/// The assistant's own abilities, as opposed to files and commands.
pub(super) const NATIVE: &[&str] = &[
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
    "sessions_search",
    "sessions_send",
    "sessions_spawn",
    "subagents",
    "tts",
    "web_fetch",
    "web_search",
];

/// Tools of no group.
const ALONE: &[&str] = &["whatsapp_login"];

/// Tools that change how the assistant itself is set up, or reach other machines of the owner: nobody but the
/// owner may have them used.
pub const OWNER_ONLY: &[&str] = &["cron", "gateway", "nodes", "whatsapp_login"];

/// Tools that do what only methods for administrators do: change settings, plan jobs.
pub const ADMIN_TOOLS: &[&str] = &["cron", "gateway", "whatsapp_login"];

/// Those of them that nobody else can be given either.
pub const OWNER_ALWAYS: &[&str] = &["gateway", "whatsapp_login"];

/// Stands in `alsoAllow` for all files the owner may have, for somebody who is not the owner.
pub const ALL_FILES: &str = "files:all";

/// What a subagent never gets: it works for another conversation, which speaks for it.
pub const SUBAGENT_NEVER: &[&str] = &[
    // Logging in to a platform, whichever.
    "*_login",
    "agents_list",
    "cron",
    "gateway",
    "memory_get",
    "memory_search",
    "session_status",
    "sessions_send",
];

/// What a subagent that may have none of its own does not get either.
pub const SUBAGENT_LEAF_NEVER: &[&str] =
    &["sessions_history", "sessions_list", "sessions_search", "sessions_spawn", "subagents"];

/// What a sandboxed conversation gets unless the owner says otherwise.
pub const SANDBOX_ALLOW: &[&str] = &[
    "exec",
    "process",
    "read",
    "write",
    "edit",
    "apply_patch",
    "image",
    "sessions_list",
    "sessions_history",
    "sessions_search",
    "sessions_send",
    "sessions_spawn",
    "subagents",
    "session_status",
];

/// What it does not get unless the owner says otherwise.
pub const SANDBOX_DENY: &[&str] = &["browser", "canvas", "nodes", "cron", "gateway"];

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

/// The tools of a group.
pub(super) fn members(name: &str) -> Option<&'static [&'static str]> {
    GROUPS.iter().find(|group| group.name == name).map(|group| group.members)
}

/// Every tool name that means something, whether or not the tool is there today.
pub fn known_names() -> impl Iterator<Item = &'static str> {
    GROUPS.iter().flat_map(|group| group.members).chain(ALONE).copied()
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
    Full,
}

impl Profile {
    /// All, narrowest first.
    pub const ALL: [Self; 4] = [Self::Minimal, Self::Coding, Self::Messaging, Self::Full];

    /// Reads the configuration's word.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        let word = word.trim().to_lowercase();
        Self::ALL.into_iter().find(|profile| profile.id() == word)
    }

    /// The configuration's word.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            Self::Minimal => "minimal",
            Self::Coding => "coding",
            Self::Messaging => "messaging",
            Self::Full => "full",
        }
    }

    /// What people read.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Minimal => "Minimal",
            Self::Coding => "Coding",
            Self::Messaging => "Messaging",
            Self::Full => "Full",
        }
    }

    /// What it allows, as lists spell it; empty means everything.
    pub(super) fn allows(self) -> &'static [&'static str] {
        match self {
            Self::Minimal => &["session_status"],
            Self::Coding => &["group:fs", "group:runtime", "group:sessions", "group:memory", "image"],
            Self::Messaging => &[
                "group:messaging",
                "sessions_list",
                "sessions_history",
                "sessions_search",
                "sessions_send",
                "session_status",
            ],
            Self::Full => &[],
        }
    }
}
