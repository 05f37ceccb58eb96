//! Dates as people write them, in notes and in questions: written out, in numbers, or seen from a day ("last May", "two
//! weeks ago", "the week before 9 June"). A date becomes *marks*, terms like any other, so that ranking needs to know
//! nothing of calendars.

mod names;

use jiff::ToSpan as _;
use jiff::civil::{Date, Weekday};

use crate::words::{self, Span};
pub(crate) use names::make_table;
use names::{
    count_of, day_word, is_ago, is_back, is_forth, is_this, month_of, season_of, unit_of, weekday_of,
};

/// Years that a number of four digits may mean.
const YEARS: std::ops::RangeInclusive<i16> = 1900..=2099;
/// Longest span whose days are marked one by one.
const MAX_DAYS: usize = 31;
/// Most dates of one text that are looked at.
const MAX_MOMENTS: usize = 24;

/// A time somebody wrote down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Moment {
    Day(Date),
    /// First and last day.
    Days(Date, Date),
    Month(i16, i8),
    /// A month of no particular year.
    AnyMonth(i8),
    /// A day of no particular year: month and day.
    AnyDay(i8, i8),
    Year(i16),
}

/// A unit of the calendar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unit {
    Day,
    Weekend,
    Week,
    Month,
    Year,
}

/// Whether the text is a note, in which a number of four digits is rarely a year, or a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reading {
    Note,
    Question,
}

/// A moment and the bytes of the text that name it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Dated {
    pub(crate) moment: Moment,
    pub(crate) place: std::ops::Range<usize>,
}

impl Moment {
    /// The day it is, or begins on.
    pub(crate) fn day(self) -> Option<Date> {
        match self {
            Self::Day(day) | Self::Days(day, _) => Some(day),
            Self::Month(..) | Self::AnyMonth(_) | Self::AnyDay(..) | Self::Year(_) => None,
        }
    }

    /// The marks of a passage that names it: itself and whatever it lies in.
    pub(crate) fn marks(self) -> Vec<String> {
        match self {
            Self::Day(day) => vec![
                day_mark(day),
                month_mark(day.year(), day.month()),
                year_mark(day.year()),
                any_month_mark(day.month()),
                any_day_mark(day.month(), day.day()),
            ],
            Self::Days(first, last) => {
                let mut marks = span_marks(first, last);
                marks.extend([month_mark(last.year(), last.month()), year_mark(last.year())]);
                marks
            }
            Self::Month(year, month) => {
                vec![month_mark(year, month), year_mark(year), any_month_mark(month)]
            }
            Self::AnyMonth(month) => vec![any_month_mark(month)],
            Self::AnyDay(month, day) => vec![any_day_mark(month, day), any_month_mark(month)],
            Self::Year(year) => vec![year_mark(year)],
        }
    }

    /// The marks any of which a passage must have to be of this time.
    pub(crate) fn wanted(self) -> Vec<String> {
        match self {
            Self::Day(day) => vec![day_mark(day)],
            Self::Days(first, last) => span_marks(first, last),
            Self::Month(year, month) => vec![month_mark(year, month)],
            Self::AnyMonth(month) => vec![any_month_mark(month)],
            Self::AnyDay(month, day) => vec![any_day_mark(month, day)],
            Self::Year(year) => vec![year_mark(year)],
        }
    }
}

// A sign no text has keeps marks apart from words.
fn day_mark(day: Date) -> String {
    format!("§d{:04}{:02}{:02}", day.year(), day.month(), day.day())
}

fn month_mark(year: i16, month: i8) -> String {
    format!("§m{year:04}{month:02}")
}

fn year_mark(year: i16) -> String {
    format!("§y{year:04}")
}

fn any_month_mark(month: i8) -> String {
    format!("§o{month:02}")
}

fn any_day_mark(month: i8, day: i8) -> String {
    format!("§a{month:02}{day:02}")
}

fn span_marks(first: Date, last: Date) -> Vec<String> {
    let days: Vec<Date> = first.series(1.day()).take_while(|day| *day <= last).take(MAX_DAYS + 1).collect();
    if days.len() <= MAX_DAYS {
        return days.into_iter().map(day_mark).collect();
    }
    let months = first.first_of_month().series(1.month()).take_while(|month| *month <= last);
    months.take(MAX_DAYS).map(|month| month_mark(month.year(), month.month())).collect()
}

