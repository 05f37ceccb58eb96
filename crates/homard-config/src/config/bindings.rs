//! `bindings` and `broadcast`: which agent gets which messages.

use std::collections::BTreeMap;

use homard_protocol::id::slugify;
use homard_protocol::{AccountId, AgentId, ChannelId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Resolve;
use super::session::DmScope;
use crate::raw;

/// Decided `bindings` and `broadcast`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Bindings {
    /// In the order of the file; the order decides between equals.
    pub list: Vec<Binding>,
    /// Conversations several agents answer in.
    pub broadcast: Broadcast,
}

/// One rule: messages that match go to this agent. Everything it asks for must hold.
#[derive(Debug, Clone, PartialEq)]
pub struct Binding {
    /// Its place in the file, counted from 0, so that people can be told which.
    pub index: usize,
    /// Who answers. The routing says what happens when there is no such agent.
    pub agent: AgentId,
    pub channel: ChannelId,
    /// At which of our accounts.
    pub account: AccountMatch,
    pub peer: Option<PeerMatch>,
    pub guild: Option<String>,
    pub team: Option<String>,
    /// The sender has one of these roles; empty means that roles do not matter.
    pub roles: Vec<String>,
    /// How direct messages are told apart, where it differs from `session.dmScope`.
    pub dm_scope: Option<DmScope>,
    /// Whether groups have their own conversations, where it differs from `session.groupScope`.
    pub own_groups: Option<bool>,
}

/// At which of our accounts a message arrived.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AccountMatch {
    /// Nothing was said: the platform's default account.
    Default,
    Named(AccountId),
    Any,
}

/// With how many people one talks, as bindings say it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PeerKind {
    Direct,
    Group,
    Channel,
}

impl PeerKind {
    /// Reads the word of the file; `dm` is an older spelling of `direct`.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Some(match word.trim().to_lowercase().as_str() {
            "direct" | "dm" => Self::Direct,
            "group" => Self::Group,
            "channel" => Self::Channel,
            _ => return None,
        })
    }

    /// The word of the file.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Direct => "direct",
            Self::Group => "group",
            Self::Channel => "channel",
        }
    }
}

/// A conversation, as bindings say it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PeerMatch {
    pub kind: PeerKind,
    /// Its id on the platform, lower case as in session keys.
    pub id: String,
}

/// How several agents answer one message.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum BroadcastStrategy {
    /// All at once.
    #[default]
    Parallel,
    /// Each when the one before has answered, in the order of the list.
    Sequential,
}

/// Decided `broadcast`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Broadcast {
    pub strategy: BroadcastStrategy,
    /// Agents by the id of the conversation, lower case.
    pub peers: BTreeMap<String, Vec<AgentId>>,
}

impl Bindings {
    pub(super) fn resolve(
        bindings: Vec<raw::agents::Binding>,
        broadcast: raw::Broadcast,
        cx: &mut Resolve<'_>,
    ) -> Self {
        let list = bindings.into_iter().enumerate();
        let list = list.filter_map(|(index, binding)| Binding::resolve(index, binding, cx)).collect();
        Self { list, broadcast: Broadcast::resolve(broadcast, cx) }
    }
}

impl Binding {
    fn resolve(index: usize, raw: raw::agents::Binding, cx: &mut Resolve<'_>) -> Option<Self> {
        let path = format!("bindings[{index}]");
        if raw.kind.as_deref() == Some("acp") {
            cx.warn(format!("{path}.type"), "bindings of type `acp` are known, not yet in effect");
            return None;
        }
        let matching = raw.matching.unwrap_or_default();
        let agent = agent(raw.agent_id.as_deref(), &format!("{path}.agentId"), cx)?;
        let channel = word(matching.channel).map(|id| ChannelId::parse(&id.to_lowercase()));
        let channel = match channel {
            Some(Ok(channel)) => channel,
            Some(Err(error)) => {
                cx.issue(format!("{path}.match.channel"), error.to_string());
                return None;
            }
            None => {
                cx.issue(format!("{path}.match.channel"), "say which platform, such as `telegram`");
                return None;
            }
        };
        let account = match word(matching.account_id) {
            None => AccountMatch::Default,
            Some(id) if id == "*" => AccountMatch::Any,
            Some(id) => match AccountId::parse(&slugify(&id).unwrap_or_default()) {
                Ok(id) => AccountMatch::Named(id),
                Err(error) => {
                    cx.issue(format!("{path}.match.accountId"), error.to_string());
                    return None;
                }
            },
        };
        let peer = match matching.peer {
            None => None,
            Some(peer) => Some(PeerMatch::resolve(peer, &format!("{path}.match.peer"), cx)?),
        };
        let roles = matching.roles.unwrap_or_default().into_iter().filter_map(|role| word(Some(role)));
        let setting = |name: &str| raw.session.as_ref().and_then(|session| session.get(name)).cloned();
        Some(Self {
            index,
            agent,
            channel,
            account,
            peer,
            guild: word(matching.guild_id),
            team: word(matching.team_id),
            roles: roles.collect(),
            dm_scope: setting("dmScope").and_then(|scope| serde_json::from_value(scope).ok()),
            own_groups: setting("groupScope").and_then(|scope| own_groups(scope.as_str())),
        })
    }
}

/// Whether groups have their own conversations, by the word of the file.
pub(super) fn own_groups(word: Option<&str>) -> Option<bool> {
    match word? {
        "per-group" => Some(true),
        "main" => Some(false),
        _ => None,
    }
}

impl PeerMatch {
    fn resolve(raw: raw::agents::BindingPeer, path: &str, cx: &mut Resolve<'_>) -> Option<Self> {
        let kind = raw.kind.as_deref().and_then(PeerKind::parse);
        let id = word(raw.id).map(|id| id.to_lowercase());
        match (kind, id) {
            (Some(kind), Some(id)) => Some(Self { kind, id }),
            (kind, id) => {
                if kind.is_none() {
                    cx.issue(format!("{path}.kind"), "say `direct`, `group` or `channel`");
                }
                if id.is_none() {
                    cx.issue(format!("{path}.id"), "say which conversation, by its id on the platform");
                }
                None
            }
        }
    }
}

impl Broadcast {
    fn resolve(raw: raw::Broadcast, cx: &mut Resolve<'_>) -> Self {
        let mut peers = BTreeMap::new();
        for (peer, agents) in raw.peers {
            let path = format!("broadcast.{peer}");
            let mut named: Vec<AgentId> = Vec::new();
            for id in agents.iter().filter_map(|id| agent(Some(id), &path, cx)) {
                if !named.contains(&id) {
                    named.push(id);
                }
            }
            peers.insert(peer.trim().to_lowercase(), named);
        }
        Self { strategy: raw.strategy.unwrap_or_default(), peers }
    }
}

fn agent(written: Option<&str>, path: &str, cx: &mut Resolve<'_>) -> Option<AgentId> {
    let Some(id) = written.and_then(slugify) else {
        cx.issue(path, "say which agent, by its id");
        return None;
    };
    AgentId::parse(&id).map_err(|error| cx.issue(path, error.to_string())).ok()
}

fn word(written: Option<String>) -> Option<String> {
    written.map(|word| word.trim().to_owned()).filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests;
