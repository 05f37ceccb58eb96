//! A model's question, checked: back ends are handed only what they can be asked.

use super::WebSearchInput;

/// Longest question, in characters; what the strictest back end takes.
const MAX_QUERY: usize = 400;
/// Most results.
const MAX_COUNT: usize = 10;

/// A question that can be asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Query {
    pub(super) text: String,
    pub(super) count: usize,
    pub(super) country: Option<String>,
    /// A language, in small letters.
    pub(super) lang: Option<String>,
    /// A language and a country.
    pub(super) ui_lang: Option<String>,
    pub(super) freshness: Option<Freshness>,
}

/// How new results have to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Freshness {
    Day,
    Week,
    Month,
    Year,
    /// From one day to another, as `YYYY-MM-DD`.
    Between(String, String),
}

/// What about a question cannot be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum BadQuery {
    #[error("`query` is empty; say what to search for")]
    Empty,
    #[error("`query` is longer than {MAX_QUERY} characters; use fewer words")]
    TooLong,
    #[error("`country` must be two letters, like DE")]
    Country,
    #[error("`search_lang` and `ui_lang` must be language codes, like de or de-DE")]
    Language,
    #[error("`freshness` must be pd, pw, pm, py or YYYY-MM-DDtoYYYY-MM-DD")]
    Freshness,
}

impl Query {
    pub(super) fn new(input: &WebSearchInput, usual_count: usize) -> Result<Self, BadQuery> {
        let text = input.query.split_whitespace().collect::<Vec<_>>().join(" ");
        match text.chars().count() {
            0 => return Err(BadQuery::Empty),
            1..=MAX_QUERY => {}
            _ => return Err(BadQuery::TooLong),
        }
        let count = input.count.map_or(usual_count, |count| usize::try_from(count).unwrap_or(MAX_COUNT));
        Ok(Self {
            text,
            count: count.clamp(1, MAX_COUNT),
            country: given(input.country.as_deref()).map(country).transpose()?,
            lang: given(input.search_lang.as_deref()).map(language).transpose()?.map(|l| l.to_lowercase()),
            ui_lang: given(input.ui_lang.as_deref()).map(language).transpose()?,
            freshness: given(input.freshness.as_deref()).map(freshness).transpose()?,
        })
    }
}

/// Models fill optional fields with nothing.
fn given(text: Option<&str>) -> Option<&str> {
    text.map(str::trim).filter(|text| !text.is_empty())
}

fn country(text: &str) -> Result<String, BadQuery> {
    let is_code = text.len() == 2 && text.chars().all(|c| c.is_ascii_alphabetic());
    if is_code { Ok(text.to_ascii_uppercase()) } else { Err(BadQuery::Country) }
}

fn language(text: &str) -> Result<String, BadQuery> {
    let mut parts = text.split(['-', '_']);
    let is_part = |part: &str, from: usize| {
        (from..=4).contains(&part.len()) && part.chars().all(|c| c.is_ascii_alphabetic())
    };
    let first = parts.next().is_some_and(|part| is_part(part, 2) && part.len() <= 3);
    let second = parts.next().is_none_or(|part| is_part(part, 2));
    if first && second && parts.next().is_none() {
        Ok(text.replace('_', "-"))
    } else {
        Err(BadQuery::Language)
    }
}

fn freshness(text: &str) -> Result<Freshness, BadQuery> {
    Ok(match text.to_ascii_lowercase().as_str() {
        "pd" | "day" => Freshness::Day,
        "pw" | "week" => Freshness::Week,
        "pm" | "month" => Freshness::Month,
        "py" | "year" => Freshness::Year,
        range => match range.split_once("to") {
            Some((from, to)) if is_day(from) && is_day(to) && from <= to => {
                Freshness::Between(from.to_owned(), to.to_owned())
            }
            Some(_) | None => return Err(BadQuery::Freshness),
        },
    })
}

fn is_day(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let [year, month, day] = parts.as_slice() else { return false };
    let number = |part: &str, length: usize| {
        (part.len() == length && part.bytes().all(|b| b.is_ascii_digit()))
            .then(|| part.parse::<u32>().ok())?
    };
    number(year, 4).is_some()
        && number(month, 2).is_some_and(|month| (1..=12).contains(&month))
        && number(day, 2).is_some_and(|day| (1..=31).contains(&day))
}
