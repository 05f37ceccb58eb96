//! After a start: runs that were under way are gone on with, what was missed is due once, nothing is twice.

use homard_protocol::methods::cron::{CronMissedRuns, CronSchedule};
use homard_runtime::{OrLog, Timestamp};
use homard_store::{CronJobRow, StoreError};
use jiff::tz::TimeZone;

use crate::automation::Automation;
use crate::job::Job;
use crate::schedule::Plan;
use crate::settle::backoff_ms;

/// Most runs that are made up for after a start, beside the one that is due: a job of every minute and a week of holidays
/// would be ten thousand.
pub(crate) const MAX_MADE_UP: u32 = 24;

/// How far a clock is set back before what was planned by it is planned anew, in milliseconds.
pub(crate) const CLOCK_TOLERANCE_MS: i64 = 3 * 60 * 60 * 1_000;

/// How far a clock is set back before anybody looks whether something was planned by it that is too far ahead now.
pub(crate) const CLOCK_STEP_MS: i64 = 60 * 1_000;

impl Automation {
    /// Brings the tables in order. The relay has recovered before: a turn that was cut off is over by now, one that
    /// waited is in its lane.
    pub(crate) async fn recover(&self) -> Result<(), StoreError> {
        self.import().await;
        let open = self.inner.store.cron().open_runs().await?;
        let freed = self.inner.store.cron().free_stuck().await?;
        if freed > 0 {
            tracing::warn!(freed, "jobs that seemed to run did not");
        }
        let now = self.inner.clock.now_ms();
        let usual = if self.config().cron.skip_missed { CronMissedRuns::Skip } else { CronMissedRuns::Once };
        plan_anew(self, move |job, zone| catch_up(job, now, usual, zone) || put_right(job, now, zone))
            .await?;
        // What follows from their ends builds on what was found above.
        for run in open {
            tracing::info!(job = %run.job_id, run = %run.run_id, "going on with a job's run after a restart");
            self.drive(run);
        }
        Ok(())
    }

    /// The clock was set back: jobs whose next time was found by one that ran ahead would wait until that moment comes
    /// again.
    pub(crate) async fn put_right(&self, now: Timestamp) -> Result<(), StoreError> {
        plan_anew(self, move |job, zone| put_right(job, now, zone)).await
    }
}

/// Changes those of all jobs that `plan` changes. It is asked once more when the row is at hand.
async fn plan_anew(
    room: &Automation,
    plan: impl Fn(&mut Job, &TimeZone) -> bool + Copy + Send + 'static,
) -> Result<(), StoreError> {
    let (store, zone) = (&room.inner.store, room.zone());
    for row in store.cron().list().await? {
        let Some(mut job) = Job::read(row).or_log("a job is not readable") else { continue };
        if !plan(&mut job, &zone) {
            continue;
        }
        let (id, zone) = (job.row.id.clone(), zone.clone());
        let change = Box::new(move |row: &mut CronJobRow| {
            let Ok(mut job) = Job::read(row.clone()) else { return false };
            let changed = plan(&mut job, &zone);
            *row = job.to_row();
            changed
        });
        store.cron().change(&id, change).await?;
    }
    Ok(())
}

/// Changes a job as a start of the gateway asks for, and says whether it did: what was due while the gateway was down is
/// due now, once, unless its owner wants it otherwise.
fn catch_up(job: &mut Job, now: Timestamp, usual: CronMissedRuns, zone: &TimeZone) -> bool {
    if !job.enabled() {
        return false;
    }
    let wanted = job.spec.missed_runs.unwrap_or(usual);
    if let Some(began) = job.state.running_at_ms.filter(|_| job.row.running.is_some()) {
        return catch_up_after_its_run(job, began, now, wanted, zone);
    }
    // A row that somebody else wrote, or that was left alone before, may say something else than what it was planned for.
    let is_put_aside = job.row.next_run_at != job.state.next_run_at_ms;
    let Some(due) = job.state.next_run_at_ms else {
        arm_or_switch_off(job, now, zone);
        return true;
    };
    match wanted {
        _ if due > now => is_put_aside,
        CronMissedRuns::Once => is_put_aside,
        CronMissedRuns::All => {
            let missed = missed_after_the_first(job, now, zone).unwrap_or(0);
            make_up_for(job, missed);
            true
        }
        CronMissedRuns::Skip => {
            job.state.runs_to_make_up = None;
            arm_or_switch_off(job, now, zone);
            if job.enabled() && job.state.next_run_at_ms.is_some_and(|due| due <= now) {
                // Due once, and that is over.
                job.spec.enabled = Some(false);
                job.state.next_run_at_ms = None;
                job.state.last_error = Some("its time passed while the gateway was down".to_owned());
            }
            true
        }
    }
}

