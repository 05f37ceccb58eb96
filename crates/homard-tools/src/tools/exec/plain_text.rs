//! What a terminal would have obeyed and a model should not see: colours, cursor moves, bells.

const ESCAPE: char = '\u{1b}';
const BELL: char = '\u{7}';

/// The text without terminal sequences and control characters; line ends and tabs stay.
pub(crate) fn plain_text(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            ESCAPE => skip_sequence(&mut chars),
            '\r' if chars.peek() == Some(&'\n') => {}
            // A bare return starts a line over: progress bars become lines.
            '\r' => out.push('\n'),
            '\n' | '\t' => out.push(c),
            c if c.is_control() => {}
            c => out.push(c),
        }
    }
    out
}

/// Passes over what follows an escape: `[` up to its final letter, `]` up to its end, otherwise one character.
fn skip_sequence(chars: &mut std::iter::Peekable<std::str::Chars<'_>>) {
    match chars.next() {
        Some('[') => {
            // A line end inside would mean the sequence was broken off; it is kept.
            while let Some(c) = chars.next_if(|c| *c != '\n') {
                if ('@'..='~').contains(&c) {
                    break;
                }
            }
        }
        Some(']') => {
            while let Some(c) = chars.next_if(|c| *c != '\n') {
                if c == BELL {
                    break;
                }
                if c == ESCAPE {
                    chars.next_if(|c| *c == '\\');
                    break;
                }
            }
        }
        Some(_) | None => {}
    }
}
