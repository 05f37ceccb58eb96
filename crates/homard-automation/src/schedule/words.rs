//! Schedules and distances as people say them.

use homard_protocol::methods::cron::CronSchedule;

/// Units of a distance, largest first.
const UNITS: [(&str, u64); 6] =
    [("w", 7 * 86_400_000), ("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1)];

/// Reads `90s`, `20m`, `1h30m`, `2d`; a number alone is milliseconds.
#[must_use]
pub fn read_duration(text: &str) -> Option<u64> {
    let mut rest = text.trim();
    if rest.is_empty() {
        return None;
    }
    if let Ok(millis) = rest.parse::<u64>() {
        return Some(millis);
    }
    let mut total: u64 = 0;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit())?;
        let (number, after) = rest.split_at(digits);
        let letters = after.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(after.len());
        let (unit, next) = after.split_at(letters);
        let (_, millis) = UNITS.iter().find(|(name, _)| unit.eq_ignore_ascii_case(name))?;
        total = total.checked_add(number.parse::<u64>().ok()?.checked_mul(*millis)?)?;
        rest = next.trim_start();
    }
    Some(total)
}

/// A distance in as few units as it takes.
#[must_use]
pub fn duration_words(millis: u64) -> String {
    let mut rest = millis;
    let mut words = String::new();
    for (name, unit) in UNITS.iter().filter(|(name, _)| *name != "w") {
        if rest >= *unit {
            words.push_str(&format!("{}{name}", rest / unit));
            rest %= unit;
        }
    }
    if words.is_empty() { "0s".to_owned() } else { words }
}

/// A schedule in words.
#[must_use]
pub fn schedule_words(schedule: &CronSchedule) -> String {
    match schedule {
        CronSchedule::At { at } => format!("once at {at}"),
        CronSchedule::Every { every_ms, .. } => format!("every {}", duration_words(*every_ms)),
        CronSchedule::Cron { expr, tz, .. } => {
            let said = super::read_expression(expr).map(|cron| cron.describe());
            let said = said.map_or_else(|_unreadable| String::new(), |said| format!(" ({})", plain(&said)));
            let zone = tz.as_deref().map(|tz| format!(", {tz}")).unwrap_or_default();
            format!("{expr}{said}{zone}")
        }
        CronSchedule::OnExit { command, .. } => format!("when `{command}` ends (not in effect)"),
        CronSchedule::Stream { command, .. } => {
            format!("when `{}` speaks (not in effect)", command.join(" "))
        }
    }
}

/// Without the full stop of a sentence.
fn plain(said: &str) -> &str {
    said.trim_end_matches('.')
}
