//! Markdown as a tree.

use std::collections::HashMap;
use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, LinkType, Options, Parser, Tag, TagEnd};

use super::spoilers;

/// Most things inside each other; what is deeper belongs to the last that is not.
pub(super) const MAX_DEPTH: usize = 24;

/// A part of a text that stands on lines of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Block {
    Paragraph(Vec<Inline>),
    Heading(usize, Vec<Inline>),
    /// Its first number, if it has numbers, and its items.
    List(Option<u64>, Vec<Child>),
    Item(Vec<Child>),
    Quote(Vec<Child>),
    Code {
        info: String,
        text: String,
    },
    /// Rows of cells; the first row is the head.
    Table(Vec<Vec<Vec<Inline>>>),
    Rule,
}

/// A block where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Child {
    pub(super) block: Block,
    /// Whether a blank line stands before it.
    pub(super) apart: bool,
    range: Range<usize>,
}

/// A part of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Inline {
    Text(String),
    /// A character that was written with a backslash before it.
    Escaped(char),
    Code(String),
    Break,
    Styled(Emphasis, Vec<Self>),
    Link(String, Vec<Self>),
}

/// How words stand out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Emphasis {
    Bold,
    Italic,
    Strike,
    Spoiler,
}

/// Reads a text.
pub(super) fn read(source: &str) -> Vec<Child> {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_FOOTNOTES;
    let parser = Parser::new_ext(source, options);
    let mut definitions = Definitions::default();
    for (label, definition) in parser.reference_definitions().iter() {
        definitions.spans.insert(label.to_lowercase(), definition.span.clone());
    }
    let mut builder = Builder::new(source, definitions);
    for (event, range) in parser.into_offset_iter() {
        builder.take(event, range);
    }
    builder.finish()
}

/// `[label]: address` lines. Those that no link uses would vanish, so they are shown as they are.
#[derive(Debug, Default)]
struct Definitions {
    spans: HashMap<String, Range<usize>>,
    used: Vec<Range<usize>>,
}

impl Definitions {
    fn note(&mut self, kind: LinkType, label: &str) {
        let refers = matches!(kind, LinkType::Reference | LinkType::Collapsed | LinkType::Shortcut);
        if refers && let Some(span) = self.spans.remove(&label.to_lowercase()) {
            self.used.push(span);
        }
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Kind {
    Root,
    Quote,
    List(Option<u64>),
    Item,
    /// A footnote, by this name.
    Note(String),
    Paragraph,
    /// A paragraph nobody announced: in tight lists, and where things are too deep.
    Loose,
    Heading(usize),
    Code(String),
    Table,
    Cell,
    Styled(Emphasis),
    Link(String),
}

impl Kind {
    /// Whether it holds blocks.
    fn holds_blocks(&self) -> bool {
        matches!(self, Self::Root | Self::Quote | Self::List(_) | Self::Item | Self::Note(_))
    }

    fn is_inline(&self) -> bool {
        matches!(self, Self::Styled(_) | Self::Link(_) | Self::Cell)
    }
}

/// Something that is not closed yet.
#[derive(Debug)]
struct Frame {
    kind: Kind,
    range: Range<usize>,
    apart: bool,
    blocks: Vec<Child>,
    inlines: Vec<Inline>,
    rows: Vec<Vec<Vec<Inline>>>,
    text: String,
}

struct Builder<'s> {
    source: &'s str,
    definitions: Definitions,
    stack: Vec<Frame>,
    /// How many things are open that are too deep to be kept apart.
    skipped: usize,
    /// Where the last text ended in the source.
    text_end: usize,
    /// Where the last cell of a table ended.
    cell_end: usize,
}

impl<'s> Builder<'s> {
    fn new(source: &'s str, definitions: Definitions) -> Self {
        let mut builder =
            Self { source, definitions, stack: Vec::new(), skipped: 0, text_end: 0, cell_end: 0 };
        builder.push(Kind::Root, 0..source.len());
        builder
    }

    fn push(&mut self, kind: Kind, range: Range<usize>) {
        let apart = !kind.is_inline() && follows_blank_line(self.source, range.start);
        self.stack.push(Frame {
            kind,
            range,
            apart,
            blocks: Vec::new(),
            inlines: Vec::new(),
            rows: Vec::new(),
            text: String::new(),
        });
    }

    fn take(&mut self, event: Event<'_>, range: Range<usize>) {
        match event {
            Event::Start(tag) => self.start(tag, range),
            Event::End(tag) => self.end(tag, &range),
            Event::Text(text) => self.text(&text, range, true),
            Event::Html(text) | Event::InlineHtml(text) => self.text(&text, range, false),
            Event::Code(code) => self.inline(Inline::Code(code.into_string()), &range),
            Event::InlineMath(text) | Event::DisplayMath(text) => self.text(&text, range, false),
            Event::FootnoteReference(name) => self.text(&format!("[^{name}]"), range, false),
            Event::SoftBreak | Event::HardBreak => self.inline(Inline::Break, &range),
            Event::Rule => {
                self.close_loose();
                let apart = follows_blank_line(self.source, range.start);
                self.put_block(Child { block: Block::Rule, apart, range });
            }
            Event::TaskListMarker(_) => {}
        }
    }

