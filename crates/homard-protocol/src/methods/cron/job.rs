//! A scheduled job: when it is due, what it does, where its result goes, how it has fared.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_with::skip_serializing_none;

use crate::id::{AgentId, JobId};
use crate::session_words::ThinkingLevel;
use crate::session_words::run_source::WakeMode;
use crate::word::{Word, words};

/// When a job is due.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum CronSchedule {
    At {
        /// ISO 8601; without a zone it is UTC.
        at: String,
    },
    /// Again and again at the same distance.
    Every {
        every_ms: u64,
        /// A moment from which it is counted; when the job was made, unless given.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        anchor_ms: Option<i64>,
    },
    Cron {
        /// Five fields, or six with seconds first.
        expr: String,
        /// IANA name; the owner's zone, unless given.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tz: Option<String>,
        /// How far runs may be moved so that jobs do not all begin at once; 0 means not at all.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        stagger_ms: Option<u64>,
    },
    /// When a command ends. Known, not run.
    OnExit {
        command: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cwd: Option<String>,
    },
    /// When a command says something. Known, not run.
    Stream {
        command: Vec<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cwd: Option<String>,
        /// Every line, or those that match.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        mode: Option<String>,
        /// What they must match.
        #[serde(default, rename = "match", skip_serializing_if = "Option::is_none")]
        pattern: Option<String>,
        /// How long lines are collected.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        batch_ms: Option<u64>,
        /// How many bytes of them.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        max_batch_bytes: Option<u64>,
    },
}

/// What a job does.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum CronPayload {
    /// Tells the main conversation something.
    SystemEvent {
        text: String,
        /// Tools it may use.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tools_allow: Option<Vec<String>>,
        /// Whether that list is a default.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tools_allow_is_default: Option<bool>,
    },
    AgentTurn {
        message: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        model: Option<String>,
        /// Models that stand in.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        fallbacks: Option<Vec<String>>,
        /// How hard to think.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        thinking: Option<Word<ThinkingLevel>>,
        /// How long it may take.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        timeout_seconds: Option<f64>,
        /// Whether words of others are passed on as they are.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        allow_unsafe_external_content: Option<bool>,
        /// Whether less of the workspace is told.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        light_context: Option<bool>,
        /// Tools it may use.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tools_allow: Option<Vec<String>>,
        /// Whether that list is a default.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tools_allow_is_default: Option<bool>,
    },
    /// Runs a command. Known, not run.
    Command {
        argv: Vec<String>,
        /// The rest, as written.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cwd: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        env: Option<Value>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        input: Option<String>,
        /// How long it may take.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        timeout_seconds: Option<f64>,
        /// How long it may be silent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        no_output_timeout_seconds: Option<f64>,
        /// How much of what it says is kept.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        output_max_bytes: Option<u64>,
        /// Tools it may use.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tools_allow: Option<Vec<String>>,
        /// Whether that list is a default.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tools_allow_is_default: Option<bool>,
    },
    /// Runs a script. Known, not run.
    Script {
        script: String,
        /// How long it may take.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        timeout_seconds: Option<f64>,
        /// How many tools it may call.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tool_budget: Option<u64>,
        /// Tools it may use.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tools_allow: Option<Vec<String>>,
        /// Whether that list is a default.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tools_allow_is_default: Option<bool>,
    },
}

/// How a result is delivered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum CronDeliveryMode {
    None,
    Announce,
    Webhook,
}

/// Where a result goes.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CronDelivery {
    pub mode: CronDeliveryMode,
    /// The platform; `last` is where people were last heard.
    pub channel: Option<String>,
    /// The recipient, or the address of a webhook.
    pub to: Option<String>,
    pub thread_id: Option<Value>,
    pub account_id: Option<String>,
    /// Whether a failure to deliver is no failure of the run.
    pub best_effort: Option<bool>,
    /// Where failures go instead.
    pub failure_destination: Option<Value>,
    /// A program that is told besides.
    pub completion_destination: Option<CronCompletionDestination>,
}

/// A program that is told when a run is over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CronCompletionDestination {
    pub mode: CronDeliveryMode,
    pub to: String,
}

/// When somebody is told that a job keeps failing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum CronFailureAlert {
    /// Never; only `false` is written.
    Never(bool),
    When(CronAlertRule),
}

/// See [`CronFailureAlert`].
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct CronAlertRule {
    /// After how many failures in a row.
    pub after: Option<u32>,
    pub channel: Option<String>,
    pub to: Option<String>,
    /// How long nobody is told again.
    pub cooldown_ms: Option<u64>,
    /// Whether runs that were skipped count.
    pub include_skipped: Option<bool>,
    /// How; only `announce` is in effect.
    pub mode: Option<CronDeliveryMode>,
    pub account_id: Option<String>,
}

