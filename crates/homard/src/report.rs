//! What a person sees: results on standard output, troubles on standard error as `error:`, `caused by:`, `hint:`. A
//! program that asked for JSON is told of troubles on standard output, too.

mod way_on;

use std::borrow::Cow;
use std::fmt;
use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

use homard_client::ClientError;
use homard_config::InvalidConfig;
use homard_update::UpdateError;
use serde_json::{Map, Value};

/// What to do about settings that cannot be used.
const MEND_SETTINGS: &str = "`homard doctor --fix` mends them and keeps a copy, or use an editor";

/// The exit code of a command that was not told what it needs, as clap has it.
const USAGE: u8 = 2;

/// Whether something of the result is on standard output: a program that reads JSON there can be told nothing more.
static IS_TOLD: AtomicBool = AtomicBool::new(false);

/// Every mark the program itself puts into what it prints, beside the end of one.
const MARKS: [&str; 10] = ["0", "1", "2", "31", "31;1", "32", "32;1", "33", "36", "36;1"];

/// How to mark a piece of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mark {
    /// A heading or a name.
    Strong,
    Good,
    Warning,
    Bad,
}

impl Mark {
    fn code(self) -> &'static str {
        match self {
            Self::Strong => "1",
            Self::Good => "32",
            Self::Warning => "33",
            Self::Bad => "31;1",
        }
    }
}

/// Where something is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sink {
    /// A file or a pipe, which take everything as it is.
    Elsewhere,
    /// A terminal, whose cursor moves if what is printed holds what moves it.
    Screen,
    /// One that shows colours.
    ColorScreen,
}

impl Sink {
    fn of(stream: &impl IsTerminal, no_color: bool) -> Self {
        match (stream.is_terminal(), no_color) {
            (false, _) => Self::Elsewhere,
            (true, true) => Self::Screen,
            (true, false) => Self::ColorScreen,
        }
    }

    fn has_color(self) -> bool {
        self == Self::ColorScreen
    }

    /// A text as it may be printed there.
    fn fitting(self, text: &str) -> Cow<'_, str> {
        if self == Self::Elsewhere { Cow::Borrowed(text) } else { harmless(text, self.has_color()) }
    }
}

/// The terminal, or whatever stands in its place.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Console {
    out: Sink,
    err: Sink,
    /// Whether what is printed is JSON that a program reads.
    is_for_programs: bool,
}

impl Console {
    /// Colours only where somebody can see them and nobody objected.
    pub(crate) fn new(no_color: bool) -> Self {
        let (out, err) = (Sink::of(&io::stdout(), no_color), Sink::of(&io::stderr(), no_color));
        Self { out, err, is_for_programs: false }
    }

    /// The same for a command that was asked for JSON.
    pub(crate) fn with_json(self, is_for_programs: bool) -> Self {
        Self { is_for_programs, ..self }
    }

    /// Whether standard error may be coloured, for the log.
    pub(crate) fn colors_errors(&self) -> bool {
        self.err.has_color()
    }

    /// Whether results may be coloured.
    pub(crate) fn colors_results(&self) -> bool {
        self.out.has_color()
    }

    /// Marks a piece of a result.
    pub(crate) fn mark(&self, mark: Mark, text: &str) -> String {
        paint(self.out.has_color(), mark, text)
    }

    /// Prints a line of the result.
    ///
    /// # Errors
    /// When the reader is gone.
    pub(crate) fn line(&self, text: &str) -> io::Result<()> {
        let text = self.out.fitting(text);
        let mut out = begin_result();
        out.write_all(text.as_bytes())?;
        out.write_all(b"\n")
    }

    /// Prints a table; its first line is the heading.
    ///
    /// # Errors
    /// When the reader is gone.
    pub(crate) fn table(&self, lines: &[String]) -> io::Result<()> {
        for (number, line) in lines.iter().enumerate() {
            if number == 0 { self.line(&self.mark(Mark::Strong, line))? } else { self.line(line)? }
        }
        Ok(())
    }

