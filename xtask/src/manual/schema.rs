//! `cargo xtask schema`: the configuration's JSON Schema as a file, for editors and for the manual.

use std::fs;

use anyhow::{Context as _, Result, bail};

use crate::serve::binary;
use crate::sh::{Cmd, say};
use crate::workspace::{self, root};

/// Where the schema is kept.
const FILE: &str = "docs/config.schema.json";

/// Writes the schema, or with `--check` says whether the file is out of date.
pub(crate) fn run(args: &[String]) -> Result<()> {
    if !args.iter().any(|arg| arg == "--check") {
        // The program holds what the types say as data, which a test writes.
        let written = ["test", "-p", "homard-config", "the_schema_is_written_down"];
        Cmd::new("cargo", &written).env("INSTA_UPDATE", "always").run()?;
    }
    Cmd::new("cargo", &["build", "-p", "homard"]).run()?;
    let homard = workspace::target()?.join("debug").join(binary("homard"));
    let printed = Cmd::new(homard, &["config", "schema"]).read()?;
    let value: serde_json::Value =
        serde_json::from_str(&printed).context("`homard config schema` printed something else than JSON")?;
    let text = format!("{}\n", serde_json::to_string_pretty(&value)?);
    let file = root().join(FILE);
    if fs::read_to_string(&file).is_ok_and(|found| found == text) {
        say(&format!("{FILE} is up to date"));
        return Ok(());
    }
    if args.iter().any(|arg| arg == "--check") {
        bail!("{FILE} is not what the types say; run `cargo xtask schema` and commit it");
    }
    fs::write(&file, text).with_context(|| format!("could not write `{FILE}`"))?;
    say(&format!("wrote {FILE}"));
    Ok(())
}
