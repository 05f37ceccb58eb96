//! Scheduled jobs, and their runs from before they begin. What a job means is not known here: rows carry JSON of the
//! room that runs them, which changes them in one step with the row they belong to. `runs` looks back.

mod runs;

use homard_protocol::{AgentId, JobId, RunId, SessionKey};
use homard_runtime::Timestamp;
use rusqlite::{Connection, Row, Rows, params};
use serde_json::Value;

use crate::engine::writer::Batch;
use crate::notes;
use crate::store::{Store, StoreError, parse_column};

pub use runs::{CronRunPage, CronRunQuery};

const JOB_COLUMNS: &str =
    "id, declaration_key, enabled, next_run_at, running, spec, state, origin, created_at, updated_at";
const RUN_COLUMNS: &str = "run_id, job_id, job_name, agent_id, session_key, started_at, plan, sweep, ended_at, \
                           status, delivery_status, summary, error, entry";
/// Most jobs there can be.
pub const MAX_CRON_JOBS: usize = 10_000;
/// Runs kept of one job; the oldest go first.
const KEEP_RUNS: i64 = 2_000;
/// The same of runs whose conversations are still to be put away: without the row nobody would find them.
const KEEP_UNSWEPT: i64 = 10 * KEEP_RUNS;

/// A job's row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CronJobRow {
    pub id: JobId,
    /// Makes adding it again a change of the same job.
    pub declaration_key: Option<String>,
    pub enabled: bool,
    /// When it is due.
    pub next_run_at: Option<Timestamp>,
    /// The run under way.
    pub running: Option<RunId>,
    /// What was asked for.
    pub spec: String,
    /// How it has fared.
    pub state: String,
    /// Whose words it is made of.
    pub origin: String,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
}

/// A run's row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CronRunRow {
    /// Its id, also that of the agent's run.
    pub run_id: RunId,
    pub job_id: JobId,
    /// What people call the job.
    pub job_name: String,
    pub agent_id: AgentId,
    pub session_key: SessionKey,
    pub started_at: Timestamp,
    /// All that is needed to go on with it after a restart.
    pub plan: String,
    /// Whether its conversation is its own and goes away after it.
    pub sweep: bool,
    /// When it was over.
    pub ended_at: Option<Timestamp>,
    pub status: Option<String>,
    /// What became of its result.
    pub delivery_status: Option<String>,
    /// What was said, shortened.
    pub summary: Option<String>,
    pub error: Option<String>,
    /// What is told about it.
    pub entry: Option<String>,
}

/// What came of adding a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CronAdded {
    New,
    /// There is one with its declaration key.
    Known(Box<CronJobRow>),
    /// There are as many as there can be.
    TooMany,
}

/// What changes a job, in the commit that does something about it; `false` leaves everything as it was.
pub type CronChange = Box<dyn FnOnce(&mut CronJobRow) -> bool + Send>;

/// The end of a run.
pub struct FinishCron {
    pub run_id: RunId,
    /// Fills in the run's end, and changes the job if it is still there.
    pub settle: CronSettle,
}

/// See [`FinishCron::settle`].
pub type CronSettle = Box<dyn FnOnce(&mut CronRunRow, Option<&mut CronJobRow>) -> CronSettled + Send>;

/// What follows from the end of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CronSettled {
    /// Whether the job is done with and forgotten.
    pub forget: bool,
    /// What conversations are told, with what stands beside it.
    pub notes: Vec<(SessionKey, String, Option<Value>)>,
}

impl std::fmt::Debug for FinishCron {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FinishCron").field("run_id", &self.run_id).finish_non_exhaustive()
    }
}

/// What is kept of jobs by the clock and their runs: [`Store::cron`].
#[derive(Debug, Clone, Copy)]
pub struct CronStore<'a> {
    pub(crate) store: &'a Store,
}

