//! `homard usage`: what models cost, day by day and cut in every direction. `figures` draws, `runs` tells what was
//! tried for an answer.

mod figures;
mod runs;

use clap::{Args, ValueEnum};
use homard_client::Client;
use homard_protocol::SessionRef;
use homard_protocol::method::NoParams;
use homard_protocol::methods::usage::sessions::{SessionsUsage, SessionsUsageParams, SessionsUsageResult};
use homard_protocol::methods::usage::{
    BudgetStatus, MAX_DAYS, MAX_RUNS, UsageCost, UsageCostParams, UsageCostResult, UsageDay, UsageSpan,
    UsageStatus, UsageTotals, UsageZone,
};
use homard_protocol::word::Word;
use homard_runtime::Arrange as _;
use serde_json::json;

use self::figures::{Look, Row, budget_lines, day_chart, summary, totals_table};
use crate::commands::Cx;
use crate::commands::connection::{self, Patience, Target};
use crate::commands::table::pairs;
use crate::commands::words;

/// Days drawn unless asked otherwise.
const CHART_DAYS: u32 = 14;
/// Days the summary is about at least.
const SUMMARY_DAYS: u32 = 30;
/// Sessions compared with each other.
const MAX_SESSIONS: u32 = 1_000;
/// Days are the gateway's own, as its budgets are.
const ZONE: Word<UsageZone> = Word::Known(UsageZone::Gateway);
const EXAMPLES: &str = "\
Examples:
  homard usage                          today, 7 days, 30 days, and a bar for each day
  homard usage --days 90 --by model     where the money goes
  homard usage --session main           one conversation, and how full its context is
  homard usage --runs --limit 5         the last answers: what was tried, and why it was not taken
  homard usage --json | jq .totals.totalCost

Costs are estimates from list prices; models without a price count tokens only.";

/// See what models cost: tokens, cache hits and money
///
/// Days begin when they begin where the gateway is. Calls that a crash cut off count with the most they can have
/// cost.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct UsageArgs {
    /// How many days to look at, today included
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_DAYS)))]
    days: Option<u32>,
    /// Compare models, providers, agents, conversations or days
    #[arg(long, value_name = "WHAT", conflicts_with = "runs")]
    by: Option<By>,
    /// Only one conversation, by its key
    #[arg(long, value_name = "KEY")]
    session: Option<SessionRef>,
    /// Show the latest answers instead: every attempt and every call
    #[arg(long)]
    runs: bool,
    /// How many answers --runs shows, or rows --by shows
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_RUNS)))]
    limit: Option<u32>,
    /// Print JSON: what the gateway answered
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    target: Target,
    #[command(flatten)]
    patience: Patience,
}

/// What to compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum By {
    Model,
    Provider,
    Agent,
    Session,
    Day,
}

/// Runs the command.
///
/// # Errors
/// When there is no gateway or it does not answer.
pub(crate) async fn run(cx: &Cx, args: UsageArgs) -> anyhow::Result<()> {
    let client = connection::connect(cx, &args.target, args.patience.limit()).await?;
    if args.runs {
        runs::show(cx, &client, args.session.clone(), args.limit, args.json).await?;
    } else if args.session.is_some() || args.by.is_some_and(|by| by != By::Day) {
        compare(cx, &client, &args).await?;
    } else {
        overview(cx, &client, &args).await?;
    }
    client.close().await;
    Ok(())
}

async fn cost(client: &Client, days: u32) -> anyhow::Result<UsageCostResult> {
    let span = UsageSpan { days: Some(days), mode: Some(ZONE), ..UsageSpan::default() };
    Ok(client.call::<UsageCost>(&UsageCostParams { span, ..UsageCostParams::default() }).await?)
}

async fn overview(cx: &Cx, client: &Client, args: &UsageArgs) -> anyhow::Result<()> {
    let budgets = client.call::<UsageStatus>(&NoParams {}).await?.budgets;
    if args.json {
        let cost = cost(client, args.days.unwrap_or(SUMMARY_DAYS)).await?;
        let mut cost = serde_json::to_value(&cost)?;
        if let Some(fields) = cost.as_object_mut() {
            fields.insert("budgets".to_owned(), json!(budgets));
        }
        return Ok(cx.console.json(&cost)?);
    }
    let drawn = args.days.unwrap_or(CHART_DAYS);
    let cost = cost(client, drawn.max(SUMMARY_DAYS)).await?;
    if cost.totals.calls == 0 && budgets.is_empty() {
        cx.console.note(&format!("no model was called in the last {} days", cost.days));
        return Ok(());
    }
    let look = Look::of(cx);
    let lines = overview_lines(&look, &cost, drawn, &budgets, cost.updated_at);
    print(cx, &lines)?;
    remarks(cx, &cost.totals);
    Ok(())
}

fn overview_lines(
    look: &Look,
    cost: &UsageCostResult,
    drawn: u32,
    budgets: &[BudgetStatus],
    now: i64,
) -> Vec<String> {
    let span = |days: u32| last(&cost.daily, days);
    let mut rows = vec![("today".to_owned(), sum(span(1)))];
    let mut spans = vec![7, SUMMARY_DAYS];
    if drawn > SUMMARY_DAYS {
        spans.push(drawn);
    }
    rows.extend(spans.into_iter().map(|days| (format!("{days} days"), sum(span(days)))));
    let mut lines = summary(look, &rows);
    lines.push(String::new());
    lines.extend(day_chart(look, span(drawn)));
    if !budgets.is_empty() {
        lines.push(String::new());
        lines.extend(budget_lines(look, budgets, now));
    }
    lines
}

