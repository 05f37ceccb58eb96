//! Whether packages work: made from the program that was compiled for the tests, installed where nobody lives, and used.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result, ensure};

use super::manifest::{self, Description};
use super::{Release, checksums};
use crate::serve::binary;
use crate::sh::{Cmd, say};
use crate::workspace;

/// Makes a release of the development build and installs its Debian package in a root of its own. Whether this machine
/// can.
pub(crate) fn check() -> Result<bool> {
    if !Cmd::new("dpkg-deb", &["--version"]).works() || !Cmd::new("dpkg", &["--version"]).works() {
        return Ok(false);
    }
    let out = workspace::scratch()?.join("packages");
    fs::remove_dir_all(&out).ok();
    let program = workspace::target()?.join("debug").join(binary("homard"));
    let release = Release::of_this_clone(None, "-1")?;
    release.make(&program, &out)?;
    let key = out.join("key.pem");
    let signed = Description { channel: None, key: Some(key.clone()) };
    Cmd::new("openssl", &["genpkey", "-algorithm", "ed25519", "-out", &key.to_string_lossy()]).read()?;
    checksums(&out, &manifest::write(&release, &out, &signed)?)?;
    let packages = fs::read_dir(&out)?.filter_map(|entry| Some(entry.ok()?.path()));
    let package = packages.into_iter().find(|path| path.extension().is_some_and(|kind| kind == "deb"));
    let package = package.context("no Debian package was made")?;
    let there = out.join("root");
    install(&package, &there)?;
    use_it(&there, &release)?;
    units(&there)?;
    update(&out, &program, &release, &key)?;
    fs::remove_dir_all(&out).context("could not clean up")?;
    Ok(true)
}

/// What dpkg itself does with it, scripts and books included; what it depends on is the machine's.
fn install(package: &Path, there: &Path) -> Result<()> {
    for folder in ["var/lib/dpkg/updates", "var/lib/dpkg/info", "var/lib/dpkg/triggers"] {
        fs::create_dir_all(there.join(folder))?;
    }
    for book in ["status", "available"] {
        fs::write(there.join("var/lib/dpkg").join(book), "")?;
    }
    let root = format!("--root={}", there.display());
    let forced = "--force-depends,not-root,script-chrootless,unsafe-io";
    Cmd::new("dpkg", &[&root, forced, "--install", &package.to_string_lossy()]).run()?;
    let said = Cmd::new("dpkg", &[&root, "--status", "homard"]).read()?;
    ensure!(said.contains("Status: install ok installed"), "dpkg says: {said}");
    Ok(())
}

fn use_it(there: &Path, release: &Release) -> Result<()> {
    let homard = there.join("usr/bin/homard");
    let home = there.join("home");
    fs::create_dir_all(&home)?;
    let ask = |words: &[&str]| Cmd::new(&homard, words).bare_env().env("HOME", &home).read();
    let version = ask(&["--version"])?;
    ensure!(version.starts_with(&format!("homard {}", release.version)), "it says it is {version}");
    ask(&["config", "validate"])?;
    for file in [
        "usr/share/bash-completion/completions/homard",
        "usr/share/zsh/vendor-completions/_homard",
        "usr/share/fish/vendor_completions.d/homard.fish",
        "usr/share/man/man1/homard.1.gz",
        "usr/share/man/man1/homard-cron.1.gz",
        "usr/share/doc/homard/changelog.gz",
        "usr/share/doc/homard/copyright",
        "usr/lib/systemd/user/homard.service",
        "usr/lib/systemd/system/homard.service",
    ] {
        ensure!(there.join(file).is_file(), "the package has no {file}");
    }
    Ok(())
}

/// The program believes the release that was made, and takes its own place from it.
fn update(out: &Path, program: &Path, release: &Release, key: &Path) -> Result<()> {
    let home = out.join("somebody");
    let installed = home.join("bin").join(binary("homard"));
    fs::create_dir_all(home.join("bin"))?;
    fs::copy(program, &installed)?;
    let public = Cmd::new("openssl", &["pkey", "-in", &key.to_string_lossy(), "-pubout"]).read()?;
    let ask = |words: &[&str]| Cmd::new(&installed, words).bare_env().env("HOME", &home).quiet();
    let set = ask(&["config", "set", "update.publicKey", public.trim()])?;
    ensure!(set.ok, "the key cannot be set: {}", set.text);
    let from = out.to_string_lossy();
    let current = ask(&["update", "--yes", "--from", &from])?;
    ensure!(current.ok && current.text.contains("is up to date"), "update says: {}", current.text);
    let again = ask(&["update", "--yes", "--from", &from, "--tag", &release.version])?;
    ensure!(again.ok && home.join("bin/homard.previous").is_file(), "update says: {}", again.text);
    fs::write(out.join("release.json"), "{}")?;
    let forged = ask(&["update", "--yes", "--from", &from])?;
    ensure!(!forged.ok && forged.text.contains("not signed by the key"), "update says: {}", forged.text);
    Ok(())
}

/// systemd reads both units without a word about them.
fn units(there: &Path) -> Result<()> {
    if !Cmd::new("systemd-analyze", &["--version"]).works() {
        say("there is no systemd-analyze here; the units were compared with what a test has seen");
        return Ok(());
    }
    for (kind, scope) in [("user", "--user"), ("system", "--system")] {
        // It looks for the program where the machine has it.
        let packaged = fs::read_to_string(there.join("usr/lib/systemd").join(kind).join("homard.service"))?;
        let folder = there.join("checked").join(kind);
        fs::create_dir_all(&folder)?;
        let unit = folder.join("homard.service");
        let program = there.join("usr/bin/homard");
        fs::write(&unit, packaged.replace("/usr/bin/homard", &program.to_string_lossy()))?;
        let words = [scope, "verify", "--man=no", "--recursive-errors=no", &unit.to_string_lossy()];
        let checked = Cmd::new("systemd-analyze", &words).env("XDG_RUNTIME_DIR", &folder).quiet()?;
        ensure!(
            checked.ok && !checked.text.contains("homard"),
            "systemd does not like {kind}: {}",
            checked.text
        );
    }
    Ok(())
}
