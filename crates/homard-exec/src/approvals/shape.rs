//! What "always" remembers of a call: the program where it is, and the shape of its arguments.
//!
//! The shape is a pattern over the arguments, each ended by a NUL. For the few commands whose arguments are known
//! it leaves free what makes no difference to what may happen (which package is tested, how a log is printed);
//! for everything else it is the very same arguments. Relative names mean something else elsewhere, so all but
//! plain listings are bound to the folder they were allowed in.

use std::fmt::Write as _;

use super::analysis::Call;
use super::kinds;

/// Longest call that is remembered.
const MAX_REMEMBERED_BYTES: usize = 4_096;
/// Before a word that depends on the moment.
const DYNAMIC: char = '\u{1}';
/// Before a redirection.
const REDIRECT: char = '\u{2}';
/// Before a variable.
const VARIABLE: char = '\u{3}';

/// A name: a package, a test, a branch.
const NAME: &str = "[A-Za-z0-9_][A-Za-z0-9_.,:@+-]*";
/// A place below the folder, as `src/main.rs`, `.` or `./...`.
const INSIDE: &str = r"\.|\./|(?:\./)?(?:\.\.\.|\.?[A-Za-z0-9_+@][A-Za-z0-9_+@.-]*)(?:/(?:\.\.\.|\.?[A-Za-z0-9_+@][A-Za-z0-9_+@.-]*))*/?";

/// A command whose arguments are known.
struct Known {
    program: &'static str,
    subcommand: &'static str,
    /// Patterns of options that may come and go.
    options: &'static str,
    /// Patterns of options with a name as value.
    valued: &'static str,
    /// The pattern of other arguments.
    operand: Option<&'static str>,
    /// Whether it is the same in every folder.
    anywhere: bool,
}

const CARGO_OPTIONS: &str = "--release|--workspace|--all|--all-targets|--all-features|--no-default-features|--locked|--offline|--frozen|--lib|--bins|--tests|--examples|--benches|--doc|--no-run|--no-fail-fast|--keep-going|-q|--quiet|-v|-vv|--verbose";
const CARGO_VALUED: &str = "-p|--package|--features|-F|--test|--bin|--example|--exclude|-j|--jobs";

/// Arguments that make no difference to what may happen. Every row must stay harmless for all it leaves free.
const KNOWN: &[Known] = &[
    cargo("build"),
    cargo("check"),
    cargo("clippy"),
    cargo("doc"),
    Known { operand: Some(NAME), ..cargo("test") },
    Known { options: "--all|--check|-q|--quiet|-v|--verbose", valued: "-p|--package", ..cargo("fmt") },
    Known { options: "-a|--all|-r|--remotes|-v|-vv|--show-current|--list|--no-color", ..git("branch") },
    Known {
        options: "--stat|--shortstat|--numstat|--summary|--name-only|--name-status|--cached|--staged|--no-color|--color|--no-ext-diff|--word-diff|-w|-b",
        operand: Some(INSIDE),
        ..git("diff")
    },
    Known {
        options: r"--oneline|--stat|--shortstat|--graph|--all|--decorate|--no-color|--no-merges|--merges|--reverse|--name-only|--name-status|--first-parent|-p|-[0-9]+|-n[0-9]+",
        valued: "-n|--max-count",
        ..git("log")
    },
    Known { options: "-v|--verbose", ..git("remote") },
    Known {
        options: "-s|--short|-b|--branch|-sb|-u|-uno|-uall|-unormal|-v|--verbose|--porcelain|--porcelain=v[12]|--long|--show-stash|--ignored",
        ..git("status")
    },
    Known { options: "-v|-race|-short|-count=[0-9]+", operand: Some(INSIDE), ..go("build") },
    Known { options: "-v|-race|-short|-count=[0-9]+", operand: Some(INSIDE), ..go("test") },
    Known { operand: Some(INSIDE), ..go("vet") },
    Known {
        program: "ls",
        subcommand: "",
        options: "-[1ACFGLRSadhiklprstx]+|--all|--almost-all|--human-readable|--recursive|--reverse|--color=never|--full-time",
        valued: "",
        operand: Some(INSIDE),
        anywhere: true,
    },
    Known {
        program: "pytest",
        subcommand: "",
        options: "-q|-qq|-v|-vv|-x|-s|--lf|--ff|--tb=[a-z]+|--maxfail=[0-9]+|--no-header",
        valued: "",
        operand: Some(INSIDE),
        anywhere: false,
    },
];

const fn cargo(subcommand: &'static str) -> Known {
    Known {
        program: "cargo",
        subcommand,
        options: CARGO_OPTIONS,
        valued: CARGO_VALUED,
        operand: None,
        anywhere: false,
    }
}

const fn git(subcommand: &'static str) -> Known {
    Known { program: "git", subcommand, options: "", valued: "", operand: None, anywhere: false }
}

const fn go(subcommand: &'static str) -> Known {
    Known { program: "go", subcommand, options: "-v", valued: "", operand: None, anywhere: false }
}

