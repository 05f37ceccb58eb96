//! Writes a stretch of the flow in one dialect. White space is written only when something follows it and marks only
//! when they hold something, so nothing written is empty or ends in white space.

use std::borrow::Cow;

use super::dialect::{self, Marks};
use super::layout::{Atom, Style};
use crate::abilities::{Dialect, TextUnit};

/// Where text is written to.
pub(super) trait Sink {
    /// Adds `text`.
    fn put(&mut self, text: &str);
}

impl Sink for String {
    fn put(&mut self, text: &str) {
        self.push_str(text);
    }
}

/// Counts instead of writing.
#[derive(Debug, Clone)]
pub(super) struct Meter {
    pub(super) unit: TextUnit,
    pub(super) length: usize,
}

impl Sink for Meter {
    fn put(&mut self, text: &str) {
        self.length += measure(self.unit, text);
    }
}

/// How long `text` is.
pub(super) fn measure(unit: TextUnit, text: &str) -> usize {
    if unit == TextUnit::Bytes || text.is_ascii() { text.len() } else { unit.len_of(text) }
}

/// How a writer writes.
#[derive(Debug, Clone, Copy)]
pub(super) struct WriterOptions {
    pub(super) dialect: Dialect,
    pub(super) unit: TextUnit,
    /// Most that marks may take, opened and closed; those beyond are left out.
    pub(super) room: usize,
}

/// A style we are in.
#[derive(Debug, Clone)]
struct Entry<'f> {
    style: &'f Style,
    marks: Marks<'f>,
    written: bool,
    /// Whether it is not written at all; an item without room has a mark, but its other lines are not moved in.
    silent: bool,
    cost: usize,
}

impl Entry<'_> {
    fn is_item(&self) -> bool {
        matches!(self.style, Style::Item(_))
    }

    /// Whether it may be closed and opened again anywhere.
    fn is_emphasis(&self) -> bool {
        matches!(self.style, Style::Emphasis(_) | Style::Heading(_))
    }
}

/// Writes.
#[derive(Debug, Clone)]
pub(super) struct Writer<'f, S> {
    manner: WriterOptions,
    pub(super) sink: S,
    stack: Vec<Entry<'f>>,
    /// Whether something was written.
    begun: bool,
    /// Line ends that are due before the next word.
    lines: usize,
    /// The styles those line ends are in.
    lines_in: usize,
    /// White space that is due before the next word.
    spaces: String,
    /// Whether something is due before the next word.
    due: bool,
}

