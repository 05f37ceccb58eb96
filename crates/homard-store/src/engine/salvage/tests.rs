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

/// Makes the page unreadable on which a table has these bytes. A leaf of a table's tree begins with this byte.
fn break_leaf(path: &std::path::Path, wanted: &[u8]) {
    let mut bytes = std::fs::read(path).unwrap();
    let page_size = usize::try_from(count(path, "PRAGMA page_size")).unwrap();
    let is_leaf = |page: &&mut [u8]| page[0] == 0x0d && page.windows(wanted.len()).any(|part| part == wanted);
    bytes.chunks_mut(page_size).find(is_leaf).unwrap()[..512].fill(0xa5);
    std::fs::write(path, &bytes).unwrap();
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
    // An index has the key, too, but not beside the agent.
    break_leaf(&old, b"agent:main:200main");
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
fn of_a_database_that_was_cut_off_everything_before_the_cut_comes_over() {
    let dir = tempfile::tempdir().unwrap();
    let (old, new) = (dir.path().join("old.sqlite"), dir.path().join("new.sqlite"));
    filled(&old);
    let bytes = std::fs::read(&old).unwrap();
    std::fs::write(&old, &bytes[..bytes.len() * 3 / 4]).unwrap();
    let done = salvage(&old, &new).unwrap();
    assert!(done.incomplete.contains(&"sessions".to_owned()), "{done:?}");
    let kept = count(&new, "SELECT count(*) FROM sessions");
    // What came first lies there; most of the pages before it are those of indexes.
    assert!(kept > ROWS / 10 && kept < ROWS, "{kept} of {ROWS}");
}

/// Runs that were accepted in one millisecond are taken up in the order of their numbers after a start.
#[test]
fn rows_keep_the_order_they_came_in_also_those_behind_a_broken_page() {
    let dir = tempfile::tempdir().unwrap();
    let (old, new) = (dir.path().join("old.sqlite"), dir.path().join("new.sqlite"));
    let conn = open_writer(&old).unwrap();
    for at in 0..ROWS {
        // Their names say nothing of their order.
        let message = format!("turn {at:03} {}", "x".repeat(200));
        conn.execute(
            "INSERT INTO runs (run_id, session_key, agent_id, status, source, message, created_at)
             VALUES (hex(randomblob(8)), 'k', 'main', 'queued', 'chat.send', ?1, 1)",
            [message],
        )
        .unwrap();
    }
    conn.execute_batch("PRAGMA journal_mode = DELETE").unwrap();
    drop(conn);
    break_leaf(&old, b"turn 200");
    assert_eq!(salvage(&old, &new).unwrap().incomplete, ["runs"]);
    let asked = "SELECT group_concat(substr(message, 6, 3), ' ') FROM
                 (SELECT message FROM runs ORDER BY created_at, rowid)";
    let order: String = Connection::open(&new).unwrap().query_row(asked, [], |row| row.get(0)).unwrap();
    let order: Vec<&str> = order.split(' ').collect();
    assert!(order.is_sorted() && order.len() > 300 && order.len() < 400, "{order:?}");
}

/// A flipped bit where no page's order hangs on it: the row is lost, those around it are not, and it is told.
#[test]
fn a_garbled_row_is_left_out_and_told_and_the_others_come_over() {
    let dir = tempfile::tempdir().unwrap();
    let (old, new) = (dir.path().join("old.sqlite"), dir.path().join("new.sqlite"));
    filled(&old);
    let conn = Connection::open(&old).unwrap();
    conn.execute(
        "INSERT INTO setup_codes (setup_id, token, url, created_at, expires_at) VALUES ('one', 't1', 'u', 1, 2),
         ('two', 't2', 'u', 1, 2)",
        [],
    )
    .unwrap();
    // No text, and a text where the table takes numbers alone.
    conn.execute_batch(
        "UPDATE kv SET value = CAST(x'ff61' AS TEXT) WHERE key IN ('key 100', 'key 300');
         PRAGMA writable_schema = ON;
         UPDATE sqlite_schema SET sql = replace(sql, 'STRICT', '') WHERE name = 'setup_codes';",
    )
    .unwrap();
    drop(conn);
    let conn = Connection::open(&old).unwrap();
    conn.execute("UPDATE setup_codes SET created_at = 'soon' WHERE setup_id = 'one'", []).unwrap();
    drop(conn);
    assert_eq!(salvage(&old, &new).unwrap().incomplete, ["kv", "setup_codes"]);
    assert_eq!(count(&new, "SELECT count(*) FROM kv"), ROWS - 2);
    assert_eq!(count(&new, "SELECT count(*) FROM setup_codes"), 1);
    assert_eq!(count(&new, "SELECT count(*) FROM sessions"), ROWS);
}

#[test]
fn what_is_no_database_is_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    let (old, new) = (dir.path().join("old.sqlite"), dir.path().join("new.sqlite"));
    std::fs::write(&old, "this was a database once, and is none any more").unwrap();
    salvage(&old, &new).unwrap_err();
    assert!(!new.exists());
}
