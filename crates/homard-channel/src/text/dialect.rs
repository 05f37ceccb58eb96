//! How each dialect writes its marks and which characters it must escape.

use std::borrow::Cow;

use super::layout::Style;
use super::tree::Emphasis;
use super::writer::Sink;
use crate::abilities::Dialect;

/// What is written around words.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Marks<'s> {
    /// At the beginning of every line.
    pub(super) line: Cow<'s, str>,
    /// Before the first word.
    pub(super) open: Cow<'s, str>,
    pub(super) close: Cow<'s, str>,
    /// Whether `open` and `close` stand on lines of their own.
    pub(super) own_line: bool,
}

impl<'s> Marks<'s> {
    fn around(open: impl Into<Cow<'s, str>>, close: impl Into<Cow<'s, str>>) -> Self {
        Self { open: open.into(), close: close.into(), ..Self::default() }
    }

    fn each_line(line: impl Into<Cow<'s, str>>) -> Self {
        Self { line: line.into(), ..Self::default() }
    }
}

/// The marks of a style.
pub(super) fn marks<'s>(dialect: Dialect, style: &'s Style) -> Marks<'s> {
    match style {
        Style::Emphasis(emphasis) => emphasised(dialect, *emphasis),
        Style::Code(ticks) => code(dialect, *ticks),
        Style::Link(url) => link(dialect, url),
        Style::Heading(level) if dialect == Dialect::Markdown => {
            Marks::each_line(format!("{} ", "#".repeat(*level)))
        }
        Style::Heading(_) => emphasised(dialect, Emphasis::Bold),
        Style::Quote if dialect == Dialect::Html => Marks::around("<blockquote>", "</blockquote>"),
        Style::Quote => Marks::each_line("> "),
        Style::Item(Some(number)) => Marks::each_line(format!("{number}. ")),
        Style::Item(None) => match dialect {
            Dialect::Html | Dialect::Mrkdwn | Dialect::Asterisks => Marks::each_line("• "),
            Dialect::Markdown | Dialect::IrcCodes | Dialect::Plain => Marks::each_line("- "),
        },
        Style::Fence { info, ticks } => fence(dialect, info, *ticks),
    }
}

fn emphasised(dialect: Dialect, emphasis: Emphasis) -> Marks<'static> {
    let (open, close) = match (dialect, emphasis) {
        (Dialect::Html, Emphasis::Bold) => ("<b>", "</b>"),
        (Dialect::Html, Emphasis::Italic) => ("<i>", "</i>"),
        (Dialect::Html, Emphasis::Strike) => ("<s>", "</s>"),
        (Dialect::Html, Emphasis::Spoiler) => ("<tg-spoiler>", "</tg-spoiler>"),
        (_, Emphasis::Spoiler) => ("||", "||"),
        (Dialect::Markdown, Emphasis::Bold) => ("**", "**"),
        (Dialect::Markdown, Emphasis::Italic) => ("*", "*"),
        (Dialect::Markdown, Emphasis::Strike) => ("~~", "~~"),
        (Dialect::Mrkdwn | Dialect::Asterisks, Emphasis::Bold) => ("*", "*"),
        (Dialect::Mrkdwn | Dialect::Asterisks, Emphasis::Italic) => ("_", "_"),
        (Dialect::Mrkdwn | Dialect::Asterisks, Emphasis::Strike) => ("~", "~"),
        (Dialect::IrcCodes, Emphasis::Bold) => ("\u{2}", "\u{2}"),
        (Dialect::IrcCodes, Emphasis::Italic) => ("\u{1d}", "\u{1d}"),
        (Dialect::IrcCodes, Emphasis::Strike) => ("\u{1e}", "\u{1e}"),
        (Dialect::Plain, _) => ("", ""),
    };
    Marks::around(open, close)
}

fn code(dialect: Dialect, ticks: usize) -> Marks<'static> {
    match dialect {
        Dialect::Html => Marks::around("<code>", "</code>"),
        Dialect::Markdown if ticks > 1 => {
            let ticks = "`".repeat(ticks);
            Marks::around(format!("{ticks} "), format!(" {ticks}"))
        }
        Dialect::Markdown | Dialect::Mrkdwn | Dialect::Asterisks => Marks::around("`", "`"),
        Dialect::IrcCodes => Marks::around("\u{11}", "\u{11}"),
        Dialect::Plain => Marks::default(),
    }
}

fn link(dialect: Dialect, url: &str) -> Marks<'static> {
    match dialect {
        Dialect::Html => Marks::around(format!("<a href=\"{}\">", attribute(url)), "</a>"),
        Dialect::Markdown => {
            let url = url.replace(' ', "%20").replace('(', "%28").replace(')', "%29");
            Marks::around("[", format!("]({url})"))
        }
        Dialect::Mrkdwn => Marks::around(format!("<{}|", attribute(&url.replace('|', "%7C"))), ">"),
        Dialect::Asterisks | Dialect::IrcCodes | Dialect::Plain => Marks::around("", format!(" ({url})")),
    }
}

fn fence<'s>(dialect: Dialect, info: &str, ticks: usize) -> Marks<'s> {
    let marks = match dialect {
        Dialect::Html => {
            let language = info.split([' ', ',', '{']).next().unwrap_or_default();
            return if language.is_empty() {
                Marks::around("<pre><code>", "</code></pre>")
            } else {
                let open = format!("<pre><code class=\"language-{}\">", attribute(language));
                Marks::around(open, "</code></pre>")
            };
        }
        Dialect::Markdown => {
            let ticks = "`".repeat(ticks);
            Marks::around(format!("{ticks}{}", info.replace('`', "")), ticks)
        }
        Dialect::Mrkdwn | Dialect::Asterisks => Marks::around("```", "```"),
        Dialect::IrcCodes => return Marks::around("\u{11}", "\u{11}"),
        Dialect::Plain => return Marks::default(),
    };
    Marks { own_line: true, ..marks }
}

/// Text for between the quotation marks of an HTML attribute.
fn attribute(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Whether marks must be closed at the end of a line and opened again on the next.
pub(super) fn ends_with_line(dialect: Dialect) -> bool {
    matches!(dialect, Dialect::Mrkdwn | Dialect::Asterisks | Dialect::IrcCodes)
}

/// Writes words, escaping what must be.
pub(super) fn put_words(dialect: Dialect, text: &str, sink: &mut impl Sink) {
    if !matches!(dialect, Dialect::Html | Dialect::Mrkdwn) {
        return sink.put(text);
    }
    let mut rest = text;
    while let Some(at) = rest.find(['&', '<', '>']) {
        let (before, after) = rest.split_at(at);
        sink.put(before);
        let (sign, after) = after.split_at_checked(1).unwrap_or((after, ""));
        sink.put(match sign {
            "&" => "&amp;",
            "<" => "&lt;",
            _ => "&gt;",
        });
        rest = after;
    }
    sink.put(rest);
}

/// Most backticks in a row.
pub(super) fn longest_run(text: &str) -> usize {
    if !text.contains('`') {
        return 0;
    }
    text.split(|c| c != '`').map(str::len).max().unwrap_or_default()
}
