//! Building and testing the page under `web/` with npm, no more often than its sources change.

use std::path::PathBuf;

use anyhow::{Result, bail};

use crate::compile;
use crate::sh::{Cmd, Ran, say};
use crate::stamp::{self, Stamp};
use crate::workspace::root;

/// The page's sources.
pub(crate) fn dir() -> PathBuf {
    root().join("web")
}

/// Whether Node and npm can be started.
pub(crate) fn has_node() -> bool {
    Cmd::new("node", &["--version"]).works() && Cmd::new("npm", &["--version"]).works()
}

/// Writes `web/src/protocol.ts`, the types of all methods and events, anew when the protocol changed. It wants cargo
/// for itself, so it goes before what compiles the rest.
pub(crate) fn types() -> Result<()> {
    let protocol = root().join("crates/homard-protocol");
    let sources = ["src", "examples", "Cargo.toml"].map(|part| protocol.join(part));
    let (file, lock) = (dir().join("src/protocol.ts"), root().join("Cargo.lock"));
    let [source, example, manifest] = &sources;
    let inputs = stamp::hash_of(&[source, example, manifest, &lock])?;
    let types = Stamp { name: "protocol-types", inputs, output: &file };
    if !types.unless_fresh(|| Cmd::new(compile::type_writer()?, &[]).args([&file]).run())? {
        say("web: the protocol is as it was");
    }
    Ok(())
}

/// Fetches the page's packages and builds it into `web/dist`.
pub(crate) fn build() -> Result<()> {
    if !has_node() {
        bail!("the page needs Node and npm (20.19 or later), and `node` or `npm` is not on the path");
    }
    types()?;
    let web = dir();
    let (lock, modules) = (web.join("package-lock.json"), web.join("node_modules"));
    let packages = Stamp { name: "npm-ci", inputs: stamp::hash_of(&[&lock])?, output: &modules };
    if !packages.unless_fresh(|| npm(&["ci", "--no-audit", "--no-fund"]).run())? {
        say("web: packages are as the lock file says");
    }
    let page =
        Stamp { name: "npm-bundle", inputs: stamp::hash_of(&[&web])?, output: &web.join("dist/index.html") };
    if !page.unless_fresh(|| npm(&["run", "bundle"]).run())? {
        say("web: nothing changed since the last build");
    }
    Ok(())
}

/// Checks the page's types, for which its packages must be there.
pub(crate) fn check() -> Result<()> {
    npm(&["run", "check"]).run()
}

/// Checks that the page is formatted, if anything of it changed since it was.
pub(crate) fn format_check() -> Result<()> {
    let web = dir();
    let sources = stamp::hash_of(&[&web])?;
    let formatted = Stamp { name: "npm-format", inputs: sources, output: &web.join("package.json") };
    if !formatted.unless_fresh(|| npm(&["run", "format:check"]).run())? {
        say("web: nothing changed since it was formatted");
    }
    Ok(())
}

/// Runs the page's unit tests.
pub(crate) fn unit_tests() -> Result<Ran> {
    npm(&["run", "test"]).tee()
}

/// npm in `web/`.
pub(crate) fn npm(args: &[&str]) -> Cmd {
    Cmd::new("npm", args).dir(&dir())
}
