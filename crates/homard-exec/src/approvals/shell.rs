//! Reading a command line for the shell, as strictly as it takes to know what it runs.
//!
//! This is no shell: it understands words, quotes, `|`, `&&`, `||`, `;`, line ends, comments and redirections,
//! and answers [`Opaque`] to everything else. What it does understand means the same to bash.

use std::fmt::Write as _;
use std::str::Chars;

/// Most commands in one line; more is not something a person can judge.
const MAX_SEGMENTS: usize = 64;
/// Most words in one line.
const MAX_WORDS: usize = 2_048;
/// Words that begin something else than a simple command.
const RESERVED: [&str; 22] = [
    "!", "[[", "]]", "case", "coproc", "do", "done", "elif", "else", "esac", "fi", "for", "function", "if",
    "in", "select", "then", "time", "until", "while", "{", "}",
];
/// Where output may go, and input may come from, without touching anything.
const NOWHERE: &str = "/dev/null";

/// Why a command line is not understood. Such a line can be allowed once, never by a rule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Opaque {
    #[error("it runs a command inside another")]
    Substitution,
    #[error("it holds a document")]
    HereDoc,
    #[error("it sends a command to the background")]
    Background,
    /// A redirection that is more than a file.
    #[error("its redirections are not understood")]
    Redirection,
    /// Loops, conditions, functions, groups, arrays.
    #[error("it is a script rather than a command")]
    Compound,
    /// A variable that is more than its name.
    #[error("a variable in it is not understood")]
    Variable,
    #[error("its quoting is not understood")]
    Quoting,
    /// The program is known only when it runs.
    #[error("which program it runs is not known beforehand")]
    ProgramUnknown,
    /// A variable that changes what runs.
    #[error("it sets `{0}`, which changes what runs")]
    Steering(String),
    /// Something the shell does itself, to itself.
    #[error("`{0}` changes the shell itself")]
    Builtin(String),
    #[error("there is no program `{0}`")]
    NotFound(String),
    /// Characters that do not show.
    #[error("it has characters that do not show")]
    Hidden,
    /// Not a command line.
    #[error("it is not a complete command line")]
    Syntax,
    /// More than anybody reads.
    #[error("it is too long to be judged")]
    TooLong,
}

/// One word of a command, as the program gets it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// The word without its quotes; as written when it is dynamic.
    pub text: String,
    /// Whether it depends on the moment: variables, patterns for file names, `~`.
    pub is_dynamic: bool,
}

/// A redirection to or from a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redirect {
    /// As written: `>`, `2>>`, `<`.
    pub operator: String,
    pub target: String,
}

/// How a command hangs together with the one before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Join {
    /// It is the first.
    First,
    /// `|`: it reads what the one before writes.
    Pipe,
    And,
    Or,
    /// `;` or a line end.
    Then,
}

/// One simple command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Segment {
    /// How it hangs together with the one before it.
    pub join: Join,
    /// Variables set for it alone, in order.
    pub assignments: Vec<(String, String)>,
    /// The program and its arguments; never empty.
    pub words: Vec<Word>,
    /// Files it reads or writes; `/dev/null` and `2>&1` are left out, as they touch nothing.
    pub redirects: Vec<Redirect>,
}

/// Reads a line into its commands. An empty line has none.
///
/// # Errors
/// When any part of it is not fully understood.
pub fn read(line: &str) -> Result<Vec<Segment>, Opaque> {
    let mut reader = Reader::new(line);
    while let Some(next) = reader.bump() {
        reader.at = reader.position() - next.len_utf8();
        reader.take(next)?;
    }
    reader.at = line.len();
    reader.finish()
}

/// Writes commands as a line that reads as the same commands.
#[must_use]
pub fn join(segments: &[Segment]) -> String {
    let mut line = String::new();
    for segment in segments {
        line.push_str(match segment.join {
            Join::First => "",
            Join::Pipe => " | ",
            Join::And => " && ",
            Join::Or => " || ",
            Join::Then => "; ",
        });
        let assignments = segment.assignments.iter().map(|(name, value)| format!("{name}={}", quoted(value)));
        let words = segment
            .words
            .iter()
            .map(|word| if word.is_dynamic { word.text.clone() } else { quoted(&word.text) });
        let redirects = segment.redirects.iter().map(|to| format!("{}{}", to.operator, quoted(&to.target)));
        let all: Vec<String> = assignments.chain(words).chain(redirects).collect();
        write!(line, "{}", all.join(" ")).ok();
    }
    line
}

fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,+@%".contains(c);
    let is_plain = !text.is_empty() && text.chars().all(plain) && !RESERVED.contains(&text);
    // An assignment must stay a word when it was one.
    if is_plain && !text.contains('=') {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', "'\\''"))
    }
}

/// A word that is being read.
#[derive(Default)]
struct Draft {
    text: String,
    is_dynamic: bool,
    /// Whether any of it was quoted or escaped.
    is_quoted: bool,
    /// Where it began in the line.
    start: usize,
    /// How much of the text was read before the first quote, for `NAME=`.
    bare_len: usize,
}

struct Reader<'l> {
    line: &'l str,
    rest: Chars<'l>,
    /// Where the piece of the line being taken begins: a word begins or ends here.
    at: usize,
    segments: Vec<Segment>,
    current: Segment,
    draft: Option<Draft>,
    /// A redirection whose file comes next.
    redirect: Option<String>,
    words: usize,
}

fn empty(join: Join) -> Segment {
    Segment { join, assignments: Vec::new(), words: Vec::new(), redirects: Vec::new() }
}

/// Characters that change how a line looks without being seen.
fn is_hidden(c: char) -> bool {
    (c.is_control() && !matches!(c, '\t' | '\n'))
        || matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

impl<'l> Reader<'l> {
    fn new(line: &'l str) -> Self {
        Self {
            line,
            rest: line.chars(),
            at: 0,
            segments: Vec::new(),
            current: empty(Join::First),
            draft: None,
            redirect: None,
            words: 0,
        }
    }

    fn bump(&mut self) -> Option<char> {
        self.rest.next()
    }

    fn peek(&self) -> Option<char> {
        self.rest.clone().next()
    }

    fn bump_if(&mut self, wanted: char) -> bool {
        let found = self.peek() == Some(wanted);
        if found {
            self.bump();
        }
        found
    }

    /// Where the next character is.
    fn position(&self) -> usize {
        self.line.len() - self.rest.as_str().len()
    }

    /// The word being read; it begins here unless it was there already.
    fn draft(&mut self) -> &mut Draft {
        let start = self.at;
        self.draft.get_or_insert_with(|| Draft { start, ..Draft::default() })
    }

    fn push(&mut self, c: char) {
        let draft = self.draft();
        draft.text.push(c);
        if !draft.is_quoted {
            draft.bare_len = draft.text.len();
        }
    }

    fn push_dynamic(&mut self, c: char) {
        self.push(c);
        self.draft().is_dynamic = true;
    }

    fn take(&mut self, c: char) -> Result<(), Opaque> {
        match c {
            ' ' | '\t' => self.end_word(),
            '\n' => self.end_line(),
            '#' if self.draft.is_none() => {
                while self.peek().is_some_and(|next| next != '\n') {
                    self.bump();
                }
                Ok(())
            }
            '\\' => self.escape(),
            '\'' => self.single_quotes(),
            '"' => self.double_quotes(),
            '$' => self.dollar(false),
            '`' => Err(Opaque::Substitution),
            '|' if self.bump_if('|') => self.end_segment(Join::Or),
            '|' if self.peek() == Some('&') => Err(Opaque::Redirection),
            '|' => self.end_segment(Join::Pipe),
            '&' if self.bump_if('&') => self.end_segment(Join::And),
            '&' if self.bump_if('>') => {
                self.end_word()?;
                self.begin_redirect("&>")
            }
            '&' => Err(Opaque::Background),
            ';' if self.peek() == Some(';') => Err(Opaque::Compound),
            ';' => self.end_segment(Join::Then),
            '(' | ')' => Err(Opaque::Compound),
            '<' | '>' => self.redirection(c),
            '{' if self.bump_if('}') => {
                self.push('{');
                self.push('}');
                Ok(())
            }
            '*' | '?' | '[' | '{' => {
                self.push_dynamic(c);
                Ok(())
            }
            '~' => {
                let after = self.draft.as_ref().and_then(|draft| draft.text.chars().last());
                let expands = self.draft.is_none() || matches!(after, Some('=' | ':'));
                if expands {
                    self.push_dynamic(c);
                } else {
                    self.push(c);
                }
                Ok(())
            }
            c if is_hidden(c) => Err(Opaque::Hidden),
            c => {
                self.push(c);
                Ok(())
            }
        }
    }

    fn escape(&mut self) -> Result<(), Opaque> {
        match self.bump() {
            // The line goes on.
            Some('\n') => Ok(()),
            Some(c) if is_hidden(c) => Err(Opaque::Hidden),
            Some(c) => {
                self.draft().is_quoted = true;
                self.draft().text.push(c);
                Ok(())
            }
            None => Err(Opaque::Syntax),
        }
    }

    fn single_quotes(&mut self) -> Result<(), Opaque> {
        self.draft().is_quoted = true;
        loop {
            match self.bump() {
                Some('\'') => return Ok(()),
                Some(c) if is_hidden(c) => return Err(Opaque::Hidden),
                Some(c) => self.draft().text.push(c),
                None => return Err(Opaque::Syntax),
            }
        }
    }

    fn double_quotes(&mut self) -> Result<(), Opaque> {
        self.draft().is_quoted = true;
        loop {
            match self.bump() {
                Some('"') => return Ok(()),
                Some('`') => return Err(Opaque::Substitution),
                Some('$') => self.dollar(true)?,
                Some('\\') => match self.bump() {
                    Some('\n') => {}
                    Some(c @ ('$' | '`' | '"' | '\\')) => self.draft().text.push(c),
                    Some(c) if is_hidden(c) => return Err(Opaque::Hidden),
                    Some(c) => self.draft().text.extend(['\\', c]),
                    None => return Err(Opaque::Syntax),
                },
                Some(c) if is_hidden(c) => return Err(Opaque::Hidden),
                Some(c) => self.draft().text.push(c),
                None => return Err(Opaque::Syntax),
            }
        }
    }

    fn dollar(&mut self, in_quotes: bool) -> Result<(), Opaque> {
        match self.peek() {
            Some('(' | '[') => Err(Opaque::Substitution),
            Some('\'' | '"') if !in_quotes => Err(Opaque::Quoting),
            Some('{') => {
                self.push_dynamic('$');
                self.bump();
                let mut name = String::new();
                loop {
                    match self.bump() {
                        Some('}') if is_name(&name) => return Ok(()),
                        Some(c) if c.is_ascii_alphanumeric() || c == '_' => name.push(c),
                        _ => return Err(Opaque::Variable),
                    }
                }
            }
            Some(c) if c.is_ascii_alphabetic() || c == '_' => {
                self.push_dynamic('$');
                while self.peek().is_some_and(|c| c.is_ascii_alphanumeric() || c == '_') {
                    self.bump();
                }
                Ok(())
            }
            Some(c) if c.is_ascii_digit() || "?$!#@*-".contains(c) => Err(Opaque::Variable),
            Some(_) | None => {
                self.push('$');
                Ok(())
            }
        }
    }

    fn redirection(&mut self, c: char) -> Result<(), Opaque> {
        let fd = match self.draft.take() {
            Some(draft) if !draft.is_quoted && !draft.is_dynamic && is_number(&draft.text) => draft.text,
            other => {
                self.draft = other;
                self.end_word()?;
                String::new()
            }
        };
        match (c, fd.as_str()) {
            ('<', "" | "0") => match self.peek() {
                Some('<') => Err(Opaque::HereDoc),
                Some('(') => Err(Opaque::Substitution),
                Some('&' | '>') => Err(Opaque::Redirection),
                _ => self.begin_redirect("<"),
            },
            ('>', "" | "1" | "2") => match self.peek() {
                Some('(') => Err(Opaque::Substitution),
                Some('|') => Err(Opaque::Redirection),
                Some('&') => {
                    self.bump();
                    self.duplicate()
                }
                _ => self.begin_redirect(&format!("{fd}>")),
            },
            _ => Err(Opaque::Redirection),
        }
    }

    /// `>&1` and `>&2`, and nothing else.
    fn duplicate(&mut self) -> Result<(), Opaque> {
        let to = self.bump();
        let ends = self.peek().is_none_or(|next| " \t\n;|&<>".contains(next));
        if matches!(to, Some('1' | '2')) && ends && self.redirect.is_none() {
            Ok(())
        } else {
            Err(Opaque::Redirection)
        }
    }

    fn begin_redirect(&mut self, operator: &str) -> Result<(), Opaque> {
        if self.redirect.is_some() {
            return Err(Opaque::Syntax);
        }
        let append = operator.ends_with('>') && self.bump_if('>');
        if operator == "&>" && matches!(self.peek(), Some('&' | '|' | '(')) {
            return Err(Opaque::Redirection);
        }
        self.redirect = Some(format!("{operator}{}", if append { ">" } else { "" }));
        Ok(())
    }

    fn end_word(&mut self) -> Result<(), Opaque> {
        let Some(draft) = self.draft.take() else { return Ok(()) };
        self.words += 1;
        if self.words > MAX_WORDS {
            return Err(Opaque::TooLong);
        }
        let lone_bracket = !draft.is_quoted && draft.text == "[";
        let is_dynamic = draft.is_dynamic && !lone_bracket;
        if let Some(operator) = self.redirect.take() {
            if is_dynamic || draft.text.is_empty() || draft.text.starts_with("/dev/tcp") {
                return Err(Opaque::Redirection);
            }
            if draft.text != NOWHERE {
                self.current.redirects.push(Redirect { operator, target: draft.text });
            }
            return Ok(());
        }
        if self.current.words.is_empty() {
            return self.first_word(&draft, is_dynamic);
        }
        let written = || self.line.get(draft.start..self.at).unwrap_or_default().to_owned();
        let text = if is_dynamic { written() } else { draft.text };
        self.current.words.push(Word { text, is_dynamic });
        Ok(())
    }

    /// An assignment, or the program.
    fn first_word(&mut self, draft: &Draft, is_dynamic: bool) -> Result<(), Opaque> {
        if let Some((name, value)) = draft.text.split_once('=')
            && name.len() < draft.bare_len
        {
            if is_name(name) {
                if is_dynamic {
                    return Err(Opaque::Variable);
                }
                self.current.assignments.push((name.to_owned(), value.to_owned()));
                return Ok(());
            }
            if is_name(name.trim_end_matches('+')) || name.ends_with(']') {
                return Err(Opaque::Variable);
            }
        }
        if !draft.is_quoted && RESERVED.contains(&draft.text.as_str()) {
            return Err(Opaque::Compound);
        }
        if is_dynamic || draft.text.is_empty() {
            return Err(Opaque::ProgramUnknown);
        }
        self.current.words.push(Word { text: draft.text.clone(), is_dynamic: false });
        Ok(())
    }

    fn end_line(&mut self) -> Result<(), Opaque> {
        self.end_word()?;
        let nothing = self.current.words.is_empty()
            && self.current.assignments.is_empty()
            && self.current.redirects.is_empty();
        if nothing && self.redirect.is_none() { Ok(()) } else { self.end_segment(Join::Then) }
    }

    fn end_segment(&mut self, next: Join) -> Result<(), Opaque> {
        self.end_word()?;
        if self.redirect.is_some() {
            return Err(Opaque::Syntax);
        }
        if self.current.words.is_empty() {
            // Alone, an assignment changes the rest of the line.
            let sets = !self.current.assignments.is_empty();
            return Err(if sets { Opaque::Variable } else { Opaque::Syntax });
        }
        if self.segments.len() >= MAX_SEGMENTS {
            return Err(Opaque::TooLong);
        }
        self.segments.push(std::mem::replace(&mut self.current, empty(next)));
        Ok(())
    }

    fn finish(mut self) -> Result<Vec<Segment>, Opaque> {
        self.end_word()?;
        let has_more = !self.current.words.is_empty()
            || !self.current.assignments.is_empty()
            || !self.current.redirects.is_empty()
            || self.redirect.is_some();
        if has_more {
            self.end_segment(Join::Then)?;
        } else if !matches!(self.current.join, Join::First | Join::Then) {
            return Err(Opaque::Syntax);
        }
        Ok(self.segments)
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}
