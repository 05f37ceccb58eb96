//! `channels.start`, `channels.stop`, `channels.logout`: what can be done with an account on a chat platform.

use homard_channel::ChannelEntry;
use homard_policy::accounts::ChannelAccounts;
use homard_protocol::methods::channels::accounts::AccountParams;
use homard_protocol::{AccountId, ChannelId};
use serde_json::{Map, Value, json};

use crate::error::RequestError;
use crate::gateway::Gateway;
use crate::methods::config::blocking;
use crate::table::Cx;

/// Which account is meant.
struct NamedAccount {
    entry: &'static ChannelEntry,
    channel: ChannelId,
    account: AccountId,
}

fn meant(gateway: &Gateway, method: &str, params: &AccountParams) -> Result<NamedAccount, RequestError> {
    let unknown = || {
        RequestError::invalid(format!("invalid {method} channel: there is no channel `{}`", params.channel))
    };
    let entry = gateway.channels().entry(&params.channel).ok_or_else(unknown)?;
    let channel = ChannelId::parse(entry.id).map_err(|_bad| unknown())?;
    let account = match params.account_id.as_deref().map(str::trim).filter(|id| !id.is_empty()) {
        Some(id) => AccountId::parse(id)
            .map_err(|e| RequestError::invalid(format!("invalid {method} params: at /accountId: {e}")))?,
        None => gateway.relay().platforms().accounts().usual(&channel),
    };
    Ok(NamedAccount { entry, channel, account })
}

/// `channels.start`.
pub(crate) async fn start(cx: Cx, params: AccountParams) -> Result<Value, RequestError> {
    let NamedAccount { entry, channel, account } = meant(&cx.gateway, "channels.start", &params)?;
    let (started, outcome) = match cx.gateway.relay().platforms().start_channel(&channel, &account).await {
        Some(true) => (true, json!({"status": "handed-off"})),
        Some(false) => (true, json!({"status": "skipped", "reason": "it is running already"})),
        None => {
            let config = cx.gateway.config().current();
            let section =
                Value::Object(config.view::<ChannelAccounts>().get(&channel, &account).section.clone());
            let reason = if (entry.is_configured)(&section, &config.env) {
                "it is turned off, or could not be made ready; see `homard logs`"
            } else {
                "it is not configured; see `homard channels add`"
            };
            (false, json!({"status": "skipped", "reason": reason}))
        }
    };
    Ok(json!({"channel": channel, "accountId": account, "started": started, "outcome": outcome}))
}

/// `channels.stop`.
pub(crate) async fn stop(cx: Cx, params: AccountParams) -> Result<Value, RequestError> {
    let NamedAccount { channel, account, .. } = meant(&cx.gateway, "channels.stop", &params)?;
    let stopped = cx.gateway.relay().platforms().stop_channel(&channel, &account).await.is_some();
    Ok(json!({"channel": channel, "accountId": account, "stopped": stopped}))
}

/// `channels.logout`: the account is stopped, and its credentials leave the configuration.
pub(crate) async fn logout(cx: Cx, params: AccountParams) -> Result<Value, RequestError> {
    let gateway = &cx.gateway;
    let NamedAccount { entry, channel, account } = meant(gateway, "channels.logout", &params)?;
    let was_there = gateway.relay().platforms().stop_channel(&channel, &account).await.is_some();
    let snapshot = gateway.config().snapshot();
    let patch = cleared(&snapshot.parsed, entry, &account);
    let is_cleared = !patch.is_empty();
    if is_cleared {
        let patch = json!({"channels": {entry.id: patch}}).to_string();
        let (handle, hash) = (gateway.config().clone(), snapshot.hash.clone());
        let written = blocking(move || handle.merge_patch(&patch, Some(&hash), &[])).await?;
        written?;
    }
    let config = gateway.config().current();
    let section = Value::Object(config.view::<ChannelAccounts>().get(&channel, &account).section.clone());
    // Credentials of the environment are not ours to clear.
    let is_out = !(entry.is_configured)(&section, &config.env);
    Ok(json!({
        "channel": channel,
        "accountId": account,
        "cleared": is_cleared,
        "loggedOut": is_out,
        "stopped": was_there,
        "envToken": (!is_out).then_some(true),
    }))
}

/// A patch of the platform's section that takes an account's credentials out, as far as the file has them.
fn cleared(file: &Value, entry: &ChannelEntry, account: &AccountId) -> Map<String, Value> {
    let mut patch = Map::new();
    let Some(section) = file.get("channels").and_then(|channels| channels.get(entry.id)) else {
        return patch;
    };
    let own = section.get("accounts").and_then(|accounts| accounts.get(account.as_str()));
    if *account == AccountId::default_account() {
        patch = nulls(section, entry.secrets);
    }
    let of_account = own.map(|own| nulls(own, entry.secrets)).unwrap_or_default();
    if !of_account.is_empty() {
        patch.insert("accounts".to_owned(), json!({account.as_str(): of_account}));
    }
    patch
}

/// `null` at every key that is there; keys may lead into objects with dots.
fn nulls(section: &Value, keys: &[&str]) -> Map<String, Value> {
    let mut patch = Map::new();
    for key in keys {
        let parts: Vec<&str> = key.split('.').collect();
        let is_there = parts.iter().try_fold(section, |value, part| value.get(part)).is_some();
        if is_there {
            put_null(&mut patch, &parts);
        }
    }
    patch
}

fn put_null(patch: &mut Map<String, Value>, way: &[&str]) {
    match way {
        [] => {}
        [last] => {
            patch.insert((*last).to_owned(), Value::Null);
        }
        [first, rest @ ..] => {
            if let Value::Object(inner) = patch.entry((*first).to_owned()).or_insert_with(|| json!({})) {
                put_null(inner, rest);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::nulls;

    #[test]
    fn only_what_is_there_is_cleared() {
        let section = json!({"botToken": "x", "nickserv": {"password": "y", "service": "z"}, "nick": "n"});
        let patch = nulls(&section, &["botToken", "tokenFile", "nickserv.password", "nick.x"]);
        assert_eq!(json!(patch), json!({"botToken": null, "nickserv": {"password": null}}));
    }
}