/// The dates of a text, in order; relative ones are seen from `base`.
pub(crate) fn scan(text: &str, base: Option<Date>, reading: Reading) -> Vec<Dated> {
    let tokens = tokens(text);
    let mut found: Vec<Dated> = Vec::new();
    let mut at = 0;
    while at < tokens.len() && found.len() < MAX_MOMENTS {
        let scanner = Scanner { tokens: &tokens, at, base, reading };
        match scanner.moment() {
            Some((moment, used)) => {
                let (moment, from) = scanner.shifted(moment);
                let end = tokens.get(at + used - 1).map_or(0, Token::end);
                let begin = tokens.get(from).map_or(0, |token| token.span.at);
                found.push(Dated { moment, place: begin..end });
                at += used;
            }
            None => at += 1,
        }
    }
    found
}

/// The first whole day a text names, as a file's name or a heading does.
pub(crate) fn day_in(text: &str) -> Option<Date> {
    scan(text, None, Reading::Note).into_iter().find_map(|found| match found.moment {
        Moment::Day(day) => Some(day),
        _ => None,
    })
}

struct Token<'t> {
    span: Span<'t>,
    folded: String,
    number: Option<i32>,
    /// What stands between it and the one before.
    before: &'t str,
}

impl Token<'_> {
    fn end(&self) -> usize {
        self.span.at + self.span.text.len()
    }
}

fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut end = 0;
    for span in words::spans(text) {
        let mut before = text.get(end..span.at).unwrap_or_default();
        end = span.at + span.text.len();
        // File names join a date and a subject: `2026-05-08_trip`.
        let mut at = span.at;
        for part in span.text.split('_') {
            if !part.is_empty() {
                let folded = words::fold(part);
                tokens.push(Token { number: number(&folded), folded, span: Span { text: part, at }, before });
            }
            (at, before) = (at + part.len() + 1, "_");
        }
    }
    tokens
}

/// A number, also as `8th`.
fn number(folded: &str) -> Option<i32> {
    let digits = folded.trim_end_matches(|c: char| c.is_ascii_lowercase());
    let suffix = folded.get(digits.len()..)?;
    let is_ordinal = matches!(suffix, "" | "st" | "nd" | "rd" | "th" | "er" | "e");
    (is_ordinal && digits.len() <= 4).then(|| digits.parse().ok()).flatten()
}

struct Scanner<'a> {
    tokens: &'a [Token<'a>],
    at: usize,
    base: Option<Date>,
    reading: Reading,
}

