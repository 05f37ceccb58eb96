//! The published client, installed once into a cache folder outside the repository.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context as _, Result, bail};

use crate::sh::{self, Cmd, say};

/// The client, at the version the table speaks of. Without a version npm picks the newest one that runs on the
/// Node at hand, which can be a very old one.
const CLIENT: &str = "openclaw@2026.9.6";
/// Carries the runtime the client needs, whatever Node is installed.
const RUNTIME: &str = "node@24";
/// Names another cache folder.
const CACHE_VARIABLE: &str = "HOMARD_COMPAT_CACHE";

/// Where the client lies.
#[derive(Debug)]
pub(super) struct Published {
    modules: PathBuf,
}

impl Published {
    /// Installs what is not there yet.
    pub(super) fn install() -> Result<Self> {
        let cache = cache()?;
        let published = Self { modules: cache.join("node_modules") };
        if published.node().is_file() && published.version().is_ok_and(|found| CLIENT.ends_with(&found)) {
            say(&format!("compat: {CLIENT} is already in the cache"));
            return Ok(published);
        }
        fs::create_dir_all(&cache).with_context(|| format!("could not make `{}`", cache.display()))?;
        let manifest = cache.join("package.json");
        if !manifest.is_file() {
            fs::write(&manifest, "{\"name\": \"homard-compat\", \"private\": true}\n")?;
        }
        let npm = |package: &str| {
            Cmd::new("npm", &["install", "--no-audit", "--no-fund", package])
                .dir(&cache)
                .env("PATH", published.search_path())
        };
        // The runtime first: the client is then installed by the Node that will run it. The runtime's own
        // script fetches its binary; the client needs none of its scripts for being a client.
        npm(RUNTIME).run()?;
        npm(CLIENT).args(["--ignore-scripts"]).run()?;
        if !published.node().is_file() || !published.entry().is_file() {
            bail!("npm ended well, but `{}` does not hold the client", published.modules.display());
        }
        Ok(published)
    }

    /// The version that is installed.
    pub(super) fn version(&self) -> Result<String> {
        let manifest = self.modules.join("openclaw/package.json");
        let text = fs::read_to_string(&manifest)
            .with_context(|| format!("could not read `{}`", manifest.display()))?;
        let manifest: serde_json::Value = serde_json::from_str(&text)?;
        let version = manifest.get("version").and_then(serde_json::Value::as_str);
        Ok(version.context("the client's package.json names no version")?.to_owned())
    }

    /// The runtime.
    pub(super) fn node(&self) -> PathBuf {
        self.modules.join("node/bin").join(crate::serve::binary("node"))
    }

    /// The client's program.
    pub(super) fn entry(&self) -> PathBuf {
        self.modules.join("openclaw/openclaw.mjs")
    }

    /// The client's page.
    pub(super) fn control_ui(&self) -> PathBuf {
        self.modules.join("openclaw/dist/control-ui")
    }

    /// Our search path with the runtime before everything else.
    pub(super) fn search_path(&self) -> String {
        let rest = sh::variable("PATH").unwrap_or_default();
        format!("{}:{rest}", self.modules.join("node/bin").display())
    }
}

/// A folder that outlives the clone: installing takes a minute and several hundred megabytes.
pub(super) fn cache() -> Result<PathBuf> {
    if let Some(named) = sh::variable(CACHE_VARIABLE) {
        return Ok(PathBuf::from(named));
    }
    let base = sh::variable("XDG_CACHE_HOME").map(PathBuf::from);
    let base = base.or_else(|| Some(PathBuf::from(sh::variable("HOME")?).join(".cache")));
    Ok(base.with_context(|| format!("no home folder; set {CACHE_VARIABLE}"))?.join("homard-compat"))
}
