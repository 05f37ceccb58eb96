//! The table of steps: what must hold, what each needs, how long it may take.

use anyhow::{Context as _, Result, bail};

use super::budget::Budget;
use super::changed::{Kind, Scope};
use crate::browser;
use crate::compile;
use crate::dist;
use crate::hardening::crash;
use crate::machine::debian;
use crate::machine::debian::Needed;
use crate::machine::tools;
use crate::sh::{Cmd, Ran, say};
use crate::tally::Tally;
use crate::tidy;
use crate::web;
use crate::workspace;

/// How often the gateway is killed here; long runs are `cargo xtask crash --kills N`.
const KILLS: u64 = 50;
/// How many slow tests are named.
const SLOWEST: usize = 20;
/// The step that compiles for the page alone.
const TYPES: &str = "web-types";
/// Where the compiling step leaves the number of broken lints.
const LINTS: &str = "lints";

/// One thing that must hold.
#[derive(Debug)]
pub(super) struct Step {
    pub(super) name: &'static str,
    pub(super) about: &'static str,
    pub(super) lane: Lane,
    /// Steps whose result this one uses.
    pub(super) needs: &'static [&'static str],
    /// What a change must be of to break it.
    pub(super) watches: &'static [Kind],
    pub(super) budget: Budget,
    pub(super) run: fn(&Scope) -> Result<Outcome>,
}

impl Step {
    pub(super) fn is_of_the_page(&self) -> bool {
        self.lane == Lane::Page || self.watches == PAGE || self.name == TYPES
    }
}

/// Steps of one lane never run at once: they want the same files, or all cores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lane {
    /// Short, or content with one core.
    Check,
    /// Compiles, and runs the tests.
    Rust,
    /// Node and the browser.
    Page,
}

/// How a step that came to its end ended; an error is the other way.
#[derive(Debug)]
pub(super) enum Outcome {
    Passed,
    /// It ran tests; any that failed make the step fail.
    Counted(Tally),
    /// Something is missing on this machine; in CI that is a failure.
    Impossible(String),
}

const fn seconds(first: u64, again: u64) -> Budget {
    Budget { first, again }
}

const ANY: &[Kind] = &[Kind::Rust, Kind::Manifest, Kind::Page, Kind::Words];
const RUST: &[Kind] = &[Kind::Rust, Kind::Manifest];
const TESTED: &[Kind] = &[Kind::Rust, Kind::Manifest, Kind::Words];
const PAGE: &[Kind] = &[Kind::Page];
const BOTH: &[Kind] = &[Kind::Rust, Kind::Manifest, Kind::Page];

