//! From what the model said to what people are shown.

/// The word with which a model says that it has nothing to say.
pub(crate) const SILENT: &str = "NO_REPLY";

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
    let text = text.trim();
    if text.is_empty() || is_silent(text) { Shaped::Silence } else { Shaped::Text(text.to_owned()) }
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

/// Whether an answer in the making might still become the silent word, and so must not be shown yet.
pub(crate) fn may_become_silent(text: &str) -> bool {
    let text = text.trim_start();
    !text.is_empty() && (SILENT.starts_with(text) || text == SILENT)
}

#[cfg(test)]
mod tests;
