//! `cron.*`, as far as there is something to tell before jobs can be kept.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::method::{Access, Method, NoParams};
use crate::scope::Scope;

/// Most jobs or runs in one answer.
pub const MAX_CRON_LIMIT: u32 = 200;

/// `cron.list`.
#[derive(Debug)]
pub struct CronList;

impl Method for CronList {
    const NAME: &'static str = "cron.list";
    const ACCESS: Access = Access::Operator(Scope::Read);
    type Params = CronPageParams;
    type Result = CronListResult;
}

/// Parameters of [`CronList`] and [`CronRuns`]. Filters are read when there is something to filter.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct CronPageParams {
    /// How many.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// How many to leave out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offset: Option<u64>,
}

/// Answer of [`CronList`].
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CronListResult {
    /// The jobs.
    pub jobs: Vec<Value>,
    /// How many there are.
    pub total: u64,
    /// How many were left out.
    pub offset: u64,
    /// How many were asked for.
    pub limit: u32,
    /// Whether there are more.
    pub has_more: bool,
    /// Where they begin.
    pub next_offset: Option<u64>,
    /// Changes when the jobs do, so that a client that pages notices.
    pub snapshot_revision: String,
}

/// `cron.runs`.
#[derive(Debug)]
pub struct CronRuns;

impl Method for CronRuns {
    const NAME: &'static str = "cron.runs";
    const ACCESS: Access = Access::Operator(Scope::Read);
    type Params = CronPageParams;
    type Result = CronRunsResult;
}

/// Answer of [`CronRuns`].
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CronRunsResult {
    /// The runs.
    pub entries: Vec<Value>,
    /// How many there are.
    pub total: u64,
    /// How many were left out.
    pub offset: u64,
    /// How many were asked for.
    pub limit: u32,
    /// Whether there are more.
    pub has_more: bool,
    /// Where they begin.
    pub next_offset: Option<u64>,
}

/// `cron.status`.
#[derive(Debug)]
pub struct CronStatus;

impl Method for CronStatus {
    const NAME: &'static str = "cron.status";
    const ACCESS: Access = Access::Operator(Scope::Read);
    type Params = NoParams;
    type Result = CronStatusResult;
}

/// Answer of [`CronStatus`].
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CronStatusResult {
    /// Whether anything is ever run.
    pub enabled: bool,
    /// Whether conditions are ever looked at.
    pub triggers_enabled: bool,
    /// Where jobs would be kept; empty for callers who may not see paths.
    pub store_path: String,
    /// Always `sqlite`.
    pub storage: String,
    /// As `storePath`.
    pub sqlite_path: String,
    /// How many jobs there are.
    pub jobs: u64,
    /// When the next one is due.
    pub next_wake_at_ms: Option<i64>,
}