impl CronStore<'_> {
    /// Keeps a job.
    ///
    /// # Errors
    /// When the write is not committed.
    pub async fn add(self, row: CronJobRow) -> Result<CronAdded, StoreError> {
        let added = self.add_all(vec![row]).await?;
        Ok(added.into_iter().next().unwrap_or(CronAdded::TooMany))
    }

    /// Keeps jobs, all in one commit; says what came of each.
    ///
    /// # Errors
    /// When the write is not committed.
    pub async fn add_all(self, rows: Vec<CronJobRow>) -> Result<Vec<CronAdded>, StoreError> {
        self.store
            .write(move |batch| {
                let count: i64 = batch
                    .conn
                    .prepare_cached("SELECT count(*) FROM cron_jobs")?
                    .query_row([], |found| found.get(0))?;
                let mut room = MAX_CRON_JOBS.saturating_sub(usize::try_from(count).unwrap_or(usize::MAX));
                let mut added = Vec::with_capacity(rows.len());
                for row in &rows {
                    let came = add(batch, row, room > 0)?;
                    room -= usize::from(came == CronAdded::New);
                    added.push(came);
                }
                Ok(added)
            })
            .await
    }

    /// All jobs that can be read, oldest first.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn list(self) -> Result<Vec<CronJobRow>, StoreError> {
        self.store
            .read(move |cx| {
                let sql = format!("SELECT {JOB_COLUMNS} FROM cron_jobs ORDER BY created_at, id");
                let (jobs, unreadable) = readable(cx.conn.prepare_cached(&sql)?.query([])?, read_job)?;
                for id in unreadable {
                    tracing::warn!(id, "a scheduled job cannot be read and is left alone");
                }
                Ok(jobs)
            })
            .await
    }

    /// One job.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn get(self, id: &JobId) -> Result<Option<CronJobRow>, StoreError> {
        let id = id.clone();
        self.store.read(move |cx| load(cx.conn, &id)).await
    }

    /// Jobs that are due, those that waited longest first.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn due(self, now: Timestamp) -> Result<Vec<CronJobRow>, StoreError> {
        self.store
            .read(move |cx| {
                let sql = format!(
                    "SELECT {JOB_COLUMNS} FROM cron_jobs WHERE enabled = 1 AND running IS NULL \
                 AND next_run_at <= ?1 ORDER BY next_run_at, id"
                );
                Ok(readable(cx.conn.prepare_cached(&sql)?.query([now])?, read_job)?.0)
            })
            .await
    }

    /// When the next job is due, of those that are due later than at a given moment.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn next_due(self, after: Option<Timestamp>) -> Result<Option<Timestamp>, StoreError> {
        self.store
            .read(move |cx| {
                let sql = "SELECT next_run_at, id FROM cron_jobs WHERE enabled = 1 AND running IS NULL \
                           AND next_run_at IS NOT NULL AND next_run_at > ?1 ORDER BY next_run_at";
                let mut statement = cx.conn.prepare_cached(sql)?;
                let mut rows = statement.query([after.unwrap_or(Timestamp::MIN)])?;
                while let Some(row) = rows.next()? {
                    if row.get::<_, String>(1)?.parse::<JobId>().is_ok() {
                        return Ok(Some(row.get(0)?));
                    }
                }
                Ok(None)
            })
            .await
    }

    /// Changes a job; answers with it as it is now, or `None` when there is none.
    ///
    /// # Errors
    /// When the write is not committed.
    pub async fn change(self, id: &JobId, change: CronChange) -> Result<Option<CronJobRow>, StoreError> {
        let id = id.clone();
        self.store
            .write(move |batch| {
                let Some(mut row) = load(batch.conn, &id)? else { return Ok(None) };
                let before = row.clone();
                if !change(&mut row) {
                    return Ok(Some(before));
                }
                save(batch, &row)?;
                Ok(Some(row))
            })
            .await
    }

    /// Forgets a job; answers whether there was one. A run under way goes on.
    ///
    /// # Errors
    /// When the write is not committed.
    pub async fn remove(self, id: &JobId) -> Result<bool, StoreError> {
        let id = id.clone();
        self.store
            .write(move |batch| Ok(batch.execute("DELETE FROM cron_jobs WHERE id = ?1", [id.as_str()])? > 0))
            .await
    }

    /// Records that a job begins, if `begin` says that it may; answers with the job as it is now.
    ///
    /// # Errors
    /// When the write is not committed: then the run must not begin.
    pub async fn begin_run(
        self,
        run: CronRunRow,
        begin: CronChange,
    ) -> Result<Option<CronJobRow>, StoreError> {
        self.store
            .write(move |batch| {
                let Some(mut row) = load(batch.conn, &run.job_id)? else { return Ok(None) };
                if row.running.is_some() || !begin(&mut row) {
                    return Ok(None);
                }
                row.running = Some(run.run_id.clone());
                save(batch, &row)?;
                save_run(batch, &run)?;
                Ok(Some(row))
            })
            .await
    }

    /// Records the end of a run, once; answers with it and with the job as they are now.
    ///
    /// # Errors
    /// When the write is not committed.
    pub async fn finish_run(
        self,
        finish: FinishCron,
    ) -> Result<Option<(CronRunRow, Option<CronJobRow>)>, StoreError> {
        self.store
            .write(move |batch| {
                let FinishCron { run_id, settle } = finish;
                let Some(mut run) = load_run(batch.conn, &run_id)?.filter(|run| run.ended_at.is_none())
                else {
                    return Ok(None);
                };
                let mut job =
                    load(batch.conn, &run.job_id)?.filter(|job| job.running.as_ref() == Some(&run_id));
                let CronSettled { forget, notes } = settle(&mut run, job.as_mut());
                save_run(batch, &run)?;
                for (key, text, details) in notes {
                    notes::keep(batch, &key, &text, details)?;
                }
                if let Some(job) = &mut job {
                    job.running = None;
                    if forget {
                        batch.execute("DELETE FROM cron_jobs WHERE id = ?1", [job.id.as_str()])?;
                    } else {
                        save(batch, job)?;
                    }
                }
                prune(batch, &run.job_id, KEEP_RUNS, KEEP_UNSWEPT)?;
                Ok(Some((run, job.filter(|_| !forget))))
            })
            .await
    }

    /// Runs that are not over and can be read, oldest first.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn open_runs(self) -> Result<Vec<CronRunRow>, StoreError> {
        self.store
            .read(move |cx| {
                let (runs, unreadable) = open_runs(cx.conn)?;
                for run in unreadable {
                    tracing::warn!(run, "a run of a scheduled job cannot be read and is left alone");
                }
                Ok(runs)
            })
            .await
    }

    /// Jobs that say they run though no run of theirs is open, or none that can be read, may run again; answers how many.
    ///
    /// # Errors
    /// When the write is not committed.
    pub async fn free_stuck(self) -> Result<usize, StoreError> {
        self.store
            .write(move |batch| {
                let (open, _unreadable) = open_runs(batch.conn)?;
                let open: Vec<&str> = open.iter().map(|run| run.run_id.as_str()).collect();
                batch.execute(
                    "UPDATE cron_jobs SET running = NULL, state = json_remove(state, '$.runningAtMs')
                 WHERE running IS NOT NULL AND running NOT IN (SELECT value FROM json_each(?1))",
                    [homard_runtime::json::to_text(&open)],
                )
            })
            .await
    }
}

