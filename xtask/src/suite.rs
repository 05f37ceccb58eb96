//! `cargo xtask test`: everything CI runs, step by step, the same on every machine.
//!
//! A step is a row in [`STEPS`]. A step that fails does not stop the others, except those that need what it
//! makes; the exit status and the last line tell the whole. Only the development profile is built, in one
//! target directory, so that a fresh machine with two cores is done in well under forty minutes.

use std::fmt;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};

use crate::sh::{self, Cmd, Ran, say};
use crate::tally::Tally;
use crate::{browser, crash, debian, fuzz, tidy, web};

/// How long each fuzz target runs here; long runs are `cargo xtask fuzz --seconds N`.
const FUZZ_SECONDS: u64 = 2;
/// How often the gateway is killed here; long runs are `cargo xtask crash --kills N`.
const KILLS: u64 = 50;

/// One thing that must hold.
struct Step {
    name: &'static str,
    about: &'static str,
    /// Steps whose result this one uses.
    needs: &'static [&'static str],
    run: fn() -> Result<Outcome>,
}

/// How a step that came to its end ended; an error is the other way.
enum Outcome {
    Passed,
    /// It ran tests; any that failed make the step fail.
    Counted(Tally),
    /// It could not be done here, and why that is acceptable.
    Skipped(String),
}

/// In the order they run: cheap first, the page before what embeds it.
const STEPS: [Step; 15] = [
    Step { name: "fmt", about: "formatting", needs: &[], run: fmt_check },
    Step { name: "tidy", about: "layers, file heads, names, words", needs: &[], run: tidy_check },
    Step { name: "typos", about: "spelling", needs: &[], run: typos },
    Step { name: "deny", about: "licences, sources, advisories", needs: &[], run: deny },
    Step { name: "web-build", about: "type check and build of the page", needs: &[], run: web_build },
    Step { name: "web-test", about: "unit tests of the page", needs: &["web-build"], run: web_test },
    Step { name: "web-page", about: "Chromium against a fake gateway", needs: &["web-build"], run: web_page },
    Step { name: "clippy", about: "lints, warnings denied", needs: &[], run: clippy },
    Step { name: "doc", about: "the documentation builds and links", needs: &[], run: doc },
    Step { name: "rust-test", about: "all Rust tests", needs: &[], run: rust_test },
    Step { name: "doctest", about: "examples in the documentation", needs: &[], run: doctest },
    Step { name: "crash", about: "kills while people write", needs: &["rust-test"], run: crash_briefly },
    Step { name: "fuzz", about: "a short run of every fuzz target", needs: &[], run: fuzz_briefly },
    Step {
        name: "browser",
        about: "Chromium against a real gateway",
        needs: &["web-build"],
        run: browser_test,
    },
    Step {
        name: "flows",
        about: "every flow of the page against a real gateway with a scripted model",
        needs: &["web-build"],
        run: flows,
    },
];

/// What became of a step, for the table at the end.
struct Line {
    name: &'static str,
    took: Duration,
    fate: Fate,
}

enum Fate {
    Passed(Tally),
    Failed(Tally, String),
    Skipped(String),
}

/// The numbers of a run in which something failed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Verdict(Tally);

impl Verdict {
    /// `N passed, N failed`.
    pub(crate) fn last_line(self) -> String {
        format!("{} passed, {} failed", self.0.passed, self.0.failed)
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not everything holds; the table above says what does not")
    }
}

impl std::error::Error for Verdict {}

/// Which steps, and whether to go on after a failure.
#[derive(Debug, Default, PartialEq, Eq)]
struct Options {
    only: Vec<String>,
    skip_web: bool,
    skip_fuzz: bool,
    fail_fast: bool,
}

