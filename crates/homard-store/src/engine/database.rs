//! Opening the database: permissions, pragmas, migrations, and words for what can be wrong with it.
//!
//! Owns connections' settings and the schema's version; what the tables are for is said where they are used.

use std::path::Path;
use std::time::Duration;

use homard_runtime::create_private_dir;
use rusqlite::config::DbConfig;
use rusqlite::functions::FunctionFlags;
use rusqlite::{Connection, OpenFlags};
use sha2::{Digest, Sha256};

use crate::engine::layout::open_private_file;
use crate::store::StoreError;

/// The schema, one file per version; `user_version` says how many have been applied.
const MIGRATIONS: &[&str] = &[
    include_str!("../../migrations/0001_initial.sql"),
    include_str!("../../migrations/0002_usage.sql"),
    include_str!("../../migrations/0003_subagents.sql"),
    include_str!("../../migrations/0004_devices.sql"),
    include_str!("../../migrations/0005_session_lists.sql"),
    include_str!("../../migrations/0006_cron.sql"),
    include_str!("../../migrations/0007_setup_codes.sql"),
    include_str!("../../migrations/0008_nodes.sql"),
    include_str!("../../migrations/0010_inbox.sql"),
    include_str!("../../migrations/0011_outbox.sql"),
    include_str!("../../migrations/0012_device_token_hashes.sql"),
    include_str!("../../migrations/0013_fewer_indexes.sql"),
    include_str!("../../migrations/0014_subagent_questions.sql"),
];
/// The newest version of the schema this program knows, as `user_version` has it.
pub const SCHEMA_VERSION: i64 = MIGRATIONS.len() as i64;
/// How long a connection waits for another process's lock.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// Prepared statements each connection keeps.
const STATEMENT_CACHE: usize = 96;

/// Opens (and if need be makes and migrates) the database for writing.
pub(crate) fn open_writer(path: &Path) -> Result<Connection, StoreError> {
    if let Some(parent) = path.parent() {
        create_private_dir(parent).map_err(|e| StoreError::from_io(parent, e))?;
    }
    // Made here and not by SQLite, so that it never exists with wider permissions; the WAL inherits them.
    match open_private_file(path) {
        Ok(file) => drop(file),
        Err(error) => return Err(StoreError::from_io(path, error)),
    }
    prepare(path).map_err(|error| error.located(path))
}

fn prepare(path: &Path) -> Result<Connection, StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut conn = Connection::open_with_flags(path, flags)?;
    conn.busy_timeout(BUSY_TIMEOUT)?;
    let found: i64 = conn.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    if found > SCHEMA_VERSION {
        return Err(StoreError::NewerVersion { path: path.to_owned(), found, known: SCHEMA_VERSION });
    }
    // SQLite quietly opens a file it may not write as read-only.
    if conn.is_readonly("main")? {
        return Err(StoreError::ReadOnly { path: path.to_owned() });
    }
    conn.execute_batch(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON;
         PRAGMA cache_size = -2000; PRAGMA journal_size_limit = 8388608; PRAGMA temp_store = MEMORY;
         PRAGMA wal_autocheckpoint = 4000;",
    )?;
    keep_plans(&conn)?;
    add_functions(&conn)?;
    migrate(&mut conn, found)?;
    if let Err(error) = scrub(&conn) {
        tracing::warn!(
            %error,
            "the database could not be rewritten, so its unused parts may still hold device tokens of an earlier \
             version; make room on the disk and start again"
        );
    }
    // Proves now, and not in the middle of somebody's message, that writing works.
    conn.execute(
        "INSERT INTO meta VALUES ('opened', '1') ON CONFLICT (key) DO UPDATE SET value = value + 1",
        [],
    )?;
    Ok(conn)
}

/// Has each statement planned once. Left alone, SQLite plans it again for other values, in the hope of a partial index
/// they allow; ours are written so that their text alone decides.
fn keep_plans(conn: &Connection) -> Result<(), StoreError> {
    conn.set_prepared_statement_cache_capacity(STATEMENT_CACHE);
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    Ok(())
}

/// What migrations use and SQLite does not have.
fn add_functions(conn: &Connection) -> Result<(), StoreError> {
    let flags =
        FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC | FunctionFlags::SQLITE_DIRECTONLY;
    conn.create_scalar_function("sha256", 1, flags, |cx| Ok(sha256(&cx.get::<String>(0)?)))?;
    Ok(())
}

/// The hash under which a secret is kept.
pub(crate) fn sha256(text: &str) -> Vec<u8> {
    Sha256::digest(text).to_vec()
}

/// Rewrites the file after a migration took secrets out of it: what was deleted would stay in its unused parts, and in
/// the log of writes.
fn scrub(conn: &Connection) -> Result<(), StoreError> {
    let due = "SELECT EXISTS (SELECT 1 FROM meta WHERE key = 'scrub')";
    if !conn.query_row(due, [], |row| row.get(0))? {
        return Ok(());
    }
    // The copy may be larger than memory.
    conn.execute_batch("PRAGMA temp_store = FILE; VACUUM; PRAGMA temp_store = MEMORY;")?;
    let is_busy = conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
    if is_busy {
        tracing::warn!(
            "another program reads the database; what it has to forget is forgotten at the next start"
        );
        return Ok(());
    }
    conn.execute("DELETE FROM meta WHERE key = 'scrub'", [])?;
    Ok(())
}

fn migrate(conn: &mut Connection, found: i64) -> Result<(), StoreError> {
    for (version, sql) in (1i64..).zip(MIGRATIONS).filter(|&(version, _)| version > found) {
        let tx = conn.transaction()?;
        tx.execute_batch(sql)?;
        tx.pragma_update(None, "user_version", version)?;
        tx.commit()?;
    }
    Ok(())
}

/// Opens a connection that can only read; the writer has made the file by now.
pub(crate) fn open_reader(path: &Path) -> Result<Connection, StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let conn = Connection::open_with_flags(path, flags)?;
    conn.busy_timeout(BUSY_TIMEOUT)?;
    conn.execute_batch("PRAGMA cache_size = -1000; PRAGMA temp_store = MEMORY;")?;
    keep_plans(&conn)?;
    Ok(conn)
}

#[cfg(test)]
mod tests;
