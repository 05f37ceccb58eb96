//! `cargo xtask nightly`: what takes too long for every change. Each part is a command that can be run alone.

use std::time::Instant;

use anyhow::{Result, bail};

use crate::bench;
use crate::hardening::compat;
use crate::hardening::crash;
use crate::hardening::fuzz;
use crate::hardening::readers;
use crate::machine::tools;
use crate::manual::book;
use crate::sh::{Cmd, complain, say};

/// A long check.
struct Part {
    name: &'static str,
    about: &'static str,
    run: fn() -> Result<()>,
}

const PARTS: [Part; 8] = [
    Part { name: "advisories", about: "known holes in dependencies; needs their database", run: advisories },
    Part { name: "compat", about: "the published client against a gateway", run: || compat::run(&[]) },
    Part { name: "readers", about: "no setting without a reader", run: || readers::run(&[]) },
    Part { name: "book", about: "the book as a website, without a warning", run: book::site },
    Part { name: "fuzz", about: "every target, instrumented, a minute each", run: || fuzz::run(&[]) },
    Part {
        name: "crash",
        about: "2,000 kills of a release build",
        run: || crash::run(&words(&["--kills", "2000"])),
    },
    Part { name: "bench", about: "every measurement of a release build", run: || bench::run(&[]) },
    Part {
        name: "soak",
        about: "turns, reconnects and schedules for an hour, memory watched",
        run: || bench::run(&words(&["--soak", "3600"])),
    },
];

/// Runs the named parts, or all; goes on after a failure and tells at the end.
pub(crate) fn run(args: &[String]) -> Result<()> {
    if args.iter().any(|arg| arg == "--list") {
        PARTS.iter().for_each(|part| say(&format!("{:<12} {}", part.name, part.about)));
        return Ok(());
    }
    if let Some(unknown) = args.iter().find(|name| PARTS.iter().all(|part| part.name != name.as_str())) {
        let names: Vec<&str> = PARTS.iter().map(|part| part.name).collect();
        bail!("nightly has no part `{unknown}`; there are: {}", names.join(", "));
    }
    let mut table = Vec::new();
    for part in PARTS.iter().filter(|part| args.is_empty() || args.iter().any(|name| name == part.name)) {
        say(&format!("\n== {}: {}", part.name, part.about));
        let begun = Instant::now();
        let result = (part.run)();
        if let Err(error) = &result {
            complain(&format!("{} failed: {error:#}", part.name));
        }
        table.push((part.name, begun.elapsed(), result.is_ok()));
    }
    say("");
    for (name, took, ok) in &table {
        say(&format!("{name:<12} {:>8.0} s  {}", took.as_secs_f64(), if *ok { "passed" } else { "FAILED" }));
    }
    let failed = table.iter().filter(|(_, _, ok)| !ok).count();
    say(&format!("{} passed, {failed} failed", table.len() - failed));
    if failed > 0 {
        bail!("{failed} of {} parts failed", table.len());
    }
    Ok(())
}

fn advisories() -> Result<()> {
    Cmd::new(tools::cargo_deny()?, &["check", "advisories"]).run()
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}
