//! `homard tools`: which tools a conversation is offered, and why.

use clap::{Args, Subcommand};
use homard_protocol::SessionRef;
use homard_protocol::methods::tools::{
    ExplainedLayer, ExplainedTool, LayerWord, ToolsExplain, ToolsExplainParams, ToolsExplainResult,
};

use super::Cx;
use super::connection::{self, Patience, Target};
use super::table::{pairs, table};
use crate::report::{Advice, Mark};

const EXAMPLES: &str = "\
Examples:
  homard tools list                                   what the main conversation is offered
  homard tools explain exec                           which rule decided about a tool
  homard tools explain exec --session agent:main:telegram:group:-100 --sender 42
  homard tools explain write --model openai/gpt-5.2 --json | jq .tools[0].layers";

/// See which tools the assistant may use, and which rule says so
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ToolsArgs {
    #[command(subcommand)]
    command: ToolsCommand,
}

#[derive(Subcommand)]
enum ToolsCommand {
    /// List all tools, and whether a conversation is offered them
    List(ListArgs),
    /// Show what every layer of the policy says about one tool
    Explain(ExplainArgs),
}

/// For whom a policy is looked at.
#[derive(Args)]
struct Whom {
    /// The conversation, by its key; it need not exist yet
    #[arg(long, value_name = "KEY")]
    session: Option<SessionRef>,
    /// Suppose that somebody with this id on the conversation's platform speaks, not the owner
    #[arg(long, value_name = "ID")]
    sender: Option<String>,
    /// Suppose that this model answers
    #[arg(long, value_name = "PROVIDER/MODEL")]
    model: Option<String>,
    /// Print JSON: what the gateway answered
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    target: Target,
    #[command(flatten)]
    patience: Patience,
}

#[derive(Args)]
struct ListArgs {
    #[command(flatten)]
    whom: Whom,
}

#[derive(Args)]
struct ExplainArgs {
    /// The tool
    name: String,
    #[command(flatten)]
    whom: Whom,
}

/// Runs the command.
///
/// # Errors
/// When there is no gateway, it does not answer, or there is no such tool.
pub(crate) async fn run(cx: &Cx, args: ToolsArgs) -> anyhow::Result<()> {
    match args.command {
        ToolsCommand::List(args) => list(cx, &args.whom).await,
        ToolsCommand::Explain(args) => explain(cx, args).await,
    }
}

async fn ask(cx: &Cx, whom: &Whom, name: Option<String>) -> anyhow::Result<ToolsExplainResult> {
    let client = connection::connect(cx, &whom.target, whom.patience.limit()).await?;
    let params = ToolsExplainParams {
        name,
        session_key: whom.session.clone(),
        sender: whom.sender.clone(),
        model: whom.model.clone(),
    };
    let answer = client.call::<ToolsExplain>(&params).await?;
    client.close().await;
    Ok(answer)
}

async fn list(cx: &Cx, whom: &Whom) -> anyhow::Result<()> {
    let answer = ask(cx, whom, None).await?;
    if whom.json {
        return Ok(cx.console.json(&answer)?);
    }
    let row = |tool: &ExplainedTool| {
        vec![tool.name.clone(), yes_no(tool.offered).to_owned(), tool.decided_by.clone()]
    };
    let rows: Vec<Vec<String>> = answer.tools.iter().map(row).collect();
    print(cx, &table(&["TOOL", "OFFERED", "BECAUSE"], &rows))?;
    remarks(cx, &answer.notices);
    Ok(())
}

async fn explain(cx: &Cx, args: ExplainArgs) -> anyhow::Result<()> {
    let answer = ask(cx, &args.whom, Some(args.name.clone())).await?;
    let Some(tool) = answer.tools.first() else { return Err(unknown(&args.name, &[])) };
    if args.whom.json {
        return Ok(cx.console.json(&answer)?);
    }
    if !tool.exists && (tool.layers.is_empty() || !tool.similar.is_empty() || tool.advice.is_none()) {
        return Err(unknown(&args.name, &tool.similar));
    }
    let mut about = vec![("tool", tool.name.clone()), ("session", answer.session_key.to_string())];
    about.push(("sender", answer.sender.clone().unwrap_or_else(|| "the owner".to_owned())));
    about.push(("model", answer.model.clone()));
    about.extend(answer.files.clone().map(|files| ("files", files)));
    pairs(&about).iter().try_for_each(|line| cx.console.line(line))?;
    cx.console.line("")?;
    let rows: Vec<Vec<String>> = tool.layers.iter().map(row).collect();
    print(cx, &table(&["LAYER", "VERDICT", "ENTRY", "WHERE", ""], &rows))?;
    cx.console.line("")?;
    for line in outcome(cx, tool) {
        cx.console.line(&line)?;
    }
    remarks(cx, &answer.notices);
    Ok(())
}

fn row(layer: &ExplainedLayer) -> Vec<String> {
    let verdict = match layer.verdict {
        LayerWord::Denied => "no",
        LayerWord::NotListed => "no, not listed",
        LayerWord::Allowed => "yes",
        LayerWord::Silent if layer.place.is_none() => "not configured",
        LayerWord::Silent => "says nothing",
    };
    let decides = if layer.decides { "← decides" } else { "" };
    vec![
        layer.layer.clone(),
        verdict.to_owned(),
        layer.pattern.clone().unwrap_or_default(),
        layer.place.clone().unwrap_or_default(),
        decides.to_owned(),
    ]
}

fn outcome(cx: &Cx, tool: &ExplainedTool) -> Vec<String> {
    let (mark, word) = if tool.offered { (Mark::Good, "offered") } else { (Mark::Bad, "not offered") };
    let because = if tool.allowed && !tool.exists { "the policy allows it" } else { &tool.decided_by };
    let mut lines = vec![format!("{} is {}: {because}", tool.name, cx.console.mark(mark, word))];
    lines.extend(tool.advice.as_ref().map(|advice| format!("To change that: {advice}")));
    let refusals = tool.layers.iter().filter(|layer| layer.advice.is_some()).count();
    if refusals > 1 {
        lines.push(format!("{refusals} layers refuse it; each has to agree."));
    }
    lines
}

fn unknown(name: &str, similar: &[String]) -> anyhow::Error {
    let hint = if similar.is_empty() {
        "`homard tools list` shows all".to_owned()
    } else {
        format!("did you mean {}?", similar.join(", "))
    };
    Advice::error(format!("there is no tool `{name}`"), hint)
}

fn yes_no(yes: bool) -> &'static str {
    if yes { "yes" } else { "no" }
}

fn remarks(cx: &Cx, notices: &[String]) {
    for notice in notices {
        cx.console.warn(notice);
    }
}

fn print(cx: &Cx, lines: &[String]) -> std::io::Result<()> {
    for (number, line) in lines.iter().enumerate() {
        let line = if number == 0 { cx.console.mark(Mark::Strong, line) } else { line.clone() };
        cx.console.line(&line)?;
    }
    Ok(())
}
