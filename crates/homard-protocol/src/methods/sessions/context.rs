//! `sessions.context`: where the tokens of a conversation's next request go. Homard's own method.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use crate::id::AgentId;
use crate::method::{Access, Method};
use crate::prompt_report::PromptReport;
use crate::scope::Scope;
use crate::session_key::SessionKey;
use crate::session_ref::SessionRef;

/// `sessions.context`.
#[derive(Debug)]
pub struct SessionsContext;

impl Method for SessionsContext {
    const NAME: &'static str = "sessions.context";
    const ACCESS: Access = Access::Sessions(Scope::Read);
    const ADVERTISED: bool = false;
    type Params = SessionsContextParams;
    type Result = SessionsContextResult;
}

/// Parameters of [`SessionsContext`].
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct SessionsContextParams {
    /// Which conversation; the main one when nobody says.
    pub key: Option<SessionRef>,
    /// Whose, for bare keys.
    pub agent_id: Option<AgentId>,
}

/// Answer of [`SessionsContext`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct SessionsContextResult {
    pub key: SessionKey,
    /// Prompt, files, skills and tools.
    pub report: PromptReport,
    /// How many messages the model is told.
    pub messages: usize,
    /// How many tokens these are guessed to be.
    pub message_tokens: u64,
    /// The context that may be used, in tokens.
    pub context_tokens: u32,
}
