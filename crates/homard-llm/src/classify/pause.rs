//! How long to wait, as sentences and fields say it: `6.2s`, `1m30s`, `20 seconds`, `4 days 20 hours`.

use std::time::Duration;

/// Longest pause a provider may ask for.
pub(crate) const MAX_PAUSE: Duration = Duration::from_secs(24 * 3_600);

/// What stands before a pause in a sentence, in lower case.
const LEADS: &[&str] = &[
    "try again in ",
    "retry in ",
    "retry after ",
    "try again after ",
    "wait for ",
    "please wait ",
    "must wait ",
    "reset after ",
    "resets in ",
    "reset in ",
    "available in ",
];
/// Units by their first letters, in seconds; `ms` before `m`.
const UNITS: &[(&str, f64)] =
    &[("ms", 0.001), ("milli", 0.001), ("s", 1.0), ("m", 60.0), ("h", 3_600.0), ("d", 86_400.0)];

/// The pause a sentence asks for.
pub(super) fn in_sentence(sentence: &str) -> Option<Duration> {
    let text = sentence.to_lowercase();
    let after = LEADS.iter().find_map(|lead| {
        let rest = text.split_once(lead)?.1;
        rest.starts_with(|c: char| c.is_ascii_digit()).then_some(rest)
    })?;
    span(after)
}

/// A span of time at the beginning of a text; a number without a unit counts seconds.
pub(crate) fn span(text: &str) -> Option<Duration> {
    let mut rest = text.trim_start();
    let mut seconds = None;
    while let Some((number, after)) = leading_number(rest) {
        let after = after.trim_start();
        let word = after.split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default();
        let lower = word.to_ascii_lowercase();
        let unit = UNITS.iter().find(|(start, _)| lower.starts_with(start)).map(|&(_, unit)| unit);
        let Some(unit) = unit else {
            // `20` alone is seconds; in `5s, 3 left` the second number is no part of the span.
            seconds = seconds.or(Some(number));
            break;
        };
        seconds = Some(seconds.unwrap_or(0.0) + number * unit);
        rest = after.get(word.len()..).unwrap_or_default();
        rest = rest.trim_start_matches([' ', ',']).trim_start_matches("and ");
    }
    Duration::try_from_secs_f64(seconds?).ok().map(|wait| wait.min(MAX_PAUSE))
}

fn leading_number(text: &str) -> Option<(f64, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    let number = digits.trim_end_matches('.').parse::<f64>().ok()?;
    Some((number, rest))
}

#[cfg(test)]
mod tests;
