//! `channels.pairing.*`: strangers who wrote to us and wait, and the owner's answers.

use homard_channel::{Address, ChatKind};
use homard_policy::access::DmPolicy;
use homard_protocol::events::{ChannelsPairingResolvedEvent, PairDecision};
use homard_protocol::methods::channels::accounts::{
    PairingApproveParams, PairingDismissParams, PairingLimits, PairingListParams, PairingListResult,
};
use homard_protocol::methods::channels::pairing_rows::{
    OwnerBootstrap, PairingAccount, PairingApproved, PairingDismissed, PairingNotification, PairingRow,
};
use homard_relay::{OutgoingText, pairing_account, pairing_row};
use homard_store::{MAX_PAIRING_PENDING, PAIRING_TTL_MS, PairingRequest};
use serde_json::json;

use crate::error::RequestError;
use crate::gateway::Gateway;
use crate::methods::config;
use crate::table::Cx;

const WELCOME: &str = "You have been let in. Write to me whenever you like.";

/// `channels.pairing.list`.
pub(crate) async fn list(cx: Cx, params: PairingListParams) -> Result<PairingListResult, RequestError> {
    let waiting = cx.gateway.store().pairing().waiting().await?;
    let accounts = accounts(&cx.gateway);
    if let Some(channel) = &params.channel {
        known_channel(&accounts, &waiting, channel)?;
    }
    let is_meant = |channel: &str, account: &str| {
        params.channel.as_deref().is_none_or(|wanted| wanted == channel)
            && params.account_id.as_deref().is_none_or(|wanted| wanted == account)
    };
    let rows = waiting.into_iter().filter(|row| is_meant(row.channel.as_str(), row.account.as_str()));
    Ok(PairingListResult {
        requests: rows.map(|request| row(&accounts, request)).collect(),
        accounts: accounts
            .into_iter()
            .filter(|known| known.pairs && is_meant(&known.row.channel, &known.row.account_id))
            .map(|known| known.row)
            .collect(),
        command_owner_configured: !cx.gateway.config().current().owners.ids().is_empty(),
        limits: PairingLimits {
            pending_per_account: MAX_PAIRING_PENDING,
            ttl_ms: PAIRING_TTL_MS.unsigned_abs(),
        },
    })
}

/// `channels.pairing.approve`.
pub(crate) async fn approve(cx: Cx, params: PairingApproveParams) -> Result<PairingApproved, RequestError> {
    let asked = find(&cx.gateway, &params.channel, &params.account_id, &params.request_id).await?;
    let store = cx.gateway.store();
    let approved = store.pairing().approve(&asked.channel, &asked.code).await?;
    let approved = approved.ok_or_else(gone)?;
    tracing::info!(
        channel = %approved.channel, account = %approved.account, sender = %approved.sender,
        "somebody was let in"
    );
    tell_resolved(&cx.gateway, &approved, PairDecision::Approved);
    let command_owner_bootstrap = if params.bootstrap_command_owner == Some(true) {
        make_owner(&cx.gateway, &approved).await
    } else {
        OwnerBootstrap::NotRequested
    };
    let notification = if params.notify == Some(true) {
        tell(&cx.gateway, &approved).await
    } else {
        PairingNotification::NotRequested
    };
    Ok(PairingApproved {
        request_id: params.request_id,
        sender_id: approved.sender.to_string(),
        notification,
        command_owner_bootstrap,
    })
}

/// `channels.pairing.dismiss`.
pub(crate) async fn dismiss(cx: Cx, params: PairingDismissParams) -> Result<PairingDismissed, RequestError> {
    let asked = find(&cx.gateway, &params.channel, &params.account_id, &params.request_id).await?;
    let store = cx.gateway.store();
    let dismissed = store.pairing().dismiss(&asked.channel, &asked.code).await?;
    let dismissed = dismissed.ok_or_else(gone)?;
    tell_resolved(&cx.gateway, &dismissed, PairDecision::Rejected);
    Ok(PairingDismissed { request_id: params.request_id, sender_id: dismissed.sender.to_string() })
}

/// One of our accounts, and whether strangers may ask there.
struct KnownAccount {
    row: PairingAccount,
    pairs: bool,
}

