//! Single calls read back: those of a run, and a session's as a curve.

use homard_protocol::{RunId, SessionId, SessionKey, Usage, Word};
use homard_runtime::Timestamp;
use rusqlite::{Connection, Row, params};

use super::{CallOwner, CallRow, CallState, CallTarget, UsageStore, cost};
use crate::store::{StoreError, parse_column};

/// Most calls of one run that are read; no run makes more.
const MAX_RUN_CALLS: i64 = 10_000;

const COLUMNS: &str = "at, run_id, session_key, session_id, agent_id, job_id, provider, model, api, profile, \
                       thinking, state, input, output, cache_read, cache_write, total, cost_microusd, \
                       input_cost_microusd, output_cost_microusd, cache_read_cost_microusd, \
                       cache_write_cost_microusd, first_ms, total_ms, outcome";
const OF_RUN: &str = "WHERE run_id = ?1 ORDER BY at, id LIMIT ?2";
/// `?2` is the transcript wanted, or `NULL` for all.
pub(super) const COUNT_OF_SESSION: &str = "SELECT count(*) FROM usage_calls WHERE session_key = ?1 AND (?2 IS NULL OR session_id = ?2) \
     AND state <> 'open'";
pub(super) const OF_SESSION: &str = "SELECT at, input, output, cache_read, cache_write, total, cost_microusd FROM usage_calls \
     WHERE session_key = ?1 AND (?2 IS NULL OR session_id = ?2) AND state <> 'open' ORDER BY at";

pub(super) fn of_run_sql() -> String {
    format!("SELECT {COLUMNS} FROM usage_calls {OF_RUN}")
}

/// A call as it was kept.
#[derive(Debug, Clone, PartialEq)]
pub struct KeptCall {
    /// Whether its numbers are known.
    pub state: CallState,
    pub row: CallRow,
}

/// One point of a session's curve: a call, or several that follow each other.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct UsagePoint {
    /// When the first of them began.
    pub at: Timestamp,
    pub calls: u64,
    /// Their sum; only the whole cost is filled in.
    pub usage: Usage,
}

impl UsageStore<'_> {
    /// The model calls of a run, in order.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn of_run(self, run_id: &RunId) -> Result<Vec<KeptCall>, StoreError> {
        self.flush().await;
        let run_id = run_id.clone();
        self.store
            .read(move |cx| {
                let mut statement = cx.conn.prepare_cached(&of_run_sql())?;
                let mut rows = statement.query(params![run_id.as_str(), MAX_RUN_CALLS])?;
                let mut calls = Vec::new();
                while let Some(row) = rows.next()? {
                    calls.push(read(row)?);
                }
                Ok(calls)
            })
            .await
    }

    /// A session's calls as a curve of at most `max_points`, oldest first; calls that follow each other are
    /// added up where there are more. `session_id` narrows it to one transcript.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn points(
        self,
        key: &SessionKey,
        session_id: Option<&SessionId>,
        max_points: usize,
    ) -> Result<Vec<UsagePoint>, StoreError> {
        self.flush().await;
        let (key, session_id) = (key.to_string(), session_id.map(ToString::to_string));
        self.store.read(move |cx| points(cx.conn, &key, session_id.as_deref(), max_points)).await
    }
}

fn points(
    conn: &Connection,
    key: &str,
    session_id: Option<&str>,
    max_points: usize,
) -> Result<Vec<UsagePoint>, StoreError> {
    let calls: i64 =
        conn.prepare_cached(COUNT_OF_SESSION)?.query_row(params![key, session_id], |row| row.get(0))?;
    let per_point = calls.unsigned_abs().div_ceil(u64::try_from(max_points.max(1)).unwrap_or(u64::MAX));
    let mut statement = conn.prepare_cached(OF_SESSION)?;
    let mut rows = statement.query(params![key, session_id])?;
    let mut points: Vec<UsagePoint> = Vec::new();
    while let Some(row) = rows.next()? {
        let mut usage = Usage {
            input: number(row, 1)?,
            output: number(row, 2)?,
            cache_read: number(row, 3)?,
            cache_write: number(row, 4)?,
            total_tokens: number(row, 5)?,
            ..Usage::default()
        };
        usage.cost.total = super::dollars(row.get(6)?);
        match points.last_mut() {
            Some(last) if last.calls < per_point => {
                last.usage.add(&usage);
                last.calls += 1;
            }
            _ => points.push(UsagePoint { at: row.get(0)?, calls: 1, usage }),
        }
    }
    Ok(points)
}

pub(super) fn number(row: &Row<'_>, at: usize) -> Result<u64, StoreError> {
    Ok(u64::try_from(row.get::<_, i64>(at)?).unwrap_or(0))
}

fn read(row: &Row<'_>) -> Result<KeptCall, StoreError> {
    let text = |at: usize| row.get_ref(at).and_then(|value| Ok(value.as_str()?));
    let optional = |at: usize| row.get_ref(at).and_then(|value| Ok(value.as_str_or_null()?));
    let state = match text(11)? {
        "open" => CallState::Open,
        "lost" => CallState::Lost,
        _ => CallState::Settled,
    };
    let owner = CallOwner {
        run_id: optional(1)?.map(|id| parse_column("run_id", id)).transpose()?,
        session_key: parse_column("session_key", text(2)?)?,
        session_id: optional(3)?.map(|id| parse_column("session_id", id)).transpose()?,
        agent_id: parse_column("agent_id", text(4)?)?,
        job_id: row.get(5)?,
    };
    let target = CallTarget {
        provider: row.get(6)?,
        model: row.get(7)?,
        api: row.get(8)?,
        profile: row.get(9)?,
        thinking: optional(10)?.map(Word::of),
    };
    let usage = Usage {
        input: number(row, 12)?,
        output: number(row, 13)?,
        cache_read: number(row, 14)?,
        cache_write: number(row, 15)?,
        total_tokens: number(row, 16)?,
        cost: cost([row.get(17)?, row.get(18)?, row.get(19)?, row.get(20)?, row.get(21)?]),
    };
    let first: Option<i64> = row.get(22)?;
    let total: Option<i64> = row.get(23)?;
    let outcome = optional(24)?.map(Word::of).unwrap_or_default();
    let whole = |ms: i64| u64::try_from(ms).unwrap_or(0);
    let row = CallRow {
        at: row.get(0)?,
        owner,
        target,
        usage,
        first_ms: first.map(whole),
        total_ms: total.map_or(0, whole),
        outcome,
    };
    Ok(KeptCall { state, row })
}
