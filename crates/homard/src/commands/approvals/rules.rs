//! The rules: which commands agents may run, and whether you are asked. They are changed through the gateway, or in
//! the file itself where there is none.

use std::io::Read as _;
use std::path::PathBuf;

use anyhow::Context as _;
use clap::{Args, Subcommand};
use homard_client::Client;
use homard_exec::approvals::{PolicyFile, PolicyStore};
use homard_protocol::DeviceId;
use homard_protocol::method::NoParams;
use homard_protocol::methods::approvals::exec_policy::{
    ExecApprovalsGet, ExecApprovalsSet, ExecApprovalsSetParams, ExecApprovalsSnapshot,
};
use homard_protocol::methods::nodes::exec_policy::{
    ExecApprovalsNodeGet, ExecApprovalsNodeSet, ExecApprovalsNodeSetParams,
};
use homard_protocol::methods::nodes::{NodeList, NodeParams};
use homard_runtime::brief;
use serde_json::{Map, Value, json};

use crate::commands::Cx;
use crate::commands::connection::{self, Patience, Target};
use crate::commands::machines::nodes;
use crate::commands::table::table;
use crate::report::Advice;

/// Longest text of a rule that is shown.
const SHOWN_CHARS: usize = 60;
#[derive(Subcommand)]
pub(super) enum RulesCommand {
    /// Print the rules
    Get(GetArgs),
    /// Replace the rules
    Set(SetArgs),
    /// Change the list of programs that may run
    Allowlist(AllowlistArgs),
}

/// Which rules are meant.
#[derive(Args)]
struct Place {
    /// Read and write the file itself, without a gateway
    #[arg(long, conflicts_with_all = ["url", "token", "password"])]
    local: bool,
    /// The rules a node keeps itself: its id, the beginning of it, its name or its address
    #[arg(long, value_name = "NODE", conflicts_with = "local")]
    node: Option<String>,
    /// The rules of the gateway's machine (the default)
    #[arg(long, conflicts_with_all = ["local", "node"])]
    gateway: bool,
    #[command(flatten)]
    target: Target,
    #[command(flatten)]
    patience: Patience,
}

#[derive(Args)]
pub(super) struct GetArgs {
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    place: Place,
}

#[derive(Args)]
pub(super) struct SetArgs {
    /// The file with the new rules
    #[arg(long, value_name = "PATH", conflicts_with = "stdin", required_unless_present = "stdin")]
    file: Option<PathBuf>,
    /// Read them from standard input
    #[arg(long)]
    stdin: bool,
    #[command(flatten)]
    place: Place,
}

#[derive(Args)]
pub(super) struct AllowlistArgs {
    #[command(subcommand)]
    command: AllowlistCommand,
}

#[derive(Subcommand)]
enum AllowlistCommand {
    /// Let a program run without asking
    Add(RuleArgs),
    /// Take a rule out again
    Remove(RuleArgs),
}

#[derive(Args)]
struct RuleArgs {
    /// The program's path, where `*` stands for a name and `**` for any folders; or a rule's id, to remove it
    pattern: String,
    /// Whose rule it is; `*` is everybody
    #[arg(long, value_name = "ID", default_value = "main")]
    agent: String,
    #[command(flatten)]
    place: Place,
}

/// Runs the command.
///
/// # Errors
/// When the rules cannot be read or changed.
pub(super) async fn run(cx: &Cx, command: RulesCommand) -> anyhow::Result<()> {
    match command {
        RulesCommand::Get(args) => {
            let desk = Desk::open(cx, &args.place).await?;
            let rules = desk.get().await?;
            desk.close().await;
            if args.json { Ok(cx.console.json(&rules)?) } else { show(cx, &rules) }
        }
        RulesCommand::Set(args) => {
            let text = match &args.file {
                Some(path) => std::fs::read_to_string(path)
                    .with_context(|| format!("could not read `{}`", path.display()))?,
                None => {
                    let mut text = String::new();
                    std::io::stdin().read_to_string(&mut text).context("could not read standard input")?;
                    text
                }
            };
            let file: Value = serde_json::from_str(&text).context("the rules are not JSON")?;
            let desk = Desk::open(cx, &args.place).await?;
            let before = desk.get().await?;
            let after = desk.set(file, before.hash).await?;
            desk.close().await;
            Ok(cx.console.line(&format!("replaced the rules in {}", after.path))?)
        }
        RulesCommand::Allowlist(args) => match args.command {
            AllowlistCommand::Add(rule) => add(cx, rule).await,
            AllowlistCommand::Remove(rule) => remove(cx, rule).await,
        },
    }
}

async fn add(cx: &Cx, rule: RuleArgs) -> anyhow::Result<()> {
    let pattern = rule.pattern.trim().to_owned();
    let entry = json!({"id": uuid::Uuid::new_v4().to_string(), "pattern": pattern});
    let changed = change(cx, &rule.place, |file| usize::from(file.add(&rule.agent, entry))).await?;
    let agent = &rule.agent;
    cx.console.line(&match changed {
        0 => format!("`{pattern}` is on the list of {agent} already"),
        _ => format!("added `{pattern}` to the list of {agent}"),
    })?;
    Ok(())
}

async fn remove(cx: &Cx, rule: RuleArgs) -> anyhow::Result<()> {
    let removed = change(cx, &rule.place, |file| file.remove(&rule.agent, rule.pattern.trim())).await?;
    if removed == 0 {
        return Err(Advice::error(
            format!("there is no rule `{}` on the list of {}", rule.pattern, rule.agent),
            "see the rules with `homard approvals get`",
        ));
    }
    cx.console.line(&format!("removed `{}` from the list of {}", rule.pattern, rule.agent))?;
    Ok(())
}

