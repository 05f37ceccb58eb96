//! `cargo xtask protocol`: the table of methods in the manual, made from the code. The last column stays as people
//! wrote it; after a merge both sides of a conflict may be left one under the other, without the marks.

use std::fs;

use anyhow::{Context as _, Result, bail};

use crate::serve::binary;
use crate::sh::{Cmd, say};
use crate::workspace::{self, root};

/// The manual.
const FILE: &str = "docs/protocol.md";

/// Says whether the table is current, or with `--write` makes it so.
pub(crate) fn run(args: &[String]) -> Result<()> {
    Cmd::new("cargo", &["build", "-p", "homard"]).run()?;
    let homard = workspace::target()?.join("debug").join(binary("homard"));
    let file = root().join(FILE);
    let path = file.to_string_lossy();
    let made = Cmd::new(homard, &["protocol", &path]).read()?;
    let text = format!("{}\n", made.trim_end());
    if fs::read_to_string(&file).is_ok_and(|found| found == text) {
        say(&format!("{FILE} is up to date"));
        return Ok(());
    }
    if !args.iter().any(|arg| arg == "--write") {
        bail!(
            "the methods in {FILE} are not what the code says; run `cargo xtask protocol --write` and commit it"
        );
    }
    fs::write(&file, text).with_context(|| format!("could not write `{FILE}`"))?;
    say(&format!("wrote {FILE}"));
    Ok(())
}
