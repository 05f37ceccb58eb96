//! `homard hooks`: what runs on the gateway's own events.
//!
//! Works without a gateway: the same files and the same code answer. A gateway that runs starts again by itself when a
//! hook is switched on or off.

use clap::{Args, Subcommand};
use homard_automation::hooks::{FoundHook, find, hooks_report};
use homard_config::Config;
use homard_config::config::agents::Agent;
use homard_protocol::AgentId;
use serde_json::json;

use crate::commands::Cx;
use crate::commands::table::{pairs, table};
use crate::report::{Advice, Mark};

const EXAMPLES: &str = "\
Examples:
  homard hooks list
  homard hooks enable session-memory
  homard hooks check

A hook is a folder with a HOOK.md and a program called handler: in the workspace's hooks folder, or in ~/.homard/hooks.";

/// See and switch what runs on the gateway's own events
#[derive(Args)]
#[command(after_help = EXAMPLES, args_conflicts_with_subcommands = true)]
pub(crate) struct HooksArgs {
    #[command(subcommand)]
    command: Option<HooksCommand>,
    #[command(flatten)]
    list: ListArgs,
}

#[derive(Subcommand)]
enum HooksCommand {
    /// List hooks
    List(ListArgs),
    /// Show everything about one hook
    Info(NamedArgs),
    /// Say which hooks run, and why the others do not
    Check(WhoseArgs),
    /// Let a hook run
    Enable(NamedArgs),
    /// Keep a hook from running
    Disable(NamedArgs),
}

#[derive(Args)]
struct ListArgs {
    /// Only those that could run
    #[arg(long)]
    eligible: bool,
    /// Also say what each is for
    #[arg(long, short)]
    verbose: bool,
    #[command(flatten)]
    whose: WhoseArgs,
}

#[derive(Args)]
struct NamedArgs {
    /// Name of the hook
    name: String,
    #[command(flatten)]
    whose: WhoseArgs,
}

#[derive(Args)]
struct WhoseArgs {
    /// Look into the workspace of this agent; the default one's otherwise
    #[arg(long, value_name = "ID")]
    agent: Option<AgentId>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Runs the command.
///
/// # Errors
/// When the configuration cannot be used or written, or there is no such agent or hook.
pub(crate) fn run(cx: &Cx, args: HooksArgs) -> anyhow::Result<()> {
    match args.command.unwrap_or(HooksCommand::List(args.list)) {
        HooksCommand::List(args) => list(cx, &args),
        HooksCommand::Info(args) => info(cx, &args),
        HooksCommand::Check(args) => check(cx, &args),
        HooksCommand::Enable(args) => switch(cx, &args, true),
        HooksCommand::Disable(args) => switch(cx, &args, false),
    }
}

fn agent<'a>(config: &'a Config, whose: &WhoseArgs) -> anyhow::Result<&'a Agent> {
    let Some(id) = &whose.agent else { return Ok(config.agents.default_agent()) };
    let found = config.agents.agent(id);
    found.ok_or_else(|| Advice::error(format!("there is no agent `{id}`"), "homard agents list shows them"))
}

fn found(cx: &Cx, whose: &WhoseArgs) -> anyhow::Result<Vec<FoundHook>> {
    let config = cx.config()?;
    Ok(find(&config, &cx.snapshot().effective, &agent(&config, whose)?.workspace, &cx.source.paths))
}

fn list(cx: &Cx, args: &ListArgs) -> anyhow::Result<()> {
    if args.whose.json {
        let config = cx.config()?;
        let workspace = &agent(&config, &args.whose)?.workspace;
        let written = cx.snapshot().effective;
        return Ok(cx.console.json(&hooks_report(&config, &written, workspace, &cx.source.paths))?);
    }
    let mut hooks = found(cx, &args.whose)?;
    hooks.retain(|hook| !args.eligible || hook.is_eligible());
    let row = |hook: &FoundHook| {
        let mut row = vec![
            state(hook).to_owned(),
            hook.name.clone(),
            hook.origin.as_str().to_owned(),
            hook.events.join(" "),
        ];
        row.extend(args.verbose.then(|| hook.description.clone()));
        row
    };
    let rows: Vec<Vec<String>> = hooks.iter().map(row).collect();
    let heading = ["STATE", "HOOK", "FROM", "EVENTS", "FOR"];
    let columns = if args.verbose { heading.as_slice() } else { heading.split_at(4).0 };
    for (number, line) in table(columns, &rows).iter().enumerate() {
        let line = if number == 0 { cx.console.mark(Mark::Strong, line) } else { line.clone() };
        cx.console.line(&line)?;
    }
    Ok(())
}

