//! Runs: one turn of an agent each, from the request that asked for it to its end.
//!
//! A run's row is also the idempotency record of its request (the run id is the key) and, until it starts,
//! the inbox: what was accepted is found again after a crash. `lifecycle` moves a run along.

mod again;
mod lifecycle;
mod steered;

use homard_protocol::{
    AgentId, EntryId, EntryKind, RunId, SessionId, SessionKey, StopReason, TurnSource, Usage, UserMessage,
    Word,
};
use homard_runtime::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row, params};
use serde_json::Value;

use crate::inbox::InboxId;
use crate::outbox::NewOutbound;
use crate::sessions::{SessionEntry, SessionRecord};
use crate::store::{Store, StoreError, from_json, parse_column};
use crate::transcripts::Appended;

pub use homard_protocol::RunStatus;

pub(crate) use again::USER_KEY_END;
pub use steered::{SteerInto, steered_key, steered_too_key};

/// How long a finished run is remembered, and with it its idempotency key.
const KEEP_MS: i64 = 7 * 24 * 60 * 60 * 1000;
/// Runs pruned in one chore.
const PRUNE_ROWS: i64 = 500;
/// Most unfinished runs read at start; beyond it something is very wrong and the rest waits for the next start.
const MAX_UNFINISHED: i64 = 100_000;
/// Most runs in one look back.
const MAX_RECENT: i64 = 1_000;

const COLUMNS: &str = "run_id, session_key, session_id, agent_id, status, source, message, created_at, started_at, \
                       ended_at, stop_reason, error, provider, model, usage, reply, attempts";

/// A request for a run.
#[derive(Debug, Clone)]
pub struct NewRun {
    /// Its id: the request's idempotency key.
    pub run_id: RunId,
    pub session_key: SessionKey,
    pub agent_id: AgentId,
    /// Where the request came from.
    pub source: Word<TurnSource>,
    /// JSON text with all that is needed to begin the run after a restart; the store does not look inside and
    /// forgets it when the run ends.
    pub message: String,
    /// Messages of chat platforms that this run answers: done with in the commit that keeps the run.
    pub inbox: Vec<InboxId>,
}

/// A run's row.
#[derive(Debug, Clone, PartialEq)]
pub struct RunRecord {
    pub run_id: RunId,
    pub session_key: SessionKey,
    /// The transcript it writes to, once begun.
    pub session_id: Option<SessionId>,
    pub agent_id: AgentId,
    pub status: RunStatus,
    /// Where the request came from.
    pub source: Word<TurnSource>,
    /// See [`NewRun::message`]; `None` once finished.
    pub message: Option<String>,
    /// When it was accepted.
    pub created_at: Timestamp,
    pub started_at: Option<Timestamp>,
    pub ended_at: Option<Timestamp>,
    /// Why the model stopped.
    pub stop_reason: Option<String>,
    pub error: Option<String>,
    pub provider: Option<String>,
    pub model: Option<String>,
    pub usage: Option<Usage>,
    pub reply: Option<String>,
    /// What was tried before somebody answered, as [`FinishRun::attempts`] said.
    pub attempts: Vec<Value>,
}

/// What came of a request.
#[derive(Debug, Clone, PartialEq)]
pub enum Accepted {
    /// It is new and kept.
    New,
    /// It was made before; this is where that run is.
    Duplicate(Box<RunRecord>),
}

/// A change of a session row made together with a step of a run.
pub type SessionPatch = Box<dyn FnOnce(&mut SessionEntry) + Send>;

/// Beginning a run.
pub struct StartRun {
    pub run_id: RunId,
    /// What the person said.
    pub message: UserMessage,
    /// The same as lists show it, without what is told to the model around it; `None` when that is the same.
    pub shown: Option<String>,
    /// What is noted in the transcript just before it, in the same commit.
    pub before: Vec<EntryKind>,
    /// Whether nobody said it: the session is as old afterwards as it was before.
    pub is_unasked: bool,
    /// The agent's working directory, for the header of a new transcript.
    pub cwd: String,
    /// What else changes in the session: route, channel, chat type.
    pub patch: Option<SessionPatch>,
    /// Waiting runs whose messages are in this one's: ended in the same commit, each with `merged:` and this run's
    /// id as its stop reason.
    pub merged: Vec<RunId>,
}

/// A begun run.
#[derive(Debug, Clone, PartialEq)]
pub struct StartedRun {
    /// The session as it is now.
    pub session: SessionRecord,
    /// Whether the session was made by this run.
    pub new_session: bool,
    /// The user message's entry.
    pub entry_id: EntryId,
    pub seq: i64,
}

/// Ending a run.
pub struct FinishRun {
    pub run_id: RunId,
    pub status: RunStatus,
    /// Why the model stopped.
    pub stop_reason: Option<StopReason>,
    pub error: Option<String>,
    pub provider: Option<String>,
    pub model: Option<String>,
    pub usage: Option<Usage>,
    pub reply: Option<String>,
    /// Attempts at the model that did not answer, in order, each as its own JSON; the store does not look inside.
    pub attempts: Vec<Value>,
    /// What is still to be appended to the transcript.
    pub entries: Vec<EntryKind>,
    /// What changes in the session: token counts, model, `abortedLastRun`.
    pub patch: Option<SessionPatch>,
    /// What is to be sent to people, kept in the same commit.
    pub outbox: Vec<NewOutbound>,
}

