//! `cargo xtask book`: the pages of the book that are made from the program, and the book as a website.

use anyhow::{Result, ensure};

use crate::compile;
use crate::machine::tools;
use crate::sh::{Cmd, say};

/// The tests of the program that compare the pages, or write them.
const PAGES: &str = "the_reference_of";
/// What mdBook says when something is not as it should be.
const TROUBLE: [&str; 2] = ["WARN", "ERROR"];

/// Says whether the reference pages are current, or with `--write` makes them so; with `--site` makes the website.
pub(crate) fn run(args: &[String]) -> Result<()> {
    if args.iter().any(|arg| arg == "--site") {
        return site();
    }
    let is_written = args.iter().any(|arg| arg == "--write");
    let test = compile::cargo(&["test", "--workspace", "--bin", "homard", PAGES])?;
    test.env("INSTA_UPDATE", if is_written { "always" } else { "no" }).run()
}

/// The website. That its links lead somewhere is a test of homard-web, for the same pages.
pub(crate) fn site() -> Result<()> {
    let ran = Cmd::new(tools::mdbook()?, &["build"]).quiet()?;
    say(ran.text.trim_end());
    let is_quiet = !TROUBLE.iter().any(|word| ran.text.contains(word));
    ensure!(ran.ok && is_quiet, "mdBook is not content with the book");
    Ok(())
}