impl<'f, S: Sink> Writer<'f, S> {
    /// A writer that goes on in the `open` styles.
    pub(super) fn new(manner: WriterOptions, sink: S, open: &[&'f Style]) -> Self {
        let mut writer = Self {
            manner,
            sink,
            stack: Vec::with_capacity(8),
            begun: false,
            lines: 0,
            lines_in: 0,
            spaces: String::new(),
            due: true,
        };
        for style in open {
            writer.open(style);
            // An item that goes on has its mark already.
            if let Some(entry) = writer.stack.last_mut().filter(|entry| entry.is_item()) {
                entry.marks.line = Cow::Borrowed("");
                entry.written = true;
            }
        }
        writer
    }

    /// Begins a style.
    pub(super) fn open(&mut self, style: &'f Style) {
        let dialect = self.manner.dialect;
        let within = |is: fn(&Style) -> bool| self.stack.iter().any(|entry| is(entry.style));
        let in_link = within(|style| matches!(style, Style::Link(_)));
        let mut marks = dialect::marks(dialect, style);
        if dialect == Dialect::Html && *style == Style::Quote && within(|style| *style == Style::Quote) {
            marks = Marks { line: Cow::Borrowed("&gt; "), ..Marks::default() };
        }
        let unit = self.manner.unit;
        let cost = measure(unit, &marks.line) + measure(unit, &marks.open) + measure(unit, &marks.close) + 2;
        let taken: usize = self.stack.iter().filter(|entry| !entry.silent).map(|entry| entry.cost).sum();
        let is_link = matches!(style, Style::Link(_));
        let unfit = match dialect {
            Dialect::Html => in_link && matches!(style, Style::Code(_) | Style::Link(_)),
            Dialect::Mrkdwn => in_link,
            _ => false,
        };
        let doubled = !marks.open.is_empty()
            && self.stack.iter().any(|entry| !entry.silent && entry.marks.open == marks.open);
        let silent = unfit || doubled || (!is_link && taken + cost > self.manner.room);
        self.stack.push(Entry { style, marks, written: false, silent, cost });
        self.due = true;
    }

    /// Ends the innermost style.
    pub(super) fn close(&mut self) {
        let Some(entry) = self.stack.pop() else { return };
        self.lines_in = self.lines_in.min(self.stack.len());
        self.due = true;
        if !entry.written || entry.silent {
            return;
        }
        if entry.marks.own_line {
            self.lines = 0;
            self.begin_line(self.stack.len());
        }
        self.sink.put(&entry.marks.close);
    }

    /// White space between words.
    pub(super) fn space(&mut self, text: &str) {
        self.spaces.push_str(text);
        self.due = true;
    }

    /// The line ends. In lines of code every one counts.
    pub(super) fn line(&mut self) {
        if matches!(self.stack.last().map(|entry| entry.style), Some(Style::Fence { .. })) {
            self.end_lines(self.lines + 1);
        } else {
            self.end_lines(self.lines.max(1));
        }
    }

    /// A block ends, and another begins after a blank line or none.
    pub(super) fn gap(&mut self, apart: bool) {
        self.end_lines(self.lines.max(if apart { 2 } else { 1 }));
    }

    fn end_lines(&mut self, lines: usize) {
        self.lines_in = if self.lines == 0 { self.stack.len() } else { self.lines_in.min(self.stack.len()) };
        self.lines = lines;
        self.spaces.clear();
        self.due = true;
    }

    /// Words.
    pub(super) fn words(&mut self, text: &str) {
        self.settle();
        dialect::put_words(self.manner.dialect, text, &mut self.sink);
    }

    /// A character that might be taken for a mark.
    pub(super) fn escaped(&mut self, c: char) {
        self.settle();
        if self.manner.dialect == Dialect::Markdown {
            self.sink.put("\\");
        }
        dialect::put_words(self.manner.dialect, c.encode_utf8(&mut [0; 4]), &mut self.sink);
    }

    /// Something that is written as it is.
    pub(super) fn verbatim(&mut self, text: &str) {
        self.settle();
        self.sink.put(text);
    }

    /// Writes the mark of an item even if nothing follows.
    pub(super) fn mark_item(&mut self) {
        self.settle();
    }

    /// Closes everything.
    pub(super) fn finish(mut self) -> S {
        self.lines = 0;
        while !self.stack.is_empty() {
            self.close();
        }
        self.sink
    }

    /// Writes what is due before the next word.
    fn settle(&mut self) {
        if !self.due {
            return;
        }
        let begins_line = !self.begun || self.lines > 0;
        if self.is_bare() {
            self.suspend(|entry| entry.is_emphasis());
        }
        if self.begun && self.lines > 0 {
            self.end_line();
        } else if self.begun && !self.spaces.is_empty() {
            self.sink.put(&self.spaces);
        }
        self.spaces.clear();
        self.lines = 0;
        for at in 0..self.stack.len() {
            self.settle_entry(at, begins_line);
        }
        self.begun = true;
        self.due = false;
    }

    fn settle_entry(&mut self, at: usize, begins_line: bool) {
        let is_bare = self.is_bare();
        let Some(entry) = self.stack.get_mut(at).filter(|entry| !entry.silent || entry.is_item()) else {
            return;
        };
        let is_first = !entry.written;
        if begins_line || is_first {
            self.sink.put(&entry.marks.line);
        }
        if entry.is_item() && is_first {
            let width = if entry.silent { 0 } else { entry.marks.line.chars().count() };
            entry.marks.line = Cow::Owned(" ".repeat(width));
        }
        if is_first && !(is_bare && entry.is_emphasis()) {
            entry.written = true;
            self.sink.put(&entry.marks.open);
            if entry.marks.own_line {
                self.begin_line(at + 1);
            }
        }
    }

    /// Whether we are in HTML code, which may stand in no emphasis.
    fn is_bare(&self) -> bool {
        let is_code =
            |entry: &Entry<'_>| !entry.silent && matches!(entry.style, Style::Code(_) | Style::Fence { .. });
        self.manner.dialect == Dialect::Html && self.stack.last().is_some_and(is_code)
    }

    /// Closes marks to be opened again, from the innermost on.
    fn suspend(&mut self, which: impl Fn(&Entry<'_>) -> bool) {
        for entry in self.stack.iter_mut().rev() {
            if entry.written && !entry.silent && which(entry) {
                self.sink.put(&entry.marks.close);
                entry.written = false;
            }
        }
    }

    /// Writes the line ends that are due; the last line's beginning is written with the styles.
    fn end_line(&mut self) {
        if dialect::ends_with_line(self.manner.dialect) {
            self.suspend(|entry| {
                let in_line = matches!(entry.style, Style::Code(_) | Style::Fence { .. });
                entry.is_emphasis() || (in_line && !entry.marks.own_line)
            });
        }
        for _blank in 1..self.lines {
            self.begin_blank_line();
        }
        self.sink.put("\n");
    }

    /// A line within the first `styles` styles.
    fn begin_line(&mut self, styles: usize) {
        self.sink.put("\n");
        for entry in self.stack.iter().take(styles).filter(|entry| !entry.silent) {
            self.sink.put(&entry.marks.line);
        }
    }

    fn begin_blank_line(&mut self) {
        self.sink.put("\n");
        let quoted = self.stack.iter().take(self.lines_in).filter(|entry| !entry.silent && entry.written);
        let prefix: String = quoted.map(|entry| entry.marks.line.as_ref()).collect();
        self.sink.put(prefix.trim_end());
    }
}

impl Writer<'_, Meter> {
    /// What words would add.
    pub(super) fn cost(&self, text: &str) -> usize {
        let mut meter = Meter { unit: self.manner.unit, length: 0 };
        dialect::put_words(self.manner.dialect, text, &mut meter);
        meter.length
    }

    /// How long the text is if it ends here.
    pub(super) fn length(&self) -> usize {
        let mut length = self.sink.length;
        for (at, entry) in self.stack.iter().enumerate() {
            if entry.written && !entry.silent {
                length += measure(self.manner.unit, &entry.marks.close);
                if entry.marks.own_line {
                    let before = self.stack.iter().take(at).filter(|entry| !entry.silent);
                    let lines = before.map(|entry| measure(self.manner.unit, &entry.marks.line));
                    length += 1 + lines.sum::<usize>();
                }
            }
        }
        length
    }
}

/// A place in the flow: an atom, and how far into its text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct FlowPosition {
    pub(super) atom: usize,
    pub(super) at: usize,
}

