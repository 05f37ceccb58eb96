//! `cargo xtask crash`: kills a gateway again and again while people write to it, and counts their answers.
//!
//! The killing program is homard-testkit's; this file builds it, hands it the gateway's binary and puts the count into
//! the document.

use std::fs;

use anyhow::{Context as _, Result, bail};

use crate::machine::debian;
use crate::serve::binary;
use crate::sh::{Cmd, say};
use crate::workspace::{self, root};

const FILE: &str = "docs/reliability.md";
/// Between which marks the counts stand: of messages, and of jobs.
const MESSAGES: [&str; 2] = ["<!-- crash:begin -->", "<!-- crash:end -->"];
const JOBS: [&str; 2] = ["<!-- crash-jobs:begin -->", "<!-- crash-jobs:end -->"];

/// Kills as the options say; with `--write` puts the count into the document.
pub(crate) fn run(args: &[String]) -> Result<()> {
    let rest: Vec<&String> = args.iter().filter(|arg| arg.as_str() != "--write").collect();
    Cmd::new("cargo", &["build", "--release", "-p", "homard", "-p", "homard-testkit", "--bins"]).run()?;
    let crash = program("release")?.args(rest);
    if rest_is_all(args) {
        return crash.run();
    }
    let count = crash.read()?;
    say(&count);
    let [begin, end] = if args.iter().any(|arg| arg == "--jobs") { JOBS } else { MESSAGES };
    let file = root().join(FILE);
    let document = fs::read_to_string(&file).with_context(|| format!("could not read `{FILE}`"))?;
    let Some((before, after)) =
        document.split_once(begin).and_then(|(before, rest)| Some((before, rest.split_once(end)?.1)))
    else {
        bail!("{FILE} has no `{begin}` followed by `{end}`, so there is no place for the count");
    };
    fs::write(&file, format!("{before}{begin}\n{}\n{end}{after}", count.trim()))
        .with_context(|| format!("could not write `{FILE}`"))?;
    say(&format!("wrote {FILE}"));
    Ok(())
}

/// A short run over what `cargo xtask test` compiled. When something is wrong, what the gateway said and left on the disk
/// is kept beside the logs of the steps: the same seed does not fail twice.
pub(crate) fn briefly(kills: u64) -> Result<()> {
    let log = workspace::target()?.join("xtask/logs/crash-gateway.log");
    program("debug")?.args(["--kills", &kills.to_string(), "--log"]).args([log]).run()
}

fn rest_is_all(args: &[String]) -> bool {
    !args.iter().any(|arg| arg == "--write")
}

fn program(profile: &str) -> Result<Cmd> {
    debian::ensure(&[debian::NGIRCD])?;
    let built = workspace::target()?.join(profile);
    let homard = built.join(binary("homard"));
    Ok(Cmd::new(built.join(binary("crash")), &[]).args(["--homard".as_ref(), homard.as_os_str()]))
}
