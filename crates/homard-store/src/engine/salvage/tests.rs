//! A database with a hole in it.

use rusqlite::Connection;

use super::{Salvaged, salvage};
use crate::engine::database::open_writer;

/// More than fit into a page, so that a table has many.
const ROWS: i64 = 400;

fn filled(path: &std::path::Path) {
    let conn = open_writer(path).unwrap();
    for at in 0..ROWS {
        let entry = format!("{{\"note\":\"{}\"}}", "x".repeat(200));
        conn.execute(
            "INSERT INTO sessions (key, agent_id, session_id, kind, created_at, updated_at, entry)
             VALUES (?1, 'main', ?1, 'direct', 1, 1, ?2)",
            (format!("agent:main:{at}"), entry),
        )
        .unwrap();
        conn.execute("INSERT INTO kv VALUES (?1, 'v', 1)", [format!("key {at}")]).unwrap();
    }
    conn.execute_batch("PRAGMA journal_mode = DELETE").unwrap();
}

fn count(path: &std::path::Path, sql: &str) -> i64 {
    Connection::open(path).unwrap().query_row(sql, [], |row| row.get(0)).unwrap()
}

#[test]
fn a_whole_database_comes_over_whole() {
    let dir = tempfile::tempdir().unwrap();
    let (old, new) = (dir.path().join("old.sqlite"), dir.path().join("new.sqlite"));
    filled(&old);
    let Salvaged { incomplete, .. } = salvage(&old, &new).unwrap();
    assert_eq!(incomplete, Vec::<String>::new());
    assert_eq!(count(&new, "SELECT count(*) FROM sessions"), ROWS);
    assert_eq!(count(&new, "SELECT sum(n) FROM session_counts"), ROWS, "triggers count anew");
    assert_eq!(count(&new, "SELECT count(*) FROM kv"), ROWS);
}

#[test]
fn what_lies_before_and_behind_a_broken_page_comes_over() {
    let dir = tempfile::tempdir().unwrap();
    let (old, new) = (dir.path().join("old.sqlite"), dir.path().join("new.sqlite"));
    filled(&old);
    // A leaf of a table's tree begins with this byte; an index has the key, too, but not beside the agent.
    let mut bytes = std::fs::read(&old).unwrap();
    let page_size = usize::try_from(count(&old, "PRAGMA page_size")).unwrap();
    let wanted = b"agent:main:200main";
    let is_leaf = |page: &&mut [u8]| page[0] == 0x0d && page.windows(wanted.len()).any(|part| part == wanted);
    bytes.chunks_mut(page_size).find(is_leaf).unwrap()[..512].fill(0xa5);
    std::fs::write(&old, &bytes).unwrap();
    let Salvaged { incomplete, .. } = salvage(&old, &new).unwrap();
    assert_eq!(incomplete, ["sessions"]);
    let kept = count(&new, "SELECT count(*) FROM sessions");
    assert!(kept < ROWS && kept > ROWS * 9 / 10, "{kept} of {ROWS}");
    assert_eq!(count(&new, "SELECT count(*) FROM kv"), ROWS, "other tables are whole");
    let word: String =
        Connection::open(&new).unwrap().query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(word, "ok");
}

#[test]
fn what_is_no_database_is_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    let (old, new) = (dir.path().join("old.sqlite"), dir.path().join("new.sqlite"));
    std::fs::write(&old, "this was a database once, and is none any more").unwrap();
    salvage(&old, &new).unwrap_err();
    assert!(!new.exists());
}
