//! When a job is due: reading schedules, and finding the next moment after a given one. Nothing here asks for the
//! time. `words` says schedules as people do.

mod words;

use croner::Cron;
use croner::parser::{CronParser, Seconds, Year};
use homard_protocol::methods::cron::CronSchedule;
use homard_runtime::Timestamp;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp as Moment, Zoned, civil};

pub use words::{duration_words, read_duration, schedule_words};

/// How far jobs at the top of an hour are spread unless they say otherwise.
pub const DEFAULT_STAGGER_MS: u64 = 5 * 60 * 1_000;
/// How far back a moment may lie when it is asked for: clocks and typing are slow.
pub const MAX_PAST_MS: i64 = 60 * 1_000;
/// How far ahead.
pub const MAX_AHEAD_MS: i64 = 10 * 366 * 24 * 60 * 60 * 1_000;
/// Least distance of a job that runs again and again.
pub const MIN_EVERY_MS: u64 = 1_000;

/// What is wrong with a schedule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ScheduleError {
    #[error("`{0}` is not a time; write it like 2027-01-31T09:00:00Z or 2027-01-31T09:00:00+01:00")]
    BadMoment(String),
    #[error("`{0}` is in the past; choose a time to come")]
    Past(String),
    /// Nobody plans that far.
    #[error("`{0}` is more than ten years ahead; choose a nearer time")]
    TooFar(String),
    /// Too often, or never.
    #[error("everyMs must be at least {MIN_EVERY_MS}")]
    BadDistance,
    #[error("`{expr}` is not a cron expression ({reason}); write five fields such as `0 9 * * 1-5`")]
    BadExpression {
        expr: String,
        /// What is wrong with it.
        reason: String,
    },
    #[error("`{0}` is not a time zone; write a name such as Europe/Paris")]
    BadZone(String),
    /// It is never due.
    #[error("`{0}` is never due; check day and month")]
    Never(String),
    /// Another kind of schedule.
    #[error("schedules of kind `{0}` are known, not yet in effect; use at, every or cron")]
    Unsupported(&'static str),
}

/// A schedule that was read, ready to be asked.
#[derive(Debug, Clone)]
pub struct Plan {
    kind: Kind,
}

#[derive(Debug, Clone)]
enum Kind {
    At(Timestamp),
    Every { every: i64, anchor: Timestamp },
    Cron { cron: Box<Cron>, zone: TimeZone, offset: i64, expr: String },
}

impl Plan {
    /// Reads a schedule. `job` decides how far it is moved, `made` is its anchor when it has none, `zone` is where
    /// it lives when it does not say.
    ///
    /// # Errors
    /// When it cannot be understood, or is of a kind that is not run.
    pub fn read(
        schedule: &CronSchedule,
        job: &str,
        made: Timestamp,
        zone: &TimeZone,
    ) -> Result<Self, ScheduleError> {
        let kind = match schedule {
            CronSchedule::At { at } => Kind::At(read_moment(at)?),
            CronSchedule::Every { every_ms, anchor_ms } => {
                let every = i64::try_from(*every_ms).ok().filter(|_| *every_ms >= MIN_EVERY_MS);
                Kind::Every {
                    every: every.ok_or(ScheduleError::BadDistance)?,
                    anchor: anchor_ms.unwrap_or(made),
                }
            }
            CronSchedule::Cron { expr, tz, stagger_ms } => {
                let zone = match tz.as_deref().map(str::trim).filter(|tz| !tz.is_empty()) {
                    Some(tz) => {
                        TimeZone::get(tz).map_err(|_unknown| ScheduleError::BadZone(tz.to_owned()))?
                    }
                    None => zone.clone(),
                };
                let spread = stagger_ms.unwrap_or_else(|| usual_stagger(expr));
                let cron = Box::new(read_expression(expr)?);
                Kind::Cron { cron, zone, offset: offset_of(job, spread), expr: expr.clone() }
            }
            CronSchedule::OnExit { .. } => return Err(ScheduleError::Unsupported("on-exit")),
            CronSchedule::Stream { .. } => return Err(ScheduleError::Unsupported("stream")),
        };
        Ok(Self { kind })
    }

    /// Whether it is due only once.
    #[must_use]
    pub fn is_once(&self) -> bool {
        matches!(self.kind, Kind::At(_))
    }

