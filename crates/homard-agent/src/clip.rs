//! Shortening a text to its beginning and its end, with a note of what is missing.

use homard_runtime::Clip;

/// Share of a shortened text that is kept from its beginning, in tenths.
const HEAD_TENTHS: usize = 7;
/// How far back from the cut a line may end to be cut there, in tenths of the piece.
const LINE_TENTHS: usize = 2;
/// Room for the note.
const NOTE: usize = 64;

/// Keeps at most `max` bytes of a text, note included: most of its beginning and some of its end, cut between
/// lines where one ends nearby. `None` when it is short enough as it is. A `max` too small for the note still
/// gets the note.
pub(crate) fn head_and_tail(text: &str, max: usize) -> Option<String> {
    if text.len() <= max {
        return None;
    }
    let room = max.saturating_sub(NOTE);
    let head_max = room * HEAD_TENTHS / 10;
    let head = text.clip_bytes(head_max);
    let head = match head.rfind('\n') {
        Some(at) if at >= head_max - head_max * LINE_TENTHS / 10 => head.get(..at).unwrap_or(head),
        _ => head,
    };
    let tail_max = room - head_max;
    let tail = text.get(text.ceil_char_boundary(text.len() - tail_max)..).unwrap_or_default();
    let tail = match tail.find('\n') {
        Some(at) if at <= tail_max * LINE_TENTHS / 10 => tail.get(at + 1..).unwrap_or(tail),
        _ => tail,
    };
    let missing = text.len() - head.len() - tail.len();
    Some(format!("{head}\n[… {missing} bytes left out here …]\n{tail}"))
}

/// As [`head_and_tail`], whether or not there is anything to shorten.
pub(crate) fn clipped(text: &str, max: usize) -> String {
    head_and_tail(text, max).unwrap_or_else(|| text.to_owned())
}

/// The beginning of a text, on one line.
pub(crate) fn first_words(text: &str, max: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let head = line.clip_bytes(max);
    if head.len() < line.len() { format!("{head}…") } else { line }
}

#[cfg(test)]
mod tests;
