//! `channels.status`: the chat platforms and how our accounts there are; `channels.platforms`: which can be set up.

pub(crate) mod account_actions;
pub(crate) mod accounts;
pub(crate) mod check;
pub(crate) mod dead_letters;
pub(crate) mod delivery;
pub(crate) mod pairing;
pub(crate) mod sending;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use futures_util::future::join_all;
use homard_channel::{Abilities, Act, ChannelEntry, Threads};
use homard_policy::accounts::ChannelAccounts;
use homard_protocol::method::NoParams;
use homard_protocol::methods::channels::accounts::{
    ChannelsLogout, ChannelsPairingApprove, ChannelsPairingDismiss, ChannelsPairingList, ChannelsStart,
    ChannelsStop, WebLoginStart, WebLoginWait,
};
use homard_protocol::methods::channels::check::ChannelsCheck;
use homard_protocol::methods::channels::dead_letters::ChannelsDeadLetters;
use homard_protocol::methods::channels::sending::{MessageAction, Poll, Send};
use homard_protocol::methods::channels::{
    ChannelPlatform, ChannelsPlatforms, ChannelsPlatformsResult, ChannelsStatus, ChannelsStatusParams,
    ChannelsStatusResult,
};
use homard_protocol::{AccountId, ChannelId};
use homard_relay::{AccountStatus, SendError};
use homard_runtime::CollectOrdered as _;
use homard_runtime::millis_i64;
use serde_json::{Map, Value, json};

use super::check_range;
use crate::error::RequestError;
use crate::gateway::Gateway;
use crate::table::{Cx, MethodTable};

/// How long platforms may take to answer unless told otherwise.
const PROBE_MS: u64 = 10_000;
/// How long they may take at most.
const MAX_PROBE_MS: u64 = 30_000;

/// The methods of this family.
pub(super) fn register(table: MethodTable) -> MethodTable {
    table
        .on::<ChannelsCheck, _, _>(check::check)
        .on::<ChannelsDeadLetters, _, _>(dead_letters::list)
        .on::<ChannelsLogout, _, _>(account_actions::logout)
        .on::<ChannelsPairingApprove, _, _>(pairing::approve)
        .on::<ChannelsPairingDismiss, _, _>(pairing::dismiss)
        .on::<ChannelsPairingList, _, _>(pairing::list)
        .on::<ChannelsPlatforms, _, _>(platforms)
        .on::<ChannelsStart, _, _>(account_actions::start)
        .on::<ChannelsStatus, _, _>(status)
        .on::<ChannelsStop, _, _>(account_actions::stop)
        .on::<MessageAction, _, _>(sending::action)
        .on::<Poll, _, _>(sending::poll)
        .on::<Send, _, _>(sending::send)
        .on::<WebLoginStart, _, _>(accounts::login_start)
        .on::<WebLoginWait, _, _>(accounts::login_wait)
}

/// `channels.status`.
pub(super) async fn status(
    cx: Cx,
    params: ChannelsStatusParams,
) -> Result<ChannelsStatusResult, RequestError> {
    check_range("channels.status", "timeoutMs", params.timeout_ms, 0..=u64::MAX)?;
    let only = match params.channel.as_deref() {
        Some(name) => {
            let unknown = || RequestError::invalid(format!("unknown channel: {name}"));
            Some(cx.gateway.channels().entry(name).ok_or_else(unknown)?.id)
        }
        None => None,
    };
    let gateway = &cx.gateway;
    let mut accounts = accounts(gateway);
    accounts.retain(|account| only.is_none_or(|only| account.entry.id == only));
    if params.probe == Some(true) {
        let limit = params.timeout_ms.unwrap_or(PROBE_MS).clamp(1, MAX_PROBE_MS);
        let limit = Duration::from_millis(limit);
        let asked = accounts.iter().filter(|account| account.status.is_some());
        let probes = asked.map(async |account| (account.name(), probe(gateway, account, limit).await));
        let mut probes: BTreeMap<_, _> = join_all(probes).await.into_iter().collect_map();
        for account in &mut accounts {
            account.probe = probes.remove(&account.name());
        }
        // What the probe found is in the status now.
        let fresh = gateway.relay().platforms().channel_status();
        for account in &mut accounts {
            let is_it = |status: &&AccountStatus| {
                (status.channel.as_str(), &status.account) == (account.entry.id, &account.id)
            };
            account.status = fresh.iter().find(is_it).cloned();
        }
    }
    for count in gateway.store().outbox().counts().await? {
        let name = (count.channel.as_str(), &count.account);
        if let Some(account) = accounts.iter_mut().find(|account| (account.entry.id, &account.id) == name) {
            account.outbox = Some(json!({
                "waiting": count.waiting, "oldestAt": count.oldest_at, "sent": count.sent, "failed": count.failed,
                "ambiguous": count.ambiguous,
            }));
        }
    }
    Ok(told(gateway, &accounts))
}

