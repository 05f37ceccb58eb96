//! Skipping work whose inputs did not change, by content and not by file times.
//!
//! A stamp is the hash of the inputs of the last run that succeeded, kept in the target directory; wiping
//! the target directory forgets them all. The hash guards against waste, not against malice.

use std::fs;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::Path;

use anyhow::{Context as _, Result};

use crate::workspace;

/// Names that are outputs or caches wherever they appear in a source tree.
const NOT_SOURCES: [&str; 4] = ["node_modules", "dist", "test-results", ".vite"];

/// A piece of work that can be skipped.
#[derive(Debug)]
pub(crate) struct Stamp<'a> {
    /// Names the stamp file.
    pub(crate) name: &'a str,
    /// The hash of everything the work reads.
    pub(crate) inputs: u64,
    /// What the work makes; when it is gone, the stamp counts for nothing.
    pub(crate) output: &'a Path,
}

impl Stamp<'_> {
    /// Does the work unless it already succeeded with these inputs; says whether it was done.
    pub(crate) fn unless_fresh(&self, work: impl FnOnce() -> Result<()>) -> Result<bool> {
        let file = workspace::scratch()?.join(format!("{}.stamp", self.name));
        let wanted = format!("{:016x}", self.inputs);
        if self.output.exists() && fs::read_to_string(&file).is_ok_and(|found| found == wanted) {
            return Ok(false);
        }
        work()?;
        fs::write(&file, wanted).with_context(|| format!("could not write `{}`", file.display()))?;
        Ok(true)
    }
}

/// The hash of files and folders, names and contents. What is missing counts as missing, not as an error.
pub(crate) fn hash_of(paths: &[&Path]) -> Result<u64> {
    let mut hasher = DefaultHasher::new();
    for path in paths {
        add(path, &mut hasher)?;
    }
    Ok(hasher.finish())
}

/// The hash of texts.
pub(crate) fn hash_of_text(texts: &[&str]) -> u64 {
    let mut hasher = DefaultHasher::new();
    texts.hash(&mut hasher);
    hasher.finish()
}

/// A name for files and folders by what they hold: long enough that two never share one by chance.
pub(crate) fn name_of(paths: &[&Path]) -> Result<String> {
    let mut hashers = halves();
    for hasher in &mut hashers {
        paths.iter().try_for_each(|path| add(path, hasher))?;
    }
    Ok(hashers.map(|hasher| format!("{:016x}", hasher.finish())).concat())
}

/// The same, for texts.
pub(crate) fn name_of_text(texts: &[&str]) -> String {
    halves()
        .map(|mut hasher| {
            texts.hash(&mut hasher);
            format!("{:016x}", hasher.finish())
        })
        .concat()
}

/// Two hashers that begin differently.
fn halves() -> [DefaultHasher; 2] {
    [0_u8, 1].map(|begin| {
        let mut hasher = DefaultHasher::new();
        begin.hash(&mut hasher);
        hasher
    })
}

fn add(path: &Path, hasher: &mut DefaultHasher) -> Result<()> {
    path.file_name().hash(hasher);
    if path.is_dir() {
        let entries = fs::read_dir(path).with_context(|| format!("could not list `{}`", path.display()))?;
        let mut paths = entries.map(|entry| Ok(entry?.path())).collect::<std::io::Result<Vec<_>>>()?;
        paths.retain(|path| !NOT_SOURCES.iter().any(|name| path.ends_with(name)));
        paths.sort();
        paths.len().hash(hasher);
        return paths.iter().try_for_each(|path| add(path, hasher));
    }
    match fs::read(path) {
        Ok(bytes) => bytes.hash(hasher),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => "missing".hash(hasher),
        Err(error) => return Err(error).with_context(|| format!("could not read `{}`", path.display())),
    }
    Ok(())
}

#[cfg(test)]
mod tests;
