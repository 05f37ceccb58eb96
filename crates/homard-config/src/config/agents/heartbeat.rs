//! `agents.defaults.heartbeat`: when an agent looks around by itself, what it is asked, and where its alerts go.

use std::time::Duration;

use homard_protocol::{AgentId, SessionKey};

use super::pruning::duration;
use crate::config::Resolve;
use crate::raw::heartbeat as raw;

const DEFAULT_EVERY: &str = "30m";
/// With credentials of a subscription that counts calls per hour.
const SPARING_EVERY: &str = "1h";
const DEFAULT_ACK_MAX_CHARS: u64 = 300;
const MINUTES_PER_DAY: u16 = 24 * 60;
const DEFAULT_PROMPT: &str = "Read HEARTBEAT.md if it exists (workspace context). Follow it strictly. Do not infer or \
repeat old tasks from prior chats. If nothing needs attention, reply HEARTBEAT_OK.";

/// Decided `heartbeat` of one agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heartbeat {
    /// The interval as written.
    pub every_text: String,
    /// Time between two; `None` when there are none.
    pub every: Option<Duration>,
    /// The part of the day; `None` means all of it.
    pub active_hours: Option<ActiveHours>,
    pub model: Option<String>,
    /// The conversation it happens in.
    pub session: SessionKey,
    pub target: HeartbeatTarget,
    /// To whom alerts go there.
    pub to: Option<String>,
    pub account: Option<String>,
    pub prompt: String,
    /// Longest text beside the word that all is well that is still no news, in characters.
    pub ack_max_chars: usize,
    /// Longest run; `None` means the agent's own limit.
    pub timeout: Option<Duration>,
    pub ways: HeartbeatWays,
}

/// How heartbeats are done.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
pub struct HeartbeatWays {
    /// Whether alerts go to no direct chat.
    pub blocks_direct: bool,
    /// Whether the model is told less first.
    pub is_light: bool,
    /// Whether each has a fresh conversation, beside the one it is for.
    pub is_isolated: bool,
    /// Whether the model's reasoning is sent along with an alert.
    pub with_reasoning: bool,
}

/// Where alerts go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HeartbeatTarget {
    /// Where the conversation was last spoken to, unless that is a group.
    Last,
    /// Nowhere: what is said stays in the conversation.
    Nowhere,
    Channel(String),
}

/// A part of the day, in minutes since midnight.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActiveHours {
    start: u16,
    end: u16,
    pub zone: HoursZone,
}

/// Whose clock decides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HoursZone {
    Owner,
    Machine,
    /// The zone of this name.
    Named(String),
}

impl HeartbeatTarget {
    fn read(text: &str) -> Self {
        match text.trim().to_ascii_lowercase().as_str() {
            // The owner is whoever the main conversation was last spoken to by.
            "" | "last" | "owner" => Self::Last,
            "none" => Self::Nowhere,
            channel => Self::Channel(channel.to_owned()),
        }
    }

    /// The word for it.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::Last => "last",
            Self::Nowhere => "none",
            Self::Channel(channel) => channel,
        }
    }
}

impl ActiveHours {
    /// The hours; `None` when they are all day, or cannot be read.
    fn read(raw: &raw::ActiveHours, path: &str, cx: &mut Resolve<'_>) -> Option<Self> {
        let (start, end) = (raw.start.as_deref()?, raw.end.as_deref()?);
        let (Some(start), Some(end)) = (minutes(start), minutes(end)) else {
            let told = "must be two times such as 08:00 and 22:00; until then heartbeats happen all day";
            cx.warn(format!("{path}.activeHours"), told);
            return None;
        };
        let zone = match raw.timezone.as_deref().map(str::trim).unwrap_or_default() {
            "" | "user" => HoursZone::Owner,
            "local" => HoursZone::Machine,
            name => HoursZone::Named(name.to_owned()),
        };
        (start != end).then_some(Self { start, end, zone })
    }

    /// Whether a minute of the day is among them.
    #[must_use]
    pub fn contains(&self, minute: u16) -> bool {
        match self.start < self.end {
            true => (self.start..self.end).contains(&minute),
            false => minute >= self.start || minute < self.end,
        }
    }
}