impl Options {
    fn parse(args: &[String]) -> Result<Self> {
        let mut options = Self::default();
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            match arg.as_str() {
                "--skip-web" => options.skip_web = true,
                "--skip-fuzz" => options.skip_fuzz = true,
                "--fail-fast" => options.fail_fast = true,
                "--only" => {
                    let name = args.next().context("`--only` wants the name of a step")?;
                    options.only.push(name.clone());
                }
                unknown => bail!("`test` has no option `{unknown}`; `cargo xtask help` lists them"),
            }
        }
        let names: Vec<&str> = STEPS.iter().map(|step| step.name).collect();
        match options.only.iter().find(|name| !names.contains(&name.as_str())) {
            Some(unknown) => bail!("there is no step `{unknown}`; there are: {}", names.join(", ")),
            None => Ok(options),
        }
    }

    /// Why a step is left out, if it is.
    fn leaves_out(&self, step: &Step) -> Option<String> {
        match step.name {
            "web-build" | "web-test" | "web-page" | "browser" | "flows" if self.skip_web => {
                Some("--skip-web".to_owned())
            }
            "fuzz" if self.skip_fuzz => Some("--skip-fuzz".to_owned()),
            _ => None,
        }
    }

    fn wants(&self, step: &Step) -> bool {
        self.only.is_empty() || self.only.iter().any(|name| name == step.name)
    }
}

/// Runs the steps and prints the table; the last line is `N passed, N failed`.
pub(crate) fn run(args: &[String]) -> Result<()> {
    if args.iter().any(|arg| arg == "--list") {
        STEPS.iter().for_each(|step| say(&format!("{:<10} {}", step.name, step.about)));
        return Ok(());
    }
    let options = Options::parse(args)?;
    let begun = Instant::now();
    let mut lines: Vec<Line> = Vec::new();
    for step in STEPS.iter().filter(|step| options.wants(step)) {
        let line = perform(step, &options, &lines);
        let failed = matches!(line.fate, Fate::Failed(..));
        lines.push(line);
        if failed && options.fail_fast {
            break;
        }
    }
    let tally = summarise(&lines, begun.elapsed());
    if tally.failed > 0 {
        return Err(Verdict(tally).into());
    }
    say(&Verdict(tally).last_line());
    Ok(())
}

fn perform(step: &Step, options: &Options, before: &[Line]) -> Line {
    let begun = Instant::now();
    let line = |fate| Line { name: step.name, took: begun.elapsed(), fate };
    if let Some(reason) = options.leaves_out(step) {
        return line(Fate::Skipped(reason));
    }
    let broken =
        before.iter().find(|line| step.needs.contains(&line.name) && matches!(line.fate, Fate::Failed(..)));
    if let Some(broken) = broken {
        return line(Fate::Skipped(format!("needs {}, which failed", broken.name)));
    }
    say(&format!("\n== {}: {}", step.name, step.about));
    let fate = match (step.run)() {
        Ok(Outcome::Passed) => Fate::Passed(Tally::ONE_PASSED),
        Ok(Outcome::Counted(tally)) if tally.failed > 0 => {
            Fate::Failed(tally, format!("{} of {} failed", tally.failed, tally.passed + tally.failed))
        }
        Ok(Outcome::Counted(tally)) => Fate::Passed(tally),
        Ok(Outcome::Skipped(reason)) => Fate::Skipped(reason),
        Err(error) => Fate::Failed(Tally::ONE_FAILED, format!("{error:#}")),
    };
    match &fate {
        Fate::Passed(_) => {}
        Fate::Failed(_, reason) => sh::complain(&format!("{} failed: {reason}", step.name)),
        Fate::Skipped(reason) => say(&format!("{} was not run: {reason}", step.name)),
    }
    let line = line(fate);
    say(&format!("-- {} took {:.1} s", line.name, line.took.as_secs_f64()));
    line
}

/// Prints the table and adds up.
fn summarise(lines: &[Line], took: Duration) -> Tally {
    say(&format!("\n{:<10} {:>8}  result", "step", "seconds"));
    let mut total = Tally::default();
    for Line { name, took, fate } in lines {
        let (result, tally) = match fate {
            Fate::Passed(tally) => (format!("passed ({})", tally.passed), *tally),
            Fate::Failed(tally, why) => {
                (format!("FAILED: {}", why.lines().next().unwrap_or_default()), *tally)
            }
            Fate::Skipped(why) => (format!("not run: {why}"), Tally::default()),
        };
        total = total.plus(tally);
        say(&format!("{name:<10} {:>8.1}  {result}", took.as_secs_f64()));
    }
    say(&format!("{:<10} {:>8.1}\n", "all", took.as_secs_f64()));
    total
}

