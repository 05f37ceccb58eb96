//! Text files as the tools that change them see them: loading within a bound, and showing what changed.

use std::io::{self, Read as _};
use std::path::Path;
use std::time::Duration;

use homard_runtime::Clip;
use similar::TextDiff;

use crate::files::open_no_symlinks::open_no_symlinks;
use crate::tools::file_edits::near_names::near_names;

/// Largest file that can be changed.
const MAX_BYTES: u64 = 10 * 1024 * 1024;
/// Longest diff kept for people to read.
const MAX_DIFF_BYTES: usize = 64 * 1024;
/// How long the diff may look for the shortest answer.
const DIFF_TIME: Duration = Duration::from_millis(200);
/// Lines around a change in the diff.
const DIFF_CONTEXT: usize = 3;

/// Why a file cannot be changed as text.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TextFileError {
    #[error("there is no file `{path}`{near}")]
    Missing { path: String, near: String },
    #[error("`{path}` is not a regular file")]
    NotAFile { path: String },
    #[error("`{path}` is larger than {MAX_BYTES} bytes; use exec to change it")]
    TooLarge { path: String },
    #[error("`{path}` is not UTF-8 text (at byte {at}); use exec to change it")]
    NotText { path: String, at: usize },
    #[error("could not read `{path}`")]
    Io {
        path: String,
        #[source]
        source: io::Error,
    },
}

/// That there is a regular file of a size that can be changed; `path` is what the model called it.
pub(crate) fn check(real: &Path, path: &str) -> Result<(), TextFileError> {
    let found = real.metadata().map_err(|source| match source.kind() {
        io::ErrorKind::NotFound => TextFileError::Missing { path: path.to_owned(), near: near_names(real) },
        _ => TextFileError::Io { path: path.to_owned(), source },
    })?;
    if !found.is_file() {
        return Err(TextFileError::NotAFile { path: path.to_owned() });
    }
    if found.len() > MAX_BYTES {
        return Err(TextFileError::TooLarge { path: path.to_owned() });
    }
    Ok(())
}

/// The whole text of a file.
pub(crate) fn load(real: &Path, path: &str) -> Result<String, TextFileError> {
    check(real, path)?;
    let mut bytes = Vec::new();
    open_no_symlinks(real)
        .and_then(|file| file.take(MAX_BYTES + 1).read_to_end(&mut bytes))
        .map_err(|source| TextFileError::Io { path: path.to_owned(), source })?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(TextFileError::TooLarge { path: path.to_owned() });
    }
    String::from_utf8(bytes).map_err(|error| TextFileError::NotText {
        path: path.to_owned(),
        at: error.utf8_error().valid_up_to(),
    })
}

/// What changed, for people to read.
pub(crate) fn diff(path: &str, before: &str, after: &str) -> String {
    let diff = TextDiff::configure().timeout(DIFF_TIME).diff_lines(before, after);
    shortened(diff.unified_diff().context_radius(DIFF_CONTEXT).header(path, path).to_string())
}

/// A diff cut to the length that is kept.
pub(crate) fn shortened(mut diff: String) -> String {
    if diff.len() > MAX_DIFF_BYTES {
        diff.truncate(diff.clip_bytes(MAX_DIFF_BYTES).len());
        diff.push_str("\n[the rest of the diff was left out]\n");
    }
    diff
}
