//! `cron`: turns nobody typed.

use std::path::PathBuf;
use std::time::Duration;

use serde_json::Value;

use super::Resolve;
use super::agents::pruning::duration;
use crate::raw::extensions as raw;
use crate::secret::Secret;

const DEFAULT_RETENTION: Duration = Duration::from_secs(24 * 60 * 60);
const DEFAULT_MAX_CONCURRENT: usize = 1;
const DEFAULT_ALERT_AFTER: u32 = 3;
const DEFAULT_ALERT_COOLDOWN: Duration = Duration::from_secs(60 * 60);
/// Switches the clock off, whatever the file says.
const SKIP_VARIABLE: &str = "HOMARD_SKIP_CRON";

/// Decided `cron`.
#[derive(Debug, Clone, PartialEq)]
pub struct Cron {
    /// Whether jobs run by themselves.
    pub enabled: bool,
    /// How many at once.
    pub max_concurrent: usize,
    /// Sent with calls that tell of a run.
    pub webhook_token: Option<Secret>,
    /// How long the conversations of runs are kept; `None` means for ever.
    pub session_retention: Option<Duration>,
    /// Whether what was due while the gateway was down is left out.
    pub skip_missed: bool,
    /// Whom nobody else decided for is told about after failures; `None` means nobody is.
    pub failure_alert: Option<FailureAlert>,
    /// A file of jobs that is taken over once, where it is not in its usual place.
    pub store: Option<PathBuf>,
}

/// When somebody is told that a job keeps failing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FailureAlert {
    /// After how many failures in a row.
    pub after: u32,
    /// How long nobody is told again.
    pub cooldown: Duration,
}

impl Default for FailureAlert {
    fn default() -> Self {
        Self { after: DEFAULT_ALERT_AFTER, cooldown: DEFAULT_ALERT_COOLDOWN }
    }
}

impl Cron {
    pub(super) fn resolve(raw: raw::Cron, cx: &mut Resolve<'_>) -> Self {
        let skipped = cx.env.flag(SKIP_VARIABLE);
        let retention = match &raw.session_retention {
            None | Some(Value::Null | Value::Bool(true)) => Some(DEFAULT_RETENTION),
            Some(Value::Bool(false)) => None,
            Some(Value::String(text)) if duration(text).is_some() => duration(text),
            Some(_) => {
                cx.issue("cron.sessionRetention", "must be a time such as \"24h\", or false");
                Some(DEFAULT_RETENTION)
            }
        };
        let wanted = raw.max_concurrent_runs.and_then(|wanted| usize::try_from(wanted).ok());
        Self {
            enabled: raw.enabled.unwrap_or(true) && !skipped,
            max_concurrent: wanted.unwrap_or(DEFAULT_MAX_CONCURRENT).max(1),
            webhook_token: cx.secret("cron.webhookToken", raw.webhook_token),
            session_retention: retention,
            skip_missed: raw.skip_missed_jobs.unwrap_or(false),
            failure_alert: raw.failure_alert.as_ref().and_then(alert),
            store: raw.store.map(|text| home_path(&text, cx)),
        }
    }
}

fn home_path(text: &str, cx: &Resolve<'_>) -> PathBuf {
    match text.trim().strip_prefix("~/") {
        Some(rest) => cx.paths.home.join(rest),
        None => PathBuf::from(text.trim()),
    }
}

fn alert(value: &Value) -> Option<FailureAlert> {
    let usual = FailureAlert::default();
    if value.get("enabled").and_then(Value::as_bool) != Some(true) {
        return None;
    }
    let number = |name: &str| value.get(name).and_then(Value::as_u64);
    Some(FailureAlert {
        after: number("after").and_then(|n| u32::try_from(n).ok()).map_or(usual.after, |n| n.max(1)),
        cooldown: number("cooldownMs").map_or(usual.cooldown, Duration::from_millis),
    })
}

#[cfg(test)]
mod tests;
