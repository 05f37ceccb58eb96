//! `usage.hours`: the last hours one by one, for curves. Homard's own.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use crate::id::AgentId;
use crate::method::{Access, Method};
use crate::scope::Scope;

/// Hours in one answer unless the caller says otherwise.
pub const DEFAULT_HOURS: u32 = 24;
/// Most hours in one answer: thirty days.
pub const MAX_HOURS: u32 = 720;

/// `usage.hours`.
#[derive(Debug)]
pub struct UsageHours;

impl Method for UsageHours {
    const NAME: &'static str = "usage.hours";
    const ACCESS: Access = Access::Operator(Scope::Read);
    type Params = UsageHoursParams;
    type Result = UsageHoursResult;
}

/// Parameters of [`UsageHours`].
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct UsageHoursParams {
    /// How many, the one under way included.
    pub hours: Option<u32>,
    pub agent_id: Option<AgentId>,
}

/// Answer of [`UsageHours`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UsageHoursResult {
    pub ts: i64,
    /// Every hour, oldest first, also those without a call; the last is under way.
    pub hours: Vec<UsageHour>,
}

/// The model calls of one hour; money in US dollars.
#[skip_serializing_none]
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct UsageHour {
    pub at: i64,
    /// Runs that began in it.
    pub turns: u64,
    /// Calls that reached a model.
    pub calls: u64,
    /// Tokens of prompts, cached ones included.
    pub input_tokens: u64,
    pub output_tokens: u64,
    pub cost: f64,
    /// Half of the answers were at most this slow; missing when there was none.
    pub latency_p50_ms: Option<u64>,
    /// 95 of 100 answers were at most this slow; missing when there was none.
    pub latency_p95_ms: Option<u64>,
    /// Calls that gave no answer.
    pub errors: u64,
}
