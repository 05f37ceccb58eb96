//! From what the model said to what people are shown.

use homard_policy::reply::audible;
pub(crate) use homard_policy::reply::may_be_silent as may_become_silent;

/// What people are shown of a finished reply; nothing when the model chose silence, or said nothing.
pub(crate) fn shape(text: &str) -> Option<String> {
    audible(text, None).map(str::to_owned)
}

/// Reasoning as people are shown it before an answer.
pub(crate) fn reasoning(thinking: &str) -> String {
    let lines = thinking.trim().lines().map(|line| match line.trim() {
        "" => String::new(),
        line => format!("_{line}_"),
    });
    format!("Reasoning:\n{}\n\n", lines.collect::<Vec<_>>().join("\n"))
}

#[cfg(test)]
mod tests;
