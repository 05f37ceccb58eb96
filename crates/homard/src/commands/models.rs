//! `homard models`: what the gateway can think with.

use clap::{Args, Subcommand};
use homard_protocol::methods::agent::{ModelSummary, ModelsList, ModelsListParams};

use super::connection::{self, Patience, Target};
use super::table::table;
use super::{Cx, words};
use crate::report::Mark;

const EXAMPLES: &str = "\
Examples:
  homard models list
  homard config set agents.defaults.model.primary anthropic/claude-opus-4-6";

/// See which models can be used
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ModelsArgs {
    #[command(subcommand)]
    command: ModelsCommand,
}

#[derive(Subcommand)]
enum ModelsCommand {
    /// List the models the gateway knows
    #[command(after_help = EXAMPLES)]
    List(ListArgs),
}

#[derive(Args)]
struct ListArgs {
    /// Only those of this provider
    #[arg(long, value_name = "ID")]
    provider: Option<String>,
    /// Print JSON
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
/// When there is no gateway or it does not answer.
pub(crate) async fn run(cx: &Cx, args: ModelsArgs) -> anyhow::Result<()> {
    let ModelsCommand::List(args) = args.command;
    let client = connection::connect(cx, &args.target, args.patience.limit()).await?;
    let params = ModelsListParams { provider: args.provider, ..ModelsListParams::default() };
    let list = client.call::<ModelsList>(&params).await?;
    client.close().await;
    if args.json {
        return Ok(cx.console.json(&list)?);
    }
    let rows: Vec<Vec<String>> = list.models.iter().map(row).collect();
    for (number, line) in table(&["MODEL", "NAME", "CONTEXT", "INPUT", ""], &rows).iter().enumerate() {
        let line = if number == 0 { cx.console.mark(Mark::Strong, line) } else { line.clone() };
        cx.console.line(&line)?;
    }
    Ok(())
}

fn row(model: &ModelSummary) -> Vec<String> {
    let mut notes = model.tags.clone();
    if !model.available {
        notes.push("no credentials".into());
    }
    vec![
        format!("{}/{}", model.provider, model.id),
        model.name.clone(),
        words::tokens(model.context_window),
        model.input.join("+"),
        notes.join(", "),
    ]
}
