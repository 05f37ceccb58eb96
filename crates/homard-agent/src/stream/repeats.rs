//! Noticing that something was said already: a model that sent a message with a tool often says it again.

/// Texts shorter than this, in characters, are never taken for repeats: "ok" is said often.
pub const LEAST_COMPARED: usize = 10;

/// Whether `text` says what one of `sent` said, or a part of it, or all of it and more.
pub fn is_repeat<S: AsRef<str>>(text: &str, sent: &[S]) -> bool {
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

#[cfg(test)]
mod tests {
    use super::is_repeat;

    #[test]
    fn a_repeat_is_noticed_through_case_space_and_pictures() {
        let sent = ["Dinner is at eight, see you there! 🎉", "ok"];
        let cases = [
            ("dinner is at  eight, see you there!", true),
            ("I told them: Dinner is at eight, see you there! Anything else?", true),
            ("Dinner is at eight", true),
            ("Dinner is at nine, see you", false),
            ("ok", false),
            ("", false),
        ];
        for (text, repeat) in cases {
            assert_eq!(is_repeat(text, &sent), repeat, "{text:?}");
        }
    }
}
