//! `skills`: where skills are found, how much they may take, and what the owner says about each.

use homard_runtime::CollectOrdered as _;
use std::collections::BTreeMap;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Resolve;
use crate::raw::extensions as raw;
use crate::raw::value::SecretText;
use crate::secret::Secret;

const DEFAULT_CANDIDATES: u64 = 300;
const DEFAULT_PER_SOURCE: u64 = 200;
const DEFAULT_IN_PROMPT: u64 = 150;
const DEFAULT_PROMPT_CHARS: u64 = 30_000;
const DEFAULT_FILE_BYTES: u64 = 256_000;
/// No limit of this section may be set higher: each of them is paid for in every turn.
const MAX_LIMIT: u64 = 10_000_000;

/// Decided `skills`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Skills {
    /// Built-in skills offered; `None` means all.
    pub allow_bundled: Option<Vec<String>>,
    /// Further folders of skills, the weakest ones.
    pub extra_dirs: Vec<PathBuf>,
    /// Whether changes on disk are noticed while the gateway runs.
    pub watch: bool,
    /// How a skill's programs are installed.
    pub install: SkillsInstall,
    /// How much skills may take.
    pub limits: SkillsLimits,
    /// What the owner says about single skills, by their key.
    pub entries: BTreeMap<String, SkillEntry>,
}

/// How a skill's programs are installed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SkillsInstall {
    /// Whether Homebrew is named first where a skill offers it.
    pub prefer_brew: bool,
    /// Who installs Node packages.
    pub node_manager: NodeManager,
}

/// Who installs Node packages.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum NodeManager {
    /// npm.
    #[default]
    Npm,
    /// pnpm.
    Pnpm,
    /// Yarn.
    Yarn,
    /// Bun.
    Bun,
}

impl NodeManager {
    /// The program's name.
    fn program(self) -> &'static str {
        match self {
            Self::Npm => "npm",
            Self::Pnpm => "pnpm",
            Self::Yarn => "yarn",
            Self::Bun => "bun",
        }
    }

    fn parse(text: &str) -> Option<Self> {
        [Self::Npm, Self::Pnpm, Self::Yarn, Self::Bun].into_iter().find(|manager| manager.program() == text)
    }
}

/// How much skills may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SkillsLimits {
    /// Folders looked at in one place.
    pub candidates_per_root: usize,
    /// Skills loaded from one place.
    pub per_source: usize,
    /// Skills named in the prompt.
    pub in_prompt: usize,
    /// Longest list in the prompt, in characters.
    pub prompt_chars: usize,
    /// Largest skill file, in bytes.
    pub file_bytes: u64,
}

/// What the owner says about one skill.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SkillEntry {
    /// `Some(false)` turns it off.
    pub enabled: Option<bool>,
    /// The value of the variable the skill names as its main one.
    pub api_key: Option<Secret>,
    /// Variables its commands find.
    pub env: BTreeMap<String, Secret>,
}

impl Default for SkillsLimits {
    fn default() -> Self {
        Self::resolve(&raw::SkillsLimits::default())
    }
}

impl SkillsLimits {
    fn resolve(raw: &raw::SkillsLimits) -> Self {
        let size = |value: Option<u64>, default| {
            usize::try_from(value.unwrap_or(default).min(MAX_LIMIT)).unwrap_or(usize::MAX)
        };
        Self {
            candidates_per_root: size(raw.max_candidates_per_root, DEFAULT_CANDIDATES),
            per_source: size(raw.max_skills_loaded_per_source, DEFAULT_PER_SOURCE),
            in_prompt: size(raw.max_skills_in_prompt, DEFAULT_IN_PROMPT),
            prompt_chars: size(raw.max_skills_prompt_chars, DEFAULT_PROMPT_CHARS),
            file_bytes: raw.max_skill_file_bytes.unwrap_or(DEFAULT_FILE_BYTES).min(MAX_LIMIT),
        }
    }
}

impl Skills {
    pub(super) fn resolve(raw: raw::Skills, cx: &mut Resolve<'_>) -> Self {
        let load = raw.load.unwrap_or_default();
        let install = raw.install.unwrap_or_default();
        let manager = install.node_manager.as_deref().and_then(NodeManager::parse).unwrap_or_default();
        let dirs = load.extra_dirs.unwrap_or_default();
        let entries = raw.entries.unwrap_or_default().into_iter();
        Self {
            allow_bundled: raw.allow_bundled,
            extra_dirs: dirs
                .iter()
                .filter(|dir| !dir.trim().is_empty())
                .map(|d| cx.paths.expand(d))
                .collect(),
            watch: load.watch.unwrap_or(true),
            install: SkillsInstall {
                prefer_brew: install.prefer_brew.unwrap_or(true),
                node_manager: manager,
            },
            limits: SkillsLimits::resolve(&raw.limits.unwrap_or_default()),
            entries: entries
                .map(|(key, raw)| (key.clone(), SkillEntry::resolve(&key, raw, cx)))
                .collect_map(),
        }
    }
}

impl SkillEntry {
    fn resolve(key: &str, raw: raw::SkillEntry, cx: &mut Resolve<'_>) -> Self {
        let place = format!("skills.entries.{key}");
        let api_key = value(&format!("{place}.apiKey"), raw.api_key, cx);
        let env = raw.env.unwrap_or_default().into_iter().filter_map(|(name, text)| {
            let found = value(&format!("{place}.env.{name}"), Some(text), cx)?;
            Some((name, found))
        });
        Self { enabled: raw.enabled, api_key, env: env.collect_map() }
    }
}

/// A skill without its key is no reason not to start: what is missing is a warning here, never an error.
fn value(place: &str, text: Option<SecretText>, cx: &mut Resolve<'_>) -> Option<Secret> {
    if let Some(SecretText::Reference(reference)) = &text
        && reference.source == "env"
        && cx.env.get(&reference.id).is_none()
    {
        cx.warn(place, format!("environment variable `{}` is not set", reference.id));
        return None;
    }
    cx.secret(place, text)
}

#[cfg(test)]
mod tests;