fn add(batch: &Batch<'_>, row: &CronJobRow, has_room: bool) -> Result<CronAdded, StoreError> {
    if let Some(key) = &row.declaration_key {
        let sql = format!("SELECT {JOB_COLUMNS} FROM cron_jobs WHERE declaration_key = ?1");
        let known = collect(batch.conn.prepare_cached(&sql)?.query([key])?, read_job)?.pop();
        if let Some(known) = known {
            return Ok(CronAdded::Known(Box::new(known)));
        }
    }
    if !has_room {
        return Ok(CronAdded::TooMany);
    }
    save(batch, row)?;
    Ok(CronAdded::New)
}

fn save(batch: &Batch<'_>, row: &CronJobRow) -> Result<(), StoreError> {
    batch.execute(
        "INSERT OR REPLACE INTO cron_jobs (id, declaration_key, enabled, next_run_at, running, spec, state, origin,
         created_at, updated_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
        params![
            row.id.as_str(),
            row.declaration_key,
            row.enabled,
            row.next_run_at,
            row.running.as_ref().map(RunId::as_str),
            row.spec,
            row.state,
            row.origin,
            row.created_at,
            row.updated_at,
        ],
    )?;
    Ok(())
}

fn save_run(batch: &Batch<'_>, run: &CronRunRow) -> Result<(), StoreError> {
    batch.execute(
        "INSERT OR REPLACE INTO cron_runs (run_id, job_id, job_name, agent_id, session_key, started_at, plan, sweep,
         ended_at, status, delivery_status, summary, error, entry)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)",
        params![
            run.run_id.as_str(),
            run.job_id.as_str(),
            run.job_name,
            run.agent_id.as_str(),
            run.session_key.to_string(),
            run.started_at,
            run.plan,
            run.sweep,
            run.ended_at,
            run.status,
            run.delivery_status,
            run.summary,
            run.error,
            run.entry,
        ],
    )?;
    Ok(())
}