impl FinishRun {
    /// An end with nothing to say; fill in what there is.
    #[must_use]
    pub fn new(run_id: RunId, status: RunStatus) -> Self {
        Self {
            run_id,
            status,
            stop_reason: None,
            error: None,
            provider: None,
            model: None,
            usage: None,
            reply: None,
            attempts: Vec::new(),
            entries: Vec::new(),
            patch: None,
            outbox: Vec::new(),
        }
    }
}

/// An ended run.
#[derive(Debug, Clone, PartialEq)]
pub struct Finished {
    /// Where the entries landed; empty when the session was reset or deleted meanwhile.
    pub appended: Vec<Appended>,
    /// The session as it is now; `None` when it was reset or deleted meanwhile.
    pub session: Option<SessionRecord>,
}

/// The runs of all conversations: [`Store::runs`].
#[derive(Debug, Clone, Copy)]
pub struct RunStore<'a> {
    pub(crate) store: &'a Store,
}

impl RunStore<'_> {
    /// A run by its id.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn get(self, run_id: &RunId) -> Result<Option<RunRecord>, StoreError> {
        let run_id = run_id.clone();
        self.store.read(move |cx| load(cx.conn, &run_id)).await
    }

    /// The runs that ended last, newest first, of one conversation or of all.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn recent(
        self,
        session: Option<&SessionKey>,
        limit: usize,
    ) -> Result<Vec<RunRecord>, StoreError> {
        let session = session.map(ToString::to_string);
        self.store
            .read(move |cx| {
                let mut statement = cx.conn.prepare_cached(&recent_sql())?;
                let mut rows = statement
                    .query(params![session, i64::try_from(limit).unwrap_or(MAX_RECENT).min(MAX_RECENT)])?;
                let mut runs = Vec::new();
                while let Some(row) = rows.next()? {
                    runs.push(read(row)?);
                }
                Ok(runs)
            })
            .await
    }

    /// Runs that were accepted and have not ended, oldest first: what there is to recover at start.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn unfinished(self) -> Result<Vec<RunRecord>, StoreError> {
        self.store
            .read(move |cx| {
                let sql = format!(
                    "SELECT {COLUMNS} FROM runs WHERE ended_at IS NULL ORDER BY created_at, rowid LIMIT ?1"
                );
                let mut statement = cx.conn.prepare(&sql)?;
                let mut rows = statement.query([MAX_UNFINISHED])?;
                let mut runs = Vec::new();
                while let Some(row) = rows.next()? {
                    runs.push(read(row)?);
                }
                Ok(runs)
            })
            .await
    }
}

/// Finished runs are kept for days only, so that passing over other conversations' is cheap.
pub(crate) fn recent_sql() -> String {
    format!(
        "SELECT {COLUMNS} FROM runs WHERE ended_at IS NOT NULL AND (?1 IS NULL OR session_key = ?1) \
         ORDER BY ended_at DESC LIMIT ?2"
    )
}

/// Forgets a slice of runs that ended long ago; `true` when there may be more.
pub(crate) fn prune(conn: &Connection, now: Timestamp) -> Result<bool, StoreError> {
    let deleted = conn
        .prepare_cached(
            "DELETE FROM runs WHERE rowid IN (SELECT rowid FROM runs WHERE ended_at < ?1 ORDER BY ended_at LIMIT ?2)",
        )?
        .execute(params![now.saturating_sub(KEEP_MS), PRUNE_ROWS])?;
    Ok(deleted > 0)
}

pub(crate) fn load(conn: &Connection, run_id: &RunId) -> Result<Option<RunRecord>, StoreError> {
    let sql = format!("SELECT {COLUMNS} FROM runs WHERE run_id = ?1");
    conn.prepare_cached(&sql)?.query_row([run_id.as_str()], |row| Ok(read(row))).optional()?.transpose()
}

fn read(row: &Row<'_>) -> Result<RunRecord, StoreError> {
    let text = |at: usize| row.get_ref(at).and_then(|value| Ok(value.as_str()?));
    let optional = |at: usize| row.get_ref(at).and_then(|value| Ok(value.as_str_or_null()?));
    Ok(RunRecord {
        run_id: parse_column("run_id", text(0)?)?,
        session_key: parse_column("session_key", text(1)?)?,
        session_id: optional(2)?.map(|id| parse_column("session_id", id)).transpose()?,
        agent_id: parse_column("agent_id", text(3)?)?,
        status: parse_column("status", text(4)?)?,
        source: Word::of(text(5)?),
        message: row.get(6)?,
        created_at: row.get(7)?,
        started_at: row.get(8)?,
        ended_at: row.get(9)?,
        stop_reason: row.get(10)?,
        error: row.get(11)?,
        provider: row.get(12)?,
        model: row.get(13)?,
        usage: optional(14)?.map(|usage| from_json("usage", usage)).transpose()?,
        reply: row.get(15)?,
        attempts: optional(16)?.map(|list| from_json("attempts", list)).transpose()?.unwrap_or_default(),
    })
}

#[cfg(test)]
mod tests;
