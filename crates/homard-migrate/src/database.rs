//! The databases of a home: each is copied, and the copy is read. Rows become the files they once were.
//!
//! An agent's database holds its conversations (`session_nodes`, `transcript_events`) and keys (`auth_profile_store`);
//! the shared one jobs, paired devices, who may write, rules for commands and this machine's own key.

mod all_agents;
mod transcript;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags};
use serde_json::{Map, Value};
use tempfile::TempDir;

pub(crate) use transcript::transcript;

use crate::home::{AGENT_DATABASE, Home, STATE_DATABASE};
use crate::report::{Fate, Kind};
use crate::{Content, Migration, Parcel};

/// What a database has beside it while it is used. The third such file is made anew from these two.
const COMPANION: &str = "-wal";
/// How often a database that is written to is copied anew.
const LOOKS: usize = 5;

/// Why a database, or something in it, cannot be read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DatabaseError {
    #[error("the database cannot be copied")]
    Copy(#[source] io::Error),
    #[error("its program writes to it all the time; stop that, and begin again")]
    InUse,
    #[error("the database cannot be read")]
    Read(#[from] rusqlite::Error),
    #[error("line {line} of the conversation cannot be unpacked")]
    Packed { line: i64 },
}

impl Migration {
    pub(crate) fn plan_databases(&mut self, home: &Home) {
        for agent in &home.agents {
            let path = home.dir.join("agents").join(agent).join(AGENT_DATABASE);
            if !path.is_file() {
                continue;
            }
            let what = format!("agents/{agent}/{AGENT_DATABASE}");
            match self.copy_of(&path) {
                Ok(copy) => self.plan_agent_database(agent, &what, &copy),
                Err(error) => self.failed(&what, &error),
            }
        }
        let path = home.dir.join(STATE_DATABASE);
        if path.is_file() {
            match self.copy_of(&path).and_then(|copy| open(&copy)) {
                Ok(connection) => self.plan_shared_database(&connection),
                Err(error) => self.failed(STATE_DATABASE, &error),
            }
        }
    }

    /// Copies a database with what belongs to it, so that the one in the home is never opened.
    fn copy_of(&mut self, path: &Path) -> Result<PathBuf, DatabaseError> {
        let scratch = match &self.scratch {
            Some(scratch) => scratch,
            None => {
                let made = tempfile::Builder::new().prefix("homard-migrate-").tempdir();
                self.scratch.insert(made.map_err(DatabaseError::Copy)?)
            }
        };
        let folder = TempDir::new_in(scratch.path()).map_err(DatabaseError::Copy)?.keep();
        let copy = folder.join("copy.sqlite");
        let beside = |path: &Path| PathBuf::from(format!("{}{COMPANION}", path.display()));
        for _ in 0..LOOKS {
            let before = (stamp(path), stamp(&beside(path)));
            fs::copy(path, &copy).map_err(DatabaseError::Copy)?;
            match fs::copy(beside(path), beside(&copy)) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => drop(fs::remove_file(beside(&copy))),
                copied => {
                    copied.map_err(DatabaseError::Copy)?;
                }
            }
            // The two belong together only when nobody wrote between them.
            if before == (stamp(path), stamp(&beside(path))) {
                return Ok(copy);
            }
        }
        Err(DatabaseError::InUse)
    }

    fn plan_agent_database(&mut self, agent: &str, what: &str, copy: &Path) {
        let planned = open(copy).and_then(|connection| {
            self.plan_conversations(agent, what, copy, &connection)?;
            self.plan_keys(
                &format!("agents/{agent}/agent/auth-profiles.json"),
                what,
                &connection,
                "auth_profile_store",
            )
        });
        if let Err(error) = planned {
            self.failed(what, &error);
        }
    }

    fn plan_conversations(
        &mut self,
        agent: &str,
        what: &str,
        copy: &Path,
        connection: &Connection,
    ) -> Result<(), DatabaseError> {
        if !has_table(connection, "session_nodes")? {
            let why = "it keeps conversations in a form that is not known";
            self.report.add(Kind::Table, &format!("{what}: conversations"), Fate::Left, why);
            return Ok(());
        }
        let sql = "SELECT session_key, current_session_id, entry_json FROM session_nodes";
        let found = self.rows(connection, &format!("{what}: session_nodes"), sql, |row| {
            let mut entry: Map<String, Value> = json_in(row, 2)?;
            entry.entry("sessionId").or_insert(Value::String(row.get(1)?));
            Ok((row.get::<_, String>(0)?, Value::Object(entry)))
        })?;
        let mut list: Map<String, Value> = found.into_iter().collect();
        for entry in list.values_mut().filter_map(Value::as_object_mut) {
            // Every conversation becomes the file its number names.
            entry.remove("sessionFile");
        }
        let why = format!("{} conversations, from its database", list.len());
        let to = format!("agents/{agent}/sessions/sessions.json");
        self.replace_file_plan(&to);
        let text = Value::Object(list).to_string().into_bytes();
        self.put(
            &format!("{what}: session_nodes"),
            Parcel::new(&to, Content::Text(text)),
            Fate::Changed,
            &why,
        );
        let sql = "SELECT DISTINCT session_id FROM transcript_events";
        let table = format!("{what}: transcript_events");
        let ids = self.rows(connection, &table, sql, |row| row.get::<_, String>(0))?;
        for session_id in ids.into_iter().filter(|id| is_file_name(id)) {
            let to = format!("agents/{agent}/sessions/{session_id}.jsonl");
            self.replace_file_plan(&to);
            let content =
                Content::Transcript { database: copy.to_path_buf(), session_id: session_id.clone() };
            let name = format!("{what}: conversation {session_id}");
            self.put(&name, Parcel::new(&to, content), Fate::Changed, "its rows become a file of lines");
        }
        Ok(())
    }

    /// Keys that are kept as one row of JSON.
    fn plan_keys(
        &mut self,
        to: &str,
        what: &str,
        connection: &Connection,
        table: &str,
    ) -> Result<(), DatabaseError> {
        if !has_table(connection, table)? {
            return Ok(());
        }
        let sql = format!("SELECT store_json FROM {table} ORDER BY updated_at DESC LIMIT 1");
        let what = format!("{what}: {table}");
        let found = self.rows(connection, &what, &sql, |row| row.get::<_, String>(0))?;
        let Some(text) = found.into_iter().next() else { return Ok(()) };
        if !self.options.secrets {
            let why = "it holds keys or tokens; --include-secrets takes it";
            self.report.add(Kind::Table, &what, Fate::Left, why);
            return Ok(());
        }
        self.replace_file_plan(to);
        self.put(
            &what,
            Parcel::new(to, Content::Text(text.into_bytes())),
            Fate::Changed,
            "its row becomes a file",
        );
        Ok(())
    }

    /// What a database says is newer than the file of the era before.
    fn replace_file_plan(&mut self, to: &str) {
        let before = self.pieces.len();
        self.pieces.retain(|piece| piece.to != Path::new(to));
        if self.pieces.len() < before
            && let Some(item) =
                self.report.items.iter_mut().find(|item| item.kind == Kind::File && item.what == to)
        {
            item.fate = Fate::Left;
            item.why = "the database says the same, newer".to_owned();
        }
    }

    /// The rows that can be read; that others cannot is told.
    fn rows<T>(
        &mut self,
        connection: &Connection,
        what: &str,
        sql: &str,
        read: impl FnMut(&rusqlite::Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, DatabaseError> {
        let (found, odd) = rows(connection, sql, read)?;
        if odd > 0 {
            let why = format!("{odd} rows cannot be read");
            self.report.add(Kind::Table, what, Fate::Failed, &why);
        }
        Ok(found)
    }

    fn failed(&mut self, what: &str, error: &DatabaseError) {
        let cause = std::error::Error::source(error).map_or_else(String::new, |cause| format!(": {cause}"));
        self.report.add(Kind::Table, what, Fate::Failed, &format!("{error}{cause}"));
    }
}

/// What changes of a file when it is written to.
fn stamp(path: &Path) -> Option<(u64, std::time::SystemTime)> {
    let about = fs::metadata(path).ok()?;
    Some((about.len(), about.modified().ok()?))
}

/// Opens a copy. It may be written to: that is how what stands beside it gets into it.
fn open(copy: &Path) -> Result<Connection, DatabaseError> {
    let connection = Connection::open_with_flags(copy, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    // A file that is no database, or a broken one, says so here.
    connection.query_row("PRAGMA schema_version", [], |row| row.get::<_, i64>(0))?;
    Ok(connection)
}

fn has_table(connection: &Connection, name: &str) -> Result<bool, DatabaseError> {
    let sql = "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = ?1";
    Ok(connection.query_row(sql, [name], |row| row.get::<_, i64>(0))? > 0)
}

fn has_column(connection: &Connection, table: &str, column: &str) -> Result<bool, DatabaseError> {
    let sql = "SELECT count(*) FROM pragma_table_info(?1) WHERE name = ?2";
    Ok(connection.query_row(sql, [table, column], |row| row.get::<_, i64>(0))? > 0)
}

/// Rows that can be read, and how many cannot: one value of another type than it should be costs its row alone.
fn rows<T>(
    connection: &Connection,
    sql: &str,
    mut read: impl FnMut(&rusqlite::Row<'_>) -> rusqlite::Result<T>,
) -> Result<(Vec<T>, usize), DatabaseError> {
    let mut statement = connection.prepare(sql)?;
    let mut found = statement.query([])?;
    let (mut taken, mut odd) = (Vec::new(), 0);
    while let Some(row) = found.next()? {
        match read(row) {
            Ok(value) => taken.push(value),
            Err(
                rusqlite::Error::InvalidColumnType(..)
                | rusqlite::Error::FromSqlConversionFailure(..)
                | rusqlite::Error::IntegralValueOutOfRange(..)
                | rusqlite::Error::Utf8Error(..),
            ) => odd += 1,
            Err(error) => return Err(error.into()),
        }
    }
    Ok((taken, odd))
}

/// A text of a row that must be JSON.
fn json_in<T: serde::de::DeserializeOwned>(row: &rusqlite::Row<'_>, at: usize) -> rusqlite::Result<T> {
    let text: String = row.get(at)?;
    serde_json::from_str(&text).map_err(|error| {
        rusqlite::Error::FromSqlConversionFailure(at, rusqlite::types::Type::Text, Box::new(error))
    })
}

/// Whether a name from a database can be the name of a file, and of nothing else.
fn is_file_name(name: &str) -> bool {
    !name.is_empty()
        && name.len() <= 128
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'))
}
