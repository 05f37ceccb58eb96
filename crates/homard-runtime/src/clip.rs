//! The beginning of a text: so many characters or bytes, with or without a sign that something is missing.

/// Shortens texts, never inside a character.
pub trait Clip {
    /// The first `max` characters.
    fn clip_chars(&self, max: usize) -> &str;

    /// As many characters as fit into `max` bytes.
    fn clip_bytes(&self, max: usize) -> &str;

    /// The first `max` characters, and an ellipsis after them if there are more.
    fn ellipsis_after(&self, max: usize) -> String;

    /// At most `max` characters, the ellipsis counted; no space stands before it.
    fn ellipsis_within(&self, max: usize) -> String;
}

impl Clip for str {
    fn clip_chars(&self, max: usize) -> &str {
        let end = self.char_indices().nth(max).map_or(self.len(), |(at, _)| at);
        self.get(..end).unwrap_or(self)
    }

    fn clip_bytes(&self, max: usize) -> &str {
        self.get(..self.floor_char_boundary(max)).unwrap_or(self)
    }

    fn ellipsis_after(&self, max: usize) -> String {
        let kept = self.clip_chars(max);
        if kept.len() < self.len() { format!("{kept}…") } else { kept.to_owned() }
    }

    fn ellipsis_within(&self, max: usize) -> String {
        if self.clip_chars(max).len() == self.len() {
            return self.to_owned();
        }
        format!("{}…", self.clip_chars(max.saturating_sub(1)).trim_end())
    }
}

/// The beginning, on one line; at most `max_chars`, an ellipsis counted.
#[must_use]
pub fn brief(text: &str, max_chars: usize) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").ellipsis_within(max_chars)
}

#[cfg(test)]
mod tests {
    use super::{Clip as _, brief};

    #[test]
    fn texts_are_cut_between_characters() {
        let cases = [
            ("", 0, "", "", "", ""),
            ("abc", 3, "abc", "abc", "abc", "abc"),
            ("abcd", 3, "abc", "abc", "abc…", "ab…"),
            ("aé🦞d", 3, "aé🦞", "aé", "aé🦞…", "aé…"),
            ("a bcd", 3, "a b", "a b", "a b…", "a…"),
            ("🦞🦞", 1, "🦞", "", "🦞…", "…"),
            ("ab", 0, "", "", "…", "…"),
        ];
        for (text, max, chars, bytes, after, within) in cases {
            assert_eq!((text.clip_chars(max), text.clip_bytes(max)), (chars, bytes), "{text} {max}");
            assert_eq!((text.ellipsis_after(max), text.ellipsis_within(max)), (after.into(), within.into()));
        }
    }

    #[test]
    fn a_long_text_is_cut_and_flat() {
        assert_eq!([brief("a\n  b", 9), brief("abcdef", 4)], ["a b", "abc…"]);
    }
}