fn fmt_check() -> Result<Outcome> {
    Cmd::new("cargo", &["fmt", "--all", "--check"]).run()?;
    Cmd::new("cargo", &["fmt", "--manifest-path", "fuzz/Cargo.toml", "--check"]).run()?;
    Ok(Outcome::Passed)
}

fn tidy_check() -> Result<Outcome> {
    tidy::run(&[])?;
    Ok(Outcome::Passed)
}

fn typos() -> Result<Outcome> {
    if !Cmd::new("typos", &["--version"]).works() {
        return Ok(Outcome::Skipped("`typos` is not installed (`cargo install typos-cli`)".to_owned()));
    }
    Cmd::new("typos", &["--config", "typos.toml"]).run()?;
    Ok(Outcome::Passed)
}

fn deny() -> Result<Outcome> {
    if !Cmd::new("cargo", &["deny", "--version"]).works() {
        return Ok(Outcome::Skipped("`cargo deny` is not installed (`cargo install cargo-deny`)".to_owned()));
    }
    Cmd::new("cargo", &["deny", "check"]).run()?;
    Ok(Outcome::Passed)
}

fn web_build() -> Result<Outcome> {
    web::build()?;
    Ok(Outcome::Passed)
}

fn web_test() -> Result<Outcome> {
    counted(&web::unit_tests()?, "the page's unit tests")
}

fn web_page() -> Result<Outcome> {
    counted(&browser::test_against_fake()?, "the page's browser test")
}

fn clippy() -> Result<Outcome> {
    Cmd::new("cargo", &["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]).run()?;
    Ok(Outcome::Passed)
}

fn doc() -> Result<Outcome> {
    Cmd::new("cargo", &["doc", "--workspace", "--no-deps", "--document-private-items"])
        .env("RUSTDOCFLAGS", "-D warnings")
        .run()?;
    Ok(Outcome::Passed)
}

fn rust_test() -> Result<Outcome> {
    debian::ensure(&[
        ("ngircd", "the real IRC server of the tests"),
        ("weechat-headless", "a person's IRC program on that server"),
    ])?;
    let nextest = Cmd::new("cargo", &["nextest", "--version"]).works();
    let command = if nextest {
        Cmd::new("cargo", &["nextest", "run", "--workspace", "--no-fail-fast"])
    } else {
        say("`cargo nextest` is not installed; `cargo test` does the same, slower");
        Cmd::new("cargo", &["test", "--workspace", "--all-targets", "--no-fail-fast"])
    };
    counted(&command.tee()?, "the Rust tests")
}

fn doctest() -> Result<Outcome> {
    counted(&Cmd::new("cargo", &["test", "--workspace", "--doc", "--no-fail-fast"]).tee()?, "the examples")
}

fn crash_briefly() -> Result<Outcome> {
    crash::briefly(KILLS)?;
    Ok(Outcome::Passed)
}

fn fuzz_briefly() -> Result<Outcome> {
    Ok(Outcome::Counted(fuzz::all(FUZZ_SECONDS)?))
}

fn browser_test() -> Result<Outcome> {
    counted(&browser::test()?, "the browser test")
}

fn flows() -> Result<Outcome> {
    counted(&browser::flows()?, "the flows of the page")
}

/// Reads the counts; a program that failed without a failed test (it did not compile, say) is an error.
fn counted(ran: &Ran, what: &str) -> Result<Outcome> {
    let tally = Tally::read(&ran.text);
    if !ran.ok && tally.failed == 0 {
        bail!("{what} did not run to their end");
    }
    if ran.ok && tally == Tally::default() { Ok(Outcome::Passed) } else { Ok(Outcome::Counted(tally)) }
}

#[cfg(test)]
mod tests;
