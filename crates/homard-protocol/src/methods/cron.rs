//! `cron.*`: jobs that run by the clock. `job` is what a job is, `run` what is told about one run of it, `preview` when one
//! would be due.

mod job;
mod preview;
mod run;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use serde_with::skip_serializing_none;

use crate::id::{AgentId, JobId, RunId, padded};
use crate::method::{Access, Method, NoParams};
use crate::scope::Scope;
use crate::session_ref::SessionRef;
use crate::word::words;

pub use job::{
    CronAddParams, CronAlertRule, CronAutoDisabled, CronCompletionDestination, CronDelivery,
    CronDeliveryMode, CronDeliveryPreview, CronDeliveryStatus, CronDisabledFor, CronFailureAlert, CronJob,
    CronJobState, CronMissedRuns, CronPayload, CronRunStatus, CronSchedule,
};
pub use preview::{
    CronPreview, CronPreviewParams, CronPreviewResult, DEFAULT_PREVIEW_RUNS, MAX_PREVIEW_RUNS,
};
pub use run::{CronRunAction, CronRunEntry, CronUsage};

/// Most jobs or runs in one answer.
pub const MAX_CRON_LIMIT: u32 = 200;

/// `cron.list`.
#[derive(Debug)]
pub struct CronList;

impl Method for CronList {
    const NAME: &'static str = "cron.list";
    const ACCESS: Access = Access::Operator(Scope::Read);
    type Params = CronListParams;
    type Result = CronListResult;
}

/// Parameters of [`CronList`].
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct CronListParams {
    /// Only jobs made in this conversation.
    pub session_key: Option<SessionRef>,
    /// Whose conversation that is, when it is named without its agent.
    pub session_agent_id: Option<AgentId>,
    /// Those that are switched off, too.
    pub include_disabled: Option<bool>,
    pub limit: Option<u32>,
    /// How many to leave out.
    pub offset: Option<u64>,
    /// Words in the name, the description or what it does.
    pub query: Option<String>,
    pub enabled: Option<CronEnabledFilter>,
    /// Only this kind of schedule; `all` for any.
    pub schedule_kind: Option<CronScheduleFilter>,
    /// Only those that last ended so; `unknown` for those that never ran.
    pub last_run_status: Option<CronStatusFilter>,
    /// Only those with, or without, a condition.
    pub trigger: Option<CronTriggerFilter>,
    pub sort_by: Option<CronSortBy>,
    pub sort_dir: Option<CronSortDir>,
    /// Only jobs of this agent.
    pub agent_id: Option<AgentId>,
    /// Whether less about each is enough. They are told whole.
    pub compact: Option<bool>,
    /// Whether it is told where results would go; yes, unless said otherwise.
    pub include_delivery_previews: Option<bool>,
}

/// See [`CronListParams::enabled`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum CronEnabledFilter {
    All,
    Enabled,
    /// Those that do not.
    Disabled,
}

/// See [`CronListParams::schedule_kind`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CronScheduleFilter {
    All,
    At,
    Every,
    Cron,
    /// When a command ends.
    OnExit,
    /// When a command speaks.
    Stream,
}

/// See [`CronListParams::last_run_status`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum CronStatusFilter {
    All,
    Ok,
    Error,
    Skipped,
    Unknown,
}

/// See [`CronListParams::trigger`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum CronTriggerFilter {
    All,
    Conditional,
    Unconditional,
}

/// See [`CronListParams::sort_by`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum CronSortBy {
    /// Who is due first.
    #[default]
    NextRunAtMs,
    /// Who was changed first.
    UpdatedAtMs,
    Name,
}

/// Which way a list goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum CronSortDir {
    Asc,
    Desc,
}

/// Answer of [`CronList`].
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CronListResult {
    pub jobs: Vec<CronJob>,
    /// How many there are.
    pub total: u64,
    /// How many were left out.
    pub offset: u64,
    /// How many were asked for.
    pub limit: u32,
    /// Whether there are more.
    pub has_more: bool,
    pub next_offset: Option<u64>,
    /// Changes when the jobs do, so that a client that pages notices.
    pub snapshot_revision: String,
    /// Where their results would go, by id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delivery_previews: Option<BTreeMap<JobId, CronDeliveryPreview>>,
}

/// Which job: by `id`, or by `jobId` as older clients say.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct CronJobParams {
    #[serde(deserialize_with = "padded")]
    pub id: Option<JobId>,
    #[serde(deserialize_with = "padded")]
    pub job_id: Option<JobId>,
}

/// `cron.get`.
#[derive(Debug)]
pub struct CronGet;

impl Method for CronGet {
    const NAME: &'static str = "cron.get";
    const ACCESS: Access = Access::Operator(Scope::Read);
    type Params = CronJobParams;
    type Result = CronJob;
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
    /// Where jobs are kept; empty for callers who may not see paths.
    pub store_path: String,
    pub storage: String,
    pub sqlite_path: String,
    /// How many jobs there are.
    pub jobs: u64,
    /// When the next one is due.
    pub next_wake_at_ms: Option<i64>,
}

/// `cron.add`.
#[derive(Debug)]
pub struct CronAdd;

impl Method for CronAdd {
    const NAME: &'static str = "cron.add";
    const ACCESS: Access = Access::Operator(Scope::Admin);
    const RATE_LIMITED: bool = true;
    type Params = CronAddParams;
    type Result = CronAddResult;
}

