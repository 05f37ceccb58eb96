//! `homard directory`: ids of people and groups, where a message could go. No platform we know hands out a list of who
//! there is, so these are the ones that were heard and the ones the settings name.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use clap::{Args, Subcommand};
use homard_client::Client;
use homard_policy::accounts::{ChannelAccount, ChannelAccounts};
use homard_protocol::methods::channels::{ChannelsStatus, ChannelsStatusParams};
use homard_protocol::methods::sessions::{SessionsList, SessionsListParams};
use homard_protocol::session_row::SessionRow;
use homard_protocol::{ChannelId, SessionKey, SessionScope};
use homard_runtime::millis;
use serde::Serialize;
use serde_json::{Value, json};

use crate::commands::Cx;
use crate::commands::connection::{self, ConnectArgs};
use crate::commands::table::table;
use crate::report::Advice;

const EXAMPLES: &str = "\
Examples:
  homard directory self                            who we are on each platform
  homard directory peers list --channel telegram   people: who wrote, and who may
  homard directory groups list --query family
  homard message send -t telegram:-1001234 -m hi   what the ids are for

Platforms do not tell bots whom there is: listed are those who were heard, and those the settings name.";

/// How long platforms may take to say who we are.
const PROBE_WAIT: Duration = Duration::from_secs(15);
/// Conversations that are looked through.
const LOOKED_AT: u32 = 1_000;
/// Rows unless somebody says otherwise.
const DEFAULT_LIMIT: usize = 50;

/// Look up ids of people and groups
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct DirectoryArgs {
    #[command(subcommand)]
    command: DirectoryCommand,
}

#[derive(Subcommand)]
enum DirectoryCommand {
    /// Who we are on each platform
    #[command(name = "self")]
    Own(OwnArgs),
    /// People
    #[command(subcommand)]
    Peers(ListCommand),
    /// Groups and rooms
    #[command(subcommand)]
    Groups(ListCommand),
}

#[derive(Subcommand)]
enum ListCommand {
    /// List them with their ids
    List(ListArgs),
}

#[derive(Args)]
struct OwnArgs {
    /// Only this platform
    #[arg(long, value_name = "CHANNEL")]
    channel: Option<String>,
    /// Only this account of ours
    #[arg(long, value_name = "ID")]
    account: Option<String>,
    #[command(flatten)]
    reach: ConnectArgs,
}

#[derive(Args)]
struct ListArgs {
    /// Only this platform
    #[arg(long, value_name = "CHANNEL")]
    channel: Option<String>,
    /// Only what the settings of this account name, beside those who were heard
    #[arg(long, value_name = "ID")]
    account: Option<String>,
    /// Only those with this in their name or id
    #[arg(long, value_name = "TEXT")]
    query: Option<String>,
    /// How many at most
    #[arg(long, value_name = "N", default_value_t = DEFAULT_LIMIT)]
    limit: usize,
    #[command(flatten)]
    reach: ConnectArgs,
}

/// People or places.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum KnownKind {
    Person,
    Group,
}

/// Somebody or some place a message could go to.
#[derive(Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Known {
    pub(crate) channel: String,
    pub(crate) id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) name: Option<String>,
    /// Whether they were heard; otherwise only the settings name them.
    heard: bool,
}

impl Known {
    /// As `homard message send --target` takes it.
    pub(crate) fn target(&self) -> String {
        format!("{}:{}", self.channel, self.id)
    }

    fn has(&self, text: &str) -> bool {
        let text = text.to_lowercase();
        let name = self.name.as_deref().unwrap_or_default().to_lowercase();
        name.contains(&text) || self.id.to_lowercase().contains(&text)
    }
}

/// Runs the command.
///
/// # Errors
/// When there is no gateway, or no such platform.
pub(crate) async fn run(cx: &Cx, args: DirectoryArgs) -> anyhow::Result<()> {
    match args.command {
        DirectoryCommand::Own(args) => own(cx, &args).await,
        DirectoryCommand::Peers(ListCommand::List(args)) => list(cx, &args, KnownKind::Person).await,
        DirectoryCommand::Groups(ListCommand::List(args)) => list(cx, &args, KnownKind::Group).await,
    }
}

/// The platform a person means.
fn platform(name: &str) -> anyhow::Result<String> {
    let known: Vec<&str> = homard_channels::ENTRIES.iter().map(|entry| entry.id).collect();
    homard_channels::entry(name).map(|entry| entry.id.to_owned()).ok_or_else(|| {
        Advice::error(format!("there is no platform `{name}`"), format!("known: {}", known.join(", ")))
    })
}

async fn own(cx: &Cx, args: &OwnArgs) -> anyhow::Result<()> {
    let channel = args.channel.as_deref().map(platform).transpose()?;
    let wait = args.reach.patience.limit().max(PROBE_WAIT);
    let client = connection::connect(cx, &args.reach.target, wait).await?;
    let params = ChannelsStatusParams { probe: Some(true), timeout_ms: Some(millis(PROBE_WAIT)), channel };
    let status = client.call::<ChannelsStatus>(&params).await?;
    client.close().await;
    let text =
        |value: &Value, name: &str| value.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let mut rows = Vec::new();
    for (channel, accounts) in &status.channel_accounts {
        for account in accounts {
            let id = text(account, "accountId");
            if args.account.as_ref().is_some_and(|wanted| *wanted != id) {
                continue;
            }
            let bot = account.get("bot").or_else(|| account.pointer("/probe/bot"));
            let bot = bot.cloned().unwrap_or(Value::Null);
            let number = bot.get("id").map(|id| id.as_str().map_or_else(|| id.to_string(), str::to_owned));
            rows.push(
                json!({"channel": channel, "accountId": id, "id": number, "name": bot.get("username")}),
            );
        }
    }
    if args.reach.json {
        return Ok(cx.console.json(&json!({"accounts": rows}))?);
    }
    if rows.is_empty() {
        cx.console.note("no platform is set up; `homard channels add` sets one up");
        return Ok(());
    }
    let cells: Vec<Vec<String>> = rows
        .iter()
        .map(|row| ["channel", "accountId", "name", "id"].iter().map(|name| text(row, name)).collect())
        .collect();
    Ok(cx.console.table(&table(&["CHANNEL", "ACCOUNT", "WE ARE", "ID"], &cells))?)
}

