//! One run of a job: recorded before it begins, an ordinary turn while it lasts, recorded when it is over.

use std::time::Duration;

use homard_channel::Inbound;
use homard_protocol::events::{CronAction, CronEvent};
use homard_protocol::methods::cron::{
    CronDelivery, CronNotRun, CronPayload, CronRunMode, CronRunStatus, CronUsage,
};
use homard_protocol::prompt_report::PromptMode;
use homard_protocol::{
    JobId, RunId, SessionId, SessionKey, SessionScope, StopCause, ThinkingLevel, TurnSource, Usage, WakeMode,
    Word,
};
use homard_relay::{AcceptError, Accepted, InlineSettings, Queue, TurnOptions, Wake};
use homard_runtime::{OrCancel, OrLog, Timestamp, millis};
use homard_store::{CronJobRow, CronRunRow, RunRecord, RunStatus};
use homard_tools::Label;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};

use crate::automation::{Automation, CronError};
use crate::job::{Job, Target};

/// How long a turn may take unless the job says otherwise.
pub(crate) const JOB_TIMEOUT: Duration = Duration::from_secs(10 * 60);
/// After how long a run that does not end is given up.
pub(crate) const STUCK_AFTER: Duration = Duration::from_secs(2 * 60 * 60);

/// All that is needed to go on with a run after a restart.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RunPlan {
    pub(crate) text: String,
    /// For an event: whether it starts a turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) event: Option<WakeMode>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) model: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) thinking: Option<Word<ThinkingLevel>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) timeout_ms: Option<u64>,
    /// Whether less of the workspace is told.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) is_light: bool,
    #[serde(default)]
    pub(crate) labels: Vec<Label>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) delivery: Option<CronDelivery>,
    /// Where results are announced.
    pub(crate) main: SessionKey,
}

/// How the work of a run ended.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct JobOutcome {
    pub(crate) status: CronRunStatus,
    pub(crate) reply: Option<String>,
    pub(crate) error: Option<String>,
    pub(crate) session_id: Option<SessionId>,
    pub(crate) provider: Option<String>,
    pub(crate) model: Option<String>,
    pub(crate) usage: Option<CronUsage>,
    /// What waits for the next turn of the run's conversation.
    pub(crate) waits: Option<String>,
}

impl JobOutcome {
    fn failed(error: impl Into<String>) -> Self {
        Self {
            status: CronRunStatus::Error,
            reply: None,
            error: Some(error.into()),
            session_id: None,
            provider: None,
            model: None,
            usage: None,
            waits: None,
        }
    }

    /// From the row of the agent's run.
    fn of(record: RunRecord) -> Self {
        let (status, error) = match record.status {
            RunStatus::Ok => (CronRunStatus::Ok, None),
            RunStatus::Interrupted => {
                (CronRunStatus::Error, Some("cut off by a restart of the gateway".to_owned()))
            }
            RunStatus::Aborted => (CronRunStatus::Error, Some("the run was stopped".to_owned())),
            RunStatus::TimedOut => (CronRunStatus::Error, Some("the run took longer than it may".to_owned())),
            RunStatus::Error | RunStatus::Queued | RunStatus::Running => {
                (CronRunStatus::Error, Some("the run failed".to_owned()))
            }
        };
        Self {
            status,
            reply: record.reply,
            error: error.map(|words| record.error.unwrap_or(words)),
            session_id: record.session_id,
            provider: record.provider,
            model: record.model,
            usage: record.usage.map(usage),
            waits: None,
        }
    }
}

fn usage(usage: Usage) -> CronUsage {
    CronUsage {
        input_tokens: usage.input,
        output_tokens: usage.output,
        total_tokens: usage.total_tokens,
        cache_read_tokens: usage.cache_read,
        cache_write_tokens: usage.cache_write,
    }
}

/// What came of wanting to run a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RunStart {
    Run(RunId),
    /// It does not, and why.
    Not(CronNotRun),
}

impl Automation {
    /// Begins a job if it may begin now. Returns once that is recorded.
    pub(crate) async fn begin(&self, id: &JobId, mode: CronRunMode) -> Result<RunStart, CronError> {
        let row = self.inner.store.cron().get(id).await?;
        let job = Job::read(row.ok_or_else(|| CronError::UnknownJob(id.clone()))?)?;
        let now = self.inner.clock.now_ms();
        let run = self.prepare(&job, now)?;
        let begin = Box::new(move |row: &mut CronJobRow| {
            let Ok(mut job) = Job::read(row.clone()) else { return false };
            if why_not(&job, mode, now).is_some() {
                return false;
            }
            job.state.running_at_ms = Some(now);
            *row = job.to_row();
            true
        });
        let Some(row) = self.inner.store.cron().begin_run(run.clone(), begin).await? else {
            return self.not_begun(id, mode, now).await;
        };
        let run_id = run.run_id.clone();
        tracing::info!(job = %id, name = %run.job_name, run = %run_id, "a job begins");
        let event = CronEvent {
            job: Job::read(row).ok().map(|job| Box::new(job.to_wire(&self.config()))),
            run_at_ms: Some(now),
            run_id: Some(run_id.clone()),
            session_key: Some(run.session_key.to_string()),
            ..CronEvent::about(id.clone(), CronAction::Started)
        };
        self.inner.bus.publish(&event);
        self.drive(run);
        Ok(RunStart::Run(run_id))
    }

