//! `cargo xtask crash` runs this: the count as Markdown on standard output, progress on standard error.

use std::io::Write as _;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use homard_testkit::{CrashOptions, run_crash, run_job_crash};

/// Kills when nothing is said.
const DEFAULT_KILLS: u64 = 50;
/// Jobs run while it is killed, and nobody writes.
const JOBS: &str = "--jobs";

fn main() -> Result<()> {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let of_jobs = arguments.iter().any(|argument| argument == JOBS);
    arguments.retain(|argument| argument != JOBS);
    let options = options(arguments.into_iter())?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let progress = |line: &str| drop(writeln!(std::io::stderr(), "crash: {line}"));
    let (markdown, holds) = if of_jobs {
        let report = runtime.block_on(run_job_crash(&options, progress))?;
        (report.markdown(), report.holds())
    } else {
        let report = runtime.block_on(run_crash(&options, progress))?;
        (report.markdown(), report.holds())
    };
    writeln!(std::io::stdout(), "{markdown}")?;
    if !holds {
        bail!("not everything is as it should be; what is said above names it");
    }
    Ok(())
}

/// What is to be done.
fn options(mut arguments: impl Iterator<Item = String>) -> Result<CrashOptions> {
    let (mut homard, mut kills, mut seed, mut log) = (None, DEFAULT_KILLS, 1, None);
    while let Some(name) = arguments.next() {
        let value = arguments.next().with_context(|| format!("`{name}` needs a value"))?;
        let number =
            || value.parse::<u64>().with_context(|| format!("`{name}` wants a number, not `{value}`"));
        match name.as_str() {
            "--homard" => homard = Some(PathBuf::from(value)),
            "--kills" => kills = number()?,
            "--seed" => seed = number()?,
            "--log" => log = Some(PathBuf::from(value)),
            _ => bail!("unknown option `{name}`; known are --homard --kills --seed --log --jobs"),
        }
    }
    let homard = homard.context("`--homard` must name the binary to kill; `cargo xtask crash` does it")?;
    // The gateway is started in a folder of its own.
    let homard = homard.canonicalize().with_context(|| format!("there is no {}", homard.display()))?;
    Ok(CrashOptions { homard, kills, seed, log })
}
