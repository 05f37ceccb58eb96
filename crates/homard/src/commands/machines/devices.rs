//! `homard devices`: which devices may connect, which ask to, and ending their right to. `resolve` finds the one a
//! person means and puts it into words.

mod join_code;
mod resolve;

use clap::{Args, Subcommand};
use homard_client::Client;
use homard_protocol::method::NoParams;
use homard_protocol::methods::devices::{
    DeviceLabel, DevicePairApprove, DevicePairList, DevicePairListResult, DevicePairReject, DevicePairRemove,
    DevicePairRename, DeviceParams, DeviceRequestParams, DeviceTokenParams, DeviceTokenRevoke,
    DeviceTokenRotate, DeviceTokenRotateParams, PairedDeviceRow, PendingDeviceRow,
};
use homard_protocol::{DeviceId, Role, Word};
use serde_json::json;

use self::resolve::{device, name_of, request, who};
use crate::cli::words_of;
use crate::commands::connection::ConnectArgs;
use crate::commands::table::table;
use crate::commands::{Cx, terminal, words};
use crate::report::Advice;

const EXAMPLES: &str = "\
Examples:
  homard devices                             what waits, and what may connect
  homard devices approve 3f9a1c02            the first characters of an id are enough
  homard devices approve --latest
  homard devices reject 3f9a1c02
  homard devices rename --device 9b1c --name \"Kitchen tablet\"
  homard devices rotate --device 9b1c        a new token; the old one is dead
  homard devices revoke --device 9b1c        no token until it knows the gateway's secret again
  homard devices remove 9b1c                 it must ask to be paired again
  homard devices clear --pending --yes       turn away all that wait
  homard devices join-code                   an address another machine joins by, once

A device on the gateway's own machine is let in by the gateway's secret alone; `homard qr`
lets a phone in.
Changing that secret ends the tokens of all devices.";

const ROLES: [&str; 2] = ["operator", "node"];

/// Decide which devices may connect
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct DevicesArgs {
    #[command(subcommand)]
    command: Option<DevicesCommand>,
    #[command(flatten)]
    list: ListArgs,
}

#[derive(Subcommand)]
enum DevicesCommand {
    /// List what waits, and what may connect
    List(ListArgs),
    /// Let a device in that waits
    Approve(ApproveArgs),
    /// Turn a device away that waits
    Reject(RejectArgs),
    /// Forget a device; it must ask to be paired again
    Remove(RemoveArgs),
    /// Forget every device, or turn away all that wait
    Clear(ClearArgs),
    /// Give a device a name of your own
    Rename(RenameArgs),
    /// Replace a device's token; the old one opens no door any more
    Rotate(RotateArgs),
    /// End a device's token
    Revoke(RevokeArgs),
    /// Make an address that another machine joins by, once
    JoinCode(join_code::JoinCodeArgs),
}

#[derive(Args)]
struct ListArgs {
    #[command(flatten)]
    reach: ConnectArgs,
}

#[derive(Args)]
struct ApproveArgs {
    /// Which request, as `homard devices` lists it
    #[arg(value_name = "REQUEST")]
    id: Option<String>,
    /// The one that asked last
    #[arg(long, conflicts_with = "id")]
    latest: bool,
    #[command(flatten)]
    reach: ConnectArgs,
}

#[derive(Args)]
struct RejectArgs {
    /// Which request, as `homard devices` lists it
    #[arg(value_name = "REQUEST")]
    id: String,
    #[command(flatten)]
    reach: ConnectArgs,
}

#[derive(Args)]
struct RemoveArgs {
    /// Which device: its id, the beginning of it, or its name
    #[arg(value_name = "DEVICE")]
    id: String,
    #[command(flatten)]
    reach: ConnectArgs,
}

#[derive(Args)]
struct ClearArgs {
    /// Yes, all of them
    #[arg(long)]
    yes: bool,
    /// Only those that wait to be let in
    #[arg(long)]
    pending: bool,
    #[command(flatten)]
    reach: ConnectArgs,
}

#[derive(Args)]
struct RenameArgs {
    /// Which device: its id, the beginning of it, or its name
    #[arg(long)]
    device: String,
    /// What to call it
    #[arg(long)]
    name: String,
    #[command(flatten)]
    reach: ConnectArgs,
}

#[derive(Args)]
struct RotateArgs {
    #[command(flatten)]
    whose: Whose,
    /// What the new token may do, at most what the device is approved for; as before otherwise
    #[arg(long = "scope", value_name = "SCOPE")]
    scopes: Vec<String>,
    #[command(flatten)]
    reach: ConnectArgs,
}

#[derive(Args)]
struct RevokeArgs {
    #[command(flatten)]
    whose: Whose,
    #[command(flatten)]
    reach: ConnectArgs,
}

