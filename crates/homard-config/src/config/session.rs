//! `session`: which messages belong to one conversation, and when it starts afresh.

pub mod maintenance;
pub mod send_policy;

use std::collections::BTreeMap;
use std::time::Duration;

use homard_protocol::ChannelId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::maintenance::Maintenance;
use self::send_policy::SendPolicy;
use super::Resolve;
use crate::raw::session as raw;

/// Calls to models each guest may cause in an hour, unless the owner says otherwise: a long talk, not a flood.
const GUEST_CALLS_PER_HOUR: u64 = 120;
const DEFAULT_RESET_HOUR: u8 = 4;
/// Quiet time before an idle reset when the file asks for one without saying how long.
const DEFAULT_IDLE_MINUTES: u64 = 60;
const DEFAULT_RESET_TRIGGERS: [&str; 2] = ["/new", "/reset"];

/// One conversation per sender, or one for everybody.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SessionScopeMode {
    /// One per sender.
    #[default]
    PerSender,
    /// One for everybody.
    Global,
}

/// How direct messages are told apart.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DmScope {
    /// All share the agent's main conversation.
    #[default]
    Main,
    /// By person.
    PerPeer,
    /// By person and platform.
    PerChannelPeer,
    /// By person, platform and our account there.
    PerAccountChannelPeer,
}

/// What starts a conversation afresh.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ResetMode {
    /// A certain hour of the day.
    #[default]
    Daily,
    /// A quiet time.
    Idle,
    /// Nothing.
    None,
}

/// When a conversation starts afresh. Both may be set; whichever comes first counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reset {
    /// Hour of the daily reset, in the owner's time zone; `None` means no daily reset.
    pub at_hour: Option<u8>,
    /// Quiet time before a reset; `None` means no idle reset.
    pub idle: Option<Duration>,
}

/// Decided `session`.
#[derive(Debug, Clone, PartialEq)]
pub struct Session {
    /// One conversation per sender, or one for everybody.
    pub scope: SessionScopeMode,
    /// How direct messages are told apart.
    pub dm_scope: DmScope,
    /// The same for people who are not the owner, where `dm_scope` is the main conversation.
    pub guest_dm_scope: DmScope,
    /// How many calls to models each of them may cause in an hour; 0 is no limit.
    pub guest_calls_per_hour: u64,
    /// Whether groups have conversations of their own, rather than the agent's main one.
    pub own_groups: bool,
    /// People known under several names: name to `channel:id`s.
    pub identity_links: BTreeMap<String, Vec<String>>,
    /// Messages that start afresh.
    pub reset_triggers: Vec<String>,
    /// When a conversation starts afresh.
    pub reset: Reset,
    /// The same for direct messages, where different.
    pub reset_direct: Option<Reset>,
    /// The same for groups, where different.
    pub reset_group: Option<Reset>,
    /// The same for threads, where different.
    pub reset_thread: Option<Reset>,
    /// The same per platform; wins outright.
    pub reset_by_channel: BTreeMap<ChannelId, Reset>,
    /// Where answers may be sent.
    pub send_policy: SendPolicy,
    /// Which sessions are too many.
    pub maintenance: Maintenance,
}

impl Session {
    pub(super) fn resolve(raw: raw::Session, cx: &mut Resolve<'_>) -> Self {
        let by_type = raw.reset_by_type.unwrap_or_default();
        let mut by_channel = BTreeMap::new();
        for (id, reset) in raw.reset_by_channel.unwrap_or_default() {
            match ChannelId::parse(&id) {
                Ok(id) => drop(by_channel.insert(id, Reset::resolve(&reset))),
                Err(error) => cx.issue(format!("session.resetByChannel.{id}"), error.to_string()),
            }
        }
        let reset = match (&raw.reset, raw.idle_minutes) {
            (Some(reset), _) => Reset::resolve(reset),
            (None, Some(minutes)) => Reset { at_hour: None, idle: Some(minutes_of(minutes)) },
            (None, None) => Reset { at_hour: Some(DEFAULT_RESET_HOUR), idle: None },
        };
        Self {
            scope: raw.scope.unwrap_or_default(),
            dm_scope: raw.dm_scope.unwrap_or_default(),
            guest_calls_per_hour: raw.guest_calls_per_hour.unwrap_or(GUEST_CALLS_PER_HOUR),
            guest_dm_scope: raw.guest_dm_scope.unwrap_or(DmScope::PerChannelPeer),
            own_groups: super::bindings::own_groups(raw.group_scope.as_deref()).unwrap_or(true),
            identity_links: raw.identity_links.unwrap_or_default(),
            reset_triggers: raw
                .reset_triggers
                .unwrap_or_else(|| DEFAULT_RESET_TRIGGERS.map(str::to_owned).to_vec()),
            reset,
            reset_direct: by_type.direct.or(by_type.dm).map(|r| Reset::resolve(&r)),
            reset_group: by_type.group.map(|r| Reset::resolve(&r)),
            reset_thread: by_type.thread.map(|r| Reset::resolve(&r)),
            reset_by_channel: by_channel,
            send_policy: SendPolicy::resolve(raw.send_policy.unwrap_or_default()),
            maintenance: Maintenance::resolve(&raw.maintenance.unwrap_or_default()),
        }
    }
}

impl Reset {
    fn resolve(raw: &raw::Reset) -> Self {
        let hour = raw.at_hour.and_then(|h| u8::try_from(h).ok()).unwrap_or(DEFAULT_RESET_HOUR);
        let idle = raw.idle_minutes.map(minutes_of);
        match raw.mode {
            Some(ResetMode::Daily) => Self { at_hour: Some(hour), idle },
            Some(ResetMode::Idle) => {
                Self { at_hour: None, idle: Some(idle.unwrap_or(minutes_of(DEFAULT_IDLE_MINUTES))) }
            }
            Some(ResetMode::None) => Self { at_hour: None, idle: None },
            None if raw.at_hour.is_none() && idle.is_some() => Self { at_hour: None, idle },
            None => Self { at_hour: Some(hour), idle },
        }
    }
}

fn minutes_of(minutes: u64) -> Duration {
    Duration::from_secs(minutes.saturating_mul(60))
}
