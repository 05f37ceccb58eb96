//! What follows from the end of a run: how the job has fared, when it is due next, whom to tell.

use std::time::Duration;

use homard_config::config::cron::FailureAlert;
use homard_protocol::methods::cron::{
    CronAutoDisabled, CronDeliveryStatus, CronDisabledFor, CronFailureAlert, CronRunStatus, CronSchedule,
};
use homard_runtime::{Timestamp, millis_i64};
use jiff::tz::TimeZone;

use crate::job::Job;
use crate::recover::{CLOCK_STEP_MS, CLOCK_TOLERANCE_MS};

/// How long a job waits after it failed once, twice and so on; the last for all further times.
const BACKOFF: [Duration; 5] = [
    Duration::from_secs(30),
    Duration::from_secs(60),
    Duration::from_secs(5 * 60),
    Duration::from_secs(15 * 60),
    Duration::from_secs(60 * 60),
];
/// Least time between the beginnings of two runs of one job.
pub(crate) const MIN_REFIRE_MS: i64 = 2_000;
/// Failures in a row after which a job is switched off.
pub(crate) const MAX_CONSECUTIVE_ERRORS: u32 = 10;
/// The same for schedules whose next time cannot be found.
const MAX_SCHEDULE_ERRORS: u32 = 3;
/// When such a schedule is tried again.
const SCHEDULE_RETRY_MS: i64 = 60_000;

/// What is known about a run that is over.
#[derive(Debug, Clone)]
pub(crate) struct End {
    pub(crate) started_at: Timestamp,
    pub(crate) ended_at: Timestamp,
    pub(crate) status: CronRunStatus,
    pub(crate) error: Option<String>,
    pub(crate) delivery: CronDeliveryStatus,
    pub(crate) delivery_error: Option<String>,
}

/// What else follows.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct AfterRun {
    /// The job is done with.
    pub(crate) forget: bool,
    /// Somebody is told that it keeps failing.
    pub(crate) alert: Option<Alert>,
}

/// That a job keeps failing, and where its rule wants that told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Alert {
    pub(crate) text: String,
    pub(crate) place: AlertPlace,
}

/// See [`Alert`]; what is left out is where the main conversation was last spoken to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct AlertPlace {
    pub(crate) channel: Option<String>,
    pub(crate) to: Option<String>,
    pub(crate) account: Option<String>,
}

/// Changes a job as the end of a run asks for.
pub(crate) fn settle(job: &mut Job, end: &End, alert: Option<FailureAlert>, zone: &TimeZone) -> AfterRun {
    let state = &mut job.state;
    state.running_at_ms = None;
    state.last_run_at_ms = Some(end.started_at);
    state.last_run_status = Some(end.status);
    state.last_status = Some(end.status);
    state.last_error.clone_from(&end.error);
    state.last_duration_ms = Some(end.ended_at.saturating_sub(end.started_at));
    state.last_delivery_status = Some(end.delivery);
    state.last_delivered = match end.delivery {
        CronDeliveryStatus::Delivered => Some(true),
        CronDeliveryStatus::NotDelivered => Some(false),
        CronDeliveryStatus::Unknown | CronDeliveryStatus::NotRequested => None,
    };
    state.last_delivery_error.clone_from(&end.delivery_error);
    let errors = match end.status {
        CronRunStatus::Error => state.consecutive_errors.unwrap_or(0).saturating_add(1),
        CronRunStatus::Ok | CronRunStatus::Skipped => 0,
    };
    state.consecutive_errors = Some(errors);
    job.row.updated_at = end.ended_at;
    let was_on = job.enabled();
    if matches!(job.spec.schedule, CronSchedule::At { .. }) {
        return once(job, end, alert);
    }
    if errors >= MAX_CONSECUTIVE_ERRORS && was_on {
        switch_off(job, CronDisabledFor::ConsecutiveFailures, end.ended_at, errors);
    } else {
        rearm(job, end, errors, zone);
    }
    let is_over = was_on && !job.enabled();
    AfterRun { forget: false, alert: due_alert(job, end, alert, is_over) }
}

/// A job that is due once is done, however it went; one that went well is forgotten unless it is to be kept.
fn once(job: &mut Job, end: &End, alert: Option<FailureAlert>) -> AfterRun {
    if job.enabled() && job.state.next_run_at_ms.is_some_and(|due| due > end.started_at) {
        // Somebody tried it out; its moment is still to come.
        return AfterRun { forget: false, alert: due_alert(job, end, alert, false) };
    }
    let is_over = job.enabled() && end.status == CronRunStatus::Error;
    job.spec.enabled = Some(false);
    job.state.next_run_at_ms = None;
    let forget = end.status == CronRunStatus::Ok && job.spec.delete_after_run.unwrap_or(true);
    AfterRun { forget, alert: due_alert(job, end, alert, is_over) }
}

