//! `usage.*`: what model calls cost, and what is left of the budgets. [`sessions`] has the reports about
//! conversations, [`hours`] the curves.

pub mod hours;
pub mod sessions;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_with::skip_serializing_none;

use crate::id::{AgentId, RunId};
use crate::message::Usage;
use crate::method::{Access, Method, NoParams};
use crate::scope::Scope;
use crate::session_key::SessionKey;
use crate::session_ref::SessionRef;
use crate::session_words::ThinkingLevel;
use crate::session_words::run_status::{CallOutcome, CallState, FailReason, RunStatus};
use crate::word::{Word, words};

/// Days in a report unless the caller says otherwise.
pub const DEFAULT_DAYS: u32 = 30;
/// Most days in one report: ten years.
pub const MAX_DAYS: u32 = 3_660;
/// Runs in one answer of [`UsageRuns`] unless the caller says otherwise.
pub const DEFAULT_RUNS: u32 = 20;
/// Most runs in one answer of [`UsageRuns`].
pub const MAX_RUNS: u32 = 200;

/// Which days a report is about, and where a day begins.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct UsageSpan {
    /// The first day, `YYYY-MM-DD`.
    pub start_date: Option<String>,
    /// The last day, `YYYY-MM-DD`.
    pub end_date: Option<String>,
    /// So many days up to today.
    pub days: Option<u32>,
    pub range: Option<Word<UsageRange>>,
    pub mode: Option<Word<UsageZone>>,
    /// For `specific`: `UTC+2` or `UTC-5:30`.
    pub utc_offset: Option<String>,
    /// For `specific`: an IANA name such as `Europe/Paris`; wins over the offset.
    pub time_zone: Option<String>,
}

words! {
    /// A span of days with a name.
    UsageRange {
        Week = "7d",
        Month = "30d",
        Quarter = "90d",
        Year = "1y",
        /// From the first call on record.
        All = "all",
    }
}

words! {
    /// Where days begin and end.
    UsageZone {
        Utc = "utc",
        /// Where the gateway is.
        Gateway = "gateway",
        /// As the fields beside it say.
        Specific = "specific",
    }
}

words! {
    /// Whose calls are counted.
    UsageAgentScope {
        /// Every agent's, whatever `agentId` says.
        All = "all",
    }
}

words! {
    /// How complete a report is.
    #[derive(Default)]
    UsageFreshness {
        #[default]
        Fresh = "fresh",
    }
}

/// Sums over model calls; money in US dollars.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct UsageTotals {
    /// Prompt tokens not served from a cache.
    pub input: u64,
    pub output: u64,
    /// Prompt tokens served from a cache.
    pub cache_read: u64,
    /// Prompt tokens written to a cache.
    pub cache_write: u64,
    pub total_tokens: u64,
    pub total_cost: f64,
    pub input_cost: f64,
    pub output_cost: f64,
    /// For cached parts of prompts.
    pub cache_read_cost: f64,
    pub cache_write_cost: f64,
    /// Calls of models without a price.
    pub missing_cost_entries: u64,
    /// How many calls reached a model; attempts that were turned away are not among them.
    pub calls: u64,
    /// Calls nobody saw the end of; they are in the sums with the most they can have cost.
    pub lost_calls: u64,
}

impl UsageTotals {
    /// Adds another sum to this one.
    pub fn add(&mut self, other: &Self) {
        self.input = self.input.saturating_add(other.input);
        self.output = self.output.saturating_add(other.output);
        self.cache_read = self.cache_read.saturating_add(other.cache_read);
        self.cache_write = self.cache_write.saturating_add(other.cache_write);
        self.total_tokens = self.total_tokens.saturating_add(other.total_tokens);
        self.total_cost += other.total_cost;
        self.input_cost += other.input_cost;
        self.output_cost += other.output_cost;
        self.cache_read_cost += other.cache_read_cost;
        self.cache_write_cost += other.cache_write_cost;
        self.missing_cost_entries = self.missing_cost_entries.saturating_add(other.missing_cost_entries);
        self.calls = self.calls.saturating_add(other.calls);
        self.lost_calls = self.lost_calls.saturating_add(other.lost_calls);
    }

    /// The share of prompts that came from a cache, 0 to 1; `None` when there was no prompt.
    #[must_use]
    pub fn cache_hit(&self) -> Option<f64> {
        let prompt = self.input.saturating_add(self.cache_read).saturating_add(self.cache_write);
        (prompt > 0).then(|| self.cache_read as f64 / prompt as f64)
    }
}

/// The sums of one day.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UsageDay {
    pub date: String,
    #[serde(flatten)]
    pub totals: UsageTotals,
}

/// How complete a report is. Homard reads its own table, so that it always is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UsageCacheStatus {
    pub status: UsageFreshness,
    pub cached_files: u32,
    pub pending_files: u32,
    pub stale_files: u32,
}

