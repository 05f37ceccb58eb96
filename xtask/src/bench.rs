//! `cargo xtask bench`: release binaries, the measuring program of homard-testkit, and the committed table.
//!
//! The measuring program prints Markdown on standard output and its progress on standard error, so that
//! what is printed can be pasted. This file knows nothing of what is measured.

mod compare;
pub(crate) mod order;
pub(crate) mod weigh;

use std::fs;

use anyhow::{Context as _, Result, bail};

use crate::serve::binary;
use crate::sh::{Cmd, say};
use crate::web;
use crate::workspace::{self, root};

const FILE: &str = "docs/benchmarks.md";
const BEGIN: &str = "<!-- bench:begin -->";
const END: &str = "<!-- bench:end -->";
/// Programs that measure parts which need no gateway: their package and their name among its examples.
const MEASURERS: [(&str, &str); 6] = [
    ("homard-agent", "prompt_bench"),
    ("homard-agent", "stream_bench"),
    ("homard-channel", "text_bench"),
    ("homard-config", "config_bench"),
    ("homard-llm", "model_bench"),
    ("homard-models", "failover_bench"),
];
/// The document when there is none yet.
const EMPTY: &str =
    "# Benchmarks\n\nWritten by `cargo xtask bench --write`.\n\n<!-- bench:begin -->\n<!-- bench:end -->\n";

/// Measures; with `--write` puts the result into the document, with `--compare REV` measures in turns with another
/// build. Other arguments go to the measuring program.
pub(crate) fn run(args: &[String]) -> Result<()> {
    match web::has_node() {
        true => web::build()?,
        false => say("bench: without Node the program is measured without its page"),
    }
    // One after the other: in one call, what the measuring program wants of shared libraries would be in both, and another
    // program would be measured than people get.
    for package in ["homard", "homard-testkit"] {
        Cmd::new("cargo", &["build", "--release", "-p", package, "--bins"]).run()?;
    }
    let release = workspace::target()?.join("release");
    let programs = || {
        Cmd::new(release.join(binary("bench")), &[])
            .args(["--homard".as_ref(), release.join(binary("homard")).as_os_str()])
            .args(["--fake".as_ref(), release.join(binary("fake_llm")).as_os_str()])
    };
    if let Some((before, rest)) = compare::asked(args)? {
        let before = compare::build(&before)?;
        return programs().args(["--against".as_ref(), before.as_os_str()]).args(rest).run();
    }
    for (package, example) in MEASURERS {
        Cmd::new("cargo", &["build", "--release", "-p", package, "--example", example]).run()?;
    }
    let examples = release.join("examples");
    let measurers = MEASURERS
        .iter()
        .flat_map(|(_, name)| ["--measure".into(), examples.join(binary(name)).into_os_string()]);
    let rest = args.iter().filter(|arg| !matches!(arg.as_str(), "--write" | "--"));
    let bench = programs().args(measurers).args(rest);
    if !args.iter().any(|arg| arg == "--write") {
        return bench.run();
    }
    let table = bench.read()?;
    say(&table);
    let file = root().join(FILE);
    let document = fs::read_to_string(&file).unwrap_or_else(|_| EMPTY.to_owned());
    let Some(document) = between(&document, (BEGIN, END), &table) else {
        bail!("{FILE} has no `{BEGIN}` followed by `{END}`, so there is no place for the table");
    };
    fs::write(&file, document).with_context(|| format!("could not write `{FILE}`"))?;
    say(&format!("wrote {FILE}"));
    Ok(())
}

/// The document with everything between two markers replaced.
fn between(document: &str, (begin, end): (&str, &str), body: &str) -> Option<String> {
    let (before, rest) = document.split_once(begin)?;
    let (_, after) = rest.split_once(end)?;
    Some(format!("{before}{begin}\n{}\n{end}{after}", body.trim()))
}

#[cfg(test)]
mod tests;