/// Writes the flow from one place to another.
pub(super) fn write<'f, S: Sink>(
    writer: &mut Writer<'f, S>,
    flow: &'f [Atom],
    from: FlowPosition,
    to: FlowPosition,
) {
    for (index, atom) in flow.iter().enumerate().take(to.atom + 1).skip(from.atom) {
        if index == to.atom && to.at == 0 {
            return;
        }
        match atom {
            Atom::Text(text) => {
                let start = if index == from.atom { from.at } else { 0 };
                let end = if index == to.atom { to.at } else { text.len() };
                let whole_line = start == 0 && writer.in_fence();
                write_text(writer, text.get(start..end).unwrap_or_default(), whole_line);
            }
            Atom::Escaped(c) => writer.escaped(*c),
            Atom::Whole { formatted, plain } => writer.whole(formatted, plain),
            Atom::Line => writer.line(),
            Atom::Gap { apart } => writer.gap(*apart),
            Atom::Open(style) => {
                writer.open(style);
                if matches!(style, Style::Item(_)) {
                    writer.mark_item();
                }
            }
            Atom::Close => writer.close(),
        }
    }
}

/// Words with the white space around them, which counts where lines of code begin.
fn write_text<S: Sink>(writer: &mut Writer<'_, S>, text: &str, keeps_indent: bool) {
    let words = text.trim();
    if words.is_empty() {
        return writer.space(text);
    }
    let before = text.len() - text.trim_start().len();
    let after = text.trim_end().len();
    if keeps_indent {
        writer.words(text.get(..after).unwrap_or_default());
    } else {
        writer.space(text.get(..before).unwrap_or_default());
        writer.words(words);
    }
    writer.space(text.get(after..).unwrap_or_default());
}

impl<S: Sink> Writer<'_, S> {
    /// Whether we are in lines of code.
    pub(super) fn in_fence(&self) -> bool {
        self.stack.iter().any(|entry| matches!(entry.style, Style::Fence { .. }))
    }

    /// Something that is never cut.
    pub(super) fn whole(&mut self, formatted: &str, plain: &str) {
        let text = if self.manner.dialect == Dialect::Plain { plain } else { formatted };
        self.verbatim(text);
    }
}
