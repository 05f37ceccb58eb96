//! Looking back at runs, and putting away the conversations of old ones.

use homard_protocol::{AgentId, JobId, RunId, SessionKey};
use homard_runtime::Timestamp;
use rusqlite::{ToSql, params_from_iter};

use super::{CronRunRow, CronStore, RUN_COLUMNS, read_run, readable};
use crate::store::{StoreError, parse_column};

/// Conversations put away in one go.
const SWEEP_ROWS: i64 = 200;

/// Which runs.
#[derive(Debug, Clone, Default)]
pub struct CronRunQuery {
    pub job_id: Option<JobId>,
    pub agent_id: Option<AgentId>,
    pub run_id: Option<RunId>,
    /// Ended so; empty for any.
    pub statuses: Vec<String>,
    /// Whose result fared so; empty for any.
    pub delivery_statuses: Vec<String>,
    /// Words in the summary, the error or the job's name.
    pub text: Option<String>,
    pub ascending: bool,
    pub limit: u32,
    /// How many to leave out.
    pub offset: u64,
}

/// Some runs of many.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CronRunPage {
    pub runs: Vec<CronRunRow>,
    /// How many there are.
    pub total: u64,
}

impl CronStore<'_> {
    /// Runs that are over.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn runs(self, query: CronRunQuery) -> Result<CronRunPage, StoreError> {
        self.store.read(move |cx| {
            let (filter, values) = filter(&query);
            let sql = format!("SELECT count(*) FROM cron_runs WHERE {filter}");
            let values_of = || params_from_iter(values.iter().map(|value| value as &dyn ToSql));
            let total: i64 = cx.conn.prepare_cached(&sql)?.query_row(values_of(), |row| row.get(0))?;
            let order = if query.ascending { "ASC" } else { "DESC" };
            let (limit, offset) = (query.limit, query.offset);
            let sql = format!(
                "SELECT {RUN_COLUMNS} FROM cron_runs WHERE {filter} ORDER BY ended_at {order}, run_id {order} \
                 LIMIT {limit} OFFSET {offset}"
            );
            let (runs, _unreadable) = readable(cx.conn.prepare_cached(&sql)?.query(values_of())?, read_run)?;
            Ok(CronRunPage { runs, total: u64::try_from(total).unwrap_or(0) })
        })
        .await
    }

    /// Conversations of their own of runs that were over before `before`; they are told only once.
    ///
    /// # Errors
    /// When the write is not committed.
    pub async fn take_old_sessions(self, before: Timestamp) -> Result<Vec<SessionKey>, StoreError> {
        self.store
            .write(move |batch| {
                let sql =
                    "SELECT run_id, session_key FROM cron_runs WHERE sweep = 1 AND ended_at < ?1 LIMIT ?2";
                let mut statement = batch.conn.prepare_cached(sql)?;
                let found =
                    statement.query_map([before, SWEEP_ROWS], |row| Ok((row.get(0)?, row.get(1)?)))?;
                let found: Vec<(String, String)> = found.collect::<Result<_, _>>()?;
                let mut keys = Vec::new();
                for (run, key) in found {
                    batch.execute("UPDATE cron_runs SET sweep = 0 WHERE run_id = ?1", [&run])?;
                    match parse_column("session_key", &key) {
                        Ok(key) => keys.push(key),
                        Err(error) => tracing::warn!(run, %error, "a run's conversation is not put away"),
                    }
                }
                Ok(keys)
            })
            .await
    }
}

fn filter(query: &CronRunQuery) -> (String, Vec<String>) {
    let (mut parts, mut values) = (vec!["ended_at IS NOT NULL".to_owned()], Vec::new());
    let mut named = |column: &str, value: Option<&str>| {
        if let Some(value) = value {
            values.push(value.to_owned());
            parts.push(format!("{column} = ?{}", values.len()));
        }
    };
    named("job_id", query.job_id.as_ref().map(JobId::as_str));
    named("agent_id", query.agent_id.as_ref().map(AgentId::as_str));
    named("run_id", query.run_id.as_ref().map(RunId::as_str));
    for (column, wanted) in [("status", &query.statuses), ("delivery_status", &query.delivery_statuses)] {
        if !wanted.is_empty() {
            let from = values.len();
            values.extend(wanted.iter().cloned());
            let places: Vec<String> = (from + 1..=values.len()).map(|at| format!("?{at}")).collect();
            parts.push(format!("{column} IN ({})", places.join(", ")));
        }
    }
    if let Some(text) = &query.text {
        values.push(text.to_lowercase());
        let at = values.len();
        let found = |column: &str| format!("instr(lower(coalesce({column}, '')), ?{at}) > 0");
        parts.push(format!("({} OR {} OR {})", found("summary"), found("error"), found("job_name")));
    }
    (parts.join(" AND "), values)
}
