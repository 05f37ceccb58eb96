//! Markdown as rows. What is not finished yet, because it is still being written, is shown as far as it goes.

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use ratatui_core::style::{Modifier, Style};
use ratatui_core::text::{Line, Span};

use super::code::Painter;
use super::table::{Cell, Grid};
use super::theme::Theme;
use super::wrap::{Lead, chop, wrap};

/// Deeper lists and quotes are not moved further to the right.
const DEEPEST: usize = 6;

/// The rows of a text that has been through [`clean`](super::clean::clean).
pub(crate) fn markdown(text: &str, width: usize, theme: Theme) -> Vec<Line<'static>> {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let mut page = Page::new(width, theme);
    for event in Parser::new_ext(text, options) {
        page.take(event);
    }
    page.flush();
    page.out
}

struct Page {
    width: usize,
    theme: Theme,
    out: Vec<Line<'static>>,
    /// What is collected for the present paragraph or cell.
    inline: Vec<Span<'static>>,
    /// How words look, for every mark that is open: each with those around it.
    style: Vec<Style>,
    /// What stands before rows, outermost first.
    margins: Vec<Span<'static>>,
    /// The number of the next item of each open list; none where it has no numbers.
    lists: Vec<Option<u64>>,
    marker: Option<String>,
    code: Option<(Painter, String)>,
    grid: Option<Grid>,
    /// Addresses of open links, and where in `inline` their words begin.
    links: Vec<(String, usize)>,
}

impl Page {
    fn new(width: usize, theme: Theme) -> Self {
        Self {
            width,
            theme,
            out: Vec::new(),
            inline: Vec::new(),
            style: Vec::new(),
            margins: Vec::new(),
            lists: Vec::new(),
            marker: None,
            code: None,
            grid: None,
            links: Vec::new(),
        }
    }

