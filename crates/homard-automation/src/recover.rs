//! After a start: runs that were under way are gone on with, what was missed is due once, nothing is twice.

use homard_runtime::{OrLog, Timestamp};
use homard_store::{CronJobRow, StoreError};

use crate::automation::Automation;
use crate::job::Job;

impl Automation {
    /// Brings the tables in order. The relay has recovered before: a turn that was cut off is over by now, one that
    /// waited is in its lane.
    pub(crate) async fn recover(&self) -> Result<(), StoreError> {
        self.import().await;
        for run in self.inner.store.cron().open_runs().await? {
            tracing::info!(job = %run.job_id, run = %run.run_id, "going on with a job's run after a restart");
            self.drive(run);
        }
        let freed = self.inner.store.cron().free_stuck().await?;
        if freed > 0 {
            tracing::warn!(freed, "jobs that seemed to run did not");
        }
        let now = self.inner.clock.now_ms();
        for row in self.inner.store.cron().list().await? {
            if let Some(job) = Job::read(row).or_log("a job is not readable") {
                self.catch_up(&job, now).await?;
            }
        }
        Ok(())
    }

    /// What was due while the gateway was down is due now, once, unless the owner does not want it.
    async fn catch_up(&self, job: &Job, now: Timestamp) -> Result<(), StoreError> {
        let missed = job.state.next_run_at_ms.is_some_and(|due| due <= now);
        let unarmed = job.state.next_run_at_ms.is_none();
        let skips = self.config().cron.skip_missed && missed;
        if !job.enabled() || job.row.running.is_some() || !(unarmed || skips) {
            return Ok(());
        }
        let zone = self.zone();
        let change = Box::new(move |row: &mut CronJobRow| {
            let Ok(mut job) = Job::read(row.clone()) else { return false };
            let armed = job.arm(now, &zone);
            if job.state.next_run_at_ms.is_some_and(|due| due <= now) && skips {
                // Due once, and that is over.
                job.spec.enabled = Some(false);
                job.state.next_run_at_ms = None;
                job.state.last_error = Some("its time passed while the gateway was down".to_owned());
            }
            if let Err(error) = armed {
                job.spec.enabled = Some(false);
                job.state.last_error = Some(error.to_string());
            }
            *row = job.to_row();
            true
        });
        self.inner.store.cron().change(&job.row.id, change).await.map(drop)
    }
}
