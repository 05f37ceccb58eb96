//! `chat.startup`, `chat.metadata` and `commands.list`: what a page asks for when it opens a conversation.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use crate::id::AgentId;
use crate::method::{Access, Method};
use crate::methods::chat::agent::ModelSummary;
use crate::methods::chat::{ChatHistoryParams, ChatHistoryResult};
use crate::scope::Scope;
use crate::session_ref::SessionRef;

/// `chat.startup`: the newest page of a conversation and its [`ChatMetadataResult`] in one answer.
#[derive(Debug)]
pub struct ChatStartup;

impl Method for ChatStartup {
    const NAME: &'static str = "chat.startup";
    const ACCESS: Access = Access::Operator(Scope::Read);
    type Params = ChatHistoryParams;
    type Result = ChatStartupResult;
}

/// Answer of [`ChatStartup`].
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct ChatStartupResult {
    #[serde(flatten)]
    pub history: ChatHistoryResult,
    pub metadata: ChatMetadataResult,
}

/// `chat.metadata`: which models and commands a conversation has.
#[derive(Debug)]
pub struct ChatMetadata;

impl Method for ChatMetadata {
    const NAME: &'static str = "chat.metadata";
    const ACCESS: Access = Access::Operator(Scope::Read);
    type Params = ChatMetadataParams;
    type Result = ChatMetadataResult;
}

/// Parameters of [`ChatMetadata`].
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct ChatMetadataParams {
    pub agent_id: Option<AgentId>,
    /// With this credential; taken and not looked at.
    pub auth_profile_id: Option<String>,
    pub session_key: Option<SessionRef>,
}

/// Answer of [`ChatMetadata`].
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChatMetadataResult {
    pub models: Vec<ModelSummary>,
    pub commands: Vec<SlashCommand>,
    pub swarm_enabled: bool,
}

/// `commands.list`: the words behind a slash that are obeyed.
#[derive(Debug)]
pub struct CommandsList;

impl Method for CommandsList {
    const NAME: &'static str = "commands.list";
    const ACCESS: Access = Access::Operator(Scope::Read);
    type Params = CommandsListParams;
    type Result = CommandsListResult;
}

/// Parameters of [`CommandsList`].
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct CommandsListParams {
    pub session_key: Option<SessionRef>,
    pub agent_id: Option<AgentId>,
    /// On which platform; the commands are the same everywhere.
    pub provider: Option<String>,
    /// `text`, `native` or `both`; ours are both.
    pub scope: Option<CommandScope>,
    pub include_args: Option<bool>,
}

/// Where a command may be given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum CommandScope {
    /// Typed as a message.
    Text,
    /// Through a platform's own menu.
    Native,
    Both,
}

/// Answer of [`CommandsList`].
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct CommandsListResult {
    pub commands: Vec<SlashCommand>,
}

/// One command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SlashCommand {
    pub name: String,
    /// What a platform's menu calls it.
    pub native_name: String,
    /// What may be typed, with the slash.
    pub text_aliases: Vec<String>,
    pub description: String,
    /// `native`: part of the gateway.
    pub source: String,
    /// Where it may be given.
    pub scope: CommandScope,
    /// Whether words may follow.
    pub accepts_args: bool,
    /// The words that may follow; only when asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub args: Option<Vec<SlashArgument>>,
}

/// What may follow a command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SlashArgument {
    pub name: String,
    /// What it is for.
    pub description: String,
    #[serde(rename = "type")]
    pub kind: String,
}
