//! Tools the checks need that are not part of the toolchain: found, or installed once per machine, outside the clone.

use std::path::PathBuf;

use anyhow::{Context as _, Result, bail};

use crate::machine;
use crate::sh::{Cmd, say};

const TYPOS: &str = "1.51.1";
const CARGO_DENY: &str = "0.20.2";
const MDBOOK: &str = "0.5.4";

/// The spelling check. Its maintainers publish it as a Python wheel too, which is there in a second.
pub(crate) fn typos() -> Result<PathBuf> {
    let dir = machine::cache("tools")?.join(format!("typos-{TYPOS}"));
    let program = dir.join("bin/typos");
    if works(&program) {
        return Ok(program);
    }
    say(&format!("installing typos {TYPOS} into {}", dir.display()));
    let wheel = format!("typos=={TYPOS}");
    let pip = Cmd::new(
        "python3",
        &["-m", "pip", "install", "--quiet", "--no-deps", "--upgrade", &wheel, "--target"],
    );
    if pip.args([&dir]).run().is_err() {
        say("there is no pip here; compiling it instead");
        install("typos-cli", TYPOS, &[], &dir)?;
    }
    checked(program)
}

/// The check of what may enter the tree.
pub(crate) fn cargo_deny() -> Result<PathBuf> {
    let dir = machine::cache("tools")?.join(format!("cargo-deny-{CARGO_DENY}"));
    let program = dir.join("bin/cargo-deny");
    if !works(&program) {
        say(&format!("installing cargo-deny {CARGO_DENY} into {}", dir.display()));
        install("cargo-deny", CARGO_DENY, &[], &dir)?;
    }
    checked(program)
}

/// What makes a website of the book.
pub(crate) fn mdbook() -> Result<PathBuf> {
    let dir = machine::cache("tools")?.join(format!("mdbook-{MDBOOK}"));
    let program = dir.join("bin/mdbook");
    if !works(&program) {
        say(&format!("installing mdBook {MDBOOK} into {}", dir.display()));
        install("mdbook", MDBOOK, &["--features", "search"], &dir)?;
    }
    checked(program)
}

/// Compiles a tool without optimisation: it runs for a second, and compiling it well takes minutes.
fn install(package: &str, version: &str, features: &[&str], dir: &std::path::Path) -> Result<()> {
    let args = [
        "install",
        "--quiet",
        "--locked",
        "--debug",
        "--no-default-features",
        "--version",
        version,
        package,
        "--root",
    ];
    Cmd::new("cargo", &args)
        .args([dir])
        .args(features)
        .env("CARGO_PROFILE_DEV_DEBUG", "0")
        .run()
        .with_context(|| {
            format!("could not install {package}; with `{}` in place this step runs", dir.display())
        })
}

fn works(program: &std::path::Path) -> bool {
    Cmd::new(program, &["--version"]).works()
}

fn checked(program: PathBuf) -> Result<PathBuf> {
    if !works(&program) {
        bail!("`{}` does not start", program.display());
    }
    Ok(program)
}
