//! `cargo xtask compat`: the published client of OpenClaw against a Homard gateway with the fake model.
//!
//! The client is what people have installed, so what it can do here is what compatibility means. It needs the
//! package registry once and takes minutes, so it is run on demand and is no part of `cargo xtask test`.

mod flows;
mod page;
mod published;
mod refused;
mod sdks;
mod stage;
mod terminal;

use std::fs;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};

use crate::sh::{Cmd, say};
use crate::workspace::root;
use flows::{FLOWS, Flow};
use published::Published;
use stage::Stage;

const FILE: &str = "docs/compat.md";
/// Names of the places in the document that are made.
const TABLE: &str = "compat";
const REFUSED: &str = "refused";

/// What one flow came to.
#[derive(Debug)]
struct Line {
    name: &'static str,
    took: Duration,
    /// Why it failed; `None` when it passed.
    failure: Option<String>,
    /// Methods the client asked for meanwhile that this gateway does not know.
    unknown: Vec<String>,
}

/// Runs the flows and prints the table; fails when a flow does.
pub(crate) fn run(args: &[String]) -> Result<()> {
    let options = Options::read(args)?;
    let published = Published::install()?;
    Cmd::new("cargo", &["build", "-p", "homard", "-p", "homard-testkit", "--bins"]).run()?;
    let mut lines = Vec::new();
    for flow in FLOWS.iter().filter(|flow| options.wants(flow)) {
        let line = perform(flow, &published);
        let fate = line.failure.as_ref().map_or("passed", |_| "FAILED");
        say(&format!("{:<16} {fate} ({:.1} s)", line.name, line.took.as_secs_f64()));
        if let Some(failure) = &line.failure {
            say(failure);
        }
        lines.push(line);
    }
    let table = table(&lines, &published.version()?);
    say(&format!("\n{table}"));
    if options.write {
        let record = refused::record(&lines);
        fs::write(root().join(refused::RECORD), &record).context("could not keep what was asked for")?;
        write(&table, &refused::table(&record))?;
    }
    let failed = lines.iter().filter(|line| line.failure.is_some()).count();
    if failed > 0 {
        bail!("{failed} of {} flows failed", lines.len());
    }
    Ok(())
}

/// Every flow gets a gateway of its own, so that none depends on what another left behind.
fn perform(flow: &Flow, published: &Published) -> Line {
    let begun = Instant::now();
    let (failure, unknown) = match Stage::set(published) {
        Err(error) => (Some(format!("{error:#}")), Vec::new()),
        Ok(mut stage) => {
            let failure = (flow.play)(&mut stage).err().map(|error| format!("{error:#}"));
            (failure, stage.unknown_methods())
        }
    };
    Line { name: flow.name, took: begun.elapsed(), failure, unknown }
}

/// What the command line asked for.
#[derive(Debug, Default)]
struct Options {
    only: Vec<String>,
    write: bool,
}

impl Options {
    fn read(args: &[String]) -> Result<Self> {
        let mut options = Self::default();
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            match arg.as_str() {
                "--write" => options.write = true,
                "--only" => {
                    let name = args.next().context("--only needs the name of a flow")?;
                    if !FLOWS.iter().any(|flow| flow.name == name) {
                        let names: Vec<&str> = FLOWS.iter().map(|flow| flow.name).collect();
                        bail!("there is no flow `{name}`; there are {}", names.join(", "));
                    }
                    options.only.push(name.clone());
                }
                unknown => bail!("unknown option `{unknown}`; known are --only NAME and --write"),
            }
        }
        if options.write && !options.only.is_empty() {
            bail!("--write puts the whole table into {FILE}, so it cannot go with --only");
        }
        Ok(options)
    }

    fn wants(&self, flow: &Flow) -> bool {
        self.only.is_empty() || self.only.iter().any(|name| name == flow.name)
    }
}

/// The table as Markdown.
fn table(lines: &[Line], version: &str) -> String {
    let passed = lines.iter().filter(|line| line.failure.is_none()).count();
    let mut text = format!(
        "Client {version}: {passed} of {} flows passed.\n\n| flow | result | what was missing |\n|---|---|---|\n",
        lines.len()
    );
    for Line { name, failure, unknown, .. } in lines {
        let result = if failure.is_none() { "passed" } else { "failed" };
        let mut missing = Vec::new();
        if let Some(failure) = failure {
            missing.push(cell(failure));
        }
        if !unknown.is_empty() {
            let names: Vec<String> = unknown.iter().map(|name| format!("`{}`", cell(name))).collect();
            missing.push(format!("unknown methods: {}", names.join(" ")));
        }
        text.push_str(&format!("| {name} | {result} | {} |\n", missing.join("; ")));
    }
    text
}

/// The first line of a text, fit for a cell.
fn cell(text: &str) -> String {
    text.lines().next().unwrap_or_default().trim().replace('|', "\\|")
}

fn write(table: &str, refused: &str) -> Result<()> {
    let file = root().join(FILE);
    let mut document = fs::read_to_string(&file).with_context(|| format!("could not read `{FILE}`"))?;
    for (place, body) in [(TABLE, table), (REFUSED, refused)] {
        document = between_markers(&document, place, body).with_context(|| {
            format!("{FILE} has no `<!-- {place}:begin -->` followed by `<!-- {place}:end -->`")
        })?;
    }
    fs::write(&file, document).with_context(|| format!("could not write `{FILE}`"))?;
    say(&format!("wrote {FILE}"));
    Ok(())
}

/// The document with everything between the markers replaced.
fn between_markers(document: &str, place: &str, body: &str) -> Option<String> {
    let (begin, end) = (format!("<!-- {place}:begin -->"), format!("<!-- {place}:end -->"));
    let (before, rest) = document.split_once(&begin)?;
    let (_, after) = rest.split_once(&end)?;
    Some(format!("{before}{begin}\n{}\n{end}{after}", body.trim()))
}

#[cfg(test)]
mod tests;
