//! `homard pairing`: strangers who wrote on a chat platform, and letting them in.

use clap::{Args, Subcommand};
use homard_client::Client;
use homard_protocol::methods::channels::accounts::{
    ChannelsPairingApprove, ChannelsPairingDismiss, ChannelsPairingList, PairingApproveParams,
    PairingDismissParams, PairingListParams, PairingListResult,
};
use homard_protocol::methods::channels::pairing_rows::{OwnerBootstrap, PairingNotification, PairingRow};

use crate::commands::Cx;
use crate::commands::connection::ConnectArgs;
use crate::commands::table::table;
use crate::commands::words;
use crate::report::Mark;

const EXAMPLES: &str = "\
Examples:
  homard pairing                             who waits to be let in
  homard pairing list irc
  homard pairing approve irc H7KQ2MXP        let them in by the code they were told
  homard pairing approve H7KQ2MXP --notify   … and tell them
  homard pairing approve H7KQ2MXP --owner    … as the owner, who may use every command
  homard pairing dismiss H7KQ2MXP            forget them; they may ask again

A stranger who writes is told a code, once. It waits for an hour; no more than three wait
for one account, and nobody else is answered.";

/// Let people in who wrote on a chat platform
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct PairingArgs {
    #[command(subcommand)]
    command: Option<PairingCommand>,
    #[command(flatten)]
    list: ListArgs,
}

#[derive(Subcommand)]
enum PairingCommand {
    /// List who waits
    List(ListArgs),
    /// Let somebody in
    Approve(ApproveArgs),
    /// Forget somebody who waits
    Dismiss(DismissArgs),
}

#[derive(Args)]
struct ListArgs {
    /// Only those of this platform
    #[arg(value_name = "CHANNEL")]
    named: Option<String>,
    #[command(flatten)]
    place: Place,
    #[command(flatten)]
    reach: ConnectArgs,
}

#[derive(Args)]
struct Place {
    /// The platform
    #[arg(long)]
    channel: Option<String>,
    /// Our account there
    #[arg(long)]
    account: Option<String>,
}

#[derive(Args)]
struct Whom {
    /// The platform and the code they were told; the code alone is enough
    #[arg(value_name = "[CHANNEL] CODE", required = true, num_args = 1..=2)]
    named: Vec<String>,
    #[command(flatten)]
    place: Place,
}

#[derive(Args)]
struct ApproveArgs {
    #[command(flatten)]
    whom: Whom,
    /// Tell them
    #[arg(long)]
    notify: bool,
    /// Make them the owner, if nobody is yet
    #[arg(long)]
    owner: bool,
    #[command(flatten)]
    reach: ConnectArgs,
}

#[derive(Args)]
struct DismissArgs {
    #[command(flatten)]
    whom: Whom,
    #[command(flatten)]
    reach: ConnectArgs,
}

/// Runs the command.
///
/// # Errors
/// When there is no gateway, nobody is meant, or the gateway refuses.
pub(crate) async fn run(cx: &Cx, args: PairingArgs) -> anyhow::Result<()> {
    match args.command {
        None => list(cx, args.list).await,
        Some(PairingCommand::List(args)) => list(cx, args).await,
        Some(PairingCommand::Approve(args)) => approve(cx, args).await,
        Some(PairingCommand::Dismiss(args)) => dismiss(cx, args).await,
    }
}

/// A connection and who waits.
async fn look(
    cx: &Cx,
    reach: &ConnectArgs,
    params: PairingListParams,
) -> anyhow::Result<(Client, PairingListResult)> {
    let client = reach.connect(cx).await?;
    let known = client.call::<ChannelsPairingList>(&params).await?;
    Ok((client, known))
}

async fn list(cx: &Cx, args: ListArgs) -> anyhow::Result<()> {
    let channel = args.named.or(args.place.channel).map(|name| name.to_ascii_lowercase());
    let params = PairingListParams { channel, account_id: args.place.account };
    let (client, known) = look(cx, &args.reach, params).await?;
    client.close().await;
    if args.reach.json {
        return Ok(cx.console.json(&known)?);
    }
    if known.requests.is_empty() {
        cx.console.note(if known.accounts.is_empty() {
            "nobody waits, and no account lets strangers ask (dmPolicy `pairing`)"
        } else {
            "nobody waits"
        });
        return Ok(());
    }
    let now = cx.source.clock.now_ms();
    let rows: Vec<Vec<String>> = known.requests.iter().map(|row| shown(row, now)).collect();
    for (number, line) in
        table(&["CODE", "CHANNEL", "ACCOUNT", "WHO", "ID", "ASKED"], &rows).iter().enumerate()
    {
        let line = if number == 0 { cx.console.mark(Mark::Strong, line) } else { line.clone() };
        cx.console.line(&line)?;
    }
    cx.console.note("let one in with `homard pairing approve CHANNEL CODE`");
    Ok(())
}

