//! Model calls: whose they were, what they cost, how they ended.
//!
//! A finished call is handed over with [`UsageStore::record`], which returns at once: the row waits in memory
//! (`pending`) and rides along with the next commit, usually the one that keeps the answer. Where budgets are
//! enforced, [`UsageStore::open`] keeps the worst case before any money can be spent. `report` adds rows up.

mod kept;
mod pending;
mod report;

use homard_protocol::{
    AgentId, CallOutcome, CallState, Cost, RunId, SessionId, SessionKey, ThinkingLevel, Usage, Word,
};
use homard_runtime::{OrLog, Timestamp};
use rusqlite::{Connection, params};

pub use kept::{KeptCall, UsagePoint};
pub(crate) use pending::{PendingCall, PendingCalls, write};
pub use report::{LatencyStats, SpentRow, UsageCell, UsageQuery, UsageReport, UsageSession, UsageTally};

use crate::store::{Store, StoreError};

/// Millionths of a US dollar in one.
const MICRO: f64 = 1_000_000.0;

/// On whose behalf a model was called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallOwner {
    /// The run, where there is one.
    pub run_id: Option<RunId>,
    pub session_key: SessionKey,
    pub session_id: Option<SessionId>,
    pub agent_id: AgentId,
    /// The cron job that caused it.
    pub job_id: Option<String>,
}

/// Who was asked, and how.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CallTarget {
    pub provider: String,
    pub model: String,
    pub api: String,
    /// The credential, by its name; never the secret.
    pub profile: Option<String>,
    /// How much it was to think.
    pub thinking: Option<Word<ThinkingLevel>>,
}

/// A finished model call.
#[derive(Debug, Clone, PartialEq)]
pub struct CallRow {
    pub at: Timestamp,
    pub owner: CallOwner,
    pub target: CallTarget,
    pub usage: Usage,
    /// Milliseconds until the first word.
    pub first_ms: Option<u64>,
    /// Milliseconds until the end.
    pub total_ms: u64,
    /// Empty while it is under way.
    pub outcome: Word<CallOutcome>,
}

/// A model call about to be made, with the most it can cost.
#[derive(Debug, Clone, PartialEq)]
pub struct OpenCall {
    pub at: Timestamp,
    pub owner: CallOwner,
    /// Who will be asked.
    pub target: CallTarget,
    /// What counts if nobody ever learns how it ended.
    pub worst: Usage,
}

/// The row of an open call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CallId(i64);

/// The calls of models and what they cost: [`Store::usage`].
#[derive(Debug, Clone, Copy)]
pub struct UsageStore<'a> {
    pub(crate) store: &'a Store,
}

impl UsageStore<'_> {
    /// Keeps a finished call without waiting: it is committed together with the next write, at the latest with
    /// the next [`checkpoint_soon`](Store::checkpoint_soon), and every question about usage sees it.
    pub fn record(self, row: CallRow) {
        self.store.pending_calls().record(row);
    }

    /// Keeps a call before it is made and waits until that is committed, so that a crash cannot hide what it
    /// may have cost.
    ///
    /// # Errors
    /// When the write is not committed: then the call must not be made.
    pub async fn open(self, call: OpenCall) -> Result<CallId, StoreError> {
        let OpenCall { at, owner, target, worst } = call;
        let row = CallRow {
            at,
            owner,
            target,
            usage: worst,
            first_ms: None,
            total_ms: 0,
            outcome: Word::default(),
        };
        self.store.write(move |batch| insert(batch.conn, &row, CallState::Open)).await
    }

    /// Says how an open call ended, without waiting, as [`record`](Self::record).
    pub fn settle(self, id: CallId, row: CallRow) {
        self.store.pending_calls().settle(id, row);
    }

    /// Marks calls that a dead process left open; their worst case counts. To be called once at start, before
    /// any call is made. Answers how many there were.
    ///
    /// # Errors
    /// When the write is not committed.
    pub async fn close_lost(self) -> Result<usize, StoreError> {
        self.store
            .write(|batch| {
                batch.execute(
                    "UPDATE usage_calls SET state = 'lost', outcome = 'lost' WHERE state = 'open'",
                    [],
                )
            })
            .await
    }

    /// Waits until everything recorded so far can be read.
    async fn flush(self) {
        self.store
            .write(|_batch| Ok(()))
            .await
            .or_log("calls that were just recorded may be missing in a report");
    }
}

const INSERT: &str = "INSERT INTO usage_calls (at, run_id, session_key, session_id, agent_id, job_id, provider, \
     model, api, profile, state, input, output, cache_read, cache_write, total, cost_microusd, \
     input_cost_microusd, output_cost_microusd, cache_read_cost_microusd, cache_write_cost_microusd, first_ms, \
     total_ms, outcome, thinking) \
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, \
     ?22, ?23, ?24, ?25)";

fn insert(conn: &Connection, row: &CallRow, state: CallState) -> Result<CallId, StoreError> {
    let CallRow { at, owner, target, usage, first_ms, total_ms, outcome } = row;
    let cost = &usage.cost;
    conn.prepare_cached(INSERT)?.execute(params![
        at,
        owner.run_id.as_ref().map(RunId::as_str),
        owner.session_key.to_string(),
        owner.session_id.as_ref().map(SessionId::as_str),
        owner.agent_id.as_str(),
        owner.job_id,
        target.provider,
        target.model,
        target.api,
        target.profile,
        state.as_str(),
        count(usage.input),
        count(usage.output),
        count(usage.cache_read),
        count(usage.cache_write),
        count(usage.total_tokens),
        micro(cost.total),
        micro(cost.input),
        micro(cost.output),
        micro(cost.cache_read),
        micro(cost.cache_write),
        first_ms.map(count),
        count(*total_ms),
        outcome.as_str(),
        target.thinking.as_ref().map(Word::as_str),
    ])?;
    Ok(CallId(conn.last_insert_rowid()))
}

/// Replaces an open row by how the call ended. A row that is gone is made again: nothing spent may be forgotten.
fn settle(conn: &Connection, id: CallId, row: &CallRow) -> Result<(), StoreError> {
    conn.prepare_cached("DELETE FROM usage_calls WHERE id = ?1")?.execute([id.0])?;
    insert(conn, row, CallState::Settled)?;
    Ok(())
}

fn count(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// Dollars as the whole number the table keeps; what is not a number costs nothing.
fn micro(usd: f64) -> i64 {
    // The cast saturates, and turns what is not a number into 0.
    (usd * MICRO).round() as i64
}

fn dollars(micro: i64) -> f64 {
    micro as f64 / MICRO
}

fn cost(parts: [i64; 5]) -> Cost {
    let [total, input, output, cache_read, cache_write] = parts.map(dollars);
    Cost { input, output, cache_read, cache_write, total }
}

#[cfg(test)]
mod tests;
