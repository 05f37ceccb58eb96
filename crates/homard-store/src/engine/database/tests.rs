//! What opening does to the file, and what it refuses.

use homard_protocol::{DeviceId, Role};
use homard_runtime::Clock;
use rusqlite::Connection;

use super::MIGRATIONS;
use crate::StoreError;
use crate::engine::fixture::{Home, NOW, key, open, run_id};
use crate::sessions::{SessionQuery, SessionSort};

/// The version this program writes.
fn newest() -> i64 {
    i64::try_from(MIGRATIONS.len()).unwrap()
}

#[tokio::test]
async fn a_database_of_a_newer_version_is_refused_and_left_alone() {
    let home = Home::new();
    home.store.close().await;
    let path = home.dir.path().join("state/homard.sqlite");
    let conn = Connection::open(&path).unwrap();
    conn.pragma_update(None, "user_version", 99).unwrap();
    drop(conn);
    let before = std::fs::read(&path).unwrap();

    let error = open(home.dir.path(), &home.clock).unwrap_err();
    assert!(
        matches!(&error, StoreError::NewerVersion { found: 99, known, path: p } if *p == path && *known == newest()),
        "{error:?}"
    );
    assert!(error.to_string().contains("newer version"), "{error}");
    assert_eq!(std::fs::read(&path).unwrap(), before);
}

#[test]
fn a_statement_is_planned_once_whatever_it_is_asked() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("homard.sqlite");
    let writer = super::open_writer(&path).unwrap();
    let reader = super::open_reader(&path).unwrap();
    let asked = [
        // The condition of a partial index, asked for as a value.
        "SELECT id FROM sessions WHERE archived = ?1 LIMIT ?2",
        "SELECT seq FROM transcript_entries INDEXED BY transcript_entry_ids
         WHERE transcript = ?1 AND entry_id = ?2 ORDER BY seq DESC LIMIT 1",
    ];
    for (conn, sql) in [&writer, &reader].into_iter().flat_map(|conn| asked.map(|sql| (conn, sql))) {
        let mut statement = conn.prepare(sql).unwrap();
        for values in [[0, 1], [1, 1], [0, 2]] {
            assert!(!statement.exists(values).unwrap());
        }
        assert_eq!(statement.get_status(rusqlite::StatementStatus::RePrepare), 0, "{sql}");
    }
}

#[tokio::test]
async fn a_database_of_version_1_gains_usage_and_loses_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("state/homard.sqlite");
    std::fs::create_dir(dir.path().join("state")).unwrap();
    let conn = Connection::open(&path).unwrap();
    conn.execute_batch(include_str!("../../../migrations/0001_initial.sql")).unwrap();
    conn.execute_batch(
        r#"INSERT INTO runs (run_id, session_key, agent_id, status, source, created_at, ended_at, usage, reply)
           VALUES ('old', 'agent:main:main', 'main', 'ok', 'webchat', 1, 2, '{"input":3}', 'well');
           INSERT INTO sessions (key, agent_id, session_id, kind, created_at, updated_at, entry)
           VALUES ('agent:main:main', 'main', 's-1', 'main', 1, 2, '{"sessionId":"s-1","updatedAt":2}');
           PRAGMA user_version = 1;"#,
    )
    .unwrap();
    drop(conn);

    let store = open(dir.path(), &Clock::fixed(3)).unwrap();
    let run = store.runs().get(&run_id("old")).await.unwrap().unwrap();
    assert_eq!((run.reply.as_deref(), run.usage.unwrap().input, run.attempts), (Some("well"), 3, vec![]));
    assert_eq!(
        store.sessions().get(&key("agent:main:main")).await.unwrap().unwrap().session_id.as_str(),
        "s-1"
    );
    assert_eq!(store.usage().first_call_at().await.unwrap(), None);
    store.close().await;
    let version: i64 =
        Connection::open(&path).unwrap().query_row("PRAGMA user_version", [], |row| row.get(0)).unwrap();
    assert_eq!(version, newest());
}

