//! Agents started by agents: who asked for whom, and whether they were told how it went.
//!
//! How a child fared is in its run's row; this table says what is owed to whom, so that nobody is forgotten
//! over a restart and nobody is told twice.

use homard_protocol::{RunId, SessionKey};
use homard_runtime::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::runs::{self, RunRecord};
use crate::sessions::{SessionEntry, load_or_new, save};
use crate::store::{Store, StoreError, parse_column};

const COLUMNS: &str = "run_id, child_key, requester_key, requester_run, depth, label, task, delete_after, \
                       created_at, settled_at, asks_at";
/// Most rows of one answer.
const MAX_ROWS: i64 = 1_000;

/// A child as it is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewSubagent {
    pub run_id: RunId,
    pub child_key: SessionKey,
    /// The conversation that asked for it.
    pub requester_key: SessionKey,
    /// The run that asked for it.
    pub requester_run: RunId,
    /// How many ancestors it has.
    pub depth: u32,
    /// What it is called.
    pub label: Option<String>,
    /// What it is to do.
    pub task: String,
    /// Whether its conversation is deleted when it is done.
    pub delete_after: bool,
    /// Where the owner who had it started is asked what it may do, as JSON the store does not look into.
    pub asks_at: Option<String>,
}

/// A child's row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SubagentRecord {
    /// What was asked for.
    pub asked: NewSubagent,
    pub created_at: Timestamp,
    /// When whoever asked was told, or nobody wanted to know any more.
    pub settled_at: Option<Timestamp>,
}

/// A child and its run, which is forgotten some days after it has ended.
#[derive(Debug, Clone, PartialEq)]
pub struct SubagentTask {
    pub child: SubagentRecord,
    pub run: Option<RunRecord>,
}

/// What came of asking for a child.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SubagentAdded {
    New,
    /// The same was asked for before.
    Known(Box<SubagentRecord>),
    /// The conversation has this many under way already.
    TooMany(usize),
}

/// Conversations begun by other conversations: [`Store::subagents`].
#[derive(Debug, Clone, Copy)]
pub struct SubagentStore<'a> {
    pub(crate) store: &'a Store,
}

