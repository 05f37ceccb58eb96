//! The tree as a flow: words in the order they are read, and where marks begin and end.

use super::tree::{Block, Child, Emphasis, Inline};
use super::{Shape, dialect, names, tables};
use crate::abilities::Dialect;

/// Addresses that may be made into links; others are shown.
const SCHEMES: [&str; 5] = ["http://", "https://", "tg://", "mailto:", "tel:"];

/// One step of the flow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Atom {
    /// Words on one line.
    Text(String),
    /// A character that some dialects would take for a mark.
    Escaped(char),
    /// Something that is written as it is and never cut.
    Whole {
        formatted: String,
        plain: String,
    },
    Line,
    /// A block ends and another begins.
    Gap {
        /// Whether a blank line stands between them.
        apart: bool,
    },
    Open(Style),
    Close,
}

/// What words are in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Style {
    Emphasis(Emphasis),
    /// Code in a line, between so many backticks.
    Code(usize),
    Link(String),
    Heading(usize),
    Quote,
    /// An item of a list, with its number.
    Item(Option<u64>),
    Fence {
        info: String,
        ticks: usize,
    },
}

/// Lays a tree out.
pub(super) fn lay_out(tree: Vec<Child>, shape: Shape) -> Vec<Atom> {
    let mut layout = Layout { shape, atoms: Vec::new(), links: 0 };
    layout.blocks(tree);
    layout.atoms
}

/// The flow in the making.
#[derive(Debug)]
pub(super) struct Layout {
    shape: Shape,
    atoms: Vec<Atom>,
    /// How many links we are in.
    links: usize,
}

impl Layout {
    pub(super) fn shape(&self) -> Shape {
        self.shape
    }

    pub(super) fn push(&mut self, atom: Atom) {
        self.atoms.push(atom);
    }

    fn blocks(&mut self, children: Vec<Child>) {
        for (n, child) in children.into_iter().enumerate() {
            if n > 0 {
                self.push(Atom::Gap { apart: child.apart });
            }
            self.block(child.block);
        }
    }

    fn block(&mut self, block: Block) {
        match block {
            Block::Paragraph(inlines) => self.inlines(inlines),
            Block::Heading(level, inlines) => {
                self.within(Style::Heading(level), |this| this.inlines(inlines));
            }
            Block::Quote(children) => self.within(Style::Quote, |this| this.blocks(children)),
            Block::Item(children) => self.within(Style::Item(None), |this| this.blocks(children)),
            Block::List(first, items) => self.list(first, items),
            Block::Code { info, text } => self.code_block(info, &text),
            Block::Table(rows) => tables::lay_out(self, rows),
            Block::Rule => {
                let line = if is_rich(self.shape.dialect) { "———" } else { "---" };
                self.push(Atom::Whole { formatted: line.to_owned(), plain: "---".to_owned() });
            }
        }
    }

    pub(super) fn within(&mut self, style: Style, fill: impl FnOnce(&mut Self)) {
        self.push(Atom::Open(style));
        fill(self);
        self.push(Atom::Close);
    }

    fn list(&mut self, first: Option<u64>, items: Vec<Child>) {
        for (n, item) in (0_u64..).zip(items) {
            if n > 0 {
                self.push(Atom::Gap { apart: item.apart });
            }
            let children = match item.block {
                Block::Item(children) => children,
                _ => vec![item],
            };
            let number = first.map(|first| first.saturating_add(n));
            self.within(Style::Item(number), |this| this.blocks(children));
        }
    }

    pub(super) fn code_block(&mut self, info: String, text: &str) {
        let text = text.trim_end();
        let ticks = dialect::longest_run(text) + 1;
        let split = matches!(self.shape.dialect, Dialect::Mrkdwn | Dialect::Asterisks) && ticks > 3;
        self.within(Style::Fence { info, ticks: ticks.max(3) }, |this| {
            for (n, line) in text.split('\n').enumerate() {
                if n > 0 {
                    this.push(Atom::Line);
                }
                // These dialects know three backticks only, so those in the code are kept from being the end of it.
                let line = if split { line.replace("```", "`\u{200b}`\u{200b}`") } else { line.to_owned() };
                this.push(Atom::Text(line));
            }
        });
    }

    pub(super) fn inlines(&mut self, inlines: Vec<Inline>) {
        for inline in inlines {
            match inline {
                Inline::Text(text) if self.is_ordinary(&text) => self.push(Atom::Text(text)),
                Inline::Text(text) => self.text(&text),
                Inline::Escaped(c) => self.push(Atom::Escaped(c)),
                Inline::Code(code) => self.code(code),
                Inline::Break if self.links > 0 => self.text(" "),
                Inline::Break => self.push(Atom::Line),
                Inline::Styled(emphasis, inside) => {
                    self.within(Style::Emphasis(emphasis), |this| this.inlines(inside));
                }
                Inline::Link(url, label) => self.link(url, label),
            }
        }
    }

