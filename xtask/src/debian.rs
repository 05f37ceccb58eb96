//! Programs the tests need that are not ours: found, or installed from Debian where we may.
//!
//! Never skips: a test that silently did not run looks like one that passed.

use std::path::Path;

use anyhow::{Result, bail};

use crate::sh::{Cmd, say};

/// Where programs are, also those only administrators usually start.
const PLACES: [&str; 5] = ["/usr/sbin", "/usr/bin", "/usr/local/sbin", "/usr/local/bin", "/bin"];

/// Makes sure that programs are there, each named with what it is for; a package has its program's name.
pub(crate) fn ensure(programs: &[(&str, &str)]) -> Result<()> {
    let missing: Vec<(&str, &str)> = programs.iter().copied().filter(|(name, _)| !is_there(name)).collect();
    let Some((name, purpose)) = missing.first() else { return Ok(()) };
    if !may_install() {
        bail!("the tests need `{name}`, {purpose}; install it (on Debian: `sudo apt-get install {name}`)");
    }
    let names: Vec<&str> = missing.iter().map(|(name, _)| *name).collect();
    install(&names)
}

fn is_there(program: &str) -> bool {
    PLACES.iter().any(|place| Path::new(place).join(program).is_file())
}

/// Whether we are root on something like Debian.
pub(crate) fn may_install() -> bool {
    let root = Cmd::new("id", &["-u"]).read().is_ok_and(|id| id.trim() == "0");
    root && Cmd::new("apt-get", &["--version"]).works()
}

/// Installs Debian's packages. Services among them are not started: the tests start their own.
pub(crate) fn install(packages: &[&str]) -> Result<()> {
    say(&format!("missing, and we are root: installing Debian's {}", packages.join(", ")));
    Cmd::new("apt-get", &["update"]).run()?;
    Cmd::new("apt-get", &["install", "-y", "--no-install-recommends"])
        .args(packages)
        .env("DEBIAN_FRONTEND", "noninteractive")
        .env("RUNLEVEL", "1")
        .run()
}