impl Known {
    fn pattern(&self) -> String {
        let mut pattern = String::from("^");
        if !self.subcommand.is_empty() {
            write!(pattern, r"{}\x00", self.subcommand).ok();
        }
        let mut free =
            vec![format!("(?:{})", if self.options.is_empty() { "--no-color" } else { self.options })];
        if !self.valued.is_empty() {
            free.push(format!(r"(?:{})\x00{NAME}", self.valued));
            free.push(format!("(?:{})={NAME}", self.valued));
        }
        free.extend(self.operand.map(|operand| format!("(?:{operand})")));
        write!(pattern, r"(?:(?:{})\x00)*$", free.join("|")).ok();
        pattern
    }

    fn fits(&self, call: &Call) -> bool {
        let first = call.args.first().map_or("", |word| word.text.as_str());
        call.program.name == self.program && (self.subcommand.is_empty() || first == self.subcommand)
    }
}

/// What is remembered of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Shape {
    /// The pattern its arguments must match.
    pub(super) arg_pattern: String,
    /// The folder it must happen in, unless it is the same everywhere.
    pub(super) cwd: Option<String>,
    /// The same for a person.
    pub(super) words: String,
}

/// What would be remembered of this call; `None` when nothing may be.
pub(super) fn of(call: &Call) -> Option<Shape> {
    let line = arguments(call);
    let cwd = call.cwd.as_ref().and_then(|cwd| cwd.to_str());
    if line.len() > MAX_REMEMBERED_BYTES || !may_be_listed(call) {
        return None;
    }
    let known = KNOWN.iter().filter(|known| known.fits(call)).find(|known| matches(&known.pattern(), call));
    match known {
        Some(known) => {
            let arg_pattern = known.pattern();
            let what = format!("{} {}", known.program, known.subcommand);
            let what = format!("`{}` with its harmless options and names below the folder", what.trim());
            if known.anywhere {
                return Some(Shape { arg_pattern, cwd: None, words: format!("{what}, in every folder") });
            }
            let cwd = cwd?.to_owned();
            Some(Shape { arg_pattern, words: format!("{what}, in {cwd}"), cwd: Some(cwd) })
        }
        None => {
            let exact = regex_lite::escape(&line).replace('\0', r"\x00");
            let cwd = cwd?.to_owned();
            let words = format!("`{}` with exactly these arguments, in {cwd}", call.program.name);
            Some(Shape { arg_pattern: format!("^{exact}$"), cwd: Some(cwd), words })
        }
    }
}

/// Whether a rule may speak about this call at all.
pub(super) fn may_be_listed(call: &Call) -> bool {
    let reads_file = call.redirects.iter().any(|redirect| redirect.operator.starts_with('<'));
    kinds::is_repeatable(&call.program, &call.args, call.is_fed || reads_file)
}

/// Whether a pattern matches all arguments of a call. A pattern that cannot be read matches nothing.
pub(super) fn matches(pattern: &str, call: &Call) -> bool {
    let Some(regex) = compiled(pattern) else { return false };
    if is_by_nul(pattern) {
        return regex.is_match(&arguments(call));
    }
    // Older patterns are about the arguments with spaces in between.
    let is_plain = call.assignments.is_empty()
        && call.redirects.is_empty()
        && call.args.iter().all(|arg| !arg.is_dynamic && !arg.text.contains(' '));
    let words: Vec<&str> = call.args.iter().map(|arg| arg.text.as_str()).collect();
    is_plain && regex.is_match(&words.join(" "))
}

/// Whether a pattern leaves it open which code is run, and so is a rule for the whole program in disguise.
pub(super) fn leaves_code_open(pattern: &str) -> bool {
    let by_nul = is_by_nul(pattern);
    let Some(regex) = compiled(pattern) else { return true };
    ["\u{4}", "-c \u{4}", "-e \u{4}"].iter().any(|probe| {
        let probe = if by_nul { format!("{}\0", probe.replace(' ', "\0")) } else { (*probe).to_owned() };
        regex.is_match(&probe)
    })
}

/// Whether a pattern is about arguments ended by NUL.
fn is_by_nul(pattern: &str) -> bool {
    pattern.contains('\0') || pattern.contains(r"\x00") || pattern.contains(r"\u0000")
}

fn compiled(pattern: &str) -> Option<regex_lite::Regex> {
    regex_lite::RegexBuilder::new(&format!("^(?:{pattern})$")).size_limit(MAX_PATTERN).build().ok()
}

/// How large a pattern may grow in memory.
const MAX_PATTERN: usize = 1 << 20;

/// Everything about a call but its program and place, each piece ended by a NUL. The reader lets no control
/// characters through but tabs and line ends, so pieces cannot be mistaken for one another.
fn arguments(call: &Call) -> String {
    let mut line = String::new();
    for (name, value) in &call.assignments {
        write!(line, "{VARIABLE}{name}={value}\0").ok();
    }
    for arg in &call.args {
        let mark = if arg.is_dynamic { String::from(DYNAMIC) } else { String::new() };
        write!(line, "{mark}{}\0", arg.text).ok();
    }
    for redirect in &call.redirects {
        write!(line, "{REDIRECT}{} {}\0", redirect.operator, redirect.target).ok();
    }
    line
}
