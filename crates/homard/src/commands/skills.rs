//! `homard skills`: what agents have been taught, and what of it works here.
//!
//! Works without a gateway: the same files and the same code answer. A gateway is asked when it is named.

mod install;
mod words;

use std::sync::Arc;

use clap::{Args, Subcommand};
use homard_config::ConfigHandle;
use homard_config::config::agents::Agent;
use homard_policy::words::table::is_taken;
use homard_protocol::AgentId;
use homard_protocol::methods::tools::skills::{
    SkillStatus, SkillsStatus, SkillsStatusParams, SkillsStatusResult,
};
use homard_runtime::off_thread;
use homard_skills::Skills;
use serde_json::json;

use super::Cx;
use super::connection::{self, Patience, Target};
use super::table::{pairs, table};
use crate::report::{Advice, Mark};
use words::{place, standing, state};

const EXAMPLES: &str = "\
Examples:
  homard skills list --eligible
  homard skills info weather
  homard skills check
  homard skills install ./weather
  homard config set skills.entries.weather.enabled false

Skills are folders with a SKILL.md: in the workspace's skills folder for one agent, in ~/.homard/skills for all.";

/// See what agents have been taught, and what of it works here
#[derive(Args)]
#[command(after_help = EXAMPLES, args_conflicts_with_subcommands = true)]
pub(crate) struct SkillsArgs {
    #[command(subcommand)]
    command: Option<SkillsCommand>,
    #[command(flatten)]
    list: ListArgs,
}

#[derive(Subcommand)]
enum SkillsCommand {
    /// List skills
    List(ListArgs),
    /// Show everything about one skill
    Info(InfoArgs),
    /// Say which skills work, and what the others need
    Check(CheckArgs),
    Install(Box<install::InstallArgs>),
}

#[derive(Args)]
struct ListArgs {
    /// Only those the agent has
    #[arg(long)]
    eligible: bool,
    /// Also say what each is for and what it needs
    #[arg(long, short)]
    verbose: bool,
    #[command(flatten)]
    whose: Whose,
}

#[derive(Args)]
struct InfoArgs {
    /// Name of the skill
    name: String,
    #[command(flatten)]
    whose: Whose,
}

#[derive(Args)]
struct CheckArgs {
    #[command(flatten)]
    whose: Whose,
}

/// Whose skills, and who is asked.
#[derive(Args)]
struct Whose {
    /// Skills of this agent; the default one's otherwise
    #[arg(long, value_name = "ID")]
    agent: Option<AgentId>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Ask the gateway instead of this machine's files
    #[arg(long)]
    gateway: bool,
    #[command(flatten)]
    target: Target,
    #[command(flatten)]
    patience: Patience,
}

/// Runs the command.
///
/// # Errors
/// When the configuration cannot be used, there is no such agent or skill, or the gateway that was named does not
/// answer.
pub(crate) async fn run(cx: &Cx, args: SkillsArgs) -> anyhow::Result<()> {
    match args.command.unwrap_or(SkillsCommand::List(args.list)) {
        SkillsCommand::List(args) => list(cx, &args).await,
        SkillsCommand::Info(args) => info(cx, &args).await,
        SkillsCommand::Check(args) => check(cx, &args.whose).await,
        SkillsCommand::Install(args) => install::run(cx, *args).await,
    }
}

async fn list(cx: &Cx, args: &ListArgs) -> anyhow::Result<()> {
    let mut report = report(cx, &args.whose).await?;
    report.skills.retain(|skill| !args.eligible || skill.eligible);
    if args.whose.json {
        return Ok(cx.console.json(&report)?);
    }
    if report.skills.is_empty() {
        return Ok(cx.console.line("there are no skills")?);
    }
    let row = |skill: &SkillStatus| {
        let mut row = vec![state(skill).to_owned(), titled(skill), place(&skill.source).to_owned()];
        if args.verbose {
            row.extend([standing(skill), skill.description.clone()]);
        }
        row
    };
    let rows: Vec<Vec<String>> = report.skills.iter().map(row).collect();
    let heading: &[&str] =
        if args.verbose { &["STATE", "SKILL", "FROM", "NEEDS", "FOR"] } else { &["STATE", "SKILL", "FROM"] };
    for (number, line) in table(heading, &rows).iter().enumerate() {
        let line = if number == 0 { cx.console.mark(Mark::Strong, line) } else { line.clone() };
        cx.console.line(&line)?;
    }
    Ok(())
}

fn titled(skill: &SkillStatus) -> String {
    match &skill.emoji {
        Some(emoji) => format!("{} {emoji}", skill.name),
        None => skill.name.clone(),
    }
}

