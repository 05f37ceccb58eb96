//! `homard route`: where a message would go, and why. Reads the configuration; needs no gateway.

use anyhow::{Context, bail};
use clap::{Args, Subcommand, ValueEnum};
use homard_channel::{Conversation, Details, Inbound, Sender, Threads};
use homard_channels::Parts;
use homard_config::Config;
use homard_config::config::bindings::PeerKind;
use homard_policy::access::{CommandRules, SenderIdentity};
use homard_policy::accounts::ChannelAccounts;
use homard_policy::routing::{
    ConsideredBinding, Destination, Explanation, Outcome, RouteRules, Speaker, explain,
};
use homard_protocol::id::slugify;
use homard_protocol::{AccountId, ChannelId, PeerId, ThreadId};
use serde::Serialize;
use serde_json::Value;

use crate::commands::Cx;
use crate::commands::table::table;
use crate::report::Mark;

const EXAMPLES: &str = "\
Examples:
  homard route explain --channel telegram --peer direct:42
  homard route explain --channel irc --account libera --peer 'channel:#rust'
  homard route explain --channel telegram --peer group:-1001 --thread 7
  homard route explain --channel discord --peer channel:900 --guild 77 --roles admin,mod --json

Bindings are tried from the most specific to the least: the conversation, the one a thread belongs
to, server and role, server, team, account, platform. Among equals the first in the file wins.";

/// See which agent would answer a message, and why
#[derive(Args)]
pub(crate) struct RouteArgs {
    #[command(subcommand)]
    command: RouteCommand,
}

