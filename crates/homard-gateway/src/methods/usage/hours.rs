//! `usage.hours`.

use homard_protocol::ErrorShape;
use homard_protocol::methods::usage::hours::{
    DEFAULT_HOURS, MAX_HOURS, UsageHour, UsageHoursParams, UsageHoursResult,
};
use homard_store::{UsageQuery, UsageReport};

use super::super::check_range;
use super::{sums, wanted_agent};
use crate::error;
use crate::table::Cx;

const HOUR_MS: i64 = 3_600_000;

/// `usage.hours`.
pub(crate) async fn report(cx: Cx, params: UsageHoursParams) -> Result<UsageHoursResult, ErrorShape> {
    let gateway = &cx.gateway;
    check_range("usage.hours", "hours", params.hours, 1..=MAX_HOURS)?;
    let agent = wanted_agent(params.agent_id.as_deref(), None)?;
    let ts = gateway.clock().now_ms();
    let starts = starts(ts, params.hours.unwrap_or(DEFAULT_HOURS));
    // The store cuts time wherever it is told to; here a day lasts an hour.
    let query = UsageQuery { days: starts.clone(), agent, session: None };
    let report = gateway.store().usage().report(query).await.map_err(|e| error::store(&e))?;
    Ok(UsageHoursResult { ts, hours: rows(&report, &starts) })
}

/// When each hour begins, and last when the one under way ends.
fn starts(now: i64, hours: u32) -> Vec<i64> {
    let end = now.div_euclid(HOUR_MS).saturating_add(1);
    (0..=i64::from(hours)).rev().map(|back| end.saturating_sub(back).saturating_mul(HOUR_MS)).collect()
}

fn rows(report: &UsageReport, starts: &[i64]) -> Vec<UsageHour> {
    let tallies = sums::by_day(report, starts.len().saturating_sub(1));
    let hours = starts.iter().zip(tallies).enumerate();
    let row = |(place, (&at, tally)): (usize, (&i64, homard_store::UsageTally))| {
        let latency = report.latency.get(place).copied().flatten();
        UsageHour {
            at,
            turns: tally.runs,
            calls: tally.calls,
            input_tokens: tally.input.saturating_add(tally.cache_read).saturating_add(tally.cache_write),
            output_tokens: tally.output,
            cost: sums::money(tally.cost.total),
            latency_p50_ms: latency.map(|stats| stats.p50_ms),
            latency_p95_ms: latency.map(|stats| stats.p95_ms),
            errors: tally.errors,
        }
    };
    hours.map(row).collect()
}

#[cfg(test)]
mod tests;
