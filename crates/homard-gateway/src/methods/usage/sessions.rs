//! `sessions.usage*`.

use std::collections::HashMap;

use homard_protocol::message::MessageRole;
use homard_protocol::methods::usage::UsageCacheStatus;
use homard_protocol::methods::usage::sessions::{
    DEFAULT_LOGS, DEFAULT_SESSIONS, MAX_LOG_CHARS, MAX_LOGS, MAX_POINTS, MAX_SESSIONS, SessionUsage,
    SessionUsageLog, SessionUsagePoint, SessionUsageRow, SessionsUsageLogsParams, SessionsUsageLogsResult,
    SessionsUsageParams, SessionsUsageResult, SessionsUsageTimeseriesParams, SessionsUsageTimeseriesResult,
    UsageDayShort,
};
use homard_protocol::{AgentId, AssistantMessage, EntryKind, Message, SessionKey};
use homard_runtime::{Arrange as _, Clip};
use homard_store::{
    ArchivedFilter, SessionQuery, SessionRecord, UsageCell, UsageQuery, UsageReport, UsageSession, UsageTally,
};

use super::super::{check_range, session_key};
use super::calendar::Calendar;
use super::{calendar, sums, wanted_agent};
use crate::error::RequestError;
use crate::gateway::Gateway;
use crate::session_rows;
use crate::table::Cx;

/// `sessions.usage`.
pub(crate) async fn report(cx: Cx, params: SessionsUsageParams) -> Result<SessionsUsageResult, RequestError> {
    let gateway = &cx.gateway;
    check_range("sessions.usage", "limit", params.limit, 1..=u32::MAX)?;
    let limit = params.limit.unwrap_or(DEFAULT_SESSIONS).min(MAX_SESSIONS);
    let calendar = calendar(gateway, "sessions.usage", &params.span).await?;
    let key = params.key.as_ref().map(|key| session_key(gateway, key, params.agent_id.as_ref()));
    let key = key.transpose()?;
    let agent = match key {
        // A key names its agent itself.
        Some(_) => None,
        None => wanted_agent(params.agent_id, params.agent_scope.as_ref()),
    };
    let query = UsageQuery { days: calendar.starts.clone(), agent: agent.clone(), session: key.clone() };
    let report = gateway.store().usage().report(query).await?;
    let limit = usize::try_from(limit).unwrap_or(1);
    let records = match &key {
        Some(key) => gateway.store().sessions().get(key).await?.into_iter().collect(),
        None => recent(gateway, agent, &calendar, limit).await?,
    };
    let ends = |date: Option<&String>| date.cloned().unwrap_or_default();
    Ok(SessionsUsageResult {
        updated_at: gateway.clock().now_ms(),
        start_date: ends(calendar.dates.first()),
        end_date: ends(calendar.dates.last()),
        sessions: rows(gateway, &report, &calendar.dates, &records, limit),
        totals: sums::totals(&sums::all(&report)),
        aggregates: sums::aggregates(&report, &calendar.dates),
        creator_options: Vec::new(),
        cache_status: UsageCacheStatus::default(),
    })
}

/// Conversations that changed in the range, the latest first.
async fn recent(
    gateway: &Gateway,
    agent: Option<AgentId>,
    calendar: &Calendar,
    limit: usize,
) -> Result<Vec<SessionRecord>, RequestError> {
    let query = SessionQuery {
        agent,
        limit,
        active_since: calendar.starts.first().copied(),
        archived: ArchivedFilter::All,
        include_global: true,
        include_unknown: true,
        ..SessionQuery::default()
    };
    Ok(gateway.store().sessions().list(query).await?.rows)
}

/// The conversations of a report: those that exist, then those that were deleted and cost something.
fn rows(
    gateway: &Gateway,
    report: &UsageReport,
    dates: &[String],
    records: &[SessionRecord],
    limit: usize,
) -> Vec<SessionUsageRow> {
    let mut used = Used::of(report, dates);
    let mut rows: Vec<SessionUsageRow> =
        records.iter().map(|record| row(gateway, record, used.take(&record.key.to_string()))).collect();
    rows.extend(used.left().into_iter().map(|(session, usage)| SessionUsageRow {
        key: session.key.clone(),
        agent_id: Some(session.agent_id.clone()),
        channel: session.channel.clone(),
        updated_at: Some(session.last_at),
        scope: "instance".to_owned(),
        usage: Some(usage),
        ..SessionUsageRow::default()
    }));
    rows.truncate(limit);
    rows
}

fn row(gateway: &Gateway, record: &SessionRecord, usage: Option<SessionUsage>) -> SessionUsageRow {
    let shown = session_rows::row(gateway, record);
    SessionUsageRow {
        key: shown.key.to_string(),
        label: shown.label,
        session_id: shown.session_id.map(String::from),
        scope: "instance".to_owned(),
        updated_at: shown.updated_at,
        agent_id: shown.agent_id.map(String::from),
        channel: shown.channel,
        chat_type: shown.chat_type,
        model_provider: shown.model_provider,
        model: shown.model,
        total_tokens: shown.total_tokens,
        context_tokens: shown.context_tokens,
        usage,
        has_context_weight: record.entry.system_sent == Some(true),
    }
}

/// What conversations used, each handed out once.
struct Used<'a> {
    dates: &'a [String],
    sessions: HashMap<&'a str, (&'a UsageSession, Vec<&'a UsageCell>)>,
}

