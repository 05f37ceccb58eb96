//! Compiled dependencies that outlive a clone.
//!
//! Cargo recognises what it compiled by a hash in every file name, made from the package, its version, features,
//! flags and the compiler, and checks its fingerprint before it uses it. So files of packages from the registry can be
//! copied from one clone's target directory into another's: what does not fit is not looked at. Our own packages are
//! never kept.

use std::collections::BTreeSet;
use std::fs::{self, File, FileTimes};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use crate::machine;
use crate::sh::{Cmd, say};
use crate::stamp;
use crate::workspace;

/// What cargo makes in a profile's folder, as far as dependencies go.
const FOLDERS: [&str; 3] = [".fingerprint", "build", "deps"];
/// The folder of the only profile that is built again and again.
const PROFILE: &str = "debug";
/// How many are kept before all are forgotten: those of old lock files pile up.
const MOST: usize = 2_000;
/// Digits of the hash.
const HASH_LENGTH: usize = 16;

/// Whether this clone or this machine has compiled dependencies.
pub(crate) fn has() -> Result<bool> {
    Ok(place()?.is_dir())
}

/// Puts the dependencies this machine has compiled before into a target directory that has none.
pub(crate) fn seed() -> Result<()> {
    let (kept, target) = (place()?, workspace::target()?.join(PROFILE));
    let done = workspace::scratch()?.join("deps.seeded");
    if done.exists() || !kept.is_dir() {
        return Ok(());
    }
    let mut copied = 0;
    for folder in FOLDERS {
        for entry in entries(&kept.join(folder))? {
            copied += 1;
            // Over what compiling this program has made: cargo compiles again whatever is older than what it needs.
            copy(&entry, &target.join(folder).join(entry.file_name().unwrap_or_default()))?;
        }
    }
    say(&format!("{copied} files and folders of dependencies compiled on this machine before"));
    File::create(&done).with_context(|| format!("could not write `{}`", done.display()))?;
    Ok(())
}

/// Keeps what cargo named by `hashes`, less our own packages, for other clones on this machine: to be called when
/// some of it had to be compiled, because what was kept did not fit.
pub(crate) fn keep(hashes: &BTreeSet<String>) -> Result<()> {
    let (kept, target) = (place()?, workspace::target()?.join(PROFILE));
    let ours =
        workspace::metadata()?.packages.into_iter().map(|package| package.name).collect::<BTreeSet<_>>();
    let foreign = foreign(&target.join(".fingerprint"), hashes, &ours)?;
    let marker = kept.join("kept");
    let mut known: BTreeSet<String> =
        fs::read_to_string(&marker).unwrap_or_default().lines().map(str::to_owned).collect();
    if known.len() > MOST {
        fs::remove_dir_all(&kept).with_context(|| format!("could not empty `{}`", kept.display()))?;
        known.clear();
    }
    for folder in FOLDERS {
        for entry in entries(&target.join(folder))? {
            if hash_in(&entry).is_some_and(|hash| foreign.contains(&hash)) {
                replace(&entry, &kept.join(folder).join(entry.file_name().unwrap_or_default()))?;
            }
        }
    }
    say(&format!("kept {} compiled dependencies for other clones on this machine", foreign.len()));
    known.extend(foreign);
    let all: Vec<String> = known.into_iter().collect();
    fs::write(&marker, all.join("\n")).with_context(|| format!("could not write `{}`", marker.display()))
}

/// Copies over what is there, made beside and moved into place, so that another clone never sees half of it.
#[expect(clippy::disallowed_methods, reason = "the workshop builds before homard-runtime does")]
fn replace(from: &Path, to: &Path) -> Result<()> {
    let name = to.file_name().unwrap_or_default();
    let beside = to.with_file_name(format!(".{}-{}", std::process::id(), name.display()));
    copy(from, &beside)?;
    if to.is_dir() {
        fs::remove_dir_all(to).with_context(|| format!("could not remove `{}`", to.display()))?;
    }
    fs::rename(&beside, to).with_context(|| format!("could not write `{}`", to.display()))
}

/// The hash in the last name of a path that has one: `libserde-0123456789abcdef.rlib`, or a build folder's.
pub(crate) fn hash_in(path: &Path) -> Option<String> {
    path.ancestors().take(2).find_map(|path| {
        let name = path.file_name()?.to_str()?;
        let (_, rest) = name.rsplit_once('-')?;
        let hash = rest.split('.').next()?;
        let fits = hash.len() == HASH_LENGTH && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
        fits.then(|| hash.to_owned())
    })
}

/// The hashes of packages that are not ours, as their fingerprints' folders (`name-hash`) tell.
fn foreign(
    fingerprints: &Path,
    hashes: &BTreeSet<String>,
    ours: &BTreeSet<String>,
) -> Result<BTreeSet<String>> {
    let mut foreign = BTreeSet::new();
    for entry in entries(fingerprints)? {
        let name = entry.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if let Some((package, hash)) = name.rsplit_once('-')
            && !ours.contains(package)
            && hashes.contains(hash)
        {
            foreign.insert(hash.to_owned());
        }
    }
    Ok(foreign)
}

/// One folder per compiler and cargo home: fingerprints name the registry's folder.
fn place() -> Result<PathBuf> {
    let compiler = Cmd::new("rustc", &["-vV"]).read()?;
    let home = crate::sh::variable("CARGO_HOME").unwrap_or_default();
    let key = stamp::hash_of_text(&[&compiler, &home]);
    Ok(machine::cache("deps")?.join(format!("{key:016x}")).join(PROFILE))
}

fn entries(dir: &Path) -> Result<Vec<PathBuf>> {
    match fs::read_dir(dir) {
        Ok(entries) => entries.map(|entry| Ok(entry?.path())).collect(),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(error).with_context(|| format!("could not list `{}`", dir.display())),
    }
}

/// Copies a file or a folder with its times, which cargo compares.
fn copy(from: &Path, to: &Path) -> Result<()> {
    if from.is_dir() {
        fs::create_dir_all(to)?;
        return entries(from)?
            .iter()
            .try_for_each(|entry| copy(entry, &to.join(entry.file_name().unwrap_or_default())));
    }
    let parent = to.parent().context("a file is in a folder")?;
    fs::create_dir_all(parent)?;
    fs::copy(from, to).with_context(|| format!("could not copy `{}`", from.display()))?;
    let modified = fs::metadata(from)?.modified()?;
    File::options().write(true).open(to)?.set_times(FileTimes::new().set_modified(modified))?;
    Ok(())
}

#[cfg(test)]
mod tests;
