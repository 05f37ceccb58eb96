//! Which days a report is about, and when each of them begins. Pure: the time and the zone are given.

use homard_protocol::methods::usage::{DEFAULT_DAYS, MAX_DAYS, UsageRange, UsageSpan, UsageZone};
use homard_protocol::word::Word;
use jiff::civil::Date;
use jiff::tz::{Offset, TimeZone};
use jiff::{Span, Timestamp};

/// The farthest a zone is from UTC, in hours.
const MAX_OFFSET_HOURS: i32 = 14;

/// Days in a row.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Calendar {
    pub(super) dates: Vec<String>,
    /// When each begins, and last when the final one ends.
    pub(super) starts: Vec<i64>,
}

/// What a calendar is reckoned from.
pub(super) struct Today {
    pub(super) now: i64,
    /// The first call on record, for reports over everything.
    pub(super) first: Option<i64>,
    /// The gateway's own zone.
    pub(super) zone: TimeZone,
}

/// Reads the days a client asks for; the error is for the client's author.
pub(super) fn resolve(span: &UsageSpan, today: &Today) -> Result<Calendar, String> {
    let zone = zone(span, &today.zone)?;
    let day_of = |ms| Timestamp::from_millisecond(ms).map(|time| time.to_zoned(zone.clone()).date());
    let now = day_of(today.now).map_err(|_impossible| "the clock is out of range".to_owned())?;
    let date = |name: &str, text: &Option<String>| text.as_deref().map(|text| date(name, text)).transpose();
    let (start, end) = (date("startDate", &span.start_date)?, date("endDate", &span.end_date)?);
    let last = end.unwrap_or(now);
    let first = match (start, &span.range) {
        (Some(start), _) => start,
        (None, Some(Word::Known(UsageRange::All))) => {
            today.first.and_then(|ms| day_of(ms).ok()).unwrap_or(last).min(last)
        }
        (None, range) => back(last, wanted_days(span.days, range.as_ref())?)?,
    };
    if first > last {
        return Err("at /endDate: must not be before startDate".to_owned());
    }
    // Pages ask for everything from 1970 on; the answer says from which day on it speaks.
    days(first.max(back(last, MAX_DAYS)?), last, &zone)
}

fn wanted_days(days: Option<u32>, range: Option<&Word<UsageRange>>) -> Result<u32, String> {
    let days = match range {
        Some(Word::Known(UsageRange::Week)) => 7,
        Some(Word::Known(UsageRange::Month)) => 30,
        Some(Word::Known(UsageRange::Quarter)) => 90,
        Some(Word::Known(UsageRange::Year)) => 365,
        Some(Word::Known(UsageRange::All) | Word::Other(_)) => {
            return Err("at /range: must be one of 7d, 30d, 90d, 1y, all".to_owned());
        }
        None => days.unwrap_or(DEFAULT_DAYS),
    };
    match days {
        1..=MAX_DAYS => Ok(days),
        _ => Err(format!("at /days: must be between 1 and {MAX_DAYS}")),
    }
}

fn back(last: Date, days: u32) -> Result<Date, String> {
    let before = Span::new().days(i64::from(days).saturating_sub(1));
    last.checked_sub(before).map_err(|_too_far| "the range is too long".to_owned())
}

fn days(first: Date, last: Date, zone: &TimeZone) -> Result<Calendar, String> {
    let mut calendar = Calendar { dates: Vec::new(), starts: Vec::new() };
    let begins = |day: Date| day.to_zoned(zone.clone()).map(|zoned| zoned.timestamp().as_millisecond());
    let out_of_range = |_error| "the range leaves the calendar".to_owned();
    let mut day = first;
    while day <= last {
        calendar.dates.push(day.to_string());
        calendar.starts.push(begins(day).map_err(out_of_range)?);
        day = day.tomorrow().map_err(out_of_range)?;
    }
    calendar.starts.push(begins(day).map_err(out_of_range)?);
    Ok(calendar)
}

fn date(name: &str, text: &str) -> Result<Date, String> {
    let wrong = || format!("at /{name}: must be a date, YYYY-MM-DD");
    // The parser takes times and other spellings too; clients may not.
    match text.len() {
        10 => text.parse().map_err(|_unreadable| wrong()),
        _ => Err(wrong()),
    }
}

fn zone(span: &UsageSpan, own: &TimeZone) -> Result<TimeZone, String> {
    match span.mode {
        None | Some(Word::Known(UsageZone::Utc)) => Ok(TimeZone::UTC),
        Some(Word::Known(UsageZone::Gateway)) => Ok(own.clone()),
        Some(Word::Known(UsageZone::Specific)) => specific(span),
        Some(Word::Other(_)) => Err("at /mode: must be one of utc, gateway, specific".to_owned()),
    }
}

fn specific(span: &UsageSpan) -> Result<TimeZone, String> {
    if let Some(name) = &span.time_zone {
        return TimeZone::get(name).map_err(|_unknown| format!("at /timeZone: no such time zone: {name}"));
    }
    let Some(text) = &span.utc_offset else {
        return Err("at /mode: specific needs timeZone or utcOffset".to_owned());
    };
    let offset = minutes(text).and_then(|minutes| Offset::from_seconds(minutes * 60).ok());
    let wrong = || "at /utcOffset: must look like UTC+2 or UTC-5:30".to_owned();
    Ok(TimeZone::fixed(offset.ok_or_else(wrong)?))
}

/// Minutes east of UTC.
fn minutes(text: &str) -> Option<i32> {
    let rest = text.strip_prefix("UTC")?;
    let (sign, rest) = match rest.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, rest.strip_prefix('+')?),
    };
    let digits = |text: &str| {
        let plain = !text.is_empty() && text.len() <= 2 && text.bytes().all(|b| b.is_ascii_digit());
        plain.then(|| text.parse::<i32>().ok()).flatten()
    };
    let (hours, minutes) = match rest.split_once(':') {
        Some((hours, minutes)) if minutes.len() == 2 => (digits(hours)?, digits(minutes)?),
        Some(_) => return None,
        None => (digits(rest)?, 0),
    };
    (hours <= MAX_OFFSET_HOURS && minutes < 60).then_some(sign * (hours * 60 + minutes))
}

#[cfg(test)]
mod tests;