    pub(super) fn text(&mut self, text: &str) {
        for (n, line) in text.split('\n').enumerate() {
            if n > 0 {
                self.push(Atom::Line);
            }
            if !line.is_empty() {
                self.line(line);
            }
        }
    }

    /// Whether a text is one line and surely has nothing in it to be looked for.
    fn is_ordinary(&self, text: &str) -> bool {
        let begins_ending = |pair: &[u8]| matches!(pair, [b'.', after] if after.is_ascii_alphanumeric());
        !text.contains('\n')
            && match self.shape.dialect {
                Dialect::Html => self.links > 0 || !text.as_bytes().windows(2).any(begins_ending),
                Dialect::Mrkdwn => !text.contains('<'),
                Dialect::Markdown | Dialect::Asterisks | Dialect::IrcCodes | Dialect::Plain => true,
            }
    }

    fn line(&mut self, line: &str) {
        let stretches = match self.shape.dialect {
            Dialect::Html if self.links == 0 => names::files(line),
            Dialect::Mrkdwn => names::mentions(line),
            _ => return self.push(Atom::Text(line.to_owned())),
        };
        for stretch in stretches {
            match stretch {
                names::Stretch::RichText(text) => self.push(Atom::Text(text.to_owned())),
                names::Stretch::File(name) => self.code(name.to_owned()),
                names::Stretch::Mention(text) => {
                    self.push(Atom::Whole { formatted: text.to_owned(), plain: text.to_owned() });
                }
            }
        }
    }

    fn code(&mut self, code: String) {
        let run = dialect::longest_run(&code);
        let cannot = run > 0 && matches!(self.shape.dialect, Dialect::Mrkdwn | Dialect::Asterisks);
        if cannot {
            return self.push(Atom::Text(code));
        }
        self.within(Style::Code(run + 1), |this| this.push(Atom::Text(code)));
    }

    fn link(&mut self, url: String, label: Vec<Inline>) {
        let shown = words_of(&label);
        let same = url == shown || url.strip_prefix("mailto:") == Some(&shown);
        if shown.trim().is_empty() {
            return self.push(Atom::Text(url));
        }
        if same || url.is_empty() {
            self.links += 1;
            self.inlines(label);
            self.links -= 1;
            return;
        }
        if self.can_link(&url) {
            self.links += 1;
            self.within(Style::Link(url), |this| this.inlines(label));
            self.links -= 1;
            return;
        }
        self.inlines(label);
        self.text(&format!(" ({url})"));
    }

    /// Whether an address may be a link, and leaves enough room for words.
    fn can_link(&self, url: &str) -> bool {
        let lower = url.get(..8.min(url.len())).unwrap_or(url).to_ascii_lowercase();
        let known = SCHEMES.iter().any(|scheme| lower.starts_with(scheme));
        let style = Style::Link(url.to_owned());
        let fits = |dialect: Dialect| {
            let marks = dialect::marks(dialect, &style);
            self.shape.unit.len_of(&marks.open) + self.shape.unit.len_of(&marks.close) <= self.shape.limit / 4
        };
        (known || self.shape.dialect == Dialect::Markdown) && fits(self.shape.dialect) && fits(Dialect::Plain)
    }
}

/// Whether a dialect is for people who see proportional letters.
fn is_rich(dialect: Dialect) -> bool {
    matches!(dialect, Dialect::Html | Dialect::Mrkdwn | Dialect::Asterisks)
}

/// The words, without marks.
pub(super) fn words_of(inlines: &[Inline]) -> String {
    let mut out = String::new();
    collect_words(inlines, &mut out);
    out
}

fn collect_words(inlines: &[Inline], out: &mut String) {
    for inline in inlines {
        match inline {
            Inline::Text(text) | Inline::Code(text) => out.push_str(text),
            Inline::Escaped(c) => out.push(*c),
            Inline::Break => out.push(' '),
            Inline::Styled(_, inside) => collect_words(inside, out),
            Inline::Link(url, label) => {
                let from = out.len();
                collect_words(label, out);
                let shown = out.get(from..).unwrap_or_default();
                if shown.trim().is_empty() {
                    out.push_str(url);
                } else if shown != url && url.strip_prefix("mailto:") != Some(shown) && !url.is_empty() {
                    out.push_str(&format!(" ({url})"));
                }
            }
        }
    }
}
