//! Finding what somebody means by a few letters of it.

/// How well letters fit a text: lower is better, nothing when they do not occur in this order.
pub(crate) fn fits(letters: &str, text: &str) -> Option<usize> {
    let wanted = letters.to_lowercase();
    let text = text.to_lowercase();
    if let Some(at) = text.find(&wanted) {
        return Some(at.min(100));
    }
    let mut from = 0;
    let mut first = None;
    for letter in wanted.chars().filter(|letter| !letter.is_whitespace()) {
        let at = from + text.get(from..)?.find(letter)?;
        first.get_or_insert(at);
        from = at + letter.len_utf8();
    }
    Some(1_000 + from - first.unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::fits;

    #[test]
    fn letters_fit_in_their_order_and_words_fit_better() {
        for (letters, text, is_found) in [
            ("", "x", true),
            ("gpt", "GPT-5", true),
            ("g5", "gpt-5", true),
            ("5g", "gpt-5", false),
            ("opus 4", "Opus-4", true),
        ] {
            assert_eq!(fits(letters, text).is_some(), is_found, "{letters} {text}");
        }
        assert!(fits("son", "sonnet") < fits("son", "s-o-n"));
        assert!(fits("son", "sonnet") < fits("son", "claude-sonnet"));
    }
}
