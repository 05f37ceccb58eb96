//! `wake`, `system-event` and `set-heartbeats`: telling a conversation that something happened.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_with::skip_serializing_none;

use crate::id::{AgentId, RunId};
use crate::method::{Access, Method};
use crate::scope::{Role, Scope};
use crate::session_ref::SessionRef;
use crate::session_words::run_source::WakeMode;
use crate::word::Word;

/// Longest event, in characters.
pub const MAX_EVENT_CHARS: usize = 20_000;

/// `wake`.
#[derive(Debug)]
pub struct WakeUp;

impl Method for WakeUp {
    const NAME: &'static str = "wake";
    const ACCESS: Access = Access::Operator(Scope::Write);
    type Params = WakeParams;
    type Result = WakeResult;
}

/// Parameters of [`WakeUp`]; what else clients send is not looked at.
#[skip_serializing_none]
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WakeParams {
    /// Whether a turn is started.
    pub mode: WakeMode,
    pub text: String,
    /// Which conversation; the main one, unless given.
    pub session_key: Option<SessionRef>,
    pub agent_id: Option<AgentId>,
    /// What else was sent.
    #[serde(flatten)]
    pub more: BTreeMap<String, Value>,
}

/// Answer of [`WakeUp`] and [`SystemEvent`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WakeResult {
    pub ok: bool,
    /// The turn about it, if one was started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_id: Option<RunId>,
}

/// `system-event`.
#[derive(Debug)]
pub struct SystemEvent;

impl Method for SystemEvent {
    const NAME: &'static str = "system-event";
    const ACCESS: Access = Access::Operator(Scope::Admin);
    type Params = SystemEventParams;
    type Result = WakeResult;
}

/// Parameters of [`SystemEvent`]. What is said about a device beside the text is not looked at: presence comes from
/// connections.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SystemEventParams {
    pub text: String,
    /// Makes telling it again harmless, when a turn is started.
    pub idempotency_key: Option<RunId>,
    /// Which conversation; the main one, unless given.
    pub session_key: Option<SessionRef>,
    /// Whether a turn is started.
    pub wake: Option<bool>,
    /// Of the device that says so.
    pub device_id: Option<String>,
    /// Of the device that says so.
    pub instance_id: Option<String>,
    /// Of the device that says so.
    pub host: Option<String>,
    /// Of the device that says so.
    pub ip: Option<String>,
    /// Of the device that says so.
    pub mode: Option<String>,
    /// Of the device that says so.
    pub version: Option<String>,
    /// Of the device that says so.
    pub platform: Option<String>,
    /// Of the device that says so.
    pub device_family: Option<String>,
    /// Of the device that says so.
    pub model_identifier: Option<String>,
    /// Of the device that says so.
    pub last_input_seconds: Option<f64>,
    /// Of the device that says so.
    pub reason: Option<String>,
    /// Of the device that says so.
    pub roles: Option<Vec<Word<Role>>>,
    /// Of the device that says so.
    pub scopes: Option<Vec<String>>,
    /// Of the device that says so.
    pub tags: Option<Vec<String>>,
}

/// `set-heartbeats`.
#[derive(Debug)]
pub struct SetHeartbeats;

impl Method for SetHeartbeats {
    const NAME: &'static str = "set-heartbeats";
    const ACCESS: Access = Access::Operator(Scope::Admin);
    type Params = SetHeartbeatsParams;
    type Result = SetHeartbeatsResult;
}

/// Parameters of [`SetHeartbeats`].
#[derive(Debug, Clone, Copy, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SetHeartbeatsParams {
    /// Whether events may start turns.
    pub enabled: bool,
}

/// Answer of [`SetHeartbeats`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SetHeartbeatsResult {
    pub ok: bool,
    /// As it is now.
    pub enabled: bool,
}