    fn start(&mut self, tag: Tag<'_>, range: Range<usize>) {
        if self.skipped > 0 || self.stack.len() >= MAX_DEPTH {
            self.skipped += 1;
            return;
        }
        let kind = match tag {
            Tag::Paragraph | Tag::HtmlBlock => Kind::Paragraph,
            Tag::Heading { level, .. } => Kind::Heading(level as usize),
            Tag::BlockQuote(_) => Kind::Quote,
            Tag::CodeBlock(CodeBlockKind::Fenced(info)) => Kind::Code(info.into_string()),
            Tag::CodeBlock(CodeBlockKind::Indented) => Kind::Code(String::new()),
            Tag::List(first) => Kind::List(first),
            Tag::Item => Kind::Item,
            Tag::Table(_) => Kind::Table,
            Tag::TableHead | Tag::TableRow => {
                if let Some(table) = self.stack.last_mut() {
                    table.rows.push(Vec::new());
                }
                return;
            }
            Tag::TableCell => Kind::Cell,
            Tag::Emphasis => Kind::Styled(Emphasis::Italic),
            Tag::Strong => Kind::Styled(Emphasis::Bold),
            Tag::Strikethrough => Kind::Styled(Emphasis::Strike),
            Tag::Link { link_type, dest_url, id, .. } | Tag::Image { link_type, dest_url, id, .. } => {
                self.definitions.note(link_type, &id);
                Kind::Link(dest_url.into_string())
            }
            Tag::FootnoteDefinition(name) => Kind::Note(name.into_string()),
            // Not asked for, so never met.
            Tag::DefinitionList
            | Tag::DefinitionListTitle
            | Tag::DefinitionListDefinition
            | Tag::Superscript
            | Tag::Subscript
            | Tag::MetadataBlock(_) => {
                self.skipped += 1;
                return;
            }
        };
        match kind {
            Kind::Cell => {}
            Kind::Styled(_) | Kind::Link(_) => self.need_line(&range),
            _ => self.close_loose(),
        }
        self.push(kind, range);
    }

    fn end(&mut self, tag: TagEnd, range: &Range<usize>) {
        if self.skipped > 0 {
            self.skipped -= 1;
            let in_line = matches!(
                tag,
                TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough | TagEnd::Link | TagEnd::Image
            );
            let is_broken = self.stack.last().is_some_and(|top| top.inlines.last() == Some(&Inline::Break));
            if !in_line && !is_broken {
                self.inline(Inline::Break, &(0..0));
            }
            return;
        }
        if matches!(tag, TagEnd::TableHead | TagEnd::TableRow) {
            self.keep_extra_cells(range);
            return;
        }
        self.close_loose();
        if self.stack.len() > 1
            && let Some(frame) = self.stack.pop()
        {
            self.put(frame);
        }
    }

    /// What a row has beyond the columns of its table is not told; it is kept as one more cell.
    fn keep_extra_cells(&mut self, row: &Range<usize>) {
        let rest = self.source.get(self.cell_end.max(row.start)..row.end).unwrap_or_default();
        let extra = rest.trim_matches(|c: char| c == '|' || c.is_whitespace());
        let table = self.stack.last_mut().filter(|_| !extra.is_empty());
        if let Some(cells) = table.and_then(|table| table.rows.last_mut()) {
            cells.push(vec![Inline::Text(extra.to_owned())]);
        }
    }

    /// A paragraph nobody announced ends where another block begins or its container ends.
    fn close_loose(&mut self) {
        if self.stack.last().is_some_and(|top| top.kind == Kind::Loose)
            && let Some(frame) = self.stack.pop()
        {
            self.put(frame);
        }
    }

    /// Makes sure that the innermost thing holds words.
    fn need_line(&mut self, range: &Range<usize>) {
        if self.stack.last().is_some_and(|top| top.kind.holds_blocks()) {
            self.push(Kind::Loose, range.clone());
        }
    }

    fn inline(&mut self, inline: Inline, range: &Range<usize>) {
        self.need_line(range);
        if let Some(top) = self.stack.last_mut() {
            match (inline, &top.kind) {
                (Inline::Text(text), Kind::Code(_)) => top.text.push_str(&text),
                (inline, _) => top.inlines.push(inline),
            }
        }
    }

    fn text(&mut self, text: &str, range: Range<usize>, may_be_escaped: bool) {
        self.need_line(&range);
        let before = range.start.checked_sub(1).and_then(|at| self.source.as_bytes().get(at));
        let escaped = may_be_escaped && before == Some(&b'\\') && self.text_end != range.start;
        self.text_end = range.end;
        let Some(top) = self.stack.last_mut() else { return };
        if matches!(top.kind, Kind::Code(_)) {
            top.text.push_str(text);
            return;
        }
        let mut chars = text.chars();
        if escaped && let Some(first) = chars.next() {
            top.inlines.push(Inline::Escaped(first));
        }
        match top.inlines.last_mut() {
            _ if chars.as_str().is_empty() => {}
            Some(Inline::Text(last)) => last.push_str(chars.as_str()),
            _ => top.inlines.push(Inline::Text(chars.as_str().to_owned())),
        }
    }

