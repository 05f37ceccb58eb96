//! Breaking styled text into rows: between words where there are any, inside them where one is longer than a row.

use std::borrow::Cow;

use ratatui_core::style::Style;
use ratatui_core::text::{Line, Span};
use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::UnicodeWidthStr as _;

/// What stands at the beginning of rows.
#[derive(Debug, Clone, Default)]
pub(crate) struct Lead {
    pub(crate) first: Vec<Span<'static>>,
    pub(crate) rest: Vec<Span<'static>>,
}

impl Lead {
    /// The same before every row.
    pub(crate) fn of(text: &'static str, style: Style) -> Self {
        Self::pair(text, text, style)
    }

    /// One text before the first row, another before the others.
    pub(crate) fn pair(first: &'static str, rest: &'static str, style: Style) -> Self {
        Self { first: vec![Span::styled(first, style)], rest: vec![Span::styled(rest, style)] }
    }
}

/// Columns a text takes.
pub(crate) fn columns(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.width() }
}

/// As much of a text as fits, with an ellipsis where something is missing.
pub(crate) fn fit(text: &str, width: usize) -> String {
    if columns(text) <= width {
        return text.to_owned();
    }
    let mut out = String::new();
    let mut used = 1;
    for grapheme in text.graphemes(true) {
        used += columns(grapheme);
        if used > width {
            break;
        }
        out.push_str(grapheme);
    }
    if width > 0 {
        out.push('…');
    }
    out
}