async fn list(cx: &Cx, args: &ListArgs, kind: KnownKind) -> anyhow::Result<()> {
    let channel = args.channel.as_deref().map(platform).transpose()?;
    let client = args.reach.connect(cx).await?;
    let mut known = known(cx, &client, kind, args.account.as_deref()).await?;
    client.close().await;
    known.retain(|one| {
        channel.as_ref().is_none_or(|channel| one.channel == *channel)
            && args.query.as_ref().is_none_or(|query| one.has(query))
    });
    let all = known.len();
    known.truncate(args.limit);
    if args.reach.json {
        let name = if kind == KnownKind::Person { "peers" } else { "groups" };
        return Ok(cx.console.json(&json!({name: known, "total": all}))?);
    }
    if known.is_empty() {
        cx.console
            .note("nobody was heard and the settings name nobody; who writes to us first is listed then");
        return Ok(());
    }
    let row = |one: &Known| {
        let source = if one.heard { "heard" } else { "settings" };
        vec![one.target(), one.name.clone().unwrap_or_default(), source.to_owned()]
    };
    let rows: Vec<Vec<String>> = known.iter().map(row).collect();
    cx.console.table(&table(&["TARGET", "NAME", "FROM"], &rows))?;
    if all > known.len() {
        cx.console.note(&format!("{} of {all}; --limit shows more, --query fewer", known.len()));
    }
    Ok(())
}

/// Those who were heard, then those only the settings of this machine name.
///
/// # Errors
/// When the gateway does not answer.
pub(crate) async fn known(
    cx: &Cx,
    client: &Client,
    kind: KnownKind,
    account: Option<&str>,
) -> anyhow::Result<Vec<Known>> {
    let params = SessionsListParams {
        limit: Some(LOOKED_AT),
        include_derived_titles: Some(false),
        ..SessionsListParams::default()
    };
    let sessions = client.call::<SessionsList>(&params).await?.sessions;
    let mut found: BTreeMap<(bool, String, String), Known> = BTreeMap::new();
    for one in sessions.iter().filter_map(|row| heard(row, kind)) {
        found.entry((false, one.channel.clone(), one.id.clone())).or_insert(one);
    }
    for one in
        cx.snapshot().config.iter().flat_map(|config| named(&config.view::<ChannelAccounts>(), kind, account))
    {
        if !found.contains_key(&(false, one.channel.clone(), one.id.clone())) {
            found.entry((true, one.channel.clone(), one.id.clone())).or_insert(one);
        }
    }
    Ok(found.into_values().collect())
}

/// Those a name fits: called exactly that, or with that id, else those it is a part of.
pub(crate) fn named_like<'a>(known: &'a [Known], text: &str) -> Vec<&'a Known> {
    let text = text.trim_start_matches('@');
    let is_it = |one: &&Known| {
        one.id == text
            || one.target() == text
            || one.name.as_deref().is_some_and(|name| name.eq_ignore_ascii_case(text))
    };
    let exact: Vec<&Known> = known.iter().filter(is_it).collect();
    if exact.is_empty() { known.iter().filter(|one| one.has(text)).collect() } else { exact }
}

/// Who speaks in a conversation, by its key.
fn heard(row: &SessionRow, kind: KnownKind) -> Option<Known> {
    let SessionKey::Agent { scope, .. } = &row.key else { return None };
    let (channel, id) = match (scope, kind) {
        (SessionScope::Direct { channel, peer, .. }, KnownKind::Person) => (channel, peer),
        (SessionScope::Group { channel, id } | SessionScope::Channel { channel, id }, KnownKind::Group) => {
            (channel, id)
        }
        _ => return None,
    };
    let name = row.label.clone().or_else(|| row.display_name.clone()).or_else(|| row.auto_label.clone());
    Some(Known { channel: channel.to_string(), id: id.to_string(), name, heard: true })
}

/// Whom the settings name.
fn named(accounts: &ChannelAccounts, kind: KnownKind, wanted: Option<&str>) -> Vec<Known> {
    let is_wanted = |id: &str| wanted.is_none_or(|wanted| wanted == id);
    let all = accounts.all().filter(|(_, id, _)| is_wanted(id.as_str()));
    let of = |(channel, _, account): (&ChannelId, _, &Arc<ChannelAccount>)| {
        let ids = match kind {
            KnownKind::Person => [account.list("allowFrom"), account.list("groupAllowFrom")].concat(),
            KnownKind::Group => {
                let groups = account.section.get("groups").and_then(Value::as_object);
                groups.into_iter().flatten().map(|(id, _)| id.clone()).collect()
            }
        };
        let channel = channel.to_string();
        let ids: Vec<String> = ids.into_iter().filter(|id| id != "*").collect();
        ids.into_iter().map(move |id| Known { channel: channel.clone(), id, name: None, heard: false })
    };
    all.flat_map(of).collect()
}
