//! `homard cron`: reminders and tasks by the clock. `args` turns options into a job, `show` puts jobs into words.

mod args;
mod show;

use std::time::Duration;

use clap::builder::PossibleValuesParser;
use clap::{Args, Subcommand};
use homard_client::Client;
use homard_protocol::method::NoParams;
use homard_protocol::methods::cron::{
    CronAdd, CronAddResult, CronEnabledFilter, CronGet, CronJob, CronJobParams, CronList, CronListParams,
    CronNotRun, CronRemove, CronRun, CronRunEntry, CronRunMode, CronRunParams, CronRunStatus, CronRuns,
    CronRunsParams, CronStatus, CronUpdate, CronUpdateParams, MAX_CRON_LIMIT,
};
use homard_protocol::{JobId, RunId};
use serde_json::{Map, Value, json};

use super::connection::ConnectArgs;
use super::{Cx, words};
use crate::report::Advice;

/// Between two looks whether a run is over.
const LOOK_EVERY: Duration = Duration::from_millis(250);

const EXAMPLES: &str = "\
Examples:
  homard cron add --name tea --at 20m --system-event \"Reminder: the tea is ready\"
  homard cron add --name digest --cron \"0 9 * * 1-5\" --tz Europe/Paris --message \"Sum up my mail\"
  homard cron add --name check --every 1h --message \"Is the site up?\" --no-deliver
  homard cron list                     what there is, in words, and when it is due
  homard cron run 3f9a1c02 --wait      now; the first characters of an id, or the name, are enough
  homard cron runs 3f9a1c02            how it went
  homard cron runs --status error      what went wrong
  homard cron edit digest --cron \"30 8 * * *\" --clear-model
  homard cron disable digest
  homard cron rm digest

A job either tells the main session something (--system-event) or has an agent work in a session
of its own (--message). Results go to the main conversation and to the chat its owner last wrote
from; --no-deliver keeps them to the run's own session.";

/// Plan reminders and tasks by the clock
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct CronArgs {
    #[command(subcommand)]
    command: Option<CronCommand>,
    #[command(flatten)]
    list: ListArgs,
}

#[derive(Subcommand)]
enum CronCommand {
    /// What there is, and when it is due
    List(ListArgs),
    /// Whether jobs run by themselves, and when the next is due
    Status(ReachArgs),
    /// Make a job
    #[command(visible_alias = "create", after_help = EXAMPLES)]
    Add(Box<args::AddArgs>),
    /// Change a job
    Edit(Box<args::EditArgs>),
    /// All about one job
    #[command(visible_alias = "get")]
    Show(JobArgs),
    /// Forget a job
    #[command(visible_aliases = ["remove", "delete"])]
    Rm(JobArgs),
    /// Run a job now
    Run(RunArgs),
    /// How runs went
    Runs(RunsArgs),
    /// Let a job run again
    Enable(JobArgs),
    /// Keep a job, but do not run it
    Disable(JobArgs),
}

#[derive(Args)]
struct ReachArgs {
    #[command(flatten)]
    reach: ConnectArgs,
}

#[derive(Args)]
struct ListArgs {
    /// Those that are switched off, too
    #[arg(long)]
    all: bool,
    /// Only those that say this
    #[arg(long, value_name = "WORDS")]
    query: Option<String>,
    /// Only of this agent
    #[arg(long, value_name = "ID")]
    agent: Option<String>,
    /// How many at most
    #[arg(long, value_name = "N", default_value_t = MAX_CRON_LIMIT, value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_CRON_LIMIT)))]
    limit: u32,
    /// How many to leave out first
    #[arg(long, value_name = "N")]
    offset: Option<u64>,
    #[command(flatten)]
    reach: ConnectArgs,
}

#[derive(Args)]
struct JobArgs {
    /// Which job: its id, the beginning of it, or its name
    #[arg(value_name = "JOB")]
    id: String,
    #[command(flatten)]
    reach: ConnectArgs,
}

#[derive(Args)]
struct RunArgs {
    /// Which job: its id, the beginning of it, or its name
    #[arg(value_name = "JOB")]
    id: String,
    /// Only when it is due
    #[arg(long)]
    due: bool,
    /// Wait for the end and print what was said
    #[arg(long)]
    wait: bool,
    #[command(flatten)]
    reach: ConnectArgs,
}

#[derive(Args)]
struct RunsArgs {
    /// Which job: its id, the beginning of it, or its name; all otherwise
    #[arg(value_name = "JOB")]
    job: Option<String>,
    /// Which job, as an option
    #[arg(long = "id", value_name = "JOB", conflicts_with = "job")]
    id: Option<String>,
    /// How many
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_CRON_LIMIT)))]
    limit: u32,
    /// Only those that ended so
    #[arg(long, value_name = "HOW", value_parser = PossibleValuesParser::new(CronRunStatus::WORDS))]
    status: Option<String>,
    #[command(flatten)]
    reach: ConnectArgs,
}