#[tokio::test]
async fn a_database_of_version_3_keeps_its_devices_and_binds_their_tokens_to_the_secret_of_the_day() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("state/homard.sqlite");
    std::fs::create_dir(dir.path().join("state")).unwrap();
    let conn = Connection::open(&path).unwrap();
    for sql in [
        include_str!("../../../migrations/0001_initial.sql"),
        include_str!("../../../migrations/0002_usage.sql"),
        include_str!("../../../migrations/0003_subagents.sql"),
        r#"INSERT INTO devices (device_id, public_key, roles, scopes, created_at, approved_at)
           VALUES ('d1', 'k', '["operator"]', '["operator.read"]', 1, 2);
           INSERT INTO device_tokens (device_id, role, token, scopes, created_at)
           VALUES ('d1', 'operator', 'old', '["operator.read"]', 1);
           PRAGMA user_version = 3;"#,
    ] {
        conn.execute_batch(sql).unwrap();
    }
    drop(conn);

    let store = open(dir.path(), &Clock::fixed(3)).unwrap();
    let id = DeviceId::parse("d1").unwrap();
    assert_eq!(store.devices().get(&id).await.unwrap().unwrap().operator_label, None);
    let opens = async |generation: &str| {
        store.devices().check_token(&id, Role::Operator, "old", generation).await.unwrap().is_some()
    };
    assert!(!opens("today").await, "nobody has said which secret it was made under");
    store.devices().bind_tokens("today").await.unwrap();
    store.devices().bind_tokens("tomorrow").await.unwrap();
    assert_eq!((opens("today").await, opens("tomorrow").await), (true, false));
}

#[tokio::test]
async fn a_database_with_plain_tokens_keeps_their_hashes_and_forgets_the_rest() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("state/homard.sqlite");
    std::fs::create_dir(dir.path().join("state")).unwrap();
    let conn = Connection::open(&path).unwrap();
    conn.execute_batch("PRAGMA journal_mode = WAL;").unwrap();
    // The last version that kept tokens as they are.
    for sql in &MIGRATIONS[..10] {
        conn.execute_batch(sql).unwrap();
    }
    conn.execute_batch(
        r#"INSERT INTO devices (device_id, public_key, roles, scopes, created_at, approved_at)
           VALUES ('d1', 'k', '["operator"]', '["operator.read"]', 1, 2);
           INSERT INTO device_tokens (device_id, role, token, scopes, created_at, rotated_at, revoked_at, generation)
           VALUES ('d1', 'operator', 'plain-token-of-an-operator', '["operator.read"]', 1, 5, NULL, 'g'),
                  ('d1', 'node', 'plain-token-that-was-revoked', '[]', 1, NULL, 2, 'g');
           PRAGMA user_version = 10;"#,
    )
    .unwrap();
    drop(conn);

    let store = open(dir.path(), &Clock::fixed(3)).unwrap();
    let id = DeviceId::parse("d1").unwrap();
    let check =
        async |role: Role, token: &str| store.devices().check_token(&id, role, token, "g").await.unwrap();
    let held = check(Role::Operator, "plain-token-of-an-operator").await.unwrap();
    assert_eq!((held.scopes, held.created_at), (vec!["operator.read".to_owned()], 5));
    assert_eq!(check(Role::Node, "plain-token-that-was-revoked").await, None);
    let known = store.devices().tokens(&id).await.unwrap();
    let known: Vec<_> = known.iter().map(|token| (token.role.as_str(), token.revoked_at)).collect();
    assert_eq!(known, [("node", Some(2)), ("operator", None)]);
    for entry in std::fs::read_dir(dir.path().join("state")).unwrap() {
        let path = entry.unwrap().path();
        let bytes = if path.is_file() { std::fs::read(&path).unwrap() } else { Vec::new() };
        let found = bytes.windows(12).any(|part| part == b"plain-token-");
        assert!(!found, "{}", path.display());
    }
    store.close().await;
    let due: bool = Connection::open(&path)
        .unwrap()
        .query_row("SELECT EXISTS (SELECT 1 FROM meta WHERE key = 'scrub')", [], |row| row.get(0))
        .unwrap();
    assert!(!due, "the file is rewritten once");
}

