//! Where a question is shown, and who besides the owner is asked by that.

use homard_channel::{Address, ChatKind, Inbound, Sender};
use homard_config::Config;
use homard_config::config::approvals::{ApprovalMode, ApprovalRouting, ApprovalTarget};
use homard_policy::asking::concerns;
use homard_protocol::{RunId, SessionKey, TurnSource};
use homard_store::{NewSubagent, StoreError};
use homard_tools::Question;

use crate::message_actions::is_same_place;
use crate::parts::ChatApprovals;
use crate::turns::request::TurnRequest;

/// The tool whose questions are about commands.
const EXEC: &str = "exec";
/// Most agents between a question and the one somebody talks to.
const MAX_DEPTH: usize = 8;

/// A place a question is shown at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct QuestionPlace {
    pub(super) address: Address,
    /// Whether it is not where the conversation is.
    pub(super) is_elsewhere: bool,
}

impl ChatApprovals {
    /// Where a question is shown: as the owner wrote it, else with an owner who asked for what needs it.
    pub(super) async fn places(&self, question: &Question) -> Result<Vec<QuestionPlace>, StoreError> {
        let config = self.inner().config();
        let here = |address| QuestionPlace { address, is_elsewhere: false };
        let Some(routing) = routing(&config, question) else {
            let asks = question.request.run_id.as_ref();
            return Ok(self.with_its_owner(asks).await?.map(here).into_iter().collect());
        };
        let mut places = Vec::new();
        if routing.mode != ApprovalMode::Targets {
            places.extend(self.in_its_conversation(question).await?.map(here));
        }
        for address in self.targets(&config, routing) {
            if !places.iter().any(|place: &QuestionPlace| is_same_place(&place.address, &address)) {
                places.push(QuestionPlace { address, is_elsewhere: true });
            }
        }
        Ok(places)
    }

    /// Whether whoever wrote a message is asked by a place the owner listed: a direct chat with them.
    pub(crate) fn is_asked(&self, question: &Question, message: &Inbound) -> bool {
        // Where anybody can take a name, it says nothing.
        let (Sender::Peer { id, .. }, None) = (&message.sender, &message.details.vouched) else {
            return false;
        };
        if message.conversation.kind() != ChatKind::Direct {
            return false;
        }
        let config = self.inner().config();
        let Some(routing) = routing(&config, question) else { return false };
        self.targets(&config, routing).iter().any(|target| {
            target.chat == ChatKind::Direct && target.channel == message.channel && target.to == *id
        })
    }

    fn targets(&self, config: &Config, routing: &ApprovalRouting) -> Vec<Address> {
        if routing.mode == ApprovalMode::Session {
            return Vec::new();
        }
        let found = routing.targets.iter().filter_map(|target| {
            let ApprovalTarget { channel, to, account, thread } = target.clone();
            let place = crate::Place { channel: Some(channel), target: Some(to), account, thread };
            let address = self.messages().resolve(config, &place, None);
            address
                .inspect_err(
                    |error| tracing::warn!(%error, to = target.to, "a question cannot be shown there"),
                )
                .ok()
        });
        found.collect()
    }

    /// Where the conversation a question is about is, whoever is there.
    async fn in_its_conversation(&self, question: &Question) -> Result<Option<Address>, StoreError> {
        if let Some(origin) = self.origins(question.request.run_id.as_ref()).await?.into_iter().next() {
            return Ok(Some(origin.address));
        }
        match &question.request.session_key {
            Some(key) => self.messages().route_of(key).await,
            None => Ok(None),
        }
    }

    /// Where an owner follows the turn that asks. In a chat with somebody else nobody could answer, and what is asked may
    /// be private.
    pub(crate) async fn with_its_owner(&self, run: Option<&RunId>) -> Result<Option<Address>, StoreError> {
        let is_theirs = |chat: &TurnChat| {
            let address = &chat.address;
            let person = || Sender::Peer { id: address.to.clone(), name: None };
            chat.by_owner
                && (address.chat != ChatKind::Direct
                    || self.inner().is_owner_by_id(&address.channel, Some(&address.account), &person()))
        };
        Ok(self.origins(run).await?.into_iter().find(is_theirs).map(|chat| chat.address))
    }

