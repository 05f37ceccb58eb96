//! Text from elsewhere without anything that could move a cursor, change a title or turn the reading direction.
//!
//! Escape sequences are dropped whole, because programs colour what they print and their leftovers would be noise; what
//! else cannot be seen is dropped or replaced. What a person decides on goes through [`homard_runtime::visible`] instead,
//! which hides nothing.

/// Columns of a tabulator.
const TAB: &str = "    ";
/// What stands for a control character that was not part of anything known.
const REPLACED: char = '\u{fffd}';

/// The text as it may be shown: only `\n` is left of the control characters.
pub(crate) fn clean(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(character) = rest.next() {
        match character {
            '\n' => out.push('\n'),
            '\t' => out.push_str(TAB),
            '\r' if rest.peek() == Some(&'\n') => {}
            // What a progress bar wrote before is written over.
            '\r' => out.truncate(out.rfind('\n').map_or(0, |at| at + 1)),
            '\u{1b}' => skip_sequence(&mut rest),
            '\u{9b}' => skip_control(&mut rest),
            '\u{90}' | '\u{98}' | '\u{9d}'..='\u{9f}' => skip_string(&mut rest),
            '\u{8}' => {
                if !out.ends_with('\n') {
                    out.pop();
                }
            }
            '\u{a0}' | '\u{2007}' | '\u{202f}' => out.push(' '),
            '\u{2028}' | '\u{2029}' => out.push('\n'),
            _ if turns_or_hides(character) => {}
            _ if character.is_control() => out.push(REPLACED),
            _ => out.push(character),
        }
    }
    out
}

/// The same on one line.
pub(crate) fn clean_line(text: &str) -> String {
    clean(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Marks of direction, and characters without a width that carry no meaning alone. The joiner and the variation
/// selectors stay: pictures are made with them.
fn turns_or_hides(character: char) -> bool {
    matches!(
        character,
        '\u{ad}' | '\u{61c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}'
    )
}

type Rest<'a> = std::iter::Peekable<std::str::Chars<'a>>;

/// After an escape: a control sequence, a string, or a short form.
fn skip_sequence(rest: &mut Rest<'_>) {
    match rest.peek() {
        Some('[') => {
            rest.next();
            skip_control(rest);
        }
        Some(']' | 'P' | 'X' | '^' | '_') => {
            rest.next();
            skip_string(rest);
        }
        Some(' '..='/') => {
            while rest.next_if(|next| matches!(next, ' '..='/')).is_some() {}
            rest.next_if(|next| matches!(next, '0'..='~'));
        }
        Some('0'..='~') => {
            rest.next();
        }
        _ => {}
    }
}

/// Parameters and the letter that ends them. What does not look like that is text again.
fn skip_control(rest: &mut Rest<'_>) {
    while rest.next_if(|next| matches!(next, ' '..='?')).is_some() {}
    rest.next_if(|next| matches!(next, '@'..='~'));
}

/// Up to the end of a string: a bell or a string terminator, but never over the end of a line, so that an unfinished
/// one does not swallow what follows.
fn skip_string(rest: &mut Rest<'_>) {
    while let Some(next) = rest.next_if(|next| *next != '\n') {
        match next {
            '\u{7}' | '\u{9c}' => return,
            '\u{1b}' => {
                rest.next_if_eq(&'\\');
                return;
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{any, prop_assert, prop_assert_eq, proptest};

    use super::{clean, clean_line};

    proptest! {
        #[test]
        fn whatever_comes_only_ends_of_lines_are_left_of_what_steers(text in any::<String>()) {
            let shown = clean(&text);
            prop_assert!(shown.chars().all(|c| c == '\n' || !c.is_control()));
            prop_assert_eq!(clean(&shown), shown);
        }
    }

    #[test]
    fn nothing_that_steers_a_terminal_is_left() {
        let cases = [
            ("plain é 🦞 日本\nnext", "plain é 🦞 日本\nnext"),
            ("\u{1b}[31mred\u{1b}[0m", "red"),
            ("\u{1b}[2J\u{1b}[1;1Hgone", "gone"),
            ("\u{1b}]0;title\u{7}after", "after"),
            ("\u{1b}]8;;http://evil\u{1b}\\link\u{1b}]8;;\u{1b}\\", "link"),
            ("\u{1b}]52;c;ZXZpbA==\nnext line", "\nnext line"),
            ("\u{1b}P+q544e\u{1b}\\ok", "ok"),
            ("\u{1b}(0lqk\u{1b}(B", "lqk"),
            ("\u{1b}c reset", " reset"),
            ("\u{9b}31mC1", "C1"),
            ("\u{9d}0;title\u{9c}C1", "C1"),
            ("trailing \u{1b}", "trailing "),
            ("\u{1b}[", ""),
            ("10%\r50%\r100%\ndone", "100%\ndone"),
            ("dos\r\nlines", "dos\nlines"),
            ("ab\u{8}c", "ac"),
            ("bell\u{7} null\u{0} del\u{7f}", "bell\u{fffd} null\u{fffd} del\u{fffd}"),
            ("rm\u{202e}fr \u{2066}x\u{2069}", "rmfr x"),
            ("zero\u{200b}width\u{feff}", "zerowidth"),
            ("👨\u{200d}👩 ❤\u{fe0f}", "👨\u{200d}👩 ❤\u{fe0f}"),
            ("a\tb\u{a0}c", "a    b c"),
        ];
        for (text, shown) in cases {
            assert_eq!(clean(text), shown, "{text:?}");
            assert!(clean(text).chars().all(|c| c == '\n' || !c.is_control()));
        }
        assert_eq!(clean_line(" two\nlines\u{1b}[5m "), "two lines");
    }
}