    /// Prints a part of a line at once.
    ///
    /// # Errors
    /// When the reader is gone.
    pub(crate) fn part(&self, text: &str) -> io::Result<()> {
        // Nothing of ours is marked in it.
        let sink = if self.out == Sink::Elsewhere { self.out } else { Sink::Screen };
        self.styled(&sink.fitting(text))
    }

    /// Prints a text of the program's own, as it was styled.
    ///
    /// # Errors
    /// When the reader is gone.
    pub(crate) fn styled(&self, text: &str) -> io::Result<()> {
        let mut out = begin_result();
        out.write_all(text.as_bytes())?;
        out.flush()
    }

    /// Prints a value for a program.
    ///
    /// # Errors
    /// When the reader is gone.
    pub(crate) fn json(&self, value: &impl serde::Serialize) -> io::Result<()> {
        let text = serde_json::to_string_pretty(value)?;
        // JSON has its own way to write out what steers, and leaves some of it as it is.
        let steers = |c: char| ('\u{7f}'..='\u{9f}').contains(&c);
        if self.out == Sink::Elsewhere || !text.contains(steers) {
            return self.line(&text);
        }
        let written = text.chars().map(|c| match steers(c) {
            true => format!("\\u{:04x}", u32::from(c)),
            false => c.to_string(),
        });
        self.line(&written.collect::<String>())
    }

    /// Says something beside the result; lost when nobody can hear it.
    pub(crate) fn note(&self, text: &str) {
        let text = self.err.fitting(text);
        drop(writeln!(io::stderr().lock(), "{text}"));
    }

    /// Warns beside the result.
    pub(crate) fn warn(&self, text: &str) {
        self.note(&format!("{} {text}", paint(self.err.has_color(), Mark::Warning, "warning:")));
    }

    /// Reports why a command did not work and returns its exit code.
    pub(crate) fn report(&self, error: &anyhow::Error) -> ExitCode {
        if reader_is_gone(error) {
            return ExitCode::SUCCESS;
        }
        let is_usage = error.downcast_ref::<Advice>().is_some_and(|advice| advice.is_usage);
        let is_told = error.downcast_ref::<Advice>().is_some_and(|advice| advice.message.is_empty());
        if !is_told && !error.is::<AlreadyTold>() {
            for line in explain(error, self.err.has_color()) {
                self.note(&line);
            }
        }
        self.tell_programs(error);
        if is_usage { ExitCode::from(USAGE) } else { ExitCode::FAILURE }
    }

    /// Tells a program that asked for JSON why there is no result, unless it was told a part of one.
    pub(crate) fn tell_programs(&self, error: &anyhow::Error) {
        if self.is_for_programs && !IS_TOLD.load(Ordering::Relaxed) {
            self.json(&in_json(error)).ok();
        }
    }
}

/// Standard output, on which nothing else is told from now on.
fn begin_result() -> io::StdoutLock<'static> {
    IS_TOLD.store(true, Ordering::Relaxed);
    io::stdout().lock()
}

