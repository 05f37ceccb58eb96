//! `homard webhooks`: the addresses at which other programs may tell agents something, and trying one out.

use std::time::Duration;

use anyhow::Context;
use clap::{Args, Subcommand};
use homard_config::Config;
use homard_config::config::hooks::{HookAction, HookMapping};
use homard_runtime::Clip;
use http::header::AUTHORIZATION;
use serde_json::{Value, json};

use crate::commands::Cx;
use crate::commands::connection;
use crate::commands::table::table;
use crate::report::{Advice, Mark};

const EXAMPLES: &str = "\
Examples:
  homard webhooks                              which there are, and whether they are open
  homard webhooks test agent --data '{\"message\": \"The build failed.\", \"name\": \"CI\"}'
  homard webhooks test wake --data '{\"text\": \"somebody rang\", \"mode\": \"now\"}'

They open with two settings:
  homard config set hooks.token 'a long random text'
  homard config set hooks.enabled true";

/// How long a hook may take to take a call.
const PATIENCE: Duration = Duration::from_secs(30);
/// Longest answer that is shown, in characters.
const SHOWN_CHARS: usize = 4_000;

/// See the hooks other programs call, and try one out
///
/// Mail: what watches a mailbox (such as Gmail's watch and a push subscription) is not set up by this command; the preset
/// `gmail` of hooks.presets takes what it sends, at /hooks/gmail.
#[derive(Args)]
#[command(after_help = EXAMPLES, args_conflicts_with_subcommands = true)]
pub(crate) struct WebhooksArgs {
    #[command(subcommand)]
    command: Option<WebhooksCommand>,
    #[command(flatten)]
    list: ListArgs,
}

#[derive(Subcommand)]
enum WebhooksCommand {
    /// List them
    List(ListArgs),
    /// Call one of this machine's gateway, as another program would
    Test(TestArgs),
}

#[derive(Args)]
struct ListArgs {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
struct TestArgs {
    /// Which: wake, agent, or the path of a mapping
    path: String,
    /// What it is told, as JSON
    #[arg(long, value_name = "JSON")]
    data: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Runs the command.
///
/// # Errors
/// When hooks are closed, there is no gateway, or it refuses the call.
pub(crate) async fn run(cx: &Cx, args: WebhooksArgs) -> anyhow::Result<()> {
    match args.command {
        None => list(cx, &args.list),
        Some(WebhooksCommand::List(args)) => list(cx, &args),
        Some(WebhooksCommand::Test(args)) => test(cx, &args).await,
    }
}

/// Those that are there without a mapping.
const OWN: [(&str, &str); 2] =
    [("wake", "tells the agent something"), ("agent", "gives the agent a message to answer")];

fn address(cx: &Cx, config: &Config, path: &str) -> String {
    let scheme = if config.gateway.tls.enabled { "https" } else { "http" };
    format!("{scheme}://127.0.0.1:{}{}/{path}", connection::own_port(cx, config), config.hooks.path)
}

fn list(cx: &Cx, args: &ListArgs) -> anyhow::Result<()> {
    let config = cx.config()?;
    let hooks = &config.hooks;
    let does = |mapping: &HookMapping| match mapping.action {
        HookAction::Wake => "tells the agent something",
        HookAction::Agent => "gives the agent a message to answer",
    };
    let mapped = hooks.mappings.iter().map(|mapping| {
        let path = mapping.path.as_deref().unwrap_or("any path");
        (mapping.id.clone(), path.to_owned(), does(mapping))
    });
    let own = OWN.iter().map(|(path, does)| ((*path).to_owned(), (*path).to_owned(), *does));
    let all: Vec<(String, String, &str)> = own.chain(mapped).collect();
    if args.json {
        let rows: Vec<Value> = all
            .iter()
            .map(|(id, path, does)| json!({"id": id, "path": format!("{}/{path}", hooks.path), "does": does}))
            .collect();
        return Ok(cx
            .console
            .json(&json!({"enabled": hooks.enabled, "base": address(cx, &config, ""), "hooks": rows}))?);
    }
    let rows: Vec<Vec<String>> = all
        .into_iter()
        .map(|(id, path, does)| vec![id, format!("{}/{path}", hooks.path), does.to_owned()])
        .collect();
    cx.console.table(&table(&["HOOK", "PATH", "WHAT IT DOES"], &rows))?;
    if hooks.enabled {
        cx.console.note(&format!("they are open at {}", address(cx, &config, "…")));
    } else {
        cx.console.note("they are closed: set hooks.token, and hooks.enabled to true");
    }
    Ok(())
}

async fn test(cx: &Cx, args: &TestArgs) -> anyhow::Result<()> {
    let config = cx.config()?;
    let closed = || {
        Advice::error(
            "hooks are closed",
            "open them: homard config set hooks.token 'a long random text', and homard config set hooks.enabled true",
        )
    };
    let token = config.hooks.token.as_ref().filter(|_| config.hooks.enabled).ok_or_else(closed)?;
    if config.gateway.tls.enabled {
        return Err(Advice::error(
            "the gateway shows its own certificate, which this test does not know",
            "call it with curl --cacert; `homard webhooks` shows the path",
        ));
    }
    let path = args.path.trim_matches('/');
    let usual = match path {
        "wake" => json!({"text": "a test of the hook"}),
        "agent" => json!({"message": "This is a test of the hook.", "name": "test"}),
        _ => json!({}),
    };
    let data: Value = match &args.data {
        Some(text) => serde_json::from_str(text).context("--data is not JSON")?,
        None => usual,
    };
    let url = address(cx, &config, path);
    let client = homard_http::plain_client().timeout(PATIENCE).build()?;
    let call =
        client.post(&url).header(AUTHORIZATION, format!("Bearer {}", token.expose())).body(data.to_string());
    let answer = call.send().await.map_err(|error| {
        Advice::error(
            format!("nobody answers at {url}: {}", error.without_url()),
            "start the gateway with `homard gateway`",
        )
    })?;
    let status = answer.status();
    let said = answer.text().await.unwrap_or_default();
    let said: Value =
        serde_json::from_str(&said).unwrap_or_else(|_plain| Value::String(said.ellipsis_after(SHOWN_CHARS)));
    if args.json {
        cx.console.json(&json!({"ok": status.is_success(), "status": status.as_u16(), "answer": said}))?;
    }
    if !status.is_success() {
        let why = said.get("error").and_then(Value::as_str).map_or_else(|| status.to_string(), str::to_owned);
        return Err(Advice::error(
            format!("{url} refused the call: {why}"),
            "`homard webhooks` lists what there is; `homard docs hooks` says what each takes",
        ));
    }
    if args.json {
        return Ok(());
    }
    cx.console.line(&cx.console.mark(Mark::Good, &format!("{url} took it")))?;
    if status.as_u16() == 204 {
        return Ok(cx.console.line("the mapping found nothing to do")?);
    }
    Ok(cx.console.json(&said)?)
}
