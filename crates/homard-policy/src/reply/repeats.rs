//! Noticing that something was said already: a model that sent a message with a tool often says it again.

/// Texts shorter than this, in characters, are never taken for repeats: "ok" is said often.
pub const LEAST_COMPARED: usize = 10;

/// Whether `text` says what one of `sent` said, or a part of it, or all of it and more.
#[must_use]
pub fn was_said<S: AsRef<str>>(sent: &[S], text: &str) -> bool {
    let text = plain(text);
    let long = |text: &str| text.chars().count() >= LEAST_COMPARED;
    long(&text)
        && sent
            .iter()
            .map(|sent| plain(sent.as_ref()))
            .any(|sent| long(&sent) && (sent.contains(&text) || text.contains(&sent)))
}

/// Letters and digits in lower case, single spaces.
fn plain(text: &str) -> String {
    let kept: String = text
        .chars()
        .flat_map(char::to_lowercase)
        .filter(|c| c.is_alphanumeric() || c.is_whitespace() || c.is_ascii_punctuation())
        .collect();
    kept.split_whitespace().collect::<Vec<_>>().join(" ")
}