/// In the order they are begun when several could: what others wait for first.
#[rustfmt::skip]
pub(super) const STEPS: [Step; 19] = [
    Step { name: TYPES, about: "types of the page, made from the protocol", lane: Lane::Rust, needs: &[], watches: BOTH, budget: seconds(90, 30), run: web_types },
    Step { name: "build", about: "everything compiles, once, with lints", lane: Lane::Rust, needs: &[], watches: BOTH, budget: seconds(400, 260), run: build },
    Step { name: "fmt", about: "formatting", lane: Lane::Check, needs: &[], watches: RUST, budget: seconds(10, 10), run: fmt_check },
    Step { name: "tidy", about: "layers, file heads, names, words", lane: Lane::Check, needs: &[], watches: ANY, budget: seconds(10, 10), run: tidy_check },
    Step { name: "typos", about: "spelling", lane: Lane::Check, needs: &[], watches: ANY, budget: seconds(20, 5), run: typos },
    Step { name: "web-build", about: "packages and build of the page", lane: Lane::Page, needs: &["web-types"], watches: BOTH, budget: seconds(60, 60), run: web_build },
    Step { name: "web-check", about: "types of the page", lane: Lane::Check, needs: &["web-build"], watches: PAGE, budget: seconds(30, 30), run: web_check },
    Step { name: "web-format", about: "formatting of the page", lane: Lane::Check, needs: &["web-build"], watches: PAGE, budget: seconds(30, 30), run: web_format },
    Step { name: "web-test", about: "unit tests of the page", lane: Lane::Page, needs: &["web-build"], watches: PAGE, budget: seconds(30, 30), run: web_test },
    Step { name: "web-page", about: "Chromium against a fake gateway", lane: Lane::Page, needs: &["web-build"], watches: PAGE, budget: seconds(120, 100), run: web_page },
    Step { name: "deny", about: "licences, bans, sources", lane: Lane::Check, needs: &[], watches: &[Kind::Manifest], budget: seconds(200, 10), run: deny },
    Step { name: "clippy", about: "no lint is broken", lane: Lane::Check, needs: &["build"], watches: RUST, budget: seconds(5, 5), run: clippy },
    Step { name: "rust-test", about: "all Rust tests", lane: Lane::Rust, needs: &["build"], watches: TESTED, budget: seconds(300, 300), run: rust_test },
    Step { name: "flows", about: "every flow of the page against a real gateway with a scripted model", lane: Lane::Page, needs: &["web-build", "build"], watches: BOTH, budget: seconds(280, 280), run: flows },
    Step { name: "browser", about: "Chromium against a real gateway", lane: Lane::Page, needs: &["web-build", "build"], watches: BOTH, budget: seconds(40, 40), run: browser_test },
    Step { name: "doc", about: "the documentation builds and links", lane: Lane::Check, needs: &["build"], watches: RUST, budget: seconds(200, 200), run: doc },
    Step { name: "doctest", about: "examples in the documentation", lane: Lane::Check, needs: &["build"], watches: RUST, budget: seconds(40, 40), run: doctest },
    Step { name: "packages", about: "the Debian package, installed in a root of its own", lane: Lane::Check, needs: &["build"], watches: TESTED, budget: seconds(60, 60), run: packages },
    Step { name: "crash", about: "kills while people write", lane: Lane::Check, needs: &["build"], watches: RUST, budget: seconds(60, 60), run: crash_briefly },
];

fn build(_: &Scope) -> Result<Outcome> {
    let compiled = compile::all()?;
    std::fs::write(workspace::scratch()?.join(LINTS), compiled.warnings.to_string())?;
    Ok(Outcome::Passed)
}

fn clippy(_: &Scope) -> Result<Outcome> {
    let broken = std::fs::read_to_string(workspace::scratch()?.join(LINTS))
        .context("the compiling step left no count")?;
    match broken.as_str() {
        "0" => Ok(Outcome::Passed),
        broken => bail!("{broken} lints are broken; the log of the step `build` names them"),
    }
}

fn fmt_check(_: &Scope) -> Result<Outcome> {
    Cmd::new("cargo", &["fmt", "--all", "--check"]).run()?;
    Ok(Outcome::Passed)
}

fn tidy_check(_: &Scope) -> Result<Outcome> {
    tidy::run(&[])?;
    Ok(Outcome::Passed)
}

fn typos(_: &Scope) -> Result<Outcome> {
    with_tool(tools::typos(), |typos| Cmd::new(typos, &["--config", "typos.toml"]).run())
}

fn deny(_: &Scope) -> Result<Outcome> {
    // Advisories live in a repository of their own, which not every machine reaches; the nightly run asks them.
    let checks = ["--offline", "check", "licenses", "bans", "sources"];
    with_tool(tools::cargo_deny(), |deny| {
        // It reads the sources of other platforms, too, which no build here has fetched.
        Cmd::new("cargo", &["fetch", "--locked", "--quiet"]).run()?;
        Cmd::new(deny, &checks).run()
    })
}

fn packages(_: &Scope) -> Result<Outcome> {
    Ok(match dist::check()? {
        true => Outcome::Passed,
        false => Outcome::Impossible("there is no dpkg here".to_owned()),
    })
}

