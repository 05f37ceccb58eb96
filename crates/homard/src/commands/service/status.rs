//! `homard status`: everything worth knowing on one screen.

use clap::Args;
use homard_client::Client;
use homard_protocol::method::NoParams;
use homard_protocol::methods::chat::agent::{AgentsList, AgentsListResult};
use homard_protocol::methods::system::Status;
use serde_json::{Value, json};

use crate::commands::connection::{self, Patience, Target};
use crate::commands::table::pairs;
use crate::commands::{Cx, words};
use crate::report::{AlreadyTold, Mark};

/// See the gateway, its agents, model, sessions and files on one screen
#[derive(Args)]
pub(crate) struct StatusArgs {
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    target: Target,
    #[command(flatten)]
    patience: Patience,
}

/// Runs the command.
///
/// # Errors
/// When there is no gateway or it does not answer.
pub(crate) async fn run(cx: &Cx, args: &StatusArgs) -> anyhow::Result<()> {
    let url = connection::route(cx, &args.target)?.url;
    let client = match connection::connect(cx, &args.target, args.patience.limit()).await {
        Err(error) if args.json => {
            cx.console.json(&json!({"ok": false, "url": url, "error": error.to_string()}))?;
            return Err(AlreadyTold.into());
        }
        connected => connected?,
    };
    let status = client.call::<Status>(&NoParams {}).await?;
    let agents = client.call::<AgentsList>(&NoParams {}).await?;
    if args.json {
        let hello = client.hello();
        cx.console.json(&json!({
            "ok": true, "url": url, "server": hello.server, "uptimeMs": hello.snapshot.uptime_ms,
            "agents": agents, "status": status,
        }))?;
    } else {
        cx.console
            .line(&cx.console.mark(Mark::Strong, &format!("Homard {}", client.hello().server.version)))?;
        for line in pairs(&rows(cx, &url, &client, &status, &agents)) {
            cx.console.line(&line)?;
        }
    }
    client.close().await;
    Ok(())
}

fn rows(
    cx: &Cx,
    url: &str,
    client: &Client,
    status: &Value,
    agents: &AgentsListResult,
) -> Vec<(&'static str, String)> {
    let hello = client.hello();
    let text = |path| status.pointer(path).and_then(Value::as_str).map(str::to_owned);
    let number = |path| status.pointer(path).and_then(Value::as_u64);
    let process = number("/pid").map_or_else(String::new, |pid| format!(", process {pid}"));
    let named: Vec<String> =
        agents.agents.iter().map(|agent| named(agent.id == agents.default_id, agent.id.as_str())).collect();
    let default = agents.agents.iter().find(|agent| agent.id == agents.default_id);
    let model = default.map(|agent| agent.model.primary.clone()).filter(|model| !model.is_empty());
    let model = model.or_else(|| text("/sessions/defaults/model")).unwrap_or_else(|| "none".into());
    let model = if hello.snapshot.session_defaults.model_configured {
        model
    } else {
        format!("{model} (no model is configured yet)")
    };
    let paths = &cx.source.paths;
    let local = |given: &Option<String>, own: &std::path::Path| {
        given.clone().unwrap_or_else(|| own.display().to_string())
    };
    vec![
        ("gateway", format!("{url}{process}")),
        ("uptime", words::span(hello.snapshot.uptime_ms)),
        ("agents", named.join(", ")),
        ("model", model),
        ("sessions", number("/sessions/count").unwrap_or(0).to_string()),
        ("owner", owners(status)),
        ("config", local(&hello.snapshot.config_path, &paths.config_path)),
        ("state", local(&hello.snapshot.state_dir, &paths.state_dir)),
    ]
}

/// Who counts as the owner on chat platforms.
fn owners(status: &Value) -> String {
    let listed = status.pointer("/owners").and_then(Value::as_array);
    let owners: Vec<&str> = listed.into_iter().flatten().filter_map(Value::as_str).collect();
    match (listed, owners.as_slice()) {
        (None, _) => "not told to clients that may not change settings".to_owned(),
        (Some(_), []) => "nobody on chat platforms (commands.ownerAllowFrom names them)".to_owned(),
        (Some(_), owners) => owners.join(", "),
    }
}

fn named(is_default: bool, id: &str) -> String {
    if is_default { format!("{id} (default)") } else { id.to_owned() }
}