/// Every account the configuration has, of platforms that are on.
fn accounts(gateway: &Gateway) -> Vec<KnownAccount> {
    let accounts = gateway.relay().platforms().accounts();
    let known = accounts.all().map(|(channel, id, account)| KnownAccount {
        pairs: account.rules.enabled && account.rules.dm_policy == DmPolicy::Pairing,
        row: pairing_account(channel, &id, account.rules.name.clone()),
    });
    known.collect()
}

fn row(accounts: &[KnownAccount], request: PairingRequest) -> PairingRow {
    let (channel, account) = (request.channel.as_str(), request.account.as_str());
    let known = accounts.iter().find(|known| known.row.channel == channel && known.row.account_id == account);
    let account = known
        .map_or_else(|| pairing_account(&request.channel, &request.account, None), |known| known.row.clone());
    pairing_row(account, request)
}

/// Tells those who may decide what was decided.
fn tell_resolved(gateway: &Gateway, person: &PairingRequest, decision: PairDecision) {
    gateway.bus().publish(&ChannelsPairingResolvedEvent {
        request_id: person.code.clone(),
        channel: person.channel.to_string(),
        account_id: person.account.to_string(),
        sender_id: person.sender.to_string(),
        decision,
        ts: gateway.clock().now_ms(),
    });
}

/// A request that waits, by what a client names it: its code, at one account.
async fn find(
    gateway: &Gateway,
    channel: &str,
    account: &str,
    request_id: &str,
) -> Result<PairingRequest, RequestError> {
    let waiting = gateway.store().pairing().waiting().await?;
    let accounts = accounts(gateway);
    known_channel(&accounts, &waiting, channel)?;
    let wanted = request_id.trim();
    let is_meant = |request: &&PairingRequest| {
        (request.channel.as_str(), request.account.as_str()) == (channel, account)
            && request.code.eq_ignore_ascii_case(wanted)
    };
    if let Some(found) = waiting.iter().find(is_meant) {
        return Ok(found.clone());
    }
    let is_known =
        |known: &KnownAccount| known.pairs && known.row.channel == channel && known.row.account_id == account;
    if accounts.iter().any(is_known) {
        Err(gone())
    } else {
        Err(RequestError::invalid(format!("channel account does not use DM pairing: {channel}:{account}")))
    }
}

fn known_channel(
    accounts: &[KnownAccount],
    waiting: &[PairingRequest],
    channel: &str,
) -> Result<(), RequestError> {
    let is_known = accounts.iter().any(|known| known.row.channel == channel)
        || waiting.iter().any(|request| request.channel.as_str() == channel);
    if is_known { Ok(()) } else { Err(RequestError::invalid(format!("unknown pairing channel: {channel}"))) }
}

fn gone() -> RequestError {
    RequestError::invalid("pending DM access request no longer exists")
}

/// Writes somebody down as the owner, unless there is one.
async fn make_owner(gateway: &Gateway, person: &PairingRequest) -> OwnerBootstrap {
    if !gateway.config().current().owners.ids().is_empty() {
        return OwnerBootstrap::AlreadyConfigured;
    }
    let id = format!("{}:{}", person.channel, person.sender);
    let handle = gateway.config().clone();
    let write = config::blocking(move || handle.set_path("commands.ownerAllowFrom", json!([id]))).await;
    match write.and_then(|outcome| outcome.map_err(RequestError::from)) {
        Ok(_written) => OwnerBootstrap::Configured,
        Err(error) => {
            tracing::warn!(reason = error.message(), "the owner could not be written down");
            OwnerBootstrap::Unavailable
        }
    }
}

/// Tells somebody that they are in.
async fn tell(gateway: &Gateway, person: &PairingRequest) -> PairingNotification {
    let saying = OutgoingText {
        address: Address {
            channel: person.channel.clone(),
            account: person.account.clone(),
            chat: ChatKind::Direct,
            to: person.sender.clone(),
            thread: None,
        },
        text: WELCOME.to_owned(),
        reply_to: None,
        key: format!("pairing-approved:{}", person.code),
    };
    match gateway.relay().platforms().say(saying).await {
        Ok(()) => PairingNotification::Sent,
        Err(error) => {
            tracing::warn!(%error, "somebody who was let in could not be told");
            PairingNotification::Failed
        }
    }
}