    /// Where the turn that asks is answered, if on a chat platform, the best first. An agent that works for another is
    /// asked about where that one is; a job where its result goes; what nobody typed, where its agent was last spoken to.
    async fn origins(&self, run: Option<&RunId>) -> Result<Vec<TurnChat>, StoreError> {
        let mut next = run.cloned();
        for _ancestor in 0..MAX_DEPTH {
            let Some(run) = next.take() else { return Ok(Vec::new()) };
            let Some(record) = self.inner().store().runs().get(&run).await? else { return Ok(Vec::new()) };
            let source = record.source.known();
            let options = TurnRequest::of_record(&record).map(|request| request.options).unwrap_or_default();
            let asked_at = options.asks_at.map(|address| TurnChat {
                by_owner: source == Some(TurnSource::Announce) || address.chat == ChatKind::Direct,
                address: *address,
            });
            if let Some(reply) = options.reply {
                let is_typed = source == Some(TurnSource::Channel);
                let by_owner = match reply.address.chat {
                    // What nobody typed there is for whoever reads it there.
                    ChatKind::Direct => reply.is_owner || !is_typed,
                    ChatKind::Group | ChatKind::Channel => reply.is_owner && is_typed,
                };
                let answered = TurnChat { address: reply.address, by_owner };
                return Ok([answered].into_iter().chain(asked_at).collect());
            }
            let key = match source {
                Some(TurnSource::Subagent) => {
                    let child = self.inner().store().subagents().get(&record.session_key).await?;
                    let Some(NewSubagent { requester_run, asks_at, .. }) = child.map(|child| child.asked)
                    else {
                        return Ok(Vec::new());
                    };
                    if let Some(address) = read_place(asks_at.as_deref()) {
                        return Ok(vec![TurnChat { address, by_owner: true }]);
                    }
                    next = Some(requester_run);
                    continue;
                }
                // Its turn is over and was answered there; only an agent it left behind asks.
                Some(TurnSource::Channel) => record.session_key,
                Some(
                    TurnSource::Hook
                    | TurnSource::HttpHook
                    | TurnSource::Cron
                    | TurnSource::Heartbeat
                    | TurnSource::Wake
                    | TurnSource::SystemEvent
                    | TurnSource::Announce
                    | TurnSource::SessionsSend
                    | TurnSource::Restart,
                ) => SessionKey::main(record.agent_id),
                // Somebody at the page or a program waits, and is told there.
                Some(
                    TurnSource::Chat
                    | TurnSource::Agent
                    | TurnSource::HttpChat
                    | TurnSource::HttpResponses
                    | TurnSource::Node
                    | TurnSource::Compact,
                )
                | None => return Ok(Vec::new()),
            };
            let last = self.messages().route_of(&key).await?;
            let last = last.map(|address| TurnChat { by_owner: address.chat == ChatKind::Direct, address });
            return Ok(asked_at.into_iter().chain(last).collect());
        }
        Ok(Vec::new())
    }
}

/// Where a turn is answered, and whether an owner asked for it.
struct TurnChat {
    address: Address,
    by_owner: bool,
}

/// The place that was kept with a child.
pub(crate) fn read_place(kept: Option<&str>) -> Option<Address> {
    serde_json::from_str(kept?).ok()
}

/// What the owner wrote about questions of this kind, if it is for this one.
fn routing<'c>(config: &'c Config, question: &Question) -> Option<&'c ApprovalRouting> {
    let routes = &config.approvals;
    let routing = if question.request.tool == EXEC { &routes.exec } else { &routes.plugin };
    concerns(routing, question.request.session_key.as_ref()).then_some(routing)
}
