//! `sessions.compact`: shortening a conversation by hand.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use crate::id::AgentId;
use crate::method::{Access, Method};
use crate::scope::Scope;
use crate::session_key::SessionKey;
use crate::session_ref::SessionRef;

/// `sessions.compact`: the beginning of a conversation becomes a summary.
#[derive(Debug)]
pub struct SessionsCompact;

impl Method for SessionsCompact {
    const NAME: &'static str = "sessions.compact";
    const ACCESS: Access = Access::Operator(Scope::Admin);
    type Params = SessionsCompactParams;
    type Result = SessionsCompactResult;
}

/// Parameters of [`SessionsCompact`].
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SessionsCompactParams {
    pub key: SessionRef,
    /// For bare keys: whose.
    pub agent_id: Option<AgentId>,
    /// Keep so many of the newest entries and list the rest, without asking a model.
    pub max_lines: Option<u64>,
    /// What the summary should keep or leave out.
    pub instructions: Option<String>,
}

/// Answer of [`SessionsCompact`].
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionsCompactResult {
    pub ok: bool,
    pub key: SessionKey,
    /// Whether the conversation is shorter now.
    pub compacted: bool,
    /// Why it is not.
    pub reason: Option<String>,
    /// Entries kept word for word.
    pub kept: Option<u64>,
    pub result: Option<CompactedConversation>,
}

/// What a compaction did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CompactedConversation {
    /// What stands for the beginning now.
    pub summary: String,
    /// Where the rest begins.
    pub first_kept_entry_id: String,
    pub tokens_before: u64,
    pub tokens_after: u64,
}
