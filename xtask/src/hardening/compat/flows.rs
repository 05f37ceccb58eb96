//! The flows: what people do with the client, each as a short play on a stage of its own.

use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use serde_json::{Value, json};

use super::stage::{GLANCE, LAST_WORD, Stage};
use super::{page, sdks, terminal};

/// How long a node may take to be connected: its first start in a fresh home takes half a minute, minutes on a busy machine, and
/// looking for it starts a client each time.
const NODE_WITHIN: Duration = Duration::from_secs(240);

/// One thing people do with the client.
#[derive(Debug)]
pub(super) struct Flow {
    pub(super) name: &'static str,
    /// Does it; an error says what was missing.
    pub(super) play: fn(&mut Stage<'_>) -> Result<()>,
}

/// All of them, in the order of the table.
pub(super) const FLOWS: [Flow; 24] = [
    Flow { name: "health", play: health },
    Flow { name: "status", play: status },
    Flow { name: "agent", play: agent },
    Flow { name: "sessions", play: sessions },
    Flow { name: "models", play: models },
    Flow { name: "cron list", play: cron_list },
    Flow { name: "cron add run rm", play: cron_jobs },
    Flow { name: "channels", play: channels },
    Flow { name: "config", play: config },
    Flow { name: "logs", play: logs },
    Flow { name: "devices list", play: devices_list },
    Flow { name: "devices approve", play: devices_approve },
    Flow { name: "nodes list", play: nodes_list },
    Flow { name: "nodes invoke", play: nodes_invoke },
    Flow { name: "approvals", play: approvals },
    Flow { name: "gateway call", play: gateway_call },
    Flow { name: "refusals", play: refusals },
    Flow { name: "tui", play: terminal::tui },
    Flow { name: "tui commands", play: terminal::tui_commands },
    Flow { name: "node run", play: node_run },
    Flow { name: "control ui", play: page::control_ui },
    Flow { name: "control ui pages", play: page::control_ui_pages },
    Flow { name: "openai python", play: sdks::python },
    Flow { name: "openai node", play: sdks::node },
];

fn health(stage: &mut Stage<'_>) -> Result<()> {
    stage.ask(&["health"])?;
    let told = json_of(&stage.ask(&["health", "--json"])?)?;
    expect(&told, "/ok", &json!(true))
}

fn status(stage: &mut Stage<'_>) -> Result<()> {
    let port = stage.address.port().to_string();
    stage.shows(&["status"], &port)?;
    let told = json_of(&stage.ask(&["status", "--json"])?)?;
    expect(&told, "/gateway/reachable", &json!(true))
}

fn agent(stage: &mut Stage<'_>) -> Result<()> {
    stage.shows(&["agent", "--agent", "main", "--message", "hello"], LAST_WORD)?;
    let told = json_of(&stage.ask(&["agent", "--agent", "main", "--message", "again", "--json"])?)?;
    expect(&told, "/status", &json!("ok"))
}

/// This command reads the client's own files only; it must not trip over having spoken with us.
fn sessions(stage: &mut Stage<'_>) -> Result<()> {
    stage.ask(&["agent", "--agent", "main", "--message", "hello"])?;
    json_of(&stage.ask(&["sessions", "--json"])?)?;
    let listed = call(stage, "sessions.list", &json!({}))?;
    expect(&listed, "/sessions/0/key", &json!("agent:main:main"))
}

fn models(stage: &mut Stage<'_>) -> Result<()> {
    stage.shows(&["models", "list"], "fake/fake-1")?;
    let listed = call(stage, "models.list", &json!({}))?;
    let known = listed.get("models").and_then(Value::as_array).into_iter().flatten();
    let known: Vec<&Value> = known.filter_map(|model| model.get("id")).collect();
    if !known.contains(&&json!("fake-1")) {
        bail!("`models.list` does not list the fake model; it lists {known:?}");
    }
    Ok(())
}

fn cron_list(stage: &mut Stage<'_>) -> Result<()> {
    stage.ask(&["cron", "list"])?;
    let listed = json_of(&stage.ask(&["cron", "list", "--json"])?)?;
    expect(&listed, "/jobs", &json!([]))?;
    stage.ask(&["cron", "status"]).map(|_| ())
}

fn cron_jobs(stage: &mut Stage<'_>) -> Result<()> {
    let added = json_of(&stage.ask(&[
        "cron",
        "add",
        "--name",
        "remind",
        "--every",
        "1h",
        "--session",
        "isolated",
        "--message",
        "hello",
        "--no-deliver",
        "--json",
    ])?)?;
    let id = text_at(&added, "/id")?;
    stage.shows(&["cron", "list"], "remind")?;
    stage.ask(&["cron", "run", &id])?;
    stage.ask(&["cron", "rm", &id])?;
    let listed = json_of(&stage.ask(&["cron", "list", "--json"])?)?;
    expect(&listed, "/jobs", &json!([]))
}

fn channels(stage: &mut Stage<'_>) -> Result<()> {
    stage.shows(&["channels", "status"], "reachable")?;
    json_of(&stage.ask(&["channels", "status", "--json"])?)?;
    let told = call(stage, "channels.status", &json!({}))?;
    expect(&told, "/channelOrder", &json!([]))
}

fn config(stage: &mut Stage<'_>) -> Result<()> {
    let port = stage.address.port().to_string();
    stage.shows(&["config", "get", "gateway.port"], &port)?;
    let told = call(stage, "config.get", &json!({}))?;
    expect(&told, "/valid", &json!(true))
}

fn logs(stage: &mut Stage<'_>) -> Result<()> {
    stage.ask(&["health"])?;
    stage.shows(&["logs", "--limit", "20", "--json"], "\"type\":\"log\"")
}

fn devices_list(stage: &mut Stage<'_>) -> Result<()> {
    json_of(&stage.ask(&["devices", "list", "--json"])?)?;
    stage.ask(&["devices", "list"]).map(|_| ())
}

/// A node is a device that asks; the person at the client lets it in.
/// A node on the gateway's own machine is let in unasked unless the owner wants to be asked.
fn devices_approve(stage: &mut Stage<'_>) -> Result<()> {
    let before = call(stage, "config.get", &json!({}))?;
    let wish = json!({"gateway": {"nodes": {"pairing": {"autoApproveLocal": false}}}});
    let patch = json!({"raw": wish.to_string(), "baseHash": text_at(&before, "/hash")?});
    call(stage, "config.patch", &patch)?;
    start_node(stage)?;
    until_asking(stage)?;
    let waiting = call(stage, "device.pair.list", &json!({}))?;
    stage.ask(&["devices", "approve", &text_at(&waiting, "/pending/0/requestId")?])?;
    stage.shows(&["devices", "list"], "node")
}

fn nodes_list(stage: &mut Stage<'_>) -> Result<()> {
    let listed = json_of(&stage.ask(&["nodes", "list", "--json"])?)?;
    expect(&listed, "/pending", &json!([]))?;
    stage.ask(&["nodes", "status"]).map(|_| ())
}

/// What a node offers needs a yes, before it can be asked anything.
fn nodes_invoke(stage: &mut Stage<'_>) -> Result<()> {
    start_node(stage)?;
    until_connected(stage)?;
    stage.shows(&["nodes", "pending"], "compat")?;
    let pending = call(stage, "node.pair.list", &json!({}))?;
    stage.ask(&["nodes", "approve", &text_at(&pending, "/pending/0/requestId")?])?;
    stage.shows(&["nodes", "status"], "compat")?;
    stage.shows(&["nodes", "describe", "--node", "compat"], "system.which")?;
    stage.shows(
        &[
            "nodes",
            "invoke",
            "--node",
            "compat",
            "--command",
            "system.which",
            "--params",
            "{\"bins\":[\"sh\"]}",
        ],
        "/sh",
    )
}

fn node_run(stage: &mut Stage<'_>) -> Result<()> {
    start_node(stage)?;
    until_connected(stage)
}

fn approvals(stage: &mut Stage<'_>) -> Result<()> {
    stage.ask(&["approvals", "get", "--gateway"])?;
    let rules = json!({"version": 1, "defaults": {"security": "allowlist", "ask": "always"}, "agents": {}});
    let file = stage.file("rules.json", &rules.to_string())?;
    stage.ask(&["approvals", "set", "--gateway", "--file", &file.display().to_string()])?;
    let told = json_of(&stage.ask(&["approvals", "get", "--gateway", "--json"])?)?;
    expect(&told, "/file/defaults/ask", &json!("always"))
}

fn gateway_call(stage: &mut Stage<'_>) -> Result<()> {
    let told = call(stage, "agents.list", &json!({}))?;
    expect(&told, "/defaultId", &json!("main"))
}

/// Clients read some refusals: a change of a file that is no longer the one they know.
fn refusals(stage: &mut Stage<'_>) -> Result<()> {
    let stale = json!({"raw": "{}", "baseHash": "0"});
    let Err(refused) = call(stage, "config.patch", &stale) else { bail!("a stale change was taken") };
    let words = format!("{refused:#}");
    if words.contains("config changed since last load") { Ok(()) } else { bail!("{words}") }
}

fn start_node(stage: &mut Stage<'_>) -> Result<()> {
    let port = stage.address.port().to_string();
    stage.stays(&["node", "run", "--host", "127.0.0.1", "--port", &port, "--display-name", "compat"])
}

fn until_asking(stage: &Stage<'_>) -> Result<()> {
    let begun = Instant::now();
    while begun.elapsed() < NODE_WITHIN {
        let devices = call(stage, "device.pair.list", &json!({}))?;
        if devices.pointer("/pending/0").is_some() {
            return Ok(());
        }
        std::thread::sleep(GLANCE);
    }
    bail!("the node did not ask to be let in within {} s", NODE_WITHIN.as_secs())
}

fn until_connected(stage: &Stage<'_>) -> Result<()> {
    let begun = Instant::now();
    while begun.elapsed() < NODE_WITHIN {
        let listed = call(stage, "node.list", &json!({}))?;
        if listed.pointer("/nodes/0/connected") == Some(&json!(true)) {
            return Ok(());
        }
        std::thread::sleep(GLANCE);
    }
    bail!("the node was not connected within {} s; it said: {}", NODE_WITHIN.as_secs(), stage.said())
}

/// `gateway call`, the client's way to call any method.
fn call(stage: &Stage<'_>, method: &str, params: &Value) -> Result<Value> {
    json_of(&stage.ask(&["gateway", "call", method, "--params", &params.to_string(), "--json"])?)
}

/// The JSON in what a command printed, after whatever it said first.
pub(super) fn json_of(text: &str) -> Result<Value> {
    let starts = text.char_indices().filter(|(_, c)| matches!(c, '{' | '[')).map(|(at, _)| at);
    let found = starts
        .filter_map(|at| text.get(at..))
        .find_map(|rest| serde_json::Deserializer::from_str(rest).into_iter::<Value>().next()?.ok());
    found.with_context(|| format!("no JSON in: {}", text.trim()))
}

fn text_at(value: &Value, pointer: &str) -> Result<String> {
    let found = value.pointer(pointer).and_then(Value::as_str);
    Ok(found.with_context(|| format!("no `{pointer}` in {value}"))?.to_owned())
}

fn expect(value: &Value, pointer: &str, wanted: &Value) -> Result<()> {
    match value.pointer(pointer) {
        Some(found) if found == wanted => Ok(()),
        found => bail!("`{pointer}` is {} instead of {wanted}", found.unwrap_or(&Value::Null)),
    }
}
