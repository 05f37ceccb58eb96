//! The text files of the clone: what git tracks, or would if it were added.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};

use crate::sh::Cmd;
use crate::workspace::root;

/// Larger files are data nobody wrote by hand.
const MAX_BYTES: u64 = 4 * 1024 * 1024;
/// What git would ignore, for a copy that is not a git clone.
const NOT_OURS: [&str; 7] = [".git", "target", "node_modules", "dist", "test-results", "corpus", "artifacts"];

/// A text file, by its path from the root with forward slashes.
#[derive(Debug)]
pub(super) struct SourceFile {
    pub(super) path: String,
    pub(super) text: String,
}

impl SourceFile {
    /// The last part of its path.
    pub(super) fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or_default()
    }

    /// Whether its name ends in one of these.
    pub(super) fn is_any(&self, endings: &[&str]) -> bool {
        endings.iter().any(|ending| self.path.ends_with(ending))
    }

    /// Whether it is test code.
    pub(super) fn is_test(&self) -> bool {
        self.path.starts_with("tests/") || self.path.contains("/tests/") || self.name() == "tests.rs"
    }

    /// Its lines with their numbers, without those that are only a comment.
    pub(super) fn code_lines(&self) -> impl Iterator<Item = (usize, &str)> {
        let lines = self.text.lines().enumerate().map(|(index, line)| (index + 1, line));
        lines.filter(|(_, line)| !line.trim_start().starts_with("//"))
    }
}

/// Reads every text file, in order of paths.
pub(super) fn files() -> Result<Vec<SourceFile>> {
    let root = root();
    let mut paths = tracked().map_or_else(|_| walked(&root), Ok)?;
    paths.sort();
    paths.dedup();
    let mut files = Vec::new();
    for path in paths {
        let full = root.join(&path);
        // A tracked file may have been removed, and a helper may be removing it now.
        let small =
            fs::symlink_metadata(&full).is_ok_and(|found| found.is_file() && found.len() <= MAX_BYTES);
        if small && let Ok(text) = fs::read_to_string(&full) {
            files.push(SourceFile { path, text });
        }
    }
    Ok(files)
}

fn tracked() -> Result<Vec<String>> {
    let list = Cmd::new("git", &["ls-files", "-z", "--cached", "--others", "--exclude-standard"]).read()?;
    Ok(list.split('\0').filter(|path| !path.is_empty()).map(str::to_owned).collect())
}

fn walked(root: &Path) -> Result<Vec<String>> {
    let mut paths = Vec::new();
    let mut open = vec![root.to_path_buf()];
    while let Some(dir) = open.pop() {
        for entry in fs::read_dir(&dir).with_context(|| format!("could not list `{}`", dir.display()))? {
            let path = entry?.path();
            if NOT_OURS.iter().any(|name| path.ends_with(name)) {
                continue;
            }
            if path.is_dir() {
                open.push(path);
            } else if let Ok(path) = path.strip_prefix(root) {
                paths.push(path.to_string_lossy().replace('\\', "/"));
            }
        }
    }
    Ok(paths)
}
