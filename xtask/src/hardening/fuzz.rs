//! `cargo xtask fuzz`: builds the targets of `fuzz/` into one instrumented program and lets libFuzzer search.
//!
//! A target is a row in `fuzz/src/targets.rs` with a folder of seeds of the same name; the same functions run over
//! changed seeds in the ordinary tests. What a run learns goes to `fuzz/corpus/`, what breaks goes to
//! `fuzz/artifacts/`; neither is committed. A break that was fixed becomes a seed.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};

use crate::serve::binary;
use crate::sh::{Cmd, last_lines, say};
use crate::tally::Tally;
use crate::workspace::{self, root};

/// How long each target runs when nothing is said.
const DEFAULT_SECONDS: u64 = 60;
/// One input may take this long before it counts as a hang.
const INPUT_SECONDS: u64 = 10;
/// And this much memory.
const MEMORY_MIB: u64 = 1024;
/// How much of a broken run's report is shown.
const SHOWN_LINES: usize = 60;

/// What makes rustc tell libFuzzer which branches an input takes. These are stable options; only the
/// sanitizers would need a nightly compiler, and safe Rust has little use for those.
const COVERAGE: [&str; 7] = [
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
    "--cfg",
    "fuzzing",
];

/// Runs the named targets, or all of them.
pub(crate) fn run(args: &[String]) -> Result<()> {
    let mut seconds = DEFAULT_SECONDS;
    let mut named = Vec::new();
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        if arg == "--seconds" {
            let value = args.next().context("`--seconds` wants a number")?;
            seconds = value.parse().with_context(|| format!("`--seconds` wants a number, not `{value}`"))?;
        } else {
            named.push(arg.clone());
        }
    }
    let mut targets = targets()?;
    if let Some(unknown) = named.iter().find(|name| !targets.contains(name)) {
        bail!("there is no fuzz target `{unknown}`; there are: {}", targets.join(", "));
    }
    targets.retain(|target| named.is_empty() || named.contains(target));
    let tally = fuzz(&targets, seconds)?;
    if tally.failed > 0 {
        bail!("{} of {} fuzz targets broke", tally.failed, targets.len());
    }
    Ok(())
}

/// The names of the targets, in order: each has seeds, which a test checks.
fn targets() -> Result<Vec<String>> {
    let dir = root().join("fuzz/seeds");
    let entries = fs::read_dir(&dir).with_context(|| format!("could not list `{}`", dir.display()))?;
    let mut names = entries
        .map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()))
        .collect::<Result<Vec<_>>>()?;
    names.sort();
    Ok(names)
}

fn fuzz(targets: &[String], seconds: u64) -> Result<Tally> {
    let program = build()?;
    let mut tally = Tally::default();
    for target in targets {
        tally = tally.plus(one(&program, target, seconds)?);
    }
    Ok(tally)
}

/// Builds the program with all targets.
fn build() -> Result<PathBuf> {
    let host = host()?;
    let dir = workspace::target()?.join("fuzz");
    // With `--target`, build scripts and macros are built without the flags; instrumented, they do not link.
    Cmd::new(
        "cargo",
        &["build", "-p", "homard-fuzz", "--features", "libfuzzer", "--bins", "--target", &host],
    )
    .args(["--target-dir".as_ref(), dir.as_os_str()])
    .env("CARGO_ENCODED_RUSTFLAGS", COVERAGE.join("\u{1f}"))
    .env("CARGO_PROFILE_DEV_OPT_LEVEL", "1")
    .run()?;
    Ok(dir.join(host).join("debug").join(binary("fuzz")))
}

/// The triple of this machine.
fn host() -> Result<String> {
    let version = Cmd::new("rustc", &["-vV"]).read()?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).context("`rustc -vV` names no host")
}

fn one(program: &Path, target: &str, seconds: u64) -> Result<Tally> {
    let fuzz = root().join("fuzz");
    let (corpus, artifacts) = (fuzz.join("corpus").join(target), fuzz.join("artifacts").join(target));
    let temporary = temporary()?;
    for dir in [&corpus, &artifacts] {
        fs::create_dir_all(dir).with_context(|| format!("could not make `{}`", dir.display()))?;
    }
    let ran = Cmd::new(program, &[])
        .env("HOMARD_FUZZ_TARGET", target)
        .args([format!("-max_total_time={seconds}"), format!("-timeout={INPUT_SECONDS}")])
        .args([format!("-rss_limit_mb={MEMORY_MIB}"), format!("-artifact_prefix={}/", artifacts.display())])
        .args([corpus, fuzz.join("seeds").join(target)])
        .env("TMPDIR", &temporary)
        .quiet()?;
    // libFuzzer leaves without goodbye, so a target cannot clean up after itself.
    fs::remove_dir_all(&temporary).with_context(|| format!("could not remove `{}`", temporary.display()))?;
    if ran.ok {
        let done = ran.text.lines().rev().find(|line| line.starts_with("Done "));
        say(&format!("{target}: {}", done.unwrap_or("done")));
        return Ok(Tally::ONE_PASSED);
    }
    say(&format!("{target} broke:\n{}", last_lines(&ran.text, SHOWN_LINES)));
    Ok(Tally::ONE_FAILED)
}

/// A folder for what targets write, in memory where there is such a place: syncing a disk costs more than
/// everything a target does.
fn temporary() -> Result<PathBuf> {
    let name = format!("homard-fuzz-{}", std::process::id());
    let in_memory = Path::new("/dev/shm").join(&name);
    if fs::create_dir(&in_memory).is_ok() {
        return Ok(in_memory);
    }
    let dir = workspace::scratch()?.join(name);
    fs::create_dir_all(&dir).with_context(|| format!("could not make `{}`", dir.display()))?;
    Ok(dir)
}
