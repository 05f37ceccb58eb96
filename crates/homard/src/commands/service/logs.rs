//! `homard logs`: what the gateway says, now and as it happens.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use homard_client::Client;
use homard_config::Config;
use homard_protocol::methods::system::{LogsTail, LogsTailParams, LogsTailResult};

use crate::commands::Cx;
use crate::commands::connection::{self, Patience, Target};
use crate::logging;
use crate::logging::line::{Line, LineStyle};

/// How often `--follow` asks for news.
const FOLLOW_INTERVAL: Duration = Duration::from_millis(500);
/// Lines shown unless asked otherwise.
const DEFAULT_LINES: u32 = 200;
const EXAMPLES: &str = "\
Examples:
  homard logs --follow
  homard logs --limit 1000 --json | jq 'select(.level == \"error\")'";

/// Read the gateway's log
///
/// Asks the gateway; when none runs, reads the newest file in ~/.homard/logs instead.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct LogsArgs {
    /// Go on and print new lines as they come
    #[arg(long, short)]
    follow: bool,
    /// How many lines to begin with
    #[arg(long, value_name = "N", default_value_t = DEFAULT_LINES)]
    limit: u32,
    /// Print the lines as they are in the file: JSON, one object each
    #[arg(long, conflicts_with = "plain")]
    json: bool,
    /// Print without colours
    #[arg(long)]
    plain: bool,
    #[command(flatten)]
    target: Target,
    #[command(flatten)]
    patience: Patience,
}

/// Runs the command.
///
/// # Errors
/// When there is neither a gateway nor a file.
pub(crate) async fn run(cx: &Cx, args: LogsArgs) -> anyhow::Result<()> {
    let printer = Printer { cx, look: look(cx, &args) };
    let client = match connection::connect(cx, &args.target, args.patience.limit()).await {
        Err(error) if connection::is_not_running(&error) && !args.target.is_elsewhere(cx) => {
            return from_file(&printer, &args, error);
        }
        connected => connected?,
    };
    let first = LogsTailParams { limit: Some(args.limit), ..LogsTailParams::default() };
    let page = client.call::<LogsTail>(&first).await?;
    printer.print(&page.lines)?;
    if args.follow {
        follow(&printer, &client, page).await?;
    }
    client.close().await;
    Ok(())
}

async fn follow(printer: &Printer<'_>, client: &Client, mut page: LogsTailResult) -> anyhow::Result<()> {
    let mut news = tokio::time::interval(FOLLOW_INTERVAL);
    loop {
        tokio::select! {
            biased;
            stopped = tokio::signal::ctrl_c() => return Ok(stopped?),
            _ = news.tick() => {}
        }
        let params = LogsTailParams { cursor: Some(page.cursor), ..LogsTailParams::default() };
        page = client.call::<LogsTail>(&params).await?;
        printer.print(&page.lines)?;
    }
}

struct Printer<'a> {
    cx: &'a Cx,
    /// `None` prints lines as they are.
    look: Option<LineStyle>,
}

impl Printer<'_> {
    fn print(&self, lines: &[String]) -> std::io::Result<()> {
        for line in lines {
            match &self.look {
                Some(look) => self.cx.console.line(&look.show(&Line::read(line)))?,
                None => self.cx.console.line(line)?,
            }
        }
        Ok(())
    }
}

fn look(cx: &Cx, args: &LogsArgs) -> Option<LineStyle> {
    (!args.json).then(|| LineStyle::pretty(cx.console.colors_results() && !args.plain))
}

/// What a gateway that is gone has left behind.
fn from_file(printer: &Printer<'_>, args: &LogsArgs, no_gateway: anyhow::Error) -> anyhow::Result<()> {
    let cx = printer.cx;
    let path = newest_file(cx);
    let Ok(text) = std::fs::read_to_string(&path) else { return Err(no_gateway) };
    cx.console.note(&format!("no gateway is running; from {}", path.display()));
    let lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let wanted = usize::try_from(args.limit).unwrap_or(usize::MAX);
    printer.print(lines.get(lines.len().saturating_sub(wanted)..).unwrap_or_default())?;
    Ok(())
}

fn newest_file(cx: &Cx) -> PathBuf {
    let source = &cx.source;
    // A broken file must not hide the log that says so.
    let config = cx.config().unwrap_or_else(|_| Arc::new(Config::empty(&source.paths, &source.environment)));
    logging::gateway::newest_file(&config.logging, &source.paths, &source.clock)
}
