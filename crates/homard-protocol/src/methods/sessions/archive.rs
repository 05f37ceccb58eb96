//! `sessions.cleanup`, `sessions.ended` and `sessions.restore`: keeping the list short, and the way back.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_with::skip_serializing_none;

use crate::id::{AgentId, SessionId};
use crate::method::{Access, Method};
use crate::scope::Scope;
use crate::session_key::SessionKey;
use crate::session_ref::SessionRef;
use crate::word::{Word, words};

/// `sessions.cleanup`: what the rules for old sessions would take away, and doing it.
#[derive(Debug)]
pub struct SessionsCleanup;

impl Method for SessionsCleanup {
    const NAME: &'static str = "sessions.cleanup";
    const ACCESS: Access = Access::Operator(Scope::Admin);
    type Params = SessionsCleanupParams;
    type Result = SessionsCleanupResult;
}

/// Parameters of [`SessionsCleanup`].
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SessionsCleanupParams {
    /// Only this agent's sessions; the default one's when nothing is said.
    pub agent: Option<AgentId>,
    pub all_agents: Option<bool>,
    /// Do it; when left out, the configuration decides.
    pub enforce: Option<bool>,
    /// A session to leave alone.
    pub active_key: Option<SessionRef>,
    /// Also take away sessions whose transcript is gone.
    pub fix_missing: Option<bool>,
    /// Taken without effect: keys are never rewritten.
    pub fix_dm_scope: Option<bool>,
}

words! {
    /// Whether the owner wants sessions to be cleaned up.
    #[derive(Default)]
    CleanupMode {
        Enforce = "enforce",
        /// Only said.
        #[default]
        Warn = "warn",
    }
}

/// Answer of [`SessionsCleanup`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionsCleanupResult {
    pub ok: bool,
    pub mode: CleanupMode,
    /// Whether nothing was done.
    pub dry_run: bool,
    pub before_count: u64,
    /// Sessions after, or as they would be.
    pub after_count: u64,
    /// Older than the age limit.
    pub pruned: u64,
    /// Beyond the number that is kept.
    pub capped: u64,
    pub missing: u64,
    /// Whether there was anything to do.
    pub would_mutate: bool,
    /// The keys; they can be restored.
    pub removed: Vec<String>,
}

/// `sessions.ended`: conversations that were deleted or reset and can be brought back. Homard's own.
#[derive(Debug)]
pub struct SessionsEnded;

impl Method for SessionsEnded {
    const NAME: &'static str = "sessions.ended";
    const ACCESS: Access = Access::Sessions(Scope::Read);
    const ADVERTISED: bool = false;
    type Params = SessionsEndedParams;
    type Result = SessionsEndedResult;
}

/// Parameters of [`SessionsEnded`].
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SessionsEndedParams {
    pub agent_id: Option<AgentId>,
    /// How many at most.
    pub limit: Option<u32>,
}

/// Answer of [`SessionsEnded`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionsEndedResult {
    /// The last ended first.
    pub sessions: Vec<EndedSessionRow>,
}

words! {
    /// How a conversation ended. Also a part of its archive's file name.
    SessionEnding {
        Deleted = "deleted",
        Reset = "reset",
    }
}

/// A conversation that can be brought back.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EndedSessionRow {
    pub key: SessionKey,
    pub session_id: SessionId,
    pub agent_id: AgentId,
    pub reason: Word<SessionEnding>,
    pub ended_at: i64,
    pub label: Option<String>,
    /// The beginning of the first message.
    pub derived_title: Option<String>,
    /// The beginning of the last one.
    pub last_message_preview: Option<String>,
}

/// `sessions.restore`: bring one back under its key; what lies there is put away in turn. Homard's own.
#[derive(Debug)]
pub struct SessionsRestore;

impl Method for SessionsRestore {
    const NAME: &'static str = "sessions.restore";
    const ACCESS: Access = Access::Operator(Scope::Admin);
    const ADVERTISED: bool = false;
    type Params = SessionsRestoreParams;
    type Result = SessionsRestoreResult;
}

/// Parameters of [`SessionsRestore`]: a key, or a transcript.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SessionsRestoreParams {
    /// The last one that ended under this key.
    pub key: Option<SessionRef>,
    pub session_id: Option<SessionId>,
    /// For bare keys: whose.
    pub agent_id: Option<AgentId>,
}

/// Answer of [`SessionsRestore`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionsRestoreResult {
    pub ok: bool,
    pub key: SessionKey,
    pub session_id: SessionId,
    pub entry: Value,
}
