//! `agent`, `agent.wait`, `agents.list` and `models.list`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_with::skip_serializing_none;

use crate::id::{AgentId, RunId, SessionId};
use crate::method::{Access, Method, NoParams};
use crate::methods::chat::Attachment;
use crate::scope::Scope;
use crate::session_key::SessionKey;
use crate::session_ref::SessionRef;
use crate::session_row::ThinkingLevelOption;
use crate::session_words::ThinkingLevel;
use crate::session_words::run_status::{FailReason, RunAnswer};
use crate::word::{Word, words};

/// `agent`: one turn, answered twice with the same id: accepted, then finished.
#[derive(Debug)]
pub struct Agent;

impl Method for Agent {
    const NAME: &'static str = "agent";
    const ACCESS: Access = Access::Operator(Scope::Write);
    type Params = AgentParams;
    type Result = Value;

    fn access_for(params: &Self::Params) -> Access {
        let first = params.message.split_whitespace().next().unwrap_or("");
        let resets = matches!(first, "/new" | "/reset");
        Access::Operator(if resets { Scope::Admin } else { Scope::Write })
    }
}

/// Parameters of [`Agent`]. Fields whose room is not furnished yet are taken and checked for type only.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentParams {
    pub message: String,
    /// Becomes the run id.
    pub idempotency_key: String,
    pub agent_id: Option<AgentId>,
    pub session_key: Option<SessionRef>,
    /// Which conversation, by transcript.
    pub session_id: Option<SessionId>,
    /// A provider for this turn.
    pub provider: Option<String>,
    /// A model for this turn.
    pub model: Option<String>,
    /// How hard to think in this turn.
    pub thinking: Option<Word<ThinkingLevel>>,
    /// Time limit in seconds.
    pub timeout: Option<f64>,
    pub attachments: Option<Vec<Attachment>>,
    /// Added to the system prompt.
    pub extra_system_prompt: Option<String>,
    /// Everything about delivery, which later rooms read.
    #[serde(flatten)]
    pub rest: serde_json::Map<String, Value>,
}

/// First answer of [`Agent`].
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentAccepted {
    pub run_id: RunId,
    pub session_key: SessionKey,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<AgentId>,
    /// Accepted, or in flight for a repeat.
    pub status: RunAnswer,
    pub accepted_at: i64,
}

/// Last answer of [`Agent`].
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentFinished {
    pub run_id: String,
    pub status: RunAnswer,
    /// One word for people: `completed`, `aborted`, or what went wrong.
    pub summary: String,
    pub result: AgentResult,
}

/// What a run produced.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct AgentResult {
    pub payloads: Vec<AgentPayload>,
    pub meta: AgentResultMeta,
}

/// One thing a run said.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentPayload {
    #[serde(default)]
    pub text: Option<String>,
    #[serde(default)]
    pub media_url: Option<String>,
}

/// How a run went.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentResultMeta {
    /// How long it took.
    pub duration_ms: u64,
    /// Who thought, and at what price.
    pub agent_meta: AgentMeta,
    /// Whether it was stopped.
    pub aborted: bool,
    /// What was tried, and who answered in the end.
    #[serde(default)]
    pub execution_trace: ExecutionTrace,
}

/// What was tried, and who answered in the end.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExecutionTrace {
    pub winner_provider: String,
    pub winner_model: String,
    /// The attempts in order, the last one being the answer where there was one.
    pub attempts: Vec<ExecutionAttempt>,
    /// Whether another model than the wanted one was asked.
    pub fallback_used: bool,
}

/// One attempt at an answer.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExecutionAttempt {
    pub provider: String,
    pub model: String,
    pub profile: Option<String>,
    pub result: AttemptResult,
    pub reason: Option<Word<FailReason>>,
    pub error: Option<String>,
}

words! {
    /// What came of an attempt.
    #[derive(Default)]
    AttemptResult {
        #[default]
        Success = "success",
        Error = "error",
    }
}

/// Who thought, and at what price.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentMeta {
    pub session_id: String,
    pub provider: String,
    pub model: String,
    /// Tokens of the whole run.
    pub usage: AgentUsage,
}

/// Tokens of a run, in the spelling of this answer.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentUsage {
    pub input: u64,
    pub output: u64,
    pub cache_read: u64,
    pub cache_write: u64,
    pub total: u64,
}