/// The text with what would steer a terminal written out: answers, names and errors hold the words of strangers. Our own
/// marks stay where there are `marks`. Whoever draws on a terminal by themselves asks this first.
pub(crate) fn harmless(text: &str, marks: bool) -> Cow<'_, str> {
    let steers = |c: char| c.is_control() && !matches!(c, '\n' | '\t');
    if !text.contains(steers) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, from)) = rest.find(steers).map(|at| rest.split_at(at)) {
        out.push_str(before);
        let mark = own_mark(from).filter(|_| marks);
        let mut after = from.chars();
        let steering = after.next();
        rest = match mark {
            Some(mark) => {
                out.push_str(mark);
                from.get(mark.len()..).unwrap_or_default()
            }
            // The end of a line, as others write it.
            None if steering == Some('\r') && matches!(after.clone().next(), None | Some('\n')) => {
                after.as_str()
            }
            None => {
                out.extend(steering.into_iter().flat_map(char::escape_unicode));
                after.as_str()
            }
        };
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// The mark of ours a text begins with.
fn own_mark(text: &str) -> Option<&str> {
    let code = text.strip_prefix("\x1b[")?;
    let own = MARKS.iter().find(|own| code.strip_prefix(**own).is_some_and(|rest| rest.starts_with('m')))?;
    text.get(..own.len() + 3)
}

fn paint(color: bool, mark: Mark, text: &str) -> String {
    if color { format!("\x1b[{}m{text}\x1b[0m", mark.code()) } else { text.to_owned() }
}

/// `homard logs | head` is not a failure.
fn reader_is_gone(error: &anyhow::Error) -> bool {
    error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}

fn explain(error: &anyhow::Error, color: bool) -> Vec<String> {
    let mut lines = vec![format!("{} {error}", paint(color, Mark::Bad, "error:"))];
    for cause in error.chain().skip(1) {
        lines.push(format!("{} {cause}", paint(color, Mark::Strong, "caused by:")));
    }
    if let Some(hint) = hint(error) {
        lines.push(format!("{} {hint}", paint(color, Mark::Good, "hint:")));
    }
    lines
}

/// The same for programs.
fn in_json(error: &anyhow::Error) -> Value {
    let mut told = Map::from_iter([
        ("ok".to_owned(), Value::Bool(false)),
        ("error".to_owned(), error.to_string().into()),
    ]);
    let causes: Vec<String> = error.chain().skip(1).map(ToString::to_string).collect();
    if !causes.is_empty() {
        told.insert("causes".to_owned(), causes.into());
    }
    if let Some(hint) = hint(error) {
        told.insert("hint".to_owned(), hint.into());
    }
    Value::Object(told)
}

/// The first thing in the chain that knows what to do.
fn hint(error: &anyhow::Error) -> Option<String> {
    let known = error.chain().find_map(|cause| {
        let advice = cause.downcast_ref::<Advice>().map(|advice| advice.hint.clone());
        let settings = || cause.downcast_ref::<InvalidConfig>().map(|_| MEND_SETTINGS.to_owned());
        let client = || cause.downcast_ref::<ClientError>().and_then(ClientError::hint);
        let update = || cause.downcast_ref::<UpdateError>().and_then(UpdateError::hint).map(str::to_owned);
        advice.or_else(settings).or_else(client).or_else(update).or_else(|| way_on::from(cause))
    });
    // Whoever failed knew nothing better than what the system said.
    known.or_else(|| error.chain().find_map(|cause| of_the_system(cause.downcast_ref::<io::Error>()?.kind())))
}

/// What to do about a trouble of the machine.
fn of_the_system(kind: io::ErrorKind) -> Option<String> {
    use io::ErrorKind::{NotFound, PermissionDenied, QuotaExceeded, ReadOnlyFilesystem, StorageFull};
    let words = match kind {
        StorageFull | QuotaExceeded => "the disk is full: make room there, then try again",
        ReadOnlyFilesystem => "the disk can only be read; HOMARD_STATE_DIR puts what Homard keeps elsewhere",
        PermissionDenied => "see whom it belongs to: what Homard keeps must be its own user's",
        NotFound => "nothing of that name is there: look how it is written",
        _other => return None,
    };
    Some(words.to_owned())
}

/// A failure of a command itself, with what to do about it.
#[derive(Debug)]
pub(crate) struct Advice {
    message: String,
    hint: String,
    /// Whether the command was not understood.
    is_usage: bool,
}

impl Advice {
    /// Makes an error with a hint.
    pub(crate) fn error(message: impl Into<String>, hint: impl Into<String>) -> anyhow::Error {
        Self { message: message.into(), hint: hint.into(), is_usage: false }.into()
    }

    /// A command that was not understood and has said so itself.
    pub(crate) fn silent_usage() -> anyhow::Error {
        Self { message: String::new(), hint: String::new(), is_usage: true }.into()
    }

    /// The same for a command that was not told what it needs; the hint is an example.
    pub(crate) fn usage(message: impl Into<String>, hint: impl Into<String>) -> anyhow::Error {
        Self { message: message.into(), hint: hint.into(), is_usage: true }.into()
    }
}

impl fmt::Display for Advice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Advice {}

/// The command has said itself what went wrong; only the exit code is left to set.
#[derive(Debug)]
pub(crate) struct AlreadyTold;

impl fmt::Display for AlreadyTold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the command did not succeed")
    }
}

