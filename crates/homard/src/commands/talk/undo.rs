//! `homard undo`: puts back what file tools changed in a run.

use clap::Args;
use homard_client::Client;
use homard_protocol::SessionRef;
use homard_protocol::methods::sessions::details::{SessionsDescribe, SessionsDescribeParams};
use homard_protocol::methods::sessions::undo::{
    MAX_UNDO_RUNS, UndoApply, UndoApplyParams, UndoList, UndoListParams, UndoRun, UndoState,
};
use homard_runtime::{brief, off_thread};

use crate::commands::connection::{self, Patience, Target};
use crate::commands::table::table;
use crate::commands::{Cx, terminal, words};
use crate::report::{AlreadyTold, Mark};

/// Longest title of a conversation that is shown, in characters.
const TITLE_CHARS: usize = 40;

const EXAMPLES: &str = "\
Examples:
  homard undo --list                  what can be undone, newest first
  homard undo --dry-run               what undoing the last run would do
  homard undo                         put back what the last run changed; asks first
  homard undo --yes                   the same without asking
  homard undo --session main --force  also files that changed since
  homard undo --run undo-…            take an undo back

Files that write, edit and apply_patch changed are put back: content, mode and time. What commands changed is not
kept.";

/// Put back what the assistant changed in files
///
/// All files of a run are put back, or none: a file that changed since is never overwritten unless you insist.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
pub(crate) struct UndoArgs {
    /// Only runs of this conversation, by its key
    #[arg(long, value_name = "KEY")]
    session: Option<SessionRef>,
    /// This run, not the last one
    #[arg(long, value_name = "ID", conflicts_with = "list")]
    run: Option<String>,
    /// Show what can be undone
    #[arg(long, conflicts_with_all = ["dry_run", "force"])]
    list: bool,
    /// How many runs --list shows
    #[arg(long, value_name = "N", requires = "list", value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_UNDO_RUNS)))]
    limit: Option<u32>,
    /// Only say what would be done
    #[arg(long)]
    dry_run: bool,
    /// Put files back even if they changed since; what is there now is kept
    #[arg(long)]
    force: bool,
    /// Do not ask
    #[arg(long, short)]
    yes: bool,
    /// Print JSON: what the gateway answered
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
/// When there is no gateway, or nothing could be undone.
pub(crate) async fn run(cx: &Cx, args: UndoArgs) -> anyhow::Result<()> {
    let client = connection::connect(cx, &args.target, args.patience.limit()).await?;
    let outcome = if args.list { list(cx, &client, &args).await } else { apply(cx, &client, &args).await };
    client.close().await;
    outcome
}

async fn list(cx: &Cx, client: &Client, args: &UndoArgs) -> anyhow::Result<()> {
    let params = UndoListParams { session_key: args.session.clone(), limit: args.limit };
    let answer = client.call::<UndoList>(&params).await?;
    if args.json {
        return Ok(cx.console.json(&answer)?);
    }
    if answer.runs.is_empty() {
        cx.console.note("no run changed a file or ran a command yet");
        return Ok(());
    }
    let rows: Vec<Vec<String>> = answer.runs.iter().map(|run| row(run, answer.ts)).collect();
    for (number, line) in table(&["RUN", "WHEN", "SESSION", "FILES", "STATE"], &rows).iter().enumerate() {
        let line = if number == 0 { cx.console.mark(Mark::Strong, line) } else { line.clone() };
        cx.console.line(&line)?;
    }
    Ok(())
}

fn row(run: &UndoRun, now_ms: i64) -> Vec<String> {
    let commands = if run.commands { " + commands" } else { "" };
    let state = match (&run.undone_by, &run.undoes) {
        (Some(by), _) => format!("undone by {by}"),
        (None, Some(undoes)) => format!("undid {undoes}"),
        (None, None) if run.files.is_empty() => "nothing is kept".to_owned(),
        (None, None) => {
            let in_the_way = |state| !matches!(state, UndoState::Restorable | UndoState::AsBefore);
            let blocked = run.files.iter().filter(|file| in_the_way(file.state)).count();
            if blocked == 0 {
                "can be undone".to_owned()
            } else {
                format!("{blocked} changed since or not kept")
            }
        }
    };
    vec![
        run.run_id.clone(),
        words::ago(run.at, now_ms),
        run.session_key.clone(),
        format!("{}{commands}", run.files.len()),
        state,
    ]
}

async fn apply(cx: &Cx, client: &Client, args: &UndoArgs) -> anyhow::Result<()> {
    let look = UndoApplyParams {
        session_key: args.session.clone(),
        run_id: args.run.clone(),
        force: args.force,
        dry_run: true,
    };
    let mut answer = client.call::<UndoApply>(&look).await?;
    if !args.json {
        cx.console.note(&chat(client, &answer.run).await?);
    }
    if !args.dry_run {
        if !args.yes && !args.json && terminal::is_manned() {
            cx.console.note(&answer.words);
            let console = cx.console;
            let sure = move || terminal::confirm(console, "Undo it?");
            // Beside the connection, which must not fall silent while somebody thinks.
            if !off_thread(sure).await?? {
                cx.console.note("nothing was changed");
                return Err(AlreadyTold.into());
            }
        }
        // What was shown is undone, whatever has been done since.
        let run_id = Some(answer.run.run_id);
        answer = client.call::<UndoApply>(&UndoApplyParams { run_id, dry_run: false, ..look }).await?;
    }
    if args.json {
        cx.console.json(&answer)?;
    } else {
        cx.console.line(&answer.words)?;
    }
    if !answer.undone && !args.dry_run {
        return Err(AlreadyTold.into());
    }
    Ok(())
}

/// The conversation a run belongs to, as its owner knows it, and when it was.
async fn chat(client: &Client, run: &UndoRun) -> anyhow::Result<String> {
    let key = &run.session_key;
    let params = SessionsDescribeParams {
        key: SessionRef::from(key.clone()),
        agent_id: None,
        include_derived_titles: Some(true),
        include_last_message: None,
    };
    let row = client.call::<SessionsDescribe>(&params).await?.session;
    let title = row.and_then(|row| row.label.or(row.display_name).or(row.derived_title));
    let title = title.map_or_else(String::new, |title| format!(" “{}”", brief(&title, TITLE_CHARS)));
    let at = jiff::Timestamp::from_millisecond(run.at)?.to_zoned(jiff::tz::TimeZone::system());
    Ok(format!("conversation{title} ({key}), run of {}", at.strftime("%Y-%m-%d %H:%M")))
}
