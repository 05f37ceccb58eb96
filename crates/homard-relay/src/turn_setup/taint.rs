//! What a turn has to know about words that are not the owner's: their labels, the gate's policy, and secrets that
//! must not be in what a model is told.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use homard_agent::History;
use homard_channel::{Inbound, Sender};
use homard_config::Config;
use homard_config::config::agents::Agent;
use homard_config::config::tools::TaintMode;
use homard_exec::approvals::ExecRules;
use homard_protocol::{SessionKey, UserBlock, UserContent, UserMessage};
use homard_runtime::Redactor;
use homard_skills::Snapshot;
use homard_store::StoreError;
use homard_tools::{Caller, FileAccess, GateMode, GatePolicy, Label, Scope, Source, Taint, TurnSlot};
use jiff::tz::TimeZone;

use crate::parts::TurnSetup;
use crate::sessions::access::has_strangers;
use crate::turn_setup::policy_layers::Requester;
use crate::turn_setup::resident::is_owners_own;
use crate::turn_setup::sandbox;

/// The labels of a message by its sender: what the owner says and attaches has none, wherever they say it.
pub(crate) fn labels(message: &Inbound, is_owner: bool) -> Vec<Label> {
    let (id, name) = match &message.sender {
        Sender::Peer { id, name } if !is_owner => (id, name),
        Sender::Operator | Sender::Peer { .. } => return Vec::new(),
    };
    let who = match name {
        Some(name) => format!("{name} ({id}) on {}", message.channel),
        None => format!("{id} on {}", message.channel),
    };
    let mut labels = vec![Label::new(Source::Message, format!("from {who}"))];
    if !message.images.is_empty() {
        labels.push(Label::new(Source::File, format!("attached by {who}")));
    }
    labels
}

impl TurnSetup {
    /// Whose words are in a conversation, where they are not the owner's.
    ///
    /// # Errors
    /// When the transcript cannot be read.
    pub async fn labels_of(&self, key: &SessionKey) -> Result<Vec<Label>, StoreError> {
        let store = self.inner().store();
        let session = store.sessions().get(key).await?;
        let is_owners = is_owners_own(self.inner(), key, session.as_ref().map(|session| &session.entry));
        let mut labels = match session {
            Some(session) => {
                let context = store.transcripts().context(&session.session_id).await?;
                History::new(session.session_id, context, TimeZone::UTC).taint().labels()
            }
            None => Vec::new(),
        };
        if has_strangers(key) && !is_owners {
            labels.push(Label::new(Source::Message, format!("in {key}")));
        }
        Ok(labels)
    }
}

/// A message as it is kept and told: without secrets the house knows.
pub(crate) fn without_secrets(mut message: UserMessage, secrets: &Redactor) -> UserMessage {
    match &mut message.content {
        UserContent::Text(text) => secrets.hide_in(text),
        UserContent::Blocks(blocks) => {
            for block in blocks {
                if let UserBlock::Text { text } = block {
                    secrets.hide_in(text);
                }
            }
        }
    }
    message
}

/// A prompt without secrets.
pub(crate) fn prompt_without_secrets(prompt: Arc<str>, secrets: &Redactor) -> Arc<str> {
    match secrets.hide(&prompt) {
        Cow::Owned(hidden) => Arc::from(hidden),
        Cow::Borrowed(_) => prompt,
    }
}

/// What the turn's agent was granted beside.
pub(crate) struct Granted {
    /// Variables for its commands.
    pub(crate) env: BTreeMap<String, String>,
    /// Which commands it may run.
    pub(crate) exec: ExecRules,
    /// Whether its file tools stay inside the workspace.
    pub(crate) workspace_only: Option<bool>,
    /// Whether the conversation belongs into a sandbox.
    pub(crate) is_confined: bool,
    /// Who asks, and what they are given.
    pub(crate) asker: Requester,
    /// Folders of the skills it is told of.
    pub(crate) skill_folders: Vec<PathBuf>,
    /// Its place among the turns that run at once.
    pub(crate) slot: TurnSlot,
}

impl Granted {
    /// What `agent` is granted in a conversation for whoever asks, with the variables of its skills.
    pub(crate) fn of(
        agent: &Agent,
        key: &SessionKey,
        skills: &Snapshot,
        exec: ExecRules,
        asker: Requester,
    ) -> Self {
        let is_confined = sandbox::of(agent, key).is_some();
        // The owner has all folders anyway.
        let folders = skills.skills.iter().filter(|_| is_confined || asker.caller == Caller::Guest);
        Self {
            env: skills.env().clone(),
            exec,
            workspace_only: agent.tools.workspace_only,
            is_confined,
            asker,
            skill_folders: folders.map(|skill| skill.dir.clone()).collect(),
            slot: TurnSlot::default(),
        }
    }

    /// The same for a turn that has a place.
    pub(crate) fn in_slot(self, slot: TurnSlot) -> Self {
        Self { slot, ..self }
    }
}

/// What the tool calls of a turn share.
pub(crate) fn scope(setup: &TurnSetup, config: &Config, taint: &Taint, granted: Granted) -> Arc<Scope> {
    let inner = setup.inner();
    let rules = &config.tools.taint;
    let mode = match rules.mode {
        TaintMode::Ask => GateMode::Ask,
        TaintMode::Deny => GateMode::Deny,
        TaintMode::Off => GateMode::Off,
    };
    Arc::new(Scope {
        approvals: setup.approvals().clone(),
        taint: taint.clone(),
        gate: GatePolicy::new(mode, &rules.allow).vouching(rules.vouched.clone()),
        guards: inner.guards().clone(),
        env: granted.env,
        exec: granted.exec,
        access: FileAccess {
            caller: granted.asker.caller,
            is_widened: granted.asker.has_all_files,
            records: inner.paths().records(),
            given: granted.skill_folders,
            workspace_only: granted.workspace_only,
            is_confined: granted.is_confined,
        },
        slot: granted.slot,
        undo: setup.undo().clone(),
        ports: setup.ports(),
        hooks: inner.hooks().clone(),
        ..Scope::default()
    })
}

#[cfg(test)]
mod tests;
