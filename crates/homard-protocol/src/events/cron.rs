//! Events about scheduled jobs.

use serde::Serialize;
use serde_with::skip_serializing_none;

use crate::event::{Event, Guard};
use crate::id::{JobId, RunId, SessionId};
use crate::methods::cron::{CronDeliveryStatus, CronJob, CronRunEntry, CronRunStatus, CronUsage};
use crate::scope::Scope;

/// What happened to a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum CronAction {
    Added,
    Updated,
    Removed,
    Started,
    /// A run is over.
    Finished,
}

/// `cron`: a job changed, or ran.
#[skip_serializing_none]
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CronEvent {
    pub job_id: JobId,
    pub action: CronAction,
    pub job: Option<Box<CronJob>>,
    /// When it is due next.
    pub next_run_at_ms: Option<i64>,
    /// When the run began.
    pub run_at_ms: Option<i64>,
    pub status: Option<CronRunStatus>,
    pub error: Option<String>,
    /// What was said, shortened.
    pub summary: Option<String>,
    /// How long it took.
    pub duration_ms: Option<i64>,
    /// Whether the result arrived.
    pub delivered: Option<bool>,
    /// What became of it.
    pub delivery_status: Option<CronDeliveryStatus>,
    pub session_id: Option<SessionId>,
    pub session_key: Option<String>,
    pub run_id: Option<RunId>,
    pub model: Option<String>,
    pub provider: Option<String>,
    pub usage: Option<CronUsage>,
}

impl CronEvent {
    /// Something happened to a job.
    #[must_use]
    pub fn about(job_id: JobId, action: CronAction) -> Self {
        Self {
            job_id,
            action,
            job: None,
            next_run_at_ms: None,
            run_at_ms: None,
            status: None,
            error: None,
            summary: None,
            duration_ms: None,
            delivered: None,
            delivery_status: None,
            session_id: None,
            session_key: None,
            run_id: None,
            model: None,
            provider: None,
            usage: None,
        }
    }

    /// A run is over.
    #[must_use]
    pub fn finished(entry: &CronRunEntry) -> Self {
        Self {
            next_run_at_ms: entry.next_run_at_ms,
            run_at_ms: entry.run_at_ms,
            status: entry.status,
            error: entry.error.clone(),
            summary: entry.summary.clone(),
            duration_ms: entry.duration_ms,
            delivered: entry.delivered,
            delivery_status: entry.delivery_status,
            session_id: entry.session_id.clone(),
            session_key: entry.session_key.clone(),
            run_id: entry.run_id.clone(),
            model: entry.model.clone(),
            provider: entry.provider.clone(),
            usage: entry.usage,
            ..Self::about(entry.job_id.clone(), CronAction::Finished)
        }
    }
}

impl Event for CronEvent {
    const NAME: &'static str = "cron";
    const GUARD: Guard = Guard::Operator(Scope::Read);

    fn droppable(&self) -> bool {
        true
    }
}