    async fn not_begun(&self, id: &JobId, mode: CronRunMode, now: Timestamp) -> Result<RunStart, CronError> {
        let row = self.inner.store.cron().get(id).await?;
        let job = Job::read(row.ok_or_else(|| CronError::UnknownJob(id.clone()))?)?;
        Ok(RunStart::Not(why_not(&job, mode, now).unwrap_or(CronNotRun::AlreadyRunning)))
    }

    /// The row of a run that begins now.
    fn prepare(&self, job: &Job, now: Timestamp) -> Result<CronRunRow, CronError> {
        let config = self.config();
        let agent = job.agent(&config);
        let run_id = RunId::from(uuid::Uuid::new_v4());
        let main = SessionKey::main(agent.clone());
        let target = job.target(&config)?;
        let sweep = target == Target::Isolated;
        let session_key = match target {
            Target::Main => main.clone(),
            Target::Isolated => {
                let scope = SessionScope::Cron { job: job.row.id.to_string(), run: Some(run_id.to_string()) };
                SessionKey::agent(agent.clone(), scope)
            }
            Target::Session(key) => key,
        };
        let plan = plan(job, main, now, &self.zone());
        Ok(CronRunRow {
            run_id,
            job_id: job.row.id.clone(),
            job_name: job.spec.name.clone(),
            agent_id: agent,
            session_key,
            started_at: now,
            plan: serde_json::to_string(&plan).map_err(|error| CronError::Unreadable(error.to_string()))?,
            sweep,
            ended_at: None,
            status: None,
            delivery_status: None,
            summary: None,
            error: None,
            entry: None,
        })
    }

    /// Sees a run that is recorded through to its end. When the gateway stops first, the next start goes on with it.
    pub(crate) fn drive(&self, run: CronRunRow) {
        let room = self.clone();
        self.inner.tasks.spawn(async move {
            let inner = &room.inner;
            let places = inner.places.take(|| room.config().cron.max_concurrent).or_cancel(&inner.stopping);
            let Ok(_place) = places.await else { return };
            let plan: RunPlan = match serde_json::from_str(&run.plan) {
                Ok(plan) => plan,
                Err(error) => {
                    tracing::error!(%error, run = %run.run_id, "the plan of a job's run is not readable");
                    let plan = RunPlan::empty(run.session_key.clone());
                    return room
                        .finish_run(&run, &plan, JobOutcome::failed("its plan is not readable"))
                        .await;
                }
            };
            if let Some(outcome) = room.work(&run, &plan).await {
                room.finish_run(&run, &plan, outcome).await;
            }
        });
    }

    /// Does what a run is about; `None` when the gateway stops before that is over.
    async fn work(&self, run: &CronRunRow, plan: &RunPlan) -> Option<JobOutcome> {
        let relay = &self.inner.relay;
        if let Some(mode) = plan.event {
            if mode == WakeMode::NextHeartbeat || !relay.turns().heartbeats_enabled() {
                let mut outcome = JobOutcome::failed("");
                (outcome.status, outcome.error) = (CronRunStatus::Ok, None);
                outcome.waits = Some(plan.text.clone());
                return Some(outcome);
            }
            let wake = Wake {
                session: run.session_key.clone(),
                text: plan.text.clone(),
                mode: WakeMode::Now,
                source: TurnSource::Cron,
                run_id: Some(run.run_id.clone()),
                labels: plan.labels.clone(),
            };
            return match relay.turns().wake(wake).await {
                Ok(_woken) => self.await_end(run).await,
                Err(error) => not_taken(&error),
            };
        }
        let (key, now) = (run.session_key.clone(), self.inner.clock.now_ms());
        let asks_at = self.route(plan).await.or_log("where a job asks could not be found").flatten();
        let message = Inbound::from_operator(key, run.run_id.to_string(), plan.text.clone(), now);
        let options = TurnOptions {
            settings: InlineSettings {
                prompt_mode: plan.is_light.then(|| PromptMode::Minimal.into()),
                ..InlineSettings::asking(plan.model.clone(), plan.thinking.clone())
            },
            timeout_ms: plan.timeout_ms,
            labels: plan.labels.clone(),
            asks_at: asks_at.map(Box::new),
            ..TurnOptions::of(TurnSource::Cron)
        };
        match relay.accept(message, options, Queue::Wait).await {
            Ok(Accepted::Finished(record)) => Some(JobOutcome::of(*record)),
            Ok(Accepted::Started { .. } | Accepted::InFlight { .. } | Accepted::Answered { .. }) => {
                self.await_end(run).await
            }
            Err(error) => not_taken(&error),
        }
    }