/// `agent.wait`: wait for a run.
#[derive(Debug)]
pub struct AgentWait;

impl Method for AgentWait {
    const NAME: &'static str = "agent.wait";
    const ACCESS: Access = Access::Operator(Scope::Write);
    type Params = AgentWaitParams;
    type Result = AgentWaitResult;
}

/// Parameters of [`AgentWait`].
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AgentWaitParams {
    pub run_id: RunId,
    /// How long; 30 s when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
}

/// Answer of [`AgentWait`].
#[skip_serializing_none]
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentWaitResult {
    pub run_id: String,
    /// A timeout is one of the run or of the waiting.
    pub status: RunAnswer,
    pub started_at: Option<i64>,
    pub ended_at: Option<i64>,
    pub error: Option<String>,
    pub stop_reason: Option<String>,
    pub terminal_reply: Option<Value>,
}

/// `agents.list`.
#[derive(Debug)]
pub struct AgentsList;

impl Method for AgentsList {
    const NAME: &'static str = "agents.list";
    const ACCESS: Access = Access::Operator(Scope::Read);
    type Params = NoParams;
    type Result = AgentsListResult;
}

/// Answer of [`AgentsList`].
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentsListResult {
    /// Who answers by default.
    pub default_id: AgentId,
    pub ownership: String,
    /// Whether a client must choose; never in Homard.
    pub selection_required: bool,
    pub main_key: String,
    pub scope: String,
    pub agents: Vec<AgentSummary>,
}

/// One agent.
#[skip_serializing_none]
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentSummary {
    pub id: AgentId,
    pub name: Option<String>,
    pub identity: Option<Value>,
    pub workspace: String,
    pub model: AgentModel,
}

/// An agent's model.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct AgentModel {
    pub primary: String,
    /// What to try next.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fallbacks: Vec<String>,
}

/// `models.list`.
#[derive(Debug)]
pub struct ModelsList;

impl Method for ModelsList {
    const NAME: &'static str = "models.list";
    const ACCESS: Access = Access::Operator(Scope::Read);
    type Params = ModelsListParams;
    type Result = ModelsListResult;
}

/// Parameters of [`ModelsList`].
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct ModelsListParams {
    pub agent_id: Option<AgentId>,
    pub session_key: Option<SessionRef>,
    pub auth_profile_id: Option<String>,
    /// Only of this provider.
    pub provider: Option<String>,
    pub include_details: Option<bool>,
    pub include_provider_capabilities: Option<bool>,
    pub include_default_models: Option<bool>,
    /// Only what is ready.
    pub prepared_only: Option<bool>,
    /// Ask the providers again.
    pub refresh: Option<bool>,
    /// Which part of the list.
    pub view: Option<Word<ModelsView>>,
}

words! {
    /// Which models are listed.
    ModelsView {
        Default = "default",
        Configured = "configured",
        ProviderConfig = "provider-config",
        All = "all",
    }
}

/// Answer of [`ModelsList`].
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct ModelsListResult {
    pub models: Vec<ModelSummary>,
}

/// One model.
#[skip_serializing_none]
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ModelSummary {
    /// The provider's name for it.
    pub id: String,
    /// A name for people.
    pub name: String,
    pub provider: String,
    /// How much it can read, where somebody knows.
    pub context_window: Option<u64>,
    /// Whether it can think.
    pub reasoning: bool,
    /// What it can look at.
    pub input: Vec<String>,
    /// `default` for the configured one.
    pub tags: Vec<String>,
    /// How hard it can think.
    pub thinking_levels: Vec<ThinkingLevelOption>,
    /// How hard it thinks.
    pub thinking_default: ThinkingLevel,
    /// Whether it can be used now.
    pub available: bool,
    /// The longest answer, in tokens; with `includeDetails`.
    pub max_tokens: Option<u64>,
    /// What a million tokens cost, in US dollars; with `includeDetails`.
    pub cost: Option<ModelPrice>,
    /// Whether the owner lets it be chosen; with `includeDetails`.
    pub allowed: Option<bool>,
}

/// What a million tokens cost, in US dollars.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ModelPrice {
    pub input: f64,
    pub output: f64,
    /// Read from the cache.
    pub cache_read: f64,
    /// Written to the cache.
    pub cache_write: f64,
}
