//! `health`, `status`, `logs.tail`, presence and heartbeats.

pub mod conversation_stubs;
pub mod host;
pub mod maintenance;
pub mod room_stubs;
pub mod stubs;
pub mod tasks;
pub mod wake;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_with::skip_serializing_none;

use crate::events::HeartbeatEvent;
use crate::method::{Access, Method, NoParams};
use crate::presence::PresenceEntry;
use crate::scope::Scope;

/// Lines in a `logs.tail` answer unless the caller says otherwise.
pub const DEFAULT_LOG_LINES: u32 = 500;
/// Most lines in a `logs.tail` answer.
pub const MAX_LOG_LINES: u32 = 5_000;
/// Bytes read by `logs.tail` unless the caller says otherwise.
pub const DEFAULT_LOG_BYTES: u64 = 250_000;
/// Most bytes read by `logs.tail`.
pub const MAX_LOG_BYTES: u64 = 1_000_000;

/// `health`: no scope needed.
#[derive(Debug)]
pub struct Health;

impl Method for Health {
    const NAME: &'static str = "health";
    const ACCESS: Access = Access::Open;
    type Params = HealthParams;
    type Result = Value;
}

/// Parameters of [`Health`].
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct HealthParams {
    /// Look now instead of answering from the last look.
    pub probe: Option<bool>,
    pub include_sensitive: Option<bool>,
}

/// `status`.
#[derive(Debug)]
pub struct Status;

impl Method for Status {
    const NAME: &'static str = "status";
    const ACCESS: Access = Access::Operator(Scope::Read);
    type Params = NoParams;
    type Result = Value;
}

/// `system-presence`.
#[derive(Debug)]
pub struct SystemPresence;

impl Method for SystemPresence {
    const NAME: &'static str = "system-presence";
    const ACCESS: Access = Access::Operator(Scope::Read);
    type Params = NoParams;
    type Result = Vec<PresenceEntry>;
}

/// `last-heartbeat`.
#[derive(Debug)]
pub struct LastHeartbeat;

impl Method for LastHeartbeat {
    const NAME: &'static str = "last-heartbeat";
    const ACCESS: Access = Access::Operator(Scope::Read);
    type Params = NoParams;
    type Result = Option<HeartbeatEvent>;
}

/// `logs.tail`.
#[derive(Debug)]
pub struct LogsTail;

impl Method for LogsTail {
    const NAME: &'static str = "logs.tail";
    const ACCESS: Access = Access::Operator(Scope::Read);
    type Params = LogsTailParams;
    type Result = LogsTailResult;
}

/// Parameters of [`LogsTail`].
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct LogsTailParams {
    /// From the last answer; the end of the file when left out.
    pub cursor: Option<u64>,
    pub limit: Option<u32>,
    /// How many bytes to look at.
    pub max_bytes: Option<u64>,
}

/// Answer of [`LogsTail`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LogsTailResult {
    pub file: String,
    /// Where to go on.
    pub cursor: u64,
    /// How large the file is.
    pub size: u64,
    pub lines: Vec<String>,
    /// Whether older lines were left out.
    pub truncated: bool,
    /// Whether the file began anew since the cursor.
    pub reset: bool,
    /// How much between the cursor and the first line was left out, in bytes.
    #[serde(default, rename = "skippedBytes", skip_serializing_if = "is_zero")]
    pub skipped_bytes: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_zero(bytes: &u64) -> bool {
    *bytes == 0
}
