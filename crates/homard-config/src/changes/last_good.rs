//! The last configuration a gateway really ran with, kept beside the file, and the way back to it.
//!
//! A configuration can be valid and still not start: its port may belong to another program. And a file edited
//! while nobody watched can be broken. Either way an assistant that is gone cannot mend itself, so the gateway
//! goes back to what worked, keeps the other text for its owner, and says so.

use std::path::{Path, PathBuf};

use crate::changes::overrides::Overrides;
use crate::changes::write::replace_file;
use crate::config::Config;
use crate::load::{ConfigSource, Snapshot};
use homard_runtime::replace_private;

/// Ends the name of the copy that worked.
const SUFFIX: &str = ".last-good";
/// Stands in the name of a text that did not start, before the time.
const REJECTED: &str = ".rejected.";

/// A configuration that was put back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RestoredConfig {
    /// Where the text that did not start is kept.
    pub rejected: PathBuf,
}

fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

/// Keeps the text a gateway runs with, to come back to.
///
/// # Errors
/// When the copy cannot be written.
pub fn keep_last_good(source: &ConfigSource, running: &Snapshot) -> std::io::Result<()> {
    let path = &source.paths.config_path;
    let Some(text) = running.raw.as_ref().filter(|_| running.valid() && running.path == *path) else {
        return Ok(());
    };
    let copy = beside(path, SUFFIX);
    if std::fs::read_to_string(&copy).is_ok_and(|kept| kept == *text) {
        return Ok(());
    }
    replace_private(&copy, text.as_bytes())
}

/// Puts the last text that worked back in place of one that does not start. `None` when there is none, when it
/// is the same text, or when it would not do either as far as `fits` can tell.
///
/// # Errors
/// When the files cannot be written.
pub fn restore_last_good(
    source: &ConfigSource,
    fits: impl Fn(&Config) -> bool,
) -> std::io::Result<Option<RestoredConfig>> {
    let path = &source.paths.config_path;
    let is_ours = source.paths.config_source() == path && !source.environment.flag("HOMARD_NIX_MODE");
    let Ok(kept) = std::fs::read_to_string(beside(path, SUFFIX)) else { return Ok(None) };
    let broken = std::fs::read(path)?;
    if !is_ours || broken == kept.as_bytes() {
        return Ok(None);
    }
    let snapshot = Snapshot::of_text(source, path, Some(kept.clone()), &Overrides::default());
    if !snapshot.config.as_deref().is_some_and(fits) {
        return Ok(None);
    }
    let rejected = beside(path, &format!("{REJECTED}{}", source.clock.now_ms()));
    replace_private(&rejected, &broken)?;
    replace_file(path, &kept)?;
    Ok(Some(RestoredConfig { rejected }))
}

#[cfg(test)]
mod tests;
