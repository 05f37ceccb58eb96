//! Events about the gateway itself.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_with::skip_serializing_none;

use crate::event::{Event, Guard};
use crate::id::{AccountId, AgentId, ChannelId, PeerId, RunId, SessionId};
use crate::presence::PresenceEntry;
use crate::scope::Scope;
use crate::session_key::SessionKey;
use crate::session_row::SessionRow;
use crate::word::words;

/// The event every socket gets before it has said anything.
pub const CONNECT_CHALLENGE: &str = "connect.challenge";

/// Every event this gateway can send, as `hello-ok` lists them.
pub const ALL_EVENTS: [&str; 33] = [
    CONNECT_CHALLENGE,
    "agent",
    "channels.pairing.requested",
    "channels.pairing.resolved",
    "chat",
    "config.changed",
    "cron",
    "device.pair.requested",
    "device.pair.resolved",
    "device.pair.setup.completed",
    "exec.approval.requested",
    "exec.approval.resolved",
    "gateway.suspension",
    "health",
    "heartbeat",
    "node.hostStats",
    "node.invoke.cancel",
    "node.invoke.request",
    "node.pair.requested",
    "node.pair.resolved",
    "node.presence",
    "plugin.approval.requested",
    "plugin.approval.resolved",
    "presence",
    "session.message",
    "session.operation",
    "session.tool",
    "sessions.changed",
    "shutdown",
    "skills.changed",
    "talk.mode",
    "tick",
    "voicewake.changed",
];

/// `tick`: still here.
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
pub struct TickEvent {
    pub ts: i64,
}

impl Event for TickEvent {
    const NAME: &'static str = "tick";
    const GUARD: Guard = Guard::Everyone;

    fn droppable(&self) -> bool {
        true
    }
}

/// `presence`: the whole list, each time.
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
pub struct PresenceEvent {
    pub presence: Vec<PresenceEntry>,
}

impl Event for PresenceEvent {
    const NAME: &'static str = "presence";
    const GUARD: Guard = Guard::Operator(Scope::Read);
}

/// `health`: the same as the method answers.
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
#[serde(transparent)]
pub struct HealthEvent(pub Value);

impl Event for HealthEvent {
    const NAME: &'static str = "health";
    const GUARD: Guard = Guard::Everyone;
}

words! {
    /// What came of a look around, or of a turn that an event started.
    HeartbeatStatus {
        /// People were told something.
        Sent = "sent",
        /// There was nothing to tell.
        OkEmpty = "ok-empty",
        /// The same; the agent said so.
        OkToken = "ok-token",
        Skipped = "skipped",
        Failed = "failed",
    }
}

words! {
    /// How a page may show it.
    HeartbeatIndicator {
        Alert = "alert",
        Ok = "ok",
        Error = "error",
    }
}

/// `heartbeat`, and the answer to `last-heartbeat`: what came of a look around, or of a turn that an event started. What
/// was said, and to whom, is left out of the event.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HeartbeatEvent {
    pub ts: i64,
    pub status: HeartbeatStatus,
    /// Why it was skipped, or by which way the event came.
    pub reason: Option<String>,
    pub has_media: Option<bool>,
    pub indicator_type: Option<HeartbeatIndicator>,
    /// Whether nobody was told that all is well.
    pub silent: Option<bool>,
    pub channel: Option<ChannelId>,
    pub to: Option<PeerId>,
    pub account_id: Option<AccountId>,
    /// The beginning of what was said.
    pub preview: Option<String>,
    pub duration_ms: Option<i64>,
    /// What went wrong, in words for people, where something did.
    pub message: Option<String>,
}

impl HeartbeatEvent {
    /// One of which nothing else is known.
    #[must_use]
    pub fn of(ts: i64, status: HeartbeatStatus) -> Self {
        Self {
            ts,
            status,
            reason: None,
            has_media: None,
            indicator_type: None,
            silent: None,
            channel: None,
            to: None,
            account_id: None,
            preview: None,
            duration_ms: None,
            message: None,
        }
    }
}

impl Event for HeartbeatEvent {
    const NAME: &'static str = "heartbeat";
    const GUARD: Guard = Guard::Everyone;

    fn droppable(&self) -> bool {
        true
    }
}

/// `config.changed`: another configuration holds now. What is in it is not told.
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
pub struct ConfigChangedEvent {
    pub path: String,
    pub hash: String,
    pub ts: i64,
}

impl Event for ConfigChangedEvent {
    const NAME: &'static str = "config.changed";
    const GUARD: Guard = Guard::Operator(Scope::Read);
}

words! {
    /// What changed the skills.
    SkillsChange {
        Manual = "manual",
        ConfigChange = "config-change",
    }
}

/// `skills.changed`: other skills, or other settings of them.
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
pub struct SkillsChangedEvent {
    pub reason: SkillsChange,
}

impl Event for SkillsChangedEvent {
    const NAME: &'static str = "skills.changed";
    const GUARD: Guard = Guard::Operator(Scope::Read);
}

/// `shutdown`: the last event before the sockets close.
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ShutdownEvent {
    pub reason: String,
    /// When to come back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restart_expected_ms: Option<u64>,
}

impl Event for ShutdownEvent {
    const NAME: &'static str = "shutdown";
    const GUARD: Guard = Guard::Everyone;
}

words! {
    /// What changed a conversation.
    SessionChange {
        Abort = "abort",
        Cleanup = "cleanup",
        Compact = "compact",
        Create = "create",
        Delete = "delete",
        New = "new",
        /// A turn ended in it.
        None = "none",
        Patch = "patch",
        Reset = "reset",
        Rewind = "rewind",
        Send = "send",
    }
}

/// `sessions.changed`: for sockets that called `sessions.subscribe`.
#[skip_serializing_none]
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionsChangedEvent {
    pub session_key: SessionKey,
    pub agent_id: Option<AgentId>,
    pub session_id: Option<SessionId>,
    pub reason: SessionChange,
    pub ts: i64,
    /// Its row now; absent when it is gone.
    pub session: Option<SessionRow>,
    /// Whether a run is under way.
    pub has_active_run: bool,
    pub active_run_ids: Vec<RunId>,
}

impl Event for SessionsChangedEvent {
    const NAME: &'static str = "sessions.changed";
    const GUARD: Guard = Guard::Operator(Scope::Read);

    fn droppable(&self) -> bool {
        true
    }
}
