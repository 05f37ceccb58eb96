//! What is drawn of a question: lines beside a bar, each cut or broken to the width there is, so that their number is
//! known and they can be drawn over.

use std::fmt;

use homard_runtime::brief;

use crate::report::harmless;

/// The narrowest width that is drawn for.
const MIN_WIDTH: usize = 20;
/// The widest text; longer lines are hard to read.
const MAX_WIDTH: usize = 84;
/// The bar and what is between it and the text.
const MARGIN: usize = 3;

/// What a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Line {
    /// The title of the question that waits.
    Asked,
    /// The title of one that was answered, or of something said.
    Done,
    /// The title of one the person left at.
    Left,
    /// What was wrong with an answer.
    Wrong,
    /// Something beside the answers.
    Faint,
    Plain,
}

impl Line {
    fn sign(self) -> &'static str {
        match self {
            Self::Asked => "◆  ",
            Self::Done => "◇  ",
            Self::Left => "■  ",
            Self::Wrong => "▲  ",
            Self::Faint => "│  ",
            Self::Plain => "",
        }
    }

    fn color(self) -> &'static str {
        match self {
            Self::Asked => "36;1",
            Self::Done => "32",
            Self::Left => "31",
            Self::Wrong => "33",
            Self::Faint => "2",
            Self::Plain => "0",
        }
    }
}

/// Lines of the screen.
pub(super) struct Frame {
    width: usize,
    color: bool,
    lines: Vec<String>,
}

impl Frame {
    pub(super) fn new(columns: usize, color: bool) -> Self {
        // The last column is left free: some terminals go to the next line when it is filled.
        let width = columns.saturating_sub(MARGIN + 1).clamp(MIN_WIDTH, MAX_WIDTH);
        Self { width, color, lines: Vec::new() }
    }

    /// How many lines there are.
    pub(super) fn height(&self) -> usize {
        self.lines.len()
    }

    /// A line of its own kind, broken where it is too long.
    pub(super) fn put(&mut self, line: Line, text: &str) {
        for (index, part) in wrap(&harmless(text, false), self.width).into_iter().enumerate() {
            let sign = if index == 0 || line == Line::Plain { line.sign() } else { "│  " };
            let written = format!("{sign}{part}");
            self.lines.push(self.paint(line.color(), &written));
        }
    }

    /// Text beside the bar.
    pub(super) fn text(&mut self, text: &str) {
        for part in harmless(text, false).lines().flat_map(|line| wrap(line, self.width)) {
            self.lines.push(format!("│  {part}"));
        }
    }

    /// Text that is not drawn over. An address stays whole, so that it can be clicked and copied: the terminal breaks it.
    pub(super) fn said(&mut self, text: &str) {
        for line in harmless(text, false).lines() {
            let is_address = line.contains("://") && !line.contains(' ');
            let parts = if is_address { vec![line.to_owned()] } else { wrap(line, self.width) };
            let sign = if is_address { "" } else { "│  " };
            self.lines.extend(parts.into_iter().map(|part| format!("{sign}{part}")));
        }
    }

    /// One of the answers there are; its hint only where there is room for it.
    pub(super) fn option(&mut self, label: &str, hint: Option<&str>, is_chosen: bool) {
        let label = brief(&harmless(label, false), self.width.saturating_sub(2));
        let room = self.width.saturating_sub(label.chars().count() + 5);
        let hint =
            hint.filter(|_| room >= 8).map(|hint| format!(" ({})", brief(&harmless(hint, false), room)));
        let hint = hint.map(|hint| self.paint("2", &hint)).unwrap_or_default();
        let label =
            if is_chosen { self.paint("32;1", &format!("● {label}")) } else { format!("○ {label}") };
        self.lines.push(format!("│  {label}{hint}"));
    }

    /// What was typed so far: its end where it is longer than the line.
    pub(super) fn typed(&mut self, text: &str, example: Option<&str>) {
        let room = self.width.saturating_sub(2);
        let skipped = text.chars().count().saturating_sub(room);
        let end: String = text.chars().skip(skipped).collect();
        let example = example.map(|example| self.paint("2", &brief(&format!(" such as {example}"), room)));
        self.lines.push(format!("│  {end}▏{}", example.unwrap_or_default()));
    }

    fn paint(&self, color: &str, text: &str) -> String {
        if self.color { format!("\x1b[{color}m{text}\x1b[0m") } else { text.to_owned() }
    }
}

impl fmt::Display for Frame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.lines.iter().try_for_each(|line| writeln!(f, "{line}"))
    }
}

/// A text in lines of at most `width`, broken between words, or inside one that is longer.
fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let mut word: Vec<char> = word.chars().collect();
        while let Some(line) = lines.last_mut() {
            let used = line.chars().count();
            let space = usize::from(used > 0);
            if used + space + word.len() <= width {
                line.extend((space == 1).then_some(' ').into_iter().chain(word.iter().copied()));
                break;
            }
            if used == 0 {
                line.extend(word.drain(..width.min(word.len())));
            }
            lines.push(String::new());
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::{Frame, Line, wrap};

    #[test]
    fn text_is_broken_between_words_and_long_words_inside() {
        for (text, width, lines) in [
            ("", 5, vec![""]),
            ("one two three", 7, vec!["one two", "three"]),
            ("abcdefgh", 3, vec!["abc", "def", "gh"]),
            ("a abcdef b", 4, vec!["a", "abcd", "ef b"]),
        ] {
            assert_eq!(wrap(text, width), lines, "{text}");
        }
    }

    /// Errors of servers, names of models and versions of gateways are what somebody elsewhere says.
    #[test]
    fn what_strangers_say_steers_no_terminal() {
        let said = "a\x1b]52;c;ZXZpbA==\x07\u{9b}2Jb";
        let mut frame = Frame::new(80, true);
        frame.put(Line::Wrong, said);
        frame.text(said);
        frame.said(said);
        frame.said(&format!("http://{said}"));
        frame.option(said, Some(said), true);
        let drawn =
            frame.to_string().replace("\x1b[33m", "").replace("\x1b[32;1m", "").replace("\x1b[2m", "");
        let drawn = drawn.replace("\x1b[0m", "");
        assert!(!drawn.contains(|c: char| c.is_control() && c != '\n'), "{drawn:?}");
        assert_eq!(drawn.matches("a\\u{1b}]52;").count(), 6, "{drawn:?}");
    }

    #[test]
    fn an_address_that_is_said_is_not_broken() {
        let address = format!("http://127.0.0.1:18789/#token={}", "a".repeat(64));
        let mut frame = Frame::new(40, false);
        frame.said(&format!("The page:\n\n{address}"));
        assert_eq!(frame.to_string(), format!("│  The page:\n│  \n{address}\n"));
    }

    #[test]
    fn no_line_is_longer_than_the_terminal_and_their_number_is_known() {
        let long = "words ".repeat(30);
        for columns in [24, 40, 80, 200] {
            let mut frame = Frame::new(columns, false);
            frame.put(Line::Asked, &long);
            frame.text(&long);
            frame.option(&long, Some(&long), true);
            frame.option("short", Some("a hint that is rather long, too"), false);
            frame.typed(&long, None);
            frame.typed("", Some(&long));
            let drawn = frame.to_string();
            assert!(drawn.lines().all(|line| line.chars().count() < columns), "{columns}: {drawn}");
            assert_eq!(drawn.lines().count(), frame.height());
        }
    }
}