async fn info(cx: &Cx, args: &InfoArgs) -> anyhow::Result<()> {
    let report = report(cx, &args.whose).await?;
    let is_it = |skill: &&SkillStatus| skill.name == args.name || skill.skill_key == args.name;
    // A broken one may stand beside a good one of the same name.
    let found: Vec<&SkillStatus> = report.skills.iter().filter(is_it).collect();
    let Some(first) = found.iter().find(|skill| skill.problem.is_none()).or(found.first()) else {
        let all: Vec<&str> = report.skills.iter().map(|skill| skill.name.as_str()).collect();
        let message = format!("there is no skill `{}`", args.name);
        return Err(Advice::error(message, format!("there are: {}", all.join(", "))));
    };
    if args.whose.json {
        return Ok(cx.console.json(first)?);
    }
    let mut rows = vec![
        ("skill", titled(first)),
        ("state", format!("{}  {}", state(first), standing(first)).trim_end().to_owned()),
        ("for", first.description.clone()),
        ("from", place(&first.source).to_owned()),
        ("file", first.file_path.clone()),
    ];
    rows.extend(first.homepage.clone().map(|page| ("homepage", page)));
    rows.extend(first.command.as_ref().map(|name| ("command", format!("/{name}"))));
    rows.extend(
        first
            .primary_env
            .as_ref()
            .map(|name| ("key", format!("{name}, from skills.entries.{}.apiKey", first.skill_key))),
    );
    rows.extend(first.install.iter().map(|way| ("install", format!("{}: {}", way.id, way.label))));
    rows.extend(first.notes.iter().map(|note| ("note", note.clone())));
    for other in found.iter().filter(|other| other.file_path != first.file_path) {
        rows.push(("also", format!("{}: {}", other.file_path, standing(other))));
    }
    for line in pairs(&rows) {
        cx.console.line(&line)?;
    }
    Ok(())
}

async fn check(cx: &Cx, whose: &Whose) -> anyhow::Result<()> {
    let report = report(cx, whose).await?;
    let of = |wanted: &str| -> Vec<&SkillStatus> {
        report.skills.iter().filter(|skill| state(skill) == wanted).collect()
    };
    let groups = [
        ("ready", of("ready")),
        ("needs", of("needs")),
        ("off", of("off")),
        ("blocked", of("blocked")),
        ("broken", of("broken")),
    ];
    if whose.json {
        let names =
            |skills: &[&SkillStatus]| skills.iter().map(|skill| skill.name.clone()).collect::<Vec<_>>();
        let [ready, needs, off, blocked, broken] = groups.each_ref().map(|(_, skills)| names(skills));
        let missing: Vec<_> =
            groups[1].1.iter().map(|s| json!({"name": s.name, "missing": s.missing})).collect();
        let problems: Vec<_> =
            groups[4].1.iter().map(|s| json!({"name": s.name, "problem": s.problem})).collect();
        return Ok(cx.console.json(&json!({
            "summary": {"total": report.skills.len(), "eligible": ready.len(), "missingRequirements": needs.len(),
                "disabled": off.len(), "blocked": blocked.len(), "broken": broken.len()},
            "eligible": ready, "disabled": off, "blocked": blocked,
            "missingRequirements": missing, "broken": problems,
        }))?);
    }
    for (name, skills) in groups.iter().filter(|(_, skills)| !skills.is_empty()) {
        let mark = match *name {
            "ready" => Mark::Good,
            "broken" => Mark::Bad,
            _ => Mark::Warning,
        };
        cx.console.line(&cx.console.mark(mark, &format!("{name} ({})", skills.len())))?;
        for skill in skills {
            let why = standing(skill);
            let line = if why.is_empty() { skill.name.clone() } else { format!("{}: {why}", skill.name) };
            cx.console.line(&format!("  {line}"))?;
        }
    }
    Ok(())
}

async fn report(cx: &Cx, whose: &Whose) -> anyhow::Result<SkillsStatusResult> {
    if whose.gateway || whose.target.is_elsewhere(cx) {
        let client = connection::connect(cx, &whose.target, whose.patience.limit()).await?;
        let params = SkillsStatusParams { agent_id: whose.agent.clone(), ..SkillsStatusParams::default() };
        let report = client.call::<SkillsStatus>(&params).await?;
        client.close().await;
        return Ok(report);
    }
    let handle = ConfigHandle::open(cx.source.clone())?;
    let config = handle.current();
    let agent = match &whose.agent {
        None => config.agents.default_agent(),
        Some(id) => named(&config.agents.list, id)?,
    };
    let skills = Skills::new(handle, is_taken);
    let (config, agent) = (Arc::clone(&config), agent.clone());
    Ok(off_thread(move || skills.report(&config, &agent)).await?)
}

fn named<'a>(agents: &'a [Agent], id: &AgentId) -> anyhow::Result<&'a Agent> {
    agents.iter().find(|agent| agent.id == *id).ok_or_else(|| {
        let all: Vec<&str> = agents.iter().map(|agent| agent.id.as_str()).collect();
        Advice::error(format!("there is no agent `{id}`"), format!("there are: {}", all.join(", ")))
    })
}
