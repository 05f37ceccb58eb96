//! `channels.check`: an account is made ready from settings nobody has written down yet, asked who it is, and let go.

use crate::error::RequestError;
use std::time::Duration;

use homard_channel::AccountParts;
use homard_policy::accounts::ChannelAccounts;
use homard_protocol::methods::channels::check::{ChannelsCheckParams, ChannelsCheckResult, MAX_CHECK_MS};
use homard_protocol::methods::config::REDACTED;
use homard_protocol::{AccountId, ChannelId};
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
    let config = gateway.config().current();
    let mut section = config.view::<ChannelAccounts>().get(&channel, &account).section.clone();
    lay_over(&mut section, params.section);
    let parts = AccountParts {
        channel,
        account,
        section: Value::Object(section),
        env: config.env.clone(),
        state_dir: gateway.config().source().paths.state_dir.clone(),
        clock: gateway.clock().clone(),
        commands: Vec::new(),
        ingress: homard_channel::Ingress::default(),
    };
    let there = match (entry.build)(parts) {
        Ok(there) => there,
        Err(error) => return Ok(failed(0, error.to_string())),
    };
    let limit = Duration::from_millis(params.timeout_ms.unwrap_or(CHECK_MS));
    let began = gateway.clock().now_ms();
    let answer = tokio::time::timeout(limit, there.probe()).await;
    let elapsed_ms = gateway.clock().now_ms().saturating_sub(began);
    Ok(match answer {
        Ok(Ok(probe)) => ChannelsCheckResult {
            ok: true,
            elapsed_ms,
            id: probe.id,
            username: probe.username,
            facts: probe.facts,
            advice: probe.advice,
            error: None,
        },
        Ok(Err(error)) => failed(elapsed_ms, error.to_string()),
        Err(_late) => failed(elapsed_ms, format!("no answer within {} s", limit.as_secs())),
    })
}

fn failed(elapsed_ms: i64, error: String) -> ChannelsCheckResult {
    ChannelsCheckResult { elapsed_ms, error: Some(error), ..ChannelsCheckResult::default() }
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
