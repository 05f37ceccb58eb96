//! Which skills an agent has: what the owner allows, and what the machine has.

use std::collections::HashMap;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use homard_config::Environment;
use homard_config::config::skills::Skills as Settings;
use homard_protocol::methods::tools::skills::{SkillConfigCheck, SkillNeeds};
use serde_json::Value;

use crate::front_matter::About;
use crate::load::{Skill, SkillOrigin};

/// Used when the environment has no `PATH`.
const DEFAULT_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// What skills are judged by.
pub struct GateFacts<'a> {
    /// What the owner says about skills.
    pub settings: &'a Settings,
    /// The agent's own list; `None` means all.
    pub for_agent: Option<&'a [String]>,
    /// All layers of the environment.
    pub env: &'a Environment,
    /// The configuration as written, for skills that ask for settings.
    pub written: &'a Value,
    /// The system, as skills spell it.
    pub os: &'a str,
    /// The programs there are.
    pub programs: Programs,
}

/// Settings that are on whatever is written: every agent has a workspace.
const ALWAYS_ON: [&str; 1] = ["workspace.dir"];

/// What is looked for when something says what it needs.
pub struct Needed<'a> {
    /// The system, as skills spell it.
    pub os: &'a str,
    /// The configuration as written.
    pub written: &'a Value,
    /// Whether a variable is set.
    pub is_set: &'a dyn Fn(&str) -> bool,
}

impl Needed<'_> {
    /// What is not there of all that a head asks for. Blocks while it looks for programs.
    #[must_use]
    pub fn missing(&self, about: &About, programs: &mut Programs) -> SkillNeeds {
        let mut missing = SkillNeeds::default();
        if !about.os.is_empty() && !about.os.iter().any(|os| same_os(os, self.os)) {
            missing.os.clone_from(&about.os);
        }
        if !about.always {
            missing.bins = about.bins.iter().filter(|name| !programs.has(name)).cloned().collect();
            if !about.any_bins.is_empty() && !about.any_bins.iter().any(|name| programs.has(name)) {
                missing.any_bins.clone_from(&about.any_bins);
            }
            missing.env = about.env.iter().filter(|name| !(self.is_set)(name)).cloned().collect();
            missing.config = about.config.iter().filter(|path| !self.has(path)).cloned().collect();
        }
        missing
    }

    /// Whether a setting is on.
    fn has(&self, path: &str) -> bool {
        ALWAYS_ON.contains(&path) || is_on(at(self.written, path))
    }
}

/// What was decided about a skill.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Verdict {
    /// The owner turned it off.
    pub disabled: bool,
    /// `skills.allowBundled` leaves it out.
    pub not_allowed: bool,
    /// The agent's list leaves it out.
    pub not_for_agent: bool,
    /// What it needs and does not find.
    pub missing: SkillNeeds,
    /// The settings it asks for, one by one.
    pub config_checks: Vec<SkillConfigCheck>,
}

impl Verdict {
    /// Whether the agent has it.
    #[must_use]
    pub fn is_eligible(&self) -> bool {
        !self.disabled && !self.not_allowed && !self.not_for_agent && self.missing.is_empty()
    }
}

/// Our system, as skills spell it.
#[must_use]
pub fn this_os() -> &'static str {
    match std::env::consts::OS {
        "macos" => "darwin",
        "windows" => "win32",
        other => other,
    }
}

impl GateFacts<'_> {
    /// Decides about one skill. Blocks while it looks for programs.
    pub fn judge(&mut self, skill: &Skill) -> Verdict {
        let about = &skill.front.about;
        let entry = self.settings.entries.get(skill.key());
        let is_named = |list: &[String]| list.iter().any(|name| *name == skill.name || name == skill.key());
        let is_set = |name: &str| {
            let own = entry.is_some_and(|entry| {
                entry.env.contains_key(name)
                    || (entry.api_key.is_some() && about.primary_env.as_deref() == Some(name))
            });
            own || self.env.get(name).is_some()
        };
        let needed = Needed { os: self.os, written: self.written, is_set: &is_set };
        let missing = needed.missing(about, &mut self.programs);
        let checks: Vec<SkillConfigCheck> = about
            .config
            .iter()
            .map(|path| SkillConfigCheck { path: path.clone(), satisfied: needed.has(path) })
            .collect();
        let allowed = self.settings.allow_bundled.as_deref();
        Verdict {
            disabled: entry.is_some_and(|entry| entry.enabled == Some(false)),
            not_allowed: skill.place == SkillOrigin::Bundled && allowed.is_some_and(|list| !is_named(list)),
            not_for_agent: self.for_agent.is_some_and(|list| !is_named(list)),
            missing,
            config_checks: checks,
        }
    }
}

fn same_os(wanted: &str, ours: &str) -> bool {
    let wanted = wanted.to_lowercase();
    let wanted = match wanted.as_str() {
        "macos" | "mac" | "osx" => "darwin",
        "windows" | "win" => "win32",
        other => other,
    };
    wanted == ours
}

/// What is written at `a.b.c`.
fn at<'v>(written: &'v Value, path: &str) -> Option<&'v Value> {
    path.split('.').try_fold(written, |value, key| value.get(key))
}

fn is_on(value: Option<&Value>) -> bool {
    match value {
        None | Some(Value::Null) => false,
        Some(Value::Bool(on)) => *on,
        Some(Value::Number(number)) => number.as_f64() != Some(0.0),
        Some(Value::String(text)) => !text.trim().is_empty(),
        Some(Value::Array(_) | Value::Object(_)) => true,
    }
}

/// Finds programs by name, each once.
#[derive(Debug, Default)]
pub struct Programs {
    dirs: Vec<PathBuf>,
    known: HashMap<String, bool>,
}

impl Programs {
    /// Those that commands will find: in the folders put before the path, then on the path.
    #[must_use]
    pub fn on_path(first: &[PathBuf], path: Option<&str>) -> Self {
        let rest = path.unwrap_or(DEFAULT_PATH).split(':').filter(|dir| !dir.is_empty()).map(PathBuf::from);
        Self { dirs: first.iter().cloned().chain(rest).collect(), known: HashMap::new() }
    }

    /// The folders that are looked in.
    #[must_use]
    pub fn dirs(&self) -> &[PathBuf] {
        &self.dirs
    }

    /// Whether there is a program of this name. Blocks.
    pub fn has(&mut self, name: &str) -> bool {
        if let Some(known) = self.known.get(name) {
            return *known;
        }
        let found = if name.contains('/') {
            is_executable(Path::new(name))
        } else {
            self.dirs.iter().any(|dir| is_executable(&dir.join(name)))
        };
        self.known.insert(name.to_owned(), found);
        found
    }
}

fn is_executable(file: &Path) -> bool {
    std::fs::metadata(file).is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests;
