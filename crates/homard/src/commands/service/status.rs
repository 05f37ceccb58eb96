//! `homard status`: everything worth knowing on one screen, with or without a gateway.

mod local;

use clap::Args;
use homard_client::Client;
use homard_protocol::method::NoParams;
use homard_protocol::methods::chat::agent::{AgentsList, AgentsListResult};
use homard_protocol::methods::system::{Health, HealthParams, Status};
use homard_protocol::methods::usage::{UsageCost, UsageCostParams, UsageSpan};
use serde_json::{Value, json};

use self::local::Local;
use super::examination::width;
use crate::commands::connection::{self, ConnectArgs};
use crate::commands::{Cx, words};
use crate::report::{AlreadyTold, Mark};
use homard_client::questions;

/// How many days `--usage` looks back.
const DAYS: u32 = 30;

const EXAMPLES: &str = "\
Examples:
  homard status               the gateway, its agents, model, chat platforms and what waits for you
  homard status --deep        also asks every chat platform now
  homard status --usage       also what models cost in the last 30 days
  homard status --all         all of it, recent conversations, and what homard doctor would say
  homard status --json

Without a gateway, and with a broken configuration, it says what is wrong and what to do next.

Exit codes: 0 the gateway runs and answers, 1 it does not, 2 the command was not understood.";

/// See the gateway, its agents, model, chat platforms, sessions and files on one screen
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct StatusArgs {
    /// Tell all there is, and what homard doctor would say
    #[arg(long)]
    all: bool,
    /// Ask every chat platform now
    #[arg(long)]
    deep: bool,
    /// Also tell what models cost
    #[arg(long)]
    usage: bool,
    #[command(flatten)]
    reach: ConnectArgs,
}

/// What a running gateway told.
struct Told {
    url: String,
    server: Value,
    uptime_ms: u64,
    model_is_configured: bool,
    paths: (Option<String>, Option<String>),
    status: Value,
    agents: AgentsListResult,
    /// What waits for a yes, in a line each.
    approvals: Vec<String>,
    health: Option<Value>,
    usage: Option<Value>,
}

/// Runs the command.
///
/// # Errors
/// When there is no gateway or it does not answer.
pub(crate) async fn run(cx: &Cx, args: &StatusArgs) -> anyhow::Result<()> {
    let told = ask(cx, args).await;
    let is_elsewhere = args.reach.target.is_elsewhere(cx);
    // Of a machine elsewhere only its gateway can speak.
    let local = match (&told, args.all) {
        (Err(_), _) | (Ok(_), true) if !is_elsewhere => Some(Local::look(cx).await),
        _ => None,
    };
    if args.reach.json {
        let mut value = match &told {
            Ok(told) => in_json(told),
            Err(error) => json!({"ok": false, "url": url(cx, args), "error": error.to_string()}),
        };
        if let (Some(fields), Some(local)) = (value.as_object_mut(), &local) {
            fields.insert("local".to_owned(), local.in_json());
        }
        cx.console.json(&value)?;
        return if told.is_ok() { Ok(()) } else { Err(AlreadyTold.into()) };
    }
    match (told, local) {
        (Ok(told), local) => {
            cx.console.line(
                &cx.console.mark(Mark::Strong, &format!("Homard {}", text(&told.server, "/version"))),
            )?;
            print(cx, &rows(cx, &told, args))?;
            local.map_or(Ok(()), |local| local.tell_problems(cx))
        }
        (Err(error), Some(local)) => {
            local.tell(cx, url(cx, args).as_deref(), &error)?;
            Err(AlreadyTold.into())
        }
        (Err(error), None) => Err(error),
    }
}

fn url(cx: &Cx, args: &StatusArgs) -> Option<String> {
    connection::route(cx, &args.reach.target).ok().map(|route| route.url)
}

async fn ask(cx: &Cx, args: &StatusArgs) -> anyhow::Result<Told> {
    let url = connection::route(cx, &args.reach.target)?.url;
    let client = args.reach.connect(cx).await?;
    let hello = client.hello().clone();
    let deep = args.deep || args.all;
    let health = match deep {
        true => client
            .call::<Health>(&HealthParams { probe: Some(args.deep), ..HealthParams::default() })
            .await
            .ok(),
        false => None,
    };
    let told = Told {
        url,
        server: serde_json::to_value(&hello.server)?,
        uptime_ms: hello.snapshot.uptime_ms,
        model_is_configured: hello.snapshot.session_defaults.model_configured,
        paths: (hello.snapshot.config_path.clone(), hello.snapshot.state_dir.clone()),
        status: client.call::<Status>(&NoParams {}).await?,
        agents: client.call::<AgentsList>(&NoParams {}).await?,
        approvals: approvals(&client).await,
        health,
        usage: if args.usage || args.all { usage(&client).await } else { None },
    };
    client.close().await;
    Ok(told)
}

/// What waits for a yes. Who may not answer questions is not told about them.
async fn approvals(client: &Client) -> Vec<String> {
    let waiting = questions::pending(client).await.unwrap_or_default();
    waiting.iter().map(|asked| homard_runtime::brief(&asked.what, 60)).collect()
}

async fn usage(client: &Client) -> Option<Value> {
    let span = UsageSpan { days: Some(DAYS), ..UsageSpan::default() };
    let cost =
        client.call::<UsageCost>(&UsageCostParams { span, ..UsageCostParams::default() }).await.ok()?;
    serde_json::to_value(cost.totals).ok()
}