/// A job as it is asked for.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CronAddParams {
    /// What people call it.
    pub name: String,
    /// Makes adding it again a change of the same job.
    pub declaration_key: Option<String>,
    /// What lists show instead of the name.
    pub display_name: Option<String>,
    /// Who looks after it, as clients write it.
    pub owner: Option<Value>,
    pub agent_id: Option<String>,
    /// The conversation it was made in.
    pub session_key: Option<String>,
    pub description: Option<String>,
    pub enabled: Option<bool>,
    /// Whether it is forgotten after it went well.
    pub delete_after_run: Option<bool>,
    /// When it is due.
    pub schedule: CronSchedule,
    /// Bounds of a cadence the job chooses itself. Known, not in effect.
    pub pacing: Option<Value>,
    /// A condition. Known, not in effect.
    pub trigger: Option<Value>,
    /// `main`, `isolated`, `current` or `session:<key>`.
    pub session_target: String,
    /// Whether the conversation is woken.
    pub wake_mode: WakeMode,
    pub payload: CronPayload,
    /// Where its result goes.
    pub delivery: Option<CronDelivery>,
    /// When somebody is told that it keeps failing.
    pub failure_alert: Option<CronFailureAlert>,
    /// What becomes of times that pass while the gateway is down; as `cron.skipMissedJobs` says, if left out.
    pub missed_runs: Option<CronMissedRuns>,
}

words! {
    /// What becomes of times that passed while the gateway was down.
    CronMissedRuns {
        Skip = "skip",
        /// However many they were, it runs once at the start.
        Once = "once",
        /// It runs once for each, one after the other, up to a limit.
        All = "all",
    }
}

words! {
    /// How a run ended.
    CronRunStatus {
        Ok = "ok",
        Error = "error",
        /// It was not begun.
        Skipped = "skipped",
    }
}

words! {
    /// What became of a result.
    CronDeliveryStatus {
        Delivered = "delivered",
        NotDelivered = "not-delivered",
        Unknown = "unknown",
        /// It was to go nowhere.
        NotRequested = "not-requested",
    }
}

words! {
    /// What the gateway switches jobs off for.
    CronDisabledFor {
        ConsecutiveFailures = "consecutive-failures",
        /// Its next time could not be found, again and again.
        ScheduleErrors = "schedule-errors",
    }
}

/// Why the gateway switched a job off by itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CronAutoDisabled {
    pub reason: CronDisabledFor,
    pub at_ms: i64,
    pub consecutive_errors: u32,
}

/// How a job has fared.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct CronJobState {
    /// When it is due next.
    pub next_run_at_ms: Option<i64>,
    /// When its schedule last took effect.
    pub schedule_activated_at_ms: Option<i64>,
    /// Since when it runs.
    pub running_at_ms: Option<i64>,
    /// When it last began.
    pub last_run_at_ms: Option<i64>,
    pub last_run_status: Option<CronRunStatus>,
    /// The same under its older name.
    pub last_status: Option<CronRunStatus>,
    pub last_error: Option<String>,
    /// How long it took.
    pub last_duration_ms: Option<i64>,
    /// How many runs it is still to make up for.
    pub runs_to_make_up: Option<u32>,
    /// How often in a row it went wrong.
    pub consecutive_errors: Option<u32>,
    /// How often in a row its next time could not be found.
    pub schedule_error_count: Option<u32>,
    /// Why it was switched off.
    pub auto_disabled: Option<CronAutoDisabled>,
    /// Whether its last result arrived.
    pub last_delivered: Option<bool>,
    /// What became of it.
    pub last_delivery_status: Option<CronDeliveryStatus>,
    /// Why it did not arrive.
    pub last_delivery_error: Option<String>,
    /// When somebody was last told that it keeps failing.
    pub last_failure_alert_at_ms: Option<i64>,
}

/// Where a result would go, in words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CronDeliveryPreview {
    pub label: String,
    pub detail: String,
}

/// A job.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CronJob {
    /// Its name for programs.
    pub id: JobId,
    /// What was asked for, with what was left out filled in.
    #[serde(flatten)]
    pub spec: CronAddParams,
    /// When it was made.
    pub created_at_ms: i64,
    /// When it was last changed.
    pub updated_at_ms: i64,
    /// How it has fared.
    pub state: CronJobState,
    /// Changes when what was asked for does.
    pub config_revision: Option<String>,
    pub next_run_at_ms: Option<i64>,
    pub last_run_at_ms: Option<i64>,
    pub last_run_status: Option<CronRunStatus>,
    pub last_run_error: Option<String>,
    pub last_delivery_status: Option<CronDeliveryStatus>,
    /// Whose it is, named or not.
    pub effective_agent_id: Option<AgentId>,
    /// Where its result would go; only when it was just made.
    pub delivery_preview: Option<CronDeliveryPreview>,
}