    /// Waits for a turn to end; `None` when it waits for the next start.
    async fn await_end(&self, run: &CronRunRow) -> Option<JobOutcome> {
        let run_id = &run.run_id;
        let ended = self.inner.relay.turns().wait(run_id, STUCK_AFTER).await.is_some();
        let read =
            self.inner.store.runs().get(run_id).await.or_log("the end of a job's run could not be read");
        let Some(record) = read? else { return Some(JobOutcome::failed("its run is not known any more")) };
        if record.status.is_finished() {
            return Some(JobOutcome::of(record));
        }
        if ended {
            // The end was told and could not be written.
            return Some(JobOutcome::failed("its end could not be recorded"));
        }
        if self.inner.stopping.is_cancelled() {
            return None;
        }
        self.inner.relay.abort(&run.session_key, Some(run_id), StopCause::Cron).await;
        Some(JobOutcome::failed("it did not end within two hours and was given up"))
    }
}

impl RunPlan {
    fn empty(main: SessionKey) -> Self {
        Self {
            text: String::new(),
            event: None,
            model: None,
            thinking: None,
            timeout_ms: None,
            is_light: false,
            labels: Vec::new(),
            delivery: None,
            main,
        }
    }
}

/// A message that was not taken; when the gateway stops, it is offered again after the next start.
fn not_taken(error: &AcceptError) -> Option<JobOutcome> {
    match error {
        AcceptError::Stopping => None,
        other => Some(JobOutcome::failed(other.to_string())),
    }
}

/// Why a job may not begin.
fn why_not(job: &Job, mode: CronRunMode, now: Timestamp) -> Option<CronNotRun> {
    if job.row.running.is_some() {
        return Some(CronNotRun::AlreadyRunning);
    }
    let is_due = job.state.next_run_at_ms.is_some_and(|due| due <= now);
    match mode {
        CronRunMode::Force => None,
        CronRunMode::IfEnabled | CronRunMode::Due if !job.enabled() => Some(CronNotRun::Disabled),
        CronRunMode::IfEnabled => None,
        CronRunMode::Due => (!is_due).then_some(CronNotRun::NotDue),
    }
}

/// What a run of a job is about.
fn plan(job: &Job, main: SessionKey, now: Timestamp, zone: &TimeZone) -> RunPlan {
    let empty =
        RunPlan { labels: job.labels.clone(), delivery: job.spec.delivery.clone(), ..RunPlan::empty(main) };
    match &job.spec.payload {
        CronPayload::SystemEvent { text, .. } => {
            RunPlan { text: text.clone(), event: Some(job.spec.wake_mode), ..empty }
        }
        CronPayload::AgentTurn { message, model, thinking, timeout_seconds, light_context, .. } => RunPlan {
            text: prompt(job.row.id.as_str(), &job.spec.name, message, &time_line(now, zone)),
            model: model.clone(),
            thinking: thinking.clone(),
            timeout_ms: Some(limit(*timeout_seconds)),
            is_light: *light_context == Some(true),
            ..empty
        },
        // Refused when the job is made; rows of another version of the program say that they cannot be run.
        CronPayload::Command { .. } | CronPayload::Script { .. } => {
            RunPlan { text: "This job is of a kind that is not run yet.".to_owned(), ..empty }
        }
    }
}

fn prompt(id: &str, name: &str, message: &str, time: &str) -> String {
    format!("[cron:{id} {name}] {message}\n{time}")
}

/// How long a turn may take; nought means as long as any run of a job.
fn limit(seconds: Option<f64>) -> u64 {
    let wanted = seconds
        .filter(|seconds| *seconds > 0.0)
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    let limit = match (seconds, wanted) {
        (None, _) => JOB_TIMEOUT,
        (Some(_), wanted) => wanted.unwrap_or(STUCK_AFTER),
    };
    millis(limit.min(STUCK_AFTER))
}

pub(crate) fn time_line(now: Timestamp, zone: &TimeZone) -> String {
    let Ok(moment) = jiff::Timestamp::from_millisecond(now) else { return String::new() };
    let there = moment.to_zoned(zone.clone());
    let name = zone.iana_name().unwrap_or("UTC");
    format!("Current time: {} ({name})", there.strftime("%A, %Y-%m-%d %H:%M"))
}

#[cfg(test)]
mod tests;
