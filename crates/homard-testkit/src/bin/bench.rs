//! `cargo xtask bench` runs this: Markdown on standard output, progress on standard error.

use std::io::Write as _;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use homard_testkit::{BenchOptions, Work, compare_builds, run_bench};

fn main() -> Result<()> {
    let Asked { bench, against, rounds, json } = asked(std::env::args().skip(1))?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let (markdown, figures, last) = match against {
        Some(other) => {
            let compared = runtime.block_on(compare_builds(&bench, &other, rounds))?;
            (compared.markdown(), compared.json(), format!("{rounds} rounds of each build"))
        }
        None => {
            let report = runtime.block_on(run_bench(&bench))?;
            (report.markdown(), report.json(), format!("{} promises missed", report.missed()))
        }
    };
    if let Some(file) = json {
        let text = serde_json::to_string_pretty(&figures)?;
        std::fs::write(&file, text).with_context(|| format!("could not write {}", file.display()))?;
    }
    writeln!(std::io::stdout(), "{markdown}")?;
    writeln!(std::io::stderr(), "bench: {last}")?;
    Ok(())
}

/// How often each build plays every scene, when two are compared.
const ROUNDS: usize = 3;

/// What the command line asks for.
struct Asked {
    bench: BenchOptions,
    /// The other build, to be measured in turns with this one.
    against: Option<PathBuf>,
    rounds: usize,
    json: Option<PathBuf>,
}

fn asked(mut arguments: impl Iterator<Item = String>) -> Result<Asked> {
    let (mut homard, mut fake, mut json, mut only, mut quick) = (None, None, None, Vec::new(), false);
    let (mut soak, mut work, mut against, mut rounds) = (None, None, None, ROUNDS);
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
            "--only" => only.push(value),
            "--work" => work = Some(Work::parse(&value)?),
            "--against" => against = Some(PathBuf::from(value)),
            "--rounds" => {
                rounds =
                    value.parse().with_context(|| format!("`--rounds` wants a number, not `{value}`"))?;
            }
            "--soak" => {
                let seconds =
                    value.parse().with_context(|| format!("`--soak` wants seconds, not `{value}`"))?;
                soak = Some(Duration::from_secs(seconds));
            }
            _ => bail!(
                "unknown option `{name}`; known are --homard --fake --measure --json --only --quick --soak --work --against --rounds"
            ),
        }
    }
    let homard = homard.context("`--homard` must name the binary to measure; `cargo xtask bench` does it")?;
    let fake = fake.context("`--fake` must name the fake model server; `cargo xtask bench` does it")?;
    let bench = BenchOptions { homard, fake, measurers, quick, only, soak, work };
    Ok(Asked { bench, against, rounds, json })
}
