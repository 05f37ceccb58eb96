//! After a start: runs that were under way are gone on with, what was missed is due once, nothing is twice.

use homard_protocol::methods::cron::CronMissedRuns;
use homard_runtime::{OrLog, Timestamp};
use homard_store::{CronJobRow, StoreError};
use jiff::tz::TimeZone;

use crate::automation::Automation;
use crate::job::Job;

/// Most runs that are made up for after a start, beside the one that is due: a job of every minute and a week of holidays
/// would be ten thousand.
pub(crate) const MAX_MADE_UP: u32 = 24;

/// How far a clock is set back before what was planned by it is planned anew, in milliseconds.
pub(crate) const CLOCK_SLACK_MS: i64 = 3 * 60 * 60 * 1_000;

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
        self.put_right(now).await
    }

    /// Plans jobs anew whose next time was found by a clock that ran ahead and was set back since: they would wait until
    /// that moment comes again.
    pub(crate) async fn put_right(&self, now: Timestamp) -> Result<(), StoreError> {
        let zone = self.zone();
        for row in self.inner.store.cron().list().await? {
            let id = row.id.clone();
            if !Job::read(row).is_ok_and(|job| runs_ahead(&job, now, &zone)) {
                continue;
            }
            let zone = zone.clone();
            let change = Box::new(move |row: &mut CronJobRow| {
                let Ok(mut job) = Job::read(row.clone()) else { return false };
                if !runs_ahead(&job, now, &zone) || job.arm(now, &zone).is_err() {
                    return false;
                }
                *row = job.to_row();
                true
            });
            tracing::warn!(job = %id, "a job is planned anew: the clock was set back");
            self.inner.store.cron().change(&id, change).await?;
        }
        Ok(())
    }

    /// What was due while the gateway was down is due now, once, unless its owner wants it otherwise.
    async fn catch_up(&self, job: &Job, now: Timestamp) -> Result<(), StoreError> {
        let missed = job.state.next_run_at_ms.is_some_and(|due| due <= now);
        let unarmed = job.state.next_run_at_ms.is_none();
        let usual = if self.config().cron.skip_missed { CronMissedRuns::Skip } else { CronMissedRuns::Once };
        let wanted = job.spec.missed_runs.unwrap_or(usual);
        let skips = missed && wanted == CronMissedRuns::Skip;
        let makes_up = missed && wanted == CronMissedRuns::All;
        if !job.enabled() || job.row.running.is_some() || !(unarmed || skips || makes_up) {
            return Ok(());
        }
        let zone = self.zone();
        let change = Box::new(move |row: &mut CronJobRow| {
            let Ok(mut job) = Job::read(row.clone()) else { return false };
            if makes_up {
                job.state.runs_to_make_up = missed_after_the_first(&job, now, &zone);
                *row = job.to_row();
                return true;
            }
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

/// Whether a job is due so much later than its schedule says that another clock must have planned it. After failures a
/// job is due up to an hour later; a clock that is set back by less than the slack brings nothing forward, so that
/// nothing is done twice.
fn runs_ahead(job: &Job, now: Timestamp, zone: &TimeZone) -> bool {
    let due = job.state.next_run_at_ms.filter(|_| job.enabled() && job.row.running.is_none());
    let plan = job.plan(zone).ok().filter(|plan| !plan.is_once());
    let (Some(due), Some(plan)) = (due, plan) else { return false };
    plan.next_after(now).is_ok_and(|natural| due > natural.saturating_add(CLOCK_SLACK_MS))
}

/// How many times of a job have passed beside the first, up to the limit.
fn missed_after_the_first(job: &Job, now: Timestamp, zone: &TimeZone) -> Option<u32> {
    let plan = job.plan(zone).ok().filter(|plan| !plan.is_once())?;
    let passed = |slot: &Timestamp| plan.next_after(*slot).ok().filter(|next| *next <= now);
    let most = usize::try_from(MAX_MADE_UP).unwrap_or(usize::MAX);
    let missed = std::iter::successors(passed(&job.state.next_run_at_ms?), passed).take(most).count();
    u32::try_from(missed).ok().filter(|missed| *missed > 0)
}

#[cfg(test)]
mod tests;
