//! A home directory of the test's own, gone when the test ends.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::Value;
use tempfile::TempDir;

/// A home directory with a state directory in it.
#[derive(Debug)]
pub struct TestHome {
    root: TempDir,
}

impl TestHome {
    /// An empty home.
    ///
    /// # Errors
    /// When the system's folder for temporary files cannot be written.
    pub fn new() -> Result<Self> {
        let root =
            tempfile::Builder::new().prefix("homard-test-").tempdir().context("no temporary folder")?;
        let home = Self { root };
        fs::create_dir_all(home.state_dir())?;
        Ok(home)
    }

    /// A home whose configuration file holds `config`.
    ///
    /// # Errors
    /// As [`new`](TestHome::new).
    pub fn with_config(config: &Value) -> Result<Self> {
        let home = Self::new()?;
        home.write_config(config)?;
        Ok(home)
    }

    /// The home directory.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.root.path()
    }

    /// `~/.homard`.
    #[must_use]
    pub fn state_dir(&self) -> PathBuf {
        self.path().join(".homard")
    }

    /// The configuration file, whether it exists or not.
    #[must_use]
    pub fn config_path(&self) -> PathBuf {
        self.state_dir().join("homard.json")
    }

    /// Replaces the configuration file.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write_config(&self, config: &Value) -> Result<()> {
        self.write_config_text(&serde_json::to_string_pretty(config)?)
    }

    /// Replaces the configuration file with any text, valid or not.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write_config_text(&self, text: &str) -> Result<()> {
        let path = self.config_path();
        fs::write(&path, text).with_context(|| format!("could not write {}", path.display()))
    }

    /// A configuration with one provider at `base_url` and its model as the default: enough to chat.
    #[must_use]
    pub fn chat_config(token: &str, api: &str, base_url: &str) -> Value {
        serde_json::json!({
            "gateway": {"auth": {"token": token}},
            "agents": {"defaults": {"model": {"primary": "fake/fake-1"}}},
            "models": {"providers": {"fake": {
                "baseUrl": base_url,
                "apiKey": "test-key",
                "api": api,
                "models": [{"id": "fake-1", "name": "Fake 1", "contextWindow": 200_000}],
            }}},
        })
    }
}
