//! Adding calls up: one pass over an index, every grouping at once.
//!
//! Rows are added in this program and not by the database: a range of time is read once in order, and days
//! can be cut where the caller's calendar cuts them, daylight saving included.

use std::collections::HashMap;
use std::sync::Arc;

use homard_protocol::{AgentId, SessionKey, StopReason};
use homard_runtime::Timestamp;
use rusqlite::{CachedStatement, Connection, OptionalExtension, Row, params};

use super::kept::number;
use super::{UsageStore, dollars};
use crate::store::{StoreError, parse_column};

const COLUMNS: &str = "at, run_id, session_key, agent_id, provider, model, state, input, output, cache_read, \
                       cache_write, total, cost_microusd, input_cost_microusd, output_cost_microusd, \
                       cache_read_cost_microusd, cache_write_cost_microusd, total_ms, outcome";
const IN_RANGE: &str = "at >= ?1 AND at < ?2 AND state <> 'open'";
pub(super) const FIRST: &str = "SELECT min(at) FROM usage_calls";
const CHANNEL: &str = "SELECT channel FROM sessions WHERE key = ?1";
pub(super) const SPENT_SINCE: &str = "SELECT agent_id, session_key, job_id, total, cost_microusd FROM usage_calls \
                                      WHERE at >= ?1 AND state <> 'open' ORDER BY at";
pub(super) const SPENT_BY_SESSION: &str = "SELECT agent_id, session_key, job_id, total, cost_microusd \
                                           FROM usage_calls WHERE session_key = ?1";
/// The share of calls that were at most as slow as the slow mark.
const SLOW_PERCENT: usize = 95;
/// The share of calls that were at most as slow as the middle one.
const HALF_PERCENT: usize = 50;

/// Outcomes of calls that gave an answer.
const ANSWERED: [StopReason; 3] = [StopReason::Stop, StopReason::ToolUse, StopReason::Length];

/// Which calls to add up.
#[derive(Debug, Clone, Default)]
pub struct UsageQuery {
    /// Where each day begins, rising, and last where the final day ends. Fewer than two match nothing.
    pub days: Vec<Timestamp>,
    pub agent: Option<AgentId>,
    pub session: Option<SessionKey>,
}

/// Sums over calls.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct UsageTally {
    /// How many reached a model: gave an answer, or used tokens without one.
    pub calls: u64,
    /// Calls that gave an answer.
    pub answers: u64,
    /// Prompt tokens not served from a cache.
    pub input: u64,
    pub output: u64,
    /// Prompt tokens served from a cache.
    pub cache_read: u64,
    /// Prompt tokens written to a cache.
    pub cache_write: u64,
    pub total: u64,
    pub cost: homard_protocol::Cost,
    /// Calls that used tokens and have no price.
    pub unpriced: u64,
    /// Calls nobody saw the end of; their worst case is in the sums.
    pub lost: u64,
    /// Calls that gave no answer, whether they reached a model or not.
    pub errors: u64,
    /// Answers that asked for tools.
    pub tool_turns: u64,
    /// Runs that began in here.
    pub runs: u64,
}

impl UsageTally {
    /// Adds another sum to this one.
    pub fn add(&mut self, other: &Self) {
        self.calls += other.calls;
        self.answers += other.answers;
        self.input = self.input.saturating_add(other.input);
        self.output = self.output.saturating_add(other.output);
        self.cache_read = self.cache_read.saturating_add(other.cache_read);
        self.cache_write = self.cache_write.saturating_add(other.cache_write);
        self.total = self.total.saturating_add(other.total);
        self.cost.total += other.cost.total;
        self.cost.input += other.cost.input;
        self.cost.output += other.cost.output;
        self.cost.cache_read += other.cost.cache_read;
        self.cost.cache_write += other.cost.cache_write;
        self.unpriced += other.unpriced;
        self.lost += other.lost;
        self.errors += other.errors;
        self.tool_turns += other.tool_turns;
        self.runs += other.runs;
    }
}