/// `usage.cost`.
#[derive(Debug)]
pub struct UsageCost;

impl Method for UsageCost {
    const NAME: &'static str = "usage.cost";
    const ACCESS: Access = Access::Operator(Scope::Read);
    type Params = UsageCostParams;
    type Result = UsageCostResult;
}

/// Parameters of [`UsageCost`].
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct UsageCostParams {
    #[serde(flatten)]
    pub span: UsageSpan,
    pub agent_id: Option<AgentId>,
    pub agent_scope: Option<Word<UsageAgentScope>>,
}

/// Answer of [`UsageCost`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UsageCostResult {
    pub updated_at: i64,
    pub days: u32,
    /// Every day, oldest first, also those without a call.
    pub daily: Vec<UsageDay>,
    pub totals: UsageTotals,
    /// How complete this is.
    #[serde(default)]
    pub cache_status: UsageCacheStatus,
}

/// `usage.status`.
#[derive(Debug)]
pub struct UsageStatus;

impl Method for UsageStatus {
    const NAME: &'static str = "usage.status";
    const ACCESS: Access = Access::Operator(Scope::Read);
    type Params = NoParams;
    type Result = UsageStatusResult;
}

/// Answer of [`UsageStatus`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UsageStatusResult {
    pub updated_at: i64,
    /// Providers whose limits are known, or whose credentials rest or cannot be used.
    pub providers: Vec<ProviderQuota>,
    /// The owner's limits that are in effect and how far they are used.
    #[serde(default)]
    pub budgets: Vec<BudgetStatus>,
}

/// A provider's own limits.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProviderQuota {
    pub provider: String,
    pub display_name: String,
    pub windows: Vec<QuotaWindow>,
    /// The plan that was bought.
    pub plan: Option<String>,
    /// What is wrong with its credentials, and until when.
    pub error: Option<String>,
}

/// One limit of a provider.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct QuotaWindow {
    /// For example `5h` or `Week`.
    pub label: String,
    pub used_percent: f64,
    /// When it starts anew.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reset_at: Option<i64>,
}

/// One of the owner's limits.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BudgetStatus {
    /// Where it is set and what it is about, for example `budgets.gateway.day.usd`.
    pub path: String,
    /// Whose count it is, where one limit is for each of many.
    pub whose: Option<String>,
    /// How much of it is gone.
    pub used: f64,
    /// How much there is.
    pub limit: f64,
    pub unit: String,
    /// When it starts anew; never, where it is missing.
    pub resets_at: Option<i64>,
}

/// `usage.runs`: what was tried for the latest answers, and what each call cost. Homard's own.
#[derive(Debug)]
pub struct UsageRuns;

impl Method for UsageRuns {
    const NAME: &'static str = "usage.runs";
    const ACCESS: Access = Access::Operator(Scope::Read);
    type Params = UsageRunsParams;
    type Result = UsageRunsResult;
}

/// Parameters of [`UsageRuns`].
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct UsageRunsParams {
    /// Only those of this conversation.
    pub session_key: Option<SessionRef>,
    /// How many at most.
    pub limit: Option<u32>,
}

/// Answer of [`UsageRuns`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UsageRunsResult {
    pub ts: i64,
    pub runs: Vec<RunUsage>,
}

/// One finished run.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunUsage {
    pub run_id: RunId,
    pub session_key: SessionKey,
    pub status: RunStatus,
    pub started_at: Option<i64>,
    pub ended_at: Option<i64>,
    pub provider: Option<String>,
    pub model: Option<String>,
    pub error: Option<String>,
    /// What all its calls used.
    pub usage: Usage,
    /// What did not answer, in order.
    pub attempts: Vec<RunAttempt>,
    /// Its model calls, in order.
    pub calls: Vec<RunCall>,
}

/// An attempt that did not answer, and why.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct RunAttempt {
    pub provider: String,
    pub model: String,
    /// With which credential, by its name.
    pub profile: Option<String>,
    pub reason: Word<FailReason>,
    /// The HTTP status, when there was one.
    pub status: Option<u16>,
    pub error: String,
    /// How long it took, in milliseconds.
    pub took_ms: u64,
    /// What was done about it.
    pub next: Value,
}

/// One model call of a run.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunCall {
    pub timestamp: i64,
    pub provider: String,
    pub model: String,
    /// With which credential, by its name.
    pub profile: Option<String>,
    /// How much it was to think.
    pub thinking: Option<Word<ThinkingLevel>>,
    pub state: CallState,
    /// Why the model stopped, or what went wrong; empty while it is under way.
    pub outcome: Word<CallOutcome>,
    /// Milliseconds until the first word.
    pub first_ms: Option<u64>,
    /// Milliseconds until the end.
    pub total_ms: u64,
    pub usage: Usage,
}
