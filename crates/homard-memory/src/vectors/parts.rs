//! The parts of a passage that vectors are made of: a few sentences each, because a passage says several things, and the
//! vector of all of them together is near to none.

use homard_runtime::Clip as _;

/// About how long a part is, in characters.
const PART_CHARS: usize = 150;
/// Longest line that is one part, in characters.
const LONGEST: usize = 2 * PART_CHARS;

/// The parts of a passage in order, at least one; its headings stand before the first.
pub(super) fn parts(heading: &str, text: &str) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    let (mut part, mut length) = (String::new(), 0);
    for piece in text.lines().flat_map(pieces).filter(|piece| !piece.trim().is_empty()) {
        let chars = piece.chars().count();
        if length > 0 && length + chars / 2 > PART_CHARS {
            parts.push(std::mem::take(&mut part));
            length = 0;
        }
        if !part.is_empty() {
            part.push('\n');
        }
        part.push_str(piece);
        length += chars;
    }
    if !part.is_empty() || parts.is_empty() {
        parts.push(part);
    }
    if let Some(first) = parts.first_mut().filter(|_| !heading.is_empty()) {
        *first = format!("{heading}\n{first}");
    }
    parts
}

/// A line, in pieces where it is long: after a sentence, or else between words.
fn pieces(line: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = line;
    loop {
        let head = rest.clip_chars(LONGEST);
        if head.len() == rest.len() {
            pieces.push(rest);
            return pieces;
        }
        let space = || head.rfind(char::is_whitespace).filter(|space| *space > 0);
        let end = sentence_end(head).or_else(space).unwrap_or(head.len());
        let Some((piece, after)) = rest.split_at_checked(end.max(1)) else {
            pieces.push(rest);
            return pieces;
        };
        pieces.push(piece);
        rest = after.trim_start();
    }
}

/// Where the last sentence of a text ends, unless that is near its beginning.
fn sentence_end(text: &str) -> Option<usize> {
    let mut ends = text.char_indices().rev().take_while(|(at, _)| *at > text.len() / 4);
    ends.find_map(|(at, c)| {
        let end = at + c.len_utf8();
        let is_before_space = || text.get(end..).is_some_and(|rest| rest.starts_with(char::is_whitespace));
        let is_end = matches!(c, '。' | '！' | '？') || (matches!(c, '.' | '!' | '?') && is_before_space());
        is_end.then_some(end)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_passage_is_cut_into_a_few_sentences_each() {
        assert_eq!(parts("One › Two", "tide"), ["One › Two\ntide"]);
        assert_eq!(parts("", ""), [""]);
        let turn = |n: usize| format!("Anna: {} that is what was said in turn number {n}.", "so ".repeat(12));
        let talk: Vec<String> = (0..6).map(turn).collect();
        let cut = parts("", &talk.join("\n\n"));
        assert_eq!(cut, [talk[0..2].join("\n"), talk[2..4].join("\n"), talk[4..6].join("\n")]);
    }

    #[test]
    fn a_long_line_is_cut_after_sentences_and_nothing_of_it_is_lost() {
        let prose = "The boat lay in the harbour all winter. ".repeat(20);
        let cut = parts("", prose.trim());
        assert!(cut.len() > 1 && cut.iter().all(|part| part.ends_with('.')), "{cut:?}");
        assert_eq!(cut.join(" "), prose.trim());
        for odd in ["x".repeat(1_000), "船は冬の間ずっと港にあった。".repeat(40), "é ".repeat(700)]
        {
            let cut = parts("", &odd);
            assert!(cut.iter().all(|part| part.chars().count() <= LONGEST), "{cut:?}");
            let bare = |text: &str| text.replace(char::is_whitespace, "");
            assert_eq!(bare(&cut.concat()), bare(&odd));
        }
    }
}
