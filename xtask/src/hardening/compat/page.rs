//! The client's page in headless Chromium, in front of a Homard gateway.
//!
//! The page comes from the published package; the gateway serves it from there and is what it talks to.

use std::fs;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};

use serde::Deserialize;

use super::stage::{LAST_WORD, Stage};
use crate::browser::chromium;
use crate::sh::{Cmd, say};
use crate::web;
use crate::workspace::root;

/// Loading, chatting and looking at the other pages.
const LIMIT: Duration = Duration::from_secs(150);
/// How much of its output is shown after a failure.
const SHOWN_LINES: usize = 40;

/// The pages that are opened one after the other, as the page's own menu names them; their links lead to more.
const PAGES: [&str; 41] = [
    "/chat",
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
    "/terminal",
    "/usage",
    "/worktrees",
    "/settings/about",
    "/settings/agents",
    "/settings/ai-agents",
    "/settings/appearance",
    "/settings/approvals",
    "/settings/automation",
    "/settings/channels",
    "/settings/cloud-workers",
    "/settings/connection",
    "/settings/devices",
    "/settings/general",
    "/settings/infrastructure",
    "/settings/labs",
    "/settings/mcp",
    "/settings/memory",
    "/settings/memory-import",
    "/settings/model-providers",
    "/settings/notifications",
    "/settings/plugins",
    "/settings/profile",
    "/settings/search",
    "/settings/secrets",
    "/settings/security",
    "/settings/talk",
    "/settings/updates",
];
/// Pressing everything on so many pages takes a while.
const PAGES_LIMIT: Duration = Duration::from_secs(1_800);

/// What the page asked for once.
#[derive(Debug, Deserialize)]
struct Asked {
    method: String,
    /// The page and what was pressed there.
    #[serde(rename = "where")]
    place: String,
    refused: Option<String>,
}

/// Loads the page, says something and waits for the answer.
pub(super) fn control_ui(stage: &mut Stage<'_>) -> Result<()> {
    drive(stage, "", LIMIT)
}

/// The same, and then goes through one page after the other and presses everything on each: none may stay empty or
/// break, whatever is refused to it. What the page asks for is told.
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
    let record = stage.client_home().join("asked.json");
    let ran = Cmd::new(stage.published.node(), &[])
        .args([script])
        .env("CHROMIUM", chromium()?)
        .env("PLAYWRIGHT", playwright)
        .env("GATEWAY", stage.address.to_string())
        .env("GATEWAY_TOKEN", &stage.token)
        .env("LAST_WORD", LAST_WORD)
        .env("PAGES", pages)
        .env("RECORD", &record)
        .within(limit, &stage.client_home().join("page.out"))?;
    match ran {
        Some(ran) if ran.ok => tell(&fs::read_to_string(&record).context("no record of the page")?),
        Some(ran) => bail!("{}", ran.text.lines().take(SHOWN_LINES).collect::<Vec<_>>().join("\n")),
        None => bail!("the page was not done within {} s", limit.as_secs()),
    }
}

/// Says what the page asked for and what was refused for another reason than that nobody knows it: that may be ours.
fn tell(record: &str) -> Result<()> {
    let asked: Vec<Asked> = serde_json::from_str(record)?;
    say(&format!("  the page asked for {} methods", asked.len()));
    for Asked { method, place, refused } in &asked {
        if let Some(refused) = refused.as_ref().filter(|refused| !refused.starts_with("unknown method")) {
            say(&format!("  {method} was refused ({place}): {}", refused.lines().next().unwrap_or_default()));
        }
    }
    Ok(())
}