fn in_json(told: &Told) -> Value {
    json!({
        "ok": true, "url": told.url, "server": told.server, "uptimeMs": told.uptime_ms,
        "agents": told.agents, "status": told.status, "channels": told.status.get("channelSummary"),
        "approvals": told.approvals, "health": told.health, "usage": told.usage,
    })
}

fn text<'a>(value: &'a Value, path: &str) -> &'a str {
    value.pointer(path).and_then(Value::as_str).unwrap_or_default()
}

fn rows(cx: &Cx, told: &Told, args: &StatusArgs) -> Vec<(&'static str, Vec<String>)> {
    let status = &told.status;
    let number = |path| status.pointer(path).and_then(Value::as_u64);
    let process = number("/pid").map_or_else(String::new, |pid| format!(", process {pid}"));
    let agents = &told.agents;
    let named: Vec<String> =
        agents.agents.iter().map(|agent| named(agent.id == agents.default_id, agent.id.as_str())).collect();
    let local = |given: &Option<String>, own: &std::path::Path| {
        given.clone().unwrap_or_else(|| own.display().to_string())
    };
    let mut rows = vec![
        ("gateway", vec![format!("{}{process}", told.url)]),
        ("uptime", vec![words::span(told.uptime_ms)]),
        ("agents", vec![named.join(", ")]),
        ("model", vec![model(told)]),
        ("sessions", vec![number("/sessions/count").unwrap_or(0).to_string()]),
        ("channels", channels(status)),
        ("waiting", waiting(&told.approvals)),
        ("owner", vec![owners(status)]),
        ("config", vec![local(&told.paths.0, &cx.source.paths.config_path)]),
        ("state", vec![local(&told.paths.1, &cx.source.paths.state_dir)]),
    ];
    if args.all {
        rows.push(("recent", recent(status)));
        rows.push(("working", vec![words::count(number("/tasks/active").unwrap_or(0), "run")]));
        rows.push(("connected", vec![words::count(number("/connections").unwrap_or(0), "client")]));
    }
    if let Some(health) = &told.health {
        let is_well = health.get("ok") == Some(&Value::Bool(true));
        rows.push((
            "health",
            vec![if is_well { "ok" } else { "not well; homard health --json says more" }.to_owned()],
        ));
    }
    if let Some(usage) = &told.usage {
        rows.push(("usage", vec![spent(usage)]));
    }
    rows
}

fn model(told: &Told) -> String {
    let default = told.agents.agents.iter().find(|agent| agent.id == told.agents.default_id);
    let model = default.map(|agent| agent.model.primary.clone()).filter(|model| !model.is_empty());
    let fallback =
        || Some(text(&told.status, "/sessions/defaults/model").to_owned()).filter(|model| !model.is_empty());
    let model = model.or_else(fallback).unwrap_or_else(|| "none".into());
    if told.model_is_configured { model } else { format!("{model} (no model is configured yet)") }
}

fn channels(status: &Value) -> Vec<String> {
    let lines = status.get("channelSummary").and_then(Value::as_array).into_iter().flatten();
    let lines: Vec<String> = lines.filter_map(Value::as_str).map(str::to_owned).collect();
    if lines.is_empty() { vec!["none; homard channels add connects one".to_owned()] } else { lines }
}

fn waiting(approvals: &[String]) -> Vec<String> {
    if approvals.is_empty() {
        return vec!["nothing".to_owned()];
    }
    let count = words::count(u64::try_from(approvals.len()).unwrap_or(0), "question");
    let first = format!("{count} for your yes; homard approvals pending shows them");
    std::iter::once(first).chain(approvals.iter().cloned()).collect()
}

fn recent(status: &Value) -> Vec<String> {
    let rows = status.pointer("/sessions/recent").and_then(Value::as_array).into_iter().flatten();
    let line = |row: &Value| {
        let age = row.get("age").and_then(Value::as_u64).unwrap_or(0);
        format!("{} ({} ago)", text(row, "/key"), words::span(age))
    };
    let lines: Vec<String> = rows.map(line).collect();
    if lines.is_empty() { vec!["none yet".to_owned()] } else { lines }
}

fn spent(usage: &Value) -> String {
    let calls = usage.get("calls").and_then(Value::as_u64).unwrap_or(0);
    let tokens = usage.get("totalTokens").and_then(Value::as_u64).unwrap_or(0);
    let cost = usage.get("totalCost").and_then(Value::as_f64).unwrap_or(0.0);
    let has_unknown = usage.get("missingCostEntries").and_then(Value::as_u64).unwrap_or(0) > 0;
    let cost = match has_unknown {
        true if cost <= 0.0 => "cost unknown".to_owned(),
        true => format!("${cost:.2} and what calls without a price cost"),
        false => format!("${cost:.2}"),
    };
    format!("{}, {} tokens, {cost} in {DAYS} days", words::count(calls, "call"), words::tokens(tokens))
}

/// Names and values, each value on lines of its own that keep to their column.
fn print(cx: &Cx, rows: &[(&str, Vec<String>)]) -> anyhow::Result<()> {
    let column = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0) + 2;
    for (name, values) in rows {
        let lines =
            values.iter().flat_map(|value| homard_doctor::wrapped(value, width().saturating_sub(column), 0));
        for (at, line) in lines.enumerate() {
            let name = if at == 0 { name } else { "" };
            cx.console.line(format!("{name:column$}{line}").trim_end())?;
        }
    }
    Ok(())
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