impl<'a> Used<'a> {
    fn of(report: &'a UsageReport, dates: &'a [String]) -> Self {
        let mut sessions: HashMap<&str, (&UsageSession, Vec<&UsageCell>)> = HashMap::new();
        for cell in &report.cells {
            if let Some(session) = report.sessions.get(cell.session) {
                sessions.entry(&session.key).or_insert_with(|| (session, Vec::new())).1.push(cell);
            }
        }
        Self { dates, sessions }
    }

    fn take(&mut self, key: &str) -> Option<SessionUsage> {
        let (session, cells) = self.sessions.remove(key)?;
        Some(session_usage(session, &cells, self.dates))
    }

    /// What nobody took, the latest first.
    fn left(self) -> Vec<(&'a UsageSession, SessionUsage)> {
        let mut left: Vec<_> = self.sessions.into_values().collect();
        left.arrange_by_key(|(session, _)| std::cmp::Reverse(session.last_at));
        let told = |(session, cells): (&'a UsageSession, Vec<&UsageCell>)| {
            (session, session_usage(session, &cells, self.dates))
        };
        left.into_iter().map(told).collect()
    }
}

fn session_usage(session: &UsageSession, cells: &[&UsageCell], dates: &[String]) -> SessionUsage {
    let mut sum = UsageTally::default();
    cells.iter().for_each(|cell| sum.add(&cell.tally));
    let mut days = sums::by(cells.iter().copied(), |cell| Some(cell.day));
    days.arrange_by_key(|(day, _)| *day);
    let daily: Vec<UsageDayShort> = days
        .into_iter()
        .filter_map(|(day, tally)| {
            let date = dates.get(day)?.clone();
            Some(UsageDayShort { date, tokens: tally.total, cost: sums::money(tally.cost.total) })
        })
        .collect();
    SessionUsage {
        totals: sums::totals(&sum),
        first_activity: session.first_at,
        last_activity: session.last_at,
        duration_ms: session.last_at.saturating_sub(session.first_at),
        activity_dates: daily.iter().map(|day| day.date.clone()).collect(),
        daily_breakdown: daily,
        message_counts: sums::messages(&sum),
        model_usage: sums::by_model(cells.iter().copied()),
    }
}

/// `sessions.usage.timeseries`.
pub(crate) async fn timeseries(
    cx: Cx,
    params: SessionsUsageTimeseriesParams,
) -> Result<SessionsUsageTimeseriesResult, RequestError> {
    let gateway = &cx.gateway;
    let key = session_key(gateway, &params.key, params.agent_id.as_ref())?;
    let session = find(gateway, &key).await?;
    let id = session.as_ref().map(|record| &record.session_id);
    let kept = gateway.store().usage().points(&key, id, MAX_POINTS).await?;
    let (mut tokens, mut usd) = (0u64, 0.0f64);
    let points = kept.iter().map(|point| {
        let usage = &point.usage;
        tokens = tokens.saturating_add(usage.total_tokens);
        usd += usage.cost.total;
        SessionUsagePoint {
            timestamp: point.at,
            input: usage.input,
            output: usage.output,
            cache_read: usage.cache_read,
            cache_write: usage.cache_write,
            total_tokens: usage.total_tokens,
            cost: sums::money(usage.cost.total),
            cumulative_tokens: tokens,
            cumulative_cost: sums::money(usd),
        }
    });
    Ok(SessionsUsageTimeseriesResult { points: points.collect(), session_id: id.map(ToString::to_string) })
}

async fn find(gateway: &Gateway, key: &SessionKey) -> Result<Option<SessionRecord>, RequestError> {
    Ok(gateway.store().sessions().get(key).await?)
}

/// `sessions.usage.logs`.
pub(crate) async fn logs(
    cx: Cx,
    params: SessionsUsageLogsParams,
) -> Result<SessionsUsageLogsResult, RequestError> {
    let gateway = &cx.gateway;
    check_range("sessions.usage.logs", "limit", params.limit, 1..=MAX_LOGS)?;
    let key = session_key(gateway, &params.key, params.agent_id.as_ref())?;
    let Some(session) = find(gateway, &key).await? else { return Ok(SessionsUsageLogsResult::default()) };
    let limit = usize::try_from(params.limit.unwrap_or(DEFAULT_LOGS)).unwrap_or(1);
    let last = gateway.store().transcripts().last_messages(&session.session_id, limit).await?;
    Ok(SessionsUsageLogsResult { logs: last.into_iter().filter_map(|place| log(place.entry.kind)).collect() })
}

fn log(kind: EntryKind) -> Option<SessionUsageLog> {
    let EntryKind::Message { message } = kind else { return None };
    let plain = |timestamp, role, text: &str| SessionUsageLog {
        timestamp,
        role,
        content: text.clip_chars(MAX_LOG_CHARS).to_owned(),
        tokens: None,
        cost: None,
    };
    let log = match &message {
        Message::User(said) => plain(said.timestamp, MessageRole::User, &message.text()),
        Message::ToolResult(result) => plain(result.timestamp, MessageRole::ToolResult, &message.text()),
        Message::Assistant(answer) => SessionUsageLog {
            tokens: Some(answer.usage.total_tokens).filter(|&tokens| tokens > 0),
            cost: Some(answer.usage.cost.total).filter(|&cost| cost > 0.0),
            ..plain(answer.timestamp, MessageRole::Assistant, &with_calls(answer))
        },
        Message::Other(_) => return None,
    };
    Some(log)
}

/// What the model said, and which tools it asked for.
fn with_calls(answer: &AssistantMessage) -> String {
    let calls = answer.tool_calls().map(|call| format!("[asks for {}]", call.name));
    let said = Some(answer.text()).filter(|text| !text.is_empty());
    said.into_iter().chain(calls).collect::<Vec<_>>().join("\n")
}