/// `channels.platforms`.
pub(super) async fn platforms(cx: Cx, _params: NoParams) -> Result<ChannelsPlatformsResult, RequestError> {
    let told = |entry: &ChannelEntry| ChannelPlatform {
        id: entry.id.to_owned(),
        label: entry.label.to_owned(),
        summary: entry.summary.to_owned(),
        secrets: entry.secrets.iter().map(|&key| key.to_owned()).collect(),
        schema: (entry.keys.own)(),
    };
    Ok(ChannelsPlatformsResult { platforms: cx.gateway.channels().entries().iter().map(told).collect() })
}

/// How every platform is, as far as is known without asking it.
pub(crate) fn known(gateway: &Gateway) -> ChannelsStatusResult {
    told(gateway, &accounts(gateway))
}

/// An account that is configured, or known to the relay.
struct Account {
    entry: &'static ChannelEntry,
    id: AccountId,
    /// What the relay says, where it knows it.
    status: Option<AccountStatus>,
    /// What the owner wrote: the platform's section with the account's own values over it.
    section: Map<String, Value>,
    is_configured: bool,
    probe: Option<Value>,
    /// What waits to be sent, and what became of the rest.
    outbox: Option<Value>,
}

impl Account {
    fn name(&self) -> (&'static str, AccountId) {
        (self.entry.id, self.id.clone())
    }

    fn is_enabled(&self) -> bool {
        self.section.get("enabled").and_then(Value::as_bool) != Some(false)
    }
}

/// The accounts there are, in the order people are shown.
fn accounts(gateway: &Gateway) -> Vec<Account> {
    let config = gateway.config().current();
    let written = config.view::<ChannelAccounts>();
    let known = gateway.relay().platforms().channel_status();
    let mut all = Vec::new();
    for entry in gateway.channels().entries() {
        let Ok(channel) = ChannelId::parse(entry.id) else { continue };
        let mut ids: BTreeSet<AccountId> = written.of_platform(&channel).map(|(id, _)| id).collect_set();
        ids.extend(
            known.iter().filter(|status| status.channel == channel).map(|status| status.account.clone()),
        );
        if ids.is_empty() && (entry.is_configured)(&Value::Null, &config.env) {
            ids.insert(AccountId::default_account());
        }
        for id in ids {
            let section = written.get(&channel, &id).section.clone();
            let is_configured = (entry.is_configured)(&Value::Object(section.clone()), &config.env);
            let status =
                known.iter().find(|status| status.channel == channel && status.account == id).cloned();
            all.push(Account { entry, id, status, section, is_configured, probe: None, outbox: None });
        }
    }
    all
}

async fn probe(gateway: &Gateway, account: &Account, limit: Duration) -> Value {
    let Ok(channel) = ChannelId::parse(account.entry.id) else { return Value::Null };
    let began = gateway.clock().now_ms();
    let answer = gateway.relay().platforms().probe_channel(&channel, &account.id, limit).await;
    let elapsed = gateway.clock().now_ms().saturating_sub(began);
    match answer {
        Ok(probe) => json!({
            "ok": true,
            "elapsedMs": elapsed,
            "bot": {"id": probe.id, "username": probe.username},
            "facts": probe.facts,
            "advice": probe.advice,
        }),
        Err(error @ (SendError::NotConnected { .. } | SendError::Channel(_))) => {
            json!({"ok": false, "elapsedMs": elapsed, "error": error.to_string()})
        }
        Err(error) => {
            tracing::warn!(%error, channel = account.entry.id, "a platform could not be asked");
            json!({"ok": false, "elapsedMs": elapsed, "error": "could not be asked; see the log"})
        }
    }
}

fn told(gateway: &Gateway, accounts: &[Account]) -> ChannelsStatusResult {
    let now = gateway.clock().now_ms();
    let mut result = ChannelsStatusResult { ts: now, ..ChannelsStatusResult::default() };
    for account in accounts {
        let id = account.entry.id.to_owned();
        if !result.channel_order.contains(&id) {
            result.channel_order.push(id.clone());
            result.channel_labels.insert(id.clone(), account.entry.label.to_owned());
            result.channel_detail_labels.insert(id.clone(), account.entry.summary.to_owned());
            result.channel_meta.push(json!({
                "id": id, "label": account.entry.label, "detailLabel": account.entry.summary,
            }));
            if let Ok(channel) = ChannelId::parse(&id) {
                let default = gateway.relay().platforms().accounts().usual(&channel).to_string();
                result.channel_default_account_id.insert(id.clone(), default);
            }
        }
        let row = row(gateway, account, now);
        result.status_issues.extend(issues(account));
        result.channel_accounts.entry(id).or_default().push(row);
    }
    for (id, rows) in &result.channel_accounts {
        let default = result.channel_default_account_id.get(id);
        let is_default =
            |row: &&Value| row.get("accountId").and_then(Value::as_str) == default.map(String::as_str);
        if let Some(row) = rows.iter().find(is_default).or(rows.first()) {
            result.channels.insert(id.clone(), summary(row));
        }
    }
    result
}