impl Scanner<'_> {
    fn token(&self, ahead: usize) -> Option<&Token<'_>> {
        self.tokens.get(self.at + ahead)
    }

    fn word(&self, ahead: usize) -> &str {
        self.token(ahead).map_or("", |token| token.folded.as_str())
    }

    fn previous(&self) -> &str {
        self.at.checked_sub(1).and_then(|at| self.tokens.get(at)).map_or("", |token| token.folded.as_str())
    }

    fn number(&self, ahead: usize) -> Option<i32> {
        self.token(ahead)?.number
    }

    fn year(&self, ahead: usize) -> Option<i16> {
        let token = self.token(ahead)?;
        let year = i16::try_from(token.number?).ok()?;
        (token.folded.len() == 4 && YEARS.contains(&year)).then_some(year)
    }

    fn month_number(&self, ahead: usize) -> Option<i8> {
        self.number(ahead)
            .and_then(|number| i8::try_from(number).ok())
            .filter(|month| (1..=12).contains(month))
    }

    fn day_number(&self, ahead: usize) -> Option<i8> {
        self.number(ahead).and_then(|number| i8::try_from(number).ok()).filter(|day| (1..=31).contains(day))
    }

    /// What begins here, and how many words of it.
    fn moment(&self) -> Option<(Moment, usize)> {
        self.numeric()
            .or_else(|| self.east_asian())
            .or_else(|| self.day_first())
            .or_else(|| self.month_first())
            .or_else(|| self.relative())
            .or_else(|| self.lone_year())
    }

    /// `2023-05-08`, `8.5.2023`, `5/8/2023`.
    fn numeric(&self) -> Option<(Moment, usize)> {
        let (second, third) = (self.token(1)?, self.token(2)?);
        if second.before != third.before || !matches!(second.before, "-" | "/" | "." | "_") {
            return None;
        }
        if let Some(year) = self.year(0) {
            let day = Date::new(year, self.month_number(1)?, self.day_number(2)?).ok()?;
            return Some((Moment::Day(day), 3));
        }
        let year = self.year(2)?;
        let (one, other) = (self.day_number(0)?, self.day_number(1)?);
        // Only Americans write the month first, and they write it with strokes.
        let (day, month) =
            if (second.before == "/" && one <= 12) || other > 12 { (other, one) } else { (one, other) };
        Some((Moment::Day(Date::new(year, month, day).ok()?), 3))
    }

    /// `2023年5月8日`.
    fn east_asian(&self) -> Option<(Moment, usize)> {
        let (year, rest) = self.token(0)?.span.text.split_once('年')?;
        let year = year.parse().ok().filter(|year| YEARS.contains(year))?;
        let Some((month, rest)) = rest.split_once('月') else { return Some((Moment::Year(year), 1)) };
        let month: i8 = month.parse().ok().filter(|month| (1..=12).contains(month))?;
        let day = rest.split_once('日').and_then(|(day, _)| day.parse().ok());
        match day.and_then(|day| Date::new(year, month, day).ok()) {
            Some(day) => Some((Moment::Day(day), 1)),
            None => Some((Moment::Month(year, month), 1)),
        }
    }

    /// `8 May, 2023`, `8. Mai`, `8 de mayo de 2023`.
    fn day_first(&self) -> Option<(Moment, usize)> {
        let day = self.day_number(0)?;
        let skip = usize::from(matches!(self.word(1), "of" | "de" | "di"));
        let month = month_of(self.word(1 + skip))?;
        if self.token(1)?.before.contains(['\n', ':']) {
            return None;
        }
        self.with_year(month, day, 2 + skip)
    }

    /// `May 8th, 2023`, `May 8`, `May 2023`, `May`.
    fn month_first(&self) -> Option<(Moment, usize)> {
        let month = month_of(self.word(0))?;
        let is_clock = self.token(2).is_some_and(|token| token.before == ":");
        if let Some(day) = self.day_number(1).filter(|_| {
            !is_clock && self.token(1).is_some_and(|t| t.before.trim().is_empty() || t.before == ". ")
        }) {
            return self.with_year(month, day, 2);
        }
        let skip = usize::from(matches!(self.word(1), "of" | "de" | "del"));
        if let Some(year) = self.year(1 + skip) {
            return Some((Moment::Month(year, month), 2 + skip));
        }
        self.is_surely_month().then_some((Moment::AnyMonth(month), 1))
    }

    fn with_year(&self, month: i8, day: i8, used: usize) -> Option<(Moment, usize)> {
        let skip = usize::from(matches!(self.word(used), "of" | "de" | "del"));
        if let Some(year) = self.year(used + skip) {
            return Some((Moment::Day(Date::new(year, month, day).ok()?), used + skip + 1));
        }
        Some((Moment::AnyDay(month, day), used))
    }

    /// Some names of months are words of their own.
    fn is_surely_month(&self) -> bool {
        let Some(token) = self.token(0) else { return false };
        let is_word =
            matches!(token.folded.as_str(), "may" | "march" | "mar" | "mai" | "dec" | "set" | "ago" | "mars");
        let is_name = token.span.text.chars().next().is_some_and(char::is_uppercase) && self.at > 0;
        let is_led = matches!(
            self.previous(),
            "in" | "of"
                | "last"
                | "this"
                | "next"
                | "since"
                | "until"
                | "by"
                | "during"
                | "early"
                | "late"
                | "mid"
                | "im"
                | "en"
                | "de"
        );
        !is_word || is_led || (is_name && token.before.trim().is_empty())
    }

    fn lone_year(&self) -> Option<(Moment, usize)> {
        let year = self.year(0)?;
        let is_led = matches!(
            self.previous(),
            "in" | "since"
                | "of"
                | "by"
                | "until"
                | "from"
                | "year"
                | "seit"
                | "jahr"
                | "en"
                | "desde"
                | "depuis"
                | "um"
        );
        (self.reading == Reading::Question || is_led).then_some((Moment::Year(year), 1))
    }

    /// What is seen from another day: `yesterday`, `last May`, `two weeks ago`, `in summer 2022`.
    fn relative(&self) -> Option<(Moment, usize)> {
        if let (Some(season), Some(year)) = (season_of(self.word(0)), self.year(1)) {
            let first = Date::new(year, season, 1).ok()?;
            let last = first.checked_add(2.months()).ok()?.last_of_month();
            return Some((Moment::Days(first, last), 2));
        }
        let base = self.base?;
        if let Some(days) = day_word(self.word(0)) {
            return Some((Moment::Day(base.checked_add(days.days()).ok()?), 1));
        }
        if let Some(count) = count_of(self.word(0)).or_else(|| self.number(0).map(i64::from))
            && let Some(unit) = unit_of(self.word(1))
            && is_ago(self.word(2))
        {
            return Some((around(base, unit, -count)?, 3));
        }
        if self.word(0) == "vor"
            && let Some(count) = count_of(self.word(1)).or_else(|| self.number(1).map(i64::from))
            && let Some(unit) = unit_of(self.word(2))
        {
            return Some((around(base, unit, -count)?, 3));
        }
        let step = match self.word(0) {
            word if is_back(word) => -1,
            word if is_forth(word) => 1,
            word if is_this(word) => 0,
            _ => return self.named_after(base),
        };
        self.stepped(base, step, 1).map(|moment| (moment, 2))
    }

    /// `la semaine dernière`, `la semana pasada`.
    fn named_after(&self, base: Date) -> Option<(Moment, usize)> {
        unit_of(self.word(0))?;
        let step = match self.word(1) {
            "derniere" | "dernier" | "pasada" | "pasado" | "passada" | "passado" | "scorsa" | "scorso" => -1,
            "prochaine" | "prochain" | "proxima" | "proximo" | "prossima" | "prossimo" => 1,
            _ => return None,
        };
        self.stepped(base, step, 0).map(|moment| (moment, 2))
    }

    fn stepped(&self, base: Date, step: i64, word: usize) -> Option<Moment> {
        if let Some(unit) = unit_of(self.word(word)) {
            return around(base, unit, step);
        }
        if let Some(month) = month_of(self.word(word)) {
            let passed = if step < 0 { month < base.month() } else { month <= base.month() };
            let year = match step {
                -1 if !passed => base.year() - 1,
                1 if passed => base.year() + 1,
                _ => base.year(),
            };
            return Some(Moment::Month(year, month));
        }
        let weekday = weekday_of(self.word(word))?;
        let day = match step {
            0 => week_of(base).0.checked_add(i64::from(weekday.to_monday_zero_offset()).days()).ok()?,
            step => base.nth_weekday(i32::try_from(step).ok()?, weekday).ok()?,
        };
        Some(Moment::Day(day))
    }

    /// Reads what stands before a date: `the week before 9 June` is not the ninth. Also says with which word it begins.
    fn shifted(&self, moment: Moment) -> (Moment, usize) {
        let shift = || {
            let (before, step) = match self.previous() {
                "before" | "vor" | "avant" | "antes" => (self.at.checked_sub(2)?, -1),
                "after" | "nach" | "apres" | "despues" => (self.at.checked_sub(2)?, 1),
                _ => return None,
            };
            let word = self.tokens.get(before)?.folded.as_str();
            Some((beside(moment.day()?, word, step)?, before))
        };
        shift().unwrap_or((moment, self.at))
    }
}