/// Minutes since midnight; 24:00 is the end of the day.
fn minutes(text: &str) -> Option<u16> {
    let (hours, minutes) = text.trim().split_once(':')?;
    let (hours, minutes): (u16, u16) = (hours.parse().ok()?, minutes.parse().ok()?);
    let total = hours.checked_mul(60)?.checked_add(minutes)?;
    (minutes < 60 && total <= MINUTES_PER_DAY).then_some(total)
}

/// An agent's own settings over those of all.
pub(in crate::config) fn merged(own: raw::Heartbeat, all: &raw::Heartbeat) -> raw::Heartbeat {
    let all = all.clone();
    raw::Heartbeat {
        every: own.every.or(all.every),
        active_hours: own.active_hours.or(all.active_hours),
        model: own.model.or(all.model),
        session: own.session.or(all.session),
        target: own.target.or(all.target),
        to: own.to.or(all.to),
        account_id: own.account_id.or(all.account_id),
        prompt: own.prompt.or(all.prompt),
        ack_max_chars: own.ack_max_chars.or(all.ack_max_chars),
        timeout_seconds: own.timeout_seconds.or(all.timeout_seconds),
        direct_policy: own.direct_policy.or(all.direct_policy),
        light_context: own.light_context.or(all.light_context),
        isolated_session: own.isolated_session.or(all.isolated_session),
        include_reasoning: own.include_reasoning.or(all.include_reasoning),
        agent_id: None,
    }
}

impl Heartbeat {
    /// What an agent's settings mean; `sparing` says that its calls are counted per hour.
    pub(in crate::config) fn resolve(
        raw: raw::Heartbeat,
        agent: &AgentId,
        path: &str,
        sparing: bool,
        cx: &mut Resolve<'_>,
    ) -> Self {
        let usual = if sparing { SPARING_EVERY } else { DEFAULT_EVERY };
        let every_text = raw.every.filter(|text| !text.trim().is_empty()).unwrap_or_else(|| usual.to_owned());
        let every = duration(&every_text).unwrap_or_else(|| {
            cx.issue(format!("{path}.every"), "must be a time such as 30m, 2h or 0m");
            Duration::ZERO
        });
        let text = |text: Option<String>| text.map(|text| text.trim().to_owned()).filter(|t| !t.is_empty());
        Self {
            every_text,
            every: (!every.is_zero()).then_some(every),
            active_hours: raw.active_hours.as_ref().and_then(|hours| ActiveHours::read(hours, path, cx)),
            model: text(raw.model),
            session: session(text(raw.session), agent, path, cx),
            target: HeartbeatTarget::read(raw.target.as_deref().unwrap_or_default()),
            to: text(raw.to),
            account: text(raw.account_id),
            prompt: text(raw.prompt).unwrap_or_else(|| DEFAULT_PROMPT.to_owned()),
            ack_max_chars: super::size(raw.ack_max_chars, DEFAULT_ACK_MAX_CHARS),
            timeout: raw.timeout_seconds.filter(|seconds| *seconds > 0).map(Duration::from_secs),
            ways: HeartbeatWays {
                blocks_direct: raw.direct_policy.as_deref() == Some("block"),
                is_light: raw.light_context.unwrap_or(false),
                is_isolated: raw.isolated_session.unwrap_or(false),
                with_reasoning: raw.include_reasoning.unwrap_or(false),
            },
        }
    }
}

/// The conversation that is meant: the agent's main one, another of it by its whole key or by what follows its name.
fn session(written: Option<String>, agent: &AgentId, path: &str, cx: &mut Resolve<'_>) -> SessionKey {
    let main = SessionKey::main(agent.clone());
    let Some(text) = written.filter(|text| !matches!(text.as_str(), "main" | "global")) else { return main };
    match SessionKey::parse_for(&text, agent) {
        Ok(key) if key.agent_id() == Some(agent) => key,
        Ok(_) => {
            cx.issue(format!("{path}.session"), format!("must be a conversation of agent `{agent}`"));
            main
        }
        Err(error) => {
            cx.issue(format!("{path}.session"), error.to_string());
            main
        }
    }
}

#[cfg(test)]
mod tests;
