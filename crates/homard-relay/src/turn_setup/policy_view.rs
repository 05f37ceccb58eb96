//! What the gateway asks about tools: which there are, which a conversation is offered, and why.

use std::sync::Arc;

use homard_channel::Sender;
use homard_models::select::{SelectError, usable_context};
use homard_protocol::{AccountId, AgentId, ChannelId, ModelRef, PeerId, SessionKey};
use homard_store::SessionRecord;
use homard_tools::{Caller, ToolPolicy, ToolSpec};

use crate::parts::TurnSetup;
use crate::turn_setup::policy_layers::{ModelName, PolicySubject, Requester, asker, misspelled, policy_for};
use crate::turn_setup::resident::Resident;
use crate::turn_setup::sandbox;
use crate::turn_setup::settings::chosen_model;

/// For whom a policy is looked at, when that is not the owner with the model in use.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PolicyQuestion {
    /// Somebody with this id on the conversation's platform speaks.
    pub sender: Option<PeerId>,
    /// This model answers, as `provider/model` or an alias.
    pub model: Option<String>,
}

/// A policy and what it was made for.
#[derive(Debug, Clone, PartialEq)]
pub struct PolicyView {
    /// Which tools are offered.
    pub policy: ToolPolicy,
    /// Whose conversation it is.
    pub agent: AgentId,
    /// The model it was made for.
    pub model: ModelRef,
    /// The profile in effect, by its word.
    pub profile: &'static str,
    /// Which files are to be had.
    pub files: &'static str,
    /// The context of the model, in tokens; a small one is offered less.
    window: u32,
}

impl TurnSetup {
    /// Every tool that could be offered now.
    #[must_use]
    pub fn tools_there(&self) -> Arc<[Arc<ToolSpec>]> {
        self.inner().reloadable().tools.specs(&ToolPolicy::default(), &self.ports())
    }

    /// What a conversation is offered now, as its model is told it.
    #[must_use]
    pub fn offered(&self, view: &PolicyView) -> Arc<[Arc<ToolSpec>]> {
        self.offer(&view.policy, view.window).described
    }

    /// The policy a message of the supposed sender would meet now; where nobody is supposed, of the conversation's own
    /// people.
    ///
    /// # Errors
    /// When the supposed model cannot be read.
    pub fn policy_view(
        &self,
        key: &SessionKey,
        session: Option<&SessionRecord>,
        supposing: &PolicyQuestion,
    ) -> Result<PolicyView, SelectError> {
        let config = self.inner().config();
        let router = Arc::clone(&self.inner().reloadable().router);
        let agent =
            key.agent_id().and_then(|id| config.agents.agent(id)).unwrap_or(config.agents.default_agent());
        let entry = session.map(|record| &record.entry);
        let model = match &supposing.model {
            Some(text) => router.selector().parse(text)?.model,
            None => chosen_model(&router, agent, entry),
        };
        let sender = match &supposing.sender {
            Some(id) => Sender::Peer { id: id.clone(), name: None },
            None => Sender::Operator,
        };
        let operator = ChannelId::operator();
        let channel = key.channel().unwrap_or(&operator);
        let account = entry.and_then(|entry| AccountId::parse(entry.last_account_id.as_deref()?).ok());
        let wanted = ModelName { provider: model.provider.as_str(), model: model.model.as_str() };
        let about = PolicySubject {
            sender: &sender,
            account: account.as_ref(),
            is_owner: self.inner().is_owner_by_id(channel, account.as_ref(), &sender),
            ..PolicySubject::of_operator(key, channel, entry, wanted)
        };
        let resident = Resident::of(self.inner(), &about);
        let about = if supposing.sender.is_some() { about } else { resident.speaking(&about) };
        let profile = agent.tools.rule.profile.or(config.tools.rule.profile).unwrap_or_default();
        let policy = policy_for(&config, agent, &about);
        let files = match asker(&config, &about) {
            _ if sandbox::of(agent, key).is_some() => {
                "those of one folder: the conversation belongs into a sandbox"
            }
            Requester { caller: Caller::Owner, .. } => "all but the gateway's own records, for the owner",
            Requester { has_all_files: true, .. } => "what the owner has, by files:all in alsoAllow",
            Requester { .. } => "the workspace, less what is about the owner: they are not the owner",
        };
        let window =
            router.models().resolve(&model).map_or(u32::MAX, |it| usable_context(&it.model, &config));
        Ok(PolicyView { policy, agent: agent.id.clone(), profile: profile.as_str(), model, files, window })
    }

    /// What does not hold of what the owner wrote about sandboxes.
    #[must_use]
    pub fn sandboxes_not_held(&self) -> Vec<String> {
        sandbox::not_held(&self.inner().config())
    }

    /// Tells the log about what the owner wrote about tools and does not hold: sandboxes, and entries of lists that
    /// name no tool.
    pub(crate) fn warn_of_tool_settings(&self) {
        for sentence in self.sandboxes_not_held() {
            tracing::warn!("{sentence}");
        }
        let rooms = self.inner().reloadable();
        for entry in misspelled(&self.inner().config(), rooms.tools.names()) {
            tracing::warn!(
                list = entry.place,
                entry = entry.pattern,
                "an entry names no tool there is; is it misspelled?"
            );
        }
    }
}
