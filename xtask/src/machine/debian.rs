//! Programs the tests need that are not ours: found, or installed from Debian where we may.
//!
//! Never skips: a test that silently did not run looks like one that passed.

use std::fs::File;
use std::path::Path;

use anyhow::{Context as _, Result, bail};

use crate::sh::{Cmd, say};
use crate::workspace;

/// Where programs are, also those only administrators usually start.
const PLACES: [&str; 5] = ["/usr/sbin", "/usr/bin", "/usr/local/sbin", "/usr/local/bin", "/bin"];

/// The IRC server of the Rust tests and of the crash program.
pub(crate) const NGIRCD: Needed =
    Needed { program: "ngircd", packages: &["ngircd"], purpose: "the real IRC server of the tests" };

/// A program the tests start.
#[derive(Debug)]
pub(crate) struct Needed {
    pub(crate) program: &'static str,
    /// Debian's packages that make it whole.
    pub(crate) packages: &'static [&'static str],
    pub(crate) purpose: &'static str,
}

impl Needed {
    /// Where Debian keeps books, a package that is only recommended by another may be missing.
    fn is_there(&self) -> bool {
        let is_program = PLACES.iter().any(|place| Path::new(place).join(self.program).is_file());
        is_program
            && (!Cmd::new("dpkg-query", &["--version"]).works() || self.packages.iter().all(is_installed))
    }
}

fn is_installed(package: &&str) -> bool {
    let status = Cmd::new("dpkg-query", &["--show", "--showformat=${Status}", package]).read();
    status.is_ok_and(|status| status.ends_with(" installed"))
}

/// Makes sure that programs are there.
pub(crate) fn ensure(programs: &[Needed]) -> Result<()> {
    // Steps run side by side, and Debian installs for one at a time.
    let turn =
        File::create(workspace::scratch()?.join("debian.lock")).context("could not wait for Debian")?;
    turn.lock().context("could not wait for Debian")?;
    let missing: Vec<&Needed> = programs.iter().filter(|needed| !needed.is_there()).collect();
    let Some(Needed { program, packages, purpose }) = missing.first() else { return Ok(()) };
    if !may_install() {
        let packages = packages.join(" ");
        bail!(
            "the tests need `{program}`, {purpose}; install it (on Debian: `sudo apt-get install {packages}`)"
        );
    }
    install(&missing.iter().flat_map(|needed| needed.packages.iter().copied()).collect::<Vec<_>>())
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
