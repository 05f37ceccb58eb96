//! `sessions.usage*`: what conversations cost, together, over time and message by message.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_with::skip_serializing_none;

use super::{UsageAgentScope, UsageCacheStatus, UsageDay, UsageSpan, UsageTotals};
use crate::id::AgentId;
use crate::message::MessageRole;
use crate::method::{Access, Method};
use crate::scope::Scope;
use crate::session_ref::SessionRef;
use crate::session_words::ChatKind;
use crate::word::{Word, words};

/// Sessions in one report unless the caller says otherwise.
pub const DEFAULT_SESSIONS: u32 = 50;
/// Most sessions in one report.
pub const MAX_SESSIONS: u32 = 1_000;
/// Messages in one log unless the caller says otherwise.
pub const DEFAULT_LOGS: u32 = 200;
/// Most messages in one log.
pub const MAX_LOGS: u32 = 1_000;
/// Most points of a curve; calls that follow each other are added up beyond it.
pub const MAX_POINTS: usize = 200;
/// Most characters of one message in a log.
pub const MAX_LOG_CHARS: usize = 2_000;

/// `sessions.usage`.
#[derive(Debug)]
pub struct SessionsUsage;

impl Method for SessionsUsage {
    const NAME: &'static str = "sessions.usage";
    const ACCESS: Access = Access::Sessions(Scope::Read);
    const ADVERTISED: bool = false;
    type Params = SessionsUsageParams;
    type Result = SessionsUsageResult;
}

words! {
    /// What one row is about.
    UsageGroupBy {
        Instance = "instance",
        /// A conversation and those that came of it. They are told one by one all the same.
        Family = "family",
    }
}

/// Parameters of [`SessionsUsage`].
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct SessionsUsageParams {
    pub key: Option<SessionRef>,
    /// Only this agent's; for bare keys: whose.
    pub agent_id: Option<AgentId>,
    pub agent_scope: Option<Word<UsageAgentScope>>,
    #[serde(flatten)]
    pub span: UsageSpan,
    /// Most sessions listed; the sums are over all.
    pub limit: Option<u32>,
    /// Only conversations of this person; there is one owner, so that nothing is left out.
    pub creator_key: Option<String>,
    pub group_by: Option<UsageGroupBy>,
    /// Whether deleted conversations are told; they always are.
    pub include_historical: Option<bool>,
    /// Whether to tell what fills the context; `sessions.context` does that here.
    pub include_context_weight: Option<bool>,
}

/// Answer of [`SessionsUsage`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionsUsageResult {
    pub updated_at: i64,
    pub start_date: String,
    pub end_date: String,
    /// Conversations, the latest first, also those without a call.
    pub sessions: Vec<SessionUsageRow>,
    /// All calls in the range.
    pub totals: UsageTotals,
    /// The same, cut in every direction.
    pub aggregates: UsageAggregates,
    /// People; Homard has one owner and lists none.
    #[serde(default)]
    pub creator_options: Vec<Value>,
    /// How complete this is.
    #[serde(default)]
    pub cache_status: UsageCacheStatus,
}

/// One conversation.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionUsageRow {
    pub key: String,
    /// A name somebody gave.
    pub label: Option<String>,
    /// Its transcript; missing when it was deleted.
    pub session_id: Option<String>,
    /// `instance`: Homard does not join conversations.
    pub scope: String,
    /// When it last changed.
    pub updated_at: Option<i64>,
    pub agent_id: Option<String>,
    pub channel: Option<String>,
    pub chat_type: Option<Word<ChatKind>>,
    /// Who would answer now.
    pub model_provider: Option<String>,
    pub model: Option<String>,
    /// The size of the last prompt: what the model has before it now.
    pub total_tokens: Option<u64>,
    pub context_tokens: Option<u64>,
    /// What it cost in the range; `null` when it made no call.
    #[serialize_always]
    pub usage: Option<SessionUsage>,
    pub has_context_weight: bool,
}

/// What one conversation cost.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionUsage {
    #[serde(flatten)]
    pub totals: UsageTotals,
    /// Its first call in the range.
    pub first_activity: i64,
    /// Its last call in the range.
    pub last_activity: i64,
    /// Between the two, in milliseconds.
    pub duration_ms: i64,
    /// Days with a call.
    pub activity_dates: Vec<String>,
    pub daily_breakdown: Vec<UsageDayShort>,
    /// Messages, as counted from calls.
    pub message_counts: MessageCounts,
    pub model_usage: Vec<ModelUsage>,
}

/// A day in brief.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UsageDayShort {
    pub date: String,
    pub tokens: u64,
    pub cost: f64,
}

/// Messages, as counted from model calls: a run is what somebody said, a call an answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct MessageCounts {
    pub total: u64,
    pub user: u64,
    pub assistant: u64,
    /// Answers that asked for tools.
    pub tool_calls: u64,
    pub tool_results: u64,
    /// Calls that gave no answer.
    pub errors: u64,
}

