//! `homard agents`: who answers. `bindings` says which messages go to whom, `identity` who they are to people; both are
//! written into the configuration and need no gateway.

mod bindings;
mod identity;

use clap::{Args, Subcommand};
use homard_protocol::AgentId;
use homard_protocol::method::NoParams;
use homard_protocol::methods::agents::{
    AgentsCreate, AgentsCreateParams, AgentsDelete, AgentsDeleteParams, RemovalMethod,
};
use homard_protocol::methods::chat::agent::{AgentSummary, AgentsList};
use homard_protocol::methods::config::ConfigGet;
use serde_json::Value;

use crate::commands::connection::ConnectArgs;
use crate::commands::table::table;
use crate::commands::{Cx, terminal};
use crate::report::Advice;

const EXAMPLES: &str = "\
Examples:
  homard agents                        who answers, with which model, where
  homard agents add Work --model anthropic/claude-sonnet-4-5 --bind telegram:work
  homard agents bind --agent work --bind telegram:work
  homard agents bindings               which messages go to whom
  homard agents set-identity --agent work --name Clara --emoji 🦊
  homard agents set-identity --from-identity   what IDENTITY.md in the workspace says
  homard agents delete work            conversations and files can be brought back by hand

`homard route explain` says which agent would answer a message, and why.";

/// List agents, add one, take one away, say who they are and what they answer
#[derive(Args)]
#[command(after_help = EXAMPLES, args_conflicts_with_subcommands = true)]
pub(crate) struct AgentsArgs {
    #[command(subcommand)]
    command: Option<AgentsCommand>,
    #[command(flatten)]
    list: ListArgs,
}

#[derive(Subcommand)]
enum AgentsCommand {
    /// Show who answers
    List(ListArgs),
    /// Add an agent with a workspace of its own
    Add(AddArgs),
    /// Take an agent away; its folders go to the trash of the state folder
    Delete(DeleteArgs),
    /// Send messages of a platform or an account to an agent
    Bind(bindings::BindArgs),
    /// No longer do
    Unbind(bindings::UnbindArgs),
    /// Show which messages go to whom
    Bindings(bindings::BindingsArgs),
    SetIdentity(identity::IdentityArgs),
}

#[derive(Args)]
struct ListArgs {
    /// Also show which messages go to each
    #[arg(long)]
    bindings: bool,
    #[command(flatten)]
    reach: ConnectArgs,
}

#[derive(Args)]
struct AddArgs {
    /// Its name; the id is made from it
    name: String,
    /// Its folder; one is made in the state folder if absent
    #[arg(long, value_name = "DIR")]
    workspace: Option<String>,
    /// Its model, as provider/model
    #[arg(long, value_name = "MODEL")]
    model: Option<String>,
    /// Its sign
    #[arg(long)]
    emoji: Option<String>,
    /// Its picture: a file in the workspace, or an address
    #[arg(long, value_name = "PATH|URL")]
    avatar: Option<String>,
    /// Which messages go to it: a platform, or a platform and one of our accounts there; several times
    #[arg(long, value_name = "CHANNEL[:ACCOUNT]")]
    bind: Vec<String>,
    /// Ask nothing, as it never does
    #[arg(long, hide = true)]
    non_interactive: bool,
    #[command(flatten)]
    reach: ConnectArgs,
}

#[derive(Args)]
struct DeleteArgs {
    /// Its id
    id: AgentId,
    /// Leave its files where they are
    #[arg(long)]
    keep_files: bool,
    /// Ask nothing
    #[arg(long, short)]
    force: bool,
    #[command(flatten)]
    reach: ConnectArgs,
}

/// Runs the command.
///
/// # Errors
/// When there is no gateway or it refuses, or the configuration cannot be changed.
pub(crate) async fn run(cx: &Cx, args: AgentsArgs) -> anyhow::Result<()> {
    match args.command {
        None => list(cx, &args.list).await,
        Some(AgentsCommand::List(args)) => list(cx, &args).await,
        Some(AgentsCommand::Add(args)) => add(cx, args).await,
        Some(AgentsCommand::Delete(args)) => delete(cx, &args).await,
        Some(AgentsCommand::Bind(args)) => bindings::bind(cx, &args),
        Some(AgentsCommand::Unbind(args)) => bindings::unbind(cx, &args),
        Some(AgentsCommand::Bindings(args)) => bindings::list(cx, &args),
        Some(AgentsCommand::SetIdentity(args)) => identity::set(cx, args),
    }
}