/// Answer of [`CronAdd`].
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum CronAddResult {
    /// What became of a job that was declared.
    Declared(Box<CronDeclared>),
    Added(Box<CronJob>),
}

/// What became of a job that was added with a declaration key.
#[skip_serializing_none]
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CronDeclared {
    /// Whether there was none of that key.
    pub created: bool,
    /// Whether the one there was is different now.
    pub updated: Option<bool>,
    pub job: CronJob,
    /// Where its result would go.
    pub delivery_preview: Option<CronDeliveryPreview>,
}

/// `cron.update`.
#[derive(Debug)]
pub struct CronUpdate;

impl Method for CronUpdate {
    const NAME: &'static str = "cron.update";
    const ACCESS: Access = Access::Operator(Scope::Admin);
    const RATE_LIMITED: bool = true;
    type Params = CronUpdateParams;
    type Result = CronJob;
}

/// Parameters of [`CronUpdate`].
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CronUpdateParams {
    #[serde(default, deserialize_with = "padded")]
    pub id: Option<JobId>,
    #[serde(default, deserialize_with = "padded")]
    pub job_id: Option<JobId>,
    /// What changes; `null` clears.
    pub patch: Map<String, Value>,
    /// Refuses the change when the job is no longer the one that was read.
    pub expected_config_revision: Option<String>,
}

/// `cron.remove`.
#[derive(Debug)]
pub struct CronRemove;

impl Method for CronRemove {
    const NAME: &'static str = "cron.remove";
    const ACCESS: Access = Access::Operator(Scope::Admin);
    const RATE_LIMITED: bool = true;
    type Params = CronJobParams;
    type Result = CronRemoveResult;
}

/// Answer of [`CronRemove`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CronRemoveResult {
    pub ok: bool,
    /// Whether there was one.
    pub removed: bool,
}

/// `cron.run`.
#[derive(Debug)]
pub struct CronRun;

impl Method for CronRun {
    const NAME: &'static str = "cron.run";
    const ACCESS: Access = Access::Operator(Scope::Admin);
    const RATE_LIMITED: bool = true;
    type Params = CronRunParams;
    type Result = CronRunResult;
}

/// Parameters of [`CronRun`].
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct CronRunParams {
    #[serde(deserialize_with = "padded")]
    pub id: Option<JobId>,
    #[serde(deserialize_with = "padded")]
    pub job_id: Option<JobId>,
    /// Whether it must be due, or switched on.
    pub mode: Option<CronRunMode>,
    /// Refuses when the gateway is not the one that was asked before.
    pub expected_process_instance_id: Option<String>,
}

/// When a job is run by hand.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CronRunMode {
    /// Only when it is due.
    Due,
    #[default]
    Force,
    /// Unless it is switched off.
    IfEnabled,
}

words! {
    /// Why a job that was to run does not.
    CronNotRun {
        AlreadyRunning = "already-running",
        Disabled = "disabled",
        NotDue = "not-due",
        /// The gateway is about to end.
        Stopped = "stopped",
    }
}

/// Answer of [`CronRun`].
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct CronRunResult {
    /// Whether the request was understood.
    pub ok: bool,
    pub enqueued: Option<bool>,
    /// `false`: it does not.
    pub ran: Option<bool>,
    pub reason: Option<CronNotRun>,
    pub run_id: Option<RunId>,
    /// The gateway that runs it.
    pub process_instance_id: Option<String>,
}

/// `cron.runs`.
#[derive(Debug)]
pub struct CronRuns;

impl Method for CronRuns {
    const NAME: &'static str = "cron.runs";
    const ACCESS: Access = Access::Operator(Scope::Read);
    type Params = CronRunsParams;
    type Result = CronRunsResult;
}

/// Whose runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum CronRunsScope {
    Job,
    All,
}

/// Parameters of [`CronRuns`].
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct CronRunsParams {
    /// Only of this agent.
    pub agent_id: Option<AgentId>,
    pub scope: Option<CronRunsScope>,
    #[serde(deserialize_with = "padded", skip_serializing_if = "Option::is_none")]
    pub id: Option<JobId>,
    #[serde(deserialize_with = "padded", skip_serializing_if = "Option::is_none")]
    pub job_id: Option<JobId>,
    pub run_id: Option<RunId>,
    pub limit: Option<u32>,
    /// How many to leave out.
    pub offset: Option<u64>,
    /// Only those that ended so.
    pub statuses: Option<Vec<CronRunStatus>>,
    /// The same for one; `all` for any.
    pub status: Option<CronStatusFilter>,
    /// Only those whose result fared so.
    pub delivery_statuses: Option<Vec<CronDeliveryStatus>>,
    /// The same for one.
    pub delivery_status: Option<CronDeliveryStatus>,
    /// Words in the summary, the error or the job's name.
    pub query: Option<String>,
    /// Newest first, unless `asc`.
    pub sort_dir: Option<CronSortDir>,
}

/// Answer of [`CronRuns`].
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CronRunsResult {
    pub entries: Vec<CronRunEntry>,
    /// How many there are.
    pub total: u64,
    /// How many were left out.
    pub offset: u64,
    /// How many were asked for.
    pub limit: u32,
    /// Whether there are more.
    pub has_more: bool,
    pub next_offset: Option<u64>,
}
