//! `cargo xtask order --make`: the whole dance, in one command and out of others' way: a build that keeps its names, and
//! profiles of a start, of an ordinary minute and of messages from a chat platform.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};

use crate::serve::binary;
use crate::sh::{Cmd, say};
use crate::workspace;

/// After so many seconds under callgrind, which is fifty times slower, a gateway has started and has nothing to do.
const START_SECONDS: &str = "40";
/// Seconds of an ordinary day: 10 turns in each, clients that come back, jobs.
const DAY_SECONDS: &str = "60";
/// What builds and profiles are started with, so that others on the machine hardly notice.
const NICE: [&str; 2] = ["-n", "5"];
/// What is profiled. Its children are not, and names are wanted as the linker knows them.
const CALLGRIND: [&str; 4] = ["valgrind", "--tool=callgrind", "--demangle=no", "--quiet"];

/// The program with its names, and the profiles of it in the order their functions are to stand in.
pub(super) fn make() -> Result<(PathBuf, Vec<PathBuf>)> {
    let release = workspace::target()?.join("release");
    cargo(&["rustc", "--release", "-p", "homard", "--bin", "homard", "--", "-C", "strip=none"])?;
    let dir = workspace::scratch()?.join("order");
    fs::remove_dir_all(&dir).ok();
    fs::create_dir_all(dir.join("home")).with_context(|| format!("could not make `{}`", dir.display()))?;
    // The next build puts the stripped one in its place.
    let program = dir.join(binary("homard"));
    fs::copy(release.join(binary("homard")), &program).context("the build left no program")?;
    cargo(&["build", "--release", "-p", "homard-testkit", "--bins"])?;
    let profiles = vec![
        start(&dir, &program)?,
        scene(&dir, &program, &release, "an ordinary minute", &["--soak", DAY_SECONDS])?,
        scene(&dir, &program, &release, "a chat platform", &["--quick", "--only", "telegram-latency"])?,
    ];
    Ok((program, profiles))
}

fn cargo(args: &[&str]) -> Result<()> {
    Cmd::new("nice", &[&NICE[..], &["cargo"], args].concat()).run()
}

/// A start with an empty home, until it has nothing more to do.
fn start(dir: &Path, program: &Path) -> Result<PathBuf> {
    say("profiling a start");
    let profile = dir.join("start.out");
    let out = format!("--callgrind-out-file={}", profile.display());
    let limit = ["timeout", "--signal=TERM", START_SECONDS];
    let home = dir.join("home");
    Cmd::new("nice", &[&NICE[..], &limit, &CALLGRIND, &[&out]].concat())
        .args([program.as_os_str(), "gateway".as_ref()])
        .bare_env()
        .env("HOME", &home)
        .env("HOMARD_STATE_DIR", home.join("state"))
        .env("HOMARD_GATEWAY_PORT", "19987")
        .env("HOMARD_GATEWAY_TOKEN", "order")
        .dir(&home)
        .quiet()?;
    written(profile)
}

/// What is measured otherwise, with a gateway that is profiled.
fn scene(dir: &Path, program: &Path, release: &Path, what: &str, options: &[&str]) -> Result<PathBuf> {
    say(&format!("profiling {what}"));
    let name = what.replace(' ', "-");
    let profile = dir.join(format!("{name}.out"));
    let gateway = dir.join(name);
    let callgrind = CALLGRIND.join(" ");
    let text = format!(
        "#!/bin/sh\nexec {callgrind} '--callgrind-out-file={}' '{}' \"$@\"\n",
        profile.display(),
        program.display()
    );
    fs::write(&gateway, text).with_context(|| format!("could not write `{}`", gateway.display()))?;
    if !Cmd::new("chmod", &["+x"]).args([&gateway]).works() {
        bail!("`{}` cannot be made a program", gateway.display());
    }
    Cmd::new("nice", &NICE)
        .args([release.join(binary("bench")).as_os_str(), "--homard".as_ref(), gateway.as_os_str()])
        .args(["--fake".as_ref(), release.join(binary("fake_llm")).as_os_str()])
        .args(options)
        .quiet()?;
    written(profile)
}

fn written(profile: PathBuf) -> Result<PathBuf> {
    match fs::metadata(&profile) {
        Ok(found) if found.len() > 0 => Ok(profile),
        _ => bail!("callgrind wrote no `{}`; is valgrind installed?", profile.display()),
    }
}
