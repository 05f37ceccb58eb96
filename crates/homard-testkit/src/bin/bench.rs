//! `cargo xtask bench` runs this: Markdown on standard output, progress on standard error.

use std::io::Write as _;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use homard_testkit::{BenchOptions, run_bench};

fn main() -> Result<()> {
    let (options, json) = options(std::env::args().skip(1))?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let report = runtime.block_on(run_bench(&options))?;
    if let Some(file) = json {
        let text = serde_json::to_string_pretty(&report.json())?;
        std::fs::write(&file, text).with_context(|| format!("could not write {}", file.display()))?;
    }
    writeln!(std::io::stdout(), "{}", report.markdown())?;
    writeln!(std::io::stderr(), "bench: {} promises missed", report.missed())?;
    Ok(())
}

fn options(mut arguments: impl Iterator<Item = String>) -> Result<(BenchOptions, Option<PathBuf>)> {
    let (mut homard, mut fake, mut json, mut only, mut quick) = (None, None, None, None, false);
    let mut soak = None;
    let mut measurers = Vec::new();
    while let Some(name) = arguments.next() {
        if name == "--quick" {
            quick = true;
            continue;
        }
        let value = arguments.next().with_context(|| format!("`{name}` needs a value"))?;
        match name.as_str() {
            "--homard" => homard = Some(PathBuf::from(value)),
            "--fake" => fake = Some(PathBuf::from(value)),
            "--measure" => measurers.push(PathBuf::from(value)),
            "--json" => json = Some(PathBuf::from(value)),
            "--only" => only = Some(value),
            "--soak" => {
                let seconds =
                    value.parse().with_context(|| format!("`--soak` wants seconds, not `{value}`"))?;
                soak = Some(Duration::from_secs(seconds));
            }
            _ => bail!(
                "unknown option `{name}`; known are --homard --fake --measure --json --only --quick --soak"
            ),
        }
    }
    let homard = homard.context("`--homard` must name the binary to measure; `cargo xtask bench` does it")?;
    let fake = fake.context("`--fake` must name the fake model server; `cargo xtask bench` does it")?;
    Ok((BenchOptions { homard, fake, measurers, quick, only, soak }, json))
}
