//! `||spoilers||`, which Markdown readers do not know.

use super::tree::{Emphasis, Inline};

/// What stands on both sides.
const BARS: &str = "||";

/// Finds the spoilers of one stretch of words. Bars with a space on the inside are ordinary: `a || b`.
pub(super) fn pair(inlines: &mut Vec<Inline>) {
    if !inlines.iter().any(|inline| matches!(inline, Inline::Text(text) if text.contains(BARS))) {
        return;
    }
    let mut out: Vec<Inline> = Vec::with_capacity(inlines.len() + 2);
    // Where in `out` the bars that are open begin.
    let mut open: Option<usize> = None;
    for inline in std::mem::take(inlines) {
        let Inline::Text(text) = inline else {
            out.push(inline);
            continue;
        };
        let mut rest = text.as_str();
        while let Some((before, after)) = rest.split_once(BARS) {
            push_text(&mut out, before);
            match open {
                Some(at) if closes(&out, at) => {
                    let inside = out.split_off(at + 1);
                    out.pop();
                    out.push(Inline::Styled(Emphasis::Spoiler, inside));
                    open = None;
                }
                _ if opens(after) => {
                    open = Some(out.len());
                    out.push(Inline::Text(BARS.to_owned()));
                }
                _ => out.push(Inline::Text(BARS.to_owned())),
            }
            rest = after;
        }
        push_text(&mut out, rest);
    }
    *inlines = out;
}

fn push_text(out: &mut Vec<Inline>, text: &str) {
    if !text.is_empty() {
        out.push(Inline::Text(text.to_owned()));
    }
}

/// Whether what follows bars lets them open; what is not in this text begins with no space.
fn opens(after: &str) -> bool {
    !after.starts_with(|c: char| c.is_whitespace() || c == '|')
}

/// Whether what stands since the bars at `open` is a spoiler when it ends here.
fn closes(out: &[Inline], open: usize) -> bool {
    match out.last() {
        Some(_) if out.len() == open + 1 => false,
        Some(Inline::Text(text)) => !text.ends_with(char::is_whitespace),
        Some(Inline::Break) | None => false,
        Some(_) => true,
    }
}
