//! `cargo xtask book`: the pages of the book that are made from the program, and the book as a website.

use anyhow::Result;

use crate::compile;
use crate::sh::{Cmd, say};

/// The tests of the program that compare the pages, or write them.
const PAGES: &str = "the_reference_of";

/// Says whether the reference pages are current, or with `--write` makes them so; then builds the website where mdBook
/// is installed.
pub(crate) fn run(args: &[String]) -> Result<()> {
    let is_written = args.iter().any(|arg| arg == "--write");
    let test = compile::cargo(&["test", "--workspace", "--bin", "homard", PAGES])?;
    test.env("INSTA_UPDATE", if is_written { "always" } else { "no" }).run()?;
    if !Cmd::new("mdbook", &["--version"]).works() {
        say("mdbook is not installed; the website was not built");
        return Ok(());
    }
    Cmd::new("mdbook", &["build"]).run()
}
