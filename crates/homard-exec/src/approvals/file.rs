//! What `exec-approvals.json` says. The file is shared with people and other programs: what is not understood is
//! kept as it is, and a restriction that cannot be read counts as the strictest one.

use homard_config::config::tools::{ExecAsk, ExecSecurity};
use serde_json::{Map, Value, json};

use super::entry::Entry;

/// The rules for agents that have none of their own.
const EVERYONE: &str = "*";
/// Most rules kept per agent; the list would be no list any more.
const MAX_ENTRIES: usize = 2_000;

/// What the file says about one agent; `None` where it says nothing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FileRules {
    /// Which commands may run.
    pub security: Option<ExecSecurity>,
    /// When a person is asked.
    pub ask: Option<ExecAsk>,
    /// What happens when nobody answers.
    pub ask_fallback: Option<ExecSecurity>,
    /// Whether programs of skills may run.
    pub auto_allow_skills: Option<bool>,
}

/// The content of the file.
#[derive(Debug, Clone, PartialEq)]
pub struct PolicyFile {
    root: Map<String, Value>,
}

impl Default for PolicyFile {
    fn default() -> Self {
        let mut root = Map::new();
        root.insert("version".to_owned(), json!(1));
        root.insert("defaults".to_owned(), json!({}));
        root.insert("agents".to_owned(), json!({}));
        Self { root }
    }
}

impl PolicyFile {
    /// Takes what was read; `None` when it is no object.
    #[must_use]
    pub fn from_value(value: Value) -> Option<Self> {
        match value {
            Value::Object(root) => Some(Self { root }),
            _ => None,
        }
    }

    /// Everything, as it is written.
    #[must_use]
    pub fn to_value(&self) -> Value {
        Value::Object(self.root.clone())
    }

    /// Everything but the socket's secret, as it is shown.
    #[must_use]
    pub fn to_shown(&self) -> Value {
        let mut shown = self.to_value();
        if let Some(socket) = shown.get_mut("socket").and_then(Value::as_object_mut) {
            socket.shift_remove("token");
        }
        shown
    }

    /// Keeps the socket of `before` where this one, shown without its secret, came back.
    #[must_use]
    pub(super) fn with_socket_of(mut self, before: &Self) -> Self {
        let Some(old) = before.root.get("socket").and_then(Value::as_object) else { return self };
        let socket = self.root.entry("socket").or_insert_with(|| json!({}));
        if let Some(socket) = socket.as_object_mut() {
            for (name, value) in old {
                socket.entry(name.clone()).or_insert_with(|| value.clone());
            }
        }
        self
    }

    /// What it says about an agent: its own words, then those for everyone, then the defaults.
    #[must_use]
    pub fn rules(&self, agent: &str) -> FileRules {
        let own = self.section(agent).map(read_rules).unwrap_or_default();
        let everyone = self.section(EVERYONE).map(read_rules).unwrap_or_default();
        let defaults = self.root.get("defaults").map(read_rules).unwrap_or_default();
        FileRules {
            security: own.security.or(everyone.security).or(defaults.security),
            ask: own.ask.or(everyone.ask).or(defaults.ask),
            ask_fallback: own.ask_fallback.or(everyone.ask_fallback).or(defaults.ask_fallback),
            auto_allow_skills: own
                .auto_allow_skills
                .or(everyone.auto_allow_skills)
                .or(defaults.auto_allow_skills),
        }
    }

    /// The list an agent's commands are held against. What cannot be read allows nothing.
    #[must_use]
    pub fn allowlist(&self, agent: &str) -> Vec<Entry> {
        let lists = [self.list(agent), self.list(EVERYONE)];
        lists.into_iter().flatten().flatten().filter_map(Entry::from_value).collect()
    }

    /// Puts a rule at the end of an agent's list, unless the same one is there. Says whether it did.
    pub fn add(&mut self, agent: &str, entry: Value) -> bool {
        let Some(list) = self.list_mut(agent) else { return false };
        let same = |name: &str, one: &Value| one.get(name) == entry.get(name);
        let is_there = |one: &Value| ["pattern", "argPattern", "cwd"].iter().all(|name| same(name, one));
        if list.iter().any(is_there) || list.len() >= MAX_ENTRIES {
            return false;
        }
        list.push(entry);
        true
    }

    /// Takes the rules with that pattern or name out of an agent's list. Says how many there were.
    pub fn remove(&mut self, agent: &str, pattern: &str) -> usize {
        let Some(list) = self.list_mut(agent) else { return 0 };
        let before = list.len();
        list.retain(|one| {
            let text = |name: &str| one.get(name).and_then(Value::as_str);
            one.as_str() != Some(pattern) && text("pattern") != Some(pattern) && text("id") != Some(pattern)
        });
        before - list.len()
    }

    /// Notes in every list the agent's commands are held against that a rule was used.
    pub(super) fn touch(&mut self, agent: &str, used: &Entry, fields: &Map<String, Value>) {
        for agent in [agent, EVERYONE] {
            if self.list(agent).is_none() {
                continue;
            }
            let Some(list) = self.list_mut(agent) else { continue };
            let is_it = |one: &&mut Value| {
                Entry::from_value(one).is_some_and(|one| {
                    (&one.id, &one.pattern, &one.arg_pattern, &one.cwd)
                        == (&used.id, &used.pattern, &used.arg_pattern, &used.cwd)
                })
            };
            for one in list.iter_mut().filter(is_it) {
                if let Some(one) = one.as_object_mut() {
                    one.extend(fields.clone());
                }
            }
        }
    }

    fn section(&self, agent: &str) -> Option<&Value> {
        let agents = self.root.get("agents")?;
        // The first versions called the main agent so.
        let old_name = || agents.get("default").filter(|_| agent == "main");
        agents.get(agent).or_else(old_name)
    }

    fn list(&self, agent: &str) -> Option<&Vec<Value>> {
        self.section(agent)?.get("allowlist")?.as_array()
    }

    /// The list to change; `None` when something else stands in its place.
    fn list_mut(&mut self, agent: &str) -> Option<&mut Vec<Value>> {
        let agents = self.root.entry("agents").or_insert_with(|| json!({})).as_object_mut()?;
        let section = agents.entry(agent.to_owned()).or_insert_with(|| json!({})).as_object_mut()?;
        section.entry("allowlist").or_insert_with(|| json!([])).as_array_mut()
    }
}

fn read_rules(section: &Value) -> FileRules {
    let given = |name: &str| section.get(name).filter(|value| !value.is_null());
    let security = |name: &str| {
        given(name).map(|value| serde_json::from_value(value.clone()).unwrap_or(ExecSecurity::Deny))
    };
    FileRules {
        security: security("security"),
        ask: given("ask").map(|value| serde_json::from_value(value.clone()).unwrap_or(ExecAsk::Always)),
        ask_fallback: security("askFallback"),
        auto_allow_skills: given("autoAllowSkills").map(|value| value.as_bool().unwrap_or(false)),
    }
}