/// The calls of one day, conversation and model.
#[derive(Debug, Clone, PartialEq)]
pub struct UsageCell {
    /// Which day, counted from 0.
    pub day: usize,
    pub session: usize,
    pub provider: Arc<str>,
    pub model: Arc<str>,
    pub tally: UsageTally,
}

/// A conversation with calls in the range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsageSession {
    pub key: String,
    pub agent_id: String,
    /// The platform, where it is known.
    pub channel: Option<String>,
    /// Its first call in the range.
    pub first_at: Timestamp,
    /// Its last call in the range.
    pub last_at: Timestamp,
}

/// How long calls took, in milliseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LatencyStats {
    /// How many were measured.
    pub count: u64,
    pub avg_ms: u64,
    /// Half were at most this slow.
    pub p50_ms: u64,
    /// 95 of 100 were at most this slow.
    pub p95_ms: u64,
    pub min_ms: u64,
    pub max_ms: u64,
}

/// Everything about a range of days; smaller groupings are sums of its cells.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct UsageReport {
    /// The sums, in no promised order.
    pub cells: Vec<UsageCell>,
    /// The conversations the cells point to.
    pub sessions: Vec<UsageSession>,
    /// How long calls took, by day.
    pub latency: Vec<Option<LatencyStats>>,
    /// How long calls took over all days.
    pub latency_total: Option<LatencyStats>,
}

/// What was spent on behalf of one agent, conversation and job.
#[derive(Debug, Clone, PartialEq)]
pub struct SpentRow {
    pub agent_id: AgentId,
    pub session_key: SessionKey,
    /// The cron job, where it was one.
    pub job_id: Option<String>,
    /// Tokens of every kind.
    pub tokens: u64,
    pub usd: f64,
}

impl UsageStore<'_> {
    /// When the first call on record began.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn first_call_at(self) -> Result<Option<Timestamp>, StoreError> {
        self.flush().await;
        self.store.read(|cx| Ok(cx.conn.prepare_cached(FIRST)?.query_row([], |row| row.get(0))?)).await
    }

    /// Adds calls up. Calls under way are left out; lost ones count with their worst case.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn report(self, query: UsageQuery) -> Result<UsageReport, StoreError> {
        self.flush().await;
        self.store.read(move |cx| report(cx.conn, &query)).await
    }

    /// What was spent since a moment, lost calls with their worst case: what budgets start from. Calls under way
    /// are left out: whoever makes them has reserved them, and would count them twice.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn spent_since(self, since: Timestamp) -> Result<Vec<SpentRow>, StoreError> {
        self.flush().await;
        self.store
            .read(move |cx| {
                let mut statement = cx.conn.prepare_cached(SPENT_SINCE)?;
                spent(statement.query([since])?)
            })
            .await
    }

    /// What one conversation has spent in its life, as [`spent_since`](Self::spent_since).
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn spent_by_session(self, key: &SessionKey) -> Result<Vec<SpentRow>, StoreError> {
        self.flush().await;
        let key = key.to_string();
        self.store
            .read(move |cx| {
                let mut statement = cx.conn.prepare_cached(SPENT_BY_SESSION)?;
                spent(statement.query([key])?)
            })
            .await
    }
}

fn spent(mut rows: rusqlite::Rows<'_>) -> Result<Vec<SpentRow>, StoreError> {
    let mut sums: HashMap<(String, String, Option<String>), (u64, i64)> = HashMap::new();
    while let Some(row) = rows.next()? {
        let sum = sums.entry((row.get(0)?, row.get(1)?, row.get(2)?)).or_default();
        sum.0 = sum.0.saturating_add(number(row, 3)?);
        sum.1 = sum.1.saturating_add(row.get(4)?);
    }
    let row = |((agent, session, job_id), (tokens, micro)): ((String, String, _), (u64, i64))| {
        Ok(SpentRow {
            agent_id: parse_column("agent_id", &agent)?,
            session_key: parse_column("session_key", &session)?,
            job_id,
            tokens,
            usd: dollars(micro),
        })
    };
    sums.into_iter().map(row).collect()
}