/// Wraps between words.
pub(crate) fn wrap(spans: &[Span<'static>], width: usize, lead: &Lead) -> Vec<Line<'static>> {
    let mut rows = Rows::new(width, lead);
    for span in spans {
        rows.words(&span.content, span.style);
    }
    rows.finish()
}

/// Wraps anywhere: for code, whose spaces mean something.
pub(crate) fn chop(spans: &[Span<'static>], width: usize, lead: &Lead) -> Vec<Line<'static>> {
    let mut rows = Rows::new(width, lead);
    for span in spans {
        rows.solid(&span.content, span.style);
    }
    rows.finish()
}

/// Wraps a text of several lines in one style.
pub(crate) fn wrap_text(text: &str, style: Style, width: usize, lead: &Lead) -> Vec<Line<'static>> {
    let mut out = Vec::new();
    let mut lead = lead.clone();
    for line in text.split('\n') {
        out.extend(wrap(&[Span::styled(line.to_owned(), style)], width, &lead));
        lead.first.clone_from(&lead.rest);
    }
    out
}

struct Rows<'a> {
    lead: &'a Lead,
    width: usize,
    done: Vec<Line<'static>>,
    row: Vec<Span<'static>>,
    /// Columns used in the row, its lead counted.
    used: usize,
    /// Where the row's lead ends.
    start: usize,
    word: Vec<Span<'static>>,
    word_width: usize,
    gap: usize,
    gap_style: Style,
}

impl<'a> Rows<'a> {
    fn new(width: usize, lead: &'a Lead) -> Self {
        let mut rows = Self {
            lead,
            width: width.max(1),
            done: Vec::new(),
            row: Vec::new(),
            used: 0,
            start: 0,
            word: Vec::new(),
            word_width: 0,
            gap: 0,
            gap_style: Style::new(),
        };
        rows.begin();
        rows
    }

    fn begin(&mut self) {
        let lead = if self.done.is_empty() { &self.lead.first } else { &self.lead.rest };
        let wide = lead.iter().map(|span| columns(&span.content)).sum::<usize>();
        // A lead that leaves no room for a letter is left out.
        if wide + 1 < self.width {
            self.row.clone_from(lead);
            self.used = wide;
        } else {
            self.row.clear();
            self.used = 0;
        }
        self.start = self.used;
    }

    fn next_row(&mut self) {
        self.done.push(Line::from(std::mem::take(&mut self.row)));
        self.begin();
    }

    fn words(&mut self, text: &str, style: Style) {
        let mut rest = text;
        while !rest.is_empty() {
            let spaces = rest.len() - rest.trim_start_matches(' ').len();
            if spaces > 0 {
                self.end_word();
                self.gap += spaces;
                self.gap_style = style;
                rest = rest.get(spaces..).unwrap_or_default();
                continue;
            }
            let end = rest.find(' ').unwrap_or(rest.len());
            let (word, after) = rest.split_at(end);
            self.word_width += columns(word);
            join(&mut self.word, word, style);
            rest = after;
        }
    }

    fn end_word(&mut self) {
        if self.word.is_empty() {
            return;
        }
        let word = std::mem::take(&mut self.word);
        let wide = std::mem::take(&mut self.word_width);
        let gap = std::mem::take(&mut self.gap);
        if self.used + gap + wide <= self.width {
            if gap > 0 {
                join(&mut self.row, &" ".repeat(gap), self.gap_style);
            }
            self.used += gap + wide;
            for span in word {
                join(&mut self.row, &span.content, span.style);
            }
            return;
        }
        if self.used > self.start {
            self.next_row();
        }
        for span in word {
            self.solid(&span.content, span.style);
        }
    }

    fn solid(&mut self, text: &str, style: Style) {
        if text.is_ascii() {
            self.solid_ascii(text, style);
            return;
        }
        for grapheme in text.graphemes(true) {
            self.put(grapheme, columns(grapheme), style);
        }
    }

    fn solid_ascii(&mut self, text: &str, style: Style) {
        let mut rest = text;
        while !rest.is_empty() {
            if self.used >= self.width {
                self.next_row();
            }
            let (now, later) = rest.split_at(rest.len().min((self.width - self.used).max(1)));
            self.put(now, now.len(), style);
            rest = later;
        }
    }

    fn put(&mut self, text: &str, wide: usize, style: Style) {
        if self.used + wide > self.width && self.used > self.start {
            self.next_row();
        }
        self.used += wide;
        join(&mut self.row, text, style);
    }

    fn finish(mut self) -> Vec<Line<'static>> {
        self.end_word();
        self.done.push(Line::from(self.row));
        self.done
    }
}

/// Adds text to a row, to its last span where the style is the same.
fn join(row: &mut Vec<Span<'static>>, text: &str, style: Style) {
    match row.last_mut() {
        Some(last) if last.style == style && matches!(last.content, Cow::Owned(_)) => {
            last.content.to_mut().push_str(text);
        }
        _ => row.push(Span::styled(text.to_owned(), style)),
    }
}

#[cfg(test)]
mod tests {
    use ratatui_core::style::{Modifier, Style};
    use ratatui_core::text::Span;

    use super::{Lead, chop, columns, fit, wrap, wrap_text};

    fn rows(text: &str, width: usize, lead: &Lead) -> Vec<String> {
        wrap_text(text, Style::new(), width, lead).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn rows_break_between_words_and_inside_long_ones() {
        let none = Lead::default();
        let cases: [(&str, usize, &[&str]); 8] = [
            ("one two three", 7, &["one two", "three"]),
            ("one  two", 20, &["one  two"]),
            ("abcdefghij", 4, &["abcd", "efgh", "ij"]),
            ("a abcdefghij b", 4, &["a", "abcd", "efgh", "ij b"]),
            ("日本語日本", 4, &["日本", "語日", "本"]),
            ("", 4, &[""]),
            ("a\n\nb", 4, &["a", "", "b"]),
            ("日", 1, &["日"]),
        ];
        for (text, width, wanted) in cases {
            assert_eq!(rows(text, width, &none), wanted, "{text:?}");
        }
    }

    #[test]
    fn leads_stand_before_rows_unless_they_leave_no_room() {
        let lead = Lead::pair("› ", "  ", Style::new());
        assert_eq!(rows("one two three", 7, &lead), ["› one", "  two", "  three"]);
        assert_eq!(rows("ab", 2, &lead), ["ab"]);
    }

    #[test]
    fn words_of_several_styles_stay_together() {
        let bold = Style::new().add_modifier(Modifier::BOLD);
        let spans = [Span::raw("see "), Span::styled("bo", bold), Span::raw("ld here")];
        let rows: Vec<_> = wrap(&spans, 8, &Lead::default()).iter().map(ToString::to_string).collect();
        assert_eq!(rows, ["see bold", "here"]);
        let rows: Vec<_> =
            chop(&[Span::raw("a  b  c")], 4, &Lead::default()).iter().map(ToString::to_string).collect();
        assert_eq!(rows, ["a  b", "  c"]);
    }

    #[test]
    fn what_does_not_fit_ends_with_an_ellipsis() {
        for (text, width, wanted) in
            [("abc", 3, "abc"), ("abcd", 3, "ab…"), ("日本語", 4, "日…"), ("abc", 1, "…"), ("abc", 0, "")]
        {
            assert_eq!(fit(text, width), wanted);
            assert!(columns(wanted) <= width);
        }
    }
}
