//! Which agent answers, in which conversation, and why.
//!
//! [`destination`] decides; [`explain`] decides the same and says of every binding why it won or did not. Keys of
//! conversations are made in `routing/keys.rs`.

use std::fmt;
use std::sync::Arc;

use homard_channel::{ChatKind, Conversation, Inbound, Threads};
use homard_config::Config;
use homard_config::config::bindings::{AccountMatch, Binding, Broadcast, PeerKind};
use homard_config::config::session::{DmScope, SessionScopeMode};
use homard_protocol::{AccountId, AgentId, ChannelId, SessionKey};
use serde::Serialize;

use crate::accounts::ChannelAccounts;

mod keys;

/// The owner's bindings, identity links and scopes.
#[derive(Debug, Clone)]
pub struct RouteRules {
    default_agent: AgentId,
    agents: Vec<AgentId>,
    bindings: Vec<Binding>,
    /// Conversations several agents answer in.
    pub broadcast: Broadcast,
    accounts: Arc<ChannelAccounts>,
    scope: SessionScopeMode,
    dm_scope: DmScope,
    /// The same for others than the owner, where the owner's messages share the main conversation.
    guest_dm_scope: DmScope,
    own_groups: bool,
    /// A person's name, and the lower-case ids they are known by.
    links: Vec<(String, Vec<String>)>,
}

impl RouteRules {
    /// What the configuration says.
    #[must_use]
    pub fn of(config: &Config) -> Self {
        let lower = |ids: &Vec<String>| ids.iter().map(|id| id.trim().to_lowercase()).collect();
        let session = &config.session;
        Self {
            default_agent: config.agents.default_agent().id.clone(),
            agents: config.agents.list.iter().map(|agent| agent.id.clone()).collect(),
            bindings: config.bindings.list.clone(),
            broadcast: config.bindings.broadcast.clone(),
            accounts: config.view(),
            scope: session.scope,
            dm_scope: session.dm_scope,
            guest_dm_scope: session.guest_dm_scope,
            own_groups: session.own_groups,
            links: session.identity_links.iter().map(|(name, ids)| (name.clone(), lower(ids))).collect(),
        }
    }
}

/// How specific the binding is that won. The order is the order in which they are tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tier {
    /// It names this conversation.
    Peer,
    /// It names the conversation this thread belongs to.
    ParentPeer,
    /// It names the server and a role of the sender.
    GuildRoles,
    /// It names the server.
    Guild,
    /// It names the team.
    Team,
    /// It names our account.
    Account,
    /// It takes every account of the platform.
    Channel,
    Default,
}

impl Tier {
    /// The word that clients know, as in `matchedBy`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Peer => "binding.peer",
            Self::ParentPeer => "binding.peer.parent",
            Self::GuildRoles => "binding.guild+roles",
            Self::Guild => "binding.guild",
            Self::Team => "binding.team",
            Self::Account => "binding.account",
            Self::Channel => "binding.channel",
            Self::Default => "default",
        }
    }

    fn because(self, index: usize) -> String {
        let what = match self {
            Self::Peer => "names this conversation",
            Self::ParentPeer => "names the conversation this thread belongs to",
            Self::GuildRoles => "names this server and a role of the sender",
            Self::Guild => "names this server",
            Self::Team => "names this team",
            Self::Account => "names this account",
            Self::Channel => "takes every account of this platform",
            Self::Default => return "no binding matches, so the default agent answers".to_owned(),
        };
        format!("bindings[{index}] {what}")
    }
}

/// Where a message belongs.
#[derive(Debug, Clone, PartialEq)]
pub struct Destination {
    pub agent: AgentId,
    pub session: SessionKey,
    /// The conversation it branched off, where threads do.
    pub parent: Option<SessionKey>,
    /// Which rule decided, in words, for `homard route explain` and the log.
    pub because: String,
    /// How specific that rule is.
    pub tier: Tier,
    /// The place of the binding that won, in the file.
    pub binding: Option<usize>,
    /// What the owner should repair.
    pub note: Option<String>,
}

/// Who writes, as far as it decides where they are answered: the main conversation is the owner's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Speaker {
    Owner,
    Guest,
}

impl Speaker {
    /// The owner or not.
    #[must_use]
    pub fn of(is_owner: bool) -> Self {
        if is_owner { Self::Owner } else { Self::Guest }
    }
}

/// Decides where a message belongs.
#[must_use]
pub fn destination(rules: &RouteRules, message: &Inbound, speaker: Speaker, threads: Threads) -> Destination {
    let Some(facts) = Facts::of(message, speaker, threads) else { return chosen(rules, message) };
    decide(rules, &facts, rules.winner(&facts))
}

