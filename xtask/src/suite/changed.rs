//! What a change can have broken: by the kind of its files, and by who depends on whom.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};

use super::steps::Step;
use crate::sh::{Cmd, say};
use crate::workspace::{self, Package, root};

/// Stands for "what is not pushed yet".
pub(super) const HERE: &str = "";

/// What a file is to the checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// A source of a package.
    Rust,
    /// Decides how everything is compiled.
    Manifest,
    Page,
    /// Documents, and data that tests may read.
    Words,
}

/// What is checked.
#[derive(Debug)]
pub(super) enum Scope {
    Everything,
    Part {
        kinds: BTreeSet<Kind>,
        /// Packages whose tests may come out differently.
        packages: BTreeSet<String>,
    },
}

impl Scope {
    /// What the changes since `commit` can have broken, uncommitted ones included.
    pub(super) fn since(commit: &str) -> Result<Self> {
        let base = if commit == HERE { unpushed()? } else { commit.to_owned() };
        let git = |args: &[&str]| Cmd::new("git", args).read();
        let changed = git(&["diff", "--name-only", &base]).context("could not compare with that commit")?;
        let untracked = git(&["ls-files", "--others", "--exclude-standard"])?;
        let files: Vec<&str> = changed.lines().chain(untracked.lines()).collect();
        let packages = workspace::metadata()?.packages;
        let scope = Self::of(&files, &packages, &|folder, name| mentions(&root().join(folder), name));
        if let Self::Part { packages, .. } = &scope {
            let packages: Vec<&str> = packages.iter().map(String::as_str).collect();
            say(&format!("{} files changed since {base}; tests of: {}", files.len(), packages.join(", ")));
        }
        Ok(scope)
    }

    /// The same for given files; `mentions` says whether a source below a folder names a file.
    fn of(files: &[&str], packages: &[Package], mentions: &dyn Fn(&str, &str) -> bool) -> Self {
        let kinds: BTreeSet<Kind> = files.iter().map(|file| kind(file)).collect();
        if kinds.contains(&Kind::Manifest) {
            return Self::Part {
                kinds,
                packages: packages.iter().map(|package| package.name.clone()).collect(),
            };
        }
        let mut touched: BTreeSet<String> = BTreeSet::new();
        for file in files {
            let name = Path::new(file).file_name().unwrap_or_default().to_string_lossy();
            touched.extend(packages.iter().filter_map(|package| {
                let folder = package.folder(&root());
                let is_inside = file.strip_prefix(&folder).is_some_and(|rest| rest.starts_with('/'));
                let reads = !file.ends_with(".rs") && mentions(&folder, &name);
                (is_inside || reads).then(|| package.name.clone())
            }));
        }
        // Whoever depends on a touched package is touched.
        while let Some(next) = packages.iter().find(|package| {
            let uses = package.dependencies.iter().any(|dependency| touched.contains(&dependency.name));
            uses && !touched.contains(&package.name)
        }) {
            touched.insert(next.name.clone());
        }
        Self::Part { kinds, packages: touched }
    }

    /// Whether a step can come out differently.
    pub(super) fn touches(&self, step: &Step) -> bool {
        match self {
            Self::Everything => true,
            Self::Part { kinds, .. } => step.watches.iter().any(|kind| kinds.contains(kind)),
        }
    }

    /// The tests to run, in nextest's language; all of them when there is none.
    pub(super) fn test_filter(&self) -> Option<String> {
        match self {
            Self::Everything => None,
            Self::Part { packages, .. } if packages.is_empty() => Some("none()".to_owned()),
            Self::Part { packages, .. } => {
                let names = packages.iter().map(|name| format!("package(={name})"));
                Some(names.collect::<Vec<_>>().join(" | "))
            }
        }
    }
}

fn kind(file: &str) -> Kind {
    let decides =
        ["Cargo.toml", "Cargo.lock", "rust-toolchain.toml", "clippy.toml", "deny.toml", "config.toml"];
    let name = file.rsplit('/').next().unwrap_or(file);
    if decides.contains(&name) {
        Kind::Manifest
    } else if file.starts_with("web/") {
        Kind::Page
    } else if file.starts_with("crates/") || file.starts_with("xtask/") || file.starts_with("fuzz/") {
        Kind::Rust
    } else {
        Kind::Words
    }
}

/// The last commit that is also elsewhere, or the last one.
fn unpushed() -> Result<String> {
    let upstream = Cmd::new("git", &["merge-base", "HEAD", "@{upstream}"]).quiet()?;
    if upstream.ok { Ok(upstream.text.trim().to_owned()) } else { Ok("HEAD".to_owned()) }
}

/// Whether a source below `folder` names a file.
fn mentions(folder: &Path, name: &str) -> bool {
    let Ok(entries) = fs::read_dir(folder) else { return false };
    entries.flatten().map(|entry| entry.path()).any(|path| {
        if path.is_dir() {
            return mentions(&path, name);
        }
        let is_source = path.extension().is_some_and(|extension| extension == "rs");
        is_source && fs::read_to_string(&path).is_ok_and(|text| text.contains(name))
    })
}

#[cfg(test)]
mod tests;
