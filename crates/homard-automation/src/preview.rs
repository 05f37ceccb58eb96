//! When a schedule would be due, for somebody who is still writing it.

use homard_protocol::JobId;
use homard_protocol::methods::cron::{
    CronPreviewParams, CronPreviewResult, CronSchedule, DEFAULT_PREVIEW_RUNS, MAX_PREVIEW_RUNS,
};
use homard_runtime::Timestamp;
use jiff::tz::TimeZone;

use crate::automation::{CronError, Jobs};
use crate::schedule::{self, Plan, ScheduleError, schedule_words};

impl Jobs<'_> {
    /// The next moments of a schedule, as a job that has it would have them.
    ///
    /// # Errors
    /// When the schedule would be refused, or the job is not there.
    pub async fn preview(self, params: CronPreviewParams) -> Result<CronPreviewResult, CronError> {
        let (zone, now) = (self.room.zone(), self.room.inner.clock.now_ms());
        let job = match params.job_id {
            Some(id) => Some(self.get(Some(id), None).await?),
            None => None,
        };
        let count = params.count.unwrap_or(DEFAULT_PREVIEW_RUNS).min(MAX_PREVIEW_RUNS);
        let job = job.map(|job| (job.id, job.created_at_ms));
        Ok(preview(&params.schedule, job.as_ref(), now, &zone, count)?)
    }
}

fn preview(
    wanted: &CronSchedule,
    job: Option<&(JobId, Timestamp)>,
    now: Timestamp,
    zone: &TimeZone,
    count: u32,
) -> Result<CronPreviewResult, ScheduleError> {
    schedule::check(wanted, now, zone)?;
    let mut exact = wanted.clone();
    let mut spread = 0;
    let mut tz = None;
    if let CronSchedule::Cron { expr, tz: named, stagger_ms } = &mut exact {
        tz = named.as_deref().map(str::trim).filter(|tz| !tz.is_empty()).map(str::to_owned);
        if job.is_none() {
            spread = stagger_ms.unwrap_or_else(|| schedule::usual_stagger(expr));
            *stagger_ms = Some(0);
        }
    }
    let (id, made) = job.map_or(("", now), |(id, made)| (id.as_str(), *made));
    let plan = Plan::read(&exact, id, made, zone)?;
    let mut runs: Vec<Timestamp> = Vec::new();
    let mut after = now;
    for _ in 0..count {
        match plan.next_after(after) {
            Ok(next) => runs.push(next),
            // The last of a calendar that ends is no mistake; one without a first was refused above.
            Err(_) if !runs.is_empty() => break,
            Err(error) => return Err(error),
        }
        if plan.is_once() {
            break;
        }
        after = runs.last().copied().unwrap_or(after);
    }
    Ok(CronPreviewResult {
        runs_at_ms: runs,
        tz: tz.unwrap_or_else(|| zone.iana_name().unwrap_or("UTC").to_owned()),
        spread_ms: spread,
        words: schedule_words(wanted),
    })
}

#[cfg(test)]
mod tests;
