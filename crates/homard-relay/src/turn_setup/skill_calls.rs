//! Skills that a person calls by name: `/name what to do` becomes what the model is told.

use std::fmt::Write as _;
use std::sync::Arc;

use homard_policy::words::table::MenuEntry;
use homard_runtime::{Clip, brief};
use homard_skills::Snapshot;

use crate::intake::admit::Admitted;
use crate::parts::TurnSetup;

/// Longest part of a skill's description in the list of commands, in characters.
const MAX_HELP_CHARS: usize = 100;

impl TurnSetup {
    /// Puts the call of a skill in place of the message that calls it; other messages stay as they are.
    pub(crate) async fn call_skill(&self, admitted: Admitted) -> Admitted {
        // Most messages call nothing, and looking at the skills costs something.
        if !admitted.message().text.trim_start().starts_with('/') {
            return admitted;
        }
        let told = self.skills_of(&admitted).await.and_then(|skills| skills.told(&admitted.message().text));
        // A skill that names a tool is told to the model like any other; nothing goes past the policy.
        told.into_iter().fold(admitted, Admitted::with_text)
    }

    /// The same for a call that was read: the name of a skill, or of its command, and what it is to do.
    pub(crate) async fn call_named_skill(&self, admitted: &mut Admitted, name: &str, args: &str) {
        let skills = self.skills_of(admitted).await;
        if let Some(told) = skills.and_then(|skills| skills.told_by_name(name, args)) {
            admitted.reword(told);
        }
    }

    /// The names by which skills of the agent that answers may be called.
    pub(crate) async fn skill_names(&self, admitted: &Admitted) -> Vec<String> {
        if !admitted.message().text.contains('/') {
            return Vec::new();
        }
        let snapshot = self.skills_of(admitted).await;
        let names = |skills: Arc<Snapshot>| skills.commands().iter().map(|one| one.name.clone()).collect();
        snapshot.map(names).unwrap_or_default()
    }

    /// The lines that a list of commands has for skills; each begins with a line break.
    pub(crate) async fn skill_commands(&self, admitted: &Admitted) -> String {
        let mut text = String::new();
        let Some(snapshot) = self.skills_of(admitted).await else { return text };
        for command in snapshot.commands() {
            let about = command.skill.front.description.split_whitespace().collect::<Vec<_>>().join(" ");
            let about = about.clip_chars(MAX_HELP_CHARS).to_owned();
            let _written = write!(text, "\n/{} [what to do] — {about}", command.name);
        }
        text
    }

    /// Skills of the agent that answers when nobody else is meant, as a platform's menu shows them.
    pub async fn skill_menu(&self) -> Vec<MenuEntry> {
        let config = self.inner().config();
        let snapshot = self.skills().for_turn(&config, config.agents.default_agent()).await;
        let entry =
            |name: &str, about: &str| MenuEntry { name: name.to_owned(), help: brief(about, MAX_HELP_CHARS) };
        snapshot.commands().iter().map(|one| entry(&one.name, &one.skill.front.description)).collect()
    }

    async fn skills_of(&self, admitted: &Admitted) -> Option<Arc<Snapshot>> {
        let config = self.inner().config();
        let agent = config.agents.agent(admitted.agent())?;
        Some(self.skills().for_turn(&config, agent).await)
    }
}