    fn take(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => match &mut self.code {
                Some((_, held)) => held.push_str(&text),
                None => self.say(&text, self.present()),
            },
            Event::Code(text) => self.say(&text, self.present().patch(self.theme.code())),
            Event::Html(text) | Event::InlineHtml(text) => self.html(&text),
            Event::InlineMath(text) | Event::DisplayMath(text) => self.say(&text, self.theme.code()),
            Event::FootnoteReference(name) => self.say(&format!("[{name}]"), self.theme.dim()),
            // In a chat a new line is meant as one.
            Event::SoftBreak | Event::HardBreak => self.flush(),
            Event::Rule => {
                self.gap();
                self.out.push(Line::styled("─".repeat(self.width.min(40)), self.theme.dim()));
            }
            Event::TaskListMarker(done) => {
                let mark = if done { "[x] " } else { "[ ] " };
                self.say(mark, self.theme.strong());
            }
        }
    }

    fn present(&self) -> Style {
        self.style.last().copied().unwrap_or_default()
    }

    /// Adds to how the words look from here on.
    fn dress(&mut self, style: Style) {
        self.style.push(self.present().patch(style));
    }

    fn say(&mut self, text: &str, style: Style) {
        self.inline.push(Span::styled(text.to_owned(), style));
    }

    /// HTML is not read: its words are shown as they are written.
    fn html(&mut self, text: &str) {
        for (number, line) in text.trim_end_matches('\n').split('\n').enumerate() {
            if number > 0 {
                self.flush();
            }
            self.say(line, self.theme.dim());
        }
        if text.ends_with('\n') {
            self.flush();
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Paragraph => self.gap(),
            Tag::Heading { level, .. } => {
                self.gap();
                let mut style = self.theme.heading();
                if matches!(level, HeadingLevel::H1 | HeadingLevel::H2) {
                    style = style.add_modifier(Modifier::UNDERLINED);
                }
                self.dress(style);
            }
            Tag::BlockQuote(_) => {
                self.flush();
                self.gap();
                self.margin("▏ ");
            }
            Tag::CodeBlock(kind) => {
                self.flush();
                self.gap();
                let language = match &kind {
                    CodeBlockKind::Fenced(info) => {
                        info.split([' ', ',', '{']).next().unwrap_or_default().to_owned()
                    }
                    CodeBlockKind::Indented => String::new(),
                };
                self.code = Some((Painter::new(self.theme, &language), String::new()));
            }
            Tag::List(first) => {
                self.flush();
                self.gap();
                self.lists.push(first);
            }
            Tag::Item => self.item(),
            Tag::Table(_) => {
                self.flush();
                self.gap();
                self.grid = Some(Grid::default());
            }
            Tag::TableHead => {
                self.dress(self.theme.strong());
                self.row();
            }
            Tag::TableRow => self.row(),
            Tag::Emphasis => self.dress(Style::new().add_modifier(Modifier::ITALIC)),
            Tag::Strong => self.dress(self.theme.strong()),
            Tag::Strikethrough => self.dress(Style::new().add_modifier(Modifier::CROSSED_OUT)),
            Tag::Link { dest_url, .. } => {
                self.dress(self.theme.link());
                self.links.push((dest_url.into_string(), self.inline.len()));
            }
            Tag::Image { dest_url, .. } => {
                self.say("image: ", self.theme.dim());
                self.dress(Style::new());
                self.links.push((dest_url.into_string(), self.inline.len()));
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph => self.flush(),
            TagEnd::Heading(_) => {
                self.flush();
                self.style.pop();
            }
            TagEnd::BlockQuote(_) => {
                self.flush();
                self.margins.pop();
            }
            TagEnd::CodeBlock => self.code_block(),
            TagEnd::List(_) => {
                self.lists.pop();
            }
            TagEnd::Item => {
                self.flush();
                self.margins.pop();
                self.marker = None;
            }
            TagEnd::Table => {
                if let Some(grid) = self.grid.take() {
                    let lead: Vec<Span<'static>> = self.margins.iter().take(DEEPEST).cloned().collect();
                    let wide = lead.iter().map(Span::width).sum::<usize>();
                    for mut line in grid.lines(self.width.saturating_sub(wide), self.theme) {
                        line.spans.splice(0..0, lead.iter().cloned());
                        self.out.push(line);
                    }
                }
            }
            TagEnd::TableHead => {
                self.style.pop();
            }
            TagEnd::TableCell => {
                let cell: Cell = std::mem::take(&mut self.inline);
                if let Some(row) = self.grid.as_mut().and_then(|grid| grid.rows.last_mut()) {
                    row.push(cell);
                }
            }
            TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough => {
                self.style.pop();
            }
            TagEnd::Link | TagEnd::Image => self.end_link(),
            _ => {}
        }
    }

    /// Where a link leads is said behind its words, unless they are the same.
    fn end_link(&mut self) {
        self.style.pop();
        let Some((address, from)) = self.links.pop() else { return };
        let said: String = self.inline.iter().skip(from).map(|span| span.content.as_ref()).collect();
        let bare = address.strip_prefix("mailto:").unwrap_or(&address);
        if !address.is_empty() && said != bare {
            self.say(&format!(" ({address})"), self.theme.dim());
        }
    }

    fn item(&mut self) {
        self.flush();
        let marker = match self.lists.last_mut() {
            Some(Some(number)) => {
                let marker = format!("{number}. ");
                *number += 1;
                marker
            }
            _ => "• ".to_owned(),
        };
        self.margin(&" ".repeat(super::wrap::columns(&marker)));
        self.marker = Some(marker);
    }

    fn margin(&mut self, text: &str) {
        let text = if self.margins.len() < DEEPEST { text.to_owned() } else { String::new() };
        self.margins.push(Span::styled(text, self.theme.dim()));
    }

    fn row(&mut self) {
        if let Some(grid) = &mut self.grid {
            grid.rows.push(Vec::new());
        }
    }

    /// An empty row between blocks; items of a list stand close together.
    fn gap(&mut self) {
        self.flush();
        if self.lists.is_empty() && self.out.last().is_some_and(|line| line.width() > 0) {
            self.out.push(Line::default());
        }
    }

    /// What stands before the next rows.
    fn lead(&mut self) -> Lead {
        // Whoever nests a thousand quotes gets no thousand pieces before every row.
        let rest: Vec<Span<'static>> = self.margins.iter().take(DEEPEST).cloned().collect();
        let mut first = rest.clone();
        if let Some(marker) = self.marker.take() {
            match first.last_mut() {
                Some(last) if self.margins.len() <= DEEPEST => {
                    *last = Span::styled(marker, self.theme.user());
                }
                _ => first.push(Span::styled(marker, self.theme.user())),
            }
        }
        Lead { first, rest }
    }

    fn flush(&mut self) {
        if self.grid.is_some() || (self.inline.is_empty() && self.marker.is_none()) {
            return;
        }
        if self.inline.is_empty() && self.code.is_none() && self.marker.is_some() {
            // The marker waits for its words.
            return;
        }
        let inline = std::mem::take(&mut self.inline);
        let lead = self.lead();
        self.out.extend(wrap(&inline, self.width, &lead));
    }

    fn code_block(&mut self) {
        let Some((mut painter, held)) = self.code.take() else { return };
        let mut lead = self.lead();
        for side in [&mut lead.first, &mut lead.rest] {
            side.push(Span::styled("│ ", self.theme.dim()));
        }
        for line in held.trim_end_matches('\n').split('\n') {
            self.out.extend(chop(&painter.line(line), self.width, &lead));
            lead.first.clone_from(&lead.rest);
        }
    }
}

#[cfg(test)]
mod tests;
