//! From the store's cells to the groupings clients draw.

use std::collections::BTreeMap;

use homard_protocol::methods::usage::sessions::{
    AgentUsage, ChannelUsage, MessageCounts, ModelDay, ModelUsage, ToolUsage, UsageAggregates,
    UsageDayActivity, UsageDayLatency, UsageLatency,
};
use homard_protocol::methods::usage::{UsageDay, UsageTotals};
use homard_runtime::Arrange as _;
use homard_store::{LatencyStats, UsageCell, UsageReport, UsageTally};

/// Money is kept in millionths; sums of fractions are rounded back to it.
const MICRO: f64 = 1_000_000.0;

/// A sum as clients read it.
pub(super) fn totals(tally: &UsageTally) -> UsageTotals {
    UsageTotals {
        input: tally.input,
        output: tally.output,
        cache_read: tally.cache_read,
        cache_write: tally.cache_write,
        total_tokens: tally.total,
        total_cost: money(tally.cost.total),
        input_cost: money(tally.cost.input),
        output_cost: money(tally.cost.output),
        cache_read_cost: money(tally.cost.cache_read),
        cache_write_cost: money(tally.cost.cache_write),
        missing_cost_entries: tally.unpriced,
        calls: tally.calls,
        lost_calls: tally.lost,
    }
}

/// Dollars without the dust of adding fractions.
pub(super) fn money(usd: f64) -> f64 {
    (usd * MICRO).round() / MICRO
}

/// Messages, as calls tell of them.
pub(super) fn messages(tally: &UsageTally) -> MessageCounts {
    MessageCounts {
        total: tally.runs + tally.answers + tally.tool_turns,
        user: tally.runs,
        assistant: tally.answers,
        tool_calls: tally.tool_turns,
        tool_results: tally.tool_turns,
        errors: tally.errors,
    }
}

/// Everything together.
pub(super) fn all(report: &UsageReport) -> UsageTally {
    let mut sum = UsageTally::default();
    report.cells.iter().for_each(|cell| sum.add(&cell.tally));
    sum
}

/// One sum per day, also for days without a call.
pub(super) fn by_day(report: &UsageReport, days: usize) -> Vec<UsageTally> {
    let mut sums = vec![UsageTally::default(); days];
    for cell in &report.cells {
        if let Some(sum) = sums.get_mut(cell.day) {
            sum.add(&cell.tally);
        }
    }
    sums
}

/// Sums by whatever `key` finds in a cell, the dearest first.
pub(super) fn by<'a, K: Ord>(
    cells: impl IntoIterator<Item = &'a UsageCell>,
    key: impl Fn(&'a UsageCell) -> Option<K>,
) -> Vec<(K, UsageTally)> {
    let mut sums: BTreeMap<K, UsageTally> = BTreeMap::new();
    for cell in cells {
        if let Some(key) = key(cell) {
            sums.entry(key).or_default().add(&cell.tally);
        }
    }
    let mut sums: Vec<(K, UsageTally)> = sums.into_iter().collect();
    sums.arrange_by(|(_, a), (_, b)| b.cost.total.total_cmp(&a.cost.total).then(b.total.cmp(&a.total)));
    sums
}

/// By provider and model.
pub(super) fn by_model<'a>(cells: impl IntoIterator<Item = &'a UsageCell>) -> Vec<ModelUsage> {
    let models = by(cells, |cell| Some((&*cell.provider, &*cell.model)));
    let row = |((provider, model), tally): ((&str, &str), UsageTally)| ModelUsage {
        provider: Some(provider.to_owned()),
        model: Some(model.to_owned()),
        count: tally.calls,
        totals: totals(&tally),
    };
    models.into_iter().map(row).collect()
}

/// All groupings at once.
pub(super) fn aggregates(report: &UsageReport, dates: &[String]) -> UsageAggregates {
    let sum = all(report);
    let days = by_day(report, dates.len());
    let busy = || dates.iter().zip(&days).filter(|(_, day)| day.calls > 0);
    let owner = |cell: &UsageCell| report.sessions.get(cell.session);
    let providers = by(&report.cells, |cell| Some(&*cell.provider));
    let agents = by(&report.cells, |cell| Some(owner(cell)?.agent_id.as_str()));
    let channels = by(&report.cells, |cell| owner(cell)?.channel.as_deref());
    let provider = |(name, tally): (&str, UsageTally)| ModelUsage {
        provider: Some(name.to_owned()),
        model: None,
        count: tally.calls,
        totals: totals(&tally),
    };
    let agent =
        |(id, tally): (&str, UsageTally)| AgentUsage { agent_id: id.to_owned(), totals: totals(&tally) };
    let channel =
        |(name, tally): (&str, UsageTally)| ChannelUsage { channel: name.to_owned(), totals: totals(&tally) };
    UsageAggregates {
        session_count: u64::try_from(report.sessions.len()).unwrap_or(u64::MAX),
        messages: messages(&sum),
        tools: ToolUsage { total_calls: sum.tool_turns, unique_tools: 0, tools: Vec::new() },
        by_model: by_model(&report.cells),
        by_provider: providers.into_iter().map(provider).collect(),
        by_agent: agents.into_iter().map(agent).collect(),
        by_channel: channels.into_iter().map(channel).collect(),
        by_creator: Vec::new(),
        cost_daily: busy().map(|(date, day)| UsageDay { date: date.clone(), totals: totals(day) }).collect(),
        latency: report.latency_total.map(latency),
        daily_latency: daily_latency(report, dates),
        model_daily: model_daily(report, dates),
        daily: busy().map(|(date, day)| activity(date, day)).collect(),
    }
}

fn activity(date: &str, day: &UsageTally) -> UsageDayActivity {
    UsageDayActivity {
        date: date.to_owned(),
        tokens: day.total,
        cost: money(day.cost.total),
        messages: messages(day).total,
        tool_calls: day.tool_turns,
        errors: day.errors,
    }
}

fn model_daily(report: &UsageReport, dates: &[String]) -> Vec<ModelDay> {
    let mut sums = by(&report.cells, |cell| Some((cell.day, &*cell.provider, &*cell.model)));
    sums.arrange_by_key(|(key, _)| *key);
    let row = |((day, provider, model), tally): ((usize, &str, &str), UsageTally)| {
        Some(ModelDay {
            date: dates.get(day)?.clone(),
            provider: provider.to_owned(),
            model: model.to_owned(),
            tokens: tally.total,
            cost: money(tally.cost.total),
            count: tally.calls,
        })
    };
    sums.into_iter().filter_map(row).collect()
}

fn daily_latency(report: &UsageReport, dates: &[String]) -> Vec<UsageDayLatency> {
    let days = dates.iter().zip(&report.latency);
    days.filter_map(|(date, day)| Some(UsageDayLatency { date: date.clone(), latency: latency((*day)?) }))
        .collect()
}

fn latency(stats: LatencyStats) -> UsageLatency {
    let LatencyStats { count, avg_ms, p50_ms: _, p95_ms, min_ms, max_ms } = stats;
    UsageLatency { count, avg_ms, p95_ms, min_ms, max_ms }
}
