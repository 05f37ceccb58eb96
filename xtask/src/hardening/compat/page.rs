//! The client's page in headless Chromium, in front of a Homard gateway.
//!
//! The page comes from the published package; the gateway serves it from there and is what it talks to.

use std::time::Duration;

use anyhow::{Result, bail};

use super::stage::{LAST_WORD, Stage};
use crate::browser::chromium;
use crate::sh::Cmd;
use crate::web;
use crate::workspace::root;

/// Loading, chatting and looking at the other pages.
const LIMIT: Duration = Duration::from_secs(150);
/// How much of its output is shown after a failure.
const SHOWN_LINES: usize = 40;

/// Loads the page, says something and waits for the answer.
pub(super) fn control_ui(stage: &mut Stage<'_>) -> Result<()> {
    let script = root().join("xtask/compat/control-ui.mjs");
    let playwright = web::dir().join("node_modules/playwright-core/index.mjs");
    if !playwright.is_file() {
        bail!(
            "the browser driver is missing; `cargo xtask test --only web` (or `npm ci` in web/) fetches it"
        );
    }
    let ran = Cmd::new(stage.published.node(), &[])
        .args([script])
        .env("CHROMIUM", chromium()?)
        .env("PLAYWRIGHT", playwright)
        .env("GATEWAY", stage.address.to_string())
        .env("GATEWAY_TOKEN", &stage.token)
        .env("LAST_WORD", LAST_WORD)
        .within(LIMIT, &stage.client_home().join("page.out"))?;
    match ran {
        Some(ran) if ran.ok => Ok(()),
        Some(ran) => bail!("{}", ran.text.lines().take(SHOWN_LINES).collect::<Vec<_>>().join("\n")),
        None => bail!("the page was not done within {} s", LIMIT.as_secs()),
    }
}
