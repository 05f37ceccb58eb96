//! OpenAI's own packages for Python and JavaScript in front of a Homard gateway.
//!
//! Both are installed once into the cache folder; what they are asked to do is in `xtask/compat`.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, Result, bail};

use super::published::cache;
use super::stage::{LAST_WORD, Stage};
use crate::sh::{Cmd, last_lines, say};
use crate::workspace::root;

/// The packages, at the versions they were last seen working with.
const PYTHON_PACKAGE: &str = "openai==3.49.0";
const NODE_PACKAGE: &str = "openai@7.53.0";
/// All steps of one script.
const LIMIT: Duration = Duration::from_secs(240);
/// How much of its output is shown after a failure.
const SHOWN_LINES: usize = 40;

/// What users of the Python package do.
pub(super) fn python(stage: &mut Stage<'_>) -> Result<()> {
    let dir = cache()?.join("sdk-python");
    let program = dir.join("bin/python");
    once(&dir, PYTHON_PACKAGE, || {
        Cmd::new("python3", &["-m", "venv"]).args([&dir]).run()?;
        Cmd::new(&program, &["-m", "pip", "install", "--quiet", PYTHON_PACKAGE]).run()
    })?;
    play(stage, Cmd::new(&program, &[]).args([root().join("xtask/compat/openai_sdk.py")]))
}

/// What users of the JavaScript package do.
pub(super) fn node(stage: &mut Stage<'_>) -> Result<()> {
    let dir = cache()?.join("sdk-node");
    once(&dir, NODE_PACKAGE, || {
        fs::write(dir.join("package.json"), "{\"name\": \"homard-compat-sdk\", \"private\": true}\n")?;
        Cmd::new("npm", &["install", "--no-audit", "--no-fund", NODE_PACKAGE]).dir(&dir).run()
    })?;
    let script = root().join("xtask/compat/openai-sdk.mjs");
    let command = Cmd::new(stage.published.node(), &[])
        .args([script])
        .env("SDK", dir.join("node_modules/openai/index.mjs"));
    play(stage, command)
}

/// Installs a package unless its mark is there: a folder that was begun and not finished has none.
fn once(dir: &Path, package: &str, install: impl FnOnce() -> Result<()>) -> Result<()> {
    let mark: PathBuf = dir.join("installed");
    if fs::read_to_string(&mark).is_ok_and(|found| found == package) {
        say(&format!("compat: {package} is already in the cache"));
        return Ok(());
    }
    fs::create_dir_all(dir).with_context(|| format!("could not make `{}`", dir.display()))?;
    install()?;
    fs::write(&mark, package).with_context(|| format!("could not write `{}`", mark.display()))
}

fn play(stage: &Stage<'_>, command: Cmd) -> Result<()> {
    let ran = command
        .env("GATEWAY", format!("http://{}", stage.address))
        .env("GATEWAY_TOKEN", &stage.token)
        .env("LAST_WORD", LAST_WORD)
        .env("NO_PROXY", "127.0.0.1")
        .within(LIMIT, &stage.client_home().join("sdk.out"))?;
    match ran {
        Some(ran) if ran.ok => Ok(()),
        Some(ran) => bail!("{}", last_lines(ran.text.trim(), SHOWN_LINES)),
        None => bail!("the script was not done within {} s", LIMIT.as_secs()),
    }
}
