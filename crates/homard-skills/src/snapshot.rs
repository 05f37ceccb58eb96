//! What a turn knows about skills, decided once at its beginning.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use crate::command::{self, SkillCommand};
use crate::load::Skill;

/// The skills an agent has. `Debug` shows no value of a variable: some are secrets.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Snapshot {
    /// Counts changes; a turn that finds another number than the last one has other skills.
    pub version: u64,
    /// What the model is told; `None` when there is nothing to tell.
    pub prompt: Option<Arc<str>>,
    /// The skills, by name.
    pub skills: Vec<Arc<Skill>>,
    pub(crate) env: BTreeMap<String, String>,
    pub(crate) commands: Vec<SkillCommand>,
    pub(crate) home: PathBuf,
}

impl Snapshot {
    /// The variables that commands of this run find. Secrets among them: never show or keep them.
    #[must_use]
    pub fn env(&self) -> &BTreeMap<String, String> {
        &self.env
    }

    /// What a person may call.
    #[must_use]
    pub fn commands(&self) -> &[SkillCommand] {
        &self.commands
    }

    /// What the model is told in place of a message that calls a skill: `/name …` or `/skill name …`.
    #[must_use]
    pub fn told(&self, text: &str) -> Option<String> {
        command::told(&self.commands, text, &self.home)
    }

    /// The same for a call that was read: the name of the skill or of its command, and what it is to do.
    #[must_use]
    pub fn told_by_name(&self, name: &str, args: &str) -> Option<String> {
        command::told_by_name(&self.commands, name, args, &self.home)
    }

    /// Whether a turn would notice the difference.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        Self { version: other.version, ..self.clone() } == *other
    }
}

impl fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Snapshot")
            .field("version", &self.version)
            .field("skills", &self.skills.iter().map(|skill| &skill.name).collect::<Vec<_>>())
            .field("env", &self.env.keys().collect::<Vec<_>>())
            .finish_non_exhaustive()
    }
}