/// Runs the command.
///
/// # Errors
/// When there is no gateway, no such job, or the gateway refuses.
pub(crate) async fn run(cx: &Cx, args: CronArgs) -> anyhow::Result<()> {
    match args.command {
        None => list(cx, args.list).await,
        Some(CronCommand::List(args)) => list(cx, args).await,
        Some(CronCommand::Status(args)) => status(cx, &args.reach).await,
        Some(CronCommand::Add(args)) => add(cx, *args).await,
        Some(CronCommand::Edit(args)) => edit(cx, *args).await,
        Some(CronCommand::Show(args)) => show(cx, &args).await,
        Some(CronCommand::Rm(args)) => remove(cx, &args).await,
        Some(CronCommand::Run(args)) => run_now(cx, &args).await,
        Some(CronCommand::Runs(args)) => runs(cx, args).await,
        Some(CronCommand::Enable(args)) => switch(cx, &args, true).await,
        Some(CronCommand::Disable(args)) => switch(cx, &args, false).await,
    }
}

/// A connection and the job a person means.
async fn meant(cx: &Cx, reach: &ConnectArgs, id: &str) -> anyhow::Result<(Client, CronJob)> {
    let client = reach.connect(cx).await?;
    let params = CronListParams {
        enabled: Some(CronEnabledFilter::All),
        limit: Some(MAX_CRON_LIMIT),
        include_delivery_previews: Some(false),
        ..CronListParams::default()
    };
    let jobs = client.call::<CronList>(&params).await?.jobs;
    let exact = jobs.iter().find(|job| job.id.as_str() == id);
    let mut close = jobs.iter().filter(|job| job.id.as_str().starts_with(id) || job.spec.name == id);
    let job = match (exact, close.next(), close.next()) {
        (Some(job), _, _) | (None, Some(job), None) => job.clone(),
        (None, Some(_), Some(_)) => {
            return Err(Advice::error(
                format!("`{id}` could mean more than one job"),
                "write more of the id; `homard cron list --all` shows them",
            ));
        }
        // More jobs than one page holds.
        (None, None, _) if !id.is_empty() => {
            let params = CronJobParams { id: Some(id.parse()?), job_id: None };
            client.call::<CronGet>(&params).await?
        }
        (None, None, _) => {
            return Err(Advice::error("no job is named", "`homard cron list --all` shows them"));
        }
    };
    Ok((client, job))
}

async fn list(cx: &Cx, args: ListArgs) -> anyhow::Result<()> {
    let client = args.reach.connect(cx).await?;
    let params = CronListParams {
        include_disabled: Some(args.all),
        query: args.query,
        agent_id: args.agent.as_deref().map(str::parse).transpose()?,
        limit: Some(args.limit),
        offset: args.offset,
        ..CronListParams::default()
    };
    let listed = client.call::<CronList>(&params).await?;
    client.close().await;
    if args.reach.json {
        return Ok(cx.console.json(&listed)?);
    }
    if listed.jobs.is_empty() {
        cx.console.note("no jobs; make one with `homard cron add` (see `homard cron add --help`)");
        return Ok(());
    }
    show::list(cx, &listed.jobs)?;
    if let Some(next) = listed.next_offset.filter(|_| listed.has_more) {
        cx.console.note(&format!("{} of {}; --offset {next} shows more", listed.jobs.len(), listed.total));
    }
    Ok(())
}

async fn status(cx: &Cx, reach: &ConnectArgs) -> anyhow::Result<()> {
    let client = reach.connect(cx).await?;
    let status = client.call::<CronStatus>(&NoParams {}).await?;
    client.close().await;
    if reach.json {
        return Ok(cx.console.json(&status)?);
    }
    let runs = if status.enabled {
        "jobs run by themselves"
    } else {
        "jobs do not run by themselves (cron.enabled)"
    };
    cx.console.line(&format!("{runs}; {}", words::count(status.jobs, "job")))?;
    if let Some(next) = status.next_wake_at_ms {
        cx.console.line(&format!("next: {}", show::moment(next, cx.source.clock.now_ms())))?;
    }
    Ok(())
}

async fn add(cx: &Cx, args: args::AddArgs) -> anyhow::Result<()> {
    let (spec, reach) = args.into_job(cx.console, cx.source.clock.now_ms())?;
    let client = reach.connect(cx).await?;
    let added = client.call::<CronAdd>(&spec).await?;
    client.close().await;
    if reach.json {
        return Ok(cx.console.json(&added)?);
    }
    let job = match added {
        CronAddResult::Added(job) => *job,
        CronAddResult::Declared(declared) => declared.job,
    };
    show::one(cx, &job)
}

