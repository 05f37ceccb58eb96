//! Out of a damaged database into a new one: whatever of it can still be read.
//!
//! A page that cannot be read ends a walk over its table; the walk from the other end finds what lies behind it. What the
//! program makes anew by itself (the index over the transcripts and their words) is not looked at.

use std::path::Path;

use rusqlite::types::Value;
use rusqlite::{Connection, ErrorCode, OpenFlags, Statement, params_from_iter};

use crate::engine::database::{SCHEMA_VERSION, open_writer};
use crate::store::StoreError;

/// Tables that are made anew, or kept by triggers of others.
const MADE_ANEW: [&str; 3] = ["session_counts", "transcripts", "transcript_entries"];
/// The search index and what it is made of.
const WORDS: &str = "transcript_words";

/// What came over.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Salvaged {
    pub rows: u64,
    /// Tables of which not everything could be read.
    pub incomplete: Vec<String>,
}

/// Copies what can be read of the database at `damaged` into a new one at `whole`, which must not exist yet. The damaged
/// one is only read; no gateway may be writing to it.
///
/// # Errors
/// When not even its tables are known, it is of another schema, or the new one cannot be written.
pub fn salvage(damaged: &Path, whole: &Path) -> Result<Salvaged, StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let old = Connection::open_with_flags(damaged, flags)?;
    // Of one that is shorter than it says SQLite reads nothing, unless one says that one knows.
    old.execute_batch("PRAGMA writable_schema = ON")?;
    let found: i64 = old.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    if found != SCHEMA_VERSION {
        return Err(StoreError::NewerVersion { path: damaged.to_owned(), found, known: SCHEMA_VERSION });
    }
    // Proves that the tables are known before anything is made.
    columns(&old, "sessions")?;
    let new = open_writer(whole)?;
    // Rows whose parents are lost come over all the same, and what a new one notes of itself makes room for the old.
    new.execute_batch("PRAGMA foreign_keys = OFF; DELETE FROM meta")?;
    let mut done = Salvaged::default();
    for table in tables(&new)? {
        let (rows, is_complete) = copy(&old, &new, &table)?;
        done.rows += rows;
        if !is_complete {
            done.incomplete.push(table);
        }
    }
    // One file is moved into its place, and nothing beside it.
    new.execute_batch("PRAGMA journal_mode = DELETE")?;
    Ok(done)
}

fn tables(conn: &Connection) -> Result<Vec<String>, StoreError> {
    let mut asked = conn.prepare("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")?;
    let names = asked.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<Vec<String>>>()?;
    let is_ours = |name: &String| {
        !name.starts_with("sqlite_") && !name.starts_with(WORDS) && !MADE_ANEW.contains(&name.as_str())
    };
    Ok(names.into_iter().filter(is_ours).collect())
}

/// The columns of a table, and those of its primary key.
fn columns(conn: &Connection, table: &str) -> rusqlite::Result<(Vec<String>, Vec<String>)> {
    let mut asked = conn.prepare("SELECT name, pk FROM pragma_table_info(?1)")?;
    let all: Vec<(String, i64)> =
        asked.query_map([table], |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<rusqlite::Result<_>>()?;
    let mut keys: Vec<&(String, i64)> = all.iter().filter(|(_, place)| *place > 0).collect();
    keys.sort_by_key(|(_, place)| *place);
    let keys = keys.into_iter().map(|(name, _)| name.clone()).collect();
    Ok((all.into_iter().map(|(name, _)| name).collect(), keys))
}

/// Copies a table; how many rows came, and whether those were all.
fn copy(old: &Connection, new: &Connection, table: &str) -> Result<(u64, bool), StoreError> {
    let (names, keys) = columns(new, table)?;
    // Backticks and no quotation marks: in those an unknown name would be a text.
    let quoted = |names: &[String]| names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>();
    let (mut list, mut by) = (quoted(&names), quoted(&keys));
    if new.prepare(&format!("SELECT rowid FROM `{table}` LIMIT 0")).is_ok() {
        // What came in one moment goes by these numbers.
        by = vec!["rowid".to_owned()];
        list.extend(by.iter().cloned());
    }
    let (columns, marks) = (list.join(", "), vec!["?"; list.len()].join(", "));
    let writing = new.unchecked_transaction()?;
    let mut insert =
        writing.prepare(&format!("INSERT OR IGNORE INTO `{table}` ({columns}) VALUES ({marks})"))?;
    let mut walk_by = |direction: &str| {
        let order: Vec<String> = by.iter().map(|name| format!("{name} {direction}")).collect();
        let select = format!("SELECT {columns} FROM `{table}` ORDER BY {}", order.join(", "));
        walk(old, &select, list.len(), &mut insert)
    };
    let forth = walk_by("ASC")?;
    let (count, is_complete) = match forth.is_to_end {
        true => (forth.taken, forth.is_readable),
        false => (forth.taken + walk_by("DESC")?.taken, false),
    };
    drop(insert);
    writing.commit()?;
    Ok((count, is_complete))
}

/// How far a walk over a table came.
struct Walk {
    taken: u64,
    /// Whether every row it met made sense, and none stood there twice.
    is_readable: bool,
    is_to_end: bool,
}

/// Takes row after row until a page cannot be read.
fn walk(
    old: &Connection,
    select: &str,
    width: usize,
    insert: &mut Statement<'_>,
) -> Result<Walk, StoreError> {
    let mut done = Walk { taken: 0, is_readable: true, is_to_end: false };
    let Ok(mut asked) = old.prepare(select) else { return Ok(done) };
    let Ok(mut rows) = asked.query([]) else { return Ok(done) };
    loop {
        let row = match rows.next() {
            Ok(Some(row)) => row,
            Ok(None) => return Ok(Walk { is_to_end: true, ..done }),
            Err(_unreadable) => return Ok(done),
        };
        // A garbled row is left out; it may be of a kind the table does not take, or no text where one belongs.
        let values: rusqlite::Result<Vec<Value>> = (0..width).map(|column| row.get(column)).collect();
        let taken = match values.map(|values| insert.execute(params_from_iter(values))) {
            Ok(Ok(taken)) => taken,
            Ok(Err(error)) if error.sqlite_error_code() == Some(ErrorCode::ConstraintViolation) => 0,
            Ok(Err(error)) => return Err(error.into()),
            Err(_not_text) => 0,
        };
        done.is_readable &= taken > 0;
        done.taken += u64::try_from(taken).unwrap_or(0);
    }
}

#[cfg(test)]
mod tests;
