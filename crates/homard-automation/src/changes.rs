//! Making, changing, removing and running jobs, as clients and the assistant ask for it.

use homard_config::Config;
use homard_protocol::JobId;
use homard_protocol::events::{CronAction, CronEvent};
use homard_protocol::methods::cron::{
    CronAddParams, CronAddResult, CronDeclared, CronJob, CronNotRun, CronRemoveResult, CronRunParams,
    CronRunResult, CronSchedule, CronUpdateParams,
};
use homard_relay::Relay;
use homard_runtime::Arrange as _;
use homard_store::{CronAdded, CronJobRow};
use homard_tools::Label;

use crate::automation::{CronError, Jobs};
use crate::job::{Job, check, complete, patched, revision};
use crate::run::RunStart;

impl Jobs<'_> {
    /// Makes a job; one that is declared again is changed instead. `labels` say whose words it is made of.
    ///
    /// # Errors
    /// When it does not make sense, or cannot be kept.
    pub async fn add(self, mut spec: CronAddParams, labels: Vec<Label>) -> Result<CronAddResult, CronError> {
        let (config, now) = (self.room.config(), self.room.inner.clock.now_ms());
        complete(&mut spec, now);
        check(&spec, &config, now, true)?;
        let declared = spec.declaration_key.is_some();
        let mut job = Job::new(spec, labels, now);
        check_model(&self.room.inner.relay, &job, &config)?;
        job.arm(now, &self.room.zone())?;
        match self.room.inner.store.cron().add(job.to_row()).await? {
            CronAdded::New => {
                self.room.tell(&job, CronAction::Added);
                self.room.inner.changed.notify_one();
            }
            CronAdded::Known(known) => return self.declare_again(&known.id, job).await,
            CronAdded::TooMany => return Err(CronError::TooMany),
        }
        let (preview, wire) = (job.preview(&config), job.to_wire(&config));
        Ok(if declared {
            let declared =
                CronDeclared { created: true, updated: None, job: wire, delivery_preview: Some(preview) };
            CronAddResult::Declared(Box::new(declared))
        } else {
            CronAddResult::Added(Box::new(CronJob { delivery_preview: Some(preview), ..wire }))
        })
    }

    /// A job whose key is known becomes what is asked for now, if it is not already.
    async fn declare_again(self, id: &JobId, wanted: Job) -> Result<CronAddResult, CronError> {
        let (zone, now) = (self.room.zone(), self.room.inner.clock.now_ms());
        let (mut spec, labels) = (wanted.spec, wanted.labels);
        let changed = self.change(id, move |job| {
            if let (
                CronSchedule::Every { anchor_ms: old, every_ms: had },
                CronSchedule::Every { anchor_ms, every_ms },
            ) = (&job.spec.schedule, &mut spec.schedule)
                && had == every_ms
            {
                *anchor_ms = *old;
            }
            if revision(&job.spec) == revision(&spec) {
                return Ok(false);
            }
            (job.spec, job.labels) = (spec, labels);
            job.row.updated_at = now;
            job.arm(now, &zone)?;
            Ok(true)
        });
        let (job, updated) = changed.await?;
        let config = self.room.config();
        let declared = CronDeclared {
            created: false,
            updated: Some(updated),
            delivery_preview: Some(job.preview(&config)),
            job: job.to_wire(&config),
        };
        Ok(CronAddResult::Declared(Box::new(declared)))
    }

    /// Changes a job. `labels` say whose words the change is made of.
    ///
    /// # Errors
    /// When there is none, the change does not make sense, or the job is not the one that was read.
    pub async fn update(self, params: CronUpdateParams, labels: Vec<Label>) -> Result<CronJob, CronError> {
        self.update_if(params, labels, |_old, _new| Ok(())).await
    }

    /// The same where whoever asks may not change everything: `may` is told the job before and after.
    pub(crate) async fn update_if(
        self,
        params: CronUpdateParams,
        labels: Vec<Label>,
        may: fn(&CronAddParams, &CronAddParams) -> Result<(), CronError>,
    ) -> Result<CronJob, CronError> {
        let id = wanted_id(params.id, params.job_id)?;
        let (config, zone, now) = (self.room.config(), self.room.zone(), self.room.inner.clock.now_ms());
        let (patch, expected) = (params.patch, params.expected_config_revision);
        let (config_there, relay) = (config.clone(), self.room.inner.relay.clone());
        let changed = self.change(&id, move |job| {
            if expected.is_some_and(|expected| expected != revision(&job.spec)) {
                return Err(CronError::Changed);
            }
            let mut spec = patched(&job.spec, &patch)?;
            complete(&mut spec, now);
            let is_new = spec.schedule != job.spec.schedule;
            check(&spec, &config_there, now, is_new)?;
            may(&job.spec, &spec)?;
            let rearm = is_new || spec.enabled != job.spec.enabled;
            let had_model = job.model().map(str::to_owned);
            job.spec = spec;
            if job.model() != had_model.as_deref() {
                check_model(&relay, job, &config_there)?;
            }
            job.row.updated_at = now;
            job.labels.extend(labels);
            job.labels.arrange();
            job.labels.dedup();
            if rearm {
                job.state.schedule_activated_at_ms = Some(now);
                job.state.consecutive_errors = None;
                job.state.schedule_error_count = None;
                job.state.auto_disabled = None;
                job.state.runs_to_make_up = None;
                job.arm(now, &zone)?;
            }
            Ok(true)
        });
        let (job, _changed) = changed.await?;
        Ok(job.to_wire(&config))
    }

    /// Changes a job in one step of the store, and tells everyone if it did.
    async fn change(
        self,
        id: &JobId,
        change: impl FnOnce(&mut Job) -> Result<bool, CronError> + Send + 'static,
    ) -> Result<(Job, bool), CronError> {
        let (said, heard) = std::sync::mpsc::sync_channel(1);
        let in_store = Box::new(move |row: &mut CronJobRow| {
            let done = Job::read(row.clone()).and_then(|mut job| {
                let changed = change(&mut job)?;
                Ok((job, changed))
            });
            let changed = matches!(done, Ok((_, true)));
            if let Ok((job, true)) = &done {
                *row = job.to_row();
            }
            // Whoever asked may be gone; the change stands.
            let _gone = said.send(done);
            changed
        });
        let row = self.room.inner.store.cron().change(id, in_store).await?;
        let row = row.ok_or_else(|| CronError::UnknownJob(id.clone()))?;
        let (_, changed) = heard.try_recv().map_err(|_gone| CronError::UnknownJob(id.clone()))??;
        let job = Job::read(row)?;
        if changed {
            self.room.tell(&job, CronAction::Updated);
            self.room.inner.changed.notify_one();
        }
        Ok((job, changed))
    }

    /// Forgets a job. A run under way goes on.
    ///
    /// # Errors
    /// When no job is named, or the store fails.
    pub async fn remove(
        self,
        id: Option<JobId>,
        job_id: Option<JobId>,
    ) -> Result<CronRemoveResult, CronError> {
        let id = wanted_id(id, job_id)?;
        let removed = self.room.inner.store.cron().remove(&id).await?;
        if removed {
            self.room.inner.bus.publish(&CronEvent::about(id, CronAction::Removed));
            self.room.inner.changed.notify_one();
        }
        Ok(CronRemoveResult { ok: true, removed })
    }

    /// Runs a job now, if it may run. Returns once that is recorded.
    ///
    /// # Errors
    /// When there is none, or it cannot be recorded.
    pub async fn run(self, params: CronRunParams) -> Result<CronRunResult, CronError> {
        let id = wanted_id(params.id, params.job_id)?;
        if params.expected_process_instance_id.is_some_and(|expected| expected != self.room.inner.instance) {
            return Err(CronError::invalid("the gateway was restarted meanwhile; look again and repeat"));
        }
        if self.room.inner.stopping.is_cancelled() {
            return Ok(CronRunResult {
                ok: true,
                ran: Some(false),
                reason: Some(CronNotRun::Stopped),
                ..CronRunResult::default()
            });
        }
        Ok(match self.room.begin(&id, params.mode.unwrap_or_default()).await? {
            RunStart::Run(run_id) => CronRunResult {
                ok: true,
                enqueued: Some(true),
                run_id: Some(run_id),
                process_instance_id: Some(self.room.inner.instance.clone()),
                ..CronRunResult::default()
            },
            RunStart::Not(reason) => {
                CronRunResult { ok: true, ran: Some(false), reason: Some(reason), ..CronRunResult::default() }
            }
        })
    }
}

/// Refuses a model that nobody can be asked for: its runs would fail one after the other.
fn check_model(relay: &Relay, job: &Job, config: &Config) -> Result<(), CronError> {
    let Some(model) = job.model() else { return Ok(()) };
    let agent = job.agent(config);
    let agent = config.agents.agent(&agent).unwrap_or(config.agents.default_agent());
    relay.router().check_wish(agent, model).map_err(|wrong| CronError::Invalid(wrong.to_string()))
}

/// The job a request names.
pub(crate) fn wanted_id(id: Option<JobId>, job_id: Option<JobId>) -> Result<JobId, CronError> {
    id.or(job_id).ok_or_else(|| CronError::invalid("at root: must have required property 'id'"))
}
