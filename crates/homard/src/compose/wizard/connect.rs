//! From the settings to the platforms an account can be set up at, and from what was agreed to a connected account.

use std::time::Duration;

use homard_channel::{ChannelRegistry, Form};
use homard_config::ConfigHandle;
use homard_gateway::{AccountTrial, WizardRefusal};
use homard_policy::access::DmPolicy;
use homard_policy::accounts::ChannelAccounts;
use homard_protocol::{AccountId, ChannelId};
use serde_json::{Map, Value, json};

use super::Wizards;
use super::accounts::{AccountScript, Platform};

/// How long a platform may take to say who we are.
const TRIAL_LIMIT: Duration = Duration::from_secs(15);
/// How long the account may take to come up once it is written.
const START_LIMIT: Duration = Duration::from_secs(5);
/// Between two looks at it.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// The conversation about an account, with what is written now; `wanted` names a platform.
pub(crate) fn account_script(
    config: &ConfigHandle,
    known: ChannelRegistry,
    wanted: Option<&str>,
) -> Result<AccountScript, WizardRefusal> {
    let wanted = wanted.map(str::trim).filter(|name| !name.is_empty());
    let wanted = wanted.map(|name| known.entry(name).ok_or(WizardRefusal::NoSuchChannel));
    let wanted = wanted.transpose()?.map(|entry| entry.id);
    let config = config.current();
    let written = config.view::<ChannelAccounts>();
    let platform = |entry| Platform { entry, form: Form::of(entry), accounts: Vec::new() };
    let mut platforms: Vec<_> = known.entries().iter().map(platform).collect();
    for one in &mut platforms {
        let Ok(channel) = ChannelId::parse(one.entry.id) else { continue };
        let accounts = written.of_platform(&channel);
        one.accounts = accounts.map(|(id, account)| (id, account.section.clone())).collect();
    }
    Ok(AccountScript::new(platforms, config.env.clone(), wanted))
}

/// The account as it would be, for its platform to be asked.
pub(crate) fn trial(config: &ConfigHandle, script: &AccountScript) -> Option<AccountTrial> {
    let (platform, account) = script.about()?;
    let mut section = script.section().clone();
    shield(&config.snapshot().resolved, platform, account, &mut section);
    Some(AccountTrial {
        entry: platform.entry,
        channel: ChannelId::parse(platform.entry.id).ok()?,
        account: account.clone(),
        section,
        limit: TRIAL_LIMIT,
    })
}

/// The change that writes the account that was agreed on.
pub(crate) fn change(config: &ConfigHandle, script: &AccountScript) -> Option<Value> {
    let (platform, account) = script.about()?;
    Some(patch(&config.snapshot().resolved, platform, account, script.section().clone()))
}

/// The account that was just written, and what the person does next.
pub(crate) fn connecting(config: &ConfigHandle, script: &AccountScript) -> Option<Connecting> {
    let (platform, account) = script.about()?;
    let (entry, account) = (platform.entry, account.clone());
    let channel = ChannelId::parse(entry.id).ok()?;
    let (name, label) = (script.name(), entry.label);
    let policy = config.current().view::<ChannelAccounts>().get(&channel, &account).rules.dm_policy;
    let next = match policy {
        DmPolicy::Pairing => format!(
            "Now write to {name} on {label}. It answers with a code; let yourself in with that code on the page under \
             Channels, or with `homard pairing approve {} CODE --owner`.",
            entry.id
        ),
        DmPolicy::Allowlist => format!("The people you named may write to {name} on {label} now."),
        DmPolicy::Open => format!("Everybody may write to {name} on {label} now."),
        DmPolicy::Disabled => format!("Direct messages to {name} are turned off (`dmPolicy`)."),
    };
    Some(Connecting { channel, account, label, next })
}

impl Wizards {
    /// Writes what was agreed; what cannot be written can be mended. Returns the account that is to come up.
    pub(super) async fn write(&self, script: &mut AccountScript, step_id: &str) -> Option<Connecting> {
        let change = change(&self.config, script)?;
        if let Err(words) = self.merge(&change).await {
            script.mend(step_id, words);
            return None;
        }
        let connecting = connecting(&self.config, script)?;
        script.connected(connecting.next.clone());
        Some(connecting)
    }