/// The statement of a report: the narrowest index that fits.
pub(super) fn report_sql(query: &UsageQuery) -> String {
    let narrow = match (&query.session, &query.agent) {
        (Some(_), _) => " AND session_key = ?3 AND (?4 IS NULL OR agent_id = ?4)",
        (None, Some(_)) => " AND ?3 IS NULL AND agent_id = ?4",
        (None, None) => " AND ?3 IS NULL AND ?4 IS NULL",
    };
    format!("SELECT {COLUMNS} FROM usage_calls WHERE {IN_RANGE}{narrow} ORDER BY at")
}

fn report(conn: &Connection, query: &UsageQuery) -> Result<UsageReport, StoreError> {
    let (Some(from), Some(until)) = (query.days.first(), query.days.last()) else {
        return Ok(UsageReport::default());
    };
    let mut sums = Sums::new(&query.days);
    let mut statement = conn.prepare_cached(&report_sql(query))?;
    let session = query.session.as_ref().map(ToString::to_string);
    let agent = query.agent.as_ref().map(AgentId::as_str);
    let mut rows = statement.query(params![from, until, session, agent])?;
    while let Some(row) = rows.next()? {
        sums.add(row)?;
    }
    sums.finish(conn.prepare_cached(CHANNEL)?)
}

/// A report in the making.
struct Sums<'a> {
    days: &'a [Timestamp],
    words: HashMap<Arc<str>, ()>,
    sessions: HashMap<String, usize>,
    known: Vec<SeenSession>,
    cells: HashMap<(usize, usize, Arc<str>, Arc<str>), UsageTally>,
    took: Vec<Vec<u32>>,
}

struct SeenSession {
    shown: UsageSession,
    /// The run of the call before: calls of a session follow each other.
    run: Option<String>,
}

impl<'a> Sums<'a> {
    fn new(days: &'a [Timestamp]) -> Self {
        Self {
            days,
            words: HashMap::new(),
            sessions: HashMap::new(),
            known: Vec::new(),
            cells: HashMap::new(),
            took: vec![Vec::new(); days.len().saturating_sub(1)],
        }
    }

    fn add(&mut self, row: &Row<'_>) -> Result<(), StoreError> {
        let at: Timestamp = row.get(0)?;
        let day = self.days.partition_point(|&start| start <= at).saturating_sub(1);
        let session = self.session(row, at)?;
        let began = self.began_run(session, row)?;
        let provider = self.word(row, 4)?;
        let model = self.word(row, 5)?;
        let mut tally = read_tally(row)?;
        tally.runs = u64::from(began);
        // A call without an answer says nothing about how long answers take.
        if tally.answers > 0
            && let Some(took) = self.took.get_mut(day)
        {
            took.push(u32::try_from(number_or_zero(row, 17)?).unwrap_or(u32::MAX));
        }
        self.cells.entry((day, session, provider, model)).or_default().add(&tally);
        Ok(())
    }

    fn word(&mut self, row: &Row<'_>, at: usize) -> Result<Arc<str>, StoreError> {
        let text = text(row, at)?;
        if let Some((word, ())) = self.words.get_key_value(text) {
            return Ok(Arc::clone(word));
        }
        let word: Arc<str> = text.into();
        self.words.insert(Arc::clone(&word), ());
        Ok(word)
    }

    fn session(&mut self, row: &Row<'_>, at: Timestamp) -> Result<usize, StoreError> {
        let key = text(row, 2)?;
        if let Some(&place) = self.sessions.get(key) {
            if let Some(seen) = self.known.get_mut(place) {
                seen.shown.last_at = at;
            }
            return Ok(place);
        }
        let place = self.known.len();
        self.sessions.insert(key.to_owned(), place);
        let agent_id = text(row, 3)?.to_owned();
        let shown = UsageSession { key: key.to_owned(), agent_id, channel: None, first_at: at, last_at: at };
        self.known.push(SeenSession { shown, run: None });
        Ok(place)
    }

