//! `homard approvals pending|allow|deny|resolve|watch`.

use anyhow::bail;
use clap::{Args, Subcommand};
use homard_client::questions::{Change, OpenQuestion, answer, pending, short};
use homard_client::{Client, ClientEvent};
use homard_protocol::methods::approvals::{ApprovalDecision, ApprovalKind};
use homard_runtime::brief;

use super::prompt::Prompt;
use crate::cli::words_of;
use crate::commands::Cx;
use crate::commands::connection::{self, ConnectArgs, Patience, Target};
use crate::commands::table::table;
use crate::commands::words;
use crate::report::Mark;

/// How much of what is asked the list shows.
const WHAT_CHARS: usize = 60;
const DECISIONS: [&str; 3] = ["allow-once", "allow-always", "deny"];

/// The commands about questions that wait.
#[derive(Subcommand)]
pub(crate) enum PendingCommand {
    /// List what waits for an answer
    Pending(ListArgs),
    /// Allow something that waits
    Allow(AllowArgs),
    /// Deny something that waits
    Deny(DenyArgs),
    /// Answer something that waits
    Resolve(ResolveArgs),
    /// Be asked as questions come up, until Ctrl-C
    Watch(WatchArgs),
}

#[derive(Args)]
pub(crate) struct ListArgs {
    #[command(flatten)]
    reach: ConnectArgs,
}

#[derive(Args)]
pub(crate) struct AllowArgs {
    /// Which, as `homard approvals pending` lists it
    id: String,
    /// Allow its like from now on, too
    #[arg(long)]
    always: bool,
    #[command(flatten)]
    target: Target,
    #[command(flatten)]
    patience: Patience,
}

#[derive(Args)]
pub(crate) struct DenyArgs {
    /// Which, as `homard approvals pending` lists it
    id: String,
    #[command(flatten)]
    target: Target,
    #[command(flatten)]
    patience: Patience,
}

#[derive(Args)]
pub(crate) struct ResolveArgs {
    /// Which, as `homard approvals pending` lists it
    id: String,
    /// The answer
    #[arg(value_parser = words_of::<ApprovalDecision>(&DECISIONS))]
    decision: ApprovalDecision,
    #[command(flatten)]
    target: Target,
    #[command(flatten)]
    patience: Patience,
}

#[derive(Args)]
pub(crate) struct WatchArgs {
    /// Print questions and answers as JSON, one object a line, and ask nothing
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    target: Target,
    #[command(flatten)]
    patience: Patience,
}

/// Runs one of them.
///
/// # Errors
/// When there is no gateway or it does not take the answer.
pub(crate) async fn run(cx: &Cx, command: PendingCommand) -> anyhow::Result<()> {
    match command {
        PendingCommand::Pending(args) => list(cx, &args).await,
        PendingCommand::Allow(args) => {
            let always = ApprovalDecision::AllowAlways;
            let decision = if args.always { always } else { ApprovalDecision::AllowOnce };
            resolve(cx, &args.id, decision, &args.target, &args.patience).await
        }
        PendingCommand::Deny(args) => {
            resolve(cx, &args.id, ApprovalDecision::Deny, &args.target, &args.patience).await
        }
        PendingCommand::Resolve(args) => {
            resolve(cx, &args.id, args.decision, &args.target, &args.patience).await
        }
        PendingCommand::Watch(args) => watch(cx, &args).await,
    }
}

async fn list(cx: &Cx, args: &ListArgs) -> anyhow::Result<()> {
    let client = args.reach.connect(cx).await?;
    let waiting = pending(&client).await?;
    client.close().await;
    if args.reach.json {
        let listed: Vec<_> = waiting.iter().map(OpenQuestion::to_json).collect();
        return Ok(cx.console.json(&listed)?);
    }
    if waiting.is_empty() {
        cx.console.note("nothing waits for approval");
        return Ok(());
    }
    let now = cx.source.clock.now_ms();
    let rows: Vec<Vec<String>> = waiting.iter().map(|asked| row(asked, now)).collect();
    for (number, line) in table(&["ID", "TOOL", "LEFT", "WHAT", "WHY"], &rows).iter().enumerate() {
        let line = if number == 0 { cx.console.mark(Mark::Strong, line) } else { line.clone() };
        cx.console.line(&line)?;
    }
    Ok(())
}

fn row(asked: &OpenQuestion, now: i64) -> Vec<String> {
    vec![
        short(&asked.id),
        asked.tool.clone(),
        words::span(asked.left_ms(now)),
        brief(&asked.what, WHAT_CHARS),
        brief(&asked.reasons.join("; "), WHAT_CHARS),
    ]
}

async fn resolve(
    cx: &Cx,
    id: &str,
    decision: ApprovalDecision,
    target: &Target,
    patience: &Patience,
) -> anyhow::Result<()> {
    let client = connection::connect(cx, target, patience.limit()).await?;
    let waiting = pending(&client).await?;
    let meant = waiting.iter().find(|asked| asked.id.as_str() == id);
    let meant = meant.or_else(|| waiting.iter().find(|asked| asked.id.starts_with(id)));
    // One that is not in the list is left to the gateway, which knows why.
    let kind = meant.map_or(ApprovalKind::Exec, |asked| asked.kind);
    answer(&client, kind, id.parse()?, decision).await?;
    client.close().await;
    let said = if decision == ApprovalDecision::Deny { "denied" } else { "allowed" };
    let what = meant.map(|asked| format!(": {}", brief(&asked.what, WHAT_CHARS))).unwrap_or_default();
    Ok(cx.console.line(&format!("{said}{what}"))?)
}

async fn watch(cx: &Cx, args: &WatchArgs) -> anyhow::Result<()> {
    let client = connection::connect(cx, &args.target, args.patience.limit()).await?;
    // Before the list, so that nothing falls between.
    let mut events = client.events();
    let mut watcher = Watcher { cx, json: args.json, prompt: Prompt::new(cx.console) };
    watcher.look(&client).await?;
    if !args.json {
        cx.console.note("waiting for questions; Ctrl-C ends");
    }
    loop {
        tokio::select! {
            biased;
            stopped = tokio::signal::ctrl_c() => return Ok(stopped?),
            heard = events.next() => match heard {
                Some(ClientEvent::Event(frame)) => {
                    if let Some(change) = Change::read(&frame) {
                        watcher.hear(change)?;
                    }
                }
                Some(ClientEvent::Missed(_)) => watcher.look(&client).await?,
                None => bail!("the gateway went away"),
            },
            line = watcher.prompt.typed() => watcher.prompt.take(&client, line?).await,
        }
    }
}

struct Watcher<'a> {
    cx: &'a Cx,
    json: bool,
    prompt: Prompt,
}

impl Watcher<'_> {
    /// Takes over what waits now.
    async fn look(&mut self, client: &Client) -> anyhow::Result<()> {
        for asked in pending(client).await? {
            self.hear(Change::Asked(asked))?;
        }
        Ok(())
    }

    fn hear(&mut self, change: Change) -> anyhow::Result<()> {
        if self.json {
            return Ok(self.cx.console.line(&change.to_json().to_string())?);
        }
        self.prompt.hear(change, self.cx.source.clock.now_ms());
        Ok(())
    }
}
