//! `usage.*`: what model calls cost. `calendar` cuts time into days, `sums` turns the store's report into what
//! clients know, `sessions` answers for conversations, `hours` for curves.

mod calendar;
pub(super) mod hours;
pub(super) mod sessions;
mod sums;

use std::collections::BTreeMap;

use homard_models::catalogue;
use homard_protocol::AgentId;
use homard_protocol::method::NoParams;
use homard_protocol::methods::usage::hours::UsageHours;
use homard_protocol::methods::usage::sessions::{SessionsUsage, SessionsUsageLogs, SessionsUsageTimeseries};
use homard_protocol::methods::usage::{
    BudgetStatus, DEFAULT_RUNS, MAX_RUNS, ProviderQuota, RunAttempt, RunCall, RunUsage, UsageAgentScope,
    UsageCacheStatus, UsageCost, UsageCostParams, UsageCostResult, UsageDay, UsageRange, UsageRuns,
    UsageRunsParams, UsageRunsResult, UsageSpan, UsageStatus, UsageStatusResult,
};
use homard_protocol::word::Word;
use homard_store::{KeptCall, RunRecord, UsageQuery};
use jiff::tz::TimeZone;

use self::calendar::{Calendar, Today};
use super::check_range;
use super::session_key;
use crate::error::RequestError;
use crate::gateway::Gateway;
use crate::table::{Cx, MethodTable};

/// The methods of this family.
pub(super) fn register(table: MethodTable) -> MethodTable {
    table
        .on::<SessionsUsage, _, _>(sessions::report)
        .on::<SessionsUsageLogs, _, _>(sessions::logs)
        .on::<SessionsUsageTimeseries, _, _>(sessions::timeseries)
        .on::<UsageCost, _, _>(cost)
        .on::<UsageHours, _, _>(hours::report)
        .on::<UsageRuns, _, _>(runs)
        .on::<UsageStatus, _, _>(status)
}

/// `usage.cost`.
pub(super) async fn cost(cx: Cx, params: UsageCostParams) -> Result<UsageCostResult, RequestError> {
    let gateway = &cx.gateway;
    let calendar = calendar(gateway, "usage.cost", &params.span).await?;
    let agent = wanted_agent(params.agent_id, params.agent_scope.as_ref());
    let query = UsageQuery { days: calendar.starts.clone(), agent, session: None };
    let report = gateway.store().usage().report(query).await?;
    let days = sums::by_day(&report, calendar.dates.len());
    let daily = calendar.dates.iter().zip(&days);
    Ok(UsageCostResult {
        updated_at: gateway.clock().now_ms(),
        days: u32::try_from(calendar.dates.len()).unwrap_or(u32::MAX),
        daily: daily.map(|(date, day)| UsageDay { date: date.clone(), totals: sums::totals(day) }).collect(),
        totals: sums::totals(&sums::all(&report)),
        cache_status: UsageCacheStatus::default(),
    })
}

/// `usage.status`.
pub(super) async fn status(cx: Cx, _params: NoParams) -> Result<UsageStatusResult, RequestError> {
    let gateway = &cx.gateway;
    Ok(UsageStatusResult {
        updated_at: gateway.clock().now_ms(),
        providers: resting(gateway).await,
        budgets: budgets(gateway),
    })
}

/// Providers that refused credentials of the agent that answers usually. What they allow altogether they are not asked.
async fn resting(gateway: &Gateway) -> Vec<ProviderQuota> {
    let config = gateway.config().current();
    let stored = gateway.relay().router().profiles(&config.agents.default_agent().id).describe().await;
    let mut providers: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for one in stored.profiles {
        let until = one.cooling_until.and_then(|until| jiff::Timestamp::from_millisecond(until).ok());
        let reason = one.disabled_reason.map(|reason| format!(" ({reason})")).unwrap_or_default();
        let words = match (until, one.problem) {
            (_, Some(problem)) => format!("{} cannot be used: {problem}", one.id),
            (Some(until), None) => format!("{} was refused and rests until {until}{reason}", one.id),
            (None, None) => continue,
        };
        providers.entry(one.provider).or_default().push(words);
    }
    let told = providers.into_iter().map(|(provider, words)| ProviderQuota {
        display_name: catalogue::find(&provider).map_or(provider.as_str(), |row| row.name).to_owned(),
        error: Some(words.join("; ")),
        provider,
        ..ProviderQuota::default()
    });
    told.collect()
}