    /// Waits until an account that was just written listens, and says how that went.
    pub(super) async fn wait_until_up(&self, connecting: Connecting) -> String {
        let Connecting { channel, account, label, next } = connecting;
        let status = || {
            let all = self.relay.platforms().channel_status();
            all.into_iter().find(|one| one.channel == channel && one.account == account)
        };
        let deadline = tokio::time::Instant::now() + START_LIMIT;
        // An account tells nobody of its first sign of life.
        while tokio::time::Instant::now() < deadline && !status().is_some_and(|one| one.connected) {
            tokio::time::sleep(LOOK_EVERY).await;
        }
        let why = match status() {
            Some(one) if one.connected => return format!("{label} is connected. {next}"),
            Some(one) => one.last_error.unwrap_or_else(|| "it is not connected yet".to_owned()),
            None => "it is connected only when the gateway starts again".to_owned(),
        };
        format!("{label} is written down, but {why}; `homard channels status` says more. {next}")
    }
}

/// An account that was written and is to come up.
pub(crate) struct Connecting {
    channel: ChannelId,
    account: AccountId,
    label: &'static str,
    /// What the person does next.
    pub(crate) next: String,
}

/// The change that writes an account. The usual account is the platform's section itself; once others stand beside it,
/// it is named among them, or it would be let go. Where the platform was off, only this account is turned on.
fn patch(config: &Value, platform: &Platform, account: &AccountId, mut section: Map<String, Value>) -> Value {
    shield(config, platform, account, &mut section);
    section.insert("enabled".to_owned(), json!(true));
    let (id, usual) = (platform.entry.id, AccountId::default_account());
    let present = present(config, platform);
    let accounts = accounts(&present);
    if *account == usual && accounts.is_empty() {
        return json!({"channels": {id: section}});
    }
    let was_off = present.get("enabled") == Some(&Value::Bool(false));
    let stands_alone = accounts.is_empty() && present.keys().any(|key| key != "enabled" && key != "accounts");
    let others =
        accounts.iter().filter(|(_, one)| one.get("enabled").is_none()).map(|(name, _)| name.clone());
    let others = others.filter(|_| was_off).chain(stands_alone.then(|| usual.to_string()));
    let other = if was_off { json!({"enabled": false}) } else { json!({}) };
    let mut named: Map<String, Value> = others.map(|name| (name, other.clone())).collect();
    named.insert(account.to_string(), Value::Object(section));
    let mut change = Map::new();
    if was_off {
        change.insert("enabled".to_owned(), json!(true));
    }
    change.insert("accounts".to_owned(), Value::Object(named));
    json!({"channels": {id: change}})
}

/// A new account at a platform of many servers gets no secret of another: neither now nor when it is tried.
fn shield(config: &Value, platform: &Platform, account: &AccountId, section: &mut Map<String, Value>) {
    let present = present(config, platform);
    let is_new =
        *account != AccountId::default_account() && !accounts(&present).contains_key(account.as_str());
    for secret in platform.entry.secrets.iter().filter(|_| is_new && platform.form.servers) {
        let (key, is_inner) = secret.split_once('.').map_or((*secret, false), |(group, _)| (group, true));
        if present.contains_key(key) && !section.contains_key(key) {
            section.insert(key.to_owned(), if is_inner { json!({"enabled": false}) } else { json!("") });
        }
    }
}

/// What is written about the platform.
fn present(config: &Value, platform: &Platform) -> Map<String, Value> {
    let section = config.pointer(&format!("/channels/{}", platform.entry.id));
    section.and_then(Value::as_object).cloned().unwrap_or_default()
}

fn accounts(present: &Map<String, Value>) -> Map<String, Value> {
    present.get("accounts").and_then(Value::as_object).cloned().unwrap_or_default()
}

#[cfg(test)]
mod tests;
