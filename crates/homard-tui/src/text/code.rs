//! Colour for code: strings, comments, numbers and the words most languages share. It knows no grammar, so it is never
//! far off and never slow.

use ratatui_core::style::Style;
use ratatui_core::text::Span;

use super::theme::Theme;

/// Words that mean the same in most languages.
const KEYWORDS: &[&str] = &[
    "abstract",
    "and",
    "as",
    "assert",
    "async",
    "await",
    "begin",
    "bool",
    "boolean",
    "break",
    "case",
    "catch",
    "char",
    "class",
    "const",
    "continue",
    "crate",
    "def",
    "default",
    "defer",
    "del",
    "delete",
    "do",
    "done",
    "double",
    "echo",
    "elif",
    "else",
    "end",
    "enum",
    "esac",
    "except",
    "export",
    "extends",
    "extern",
    "false",
    "False",
    "fi",
    "final",
    "finally",
    "float",
    "fn",
    "for",
    "foreach",
    "from",
    "func",
    "function",
    "go",
    "goto",
    "if",
    "impl",
    "implements",
    "import",
    "in",
    "instanceof",
    "int",
    "interface",
    "is",
    "lambda",
    "let",
    "local",
    "long",
    "loop",
    "match",
    "mod",
    "module",
    "move",
    "mut",
    "namespace",
    "new",
    "nil",
    "None",
    "not",
    "null",
    "or",
    "package",
    "pass",
    "private",
    "protected",
    "pub",
    "public",
    "raise",
    "ref",
    "return",
    "self",
    "Self",
    "short",
    "static",
    "string",
    "struct",
    "super",
    "switch",
    "then",
    "this",
    "throw",
    "trait",
    "true",
    "True",
    "try",
    "type",
    "typeof",
    "undefined",
    "union",
    "unless",
    "unsafe",
    "until",
    "use",
    "using",
    "var",
    "void",
    "where",
    "while",
    "with",
    "yield",
    "select",
    "SELECT",
    "FROM",
    "WHERE",
    "INSERT",
    "INTO",
    "UPDATE",
    "SET",
    "DELETE",
    "JOIN",
    "ORDER",
    "BY",
    "LIMIT",
];

/// A longer line, in bytes, was made by a program for programs; colouring it would take longer than drawing it.
const LONGEST: usize = 4_000;

/// Languages whose text is not coloured.
const PROSE: &[&str] = &["", "text", "txt", "plain", "markdown", "md", "log", "output", "console"];

/// Colours the lines of one block, in their order.
pub(super) struct Painter {
    theme: Theme,
    language: String,
    /// Whether a comment that spans lines is open.
    in_comment: bool,
}

impl Painter {
    pub(super) fn new(theme: Theme, language: &str) -> Self {
        Self { theme, language: language.to_lowercase(), in_comment: false }
    }

    pub(super) fn line(&mut self, line: &str) -> Vec<Span<'static>> {
        if PROSE.contains(&self.language.as_str()) || line.len() > LONGEST {
            return vec![Span::raw(line.to_owned())];
        }
        if self.language == "diff" || self.language == "patch" {
            return vec![Span::styled(line.to_owned(), self.diff(line))];
        }
        let mut spans = Vec::new();
        let mut rest = line;
        while !rest.is_empty() {
            let (taken, style) = self.token(rest);
            let (now, later) = rest.split_at(taken.clamp(1, rest.len()));
            spans.push(Span::styled(now.to_owned(), style));
            rest = later;
        }
        spans
    }

    fn diff(&self, line: &str) -> Style {
        match line.chars().next() {
            Some('+') => self.theme.good(),
            Some('-') => self.theme.bad(),
            Some('@') => self.theme.number(),
            _ => self.theme.plain(),
        }
    }

    /// How long the next token is, in bytes, and how it looks.
    fn token(&mut self, rest: &str) -> (usize, Style) {
        if self.in_comment || rest.starts_with("/*") {
            let end = rest.find("*/").map(|at| at + 2);
            self.in_comment = end.is_none();
            return (end.unwrap_or(rest.len()), self.theme.dim());
        }
        if self.begins_comment(rest) {
            return (rest.len(), self.theme.dim());
        }
        let Some(first) = rest.chars().next() else { return (0, self.theme.plain()) };
        if matches!(first, '"' | '\'' | '`') {
            // One that does not end on its line is a lone quote, as in "it's".
            return quoted(rest, first)
                .map_or((first.len_utf8(), self.theme.plain()), |end| (end, self.theme.quoted()));
        }
        let in_word = |c: char| c.is_alphanumeric() || c == '_';
        if in_word(first) {
            let end = rest.find(|c: char| !in_word(c)).unwrap_or(rest.len());
            let word = rest.get(..end).unwrap_or_default();
            let style = if first.is_ascii_digit() {
                self.theme.number()
            } else if KEYWORDS.contains(&word) {
                self.theme.keyword()
            } else {
                self.theme.plain()
            };
            return (end, style);
        }
        let end = rest.find(|c: char| in_word(c) || matches!(c, '"' | '\'' | '`' | '/' | '#' | '-'));
        (end.filter(|end| *end > 0).unwrap_or(first.len_utf8()), self.theme.plain())
    }

    fn begins_comment(&self, rest: &str) -> bool {
        let language = self.language.as_str();
        if matches!(language, "sql" | "lua" | "haskell" | "hs") {
            return rest.starts_with("--");
        }
        let hash = matches!(
            language,
            "python"
                | "py"
                | "sh"
                | "bash"
                | "zsh"
                | "shell"
                | "ruby"
                | "rb"
                | "yaml"
                | "yml"
                | "toml"
                | "perl"
                | "make"
                | "makefile"
                | "dockerfile"
                | "nix"
                | "r"
                | "ini"
                | "conf"
        );
        if hash { rest.starts_with('#') } else { rest.starts_with("//") }
    }
}

/// Where a quoted text ends.
fn quoted(rest: &str, quote: char) -> Option<usize> {
    let mut escaped = false;
    for (at, character) in rest.char_indices().skip(1) {
        if escaped {
            escaped = false;
        } else if character == '\\' {
            escaped = true;
        } else if character == quote {
            return Some(at + character.len_utf8());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{Painter, Theme};

    #[test]
    fn tokens_are_coloured_and_nothing_is_lost() {
        let theme = Theme::new(true);
        let cases = [
            (
                "rust",
                "let x = \"a // b\"; // why",
                vec![("let", theme.keyword()), ("\"a // b\"", theme.quoted()), ("// why", theme.dim())],
            ),
            ("py", "x = 12 # no", vec![("12", theme.number()), ("# no", theme.dim())]),
            ("c", "it's /* open", vec![("/* open", theme.dim())]),
            ("diff", "+added", vec![("+added", theme.good())]),
            ("", "let it be", vec![]),
        ];
        for (language, line, wanted) in cases {
            let spans = Painter::new(theme, language).line(line);
            assert_eq!(spans.iter().map(|span| span.content.as_ref()).collect::<String>(), line);
            let found: Vec<_> = spans
                .iter()
                .filter(|span| span.style != theme.plain())
                .map(|span| (span.content.as_ref(), span.style))
                .collect();
            assert_eq!(found, wanted, "{line}");
        }
    }

    #[test]
    fn a_comment_may_span_lines() {
        let theme = Theme::new(true);
        let mut painter = Painter::new(theme, "rust");
        painter.line("/* one");
        assert_eq!(painter.line("two */ let")[0].style, theme.dim());
        assert_eq!(painter.line("let").first().map(|span| span.style), Some(theme.keyword()));
    }
}
