//! From what the model said to what people are shown.

/// The word with which a model says that it has nothing to say.
pub(crate) const SILENT: &str = "NO_REPLY";
/// Words that answer another program and mean silence when they are all that is said.
const SILENT_ALONE: [&str; 2] = ["ANNOUNCE_SKIP", "REPLY_SKIP"];
/// The word with which a model says that it looked and nothing needs attention.
const ALL_WELL: &str = "HEARTBEAT_OK";
/// Punctuation that may follow it.
const MAX_AFTER: usize = 4;

/// What people are shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Shaped {
    /// This text.
    Text(String),
    /// Nothing: the model chose silence, or said nothing.
    Silence,
}

/// Shapes a finished reply.
pub(crate) fn shape(text: &str) -> Shaped {
    let text = without_all_well(text.trim());
    if text.is_empty() || is_silent(text) || SILENT_ALONE.contains(&text) {
        Shaped::Silence
    } else {
        Shaped::Text(text.to_owned())
    }
}

/// Whether a reply is the silent word, at its beginning or end.
fn is_silent(text: &str) -> bool {
    let begins = text
        .strip_prefix(SILENT)
        .is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'));
    let ends = text
        .strip_suffix(SILENT)
        .is_some_and(|rest| !rest.ends_with(|c: char| c.is_alphanumeric() || c == '_'));
    begins || ends
}

/// The text without the word that all is well at its beginning or end, wrapped in Markdown or not.
fn without_all_well(text: &str) -> &str {
    const WRAP: [char; 3] = ['*', '_', '`'];
    let bare = text.trim_matches(WRAP);
    let apart = |rest: &str| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_');
    if let Some(rest) = bare.strip_prefix(ALL_WELL).filter(|rest| apart(rest)) {
        let after = rest.trim_start_matches(WRAP);
        let marks = after.chars().take(MAX_AFTER).take_while(char::is_ascii_punctuation).count();
        return after.get(marks..).unwrap_or(after).trim_start_matches(WRAP).trim();
    }
    let cut = bare.trim_end_matches(|c: char| c.is_ascii_punctuation() && c != '_');
    match cut.strip_suffix(ALL_WELL) {
        Some(rest)
            if bare.len() - cut.len() <= MAX_AFTER
                && !rest.ends_with(|c: char| c.is_alphanumeric() || c == '_') =>
        {
            rest.trim_end_matches(WRAP).trim()
        }
        Some(_) | None => text,
    }
}

/// Reasoning as people are shown it before an answer.
pub(crate) fn reasoning(thinking: &str) -> String {
    let lines = thinking.trim().lines().map(|line| match line.trim() {
        "" => String::new(),
        line => format!("_{line}_"),
    });
    format!("Reasoning:\n{}\n\n", lines.collect::<Vec<_>>().join("\n"))
}

/// Whether an answer in the making might still become the silent word, and so must not be shown yet.
pub(crate) fn may_become_silent(text: &str) -> bool {
    let text = text.trim_start();
    let words = [SILENT, ALL_WELL].into_iter().chain(SILENT_ALONE);
    !text.is_empty() && words.into_iter().any(|word| word.starts_with(text))
}

#[cfg(test)]
mod tests;
