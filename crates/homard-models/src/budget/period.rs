//! Days and months of the owner: which one it is, when it began and when the next one begins.

use homard_runtime::Timestamp;
use jiff::tz::TimeZone;
use jiff::{Timestamp as Moment, ToSpan, Zoned};

/// How long a limit counts before it begins anew.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Span {
    /// From midnight to midnight in the owner's time zone.
    Day,
    /// From the first to the last of a month.
    Month,
    Total,
}

impl Span {
    /// All of them, shortest first.
    pub const ALL: [Self; 3] = [Self::Day, Self::Month, Self::Total];

    /// The word configuration uses.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Day => "day",
            Self::Month => "month",
            Self::Total => "total",
        }
    }
}

/// The day and the month it is, as numbers that follow each other.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Periods {
    pub(super) day: i64,
    pub(super) month: i64,
}

impl Periods {
    /// The periods of a moment.
    pub(super) fn at(now: Timestamp, zone: &TimeZone) -> Self {
        let date = zoned(now, zone).date();
        let epoch = jiff::civil::Date::constant(1970, 1, 1);
        let day = date.duration_since(epoch).as_hours() / 24;
        Self { day, month: i64::from(date.year()) * 12 + i64::from(date.month()) }
    }

    /// The number of the current one.
    pub(super) fn key(self, span: Span) -> i64 {
        match span {
            Span::Day => self.day,
            Span::Month => self.month,
            Span::Total => 0,
        }
    }

    /// Whether a period is so far gone that nothing will be asked about it. The one just past is kept: clocks
    /// are put back sometimes, and its calls may still be under way.
    pub(super) fn forgets(self, span: Span, key: i64) -> bool {
        span != Span::Total && key < self.key(span) - 1
    }
}

/// When the period of a moment began, in milliseconds since 1970.
pub(super) fn began(span: Span, now: Timestamp, zone: &TimeZone) -> Timestamp {
    let here = zoned(now, zone);
    let start = match span {
        Span::Day => here.start_of_day(),
        Span::Month => here.first_of_month().and_then(|first| first.start_of_day()),
        Span::Total => return 0,
    };
    start.map_or(now, |start| start.timestamp().as_millisecond())
}

/// When the next period begins, in milliseconds since 1970; `None` for those that never end.
pub(super) fn resets(span: Span, now: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
    let here = zoned(now, zone);
    let next = match span {
        Span::Day => here.checked_add(1.day()),
        Span::Month => here.first_of_month().and_then(|first| first.checked_add(1.month())),
        Span::Total => return None,
    };
    let start = next.and_then(|next| next.start_of_day()).ok()?;
    Some(start.timestamp().as_millisecond())
}

/// A moment as a person in `zone` writes it, to the minute.
pub(super) fn show(at: Timestamp, zone: &TimeZone) -> String {
    zoned(at, zone).strftime("%Y-%m-%d %H:%M").to_string()
}

fn zoned(at: Timestamp, zone: &TimeZone) -> Zoned {
    Moment::from_millisecond(at).unwrap_or(Moment::UNIX_EPOCH).to_zoned(zone.clone())
}

#[cfg(test)]
mod tests;