/// The same for a job whose run a crash cut off, or kept from beginning: the times after the one it was for passed, too.
fn catch_up_after_its_run(
    job: &mut Job,
    began: Timestamp,
    now: Timestamp,
    wanted: CronMissedRuns,
    zone: &TimeZone,
) -> bool {
    let Some(due) = job.state.next_run_at_ms.filter(|_| wanted != CronMissedRuns::Skip) else { return false };
    let Some(plan) = job.plan(zone).ok().filter(|plan| !plan.is_once()) else { return false };
    // Somebody tried it out before its time; that has passed now.
    let first = if due > began { Some(due) } else { plan.next_after(began).ok() };
    let missed = slots_until(&plan, first, now);
    if missed == 0 {
        return false;
    }
    // The run that is gone on with stands for the time that is due; those after it are made up for. Another start while
    // it is still open counts from here on.
    job.state.next_run_at_ms = Some(due.min(began));
    job.state.running_at_ms = Some(now);
    match wanted {
        CronMissedRuns::All => make_up_for(job, missed),
        _ => make_up_for(job, u32::from(job.state.runs_to_make_up.is_none())),
    }
    true
}

/// As many runs more are made up for, up to the limit.
fn make_up_for(job: &mut Job, more: u32) {
    let all = job.state.runs_to_make_up.unwrap_or(0).saturating_add(more).min(MAX_MADE_UP);
    job.state.runs_to_make_up = Some(all).filter(|all| *all > 0);
}

fn arm_or_switch_off(job: &mut Job, now: Timestamp, zone: &TimeZone) {
    job.row.updated_at = now;
    if let Err(error) = job.arm(now, zone) {
        job.spec.enabled = Some(false);
        job.state.last_error = Some(error.to_string());
    }
}

/// Plans a job anew that runs ahead, and says whether it did.
fn put_right(job: &mut Job, now: Timestamp, zone: &TimeZone) -> bool {
    if !runs_ahead(job, now, zone) || job.arm(now, zone).is_err() {
        return false;
    }
    job.row.updated_at = now;
    tracing::warn!(job = %job.row.id, "a job is planned anew: the clock was set back");
    true
}

/// Whether a job was planned by a clock that has been set back since, and is due later than its schedule says by this
/// one. After failures a job waits longer. One that keeps a distance is planned anew whenever it would wait for longer
/// than that; one of the calendar only after a leap that large that the clock had been wrong, so that no time of it is
/// there twice.
fn runs_ahead(job: &Job, now: Timestamp, zone: &TimeZone) -> bool {
    let is_distance = matches!(job.spec.schedule, CronSchedule::Every { .. });
    let tolerance = if is_distance { CLOCK_STEP_MS } else { CLOCK_TOLERANCE_MS };
    // Looking into the calendar for each of ten thousand jobs takes long; whatever was planned by now was planned well.
    if job.row.updated_at <= now.saturating_add(tolerance) {
        return false;
    }
    let due = job.state.next_run_at_ms.filter(|_| job.enabled() && job.row.running.is_none());
    let plan = job.plan(zone).ok().filter(|plan| !plan.is_once());
    let (Some(due), Some(plan)) = (due, plan) else { return false };
    let waits = if is_distance { backoff_ms(job.state.consecutive_errors.unwrap_or(0)) } else { 0 };
    plan.next_after(now).is_ok_and(|natural| due > natural.saturating_add(tolerance).saturating_add(waits))
}

/// How many times of a job have passed beside the first, up to the limit.
fn missed_after_the_first(job: &Job, now: Timestamp, zone: &TimeZone) -> Option<u32> {
    let plan = job.plan(zone).ok().filter(|plan| !plan.is_once())?;
    let first = plan.next_after(job.state.next_run_at_ms?).ok();
    Some(slots_until(&plan, first, now)).filter(|missed| *missed > 0)
}

/// How many times there are from `first` up to `now`, up to the limit.
fn slots_until(plan: &Plan, first: Option<Timestamp>, now: Timestamp) -> u32 {
    let next = |slot: &Timestamp| plan.next_after(*slot).ok();
    let slots = std::iter::successors(first, next).take_while(|slot| *slot <= now);
    let most = usize::try_from(MAX_MADE_UP).unwrap_or(usize::MAX);
    u32::try_from(slots.take(most).count()).unwrap_or(MAX_MADE_UP)
}

#[cfg(test)]
mod tests;