#[derive(Subcommand)]
enum RouteCommand {
    /// Say which binding wins for a message, and why the others do not
    Explain(Box<ExplainArgs>),
}

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ExplainArgs {
    /// The platform
    #[arg(long, value_name = "NAME")]
    channel: String,
    /// Our account there; the usual one if absent
    #[arg(long, value_name = "NAME")]
    account: Option<String>,
    /// The conversation: direct:ID, group:ID or channel:ID
    #[arg(long, value_name = "KIND:ID", allow_hyphen_values = true)]
    peer: String,
    /// A thread or topic in it
    #[arg(long, value_name = "ID")]
    thread: Option<String>,
    /// The room it belongs to, where threads are rooms
    #[arg(long, value_name = "ID", allow_hyphen_values = true)]
    parent: Option<String>,
    /// The server it is on
    #[arg(long, value_name = "ID", conflicts_with = "team")]
    guild: Option<String>,
    /// The team it is in
    #[arg(long, value_name = "ID")]
    team: Option<String>,
    /// The sender's roles
    #[arg(long, value_name = "ROLE", value_delimiter = ',')]
    roles: Vec<String>,
    /// How the platform keeps threads; as it does if absent
    #[arg(long, value_name = "HOW")]
    threads: Option<ThreadStyle>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum ThreadStyle {
    None,
    Suffix,
    Topic,
    OwnRoom,
}

impl From<ThreadStyle> for Threads {
    fn from(style: ThreadStyle) -> Self {
        match style {
            ThreadStyle::None => Self::None,
            ThreadStyle::Suffix => Self::Suffix,
            ThreadStyle::Topic => Self::Topic,
            ThreadStyle::OwnRoom => Self::OwnRoom,
        }
    }
}

/// Runs the command.
///
/// # Errors
/// When the configuration or what was typed cannot be used.
pub(crate) fn run(cx: &Cx, args: RouteArgs) -> anyhow::Result<()> {
    let RouteCommand::Explain(args) = args.command;
    let config = cx.config()?;
    let message = message(&config, &args)?;
    let threads = match args.threads {
        Some(style) => style.into(),
        None => threads_of(cx, &config, &message),
    };
    let explanation = explain(&RouteRules::of(&config), &message, speaker(&config, &message), threads);
    if args.json {
        return Ok(cx.console.json(&report(&message, &explanation))?);
    }
    print(cx, &explanation)
}

/// Whether the owner would write it, as far as the id says.
fn speaker(config: &Config, message: &Inbound) -> Speaker {
    let accounts = config.view::<ChannelAccounts>();
    let account = accounts.get(&message.channel, &message.account);
    let who = SenderIdentity::sent(message.channel.as_str(), &message.sender, &message.details);
    Speaker::of(who.is_none_or(|who| CommandRules::of(config).is_owner(&who, &account.rules.allow)))
}

fn message(config: &Config, args: &ExplainArgs) -> anyhow::Result<Inbound> {
    let channel = args.channel.trim().to_lowercase();
    let channel = homard_channels::entry(&channel).map_or(channel.as_str(), |entry| entry.id);
    let channel = ChannelId::parse(channel).context("--channel names no platform")?;
    let account = match &args.account {
        Some(name) => AccountId::parse(&slugify(name).unwrap_or_default()).context("--account names none")?,
        None => config.view::<ChannelAccounts>().usual(&channel),
    };
    let Some((kind, id)) = args.peer.split_once(':') else {
        bail!("--peer is written as direct:ID, group:ID or channel:ID, not `{}`", args.peer);
    };
    let id = PeerId::parse(id.trim()).context("--peer names no conversation")?;
    let thread = args.thread.as_deref().map(|thread| ThreadId::parse(thread.trim()));
    let thread = thread.transpose().context("--thread names no thread")?;
    let conversation = match PeerKind::parse(kind) {
        Some(PeerKind::Direct) => Conversation::Direct { peer: id.clone(), thread },
        Some(PeerKind::Group) => Conversation::Group { id: id.clone(), thread },
        Some(PeerKind::Channel) => Conversation::Room { id: id.clone(), thread },
        None => bail!("`{kind}` is no kind of conversation; use direct, group or channel"),
    };
    let parent = args.parent.as_deref().map(|parent| PeerId::parse(parent.trim()));
    Ok(Inbound {
        channel,
        account,
        conversation,
        sender: Sender::Peer { id, name: None },
        message_id: String::new(),
        text: String::new(),
        images: Vec::new(),
        timestamp: 0,
        details: Details {
            parent: parent.transpose().context("--parent names no room")?,
            space: args.guild.clone().or_else(|| args.team.clone()),
            roles: args.roles.iter().map(|role| role.trim().to_owned()).collect(),
            ..Details::default()
        },
    })
}

/// How the platform keeps threads. An account that cannot be made ready says nothing; then a thread is a suffix, as on
/// most platforms.
fn threads_of(cx: &Cx, config: &Config, message: &Inbound) -> Threads {
    let section = config.view::<ChannelAccounts>().get(&message.channel, &message.account).section.clone();
    let built = homard_channels::entry(message.channel.as_str()).and_then(|entry| {
        let parts = Parts {
            channel: message.channel.clone(),
            account: message.account.clone(),
            section: Value::Object(section),
            env: config.env.clone(),
            state_dir: cx.source.paths.state_dir.clone(),
            clock: cx.source.clock.clone(),
            commands: Vec::new(),
            ingress: homard_channel::Ingress::default(),
        };
        (entry.build)(parts).ok()
    });
    built.map_or(Threads::Suffix, |account| account.abilities().threads)
}

fn print(cx: &Cx, explanation: &Explanation) -> anyhow::Result<()> {
    for (at, place) in explanation.destinations.iter().enumerate() {
        if at > 0 {
            cx.console.line("")?;
        }
        for (name, value) in lines_of(place) {
            cx.console.line(&format!("{} {value}", cx.console.mark(Mark::Strong, &format!("{name:<8}"))))?;
        }
        if let Some(note) = &place.note {
            cx.console.line(&cx.console.mark(Mark::Warning, note))?;
        }
    }
    cx.console.line("")?;
    if explanation.considered.is_empty() {
        return Ok(cx.console.line("There are no bindings in the configuration.")?);
    }
    let rows: Vec<Vec<String>> = explanation.considered.iter().map(row).collect();
    for (number, line) in table(&["BINDING", "AGENT", "OUTCOME", "WHY"], &rows).iter().enumerate() {
        let outcome =
            number.checked_sub(1).and_then(|at| explanation.considered.get(at)).map(|one| one.outcome);
        let line = match outcome {
            None => cx.console.mark(Mark::Strong, line),
            Some(Outcome::Won) => cx.console.mark(Mark::Good, line),
            Some(Outcome::Beaten | Outcome::Missed) => line.clone(),
        };
        cx.console.line(&line)?;
    }
    Ok(())
}

fn lines_of(place: &Destination) -> Vec<(&'static str, String)> {
    let mut lines = vec![("Agent", place.agent.to_string()), ("Session", place.session.to_string())];
    lines.extend(place.parent.as_ref().map(|parent| ("Parent", parent.to_string())));
    lines.push(("Because", place.because.clone()));
    lines
}

fn row(one: &ConsideredBinding) -> Vec<String> {
    let outcome = match one.outcome {
        Outcome::Won => "won",
        Outcome::Beaten => "beaten",
        Outcome::Missed => "missed",
    };
    vec![format!("bindings[{}]", one.index), one.agent.clone(), outcome.to_owned(), one.why.clone()]
}

/// What `--json` prints.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Report<'a> {
    channel: &'a str,
    account_id: &'a str,
    destinations: Vec<Place<'a>>,
    bindings: &'a [ConsideredBinding],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Place<'a> {
    agent_id: &'a str,
    session_key: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    parent_session_key: Option<String>,
    matched_by: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    binding: Option<usize>,
    because: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<&'a str>,
}

fn report<'a>(message: &'a Inbound, explanation: &'a Explanation) -> Report<'a> {
    let places = explanation.destinations.iter().map(|place| Place {
        agent_id: place.agent.as_str(),
        session_key: place.session.to_string(),
        parent_session_key: place.parent.as_ref().map(ToString::to_string),
        matched_by: place.tier.as_str(),
        binding: place.binding,
        because: &place.because,
        note: place.note.as_deref(),
    });
    Report {
        channel: message.channel.as_str(),
        account_id: message.account.as_str(),
        destinations: places.collect(),
        bindings: &explanation.considered,
    }
}

#[cfg(test)]
mod tests;