/// The owner's limits and how far they are used.
fn budgets(gateway: &Gateway) -> Vec<BudgetStatus> {
    let lines = gateway.relay().router().ledger().status();
    let told = |line: homard_models::budget::BudgetStatus| BudgetStatus {
        unit: line.unit.as_str().to_owned(),
        used: line.unit.shown(line.used),
        limit: line.unit.shown(line.limit),
        path: line.path,
        whose: line.whose,
        resets_at: line.resets_at,
    };
    lines.into_iter().map(told).collect()
}

/// `usage.runs`.
pub(super) async fn runs(cx: Cx, params: UsageRunsParams) -> Result<UsageRunsResult, RequestError> {
    let gateway = &cx.gateway;
    check_range("usage.runs", "limit", params.limit, 1..=MAX_RUNS)?;
    let key = params.session_key.as_ref().map(|key| session_key(gateway, key, None)).transpose()?;
    let limit = usize::try_from(params.limit.unwrap_or(DEFAULT_RUNS)).unwrap_or(1);
    let records = gateway.store().runs().recent(key.as_ref(), limit).await?;
    let mut runs = Vec::with_capacity(records.len());
    for record in records {
        let calls = gateway.store().usage().of_run(&record.run_id).await?;
        runs.push(run(record, calls));
    }
    Ok(UsageRunsResult { ts: gateway.clock().now_ms(), runs })
}

fn run(record: RunRecord, calls: Vec<KeptCall>) -> RunUsage {
    // An attempt another version wrote differently is better left out than the whole list refused.
    let readable = |attempt| homard_runtime::json::from_value::<RunAttempt>(attempt).ok();
    RunUsage {
        run_id: record.run_id,
        session_key: record.session_key,
        status: record.status,
        started_at: record.started_at,
        ended_at: record.ended_at,
        provider: record.provider,
        model: record.model,
        error: record.error,
        usage: record.usage.unwrap_or_default(),
        attempts: record.attempts.into_iter().filter_map(readable).collect(),
        calls: calls.into_iter().map(call).collect(),
    }
}

fn call(kept: KeptCall) -> RunCall {
    let KeptCall { state, row } = kept;
    RunCall {
        timestamp: row.at,
        provider: row.target.provider,
        model: row.target.model,
        profile: row.target.profile,
        thinking: row.target.thinking,
        state,
        outcome: row.outcome,
        first_ms: row.first_ms,
        total_ms: row.total_ms,
        usage: row.usage,
    }
}

/// The agent a report is narrowed to.
fn wanted_agent(agent: Option<AgentId>, scope: Option<&Word<UsageAgentScope>>) -> Option<AgentId> {
    agent.filter(|_| scope.and_then(Word::known) != Some(UsageAgentScope::All))
}

/// The days a request is about.
async fn calendar(gateway: &Gateway, method: &str, span: &UsageSpan) -> Result<Calendar, RequestError> {
    let first = match span.range.as_ref().and_then(Word::known) {
        Some(UsageRange::All) => gateway.store().usage().first_call_at().await?,
        _ => None,
    };
    let today = Today { now: gateway.clock().now_ms(), first, zone: own_zone(gateway) };
    calendar::resolve(span, &today)
        .map_err(|wrong| RequestError::invalid(format!("invalid {method} params: {wrong}")))
}

/// Where the owner lives, as far as the configuration or else the machine knows; as in prompts and budgets.
fn own_zone(gateway: &Gateway) -> TimeZone {
    homard_relay::time_zone(gateway.config().current().agents.defaults.user_timezone.as_deref())
}
