//! The archives in a folder.

use std::fs;
use std::path::{Path, PathBuf};

use homard_runtime::Arrange as _;
use serde::Serialize;

use crate::archive::{About, about, is_sealed};
use crate::error::BackupError;

/// Endings of the names archives have.
const ENDINGS: [&str; 2] = [".tar.gz", ".tar.gz.age"];

/// One archive, as far as it can be told without reading all of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Listed {
    pub path: PathBuf,
    pub bytes: u64,
    pub is_sealed: bool,
    /// What it says of itself; nothing where it is sealed.
    pub about: Option<About>,
    /// Why it cannot be read, when it cannot.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// The archives in a folder, by name. A folder that is not there has none.
///
/// # Errors
/// When the folder cannot be read.
pub fn list(folder: &Path) -> Result<Vec<Listed>, BackupError> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(BackupError::read(folder, error)),
    };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.arrange();
    let is_archive = |path: &PathBuf| {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        !name.starts_with('.') && ENDINGS.iter().any(|end| name.ends_with(end))
    };
    Ok(paths.into_iter().filter(is_archive).map(listed).collect())
}

fn listed(path: PathBuf) -> Listed {
    let bytes = fs::metadata(&path).map_or(0, |about| about.len());
    let is_sealed = is_sealed(&path).unwrap_or(false);
    let told = if is_sealed { Ok(None) } else { about(&path).map(Some) };
    let problem = told.as_ref().err().map(ToString::to_string);
    Listed { path, bytes, is_sealed, about: told.ok().flatten(), problem }
}