/// Runs a check with a tool that was found or installed.
fn with_tool(
    tool: Result<std::path::PathBuf>,
    check: impl FnOnce(std::path::PathBuf) -> Result<()>,
) -> Result<Outcome> {
    match tool {
        Ok(tool) => check(tool).map(|()| Outcome::Passed),
        Err(error) => Ok(Outcome::Impossible(format!("{error:#}"))),
    }
}

fn web_types(_: &Scope) -> Result<Outcome> {
    web::types()?;
    Ok(Outcome::Passed)
}

fn web_build(_: &Scope) -> Result<Outcome> {
    web::build()?;
    Ok(Outcome::Passed)
}

fn web_check(_: &Scope) -> Result<Outcome> {
    web::check()?;
    Ok(Outcome::Passed)
}

fn web_format(_: &Scope) -> Result<Outcome> {
    web::format_check()?;
    Ok(Outcome::Passed)
}

fn web_test(_: &Scope) -> Result<Outcome> {
    counted(&web::unit_tests()?, "the page's unit tests")
}

fn web_page(_: &Scope) -> Result<Outcome> {
    counted(&browser::test_against_fake()?, "the page's browser test")
}

fn doc(_: &Scope) -> Result<Outcome> {
    say(&format!("{} libraries and programs are documented", compile::units::document()?));
    Ok(Outcome::Passed)
}

fn rust_test(scope: &Scope) -> Result<Outcome> {
    debian::ensure(&[
        debian::NGIRCD,
        Needed {
            program: "weechat-headless",
            packages: &["weechat-headless", "weechat-plugins"],
            purpose: "a person's IRC program on that server",
        },
    ])?;
    let command = if Cmd::new("cargo", &["nextest", "--version"]).works() {
        let run = compile::cargo(&["nextest", "run", "--workspace", "--no-fail-fast", "--no-tests=pass"])?
            .args(["--status-level", "pass"]);
        match scope.test_filter() {
            Some(filter) => run.args(["-E", &filter]),
            None => run,
        }
    } else {
        say("`cargo nextest` is not installed; `cargo test` does the same, slower");
        compile::cargo(&["test", "--workspace", "--all-targets", "--no-fail-fast"])?
    };
    let ran = command.tee()?;
    say(&slowest(&ran.text));
    counted(&ran, "the Rust tests")
}

/// The tests that took longest, as nextest timed them.
pub(super) fn slowest(log: &str) -> String {
    let mut timed: Vec<(f64, &str)> = log
        .lines()
        .filter_map(|line| {
            let (seconds, name) = line.trim().strip_prefix("PASS [")?.split_once("s]")?;
            Some((seconds.trim().parse().ok()?, name.split_once(')').map_or(name, |(_, name)| name).trim()))
        })
        .collect();
    timed.sort_by(|a, b| b.0.total_cmp(&a.0));
    let lines = timed.iter().take(SLOWEST).map(|(seconds, name)| format!("{seconds:>8.1} s  {name}"));
    format!("the slowest tests:\n{}", lines.collect::<Vec<_>>().join("\n"))
}

fn doctest(_: &Scope) -> Result<Outcome> {
    counted(&compile::cargo(&["test", "--workspace", "--doc", "--no-fail-fast"])?.tee()?, "the examples")
}

fn crash_briefly(_: &Scope) -> Result<Outcome> {
    crash::briefly(KILLS)?;
    Ok(Outcome::Passed)
}

fn browser_test(_: &Scope) -> Result<Outcome> {
    counted(&browser::test()?, "the browser test")
}

fn flows(_: &Scope) -> Result<Outcome> {
    counted(&browser::flows()?, "the flows of the page")
}

/// Reads the counts; a program that failed without a failed test (it did not compile, say) is an error.
pub(super) fn counted(ran: &Ran, what: &str) -> Result<Outcome> {
    let tally = Tally::read(&ran.text);
    if !ran.ok && tally.failed == 0 {
        bail!("{what} did not run to their end");
    }
    if ran.ok && tally == Tally::default() { Ok(Outcome::Passed) } else { Ok(Outcome::Counted(tally)) }
}
