//! Asking a node: a command by its name, a notification, and what every other way of asking shares.

use std::time::Duration;

use anyhow::Context;
use clap::Args;
use homard_protocol::method::NoParams;
use homard_protocol::methods::nodes::NodeList;
use homard_protocol::methods::nodes::invoke::{NodeInvoke, NodeInvokeParams};
use serde_json::{Map, Value, json};

use super::resolve::{name_of, node};
use crate::commands::Cx;
use crate::commands::connection::{self, ConnectArgs};
use crate::report::Advice;

/// What a node is given beyond its own time before the answer is given up.
const GRACE: Duration = Duration::from_secs(10);
/// How long a node may take unless somebody says otherwise.
pub(super) const USUAL_MS: u64 = 15_000;
/// The command that runs programs.
const RUN: &str = "system.run";

#[derive(Args)]
pub(super) struct InvokeArgs {
    /// Which node: its id, the beginning of it, its name or its address
    #[arg(long)]
    node: String,
    /// Which of its commands
    #[arg(long)]
    command: String,
    /// What the command is given, as a JSON object
    #[arg(long, value_name = "JSON", default_value = "{}")]
    params: String,
    /// How long the node may take, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = USUAL_MS)]
    invoke_timeout: u64,
    /// Repeating a command with the same key runs it once
    #[arg(long, value_name = "KEY")]
    idempotency_key: Option<String>,
    #[command(flatten)]
    reach: ConnectArgs,
}

#[derive(Args)]
pub(super) struct NotifyArgs {
    /// Which node: its id, the beginning of it, its name or its address
    #[arg(long)]
    node: String,
    /// The first line
    #[arg(long, required_unless_present = "body")]
    title: Option<String>,
    /// The rest
    #[arg(long)]
    body: Option<String>,
    /// A sound the node knows
    #[arg(long)]
    sound: Option<String>,
    /// How much it may disturb
    #[arg(long, value_parser = ["passive", "active", "timeSensitive"])]
    priority: Option<String>,
    /// How it is shown
    #[arg(long, value_parser = ["system", "overlay", "auto"])]
    delivery: Option<String>,
    #[command(flatten)]
    reach: ConnectArgs,
}

/// A command for a node.
pub(super) struct Wanted<'a> {
    pub(super) node: &'a str,
    pub(super) command: &'a str,
    pub(super) params: Value,
    pub(super) timeout_ms: u64,
    pub(super) key: Option<String>,
}

/// What a node answered, and what people call it.
pub(super) struct Answered {
    pub(super) name: String,
    pub(super) payload: Value,
    /// The whole answer, for programs.
    pub(super) whole: Value,
}

impl<'a> Wanted<'a> {
    /// A command in the usual time; what is `null` is left out.
    pub(super) fn of(node: &'a str, command: &'a str, params: Value) -> Self {
        let mut params = params;
        if let Some(fields) = params.as_object_mut() {
            fields.retain(|_, value| !value.is_null());
        }
        Self { node, command, params, timeout_ms: USUAL_MS, key: None }
    }
}

/// Has a node run a command and waits for its answer.
pub(super) async fn ask(cx: &Cx, reach: &ConnectArgs, wanted: Wanted<'_>) -> anyhow::Result<Answered> {
    let all = Duration::from_millis(wanted.timeout_ms).saturating_add(GRACE);
    let client = connection::connect(cx, &reach.target, reach.patience.limit().max(all)).await?;
    let known = client.call::<NodeList>(&NoParams {}).await?;
    let which = node(&known.nodes, wanted.node)?;
    let params = NodeInvokeParams {
        node_id: which.node_id.clone(),
        command: wanted.command.to_owned(),
        params: Some(wanted.params),
        timeout_ms: Some(wanted.timeout_ms),
        idempotency_key: wanted.key.unwrap_or_else(|| uuid::Uuid::new_v4().to_string()),
        session_key: None,
        turn_source_channel: None,
        turn_source_to: None,
        turn_source_account_id: None,
        turn_source_thread_id: None,
    };
    let done = client.call::<NodeInvoke>(&params).await?;
    client.close().await;
    let whole = serde_json::to_value(&done)?;
    Ok(Answered { name: name_of(which), payload: done.payload, whole })
}

/// Prints an answer as it is.
pub(super) fn tell(cx: &Cx, reach: &ConnectArgs, answered: &Answered) -> anyhow::Result<()> {
    match &answered.payload {
        _ if reach.json => Ok(cx.console.json(&answered.whole)?),
        Value::Null => Ok(cx.console.line("done")?),
        payload => Ok(cx.console.json(payload)?),
    }
}

pub(super) async fn invoke(cx: &Cx, args: &InvokeArgs) -> anyhow::Result<()> {
    if args.command.trim() == RUN {
        return Err(Advice::error(
            "programs do not run on a node this way",
            "ask the assistant: it runs them with `exec` and host=node, under the rules for commands",
        ));
    }
    let params: Map<String, Value> =
        serde_json::from_str(&args.params).context("`--params` must be a JSON object")?;
    let wanted = Wanted {
        node: &args.node,
        command: args.command.trim(),
        params: Value::Object(params),
        timeout_ms: args.invoke_timeout,
        key: args.idempotency_key.clone(),
    };
    let answered = ask(cx, &args.reach, wanted).await?;
    tell(cx, &args.reach, &answered)
}

pub(super) async fn notify(cx: &Cx, args: &NotifyArgs) -> anyhow::Result<()> {
    let params = json!({
        "title": args.title, "body": args.body, "sound": args.sound,
        "priority": args.priority, "delivery": args.delivery,
    });
    let answered = ask(cx, &args.reach, Wanted::of(&args.node, "system.notify", params)).await?;
    tell(cx, &args.reach, &answered)
}