/// Finds out when the job is due next.
fn rearm(job: &mut Job, end: &End, errors: u32, zone: &TimeZone) {
    if !job.enabled() {
        job.state.next_run_at_ms = None;
        return;
    }
    // The clock may have been set back meanwhile: by little, and no time of the calendar is there twice; by much, and it
    // had been wrong. A distance is kept in any case.
    let tolerance = match job.spec.schedule {
        CronSchedule::Every { .. } => CLOCK_STEP_MS,
        _ => CLOCK_TOLERANCE_MS,
    };
    let was_wrong = end.started_at.saturating_sub(end.ended_at) > tolerance;
    let (from, began) = if was_wrong {
        (end.ended_at, end.ended_at)
    } else {
        (end.ended_at.max(end.started_at), end.started_at)
    };
    match job.plan(zone).and_then(|plan| plan.next_after(from)) {
        Ok(natural) => {
            let earliest = began.saturating_add(MIN_REFIRE_MS);
            let natural = if takes_one_to_make_up(job, end) { earliest } else { natural };
            job.state.next_run_at_ms = Some(natural.max(earliest).max(end.ended_at + backoff_ms(errors)));
            job.state.schedule_error_count = None;
        }
        Err(error) => {
            let count = job.state.schedule_error_count.unwrap_or(0).saturating_add(1);
            job.state.schedule_error_count = Some(count);
            job.state.last_error = Some(error.to_string());
            job.state.next_run_at_ms = Some(end.ended_at.saturating_add(SCHEDULE_RETRY_MS));
            if count >= MAX_SCHEDULE_ERRORS {
                switch_off(job, CronDisabledFor::ScheduleErrors, end.ended_at, count);
            }
        }
    }
}

/// Whether the next run makes up for a time that passed while the gateway was down. What somebody tried out before its
/// time made up for none.
fn takes_one_to_make_up(job: &mut Job, end: &End) -> bool {
    let was_due = job.state.next_run_at_ms.is_some_and(|due| due <= end.started_at);
    let left = job.state.runs_to_make_up.filter(|left| *left > 0 && was_due);
    if let Some(left) = left {
        job.state.runs_to_make_up = Some(left - 1).filter(|left| *left > 0);
    }
    left.is_some()
}

/// How long a job waits that failed so often in a row.
pub(crate) fn backoff_ms(errors: u32) -> i64 {
    let Some(nth) = errors.checked_sub(1) else { return 0 };
    let nth = usize::try_from(nth).unwrap_or(usize::MAX).min(BACKOFF.len() - 1);
    BACKOFF.get(nth).map_or(0, |wait| millis_i64(*wait))
}

fn switch_off(job: &mut Job, reason: CronDisabledFor, at_ms: Timestamp, consecutive_errors: u32) {
    tracing::warn!(job = %job.row.id, name = %job.spec.name, ?reason, "a job keeps failing and is switched off");
    job.spec.enabled = Some(false);
    job.state.next_run_at_ms = None;
    job.state.auto_disabled = Some(CronAutoDisabled { reason, at_ms, consecutive_errors });
}

/// The words in which somebody is told that a job keeps failing, if it is time for them. That it failed and does not run
/// again by itself (`is_over`) is told in any case: nobody would miss what they do not expect any more.
fn due_alert(job: &mut Job, end: &End, usual: Option<FailureAlert>, is_over: bool) -> Option<Alert> {
    let (rule, place) = rule_of(job, usual)?;
    let errors = job.state.consecutive_errors.unwrap_or(0);
    let told = job.state.last_failure_alert_at_ms;
    let is_time = rule.is_some_and(|rule| {
        let quiet = millis_i64(rule.cooldown);
        let too_soon = told.is_some_and(|told| end.ended_at < told.saturating_add(quiet));
        end.status == CronRunStatus::Error && errors >= rule.after && !too_soon
    });
    if !is_time && !is_over {
        return None;
    }
    job.state.last_failure_alert_at_ms = Some(end.ended_at);
    let (name, id) = (&job.spec.name, &job.row.id);
    let why = job.state.last_error.as_deref().unwrap_or("no reason is known");
    let text = match (&job.spec.schedule, is_over) {
        (CronSchedule::At { .. }, true) => format!(
            "The scheduled job \"{name}\" ({id}) failed and is not run again by itself: {why}\n`homard cron run {id}` tries it once more."
        ),
        (_, true) => format!(
            "The scheduled job \"{name}\" ({id}) was switched off{}: {why}\n`homard cron enable {id}` begins anew.",
            after_what(job)
        ),
        _ => format!("The scheduled job \"{name}\" ({id}) has failed {errors} times in a row: {why}"),
    };
    Some(Alert { text, place })
}

/// When the owner wants to hear of a job's failures beside its end, and where; `None` where they never do.
fn rule_of(job: &Job, usual: Option<FailureAlert>) -> Option<(Option<FailureAlert>, AlertPlace)> {
    match &job.spec.failure_alert {
        Some(CronFailureAlert::Never(_)) => None,
        Some(CronFailureAlert::When(own)) => {
            let (channel, to, account) = (own.channel.clone(), own.to.clone(), own.account_id.clone());
            let fallback = usual.unwrap_or_default();
            let rule = FailureAlert {
                after: own.after.unwrap_or(fallback.after),
                cooldown: own.cooldown_ms.map_or(fallback.cooldown, Duration::from_millis),
            };
            Some((Some(rule), AlertPlace { channel, to, account }))
        }
        None => Some((usual, AlertPlace::default())),
    }
}

/// What a job was switched off for, in words.
fn after_what(job: &Job) -> String {
    match &job.state.auto_disabled {
        Some(CronAutoDisabled { reason: CronDisabledFor::ScheduleErrors, consecutive_errors, .. }) => {
            format!(": {consecutive_errors} times in a row its next time was not found")
        }
        Some(CronAutoDisabled { consecutive_errors, .. }) => {
            format!(" after {consecutive_errors} failures in a row")
        }
        None => String::new(),
    }
}

#[cfg(test)]
mod tests;
