//! `homard tasks`: what agents have other agents do beside a conversation.

use clap::builder::PossibleValuesParser;
use clap::{Args, Subcommand};
use homard_client::Client;
use homard_protocol::methods::system::tasks::{
    DEFAULT_TASKS, MAX_TASKS, Task, TaskStatus, TaskStatuses, TasksCancel, TasksCancelParams, TasksGet,
    TasksGetParams, TasksList, TasksListParams,
};
use homard_protocol::{AgentId, RunId};
use homard_runtime::brief;

use crate::commands::Cx;
use crate::commands::connection::ConnectArgs;
use crate::commands::table::{pairs, table};
use crate::commands::words;
use crate::report::{Advice, Mark};

const EXAMPLES: &str = "\
Examples:
  homard tasks                        what agents do in the background, newest first
  homard tasks list --status running
  homard tasks show 3f9a1c02          the first characters of an id are enough
  homard tasks cancel 3f9a1c02

Jobs by the clock are `homard cron`.";

/// See and stop what agents do in the background
#[derive(Args)]
#[command(after_help = EXAMPLES, args_conflicts_with_subcommands = true)]
pub(crate) struct TasksArgs {
    #[command(subcommand)]
    command: Option<TasksCommand>,
    #[command(flatten)]
    list: ListArgs,
}

#[derive(Subcommand)]
enum TasksCommand {
    /// List them, newest first
    List(ListArgs),
    /// Show what one was told and what it answered
    Show(OneArgs),
    /// Stop one, and what it started itself
    Cancel(OneArgs),
}

#[derive(Args)]
struct ListArgs {
    /// Only those that stand so
    #[arg(long, value_name = "HOW", value_parser = PossibleValuesParser::new(TaskStatus::WORDS))]
    status: Option<String>,
    /// Only of this agent
    #[arg(long, value_name = "ID")]
    agent: Option<AgentId>,
    /// How many at most
    #[arg(long, value_name = "N", default_value_t = DEFAULT_TASKS, value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_TASKS)))]
    limit: u32,
    #[command(flatten)]
    reach: ConnectArgs,
}

#[derive(Args)]
struct OneArgs {
    /// Which task: its id, or the beginning of it
    #[arg(value_name = "TASK")]
    id: String,
    #[command(flatten)]
    reach: ConnectArgs,
}

/// Runs the command.
///
/// # Errors
/// When there is no gateway, or no such task.
pub(crate) async fn run(cx: &Cx, args: TasksArgs) -> anyhow::Result<()> {
    match args.command {
        None => list(cx, args.list).await,
        Some(TasksCommand::List(args)) => list(cx, args).await,
        Some(TasksCommand::Show(args)) => show(cx, &args).await,
        Some(TasksCommand::Cancel(args)) => cancel(cx, &args).await,
    }
}

async fn list(cx: &Cx, args: ListArgs) -> anyhow::Result<()> {
    let client = args.reach.connect(cx).await?;
    let status = args.status.as_deref().and_then(|word| word.parse().ok()).map(TaskStatuses::One);
    let params = TasksListParams {
        status,
        agent_id: args.agent,
        limit: Some(args.limit),
        ..TasksListParams::default()
    };
    let found = client.call::<TasksList>(&params).await?;
    client.close().await;
    if args.reach.json {
        return Ok(cx.console.json(&found)?);
    }
    if found.tasks.is_empty() {
        cx.console.note("no task; agents begin them with the subagent tools");
        return Ok(());
    }
    let now = cx.source.clock.now_ms();
    let row = |task: &Task| {
        vec![
            words::short(task.id.as_str()),
            task.status.as_str().to_owned(),
            task.agent_id.as_ref().map(ToString::to_string).unwrap_or_default(),
            words::ago(task.moments.updated_at, now),
            brief(&task.title, 60),
        ]
    };
    let rows: Vec<Vec<String>> = found.tasks.iter().map(row).collect();
    Ok(cx.console.table(&table(&["TASK", "STATUS", "AGENT", "WHEN", "WHAT"], &rows))?)
}

/// The task whose id this is, or begins like this.
async fn meant(client: &Client, id: &str) -> anyhow::Result<RunId> {
    let params = TasksListParams { limit: Some(MAX_TASKS), ..TasksListParams::default() };
    let tasks = client.call::<TasksList>(&params).await?.tasks;
    let found: Vec<&Task> = tasks.iter().filter(|task| task.id.as_str().starts_with(id)).collect();
    match found.as_slice() {
        [one] => Ok(one.id.clone()),
        [] => Err(Advice::error(format!("there is no task `{id}`"), "`homard tasks` lists them")),
        _ => Err(Advice::error(format!("`{id}` could mean more than one task"), "write more of the id")),
    }
}

async fn show(cx: &Cx, args: &OneArgs) -> anyhow::Result<()> {
    let client = args.reach.connect(cx).await?;
    let task_id = meant(&client, &args.id).await?;
    let task = client.call::<TasksGet>(&TasksGetParams { task_id }).await?.task;
    client.close().await;
    if args.reach.json {
        return Ok(cx.console.json(&task)?);
    }
    let now = cx.source.clock.now_ms();
    let mut rows = vec![
        ("task", task.id.to_string()),
        ("status", task.status.as_str().to_owned()),
        ("asked in", task.session_key.to_string()),
        ("done in", task.child_session_key.to_string()),
        ("begun", words::ago(task.moments.created_at, now)),
    ];
    rows.extend(task.moments.ended_at.map(|at| ("ended", words::ago(at, now))));
    rows.extend(task.outcome.prompt.map(|text| ("told", text)));
    rows.extend(task.outcome.result.map(|text| ("answered", text)));
    rows.extend(task.outcome.error.map(|text| ("error", text)));
    pairs(&rows).iter().try_for_each(|line| cx.console.line(line))?;
    Ok(())
}

async fn cancel(cx: &Cx, args: &OneArgs) -> anyhow::Result<()> {
    let client = args.reach.connect(cx).await?;
    let task_id = meant(&client, &args.id).await?;
    let done = client.call::<TasksCancel>(&TasksCancelParams { task_id, reason: None }).await?;
    client.close().await;
    if args.reach.json {
        return Ok(cx.console.json(&done)?);
    }
    if done.cancelled {
        return Ok(cx.console.line(&cx.console.mark(Mark::Good, "stopped"))?);
    }
    let why = done.reason.unwrap_or_else(|| "it is over".to_owned());
    Err(Advice::error(format!("nothing was stopped: {why}"), "`homard tasks` shows how it stands"))
}
