//! `homard agents set-identity`: who an agent is to people.

use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;
use homard_config::config::agents::Agent;
use homard_config::config::agents::identity::Identity;
use homard_config::{Commit, Edit, edit};
use homard_protocol::AgentId;
use serde_json::{Map, Value, json};

use crate::commands::Cx;
use crate::commands::table::pairs;
use crate::report::Advice;

/// The note an agent keeps about itself.
const NOTE: &str = "IDENTITY.md";
const EXAMPLES: &str = "\
Examples:
  homard agents set-identity --name Clara --emoji 🦊
  homard agents set-identity --agent work --from-identity
  homard agents set-identity --workspace ~/work --identity-file ~/work/IDENTITY.md --name Clara";

/// Say who an agent is to people: name, manner, sign and picture
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct IdentityArgs {
    /// Which agent; the default one otherwise
    #[arg(long, value_name = "ID", conflicts_with = "workspace")]
    agent: Option<AgentId>,
    /// The one that works in this folder
    #[arg(long, value_name = "DIR")]
    workspace: Option<String>,
    /// Its name
    #[arg(long)]
    name: Option<String>,
    /// Its manner, in a few words
    #[arg(long, value_name = "TEXT")]
    theme: Option<String>,
    /// Its sign
    #[arg(long)]
    emoji: Option<String>,
    /// Its picture: a file in the workspace, or an address
    #[arg(long, value_name = "PATH|URL")]
    avatar: Option<String>,
    /// Take what is not said here from IDENTITY.md in its workspace
    #[arg(long)]
    from_identity: bool,
    /// The same from another file
    #[arg(long, value_name = "PATH", conflicts_with = "from_identity")]
    identity_file: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn set(cx: &Cx, args: IdentityArgs) -> anyhow::Result<()> {
    let config = cx.config()?;
    let agent = match &args.workspace {
        Some(folder) => {
            let folder = cx.source.paths.expand(folder);
            let found = config.agents.list.iter().find(|agent| is_same(&agent.workspace, &folder));
            found.map(|agent| agent.id.clone()).ok_or_else(|| {
                Advice::error(
                    format!("no agent works in {}", folder.display()),
                    "`homard agents` shows who works where",
                )
            })?
        }
        None => named(cx, args.agent.as_ref())?,
    };
    let workspace =
        config.agents.agent(&agent).map(|agent: &Agent| agent.workspace.clone()).unwrap_or_default();
    let note = match (&args.identity_file, args.from_identity) {
        (Some(path), _) => note(path)?,
        (None, true) => note(&workspace.join(NOTE))?,
        (None, false) => Identity::default(),
    };
    let identity = Identity {
        name: args.name.or(note.name),
        theme: args.theme.or(note.theme),
        emoji: args.emoji.or(note.emoji),
        avatar: args.avatar.or(note.avatar),
    };
    let fields = fields(&identity);
    if fields.is_empty() {
        return Err(Advice::usage(
            "nothing was said about who it is",
            "homard agents set-identity --name Clara --emoji 🦊, or --from-identity with a filled-in IDENTITY.md",
        ));
    }
    let patch =
        Edit::Patch { patch: patch(&cx.snapshot().parsed, &agent, &fields), replace_paths: Vec::new() };
    edit(&cx.source, &[patch], Commit::Write)?;
    if args.json {
        return Ok(cx.console.json(&json!({"agentId": agent, "identity": fields}))?);
    }
    let mut rows = vec![("agent", agent.to_string())];
    let said = [
        ("name", identity.name),
        ("theme", identity.theme),
        ("emoji", identity.emoji),
        ("avatar", identity.avatar),
    ];
    rows.extend(said.into_iter().filter_map(|(name, text)| Some((name, text?))));
    pairs(&rows).iter().try_for_each(|line| cx.console.line(line))?;
    Ok(())
}

/// The agent that is meant; the default one when none is named.
///
/// # Errors
/// When there is none of that id.
pub(super) fn named(cx: &Cx, id: Option<&AgentId>) -> anyhow::Result<AgentId> {
    let config = cx.config()?;
    let Some(id) = id else { return Ok(config.agents.default_agent().id.clone()) };
    if config.agents.agent(id).is_some() {
        return Ok(id.clone());
    }
    let all: Vec<&str> = config.agents.list.iter().map(|agent| agent.id.as_str()).collect();
    Err(Advice::error(format!("there is no agent `{id}`"), format!("there are: {}", all.join(", "))))
}

fn is_same(one: &Path, other: &Path) -> bool {
    one == other || matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
}

fn note(path: &Path) -> anyhow::Result<Identity> {
    let text =
        std::fs::read_to_string(path).with_context(|| format!("could not read `{}`", path.display()))?;
    let found = Identity::of_note(&text);
    if found.is_empty() {
        return Err(Advice::error(
            format!("{} does not say who the agent is", path.display()),
            "write lines such as `- Name: Clara` and `- Emoji: 🦊` into it",
        ));
    }
    Ok(found)
}

fn fields(identity: &Identity) -> Map<String, Value> {
    let said = [
        ("name", &identity.name),
        ("theme", &identity.theme),
        ("emoji", &identity.emoji),
        ("avatar", &identity.avatar),
    ];
    said.into_iter().filter_map(|(name, text)| Some((name.to_owned(), json!(text.as_ref()?)))).collect()
}

/// The change of the file: agents stand in a list or under their ids.
fn patch(parsed: &Value, agent: &AgentId, identity: &Map<String, Value>) -> Value {
    let listed = parsed.pointer("/agents/list").and_then(Value::as_array);
    let is_listed =
        listed.is_some_and(|list| list.iter().any(|entry| entry.get("id") == Some(&json!(agent))));
    match is_listed {
        true => json!({"agents": {"list": [{"id": agent, "identity": identity}]}}),
        false => json!({"agents": {"entries": {agent.as_str(): {"identity": identity}}}}),
    }
}
