//! Names that differ in nothing that matters: dots and dashes, capitals, dates at the end.

/// Length of a date written as digits.
const DATE_LEN: usize = 8;

/// A model's name with one spelling for dots, dashes, underscores and capitals, for comparing only.
#[must_use]
pub fn folded(id: &str) -> String {
    id.trim().chars().map(|c| if matches!(c, '.' | '_') { '-' } else { c.to_ascii_lowercase() }).collect()
}

/// The name without the date or `-latest` at its end, when it has one: `claude-opus-4-5-20251101` is a
/// `claude-opus-4-5`.
#[must_use]
pub fn dated_root(id: &str) -> Option<&str> {
    if let Some(root) = id.strip_suffix("-latest") {
        return Some(root);
    }
    // 2025-11-01 and 20251101 and 0905.
    let (root, last) = id.rsplit_once(['-', '@'])?;
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    if digits(last) && (last.len() == DATE_LEN || last.len() == DATE_LEN / 2) {
        return Some(root);
    }
    let (rest, month) = root.rsplit_once('-')?;
    let (root, year) = rest.rsplit_once('-')?;
    let is_date = [last, month].iter().all(|part| digits(part) && part.len() == 2);
    (is_date && digits(year) && year.len() == DATE_LEN / 2).then_some(root)
}

#[cfg(test)]
mod tests {
    use super::{dated_root, folded};

    #[test]
    fn names_that_differ_in_spelling_only_fold_to_one() {
        assert_eq!(folded("Claude-Opus-4.6"), folded("claude-opus-4-6"));
        assert_ne!(folded("claude-opus-4-6"), folded("claude-opus-46"));
    }

    #[test]
    fn a_date_at_the_end_is_no_part_of_the_name() {
        let table = [
            ("claude-opus-4-5-20251101", Some("claude-opus-4-5")),
            ("gpt-5-2025-08-07", Some("gpt-5")),
            ("kimi-k2-0905", Some("kimi-k2")),
            ("mistral-large-latest", Some("mistral-large")),
            ("claude-sonnet-4@20250514", Some("claude-sonnet-4")),
            ("claude-opus-4-5", None),
            ("gpt-5.2", None),
            ("", None),
            ("-", None),
        ];
        for (id, root) in table {
            assert_eq!(dated_root(id), root, "{id}");
        }
    }
}