#[tokio::test]
async fn a_database_of_version_11_is_listed_and_searched_with_fewer_indexes() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("state/homard.sqlite");
    let home = dir.path();
    let store = open(home, &Clock::fixed(NOW)).unwrap();
    store.close().await;
    std::fs::remove_file(&path).unwrap();
    let conn = Connection::open(&path).unwrap();
    for sql in &MIGRATIONS[..10] {
        conn.execute_batch(sql).unwrap();
    }
    super::add_functions(&conn).unwrap();
    conn.execute_batch(MIGRATIONS[10]).unwrap();
    // The second says that something happened after its last change, as a row of another program may.
    conn.execute_batch(
        r#"INSERT INTO sessions (key, agent_id, session_id, kind, created_at, updated_at, activity_at, entry)
           VALUES ('agent:main:a', 'main', 's-1', 'main', 1, 5, 2, '{"sessionId":"s-1","updatedAt":5,"lastActivityAt":2}'),
                  ('agent:main:b', 'main', 's-2', 'main', 1, 3, 9, '{"sessionId":"s-2","updatedAt":3,"lastActivityAt":9}');
           INSERT INTO transcripts (session_id, agent_id, file, end_offset, last_seq, messages, words_seq)
           VALUES ('s-1', 'main', 's-1.jsonl', 0, 4, 4, 4), ('s-2', 'main', 's-2.jsonl', 0, 4, 4, 3);
           PRAGMA user_version = 11;"#,
    )
    .unwrap();
    drop(conn);

    let store = open(home, &Clock::fixed(NOW)).unwrap();
    let query = SessionQuery { sort: SessionSort::Activity, limit: 1, ..SessionQuery::default() };
    let page = store.sessions().list(query).await.unwrap();
    assert_eq!((page.rows[0].key.to_string().as_str(), page.total), ("agent:main:b", 2));
    store.close().await;
    let conn = Connection::open(&path).unwrap();
    let unread: String = conn
        .query_row("SELECT group_concat(session_id) FROM transcripts WHERE unread = 1", [], |row| row.get(0))
        .unwrap();
    assert_eq!(unread, "s-2");
}

#[test]
fn a_folder_that_cannot_be_made_is_named() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("state"), "a file in the way").unwrap();
    let error = open(dir.path(), &Clock::fixed(NOW)).unwrap_err();
    assert!(error.to_string().contains("state"), "{error}");
}

#[cfg(unix)]
#[test]
fn a_read_only_folder_is_refused_with_advice() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    let state = dir.path().join("state");
    std::fs::create_dir(&state).unwrap();
    std::fs::set_permissions(&state, std::fs::Permissions::from_mode(0o500)).unwrap();
    // The superuser may write anywhere; there the promise is void.
    if std::fs::write(state.join("probe"), "").is_ok() {
        return;
    }
    let error = open(dir.path(), &Clock::fixed(NOW)).unwrap_err();
    assert!(matches!(error, StoreError::ReadOnly { .. }), "{error:?}");
    assert!(error.to_string().contains("make it writable"), "{error}");
}

#[test]
fn a_file_that_is_no_database_is_refused_and_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("state/homard.sqlite");
    std::fs::create_dir(dir.path().join("state")).unwrap();
    let text = "this is a letter, not a database, and long enough to be looked at".repeat(40);
    std::fs::write(&path, &text).unwrap();
    let error = open(dir.path(), &Clock::fixed(NOW)).unwrap_err();
    assert!(matches!(error, StoreError::NotADatabase { .. }), "{error:?}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
}

#[cfg(unix)]
#[tokio::test]
async fn only_the_owner_can_read_what_is_kept() {
    use std::os::unix::fs::PermissionsExt;
    let home = Home::new();
    let started = home.says("agent:main:main", "r1", "hi").await;
    let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    for (path, expected) in [
        (home.dir.path().join("state"), 0o700),
        (home.dir.path().join("state/homard.sqlite"), 0o600),
        (home.dir.path().join("state/homard.sqlite-wal"), 0o600),
        (home.sessions(), 0o700),
        (home.transcript(&started.session.session_id), 0o600),
    ] {
        assert_eq!(mode(&path), expected, "{}", path.display());
    }
}
