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

/// The pages that are opened one after the other, as the page's own menu names them.
const PAGES: [&str; 34] = [
    "/activity",
    "/agents",
    "/automations",
    "/dashboard",
    "/debug",
    "/logs",
    "/meetings",
    "/new",
    "/portals",
    "/sessions",
    "/skills",
    "/tasks",
    "/usage",
    "/worktrees",
    "/settings/about",
    "/settings/agents",
    "/settings/appearance",
    "/settings/approvals",
    "/settings/automation",
    "/settings/channels",
    "/settings/connection",
    "/settings/devices",
    "/settings/general",
    "/settings/infrastructure",
    "/settings/mcp",
    "/settings/memory",
    "/settings/model-providers",
    "/settings/notifications",
    "/settings/plugins",
    "/settings/search",
    "/settings/secrets",
    "/settings/security",
    "/settings/talk",
    "/settings/updates",
];
/// So many pages take a while.
const PAGES_LIMIT: Duration = Duration::from_secs(600);

/// Loads the page, says something and waits for the answer.
pub(super) fn control_ui(stage: &mut Stage<'_>) -> Result<()> {
    drive(stage, "", LIMIT)
}

/// The same, and then opens one page after the other: none may stay empty or break, whatever is refused to it.
pub(super) fn control_ui_pages(stage: &mut Stage<'_>) -> Result<()> {
    drive(stage, &PAGES.join(" "), PAGES_LIMIT)
}

fn drive(stage: &Stage<'_>, pages: &str, limit: Duration) -> Result<()> {
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
        .env("PAGES", pages)
        .within(limit, &stage.client_home().join("page.out"))?;
    match ran {
        Some(ran) if ran.ok => Ok(()),
        Some(ran) => bail!("{}", ran.text.lines().take(SHOWN_LINES).collect::<Vec<_>>().join("\n")),
        None => bail!("the page was not done within {} s", limit.as_secs()),
    }
}
