//! From a page to the text a model reads: the main part, as Markdown or plain.
//!
//! A page is read up to three times, each time less choosy: only what stands in `<main>` or `<article>`; all but
//! menus, margins and what is hidden; everything. The first reading that finds enough text wins.

use homard_runtime::Clip;
use url::Url;

use super::html::{Opened, Piece, walk};

/// Fewer characters than this are not a page's main text.
const ENOUGH_MAIN: usize = 200;
/// With fewer characters than this, too much was left out.
const ENOUGH: usize = 40;
/// Most bytes of text made from a page; relative links grow when they are made whole.
const MAX_TEXT: usize = 1_000_000;
/// Longest address worth showing.
const MAX_LINK: usize = 1_000;
/// Most links shown; making them whole costs time, and a page with more is no text.
const MAX_LINKS: usize = 5_000;
/// Deepest indentation of lists and quotations.
const MAX_DEPTH: usize = 8;

/// What is never text.
const NEVER: [&str; 14] = [
    "audio", "canvas", "datalist", "iframe", "math", "noembed", "noframes", "object", "script", "select",
    "style", "svg", "template", "video",
];
/// What stands around the main text.
const AROUND: [&str; 5] = ["aside", "button", "footer", "menu", "nav"];
/// Elements without an end.
const VOID: [&str; 13] =
    ["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"];

/// How text is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    /// With headings, links and lists.
    Markdown,
    Plain,
}

/// What a page says.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Readable {
    pub(crate) title: String,
    pub(crate) text: String,
}

/// How choosy a reading is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Choice {
    MainOnly,
    NotAround,
    All,
}

/// Reads a page that came from `base`. `main_only` says whether to look for the main text.
pub(crate) fn read(page: &str, base: &Url, style: Style, main_only: bool) -> Readable {
    let choices: &[Choice] =
        if main_only { &[Choice::MainOnly, Choice::NotAround, Choice::All] } else { &[Choice::All] };
    let mut best = Readable::default();
    for choice in choices {
        let mut writer = Writer::new(base, style, *choice);
        walk(page, |piece| writer.piece(&piece));
        // What was passed over to the end was never closed; who knows what it swallowed.
        let is_whole = writer.skipped.is_none();
        let found = writer.finish();
        let enough = if *choice == Choice::MainOnly { ENOUGH_MAIN } else { ENOUGH };
        let is_enough = is_whole && found.text.chars().count() >= enough;
        if found.text.len() > best.text.len() || best.title.is_empty() {
            best = found;
        }
        if is_enough {
            break;
        }
    }
    best
}

struct Writer<'a> {
    base: &'a Url,
    style: Style,
    choice: Choice,
    out: String,
    title: String,
    in_title: bool,
    /// The element being passed over, and how many of its name are open.
    skipped: Option<(String, usize)>,
    /// How many elements that hold the main text are open.
    main: usize,
    /// Line ends owed before the next text.
    breaks: usize,
    /// Whether a space is owed before the next text.
    space: bool,
    /// Open lists; `Some` counts the items of a numbered one.
    lists: Vec<Option<u32>>,
    quotes: usize,
    pre: bool,
    /// Where open code begins.
    code: Option<usize>,
    /// Where an open link's text begins, and where it leads.
    link: Option<(usize, String)>,
    links: usize,
}

impl<'a> Writer<'a> {
    fn new(base: &'a Url, style: Style, choice: Choice) -> Self {
        Self {
            base,
            style,
            choice,
            out: String::new(),
            title: String::new(),
            in_title: false,
            skipped: None,
            main: 0,
            breaks: 0,
            space: false,
            lists: Vec::new(),
            quotes: 0,
            pre: false,
            code: None,
            link: None,
            links: 0,
        }
    }

    fn piece(&mut self, piece: &Piece<'_>) {
        if self.out.len() >= MAX_TEXT {
            return;
        }
        match piece {
            Piece::Open(element) => self.open(element),
            Piece::Close(name) => self.close(name),
            Piece::Text(text) => self.text(text),
        }
    }