/// The day, week or weekday before or after a day.
pub(crate) fn beside(day: Date, word: &str, step: i64) -> Option<Moment> {
    if let Some(weekday) = weekday_of(word) {
        return Some(Moment::Day(day.nth_weekday(i32::try_from(step).ok()?, weekday).ok()?));
    }
    let days = match unit_of(word)? {
        Unit::Day => return Some(Moment::Day(day.checked_add(step.days()).ok()?)),
        Unit::Weekend => {
            let saturday = day.nth_weekday(i32::try_from(step).ok()?, Weekday::Saturday).ok()?;
            return Some(Moment::Days(saturday, saturday.checked_add(1.day()).ok()?));
        }
        Unit::Week => 7,
        Unit::Month => 30,
        Unit::Year => 365,
    };
    let (one, other) = (day.checked_add(step.days()).ok()?, day.checked_add((step * days).days()).ok()?);
    Some(Moment::Days(one.min(other), one.max(other)))
}

/// So many units from a day.
fn around(base: Date, unit: Unit, step: i64) -> Option<Moment> {
    let step = step.clamp(-10_000, 10_000);
    Some(match unit {
        Unit::Day => Moment::Day(base.checked_add(step.days()).ok()?),
        Unit::Week | Unit::Weekend => {
            let (monday, sunday) = week_of(base.checked_add((step * 7).days()).ok()?);
            let first = if unit == Unit::Weekend { sunday.checked_sub(1.day()).ok()? } else { monday };
            Moment::Days(first, sunday)
        }
        Unit::Month => {
            let month = base.first_of_month().checked_add(step.months()).ok()?;
            Moment::Month(month.year(), month.month())
        }
        Unit::Year => Moment::Year(base.checked_add(step.years()).ok()?.year()),
    })
}

fn week_of(day: Date) -> (Date, Date) {
    let back = i64::from(day.weekday().to_monday_zero_offset());
    let monday = day.checked_sub(back.days()).unwrap_or(day);
    (monday, monday.checked_add(6.days()).unwrap_or(day))
}

#[cfg(test)]
mod tests;
