//! Noticing that a model promises to come back by itself, which it cannot unless something was scheduled.

/// What is said after a promise nothing stands behind.
pub const REMINDER_NOTE: &str =
    "(Note: nothing was scheduled in this turn, so this will not happen by itself.)";
/// Words between "I will" and what will be done.
const MAX_BETWEEN: usize = 4;
/// Done later, by itself.
const DEEDS: [&str; 3] = ["remind", "ping", "remember to"];
/// The same in two words.
const COME_BACK: [(&str, &str); 4] =
    [("check", "back"), ("circle", "back"), ("follow", "up"), ("check", "in")];
/// What begins the setting of a reminder.
const SETS: [&str; 4] = ["set", "create", "schedule", "add"];
/// What is set.
const REMINDERS: [&str; 2] = ["reminder", "reminders"];

/// Whether the text promises to remind somebody of something or to come back to it.
#[must_use]
pub fn promises_reminder(text: &str) -> bool {
    let lower = text.to_lowercase().replace('’', "'").replace("follow-up", "follow up");
    let words: Vec<&str> =
        lower.split(|c: char| !(c.is_alphanumeric() || c == '\'')).filter(|word| !word.is_empty()).collect();
    (0..words.len()).any(|at| match words.get(at..) {
        Some(["i'll", rest @ ..] | ["i", "will", rest @ ..]) => is_promise(rest),
        Some(_) | None => false,
    })
}

fn is_promise(words: &[&str]) -> bool {
    let near = words.get(..MAX_BETWEEN.min(words.len())).unwrap_or_default();
    if near.iter().any(|word| matches!(*word, "not" | "never" | "try")) {
        return false;
    }
    near.iter().enumerate().any(|(at, word)| {
        let next = words.get(at + 1).copied().unwrap_or_default();
        let two = format!("{word} {next}");
        DEEDS.contains(word)
            || DEEDS.contains(&two.as_str())
            || COME_BACK.contains(&(word, next))
            || (SETS.contains(word)
                && words.iter().skip(at + 1).take(MAX_BETWEEN).any(|set| REMINDERS.contains(set)))
    })
}
