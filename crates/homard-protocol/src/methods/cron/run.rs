//! What is told about one run of a job.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::job::{CronDeliveryStatus, CronRunStatus};
use crate::id::{JobId, RunId, SessionId};
use crate::word::words;

/// What a run cost, as run logs spell it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct CronUsage {
    pub input_tokens: u64,
    pub output_tokens: u64,
    pub total_tokens: u64,
    /// Read from a cache.
    pub cache_read_tokens: u64,
    pub cache_write_tokens: u64,
}

words! {
    /// What an entry is about; there is only one thing yet.
    CronRunAction {
        Finished = "finished",
    }
}

/// One run that is over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CronRunEntry {
    /// When it was over.
    pub ts: i64,
    pub job_id: JobId,
    pub action: CronRunAction,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<CronRunStatus>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// What was said, shortened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// Whether the result arrived.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delivered: Option<bool>,
    /// What became of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delivery_status: Option<CronDeliveryStatus>,
    /// Why it did not arrive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delivery_error: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_key: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_id: Option<RunId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_at_ms: Option<i64>,
    /// How long it took.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<i64>,
    /// When the job is due next.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_run_at_ms: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<CronUsage>,
    /// What people call the job.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job_name: Option<String>,
}