#[derive(Args)]
struct Whose {
    /// Which device: its id, the beginning of it, or its name
    #[arg(long)]
    device: String,
    /// Which of its tokens
    #[arg(long, default_value = "operator", value_parser = words_of::<Role>(&ROLES))]
    role: Role,
}

/// Runs the command.
///
/// # Errors
/// When there is no gateway, nothing is meant, or the gateway refuses.
pub(crate) async fn run(cx: &Cx, args: DevicesArgs) -> anyhow::Result<()> {
    match args.command {
        None => list(cx, &args.list.reach).await,
        Some(DevicesCommand::List(args)) => list(cx, &args.reach).await,
        Some(DevicesCommand::Approve(args)) => approve(cx, &args).await,
        Some(DevicesCommand::Reject(args)) => reject(cx, &args).await,
        Some(DevicesCommand::Remove(args)) => remove(cx, &args).await,
        Some(DevicesCommand::Clear(args)) => clear(cx, &args).await,
        Some(DevicesCommand::Rename(args)) => rename(cx, args).await,
        Some(DevicesCommand::Rotate(args)) => rotate(cx, args).await,
        Some(DevicesCommand::Revoke(args)) => revoke(cx, &args).await,
        Some(DevicesCommand::JoinCode(args)) => join_code::run(cx, args).await,
    }
}

/// A connection and what is known.
async fn look(cx: &Cx, reach: &ConnectArgs) -> anyhow::Result<(Client, DevicePairListResult)> {
    let client = reach.connect(cx).await?;
    let known = client.call::<DevicePairList>(&NoParams {}).await?;
    Ok((client, known))
}

async fn list(cx: &Cx, reach: &ConnectArgs) -> anyhow::Result<()> {
    let (client, known) = look(cx, reach).await?;
    client.close().await;
    if reach.json {
        return Ok(cx.console.json(&known)?);
    }
    let now = cx.source.clock.now_ms();
    if !known.pending.is_empty() {
        let rows: Vec<Vec<String>> = known.pending.iter().map(|asks| pending_row(asks, now)).collect();
        cx.console.table(&table(&["REQUEST", "WHO", "FROM", "WANTS", "ASKED"], &rows))?;
        cx.console.note(
            "let one in with `homard devices approve REQUEST`, or turn it away with `… reject REQUEST`",
        );
        cx.console.line("")?;
    }
    if known.paired.is_empty() {
        cx.console.note("no device is paired yet; one on another machine asks when it connects");
        return Ok(());
    }
    let rows: Vec<Vec<String>> = known.paired.iter().map(|device| paired_row(device, now)).collect();
    Ok(cx
        .console
        .table(&table(&["DEVICE", "NAME", "ROLES", "SCOPES", "APPROVED", "SEEN", "TOKENS"], &rows))?)
}

fn pending_row(asks: &PendingDeviceRow, now: i64) -> Vec<String> {
    vec![
        words::short(&asks.request_id),
        who(asks),
        resolve::place(asks),
        resolve::wants(asks.role.as_str(), &asks.scopes),
        words::ago(asks.ts, now),
    ]
}

fn paired_row(device: &PairedDeviceRow, now: i64) -> Vec<String> {
    let seen = match device.last_seen_at_ms {
        _ if device.connected => "connected".to_owned(),
        Some(at) => words::ago(at, now),
        None => "never".to_owned(),
    };
    let tokens: Vec<String> = device
        .tokens
        .iter()
        .map(|token| {
            if token.revoked_at_ms.is_some() {
                format!("{} (revoked)", token.role)
            } else {
                token.role.to_string()
            }
        })
        .collect();
    vec![
        words::short(device.device_id.as_str()),
        name_of(device),
        device.roles.iter().map(Word::as_str).collect::<Vec<_>>().join(", "),
        resolve::scopes(&device.scopes),
        device.approved_via.as_ref().map(ToString::to_string).unwrap_or_default(),
        seen,
        if tokens.is_empty() { "none".to_owned() } else { tokens.join(", ") },
    ]
}

async fn approve(cx: &Cx, args: &ApproveArgs) -> anyhow::Result<()> {
    let (client, known) = look(cx, &args.reach).await?;
    let asks = match &args.id {
        Some(id) => request(&known.pending, id)?,
        None => resolve::latest(&known.pending, args.latest)?,
    };
    let params = DeviceRequestParams { request_id: asks.request_id.clone() };
    let approved = client.call::<DevicePairApprove>(&params).await?;
    client.close().await;
    if args.reach.json {
        return Ok(cx.console.json(&approved)?);
    }
    cx.console.line(&format!(
        "approved: {}, {}",
        who(asks),
        resolve::wants(asks.role.as_str(), &asks.scopes)
    ))?;
    cx.console.note("the device gets its token when it connects the next time");
    Ok(())
}

