//! `hooks.internal`: programs that run on the gateway's own events.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::config::Resolve;
use crate::raw::extensions as raw;
use crate::secret::Secret;

const DEFAULT_MESSAGES: u64 = 15;

/// Decided `hooks.internal`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct InternalHooks {
    /// Whether any of them run.
    pub enabled: bool,
    /// What the owner says about each, by its name.
    pub entries: BTreeMap<String, HookEntry>,
    /// More folders of hooks, looked into last.
    pub extra_dirs: Vec<PathBuf>,
}

/// What the owner says about one hook.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HookEntry {
    /// Whether it runs; `None` when the owner says neither.
    pub enabled: Option<bool>,
    /// Variables set for it.
    pub env: BTreeMap<String, Secret>,
    /// How many messages are kept, for the hook that keeps some.
    pub messages: Option<usize>,
    /// Files that are told with every prompt, for the hook that tells some.
    pub paths: Vec<String>,
}

impl HookEntry {
    /// How many messages are kept of a conversation that is over.
    #[must_use]
    pub fn kept_messages(&self) -> usize {
        self.messages.unwrap_or(usize::try_from(DEFAULT_MESSAGES).unwrap_or(usize::MAX))
    }
}

impl InternalHooks {
    pub(super) fn resolve(raw: raw::InternalHooks, cx: &mut Resolve<'_>) -> Self {
        let mut entries = BTreeMap::new();
        for (name, entry) in raw.entries.unwrap_or_default() {
            let mut env = BTreeMap::new();
            for (variable, text) in entry.env.unwrap_or_default() {
                let place = format!("hooks.internal.entries.{name}.env.{variable}");
                env.extend(cx.secret(&place, Some(text)).map(|value| (variable, value)));
            }
            let messages = entry.messages.and_then(|count| usize::try_from(count).ok());
            let paths = entry.paths.unwrap_or_default();
            entries.insert(name, HookEntry { enabled: entry.enabled, env, messages, paths });
        }
        let dirs = raw.load.and_then(|load| load.extra_dirs).unwrap_or_default();
        Self {
            enabled: raw.enabled.unwrap_or(false),
            entries,
            extra_dirs: dirs.iter().map(|dir| cx.paths.expand(dir)).collect(),
        }
    }
}
