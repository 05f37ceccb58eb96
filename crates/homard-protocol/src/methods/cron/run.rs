//! What is told about one run of a job.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

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
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CronRunEntry {
    /// When it was over.
    pub ts: i64,
    pub job_id: JobId,
    pub action: CronRunAction,
    pub status: Option<CronRunStatus>,
    pub error: Option<String>,
    /// What was said, shortened.
    pub summary: Option<String>,
    /// Whether the result arrived.
    pub delivered: Option<bool>,
    /// What became of it.
    pub delivery_status: Option<CronDeliveryStatus>,
    /// Why it did not arrive.
    pub delivery_error: Option<String>,
    pub session_id: Option<SessionId>,
    pub session_key: Option<String>,
    pub run_id: Option<RunId>,
    pub run_at_ms: Option<i64>,
    /// How long it took.
    pub duration_ms: Option<i64>,
    /// When the job is due next.
    pub next_run_at_ms: Option<i64>,
    pub model: Option<String>,
    pub provider: Option<String>,
    pub usage: Option<CronUsage>,
    /// What people call the job.
    pub job_name: Option<String>,
}
