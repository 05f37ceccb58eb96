//! `homard agents`: who answers.

use clap::{Args, Subcommand};
use homard_client::Client;
use homard_protocol::AgentId;
use homard_protocol::method::NoParams;
use homard_protocol::methods::agents::{
    AgentsCreate, AgentsCreateParams, AgentsDelete, AgentsDeleteParams, RemovalMethod,
};
use homard_protocol::methods::chat::agent::{AgentSummary, AgentsList};

use super::Cx;
use super::connection::{self, Patience, Target};
use super::table::table;
use crate::report::Mark;

const EXAMPLES: &str = "\
Examples:
  homard agents                        who answers, with which model, where
  homard agents add Work --model anthropic/claude-sonnet-4-5
  homard agents delete work            conversations and files can be brought back by hand";

/// List agents, add one, take one away
#[derive(Args)]
#[command(after_help = EXAMPLES, args_conflicts_with_subcommands = true)]
pub(crate) struct AgentsArgs {
    #[command(subcommand)]
    command: Option<AgentsCommand>,
    #[command(flatten)]
    common: Common,
}

#[derive(Args)]
struct Common {
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    target: Target,
    #[command(flatten)]
    patience: Patience,
}

#[derive(Subcommand)]
enum AgentsCommand {
    /// Show who answers
    List {
        #[command(flatten)]
        common: Common,
    },
    /// Add an agent with a workspace of its own
    Add {
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
        #[command(flatten)]
        common: Common,
    },
    /// Take an agent away; its folders go to the trash of the state folder
    Delete {
        /// Its id
        id: AgentId,
        /// Leave its files where they are
        #[arg(long)]
        keep_files: bool,
        #[command(flatten)]
        common: Common,
    },
}

/// Runs the command.
///
/// # Errors
/// When there is no gateway or it refuses.
pub(crate) async fn run(cx: &Cx, args: AgentsArgs) -> anyhow::Result<()> {
    let command = args.command.unwrap_or(AgentsCommand::List { common: args.common });
    let (AgentsCommand::List { common }
    | AgentsCommand::Add { common, .. }
    | AgentsCommand::Delete { common, .. }) = &command;
    let client = connection::connect(cx, &common.target, common.patience.limit()).await?;
    let outcome = act(cx, &client, &command).await;
    client.close().await;
    outcome
}

async fn act(cx: &Cx, client: &Client, command: &AgentsCommand) -> anyhow::Result<()> {
    match command {
        AgentsCommand::List { common } => list(cx, client, common.json).await,
        AgentsCommand::Add { name, workspace, model, emoji, common } => {
            let params = AgentsCreateParams {
                name: name.clone(),
                workspace: workspace.clone(),
                model: model.clone(),
                emoji: emoji.clone(),
                avatar: None,
            };
            let made = client.call::<AgentsCreate>(&params).await?;
            if common.json {
                return Ok(cx.console.json(&made)?);
            }
            let (id, workspace) = (&made.agent_id, &made.workspace);
            Ok(cx
                .console
                .line(&format!("{id} works in {workspace}; `homard agent --agent {id} -m hello`"))?)
        }
        AgentsCommand::Delete { id, keep_files, common } => {
            let params =
                AgentsDeleteParams { agent_id: id.clone(), delete_files: keep_files.then_some(false) };
            let gone = client.call::<AgentsDelete>(&params).await?;
            if common.json {
                return Ok(cx.console.json(&gone)?);
            }
            cx.console.line(&format!("{} is gone", gone.agent_id))?;
            for folder in gone.removed.iter().flatten().filter(|folder| folder.method == RemovalMethod::Trash)
            {
                cx.console.line(&format!("{} is in the trash of the state folder", folder.path))?;
            }
            for folder in gone.failed.iter().flatten() {
                cx.console.warn(&format!("{}: {}", folder.path, folder.reason));
            }
            Ok(())
        }
    }
}

async fn list(cx: &Cx, client: &Client, as_json: bool) -> anyhow::Result<()> {
    let roster = client.call::<AgentsList>(&NoParams {}).await?;
    if as_json {
        return Ok(cx.console.json(&roster)?);
    }
    let row = |agent: &AgentSummary| {
        let is_default = if agent.id == roster.default_id { "default" } else { "" };
        let name = agent.name.clone().unwrap_or_default();
        vec![
            agent.id.to_string(),
            is_default.to_owned(),
            name,
            agent.model.primary.clone(),
            agent.workspace.clone(),
        ]
    };
    let rows: Vec<Vec<String>> = roster.agents.iter().map(row).collect();
    for (number, line) in table(&["AGENT", "", "NAME", "MODEL", "WORKSPACE"], &rows).iter().enumerate() {
        let line = if number == 0 { cx.console.mark(Mark::Strong, line) } else { line.clone() };
        cx.console.line(&line)?;
    }
    Ok(())
}
