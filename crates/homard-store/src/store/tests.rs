//! The promises of the writer: what is acknowledged is kept, what fails is taken back, order is kept.

use std::path::Path;

use homard_protocol::SessionId;
use homard_runtime::Tasks;

use super::StoreError;
use crate::FinishRun;
use crate::PageQuery;
use crate::RunStatus;
use crate::engine::fixture::{Home, assistant, key, new_run, open, run_id, start, texts, user};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_tasks_on_many_sessions_keep_each_sessions_order() {
    const SESSIONS: usize = 300;
    const LINES: usize = 6;
    let home = Home::new();
    let tasks = Tasks::new();
    for session in 0..SESSIONS {
        let store = home.store.clone();
        tasks.spawn(async move {
            let (key, run) = (format!("agent:main:s{session}"), format!("r{session}"));
            store.runs().accept(new_run(&key, &run)).await.unwrap();
            let id = store.runs().start(start(&run, "0")).await.unwrap().session.session_id;
            for line in 1..LINES {
                store.transcripts().append(&id, vec![user(&line.to_string())]).await.unwrap();
            }
        });
    }
    tasks.finish(std::time::Duration::from_secs(60)).await;
    let expected: Vec<String> = (0..LINES).map(|line| line.to_string()).collect();
    for session in 0..SESSIONS {
        let record =
            home.store.sessions().get(&key(&format!("agent:main:s{session}"))).await.unwrap().unwrap();
        let context = home.store.transcripts().context(&record.session_id).await.unwrap();
        assert_eq!(texts(&context.entries), expected, "session {session}");
    }
}