/// What one model, or one provider, cost.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ModelUsage {
    pub provider: Option<String>,
    /// The model; missing where models are added up.
    pub model: Option<String>,
    pub count: u64,
    pub totals: UsageTotals,
}

/// What one agent cost.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentUsage {
    pub agent_id: String,
    pub totals: UsageTotals,
}

/// What one platform cost.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChannelUsage {
    pub channel: String,
    pub totals: UsageTotals,
}

/// How long calls took, in milliseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UsageLatency {
    /// How many were measured.
    pub count: u64,
    pub avg_ms: u64,
    /// 95 of 100 were at most this slow.
    pub p95_ms: u64,
    pub min_ms: u64,
    pub max_ms: u64,
}

/// How long the calls of one day took.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UsageDayLatency {
    pub date: String,
    #[serde(flatten)]
    pub latency: UsageLatency,
}

/// One model on one day.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ModelDay {
    pub date: String,
    pub provider: String,
    pub model: String,
    pub tokens: u64,
    pub cost: f64,
    pub count: u64,
}

/// One day as the overview draws it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UsageDayActivity {
    pub date: String,
    pub tokens: u64,
    pub cost: f64,
    /// Messages, as counted from calls.
    pub messages: u64,
    /// Answers that asked for tools.
    pub tool_calls: u64,
    /// Calls that gave no answer.
    pub errors: u64,
}

/// Tools, as far as calls tell.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolUsage {
    /// Answers that asked for tools.
    pub total_calls: u64,
    /// Calls do not name tools: always 0.
    pub unique_tools: u32,
    pub tools: Vec<Value>,
}

/// The sums of a report, cut in every direction. Lists of names are ordered by cost, then tokens; lists of days
/// by day, those without a call left out.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UsageAggregates {
    /// Conversations with a call.
    pub session_count: u64,
    /// Messages, as counted from calls.
    pub messages: MessageCounts,
    /// Tools, as far as calls tell.
    pub tools: ToolUsage,
    pub by_model: Vec<ModelUsage>,
    pub by_provider: Vec<ModelUsage>,
    pub by_agent: Vec<AgentUsage>,
    /// By platform, where it is known.
    pub by_channel: Vec<ChannelUsage>,
    pub by_creator: Vec<Value>,
    pub cost_daily: Vec<UsageDay>,
    /// How long calls took.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency: Option<UsageLatency>,
    /// How long calls took, by day.
    pub daily_latency: Vec<UsageDayLatency>,
    pub model_daily: Vec<ModelDay>,
    pub daily: Vec<UsageDayActivity>,
}

/// `sessions.usage.timeseries`.
#[derive(Debug)]
pub struct SessionsUsageTimeseries;

impl Method for SessionsUsageTimeseries {
    const NAME: &'static str = "sessions.usage.timeseries";
    const ACCESS: Access = Access::Sessions(Scope::Read);
    const ADVERTISED: bool = false;
    type Params = SessionsUsageTimeseriesParams;
    type Result = SessionsUsageTimeseriesResult;
}

/// Parameters of [`SessionsUsageTimeseries`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SessionsUsageTimeseriesParams {
    pub key: SessionRef,
    /// For bare keys: whose.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<AgentId>,
}

/// Answer of [`SessionsUsageTimeseries`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionsUsageTimeseriesResult {
    /// The transcript the points are about; missing when the conversation is gone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// Oldest first, at most [`MAX_POINTS`].
    pub points: Vec<SessionUsagePoint>,
}

/// A call, or several that follow each other.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionUsagePoint {
    /// When the first of them began.
    pub timestamp: i64,
    /// Prompt tokens not served from a cache.
    pub input: u64,
    pub output: u64,
    /// Prompt tokens served from a cache.
    pub cache_read: u64,
    /// Prompt tokens written to a cache.
    pub cache_write: u64,
    pub total_tokens: u64,
    pub cost: f64,
    /// Tokens up to and with this point.
    pub cumulative_tokens: u64,
    /// Money up to and with this point.
    pub cumulative_cost: f64,
}

/// `sessions.usage.logs`.
#[derive(Debug)]
pub struct SessionsUsageLogs;

impl Method for SessionsUsageLogs {
    const NAME: &'static str = "sessions.usage.logs";
    const ACCESS: Access = Access::Sessions(Scope::Read);
    const ADVERTISED: bool = false;
    type Params = SessionsUsageLogsParams;
    type Result = SessionsUsageLogsResult;
}

/// Parameters of [`SessionsUsageLogs`].
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SessionsUsageLogsParams {
    pub key: SessionRef,
    /// For bare keys: whose.
    pub agent_id: Option<AgentId>,
    /// How many messages at most, [`MAX_LOGS`] being the most.
    pub limit: Option<u32>,
}

/// Answer of [`SessionsUsageLogs`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionsUsageLogsResult {
    pub logs: Vec<SessionUsageLog>,
}

/// One message and what it cost.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionUsageLog {
    pub timestamp: i64,
    pub role: MessageRole,
    pub content: String,
    pub tokens: Option<u64>,
    pub cost: Option<f64>,
}
