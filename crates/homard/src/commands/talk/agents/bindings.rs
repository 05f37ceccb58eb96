//! `homard agents bind`, `unbind` and `bindings`: the list `bindings` of the configuration, in which the first of equals
//! wins. What more a rule can ask for is written there by hand.

use clap::Args;
use homard_config::set_path;
use homard_protocol::{AccountId, AgentId};
use serde_json::{Value, json};

use crate::commands::Cx;
use crate::commands::table::table;
use crate::report::{Advice, Mark};

/// Where they are written.
const PATH: &str = "bindings";
/// What stands for any account.
const ANY: &str = "*";

#[derive(Args)]
pub(super) struct BindArgs {
    /// Which agent; the default one otherwise
    #[arg(long, value_name = "ID")]
    agent: Option<AgentId>,
    /// A platform, or a platform and one of our accounts there (`*` is any); several times
    #[arg(long, value_name = "CHANNEL[:ACCOUNT]", required = true)]
    bind: Vec<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
pub(super) struct UnbindArgs {
    /// Which agent; the default one otherwise
    #[arg(long, value_name = "ID")]
    agent: Option<AgentId>,
    /// As it was bound; several times
    #[arg(long, value_name = "CHANNEL[:ACCOUNT]", required_unless_present = "all", conflicts_with = "all")]
    bind: Vec<String>,
    /// Everything that leads to it
    #[arg(long)]
    all: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
pub(super) struct BindingsArgs {
    /// Only those of this agent
    #[arg(long, value_name = "ID")]
    agent: Option<AgentId>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Whole platforms or accounts, as they stand in a rule.
pub(super) fn read(specs: &[String]) -> anyhow::Result<Vec<Value>> {
    specs.iter().map(|spec| rule(spec)).collect()
}

fn rule(spec: &str) -> anyhow::Result<Value> {
    let (name, account) =
        spec.split_once(':').map_or((spec, None), |(name, account)| (name, Some(account.trim())));
    let entry = homard_channels::entry(name.trim()).ok_or_else(|| {
        let known: Vec<&str> = homard_channels::ENTRIES.iter().map(|entry| entry.id).collect();
        Advice::error(format!("there is no platform `{name}`"), format!("known: {}", known.join(", ")))
    })?;
    let mut rule = json!({"channel": entry.id});
    if let (Some(account), Some(fields)) =
        (account.filter(|account| !account.is_empty()), rule.as_object_mut())
    {
        if account != ANY {
            AccountId::parse(account)?;
        }
        fields.insert("accountId".to_owned(), json!(account));
    }
    Ok(rule)
}

/// What came of binding.
pub(super) struct Bound {
    agent: AgentId,
    added: Vec<Value>,
    /// Those that led there before.
    kept: Vec<Value>,
}

impl Bound {
    pub(super) fn in_json(&self) -> Value {
        json!({"agentId": self.agent, "added": self.added, "existing": self.kept})
    }