/// Where a message belongs when several agents answer in its conversation: one place each. Most messages have one.
#[must_use]
pub fn destinations(
    rules: &RouteRules,
    message: &Inbound,
    speaker: Speaker,
    threads: Threads,
) -> Vec<Destination> {
    let usual = destination(rules, message, speaker, threads);
    let Some(facts) = Facts::of(message, speaker, threads) else { return vec![usual] };
    let Some(agents) = rules.broadcast.peers.get(&facts.room) else { return vec![usual] };
    let (_, binding) = rules.winner(&facts);
    let known = agents.iter().filter(|agent| rules.agents.contains(agent));
    let many: Vec<Destination> = known
        .map(|agent| {
            let (session, parent) = rules.keys(agent, &facts, binding);
            let because = "`broadcast` names this conversation".to_owned();
            Destination { agent: agent.clone(), session, parent, because, ..usual.clone() }
        })
        .collect();
    if many.is_empty() { vec![usual] } else { many }
}

fn decide(rules: &RouteRules, facts: &Facts<'_>, won: (Tier, Option<&Binding>)) -> Destination {
    let (tier, binding) = won;
    let named = binding.map_or(&rules.default_agent, |binding| &binding.agent);
    let is_known = rules.agents.contains(named);
    let agent = if is_known { named.clone() } else { rules.default_agent.clone() };
    let (session, parent) = rules.keys(&agent, facts, binding);
    let index = binding.map(|binding| binding.index);
    let note = (!is_known).then(|| {
        let place = index.unwrap_or_default();
        format!(
            "bindings[{place}] names the agent `{named}`, which does not exist; `{agent}` answers instead"
        )
    });
    let because = tier.because(index.unwrap_or_default());
    Destination { agent, session, parent, because, tier, binding: index, note }
}

fn chosen(rules: &RouteRules, message: &Inbound) -> Destination {
    let session = match &message.conversation {
        Conversation::Session(key) => key.clone(),
        Conversation::Direct { .. } | Conversation::Group { .. } | Conversation::Room { .. } => {
            SessionKey::main(rules.default_agent.clone())
        }
    };
    Destination {
        agent: session.agent_id().unwrap_or(&rules.default_agent).clone(),
        parent: session.parent(),
        session,
        because: "whoever sent it named the conversation".to_owned(),
        tier: Tier::Default,
        binding: None,
        note: None,
    }
}

/// What routing looks at.
struct Facts<'a> {
    channel: &'a ChannelId,
    account: &'a AccountId,
    speaker: Speaker,
    kind: PeerKind,
    /// The conversation's id in bindings and keys, lower case; includes a topic where that makes it its own.
    room: String,
    /// The names by which the owner may have linked the person, lower case: those the platform vouches for.
    names: Vec<String>,
    /// The room it belongs to, where it is a part of one.
    parent: Option<String>,
    /// A thread that is a suffix of the key.
    thread: Option<String>,
    space: Option<&'a str>,
    roles: &'a [String],
}

impl<'a> Facts<'a> {
    fn of(message: &'a Inbound, speaker: Speaker, threads: Threads) -> Option<Self> {
        let peer = message.conversation.peer()?;
        let kind = match message.conversation.kind() {
            ChatKind::Direct => PeerKind::Direct,
            ChatKind::Group => PeerKind::Group,
            ChatKind::Channel => PeerKind::Channel,
        };
        let lower = |text: &str| text.trim().to_lowercase();
        let room = lower(peer.as_str());
        let parent = message.details.parent.as_ref().map(|parent| lower(parent.as_str()));
        let thread = message.conversation.thread().map(|thread| lower(thread.as_str()));
        let (room, parent, thread) = match (threads, thread) {
            (_, None) | (Threads::None, Some(_)) => (room, parent, None),
            (Threads::Topic, Some(topic)) if kind != PeerKind::Direct => {
                (format!("{room}:topic:{topic}"), Some(parent.unwrap_or(room)), None)
            }
            (Threads::Suffix | Threads::Topic, Some(thread)) => (room, parent, Some(thread)),
            (Threads::OwnRoom, Some(thread)) => (thread, Some(parent.unwrap_or(room)), None),
        };
        Some(Self {
            channel: &message.channel,
            account: &message.account,
            speaker,
            kind,
            parent: parent.filter(|parent| *parent != room),
            names: match &message.details.vouched {
                Some(names) => names.iter().map(|name| lower(name)).collect(),
                None => vec![room.clone()],
            },
            room,
            thread,
            space: message.details.space.as_deref().map(str::trim),
            roles: &message.details.roles,
        })
    }
}

impl RouteRules {
    /// The first binding of the most specific tier.
    fn winner(&self, facts: &Facts<'_>) -> (Tier, Option<&Binding>) {
        let matching = self.bindings.iter().filter_map(|b| self.tier_of(b, facts).ok().map(|tier| (tier, b)));
        // Of equals the first is kept, which is the order of the file.
        let best = matching.min_by_key(|(tier, _)| *tier);
        best.map_or((Tier::Default, None), |(tier, binding)| (tier, Some(binding)))
    }

