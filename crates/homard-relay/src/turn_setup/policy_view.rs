//! What the gateway asks about tools: which there are, which a conversation is offered, and why.

use std::sync::Arc;

use homard_channel::Sender;
use homard_models::select::SelectError;
use homard_protocol::{AccountId, AgentId, ChannelId, ModelRef, PeerId, SessionKey};
use homard_store::SessionRecord;
use homard_tools::{Caller, ToolPolicy, ToolSpec};

use crate::parts::TurnSetup;
use crate::turn_setup::policy_layers::{Asker, Circumstances, asker, misspelled, policy_for};
use crate::turn_setup::sandbox;
use crate::turn_setup::settings::chosen_model;

/// For whom a policy is looked at, when that is not the owner with the model in use.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Supposing {
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
}

impl TurnSetup {
    /// What a turn under `policy` would be offered now.
    #[must_use]
    pub fn offered(&self, policy: &ToolPolicy) -> Arc<[Arc<ToolSpec>]> {
        self.inner().rooms().tools.specs(policy, &self.ports())
    }

    /// The policy a message in this conversation would meet now.
    ///
    /// # Errors
    /// When the supposed model cannot be read.
    pub fn policy_view(
        &self,
        key: &SessionKey,
        session: Option<&SessionRecord>,
        supposing: &Supposing,
    ) -> Result<PolicyView, SelectError> {
        let config = self.inner().config();
        let router = Arc::clone(&self.inner().rooms().router);
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
        let about = Circumstances {
            key,
            sender: &sender,
            channel,
            account: account.as_ref(),
            model: (model.provider.as_str(), model.model.as_str()),
            session: entry,
            works_for: None,
            is_owner: self.inner().is_owner_by_id(channel, account.as_ref(), &sender),
            passed_on: false,
            without_admin: false,
        };
        let profile = agent.tools.rule.profile.or(config.tools.rule.profile).unwrap_or_default();
        let policy = policy_for(&config, agent, &about);
        let files = match asker(&config, &about) {
            _ if sandbox::of(agent, key).is_some() => {
                "those of one folder: the conversation belongs into a sandbox"
            }
            Asker { caller: Caller::Owner, .. } => "all but the gateway's own records, for the owner",
            Asker { has_all_files: true, .. } => "what the owner has, by files:all in alsoAllow",
            Asker { .. } => "the workspace, less what is about the owner: they are not the owner",
        };
        Ok(PolicyView { policy, agent: agent.id.clone(), profile: profile.as_str(), model, files })
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
        let rooms = self.inner().rooms();
        for entry in misspelled(&self.inner().config(), rooms.tools.names()) {
            tracing::warn!(
                list = entry.place,
                entry = entry.pattern,
                "an entry names no tool there is; is it misspelled?"
            );
        }
    }
}