    pub(super) fn tell(&self, cx: &Cx) -> anyhow::Result<()> {
        for rule in &self.added {
            let said = format!("{} goes to {}", words(rule), self.agent);
            cx.console.line(&cx.console.mark(Mark::Good, &said))?;
        }
        for rule in &self.kept {
            cx.console.line(&format!("{} goes to {} already", words(rule), self.agent))?;
        }
        Ok(())
    }
}

/// Writes rules that send messages to an agent.
///
/// # Errors
/// When one of them leads to another agent already.
pub(super) fn add(cx: &Cx, agent: &AgentId, rules: Vec<Value>) -> anyhow::Result<Bound> {
    let mut list = written(&cx.snapshot().parsed);
    let (mut added, mut kept) = (Vec::new(), Vec::new());
    for rule in rules {
        let holder = list.iter().find(|entry| entry.get("match") == Some(&rule)).map(agent_of);
        match holder {
            Some(holder) if holder == agent.as_str() => kept.push(rule),
            Some(holder) => {
                return Err(Advice::error(
                    format!("{} goes to {holder} already", words(&rule)),
                    format!(
                        "take it away first: homard agents unbind --agent {holder} --bind {}",
                        spec(&rule)
                    ),
                ));
            }
            None => {
                list.push(json!({"agentId": agent, "match": rule}));
                added.push(rule);
            }
        }
    }
    if !added.is_empty() {
        set_path(&cx.source, PATH, Value::Array(list))?;
    }
    Ok(Bound { agent: agent.clone(), added, kept })
}

pub(super) fn bind(cx: &Cx, args: &BindArgs) -> anyhow::Result<()> {
    let agent = super::identity::named(cx, args.agent.as_ref())?;
    let bound = add(cx, &agent, read(&args.bind)?)?;
    if args.json { Ok(cx.console.json(&bound.in_json())?) } else { bound.tell(cx) }
}

pub(super) fn unbind(cx: &Cx, args: &UnbindArgs) -> anyhow::Result<()> {
    let agent = match &args.agent {
        // One that is gone may still have rules.
        Some(agent) => agent.clone(),
        None => super::identity::named(cx, None)?,
    };
    let rules = read(&args.bind)?;
    let list = written(&cx.snapshot().parsed);
    let goes = |entry: &Value| {
        agent_of(entry) == agent.as_str()
            && (args.all || entry.get("match").is_some_and(|found| rules.contains(found)))
    };
    let (gone, rest): (Vec<Value>, Vec<Value>) = list.into_iter().partition(goes);
    let is_there = |rule: &&Value| gone.iter().any(|entry| entry.get("match") == Some(*rule));
    if let Some(missing) = rules.iter().find(|rule| !is_there(rule)) {
        return Err(Advice::error(
            format!("{} does not go to {agent}", words(missing)),
            "see what does with `homard agents bindings`",
        ));
    }
    if !gone.is_empty() {
        set_path(&cx.source, PATH, Value::Array(rest))?;
    }
    if args.json {
        return Ok(cx.console.json(&json!({"agentId": agent, "removed": gone}))?);
    }
    if gone.is_empty() {
        return Ok(cx.console.line(&format!("nothing leads to {agent}"))?);
    }
    for entry in &gone {
        let said = format!("{} no longer goes to {agent}", words(entry.get("match").unwrap_or(&Value::Null)));
        cx.console.line(&cx.console.mark(Mark::Good, &said))?;
    }
    Ok(())
}

pub(super) fn list(cx: &Cx, args: &BindingsArgs) -> anyhow::Result<()> {
    let mut list = written(&cx.snapshot().resolved);
    list.retain(|entry| args.agent.as_ref().is_none_or(|agent| agent_of(entry) == agent.as_str()));
    if args.json {
        return Ok(cx.console.json(&json!({"bindings": list}))?);
    }
    if list.is_empty() {
        cx.console.note(
            "no rule sends messages to an agent: the default one answers; see `homard agents bind --help`",
        );
        return Ok(());
    }
    let row = |entry: &Value| {
        let note = entry.get("comment").and_then(Value::as_str).unwrap_or_default();
        vec![agent_of(entry).to_owned(), words(entry.get("match").unwrap_or(&Value::Null)), note.to_owned()]
    };
    let rows: Vec<Vec<String>> = list.iter().map(row).collect();
    Ok(cx.console.table(&table(&["AGENT", "ANSWERS", "NOTE"], &rows))?)
}

/// The rules of a configuration, as they are written.
pub(super) fn written(config: &Value) -> Vec<Value> {
    config.get(PATH).and_then(Value::as_array).cloned().unwrap_or_default()
}

/// What goes to an agent, in one line.
pub(super) fn of(rules: &[Value], agent: &str) -> String {
    let own = rules.iter().filter(|entry| agent_of(entry) == agent);
    let own: Vec<String> = own.map(|entry| words(entry.get("match").unwrap_or(&Value::Null))).collect();
    own.join(", ")
}

fn agent_of(entry: &Value) -> &str {
    entry.get("agentId").and_then(Value::as_str).unwrap_or_default()
}

/// A rule as `--bind` takes it.
fn spec(rule: &Value) -> String {
    let text = |name: &str| rule.get(name).and_then(Value::as_str);
    let channel = text("channel").unwrap_or_default();
    text("accountId").map_or_else(|| channel.to_owned(), |account| format!("{channel}:{account}"))
}

/// A rule in words: the platform, the account, and what else it asks for.
fn words(rule: &Value) -> String {
    let text = |pointer: &str| rule.pointer(pointer).and_then(Value::as_str);
    let mut words = vec![spec(rule)];
    if let (Some(kind), Some(id)) = (text("/peer/kind"), text("/peer/id")) {
        words.push(format!("{kind}:{id}"));
    }
    words.extend(text("/guildId").map(|id| format!("server {id}")));
    words.extend(text("/teamId").map(|id| format!("team {id}")));
    let roles = rule.get("roles").and_then(Value::as_array).into_iter().flatten();
    let roles: Vec<&str> = roles.filter_map(Value::as_str).collect();
    words.extend((!roles.is_empty()).then(|| format!("role {}", roles.join(" or "))));
    words.join(" ")
}
