//! Skills that a person calls by name: `/name what to do` becomes what the model is told.

use std::fmt::Write as _;
use std::sync::Arc;

use homard_skills::Snapshot;

use crate::intake::route::Routed;
use crate::relay::Relay;

/// Longest part of a skill's description in the list of commands, in characters.
const MAX_HELP_CHARS: usize = 100;

impl Relay {
    /// Puts the call of a skill in place of the message that calls it; other messages stay as they are.
    pub(crate) async fn call_skill(&self, routed: &mut Routed) {
        // Most messages call nothing, and looking at the skills costs something.
        if !routed.message().text.trim_start().starts_with('/') {
            return;
        }
        let snapshot = self.skills_of(routed).await;
        if let Some(call) = snapshot.and_then(|skills| skills.command(&routed.message().text)) {
            // A skill that names a tool is told to the model like any other; nothing goes past the policy.
            routed.reword(call.message);
        }
    }

    /// The names by which skills of the agent that answers may be called.
    pub(crate) async fn skill_names(&self, routed: &Routed) -> Vec<String> {
        if !routed.message().text.contains('/') {
            return Vec::new();
        }
        let snapshot = self.skills_of(routed).await;
        let names = |skills: Arc<Snapshot>| skills.commands().iter().map(|one| one.name.clone()).collect();
        snapshot.map(names).unwrap_or_default()
    }

    /// The lines that a list of commands has for skills; each begins with a line break.
    pub(crate) async fn skill_commands(&self, routed: &Routed) -> String {
        let mut text = String::new();
        let Some(snapshot) = self.skills_of(routed).await else { return text };
        for command in snapshot.commands() {
            let about = command.skill.front.description.split_whitespace().collect::<Vec<_>>().join(" ");
            let about: String = about.chars().take(MAX_HELP_CHARS).collect();
            let _written = write!(text, "\n/{} [what to do] — {about}", command.name);
        }
        text
    }

    async fn skills_of(&self, routed: &Routed) -> Option<Arc<Snapshot>> {
        let config = self.inner().config();
        let agent = config.agents.agent(routed.agent())?;
        Some(self.inner().skills().for_turn(&config, agent).await)
    }
}