impl std::error::Error for AlreadyTold {}

#[cfg(test)]
mod tests {
    use std::io;

    use anyhow::Context;
    use homard_client::ClientError;
    use homard_config::InvalidConfig;

    use super::{Advice, MARKS, MEND_SETTINGS, explain, harmless, reader_is_gone};

    #[test]
    fn what_strangers_say_does_not_steer_a_terminal_and_marks_of_ours_do() {
        let said = "a\x1b]52;c;ZXZpbA==\x07b\x1b[2J\u{9b}31mc\r\nd\re\x08\x7f\tf\n";
        let shown = harmless(said, true);
        assert!(!shown.contains(|c: char| c.is_control() && !matches!(c, '\n' | '\t')), "{shown:?}");
        assert!(
            shown.starts_with("a\\u{1b}]52;") && shown.contains("c\nd\\u{d}e") && shown.ends_with("\tf\n")
        );
        assert_eq!(harmless("plain é 👨\u{200d}👩\n", false), "plain é 👨\u{200d}👩\n");
        for code in MARKS {
            let marked = format!("\x1b[{code}mword\x1b[0m");
            assert_eq!(harmless(&marked, true), marked);
            assert!(!harmless(&marked, false).contains('\x1b'));
        }
        assert!(!harmless("\x1b[8mhidden\x1b[0", true).contains('\x1b'), "other marks are strangers'");
    }

    #[test]
    fn a_report_names_error_causes_and_hint() {
        let source = io::Error::new(io::ErrorKind::ConnectionRefused, "connection refused");
        let error = ClientError::NotRunning { url: "ws://127.0.0.1:1".into(), source };
        let error = anyhow::Error::from(error).context("could not get the status");
        assert_eq!(
            explain(&error, false),
            [
                "error: could not get the status",
                "caused by: no gateway is running at ws://127.0.0.1:1",
                "caused by: connection refused",
                "hint: start it with `homard gateway`",
            ]
        );
    }

    #[test]
    fn settings_that_cannot_be_used_come_with_the_way_to_mend_them() {
        let wrong = InvalidConfig { path: "homard.json".into(), issues: Vec::new() };
        let told = explain(&anyhow::Error::from(wrong).context("the gateway did not start"), false);
        assert_eq!(told.last().map(String::as_str), Some(format!("hint: {MEND_SETTINGS}").as_str()));
    }

    #[test]
    fn a_trouble_of_the_machine_comes_with_what_to_do_about_it() {
        for (kind, told) in [
            (io::ErrorKind::StorageFull, Some("hint: the disk is full: make room there, then try again")),
            (io::ErrorKind::InvalidData, None),
        ] {
            let error: io::Result<()> = Err(kind.into());
            let lines = explain(&error.context("could not write").unwrap_err(), false);
            assert_eq!(lines.iter().map(String::as_str).find(|line| line.starts_with("hint")), told);
        }
    }

    #[test]
    fn advice_of_a_command_comes_first() {
        let error = Advice::error("no", "do this");
        assert_eq!(explain(&error, false), ["error: no", "hint: do this"]);
    }

    #[test]
    fn a_reader_that_left_is_no_failure() {
        let gone: io::Result<()> = Err(io::ErrorKind::BrokenPipe.into());
        assert!(reader_is_gone(&gone.context("while printing").unwrap_err()));
    }
}