async fn reject(cx: &Cx, args: &RejectArgs) -> anyhow::Result<()> {
    let (client, known) = look(cx, &args.reach).await?;
    let asks = request(&known.pending, &args.id)?;
    let params = DeviceRequestParams { request_id: asks.request_id.clone() };
    let rejected = client.call::<DevicePairReject>(&params).await?;
    client.close().await;
    if args.reach.json {
        return Ok(cx.console.json(&rejected)?);
    }
    cx.console.line(&format!("rejected: {}", who(asks)))?;
    cx.console.note("it knows the gateway's secret; if it should not, set a new one: `homard config set gateway.auth.token …`");
    Ok(())
}

async fn remove(cx: &Cx, args: &RemoveArgs) -> anyhow::Result<()> {
    let (client, known) = look(cx, &args.reach).await?;
    let meant = device(&known.paired, &args.id)?;
    let removed =
        client.call::<DevicePairRemove>(&DeviceParams { device_id: meant.device_id.clone() }).await?;
    client.close().await;
    if args.reach.json {
        return Ok(cx.console.json(&removed)?);
    }
    cx.console.line(&format!("removed: {}", name_of(meant)))?;
    cx.console.note("if it connects again, it has to be approved again");
    Ok(())
}

async fn clear(cx: &Cx, args: &ClearArgs) -> anyhow::Result<()> {
    let what = if args.pending { "all that wait" } else { "every device; each must be paired again" };
    let is_sure =
        args.yes || (terminal::is_manned() && terminal::confirm(cx.console, &format!("Forget {what}?"))?);
    if !is_sure {
        return Err(Advice::usage(
            format!("this would forget {what}"),
            "homard devices clear --yes, or --pending --yes",
        ));
    }
    let (client, known) = look(cx, &args.reach).await?;
    let mut gone = Vec::new();
    for asks in &known.pending {
        let params = DeviceRequestParams { request_id: asks.request_id.clone() };
        client.call::<DevicePairReject>(&params).await?;
        gone.push(asks.request_id.to_string());
    }
    if !args.pending {
        for device in &known.paired {
            let params = DeviceParams { device_id: device.device_id.clone() };
            client.call::<DevicePairRemove>(&params).await?;
            gone.push(device.device_id.to_string());
        }
    }
    client.close().await;
    if args.reach.json {
        return Ok(cx.console.json(&json!({"ok": true, "removed": gone}))?);
    }
    Ok(cx.console.line(&format!("{} gone", gone.len()))?)
}

async fn rename(cx: &Cx, args: RenameArgs) -> anyhow::Result<()> {
    let (client, known) = look(cx, &args.reach).await?;
    let device_id = device(&known.paired, &args.device)?.device_id.clone();
    let renamed = client.call::<DevicePairRename>(&DeviceLabel { device_id, label: args.name }).await?;
    client.close().await;
    if args.reach.json {
        return Ok(cx.console.json(&renamed)?);
    }
    Ok(cx.console.line(&format!("{} is {} now", words::short(renamed.device_id.as_str()), renamed.label))?)
}

async fn rotate(cx: &Cx, args: RotateArgs) -> anyhow::Result<()> {
    let (client, known) = look(cx, &args.reach).await?;
    let meant = device(&known.paired, &args.whose.device)?;
    let params = DeviceTokenRotateParams {
        device_id: meant.device_id.clone(),
        role: args.whose.role,
        scopes: (!args.scopes.is_empty()).then_some(args.scopes),
    };
    let rotated = client.call::<DeviceTokenRotate>(&params).await?;
    client.close().await;
    if args.reach.json {
        return Ok(cx.console.json(&rotated)?);
    }
    cx.console.line(&format!(
        "rotated: {}, {}",
        name_of(meant),
        resolve::wants(rotated.role.as_str(), &rotated.scopes)
    ))?;
    cx.console.note(
        "the old token is dead; the device gets the new one when it connects with the gateway's secret",
    );
    Ok(())
}

async fn revoke(cx: &Cx, args: &RevokeArgs) -> anyhow::Result<()> {
    let (client, known) = look(cx, &args.reach).await?;
    let meant = device(&known.paired, &args.whose.device)?;
    let device_id: DeviceId = meant.device_id.clone();
    let revoked =
        client.call::<DeviceTokenRevoke>(&DeviceTokenParams { device_id, role: args.whose.role }).await?;
    client.close().await;
    if args.reach.json {
        return Ok(cx.console.json(&revoked)?);
    }
    cx.console.line(&format!("revoked: {} as {}", name_of(meant), revoked.role))?;
    cx.console.note("a device that knows the gateway's secret gets a new token; `homard devices remove` makes it ask first");
    Ok(())
}