fn shown(row: &PairingRow, now: i64) -> Vec<String> {
    let asked = row.created_at.parse::<jiff::Timestamp>().map(jiff::Timestamp::as_millisecond);
    vec![
        row.request_id.clone(),
        row.account.channel.clone(),
        row.account.account_id.clone(),
        plain(&row.sender_label),
        plain(&row.sender_id),
        asked.map(|at| words::ago(at, now)).unwrap_or_default(),
    ]
}

/// A stranger's own words, without what would move the cursor.
fn plain(text: &str) -> String {
    text.chars().filter(|letter| !letter.is_control()).take(48).collect()
}

/// The request somebody means.
fn meant<'a>(known: &'a PairingListResult, whom: &Whom) -> anyhow::Result<&'a PairingRow> {
    let (channel, code) = match whom.named.as_slice() {
        [channel, code] => (Some(channel), code.as_str()),
        [code] => (whom.place.channel.as_ref(), code.as_str()),
        _ => (None, ""),
    };
    let is_meant = |row: &&PairingRow| {
        row.request_id.eq_ignore_ascii_case(code.trim())
            && channel.is_none_or(|channel| row.account.channel.eq_ignore_ascii_case(channel))
            && whom.place.account.as_ref().is_none_or(|account| row.account.account_id == *account)
    };
    let found: Vec<&PairingRow> = known.requests.iter().filter(is_meant).collect();
    match found.as_slice() {
        [one] => Ok(one),
        [] => anyhow::bail!("nobody waits with the code `{}`; see `homard pairing list`", plain(code)),
        _ => anyhow::bail!("several wait with that code: name the channel, too"),
    }
}

async fn approve(cx: &Cx, args: ApproveArgs) -> anyhow::Result<()> {
    let (client, known) = look(cx, &args.reach, PairingListParams::default()).await?;
    let row = meant(&known, &args.whom)?;
    let params = PairingApproveParams {
        channel: row.account.channel.clone(),
        account_id: row.account.account_id.clone(),
        request_id: row.request_id.clone(),
        notify: args.notify.then_some(true),
        bootstrap_command_owner: args.owner.then_some(true),
    };
    let approved = client.call::<ChannelsPairingApprove>(&params).await?;
    client.close().await;
    if args.reach.json {
        return Ok(cx.console.json(&approved)?);
    }
    cx.console.line(&format!("let in: {} on {}", plain(&row.sender_label), row.account.channel))?;
    match approved.notification {
        PairingNotification::NotRequested => {}
        PairingNotification::Sent => cx.console.note("they are told"),
        PairingNotification::Unsupported => cx.console.note("the platform cannot tell them"),
        PairingNotification::Failed => cx.console.note("they could not be told; see `homard logs`"),
    }
    match approved.command_owner_bootstrap {
        OwnerBootstrap::NotRequested => {}
        OwnerBootstrap::Configured => cx.console.note("they are the owner now (commands.ownerAllowFrom)"),
        OwnerBootstrap::AlreadyConfigured => {
            cx.console.note("there is an owner already (commands.ownerAllowFrom); nothing changed");
        }
        OwnerBootstrap::Unavailable => {
            cx.console.note("the configuration could not be written; see `homard logs`");
        }
    }
    Ok(())
}

async fn dismiss(cx: &Cx, args: DismissArgs) -> anyhow::Result<()> {
    let (client, known) = look(cx, &args.reach, PairingListParams::default()).await?;
    let row = meant(&known, &args.whom)?;
    let params = PairingDismissParams {
        channel: row.account.channel.clone(),
        account_id: row.account.account_id.clone(),
        request_id: row.request_id.clone(),
    };
    let dismissed = client.call::<ChannelsPairingDismiss>(&params).await?;
    client.close().await;
    if args.reach.json {
        return Ok(cx.console.json(&dismissed)?);
    }
    cx.console.line(&format!("forgotten: {} on {}", plain(&row.sender_label), row.account.channel))?;
    Ok(())
}
