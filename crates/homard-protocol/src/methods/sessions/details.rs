//! `sessions.describe`, `sessions.messages.*` and `agent.identity.get`: looking at one conversation.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use crate::id::AgentId;
use crate::method::{Access, Method};
use crate::scope::Scope;
use crate::session_ref::SessionRef;
use crate::session_row::SessionRow;

/// `sessions.describe`: one row by its exact key.
#[derive(Debug)]
pub struct SessionsDescribe;

impl Method for SessionsDescribe {
    const NAME: &'static str = "sessions.describe";
    const ACCESS: Access = Access::Sessions(Scope::Read);
    type Params = SessionsDescribeParams;
    type Result = SessionsDescribeResult;
}

/// Parameters of [`SessionsDescribe`].
#[skip_serializing_none]
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SessionsDescribeParams {
    pub key: SessionRef,
    /// For bare keys: whose.
    pub agent_id: Option<AgentId>,
    /// With a title made from the first message.
    pub include_derived_titles: Option<bool>,
    /// With the beginning of the last message.
    pub include_last_message: Option<bool>,
}

/// Answer of [`SessionsDescribe`].
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct SessionsDescribeResult {
    /// `null` when there is none.
    pub session: Option<SessionRow>,
}

/// `sessions.messages.subscribe`: hear every message of one conversation.
#[derive(Debug)]
pub struct SessionsMessagesSubscribe;

impl Method for SessionsMessagesSubscribe {
    const NAME: &'static str = "sessions.messages.subscribe";
    const ACCESS: Access = Access::Sessions(Scope::Read);
    type Params = SessionsMessagesSubscribeParams;
    type Result = SessionsMessagesResult;
}

/// Parameters of [`SessionsMessagesSubscribe`].
#[skip_serializing_none]
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SessionsMessagesSubscribeParams {
    pub key: SessionRef,
    /// For bare keys: whose.
    pub agent_id: Option<AgentId>,
    /// Also what waits for an answer.
    pub include_approvals: Option<bool>,
}

/// `sessions.messages.unsubscribe`.
#[derive(Debug)]
pub struct SessionsMessagesUnsubscribe;

impl Method for SessionsMessagesUnsubscribe {
    const NAME: &'static str = "sessions.messages.unsubscribe";
    const ACCESS: Access = Access::Sessions(Scope::Read);
    type Params = SessionsMessagesUnsubscribeParams;
    type Result = SessionsMessagesResult;
}

/// Parameters of [`SessionsMessagesUnsubscribe`].
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SessionsMessagesUnsubscribeParams {
    pub key: SessionRef,
    /// For bare keys: whose.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<AgentId>,
}

/// Answer of [`SessionsMessagesSubscribe`] and [`SessionsMessagesUnsubscribe`].
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct SessionsMessagesResult {
    /// Whether this socket hears them from now on.
    pub subscribed: bool,
    pub key: String,
}

/// `agent.identity.get`: an agent's name and looks.
#[derive(Debug)]
pub struct AgentIdentityGet;

impl Method for AgentIdentityGet {
    const NAME: &'static str = "agent.identity.get";
    const ACCESS: Access = Access::Operator(Scope::Read);
    type Params = AgentIdentityParams;
    type Result = AgentIdentityResult;
}

/// Parameters of [`AgentIdentityGet`].
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct AgentIdentityParams {
    pub agent_id: Option<AgentId>,
    /// Whoever answers in this conversation.
    pub session_key: Option<SessionRef>,
}

/// Answer of [`AgentIdentityGet`].
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentIdentityResult {
    pub agent_id: AgentId,
    /// What to call it.
    pub name: String,
    /// Its picture: a letter, an emoji or an address.
    pub avatar: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub emoji: Option<String>,
}
