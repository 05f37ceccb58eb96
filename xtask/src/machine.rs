//! What this machine brings: the workshop's folder, which outlives a clone (tools, compiled dependencies, past times),
//! and what is found or installed on it.
//!
//! Everything in the folder can be deleted at any moment and is made again.

pub(crate) mod debian;
pub(crate) mod left_behind;
pub(crate) mod load;
pub(crate) mod tools;

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use crate::sh;

/// Names another place for the folder.
const VARIABLE: &str = "HOMARD_WORKSHOP_CACHE";

/// The folder `name` in the workshop's cache, made if need be.
pub(crate) fn cache(name: &str) -> Result<PathBuf> {
    let dir = root()?.join(name);
    std::fs::create_dir_all(&dir).with_context(|| format!("could not make `{}`", dir.display()))?;
    Ok(dir)
}

fn root() -> Result<PathBuf> {
    if let Some(named) = sh::variable(VARIABLE) {
        return Ok(PathBuf::from(named));
    }
    let caches = sh::variable("XDG_CACHE_HOME").map(PathBuf::from);
    let caches = caches.or_else(|| Some(Path::new(&sh::variable("HOME")?).join(".cache")));
    Ok(caches
        .with_context(|| format!("neither `{VARIABLE}`, `XDG_CACHE_HOME` nor `HOME` is set"))?
        .join("homard-workshop"))
}

/// Whether the checks run where nobody can install what is missing afterwards.
pub(crate) fn is_ci() -> bool {
    sh::variable("CI").is_some_and(|value| value != "false")
}

/// How many cores there are.
pub(crate) fn cores() -> usize {
    std::thread::available_parallelism().map_or(2, std::num::NonZero::get)
}