impl SubagentStore<'_> {
    /// Keeps a child and its conversation's settings in one step, unless the conversation that asks has
    /// `max_children` under way already.
    ///
    /// # Errors
    /// When the write is not committed: then the child must not begin.
    pub async fn add(
        self,
        new: NewSubagent,
        max_children: usize,
        settings: impl FnOnce(&mut SessionEntry) + Send + 'static,
    ) -> Result<SubagentAdded, StoreError> {
        self.store
            .write(move |batch| {
                if let Some(known) = load(batch.conn, &new.run_id)? {
                    return Ok(SubagentAdded::Known(Box::new(known)));
                }
                let sql = "SELECT count(*) FROM subagents WHERE requester_key = ?1 AND settled_at IS NULL";
                let open: i64 = batch
                    .conn
                    .prepare_cached(sql)?
                    .query_row([new.requester_key.to_string()], |row| row.get(0))?;
                let open = usize::try_from(open).unwrap_or(usize::MAX);
                if open >= max_children {
                    return Ok(SubagentAdded::TooMany(open));
                }
                let mut draft = load_or_new(batch, &new.child_key, None)?;
                draft.record.entry.spawned_by = Some(new.requester_key.to_string());
                draft.record.entry.spawn_depth = Some(new.depth);
                settings(&mut draft.record.entry);
                save(batch, &mut draft)?;
                batch.execute(
                    "INSERT INTO subagents (run_id, child_key, requester_key, requester_run, depth,
                     label, task, delete_after, created_at, asks_at)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
                    params![
                        new.run_id.as_str(),
                        new.child_key.to_string(),
                        new.requester_key.to_string(),
                        new.requester_run.as_str(),
                        new.depth,
                        new.label,
                        new.task,
                        new.delete_after,
                        batch.now(),
                        new.asks_at,
                    ],
                )?;
                Ok(SubagentAdded::New)
            })
            .await
    }

    /// Children whose end nobody was told yet, oldest first; of one conversation or of all.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn open(self, requester: Option<&SessionKey>) -> Result<Vec<SubagentRecord>, StoreError> {
        let requester = requester.map(ToString::to_string);
        self.store
            .read(move |cx| {
                let sql = format!(
                    "SELECT {COLUMNS} FROM subagents WHERE settled_at IS NULL \
                 AND (?1 IS NULL OR requester_key = ?1) ORDER BY created_at LIMIT ?2"
                );
                let mut statement = cx.conn.prepare_cached(&sql)?;
                collect(statement.query(params![requester, MAX_ROWS])?)
            })
            .await
    }

    /// Children of a conversation asked for since, newest first, and all that are under way.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn of(
        self,
        requester: &SessionKey,
        since: Timestamp,
    ) -> Result<Vec<SubagentRecord>, StoreError> {
        let requester = requester.to_string();
        self.store
            .read(move |cx| {
                let sql = format!(
                    "SELECT {COLUMNS} FROM subagents WHERE requester_key = ?1 \
                 AND (settled_at IS NULL OR created_at >= ?2) ORDER BY created_at DESC LIMIT ?3"
                );
                let mut statement = cx.conn.prepare_cached(&sql)?;
                collect(statement.query(params![requester, since, MAX_ROWS])?)
            })
            .await
    }

    /// Children with their runs, those asked for last first; of one conversation or of all.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn recent(self, requester: Option<&SessionKey>) -> Result<Vec<SubagentTask>, StoreError> {
        let requester = requester.map(ToString::to_string);
        self.store
            .read(move |cx| {
                let sql = format!(
                    "SELECT {COLUMNS} FROM subagents WHERE ?1 IS NULL OR requester_key = ?1 \
                 ORDER BY created_at DESC LIMIT ?2"
                );
                let mut statement = cx.conn.prepare_cached(&sql)?;
                let children = collect(statement.query(params![requester, MAX_ROWS])?)?;
                children.into_iter().map(|child| with_run(cx.conn, child)).collect()
            })
            .await
    }

    /// A child by its run, with that run.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn task(self, run_id: &RunId) -> Result<Option<SubagentTask>, StoreError> {
        let run_id = run_id.clone();
        self.store
            .read(move |cx| load(cx.conn, &run_id)?.map(|child| with_run(cx.conn, child)).transpose())
            .await
    }

    /// The child a conversation belongs to.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn get(self, child: &SessionKey) -> Result<Option<SubagentRecord>, StoreError> {
        let child = child.to_string();
        self.store
            .read(move |cx| {
                let sql = format!("SELECT {COLUMNS} FROM subagents WHERE child_key = ?1");
                let mut statement = cx.conn.prepare_cached(&sql)?;
                statement.query_row([child], |row| Ok(read(row))).optional()?.transpose()
            })
            .await
    }

    /// Nothing more is owed for a child; its conversation is put away at `archive_at`. Answers whether this
    /// was news.
    ///
    /// # Errors
    /// When the write is not committed.
    pub async fn settle(self, run_id: &RunId, archive_at: Option<Timestamp>) -> Result<bool, StoreError> {
        let run_id = run_id.clone();
        self.store.write(move |batch| {
            let changed = batch.execute(
                "UPDATE subagents SET settled_at = ?2, archive_at = ?3 WHERE run_id = ?1 AND settled_at IS NULL",
                params![run_id.as_str(), batch.now(), archive_at],
            )?;
            Ok(changed > 0)
        })
        .await
    }

    /// Nothing more is owed for these children and for theirs, all in one step: what is killed is killed as a
    /// whole, over a crash too. Answers who they were.
    ///
    /// # Errors
    /// When the write is not committed.
    pub async fn settle_families(
        self,
        run_ids: Vec<RunId>,
        archive_at: Option<Timestamp>,
    ) -> Result<Vec<NewSubagent>, StoreError> {
        self.store
            .write(move |batch| {
                let mut settled = Vec::new();
                let mut next: Vec<SubagentRecord> = Vec::new();
                for run_id in &run_ids {
                    next.extend(load(batch.conn, run_id)?);
                }
                let sql = format!("SELECT {COLUMNS} FROM subagents WHERE requester_key = ?1 LIMIT ?2");
                while let Some(record) = next.pop() {
                    let children = params![record.asked.child_key.to_string(), MAX_ROWS];
                    next.extend(collect(batch.conn.prepare_cached(&sql)?.query(children)?)?);
                    let changed = batch.execute(
                        "UPDATE subagents SET settled_at = ?2, archive_at = ?3
                     WHERE run_id = ?1 AND settled_at IS NULL",
                        params![record.asked.run_id.as_str(), batch.now(), archive_at],
                    )?;
                    if changed > 0 {
                        settled.push(record.asked);
                    }
                }
                Ok(settled)
            })
            .await
    }

    /// Forgets children whose time has come and puts their conversations away; answers which those are.
    ///
    /// # Errors
    /// When the write is not committed.
    pub async fn archive(self) -> Result<Vec<SessionKey>, StoreError> {
        self.store
            .write(move |batch| {
                let now = batch.now();
                let sql = format!("SELECT {COLUMNS} FROM subagents WHERE archive_at <= ?1 LIMIT ?2");
                let due = collect(batch.conn.prepare_cached(&sql)?.query(params![now, MAX_ROWS])?)?;
                let mut archived = Vec::new();
                for record in due {
                    let mut draft = load_or_new(batch, &record.asked.child_key, None)?;
                    if draft.exists() {
                        draft.record.entry.archived_at.get_or_insert(now);
                        save(batch, &mut draft)?;
                        archived.push(record.asked.child_key.clone());
                    }
                    batch
                        .execute("DELETE FROM subagents WHERE run_id = ?1", [record.asked.run_id.as_str()])?;
                }
                Ok(archived)
            })
            .await
    }
}

fn with_run(conn: &Connection, child: SubagentRecord) -> Result<SubagentTask, StoreError> {
    Ok(SubagentTask { run: runs::load(conn, &child.asked.run_id)?, child })
}

fn load(conn: &Connection, run_id: &RunId) -> Result<Option<SubagentRecord>, StoreError> {
    let sql = format!("SELECT {COLUMNS} FROM subagents WHERE run_id = ?1");
    conn.prepare_cached(&sql)?.query_row([run_id.as_str()], |row| Ok(read(row))).optional()?.transpose()
}

fn collect(mut rows: rusqlite::Rows<'_>) -> Result<Vec<SubagentRecord>, StoreError> {
    let mut records = Vec::new();
    while let Some(row) = rows.next()? {
        records.push(read(row)?);
    }
    Ok(records)
}

fn read(row: &Row<'_>) -> Result<SubagentRecord, StoreError> {
    let text = |at: usize| row.get_ref(at).and_then(|value| Ok(value.as_str()?));
    Ok(SubagentRecord {
        asked: NewSubagent {
            run_id: parse_column("run_id", text(0)?)?,
            child_key: parse_column("child_key", text(1)?)?,
            requester_key: parse_column("requester_key", text(2)?)?,
            requester_run: parse_column("requester_run", text(3)?)?,
            depth: row.get(4)?,
            label: row.get(5)?,
            task: row.get(6)?,
            delete_after: row.get(7)?,
            asks_at: row.get(10)?,
        },
        created_at: row.get(8)?,
        settled_at: row.get(9)?,
    })
}

#[cfg(test)]
mod tests;