/// Reads, changes and writes the rules if there is something to write; answers what `edit` said.
async fn change(
    cx: &Cx,
    place: &Place,
    edit: impl FnOnce(&mut PolicyFile) -> usize,
) -> anyhow::Result<usize> {
    let desk = Desk::open(cx, place).await?;
    let before = desk.get().await?;
    let mut file = PolicyFile::from_value(before.file).context("the gateway's answer has no rules")?;
    let changed = edit(&mut file);
    if changed > 0 {
        desk.set(file.to_value(), before.hash).await?;
    }
    desk.close().await;
    Ok(changed)
}

/// Where the rules are.
enum Desk {
    Gateway(Box<Client>),
    /// On a node, asked through the gateway.
    Node(Box<Client>, DeviceId),
    File(PolicyStore),
}

impl Desk {
    async fn open(cx: &Cx, place: &Place) -> anyhow::Result<Self> {
        if place.local {
            return Ok(Self::File(PolicyStore::new(cx.source.paths.exec_approvals())));
        }
        let connected = connection::connect(cx, &place.target, place.patience.limit()).await;
        let client = connected.map_err(|error| match connection::is_not_running(&error) {
            true => Advice::error(
                error.to_string(),
                "start it with `homard gateway`; with --local this works on the file itself, without a gateway",
            ),
            false => error,
        });
        let client = Box::new(client?);
        let Some(node) = &place.node else { return Ok(Self::Gateway(client)) };
        let known = client.call::<NodeList>(&NoParams {}).await?;
        let id = nodes::meant(&known.nodes, node)?.node_id.clone();
        Ok(Self::Node(client, id))
    }

    async fn get(&self) -> anyhow::Result<ExecApprovalsSnapshot> {
        match self {
            Self::Gateway(client) => Ok(client.call::<ExecApprovalsGet>(&NoParams {}).await?),
            Self::Node(client, node_id) => {
                let params = NodeParams { node_id: node_id.clone() };
                read(client.call::<ExecApprovalsNodeGet>(&params).await?)
            }
            Self::File(store) => Ok(homard_gateway::exec_policy_snapshot(store.path(), &store.load()?)),
        }
    }

    async fn set(&self, file: Value, base_hash: String) -> anyhow::Result<ExecApprovalsSnapshot> {
        match self {
            Self::Gateway(client) => {
                let params = ExecApprovalsSetParams { file, base_hash: Some(base_hash) };
                Ok(client.call::<ExecApprovalsSet>(&params).await?)
            }
            Self::Node(client, node_id) => {
                let rest =
                    Map::from_iter([("file".to_owned(), file), ("baseHash".to_owned(), json!(base_hash))]);
                let params = ExecApprovalsNodeSetParams { node_id: node_id.clone(), rest };
                read(client.call::<ExecApprovalsNodeSet>(&params).await?)
            }
            Self::File(store) => {
                let file = PolicyFile::from_value(file).context("the rules are not an object")?;
                let loaded = store.replace(file, Some(&base_hash))?;
                Ok(homard_gateway::exec_policy_snapshot(store.path(), &loaded))
            }
        }
    }

    async fn close(self) {
        match self {
            Self::Gateway(client) | Self::Node(client, _) => client.close().await,
            Self::File(_) => {}
        }
    }
}

/// The rules as a node told them.
fn read(told: Value) -> anyhow::Result<ExecApprovalsSnapshot> {
    homard_runtime::json::from_value(told).context("the node's answer cannot be read as rules")
}

fn show(cx: &Cx, rules: &ExecApprovalsSnapshot) -> anyhow::Result<()> {
    let defaults = &rules.resolved_defaults;
    let there = if rules.exists { "" } else { " (not there yet)" };
    cx.console.line(&format!("file      {}{there}", rules.path))?;
    cx.console.line(&format!("security  {}", defaults.security))?;
    cx.console.line(&format!("ask       {}, otherwise {}", defaults.ask, defaults.ask_fallback))?;
    let rows = rows(&rules.file);
    if rows.is_empty() {
        cx.console.note("no program is on a list; add one with `homard approvals allowlist add PATH`");
        return Ok(());
    }
    Ok(cx.console.table(&table(&["AGENT", "PROGRAM", "ALLOWED BY", "WHERE", "ID"], &rows))?)
}

fn rows(file: &Value) -> Vec<Vec<String>> {
    let agents = file.get("agents").and_then(Value::as_object);
    let mut rows = Vec::new();
    for (agent, section) in agents.into_iter().flatten() {
        for entry in section.get("allowlist").and_then(Value::as_array).into_iter().flatten() {
            let text = |name: &str| entry.get(name).and_then(Value::as_str).unwrap_or_default();
            let pattern = entry.as_str().unwrap_or_else(|| text("pattern"));
            let origin =
                if text("commandText").is_empty() { "the whole program" } else { text("commandText") };
            rows.push(vec![
                agent.clone(),
                brief(pattern, SHOWN_CHARS),
                brief(origin, SHOWN_CHARS),
                brief(if text("cwd").is_empty() { "anywhere" } else { text("cwd") }, SHOWN_CHARS),
                text("id").to_owned(),
            ]);
        }
    }
    rows
}