    fn open(&mut self, element: &Opened<'_>) {
        let name = element.name();
        if let Some((skipped, depth)) = &mut self.skipped {
            *depth += usize::from(skipped == name);
            return;
        }
        if self.is_passed_over(element) {
            self.skipped = Some((name.to_owned(), 1));
            return;
        }
        match name {
            "title" => self.in_title = self.title.is_empty(),
            "main" | "article" => {
                self.main += 1;
                self.owe(2);
            }
            "br" => self.owe(1),
            "hr" => self.owe(2),
            "ul" => self.list(None),
            "ol" => self.list(Some(0)),
            "li" => self.item(),
            "blockquote" => {
                self.owe(2);
                self.quotes += 1;
            }
            "pre" => self.begin_pre(),
            "code" if !self.pre && self.code.is_none() => self.begin_code(),
            "a" => self.begin_link(element),
            "img" => self.image(element),
            "td" | "th" => self.cell(),
            _ => match heading(name) {
                Some(level) => {
                    self.owe(2);
                    self.mark(&format!("{} ", "#".repeat(level)));
                }
                None => self.owe(breaks_around(name)),
            },
        }
    }

    fn close(&mut self, name: &str) {
        if let Some((skipped, depth)) = &mut self.skipped {
            if skipped == name {
                *depth -= 1;
                if *depth == 0 {
                    self.skipped = None;
                }
            }
            return;
        }
        match name {
            "title" => self.in_title = false,
            "main" | "article" => {
                self.owe(2);
                self.main = self.main.saturating_sub(1);
            }
            "ul" | "ol" => {
                self.lists.pop();
                self.owe(if self.lists.is_empty() { 2 } else { 1 });
            }
            "blockquote" => {
                self.quotes = self.quotes.saturating_sub(1);
                self.owe(2);
            }
            "pre" => self.end_pre(),
            "code" => self.end_code(),
            "a" => self.end_link(),
            _ => self.owe(if heading(name).is_some() { 2 } else { breaks_around(name) }),
        }
    }

    fn is_passed_over(&self, element: &Opened<'_>) -> bool {
        let name = element.name();
        if NEVER.contains(&name) {
            return true;
        }
        self.choice != Choice::All && !VOID.contains(&name) && (AROUND.contains(&name) || is_hidden(element))
    }

    fn writes(&self) -> bool {
        !self.in_title && (self.choice != Choice::MainOnly || self.main > 0)
    }

    fn owe(&mut self, breaks: usize) {
        if self.writes() {
            self.breaks = self.breaks.max(breaks);
        }
    }

    fn text(&mut self, text: &str) {
        if self.skipped.is_some() {
            return;
        }
        if self.in_title {
            let room = MAX_LINK.saturating_sub(self.title.chars().count());
            self.title.extend(text.chars().take(room));
            return;
        }
        if !self.writes() {
            return;
        }
        if self.pre {
            self.settle();
            self.out.push_str(text);
            return;
        }
        for (n, word) in text.split(char::is_whitespace).enumerate() {
            self.space |= n > 0;
            if !word.is_empty() {
                self.settle();
                self.out.push_str(word);
            }
        }
    }

    /// Pays the line ends and spaces that are owed.
    fn settle(&mut self) {
        if self.breaks > 0 && !self.out.is_empty() {
            let quote = "> ".repeat(self.quotes.min(MAX_DEPTH));
            for _ in 0..self.breaks {
                self.out.push('\n');
                if self.style == Style::Markdown && !self.pre {
                    self.out.push_str(&quote);
                }
            }
        } else if self.space && !self.out.is_empty() && !self.out.ends_with([' ', '\n', '[']) {
            self.out.push(' ');
        }
        (self.breaks, self.space) = (0, false);
    }

    /// A sign in front of what follows.
    fn mark(&mut self, sign: &str) {
        if self.writes() && self.style == Style::Markdown {
            self.settle();
            self.out.push_str(sign);
        }
    }

    fn list(&mut self, first: Option<u32>) {
        self.owe(if self.lists.is_empty() { 2 } else { 1 });
        if self.lists.len() < MAX_DEPTH {
            self.lists.push(first);
        }
    }

