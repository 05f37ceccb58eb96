//! Text a person decides on: nothing in it is hidden, moves the cursor or turns the reading direction around.

/// Characters that are not seen, or change how others are: joiners, fillers, direction marks, tags.
const HIDDEN: [(char, char); 13] = [
    ('\u{ad}', '\u{ad}'),
    ('\u{34f}', '\u{34f}'),
    ('\u{61c}', '\u{61c}'),
    ('\u{115f}', '\u{1160}'),
    ('\u{17b4}', '\u{17b5}'),
    ('\u{180b}', '\u{180f}'),
    ('\u{200b}', '\u{200f}'),
    ('\u{2028}', '\u{202e}'),
    ('\u{2060}', '\u{206f}'),
    ('\u{3164}', '\u{3164}'),
    ('\u{feff}', '\u{feff}'),
    ('\u{ffa0}', '\u{fffb}'),
    ('\u{e0000}', '\u{e0fff}'),
];

/// The text with everything that cannot be seen written out.
#[must_use]
pub fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        if is_seen(character) {
            out.push(character);
        } else {
            out.extend(character.escape_unicode());
        }
    }
    out
}

fn is_seen(character: char) -> bool {
    matches!(character, '\n' | '\t')
        || !(character.is_control()
            || HIDDEN.iter().any(|(first, last)| (*first..=*last).contains(&character))
            // Spaces that are not the space.
            || (character.is_whitespace() && character != ' '))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{any, prop_assert, proptest};

    use super::visible;

    #[test]
    fn what_cannot_be_seen_is_written_out() {
        let cases = [
            ("ls -la\n\techo é 🦞 日本", "ls -la\n\techo é 🦞 日本"),
            ("a\u{1b}[2Kb", "a\\u{1b}[2Kb"),
            ("a\rb", "a\\u{d}b"),
            ("rm\u{202e}fr", "rm\\u{202e}fr"),
            ("a\u{200b}b\u{feff}", "a\\u{200b}b\\u{feff}"),
            ("a\u{a0}b", "a\\u{a0}b"),
            ("\u{e0041}", "\\u{e0041}"),
        ];
        for (text, seen) in cases {
            assert_eq!(visible(text), seen);
        }
    }

    proptest! {
        #[test]
        fn nothing_visible_moves_a_cursor(text in any::<String>()) {
            let seen = visible(&text);
            prop_assert!(seen.chars().all(|c| !c.is_control() || c == '\n' || c == '\t'));
            prop_assert!(visible(&seen) == seen);
        }
    }
}