async fn edit(cx: &Cx, args: args::EditArgs) -> anyhow::Result<()> {
    let (client, job) = meant(cx, &args.reach, &args.id).await?;
    let reach = args.reach.clone();
    let patch = args.into_patch(&job, cx.source.clock.now_ms())?;
    if patch.is_empty() {
        return Err(Advice::error("nothing to change was given", "see `homard cron edit --help`"));
    }
    update(cx, client, &reach, job, patch).await
}

async fn update(
    cx: &Cx,
    client: Client,
    reach: &ConnectArgs,
    job: CronJob,
    patch: Map<String, Value>,
) -> anyhow::Result<()> {
    let params = CronUpdateParams {
        id: Some(job.id),
        patch,
        expected_config_revision: job.config_revision,
        ..CronUpdateParams::default()
    };
    let changed = client.call::<CronUpdate>(&params).await?;
    client.close().await;
    if reach.json {
        return Ok(cx.console.json(&changed)?);
    }
    show::one(cx, &changed)
}

async fn switch(cx: &Cx, args: &JobArgs, enabled: bool) -> anyhow::Result<()> {
    let (client, job) = meant(cx, &args.reach, &args.id).await?;
    let patch = Map::from_iter([("enabled".to_owned(), json!(enabled))]);
    update(cx, client, &args.reach, job, patch).await
}

async fn show(cx: &Cx, args: &JobArgs) -> anyhow::Result<()> {
    let (client, job) = meant(cx, &args.reach, &args.id).await?;
    client.close().await;
    if args.reach.json {
        return Ok(cx.console.json(&job)?);
    }
    show::one(cx, &job)
}

async fn remove(cx: &Cx, args: &JobArgs) -> anyhow::Result<()> {
    let (client, job) = meant(cx, &args.reach, &args.id).await?;
    let params = CronJobParams { id: Some(job.id.clone()), job_id: None };
    let removed = client.call::<CronRemove>(&params).await?;
    client.close().await;
    if args.reach.json {
        return Ok(cx.console.json(&removed)?);
    }
    Ok(cx.console.line(&format!("removed: {} ({})", job.spec.name, words::short(job.id.as_str())))?)
}

async fn run_now(cx: &Cx, args: &RunArgs) -> anyhow::Result<()> {
    let (client, job) = meant(cx, &args.reach, &args.id).await?;
    let mode = if args.due { CronRunMode::Due } else { CronRunMode::Force };
    let params = CronRunParams { id: Some(job.id.clone()), mode: Some(mode), ..CronRunParams::default() };
    let begun = client.call::<CronRun>(&params).await?;
    let ended = match (&begun.run_id, args.wait) {
        (Some(run_id), true) => Some(until_over(&client, &job.id, run_id).await?),
        _ => None,
    };
    client.close().await;
    if args.reach.json {
        match &ended {
            Some(entry) => cx.console.json(entry)?,
            None => cx.console.json(&begun)?,
        }
        return Ok(());
    }
    match (begun.run_id, ended) {
        (_, Some(entry)) => show::ended(cx, &entry),
        (Some(run_id), None) => {
            cx.console.line(&format!("{} runs ({run_id})", job.spec.name))?;
            cx.console
                .note(&format!("`homard cron runs {}` shows how it went", words::short(job.id.as_str())));
            Ok(())
        }
        (None, None) => {
            let reason = begun.reason.map_or("no reason is known", CronNotRun::as_str);
            Ok(cx.console.line(&format!("{} does not run: {reason}", job.spec.name))?)
        }
    }
}

/// Looks until a run is over. A person who waits no longer stops the command.
async fn until_over(client: &Client, job: &JobId, run_id: &RunId) -> anyhow::Result<CronRunEntry> {
    let params = CronRunsParams {
        id: Some(job.clone()),
        run_id: Some(run_id.clone()),
        limit: Some(1),
        ..CronRunsParams::default()
    };
    loop {
        if let Some(entry) = client.call::<CronRuns>(&params).await?.entries.pop() {
            return Ok(entry);
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

async fn runs(cx: &Cx, args: RunsArgs) -> anyhow::Result<()> {
    let (client, id) = match args.job.or(args.id) {
        Some(id) => {
            let (client, job) = meant(cx, &args.reach, &id).await?;
            (client, Some(job.id))
        }
        None => (args.reach.connect(cx).await?, None),
    };
    let statuses = args.status.as_deref().and_then(|word| word.parse().ok()).map(|status| vec![status]);
    let params = CronRunsParams { id, limit: Some(args.limit), statuses, ..CronRunsParams::default() };
    let found = client.call::<CronRuns>(&params).await?;
    client.close().await;
    if args.reach.json {
        return Ok(cx.console.json(&found)?);
    }
    if found.entries.is_empty() {
        cx.console.note("no runs yet; `homard cron run JOB` runs one now");
        return Ok(());
    }
    show::runs(cx, &found.entries)
}