    fn item(&mut self) {
        self.owe(1);
        let indent = "  ".repeat(self.lists.len().saturating_sub(1));
        let sign = match self.lists.last_mut() {
            Some(Some(number)) => {
                *number = number.saturating_add(1);
                format!("{indent}{number}. ")
            }
            Some(None) | None => format!("{indent}- "),
        };
        self.mark(&sign);
    }

    fn cell(&mut self) {
        if self.writes() && self.breaks == 0 && !self.out.is_empty() && !self.out.ends_with('\n') {
            self.out.push_str(" |");
            self.space = true;
        }
    }

    fn begin_pre(&mut self) {
        self.owe(2);
        self.mark("```\n");
        self.pre = self.writes();
    }

    fn end_pre(&mut self) {
        if std::mem::take(&mut self.pre) && self.style == Style::Markdown {
            if !self.out.ends_with('\n') {
                self.out.push('\n');
            }
            self.out.push_str("```");
        }
        self.owe(2);
    }

    fn begin_code(&mut self) {
        self.mark("`");
        self.code = (self.writes() && self.style == Style::Markdown).then_some(self.out.len());
    }

    fn end_code(&mut self) {
        match self.code.take() {
            Some(start) if self.out.len() > start => self.out.push('`'),
            Some(start) => self.out.truncate(start.saturating_sub(1)),
            None => {}
        }
    }

    fn begin_link(&mut self, element: &Opened<'_>) {
        self.end_link();
        if !self.writes() || self.style != Style::Markdown || self.pre || self.links == MAX_LINKS {
            return;
        }
        self.links += 1;
        let leads = element.attribute("href").filter(|href| !href.starts_with('#'));
        let leads = leads.and_then(|href| self.base.join(href.trim()).ok());
        let leads = leads.filter(|url| matches!(url.scheme(), "http" | "https" | "mailto"));
        let Some(url) = leads.map(String::from).filter(|url| url.len() <= MAX_LINK) else { return };
        self.settle();
        self.link = Some((self.out.len(), url));
        self.out.push('[');
    }

    fn end_link(&mut self) {
        let Some((start, url)) = self.link.take() else { return };
        if self.out.len() <= start + 1 {
            self.out.truncate(start);
        } else {
            self.out.push_str(&format!("]({url})"));
        }
    }

    fn image(&mut self, element: &Opened<'_>) {
        let says = element.attribute("alt").map(str::trim).filter(|says| !says.is_empty());
        if let (Some(says), true) = (says, self.writes()) {
            self.settle();
            let says = says.clip_chars(MAX_LINK).to_owned();
            self.out.push_str(&format!("(image: {says})"));
            self.space = true;
        }
    }

    fn finish(mut self) -> Readable {
        self.end_code();
        self.end_link();
        if self.pre {
            self.end_pre();
        }
        let title = self.title.split_whitespace().collect::<Vec<_>>().join(" ");
        Readable { title, text: self.out.trim().to_owned() }
    }
}

fn heading(name: &str) -> Option<usize> {
    match name.as_bytes() {
        [b'h', level @ b'1'..=b'6'] => Some(usize::from(level - b'0')),
        _ => None,
    }
}

/// How many line ends stand around an element.
fn breaks_around(name: &str) -> usize {
    match name {
        "p" | "table" | "dl" | "figure" | "details" | "section" | "header" | "fieldset" => 2,
        "div" | "tr" | "li" | "dt" | "dd" | "figcaption" | "summary" | "address" | "option" | "caption" => 1,
        _ => 0,
    }
}

/// Whether people do not see it.
fn is_hidden(element: &Opened<'_>) -> bool {
    let style = element.attribute("style").unwrap_or_default();
    let style: String = style.chars().filter(|c| !c.is_whitespace()).take(MAX_LINK).collect();
    let style = style.to_ascii_lowercase();
    element.attribute("hidden").is_some()
        || element.attribute("aria-hidden") == Some("true")
        || style.contains("display:none")
        || style.contains("visibility:hidden")
}

#[cfg(test)]
mod tests;