/// One word for how it stands.
fn state(hook: &FoundHook) -> &'static str {
    match (hook.problem.is_some(), hook.missing.is_empty(), hook.enabled) {
        (true, ..) => "broken",
        (_, false, _) => "needs",
        (_, _, false) => "off",
        (false, true, true) => "ready",
    }
}

fn why(hook: &FoundHook) -> String {
    hook.problem.clone().unwrap_or_else(|| hook.missing.join(", "))
}

fn named(cx: &Cx, args: &NamedArgs) -> anyhow::Result<FoundHook> {
    let hooks = found(cx, &args.whose)?;
    let names: Vec<String> = hooks.iter().map(|hook| hook.name.clone()).collect();
    let found = hooks.into_iter().find(|hook| hook.name == args.name);
    found.ok_or_else(|| {
        Advice::error(format!("there is no hook `{}`", args.name), format!("there are: {}", names.join(", ")))
    })
}

fn info(cx: &Cx, args: &NamedArgs) -> anyhow::Result<()> {
    let hook = named(cx, args)?;
    if args.whose.json {
        return Ok(cx.console.json(&hook.row())?);
    }
    let mut rows = vec![
        ("hook", hook.name.clone()),
        ("state", format!("{}  {}", state(&hook), why(&hook)).trim_end().to_owned()),
        ("for", hook.description.clone()),
        ("events", hook.events.join(", ")),
        ("from", format!("{}: {}", hook.origin.as_str(), hook.dir.display())),
    ];
    rows.extend(hook.program().map(|program| ("runs", program.display().to_string())));
    for line in pairs(&rows) {
        cx.console.line(&line)?;
    }
    Ok(())
}

fn check(cx: &Cx, whose: &WhoseArgs) -> anyhow::Result<()> {
    let hooks = found(cx, whose)?;
    if whose.json {
        let of = |wanted: &str| {
            hooks.iter().filter(|hook| state(hook) == wanted).map(FoundHook::row).collect::<Vec<_>>()
        };
        return Ok(cx.console.json(&json!({
            "total": hooks.len(), "ready": of("ready"), "off": of("off"), "needs": of("needs"), "broken": of("broken"),
        }))?);
    }
    for (name, mark) in
        [("ready", Mark::Good), ("off", Mark::Warning), ("needs", Mark::Warning), ("broken", Mark::Bad)]
    {
        let of: Vec<&FoundHook> = hooks.iter().filter(|hook| state(hook) == name).collect();
        if of.is_empty() {
            continue;
        }
        cx.console.line(&cx.console.mark(mark, &format!("{name} ({})", of.len())))?;
        for hook in of {
            let reason = why(hook);
            let line = if reason.is_empty() { hook.name.clone() } else { format!("{}: {reason}", hook.name) };
            cx.console.line(&format!("  {line}"))?;
        }
    }
    Ok(())
}

fn switch(cx: &Cx, args: &NamedArgs, on: bool) -> anyhow::Result<()> {
    let hook = named(cx, args)?;
    if on && !hook.is_eligible() {
        return Err(Advice::error(format!("the hook `{}` cannot run", hook.name), why(&hook)));
    }
    homard_config::set_path(&cx.source, &format!("hooks.internal.entries.{}.enabled", hook.name), json!(on))?;
    if on && !cx.config()?.hooks.internal.enabled {
        homard_config::set_path(&cx.source, "hooks.internal.enabled", json!(true))?;
        let mut others = found(cx, &args.whose)?;
        others.retain(|other| other.enabled && other.is_eligible() && other.name != hook.name);
        if !others.is_empty() {
            let names: Vec<&str> = others.iter().map(|other| other.name.as_str()).collect();
            let names = names.join(", ");
            cx.console.note(&format!(
                "with the first one these run, too: {names}; `homard hooks disable NAME` keeps one off"
            ));
        }
    }
    if args.whose.json {
        return Ok(cx.console.json(&json!({"ok": true, "name": hook.name, "enabled": on}))?);
    }
    let words = if on { "runs from now on" } else { "does not run any more" };
    Ok(cx.console.line(&format!("{} {words}; a gateway that runs starts again", hook.name))?)
}
