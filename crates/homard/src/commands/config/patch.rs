//! `homard config patch`: changes written like the file itself.

use std::io::Read as _;
use std::path::PathBuf;

use anyhow::Context;
use clap::Args;
use homard_config::{Edit, read_object};

use super::HowArgs;
use crate::commands::Cx;

const EXAMPLES: &str = "\
Examples:
  homard config patch --file changes.json5
  echo '{gateway: {port: 18790, bind: null}}' | homard config patch --stdin --dry-run
  homard config patch --file agents.json5 --replace-path agents.list

`null` takes a setting out, objects are merged, lists of things with ids are merged by id.";

/// Change several settings in one step, written like the file itself
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct PatchArgs {
    /// The file with the changes
    #[arg(long, value_name = "PATH", required_unless_present = "stdin")]
    file: Option<PathBuf>,
    /// Read them from standard input
    #[arg(long, conflicts_with = "file")]
    stdin: bool,
    /// A list that is put in place of the one that is there, instead of merged by id; several times
    #[arg(long, value_name = "SETTING")]
    replace_path: Vec<String>,
    #[command(flatten)]
    how: HowArgs,
}

pub(super) fn run(cx: &Cx, args: &PatchArgs) -> anyhow::Result<()> {
    let text = match &args.file {
        Some(path) => {
            std::fs::read_to_string(path).with_context(|| format!("could not read `{}`", path.display()))?
        }
        None => {
            let mut text = String::new();
            std::io::stdin().read_to_string(&mut text).context("could not read standard input")?;
            text
        }
    };
    let patch = read_object(&text).context("the changes cannot be read")?;
    let edits = [Edit::Patch { patch, replace_paths: args.replace_path.clone() }];
    let changed = super::change(cx, &args.how, &edits, "changed")?;
    if !args.how.dry_run {
        if !args.how.json {
            for path in &changed {
                cx.console.line(&format!("  {path}"))?;
            }
        }
        super::warn_of_inert(cx, &changed);
    }
    Ok(())
}