    fn began_run(&mut self, session: usize, row: &Row<'_>) -> Result<bool, StoreError> {
        let run = row.get_ref(1)?.as_str_or_null().map_err(rusqlite::Error::from)?;
        let Some(seen) = self.known.get_mut(session) else { return Ok(false) };
        if run.is_none() || seen.run.as_deref() == run {
            return Ok(false);
        }
        seen.run = run.map(str::to_owned);
        Ok(true)
    }

    fn finish(self, mut channel: CachedStatement<'_>) -> Result<UsageReport, StoreError> {
        let mut sessions = Vec::with_capacity(self.known.len());
        for seen in self.known {
            let mut session = seen.shown;
            let known: Option<Option<String>> =
                channel.query_row([&session.key], |row| row.get(0)).optional()?;
            session.channel = known.flatten();
            sessions.push(session);
        }
        let cell =
            |((day, session, provider, model), tally)| UsageCell { day, session, provider, model, tally };
        let cells = self.cells.into_iter().map(cell).collect();
        let mut took = self.took;
        let latency = took.iter_mut().map(|day| stats(day)).collect();
        let latency_total = stats(&mut took.concat());
        Ok(UsageReport { cells, sessions, latency, latency_total })
    }
}

fn text<'r>(row: &'r Row<'_>, at: usize) -> Result<&'r str, StoreError> {
    Ok(row.get_ref(at)?.as_str().map_err(rusqlite::Error::from)?)
}

fn number_or_zero(row: &Row<'_>, at: usize) -> Result<u64, StoreError> {
    Ok(row.get::<_, Option<i64>>(at)?.and_then(|number| u64::try_from(number).ok()).unwrap_or(0))
}

fn read_tally(row: &Row<'_>) -> Result<UsageTally, StoreError> {
    let lost = text(row, 6)? == "lost";
    let outcome = row.get_ref(18)?.as_str_or_null().map_err(rusqlite::Error::from)?;
    let outcome = outcome.and_then(|word| word.parse().ok());
    let total = number(row, 11)?;
    let micro: i64 = row.get(12)?;
    let answered = outcome.is_some_and(|outcome| ANSWERED.contains(&outcome));
    Ok(UsageTally {
        calls: u64::from(answered || total > 0),
        answers: u64::from(answered),
        input: number(row, 7)?,
        output: number(row, 8)?,
        cache_read: number(row, 9)?,
        cache_write: number(row, 10)?,
        total,
        cost: super::cost([micro, row.get(13)?, row.get(14)?, row.get(15)?, row.get(16)?]),
        unpriced: u64::from(total > 0 && micro == 0),
        lost: u64::from(lost),
        // What somebody stopped did not fail.
        errors: u64::from(!answered && outcome != Some(StopReason::Aborted)),
        tool_turns: u64::from(outcome == Some(StopReason::ToolUse)),
        runs: 0,
    })
}

fn stats(took: &mut [u32]) -> Option<LatencyStats> {
    took.sort_unstable();
    let (&min, &max) = (took.first()?, took.last()?);
    let sum: u64 = took.iter().map(|&ms| u64::from(ms)).sum();
    let count = u64::try_from(took.len()).unwrap_or(u64::MAX);
    let mark = |percent: usize| {
        let place = took.len().saturating_mul(percent).div_ceil(100).saturating_sub(1);
        took.get(place).copied().unwrap_or(max).into()
    };
    Some(LatencyStats {
        count,
        avg_ms: sum / count.max(1),
        p50_ms: mark(HALF_PERCENT),
        p95_ms: mark(SLOW_PERCENT),
        min_ms: min.into(),
        max_ms: max.into(),
    })
}

#[cfg(test)]
mod tests;