    /// The first moment after `after` at which it is due; for a job that is due once, its moment whenever that is.
    ///
    /// # Errors
    /// When there is no such moment.
    pub fn next_after(&self, after: Timestamp) -> Result<Timestamp, ScheduleError> {
        match &self.kind {
            Kind::At(at) => Ok(*at),
            Kind::Every { every, anchor } => Ok(next_step(*every, *anchor, after)),
            Kind::Cron { cron, zone, offset, expr } => {
                let never = || ScheduleError::Never(expr.clone());
                let from = Moment::from_millisecond(after.saturating_sub(*offset)).map_err(|_far| never())?;
                let from = Zoned::new(from, zone.clone());
                let mut found = cron.find_next_occurrence(&from, false).map_err(|_none| never())?;
                // A library that answered with the moment itself would have a job run for ever.
                while found.timestamp() <= from.timestamp() || !is_meant(cron, &found) {
                    found = cron.find_next_occurrence(&found, false).map_err(|_none| never())?;
                }
                Ok(found.timestamp().as_millisecond().saturating_add(*offset))
            }
        }
    }
}

/// Whether a moment is one of the expression: by its wall time, or because the clocks leapt over one to come to it. The
/// library answers with the end of such a gap for whatever is next due on a later day, too.
fn is_meant(cron: &Cron, at: &Zoned) -> bool {
    if cron.is_time_matching(at).unwrap_or(true) {
        return true;
    }
    let (moment, zone) = (at.timestamp(), at.time_zone());
    let Ok(before) = moment.checked_sub(SignedDuration::from_nanos(1)) else { return true };
    let as_if_utc = |wall: civil::DateTime| wall.to_zoned(TimeZone::UTC).ok();
    let (Some(gap), Some(end)) =
        (as_if_utc(zone.to_offset(before).to_datetime(moment)), as_if_utc(at.datetime()))
    else {
        return true;
    };
    cron.find_next_occurrence(&gap, true).is_ok_and(|leapt_over| leapt_over < end)
}

/// Checks a schedule that somebody asks for now.
///
/// # Errors
/// What [`Plan::read`] says, or that it is over, too far ahead or never due.
pub fn check(schedule: &CronSchedule, now: Timestamp, zone: &TimeZone) -> Result<(), ScheduleError> {
    let plan = Plan::read(schedule, "", now, zone)?;
    if let (CronSchedule::At { at }, Kind::At(moment)) = (schedule, &plan.kind) {
        if *moment < now.saturating_sub(MAX_PAST_MS) {
            return Err(ScheduleError::Past(at.clone()));
        }
        if *moment > now.saturating_add(MAX_AHEAD_MS) {
            return Err(ScheduleError::TooFar(at.clone()));
        }
    }
    plan.next_after(now).map(drop)
}

/// The first step after `after` of a walk that passes `anchor`.
fn next_step(every: i64, anchor: Timestamp, after: Timestamp) -> Timestamp {
    let steps = after.saturating_sub(anchor).div_euclid(every).saturating_add(1);
    // Nobody is told to wait for a walk that only begins later to have begun before.
    anchor.saturating_add(steps.max(0).saturating_mul(every))
}

/// Reads a moment; without a zone it is UTC.
fn read_moment(text: &str) -> Result<Timestamp, ScheduleError> {
    let text = text.trim();
    let bad = || ScheduleError::BadMoment(text.to_owned());
    if let Ok(moment) = text.parse::<Moment>() {
        return Ok(moment.as_millisecond());
    }
    let local: civil::DateTime = text.parse().map_err(|_unreadable| bad())?;
    let moment = local.to_zoned(TimeZone::UTC).map_err(|_far| bad())?;
    Ok(moment.timestamp().as_millisecond())
}

fn read_expression(expr: &str) -> Result<Cron, ScheduleError> {
    let parser = CronParser::builder().seconds(Seconds::Optional).year(Year::Disallowed).build();
    parser
        .parse(expr.trim())
        .map_err(|error| ScheduleError::BadExpression { expr: expr.to_owned(), reason: error.to_string() })
}

/// How far an expression is spread that does not say: those at the top of hours are what everybody writes.
pub(crate) fn usual_stagger(expr: &str) -> u64 {
    let fields: Vec<&str> = expr.split_whitespace().collect();
    let at_the_top = match fields.as_slice() {
        [minute, hour, _, _, _] => *minute == "0" && hour.contains('*'),
        [second, minute, hour, _, _, _] => *second == "0" && *minute == "0" && hour.contains('*'),
        ["@hourly"] => true,
        _ => false,
    };
    if at_the_top { DEFAULT_STAGGER_MS } else { 0 }
}

/// How far a job is moved: always the same, and different for different jobs.
pub(crate) fn offset_of(job: &str, spread: u64) -> i64 {
    if spread == 0 {
        return 0;
    }
    // FNV-1a: the same in every version of this program.
    let hash = job.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    i64::try_from(hash % spread).unwrap_or(0)
}

#[cfg(test)]
mod tests;
