//! `channels.check`: an account is made ready from settings nobody has written down yet, asked who it is, and let go.

use crate::error::RequestError;
use std::time::Duration;

use homard_channel::{AccountParts, BuildError, ChannelEntry, ChannelError, Probe};
use homard_config::ConfigHandle;
use homard_policy::accounts::ChannelAccounts;
use homard_protocol::methods::channels::check::{ChannelsCheckParams, ChannelsCheckResult, MAX_CHECK_MS};
use homard_protocol::methods::config::REDACTED;
use homard_protocol::{AccountId, ChannelId};
use homard_runtime::Clock;
use serde_json::{Map, Value};

use crate::methods::check_range;
use crate::table::Cx;

/// How long a platform may take unless told otherwise.
const CHECK_MS: u64 = 15_000;

/// `channels.check`.
pub(crate) async fn check(cx: Cx, params: ChannelsCheckParams) -> Result<ChannelsCheckResult, RequestError> {
    check_range("channels.check", "timeoutMs", params.timeout_ms, 1..=MAX_CHECK_MS)?;
    let unknown = || RequestError::invalid(format!("unknown channel: {}", params.channel));
    let entry = cx.gateway.channels().entry(&params.channel).ok_or_else(unknown)?;
    let channel = ChannelId::parse(entry.id).map_err(|_bad| unknown())?;
    let account = match params.account_id.as_deref().map(str::trim).filter(|id| !id.is_empty()) {
        Some(id) => AccountId::parse(id).map_err(|e| {
            RequestError::invalid(format!("invalid channels.check params: at /accountId: {e}"))
        })?,
        None => AccountId::default_account(),
    };
    let gateway = &cx.gateway;
    let limit = Duration::from_millis(params.timeout_ms.unwrap_or(CHECK_MS));
    let trial = AccountTrial { entry, channel, account, section: params.section, limit };
    let began = gateway.clock().now_ms();
    let answer = trial.run(gateway.config(), gateway.clock()).await;
    let elapsed_ms = gateway.clock().now_ms().saturating_sub(began);
    Ok(match answer {
        Ok(probe) => ChannelsCheckResult {
            ok: true,
            elapsed_ms,
            id: probe.id,
            username: probe.username,
            facts: probe.facts,
            advice: probe.advice,
            error: None,
        },
        Err(error) => ChannelsCheckResult {
            elapsed_ms,
            error: Some(error.to_string()),
            ..ChannelsCheckResult::default()
        },
    })
}

/// An account nobody has written down yet.
pub struct AccountTrial {
    pub entry: &'static ChannelEntry,
    pub channel: ChannelId,
    pub account: AccountId,
    /// What is laid over that which is written about it.
    pub section: Map<String, Value>,
    /// How long the platform may take.
    pub limit: Duration,
}

/// Why an account would not work.
#[derive(Debug, thiserror::Error)]
pub enum TrialError {
    #[error(transparent)]
    Build(#[from] BuildError),
    #[error(transparent)]
    Platform(#[from] ChannelError),
    #[error("no answer within {} s", .0.as_secs())]
    Silent(Duration),
}

impl AccountTrial {
    /// Makes the account ready, asks the platform who it is there, and lets it go.
    ///
    /// # Errors
    /// When it cannot be made ready, or the platform does not say.
    pub async fn run(self, config: &ConfigHandle, clock: &Clock) -> Result<Probe, TrialError> {
        let current = config.current();
        let written = current.view::<ChannelAccounts>();
        let mut section = written.get(&self.channel, &self.account).section.clone();
        lay_over(&mut section, self.section);
        let there = (self.entry.build)(AccountParts {
            channel: self.channel,
            account: self.account,
            section: Value::Object(section),
            env: current.env.clone(),
            state_dir: config.source().paths.state_dir.clone(),
            clock: clock.clone(),
            commands: Vec::new(),
            ingress: homard_channel::Ingress::default(),
        })?;
        let answer = tokio::time::timeout(self.limit, there.probe()).await;
        Ok(answer.map_err(|_late| TrialError::Silent(self.limit))??)
    }
}

/// Values over others, objects into objects. `null` takes a value away; a hidden secret leaves the written one.
fn lay_over(section: &mut Map<String, Value>, more: Map<String, Value>) {
    for (key, value) in more {
        match (section.get_mut(&key), value) {
            (_, Value::String(text)) if text == REDACTED => {}
            (_, Value::Null) => {
                section.remove(&key);
            }
            (Some(Value::Object(there)), Value::Object(more)) => lay_over(there, more),
            (_, value) => {
                section.insert(key, value);
            }
        }
    }
}

#[cfg(test)]
mod tests;
