//! Numbers and ids in words a person reads at a glance.

use homard_runtime::Clip;

/// So much of an id is shown; commands take it for the whole.
const SHORT: usize = 8;

/// The beginning of an id.
pub(crate) fn short(id: &str) -> String {
    id.clip_chars(SHORT).to_owned()
}

/// How long something lasts, in its two largest units.
pub(crate) fn span(ms: u64) -> String {
    let seconds = ms / 1_000;
    let (days, hours, minutes) = (seconds / 86_400, seconds / 3_600 % 24, seconds / 60 % 60);
    match (days, hours, minutes) {
        (0, 0, 0) => format!("{seconds} s"),
        (0, 0, _) => format!("{minutes} min"),
        (0, _, _) => format!("{hours} h {minutes} min"),
        _ => format!("{days} d {hours} h"),
    }
}

/// How long ago something was; the future counts as now.
pub(crate) fn ago(then_ms: i64, now_ms: i64) -> String {
    // Files of others have a 0 where nothing happened yet.
    if then_ms == 0 {
        return "never".to_owned();
    }
    match u64::try_from(now_ms.saturating_sub(then_ms)).unwrap_or(0) {
        0..1_000 => "now".to_owned(),
        ms @ 1_000..86_400_000 => {
            format!("{} ago", span(ms).split(" h ").next().map(hours).unwrap_or_default())
        }
        ms => format!("{} d ago", ms / 86_400_000),
    }
}

/// `5 h 12 min` lost its minutes on the way; puts the unit back.
fn hours(text: &str) -> String {
    if text.contains(' ') { text.to_owned() } else { format!("{text} h") }
}

/// A count with its noun.
pub(crate) fn count(number: u64, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

/// Thousands as `12k`, millions as `1.0M`.
pub(crate) fn tokens(number: u64) -> String {
    match number {
        0..1_000 => number.to_string(),
        1_000..1_000_000 => format!("{}k", number / 1_000),
        _ => format!("{}.{}M", number / 1_000_000, number / 100_000 % 10),
    }
}

#[cfg(test)]
mod tests {
    use super::{ago, count, span, tokens};

    #[test]
    fn spans_name_their_two_largest_units() {
        for (ms, words) in [
            (0, "0 s"),
            (59_999, "59 s"),
            (60_000, "1 min"),
            (3_600_000, "1 h 0 min"),
            (90_061_000, "1 d 1 h"),
        ] {
            assert_eq!(span(ms), words);
        }
    }

    #[test]
    fn moments_are_told_from_now() {
        let now = 1_000_000_000;
        for (then, words) in [
            (now, "now"),
            (now + 5_000, "now"),
            (now - 30_000, "30 s ago"),
            (now - 120_000, "2 min ago"),
            (now - 5 * 3_600_000, "5 h ago"),
            (now - 3 * 86_400_000, "3 d ago"),
        ] {
            assert_eq!(ago(then, now), words);
        }
    }

    #[test]
    fn numbers_read_well() {
        assert_eq!((count(1, "agent"), count(2, "agent")), ("1 agent".to_owned(), "2 agents".to_owned()));
        assert_eq!([tokens(999), tokens(16_736), tokens(1_048_576)], ["999", "16k", "1.0M"]);
    }
}