async fn add(cx: &Cx, args: AddArgs) -> anyhow::Result<()> {
    let binds = bindings::read(&args.bind)?;
    if !binds.is_empty() && args.reach.target.is_elsewhere(cx) {
        return Err(Advice::error(
            "--bind writes into this machine's configuration, and the gateway is elsewhere",
            "leave it out, and use `homard agents bind` on the gateway's machine",
        ));
    }
    let client = args.reach.connect(cx).await?;
    let params = AgentsCreateParams {
        name: args.name,
        workspace: args.workspace,
        model: args.model,
        emoji: args.emoji,
        avatar: args.avatar,
    };
    let made = client.call::<AgentsCreate>(&params).await?;
    client.close().await;
    let (id, workspace) = (&made.agent_id, &made.workspace);
    let bound = if binds.is_empty() { None } else { Some(bindings::add(cx, id, binds)?) };
    if args.reach.json {
        let mut told = serde_json::to_value(&made)?;
        if let (Some(fields), Some(bound)) = (told.as_object_mut(), &bound) {
            fields.insert("bindings".to_owned(), bound.in_json());
        }
        return Ok(cx.console.json(&told)?);
    }
    cx.console.line(&format!("{id} works in {workspace}; `homard agent --agent {id} -m hello`"))?;
    bound.map_or(Ok(()), |bound| bound.tell(cx))
}

async fn delete(cx: &Cx, args: &DeleteArgs) -> anyhow::Result<()> {
    let id = &args.id;
    if !args.force && (args.reach.json || !terminal::is_manned()) {
        return Err(Advice::usage(
            format!("this would take {id} and its conversations away, and nobody can be asked"),
            format!("homard agents delete {id} --force"),
        ));
    }
    let is_sure = args.force
        || terminal::confirm(cx.console, &format!("Take {id} away? It can be brought back by hand only."))?;
    if !is_sure {
        cx.console.note("nothing was changed");
        return Ok(());
    }
    let client = args.reach.connect(cx).await?;
    let params = AgentsDeleteParams { agent_id: id.clone(), delete_files: args.keep_files.then_some(false) };
    let gone = client.call::<AgentsDelete>(&params).await?;
    client.close().await;
    if args.reach.json {
        return Ok(cx.console.json(&gone)?);
    }
    cx.console.line(&format!("{} is gone", gone.agent_id))?;
    for folder in gone.removed.iter().flatten().filter(|folder| folder.method == RemovalMethod::Trash) {
        cx.console.line(&format!("{} is in the trash of the state folder", folder.path))?;
    }
    for folder in gone.failed.iter().flatten() {
        cx.console.warn(&format!("{}: {}", folder.path, folder.reason));
    }
    Ok(())
}

async fn list(cx: &Cx, args: &ListArgs) -> anyhow::Result<()> {
    let client = args.reach.connect(cx).await?;
    let roster = client.call::<AgentsList>(&NoParams {}).await?;
    let routes = match args.bindings {
        true => Some(bindings::written(&client.call::<ConfigGet>(&NoParams {}).await?.parsed)),
        false => None,
    };
    client.close().await;
    if args.reach.json {
        let mut told = serde_json::to_value(&roster)?;
        if let (Some(fields), Some(routes)) = (told.as_object_mut(), routes) {
            fields.insert("bindings".to_owned(), Value::Array(routes));
        }
        return Ok(cx.console.json(&told)?);
    }
    let row = |agent: &AgentSummary| {
        let is_default = if agent.id == roster.default_id { "default" } else { "" };
        let name = agent.name.clone().unwrap_or_default();
        let mut row = vec![
            agent.id.to_string(),
            is_default.to_owned(),
            name,
            agent.model.primary.clone(),
            agent.workspace.clone(),
        ];
        row.extend(routes.as_ref().map(|routes| bindings::of(routes, agent.id.as_str())));
        row
    };
    let rows: Vec<Vec<String>> = roster.agents.iter().map(row).collect();
    let heading: &[&str] = &["AGENT", "", "NAME", "MODEL", "WORKSPACE", "ANSWERS"];
    let columns = if routes.is_some() { heading.len() } else { heading.len() - 1 };
    Ok(cx.console.table(&table(heading.get(..columns).unwrap_or(heading), &rows))?)
}
