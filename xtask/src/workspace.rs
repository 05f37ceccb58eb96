//! Where things are: the root of the clone and cargo's target directory; and what `cargo metadata` says.
//!
//! Only the fields the workshop reads are named here. Nothing is cached: every command asks once.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use serde::Deserialize;

use crate::sh::Cmd;

/// The root of the clone this workshop was built from.
pub(crate) fn root() -> PathBuf {
    // Relative in a test program that may be another clone's; tests begin in this package's folder.
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let here = if here.is_relative() { here.canonicalize() } else { Ok(here.to_path_buf()) };
    let here = here.unwrap_or_default();
    here.parent().unwrap_or(&here).to_path_buf()
}

/// The part of `cargo metadata` the workshop reads.
#[derive(Debug, Deserialize)]
pub(crate) struct Metadata {
    pub(crate) packages: Vec<Package>,
    pub(crate) target_directory: PathBuf,
}

/// A package of the workspace.
#[derive(Debug, Deserialize)]
pub(crate) struct Package {
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) version: String,
    pub(crate) dependencies: Vec<Dependency>,
    #[serde(default)]
    pub(crate) manifest_path: PathBuf,
    /// `[package.metadata]`; `null` where there is none.
    #[serde(default)]
    pub(crate) metadata: serde_json::Value,
}

impl Package {
    /// Its folder, seen from the root of the clone.
    pub(crate) fn folder(&self, root: &Path) -> String {
        let folder = self.manifest_path.parent().unwrap_or(&self.manifest_path);
        folder.strip_prefix(root).unwrap_or(folder).to_string_lossy().into_owned()
    }

    /// Its layer in the drawing of `ARCHITECTURE.md`.
    pub(crate) fn layer(&self) -> Option<u64> {
        self.metadata.get("homard")?.get("layer")?.as_u64()
    }
}

/// A dependency as a `Cargo.toml` declares it.
#[derive(Debug, Deserialize)]
pub(crate) struct Dependency {
    pub(crate) name: String,
    /// `None` for a normal one, else `build` or `dev`.
    pub(crate) kind: Option<String>,
}

/// Asks cargo about the workspace, without touching the network.
pub(crate) fn metadata() -> Result<Metadata> {
    let text = Cmd::new("cargo", &["metadata", "--no-deps", "--format-version=1", "--offline"]).read()?;
    serde_json::from_str(&text).context("could not read the output of `cargo metadata`")
}

/// Cargo's target directory, which `CARGO_TARGET_DIR` may have moved.
pub(crate) fn target() -> Result<PathBuf> {
    Ok(metadata()?.target_directory)
}

/// The workshop's own corner of the target directory, made if need be.
pub(crate) fn scratch() -> Result<PathBuf> {
    let dir = target()?.join("xtask");
    std::fs::create_dir_all(&dir).with_context(|| format!("could not make `{}`", dir.display()))?;
    Ok(dir)
}