fn last(days: &[UsageDay], count: u32) -> &[UsageDay] {
    let count = usize::try_from(count).unwrap_or(usize::MAX);
    days.get(days.len().saturating_sub(count)..).unwrap_or_default()
}

fn sum(days: &[UsageDay]) -> UsageTotals {
    let mut sum = UsageTotals::default();
    days.iter().for_each(|day| sum.add(&day.totals));
    sum
}

async fn compare(cx: &Cx, client: &Client, args: &UsageArgs) -> anyhow::Result<()> {
    let days = args.days.unwrap_or(SUMMARY_DAYS);
    let span = UsageSpan { days: Some(days), mode: Some(ZONE), ..UsageSpan::default() };
    let params = SessionsUsageParams {
        key: args.session.clone(),
        span,
        limit: Some(MAX_SESSIONS),
        ..SessionsUsageParams::default()
    };
    let report = client.call::<SessionsUsage>(&params).await?;
    if args.json {
        return Ok(cx.console.json(&report)?);
    }
    let look = Look::of(cx);
    if args.session.is_some() {
        print(cx, &session_lines(&look, &report))?;
    }
    if report.totals.calls == 0 {
        cx.console
            .note(&format!("no model was called between {} and {}", report.start_date, report.end_date));
        return Ok(());
    }
    let by = args.by.unwrap_or(By::Model);
    let limit = args.limit.and_then(|limit| usize::try_from(limit).ok()).unwrap_or(usize::MAX);
    if by == By::Day {
        print(cx, &day_chart(&look, &report.aggregates.cost_daily))?;
    } else {
        print(cx, &totals_table(&look, heading(by), &compared(&report, by), limit))?;
    }
    remarks(cx, &report.totals);
    Ok(())
}

fn heading(by: By) -> &'static str {
    match by {
        By::Model => "MODEL",
        By::Provider => "PROVIDER",
        By::Agent => "AGENT",
        By::Session => "SESSION",
        By::Day => "DAY",
    }
}

fn compared(report: &SessionsUsageResult, by: By) -> Vec<Row> {
    let sums = &report.aggregates;
    let row = |name: String, totals: &UsageTotals| Row { name, totals: *totals };
    let name = |text: &Option<String>| text.clone().unwrap_or_default();
    match by {
        By::Model => sums
            .by_model
            .iter()
            .map(|model| row(format!("{}/{}", name(&model.provider), name(&model.model)), &model.totals))
            .collect(),
        By::Provider => sums.by_provider.iter().map(|one| row(name(&one.provider), &one.totals)).collect(),
        By::Agent => sums.by_agent.iter().map(|one| row(one.agent_id.clone(), &one.totals)).collect(),
        By::Day => sums.cost_daily.iter().map(|day| row(day.date.clone(), &day.totals)).collect(),
        By::Session => {
            let used = report.sessions.iter().filter_map(|session| Some((session, session.usage.as_ref()?)));
            let mut rows: Vec<Row> =
                used.map(|(session, usage)| row(session.key.clone(), &usage.totals)).collect();
            rows.arrange_by(|a, b| {
                let cost = b.totals.total_cost.total_cmp(&a.totals.total_cost);
                cost.then(b.totals.total_tokens.cmp(&a.totals.total_tokens))
            });
            rows
        }
    }
}

fn session_lines(look: &Look, report: &SessionsUsageResult) -> Vec<String> {
    let Some(session) = report.sessions.first() else { return Vec::new() };
    let model = [&session.model_provider, &session.model].into_iter().flatten();
    let model: Vec<&str> = model.map(String::as_str).collect();
    let context = match (session.total_tokens, session.context_tokens) {
        (Some(used), Some(window)) if window > 0 => format!(
            "{} of {} ({} %)",
            words::tokens(used),
            words::tokens(window),
            used.saturating_mul(100) / window
        ),
        (Some(used), _) => words::tokens(used),
        (None, _) => "–".to_owned(),
    };
    let mut rows = vec![("session", look.strong(&session.key))];
    rows.extend(session.label.as_ref().map(|label| ("label", label.clone())));
    rows.push(("model", model.join("/")));
    rows.push(("context", context));
    let mut lines = pairs(&rows);
    if report.totals.calls > 0 {
        lines.push(String::new());
        lines.extend(day_chart(look, &report.aggregates.cost_daily));
        lines.push(String::new());
    }
    lines
}

/// What a person should know about the sums.
fn remarks(cx: &Cx, totals: &UsageTotals) {
    if totals.missing_cost_entries > 0 {
        let calls = words::count(totals.missing_cost_entries, "call");
        cx.console.note(&format!("{calls} went to models without a price and are not in the cost"));
    }
    if totals.lost_calls > 0 {
        let calls = words::count(totals.lost_calls, "call");
        cx.console.note(&format!("{calls} cut off by a crash: counted with the most it can have cost"));
    }
}

fn print(cx: &Cx, lines: &[String]) -> std::io::Result<()> {
    lines.iter().try_for_each(|line| cx.console.line(line))
}

#[cfg(test)]
mod tests;