    fn put(&mut self, mut frame: Frame) {
        spoilers::pair(&mut frame.inlines);
        let block = match frame.kind {
            Kind::Root => return,
            Kind::Quote => Block::Quote(frame.blocks),
            Kind::List(first) => Block::List(first, frame.blocks),
            Kind::Item => Block::Item(frame.blocks),
            Kind::Note(name) => return self.put_note(&name, frame.blocks, frame.apart, frame.range.start),
            Kind::Paragraph | Kind::Loose => Block::Paragraph(frame.inlines),
            Kind::Heading(level) => Block::Heading(level, frame.inlines),
            Kind::Code(info) => Block::Code { info, text: frame.text },
            Kind::Table => Block::Table(frame.rows),
            Kind::Cell => {
                self.cell_end = frame.range.end;
                if let Some(row) = self.stack.last_mut().and_then(|table| table.rows.last_mut()) {
                    row.push(frame.inlines);
                }
                return;
            }
            Kind::Styled(emphasis) => {
                return self.inline(Inline::Styled(emphasis, frame.inlines), &frame.range);
            }
            Kind::Link(url) => return self.inline(Inline::Link(url, frame.inlines), &frame.range),
        };
        self.put_block(Child { block, apart: frame.apart, range: frame.range });
    }

    /// A footnote stays where it was written, behind its name.
    fn put_note(&mut self, name: &str, blocks: Vec<Child>, apart: bool, start: usize) {
        let mut name = Some(Inline::Text(format!("[^{name}]: ")));
        for mut child in blocks {
            if name.is_some() {
                child.apart = apart;
                child.range.start = start;
            }
            if let Block::Paragraph(inlines) = &mut child.block
                && let Some(name) = name.take()
            {
                inlines.insert(0, name);
            }
            self.put_block(child);
        }
    }

    fn put_block(&mut self, child: Child) {
        if let Some(parent) = self.stack.last_mut() {
            parent.blocks.push(child);
        }
    }

    fn finish(mut self) -> Vec<Child> {
        self.close_loose();
        let mut blocks = self.stack.pop().map(|root| root.blocks).unwrap_or_default();
        let mut lost: Vec<Child> = Vec::new();
        for gap in gaps(&blocks, self.source.len()) {
            let text = without(self.source, gap.clone(), &self.definitions.used);
            if !text.trim().is_empty() {
                lost.push(as_written(self.source, gap.clone(), text.trim()));
            }
            self.definitions.spans.retain(|_, span| !gap.contains(&span.start));
        }
        for span in self.definitions.spans.into_values() {
            let text = self.source.get(span.clone()).unwrap_or_default();
            lost.push(as_written(self.source, span, text.trim()));
        }
        if !lost.is_empty() {
            blocks.extend(lost);
            blocks.sort_by_key(|child| child.range.start);
        }
        blocks
    }
}

/// A piece of the source as a paragraph.
fn as_written(source: &str, range: Range<usize>, text: &str) -> Child {
    let skipped = source.get(range.clone()).map_or(0, |all| all.len() - all.trim_start().len());
    let start = range.start + skipped;
    Child {
        block: Block::Paragraph(vec![Inline::Text(text.to_owned())]),
        apart: follows_blank_line(source, start),
        range: start..range.end,
    }
}

/// The stretches of the source no block covers.
fn gaps(blocks: &[Child], end: usize) -> Vec<Range<usize>> {
    let starts = blocks.iter().map(|block| block.range.start).chain([end]);
    let ends = std::iter::once(0).chain(blocks.iter().map(|block| block.range.end));
    ends.zip(starts).filter(|(from, to)| from < to).map(|(from, to)| from..to).collect()
}

/// A stretch of the source without the `used` parts of it.
fn without(source: &str, gap: Range<usize>, used: &[Range<usize>]) -> String {
    let mut inside: Vec<&Range<usize>> = used.iter().filter(|span| gap.contains(&span.start)).collect();
    inside.sort_by_key(|span| span.start);
    let mut text = String::new();
    let mut from = gap.start;
    for span in inside {
        text.push_str(source.get(from..span.start).unwrap_or_default());
        from = span.end.max(from);
    }
    text.push_str(source.get(from..gap.end).unwrap_or_default());
    text
}

/// Whether the line before the one `at` stands on is blank, quote marks aside.
fn follows_blank_line(source: &str, at: usize) -> bool {
    let before = source.get(..at).unwrap_or_default();
    let Some(line) = before.rfind('\n') else { return false };
    let previous = before.get(..line).unwrap_or_default();
    for byte in previous.bytes().rev() {
        match byte {
            b'\n' => return true,
            b' ' | b'\t' | b'>' | b'\r' => {}
            _ => return false,
        }
    }
    true
}