/// Forgets the oldest runs of a job that has many.
fn prune(batch: &Batch<'_>, job: &JobId, keep: i64, keep_unswept: i64) -> Result<(), StoreError> {
    for (keep, sweep) in [(keep, 0), (keep_unswept, 1)] {
        batch.execute(
            "DELETE FROM cron_runs WHERE job_id = ?1 AND sweep = ?3 AND ended_at <=
             (SELECT ended_at FROM cron_runs WHERE job_id = ?1 AND ended_at IS NOT NULL
              ORDER BY ended_at DESC LIMIT 1 OFFSET ?2)",
            params![job.as_str(), keep, sweep],
        )?;
    }
    Ok(())
}

fn load(conn: &Connection, id: &JobId) -> Result<Option<CronJobRow>, StoreError> {
    let sql = format!("SELECT {JOB_COLUMNS} FROM cron_jobs WHERE id = ?1");
    Ok(collect(conn.prepare_cached(&sql)?.query([id.as_str()])?, read_job)?.pop())
}

fn load_run(conn: &Connection, id: &RunId) -> Result<Option<CronRunRow>, StoreError> {
    let sql = format!("SELECT {RUN_COLUMNS} FROM cron_runs WHERE run_id = ?1");
    Ok(collect(conn.prepare_cached(&sql)?.query([id.as_str()])?, read_run)?.pop())
}

fn collect<T>(
    mut rows: Rows<'_>,
    read: impl Fn(&Row<'_>) -> Result<T, StoreError>,
) -> Result<Vec<T>, StoreError> {
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        found.push(read(row)?);
    }
    Ok(found)
}

fn open_runs(conn: &Connection) -> Result<(Vec<CronRunRow>, Vec<String>), StoreError> {
    let sql = format!("SELECT {RUN_COLUMNS} FROM cron_runs WHERE ended_at IS NULL ORDER BY started_at");
    readable(conn.prepare_cached(&sql)?.query([])?, read_run)
}

/// Rows, and the ids of those that cannot be read: one of them does not keep the others from their work.
fn readable<T>(
    mut rows: Rows<'_>,
    read: impl Fn(&Row<'_>) -> Result<T, StoreError>,
) -> Result<(Vec<T>, Vec<String>), StoreError> {
    let (mut found, mut unreadable) = (Vec::new(), Vec::new());
    while let Some(row) = rows.next()? {
        match read(row) {
            Err(StoreError::Unreadable { .. }) => unreadable.push(row.get(0)?),
            read => found.push(read?),
        }
    }
    Ok((found, unreadable))
}

fn read_job(row: &Row<'_>) -> Result<CronJobRow, StoreError> {
    let (id, running): (String, Option<String>) = (row.get(0)?, row.get(4)?);
    Ok(CronJobRow {
        id: parse_column("id", &id)?,
        declaration_key: row.get(1)?,
        enabled: row.get(2)?,
        next_run_at: row.get(3)?,
        running: running.map(|run| parse_column("running", &run)).transpose()?,
        spec: row.get(5)?,
        state: row.get(6)?,
        origin: row.get(7)?,
        created_at: row.get(8)?,
        updated_at: row.get(9)?,
    })
}

fn read_run(row: &Row<'_>) -> Result<CronRunRow, StoreError> {
    let text = |column: usize| row.get::<_, String>(column);
    Ok(CronRunRow {
        run_id: parse_column("run_id", &text(0)?)?,
        job_id: parse_column("job_id", &text(1)?)?,
        job_name: row.get(2)?,
        agent_id: parse_column("agent_id", &text(3)?)?,
        session_key: parse_column("session_key", &text(4)?)?,
        started_at: row.get(5)?,
        plan: row.get(6)?,
        sweep: row.get(7)?,
        ended_at: row.get(8)?,
        status: row.get(9)?,
        delivery_status: row.get(10)?,
        summary: row.get(11)?,
        error: row.get(12)?,
        entry: row.get(13)?,
    })
}

#[cfg(test)]
mod tests;
