//! `cron.preview`: when a schedule would be due, before there is a job.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use super::CronSchedule;
use crate::id::{JobId, padded};
use crate::method::{Access, Method};
use crate::scope::Scope;

/// Moments unless the caller says otherwise.
pub const DEFAULT_PREVIEW_RUNS: u32 = 5;
/// Most moments of one answer.
pub const MAX_PREVIEW_RUNS: u32 = 50;

/// `cron.preview`: reads a schedule as `cron.add` would, and keeps nothing.
#[derive(Debug)]
pub struct CronPreview;

impl Method for CronPreview {
    const NAME: &'static str = "cron.preview";
    const ACCESS: Access = Access::Operator(Scope::Read);
    type Params = CronPreviewParams;
    type Result = CronPreviewResult;
}

/// Parameters of [`CronPreview`].
#[skip_serializing_none]
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CronPreviewParams {
    /// When it is due.
    pub schedule: CronSchedule,
    /// The job whose schedule it would be: jobs at the top of hours are moved, each by its own time.
    #[serde(default, deserialize_with = "padded")]
    pub job_id: Option<JobId>,
    /// How many moments; five when left out.
    pub count: Option<u32>,
}

/// Answer of [`CronPreview`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CronPreviewResult {
    /// The next moments, the first first; one for a schedule that is due once.
    pub runs_at_ms: Vec<i64>,
    /// The zone a calendar follows.
    pub tz: String,
    /// By how much each moment may yet be moved, because it is not known for which job; 0 when they are exact.
    pub spread_ms: u64,
    /// The schedule in words.
    pub words: String,
}