#[tokio::test]
async fn what_was_acknowledged_survives_a_kill() {
    let home = Home::new();
    let started = home.says("agent:main:main", "r1", "question").await;
    let mut finish = FinishRun::new(run_id("r1"), RunStatus::Ok);
    finish.entries = vec![assistant("answer")];
    home.store.runs().finish(finish).await.unwrap();
    home.store.runs().accept(new_run("agent:main:main", "r2")).await.unwrap();

    // The disk as a killed process would leave it: nothing closed, nothing checkpointed.
    let copy = tempfile::tempdir().unwrap();
    copy_dir(home.dir.path(), copy.path());
    let after = open(copy.path(), &home.clock).unwrap();
    let context = after.transcripts().context(&started.session.session_id).await.unwrap();
    assert_eq!(texts(&context.entries), ["question", "answer"]);
    assert_eq!(after.runs().get(&run_id("r1")).await.unwrap().unwrap().status, RunStatus::Ok);
    let unfinished = after.runs().unfinished().await.unwrap();
    assert_eq!(unfinished.iter().map(|run| run.run_id.as_str()).collect::<Vec<_>>(), ["r2"]);
    assert_eq!(unfinished[0].message.as_deref(), Some(r#"{"text":"hi"}"#));
}

#[tokio::test]
async fn a_message_written_but_not_committed_is_not_written_twice() {
    let home = Home::new();
    let id = home.says("agent:main:main", "r1", "first").await.session.session_id;
    home.store.runs().accept(new_run("agent:main:main", "r2")).await.unwrap();
    let before = tempfile::tempdir().unwrap();
    copy_dir(home.dir.path(), before.path());
    home.store.runs().start(start("r2", "second")).await.unwrap();
    // The crash: the transcript has the line, the database does not know it.
    std::fs::copy(home.transcript(&id), before.path().join(format!("agents/main/sessions/{id}.jsonl")))
        .unwrap();

    let after = open(before.path(), &home.clock).unwrap();
    let started = after.runs().start(start("r2", "second")).await.unwrap();
    assert_eq!(started.seq, 2);
    assert_eq!(texts(&after.transcripts().context(&id).await.unwrap().entries), ["first", "second"]);
}

#[tokio::test]
async fn a_dropped_store_finishes_what_it_was_asked() {
    let Home { dir, clock, store } = Home::new();
    store.kv().set("instance", "one").await.unwrap();
    drop(store);
    let store = open(dir.path(), &clock).unwrap();
    assert_eq!(store.kv().get("instance").await.unwrap().as_deref(), Some("one"));
}

#[tokio::test]
async fn a_closed_store_says_so() {
    let home = Home::new();
    home.store.kv().set("a", "b").await.unwrap();
    home.store.close().await;
    home.store.close().await;
    assert!(matches!(home.store.kv().set("a", "c").await, Err(StoreError::Closed)));
    assert!(matches!(home.store.kv().get("a").await, Err(StoreError::Closed)));
}

#[tokio::test]
async fn a_failing_job_takes_back_its_rows_and_its_lines_and_no_others() {
    let home = Home::new();
    let id = home.says("agent:main:main", "r1", "kept").await.session.session_id;
    let before = std::fs::read(home.transcript(&id)).unwrap();
    let (append_to, other) = (id.clone(), home.store.clone());
    let failing = home.store.write(move |batch| {
        crate::transcripts::append(batch, &append_to, vec![user("lost")])?;
        Err::<(), _>(StoreError::Closed)
    });
    let (failed, kept) = tokio::join!(failing, other.kv().set("beside", "kept"));
    assert!(matches!(failed, Err(StoreError::Closed)));
    kept.unwrap();
    assert_eq!(std::fs::read(home.transcript(&id)).unwrap(), before);
    assert_eq!(texts(&home.store.transcripts().context(&id).await.unwrap().entries), ["kept"]);
    home.store.transcripts().append(&id, vec![assistant("next")]).await.unwrap();
    assert_eq!(texts(&home.store.transcripts().context(&id).await.unwrap().entries), ["kept", "next"]);
}

#[tokio::test]
async fn a_panicking_change_is_taken_back_and_the_store_goes_on() {
    let home = Home::new();
    let result = home.store.sessions().patch(&key("agent:main:main"), |_| panic!("a bug above")).await;
    assert!(matches!(result, Err(StoreError::Panicked)), "{result:?}");
    assert!(home.store.sessions().get(&key("agent:main:main")).await.unwrap().is_none());
    home.store.kv().set("still", "here").await.unwrap();
}

#[tokio::test]
async fn a_full_disk_is_told_and_loses_nothing() {
    let home = Home::new();
    let id = home.says("agent:main:main", "r1", "kept").await.session.session_id;
    // SQLite's own limit on pages answers like a disk without space.
    home.store
        .write(|batch| {
            let pages: i64 = batch.conn.query_row("PRAGMA page_count", [], |row| row.get(0))?;
            batch.conn.pragma_update_and_check(None, "max_page_count", pages, |_| Ok(()))?;
            Ok(())
        })
        .await
        .unwrap();
    let long = "x".repeat(200_000);
    let error = home.store.kv().set("big", &long).await.unwrap_err();
    assert!(matches!(error, StoreError::Full { .. }), "{error:?}");
    assert!(error.to_string().contains("free some space"), "{error}");
    assert_eq!(texts(&home.store.transcripts().context(&id).await.unwrap().entries), ["kept"]);

    home.store
        .write(|batch| {
            Ok(batch.conn.pragma_update_and_check(None, "max_page_count", 1_000_000, |_| Ok(()))?)
        })
        .await
        .unwrap();
    home.store.kv().set("big", &long).await.unwrap();
}

#[tokio::test]
async fn a_commit_that_fails_cuts_the_appended_lines_off_again() {
    let home = Home::new();
    let id = home.says("agent:main:main", "r1", "kept").await.session.session_id;
    let before = std::fs::read(home.transcript(&id)).unwrap();
    let append_to = id.clone();
    let result = home
        .store
        .write(move |batch| {
            crate::transcripts::append(batch, &append_to, vec![user("lost")])?;
            // A deferred constraint is only looked at by COMMIT.
            batch.conn.execute_batch(
                "PRAGMA defer_foreign_keys = ON;
                 INSERT INTO device_tokens (device_id, role, scopes, created_at) VALUES ('nobody', 'r', '[]', 0);",
            )?;
            Ok(())
        })
        .await;
    assert!(matches!(result, Err(StoreError::NotCommitted { .. })), "{result:?}");
    assert_eq!(std::fs::read(home.transcript(&id)).unwrap(), before);
    assert_eq!(texts(&home.store.transcripts().context(&id).await.unwrap().entries), ["kept"]);
}

#[tokio::test]
async fn a_database_that_turns_read_only_is_told() {
    let home = Home::new();
    let read_only = home.store.write(|batch| Ok(batch.conn.execute_batch("PRAGMA query_only = ON")?));
    read_only.await.unwrap();
    let error = home.store.kv().set("a", "b").await.unwrap_err();
    assert!(matches!(error, StoreError::ReadOnly { .. }), "{error:?}");
}

#[tokio::test]
async fn a_session_id_that_would_leave_the_folder_is_refused() {
    let home = Home::new();
    let id = SessionId::parse("../../escape").unwrap();
    let page = home.store.transcripts().page(&id, PageQuery::default()).await;
    assert!(matches!(page, Err(StoreError::Transcript(_))), "{page:?}");
}

fn copy_dir(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy_dir(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}