/// What is told about a platform: what is told about its usual account, without whose it is.
fn summary(row: &Value) -> Value {
    let mut fields = row.as_object().cloned().unwrap_or_default();
    fields.remove("accountId");
    fields.remove("name");
    Value::Object(fields)
}

fn row(gateway: &Gateway, account: &Account, now: i64) -> Value {
    let said = |key: &str| account.section.get(key).cloned();
    let mut row = json!({
        "accountId": account.id,
        "name": said("name"),
        "enabled": account.is_enabled(),
        "configured": account.is_configured,
        "running": false,
        "connected": false,
        "dmPolicy": said("dmPolicy").unwrap_or_else(|| json!("pairing")),
    });
    let details = (account.entry.details)(&Value::Object(account.section.clone()));
    let details = details.into_iter().map(|(label, text)| json!({"label": label, "text": text}));
    let Some(fields) = row.as_object_mut() else { return row };
    fields.insert("details".to_owned(), details.collect());
    if let Some(status) = &account.status {
        let AccountStatus { running, connected, reconnect_attempts, last_error, .. } = status;
        fields.extend([
            ("running".to_owned(), json!(running)),
            ("connected".to_owned(), json!(connected)),
            ("reconnectAttempts".to_owned(), json!(reconnect_attempts)),
            ("lastStartAt".to_owned(), json!(status.last_start_at)),
            ("lastStopAt".to_owned(), json!(status.last_stop_at)),
            ("lastError".to_owned(), json!(last_error)),
            ("lastInboundAt".to_owned(), json!(status.last_inbound_at)),
            ("lastOutboundAt".to_owned(), json!(status.last_outbound_at)),
            ("lastTransportActivityAt".to_owned(), json!(status.last_sign_at)),
            ("healthState".to_owned(), json!(health(gateway, status, now))),
        ]);
        if let Some(abilities) =
            gateway.relay().platforms().channel_abilities(&status.channel, &status.account)
        {
            fields.insert("capabilities".to_owned(), capabilities(&abilities));
        }
        if let Some(probe) = &status.probe {
            fields.insert("bot".to_owned(), json!({"id": probe.id, "username": probe.username}));
        }
    }
    if let Some(outbox) = &account.outbox {
        fields.insert("outbox".to_owned(), outbox.clone());
    }
    if let Some(probe) = &account.probe {
        fields.insert("probe".to_owned(), probe.clone());
        fields.insert("lastProbeAt".to_owned(), json!(now));
    }
    row
}

/// What a platform can do, as data for people and programs.
fn capabilities(abilities: &Abilities) -> Value {
    json!({
        "chatTypes": abilities.chats,
        "textLimit": abilities.text_limit,
        "media": abilities.media,
        "reply": abilities.can(Act::Reply),
        "edit": abilities.can(Act::Edit),
        "delete": abilities.can(Act::Delete),
        "reactions": abilities.can(Act::React),
        "pins": abilities.can(Act::Pin),
        "buttons": abilities.can(Act::Buttons),
        "threads": abilities.threads != Threads::None,
        "polls": abilities.polls.is_some(),
        "typing": abilities.typing.is_some(),
        "nativeCommands": abilities.native_commands.is_some(),
    })
}

/// Whether an account is well, quiet or dead, in one word. A platform that says nothing at all for longer than it
/// ever does is dead, however quiet people may be.
fn health(gateway: &Gateway, status: &AccountStatus, now: i64) -> &'static str {
    let limit = gateway.relay().platforms().channel_abilities(&status.channel, &status.account);
    let limit = limit.map_or(i64::MAX, |abilities| millis_i64(abilities.silence_limit));
    match status.last_sign_at {
        _ if !status.running => "not-running",
        _ if !status.connected => "disconnected",
        Some(sign) if now.saturating_sub(sign) > limit => "stale-socket",
        Some(_) | None => "healthy",
    }
}

fn issues(account: &Account) -> Vec<Value> {
    let issue = |kind: &str, message: String, fix: Option<&str>| json!({"channel": account.entry.id, "accountId": account.id, "kind": kind, "message": message, "fix": fix});
    let mut found = Vec::new();
    if account.is_enabled() && !account.is_configured {
        let fix = format!("homard channels add --channel {}", account.entry.id);
        found.push(issue("config", "credentials are missing".to_owned(), Some(&fix)));
    }
    if let Some(error) = account.status.as_ref().and_then(|status| status.last_error.clone()) {
        found.push(issue("runtime", error, Some("homard channels status --probe")));
    }
    let advice = account.status.iter().filter_map(|status| status.probe.as_ref());
    found.extend(
        advice.flat_map(|probe| &probe.advice).map(|words| issue("permissions", words.clone(), None)),
    );
    found
}