    /// The tier in which a binding matches, or the first thing that does not hold.
    fn tier_of(&self, binding: &Binding, facts: &Facts<'_>) -> Result<Tier, Miss> {
        if binding.channel != *facts.channel {
            return Err(Miss::Channel(binding.channel.clone()));
        }
        let wanted = match &binding.account {
            AccountMatch::Any => None,
            AccountMatch::Named(id) => Some(id.clone()),
            AccountMatch::Default => Some(self.accounts.usual(facts.channel)),
        };
        if let Some(wanted) = wanted.filter(|wanted| wanted != facts.account) {
            return Err(Miss::Account(wanted));
        }
        for (written, what) in
            [(&binding.guild, Miss::Guild as fn(String) -> Miss), (&binding.team, Miss::Team)]
        {
            if let Some(wanted) = written.as_ref().filter(|wanted| facts.space != Some(wanted.as_str())) {
                return Err(what(wanted.clone()));
            }
        }
        if !binding.roles.is_empty() && !binding.roles.iter().any(|role| facts.roles.contains(role)) {
            return Err(Miss::Roles(binding.roles.clone()));
        }
        let Some(peer) = &binding.peer else {
            return Ok(match (&binding.guild, binding.roles.is_empty(), &binding.team) {
                (Some(_), false, _) => Tier::GuildRoles,
                (Some(_), true, _) => Tier::Guild,
                (None, _, Some(_)) => Tier::Team,
                (None, _, None) if binding.account != AccountMatch::Any => Tier::Account,
                (None, _, None) => Tier::Channel,
            });
        };
        if peer.kind != facts.kind {
            return Err(Miss::Kind(peer.kind, peer.id.clone()));
        }
        match peer.id.as_str() {
            id if id == facts.room => Ok(Tier::Peer),
            id if facts.parent.as_deref() == Some(id) => Ok(Tier::ParentPeer),
            id => Err(Miss::Peer(peer.kind, id.to_owned())),
        }
    }
}

/// The first thing about a binding that does not hold.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Miss {
    Channel(ChannelId),
    Account(AccountId),
    Guild(String),
    Team(String),
    Roles(Vec<String>),
    Kind(PeerKind, String),
    Peer(PeerKind, String),
}

impl fmt::Display for Miss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Channel(id) => write!(f, "it is for the platform {id}"),
            Self::Account(id) => write!(f, "it is for the account {id}"),
            Self::Guild(id) => write!(f, "it is for the server {id}"),
            Self::Team(id) => write!(f, "it is for the team {id}"),
            Self::Roles(roles) => write!(f, "the sender has none of its roles: {}", roles.join(", ")),
            Self::Kind(kind, id) => {
                write!(f, "it is for {} {id}, and this conversation is of another kind", kind.as_str())
            }
            Self::Peer(kind, id) => write!(f, "it is for {} {id}", kind.as_str()),
        }
    }
}

/// What became of a binding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    Won,
    /// It matches, and another decided.
    Beaten,
    /// Something it asks for does not hold.
    Missed,
}

/// One binding, as `homard route explain` tells of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ConsideredBinding {
    /// Its place in the file, counted from 0.
    pub index: usize,
    pub agent: String,
    /// What became of it.
    pub outcome: Outcome,
    pub why: String,
}

/// Where a message belongs, and what was thought of every binding.
#[derive(Debug, Clone, PartialEq)]
pub struct Explanation {
    /// The places; more than one only where several agents answer.
    pub destinations: Vec<Destination>,
    /// Every binding, in the order of the file.
    pub considered: Vec<ConsideredBinding>,
}

/// Decides as [`destinations`] does and says why.
#[must_use]
pub fn explain(rules: &RouteRules, message: &Inbound, speaker: Speaker, threads: Threads) -> Explanation {
    let destinations = destinations(rules, message, speaker, threads);
    let Some(facts) = Facts::of(message, speaker, threads) else {
        return Explanation { destinations, considered: Vec::new() };
    };
    let (best, winner) = rules.winner(&facts);
    let considered = rules.bindings.iter().map(|binding| {
        let won = winner.filter(|winner| winner.index != binding.index);
        let (outcome, why) = match (rules.tier_of(binding, &facts), won) {
            (Err(miss), _) => (Outcome::Missed, miss.to_string()),
            (Ok(tier), None) => (Outcome::Won, tier.because(binding.index)),
            (Ok(tier), Some(winner)) if tier == best => (
                Outcome::Beaten,
                format!("it matches as well, but bindings[{}] stands before it", winner.index),
            ),
            (Ok(_), Some(winner)) => (
                Outcome::Beaten,
                format!("it matches as well, but bindings[{}] is more specific", winner.index),
            ),
        };
        ConsideredBinding { index: binding.index, agent: binding.agent.to_string(), outcome, why }
    });
    Explanation { destinations, considered: considered.collect() }
}

#[cfg(test)]
mod tests;
