//! Going on after a failure nobody can act on, without hiding it.

use std::fmt::Display;

/// Adds [`or_log`](OrLog::or_log) to results.
pub trait OrLog<T> {
    /// Takes the value, or says in the log what was lost and goes on with `None`.
    fn or_log(self, what_was_lost: &'static str) -> Option<T>;
}

impl<T, E: Display> OrLog<T> for Result<T, E> {
    fn or_log(self, what_was_lost: &'static str) -> Option<T> {
        match self {
            Ok(value) => Some(value),
            Err(error) => {
                tracing::warn!(%error, "{what_was_lost}");
                None
            }
        }
    }
}
