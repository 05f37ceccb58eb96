//! Compiling the whole workspace once, for everything that wants it compiled: lints, tests, documentation, browsers.
//!
//! Clippy's compiler is rustc with more lints, and it makes the same programs, so it takes rustc's place for our own
//! packages and nothing is read twice. This program stands before it and writes down how each package was compiled
//! (see [`units`]), because rustdoc wants to know. Lints never stop a build here: they are counted, so that a
//! warning fails its own step and the tests still run.

pub(crate) mod deps_cache;
mod unit_cache;
pub(crate) mod units;

use std::collections::BTreeSet;
use std::path::PathBuf;

use anyhow::{Context as _, Result, bail};
use serde::Deserialize;

use crate::machine;
use crate::serve::binary;
use crate::sh::{Cmd, say};
use crate::web;
use crate::workspace;

/// Turns what the manifests deny into warnings; clippy's compiler reads its options from a variable.
const LINTS: &str = "--cap-lints__CLIPPY_HACKERY__warn__CLIPPY_HACKERY__";

/// An example of homard-protocol: the protocol as TypeScript.
const TYPE_WRITER: &str = "typescript";

/// A line of cargo's report.
#[derive(Debug, Deserialize)]
struct Report {
    reason: String,
    message: Option<Diagnostic>,
    #[serde(default)]
    filenames: Vec<PathBuf>,
    out_dir: Option<PathBuf>,
    #[serde(default)]
    package_id: String,
    fresh: Option<bool>,
    executable: Option<PathBuf>,
}

#[derive(Debug, Deserialize)]
struct Diagnostic {
    level: String,
    rendered: Option<String>,
}

/// How a compilation ended.
#[derive(Debug, Default)]
pub(crate) struct Compiled {
    /// Lints that were broken.
    pub(crate) warnings: usize,
}

/// Cargo, set up so that everything it compiles in the development profile is shared by all steps.
pub(crate) fn cargo(args: &[&str]) -> Result<Cmd> {
    let mut cargo = Cmd::new("cargo", args)
        .env("RUSTC_WORKSPACE_WRAPPER", units::wrapper()?)
        .env(units::variable(), units::folder()?)
        .env("CLIPPY_ARGS", LINTS);
    if machine::is_ci() {
        // What is compiled once and thrown away is compiled faster without notes for the next time.
        cargo = cargo.env("CARGO_INCREMENTAL", "0");
        let told = unit_cache::variables(&workspace::root(), &workspace::target()?)?;
        if !told.is_empty() {
            cargo = cargo.env("RUSTC_WORKSPACE_WRAPPER", units::shared_wrapper()?);
        }
        for (name, value) in told {
            cargo = cargo.env(name, value);
        }
    }
    Ok(cargo)
}

/// Compiles every target of every package.
pub(crate) fn all() -> Result<Compiled> {
    compile(cargo(&["build", "--workspace", "--all-targets", "--timings", "--message-format=json"])?)
}

/// Compiles the program alone.
pub(crate) fn homard() -> Result<()> {
    compile(cargo(&["build", "-p", "homard", "--message-format=json"])?).map(drop)
}

/// Compiles the program that writes the page's types, as a part of the whole, so that nothing of it is compiled twice.
pub(crate) fn type_writer() -> Result<PathBuf> {
    compile(cargo(&["build", "--workspace", "--example", TYPE_WRITER, "--message-format=json"])?)?;
    Ok(workspace::target()?.join("debug/examples").join(binary(TYPE_WRITER)))
}

/// Runs cargo with what this machine has compiled before, and keeps what it made.
fn compile(cargo: Cmd) -> Result<Compiled> {
    deps_cache::seed()?;
    // The page is built beside; its folder's path is compiled in, and that wants a folder.
    let page = web::dir().join("dist");
    std::fs::create_dir_all(&page).with_context(|| format!("could not make `{}`", page.display()))?;
    let mut compiled = Compiled::default();
    let (mut hashes, mut has_compiled_foreign) = (BTreeSet::new(), false);
    let ok = cargo.each_line(|line| {
        let Ok(report) = serde_json::from_str::<Report>(line) else { return };
        let made = report.filenames.iter().chain(&report.out_dir).chain(&report.executable);
        hashes.extend(made.filter_map(|path| deps_cache::hash_in(path)));
        has_compiled_foreign |= report.fresh == Some(false) && report.package_id.starts_with("registry+");
        if let Some(Diagnostic { level, rendered: Some(rendered) }) = report.message {
            say(&rendered);
            compiled.warnings += usize::from(report.reason == "compiler-message" && level == "warning");
        }
    })?;
    if !ok {
        bail!("it does not compile; the messages above say why");
    }
    if has_compiled_foreign {
        deps_cache::keep(&hashes).context("could not keep the compiled dependencies")?;
    }
    Ok(compiled)
}

/// A program that [`all`] made.
pub(crate) fn program(name: &str) -> Result<PathBuf> {
    Ok(workspace::target()?.join("debug").join(format!("{name}{}", std::env::consts::EXE_SUFFIX)))
}
