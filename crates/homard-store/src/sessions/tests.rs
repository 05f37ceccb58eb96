//! Session rows: patching, resetting, deleting, taking over an existing store.

use std::time::Duration;

use homard_protocol::session_words::ExecHost;
use homard_protocol::{AgentId, QueueMode, SessionId, ThinkingLevel, Word};
use serde_json::json;

use super::{ArchiveTranscript, ResetReason, SessionEntry, SessionOrigin, preview};
use crate::PageQuery;
use crate::StoreError;
use crate::engine::fixture::{Home, NOW, assistant, key, texts};

#[tokio::test]
async fn a_patch_makes_the_session_and_then_changes_it() {
    let home = Home::new();
    let main = key("agent:main:main");
    assert!(home.store.sessions().get(&main).await.unwrap().is_none());
    let made = home
        .store
        .sessions()
        .patch(&main, |entry| entry.thinking_level = Some(ThinkingLevel::High.into()))
        .await
        .unwrap();
    assert_eq!(made.entry.created_at, Some(NOW));
    home.clock.advance(Duration::from_millis(5));
    let forged = SessionId::parse("forged").unwrap();
    let patched =
        home.store.sessions().patch(&main, move |entry| entry.session_id = Some(forged)).await.unwrap();
    assert_eq!(patched.session_id, made.session_id);
    assert_eq!(patched.entry.updated_at, NOW + 5);
    assert_eq!(patched.entry.thinking_level, Some(ThinkingLevel::High.into()));
    assert_eq!(home.store.sessions().get(&main).await.unwrap(), Some(patched.clone()));
    assert_eq!(home.store.sessions().by_id(&made.session_id).await.unwrap(), Some(patched));
}

#[tokio::test]
async fn what_no_list_asks_for_is_written_without_their_indexes() {
    /// A page in the log of writes, with its head.
    const FRAME: u64 = 4_096 + 24;
    let home = Home::new();
    let main = key("agent:main:main");
    let log = home.dir.path().join("state/homard.sqlite-wal");
    let think = async |level: &str| {
        let level = Word::of(level);
        let change = |entry: &mut SessionEntry| entry.thinking_level = Some(level);
        home.store.sessions().patch(&main, change).await.unwrap();
        std::fs::metadata(&log).unwrap().len()
    };
    let before = think("low").await;
    assert_eq!((think("high").await - before) / FRAME, 1);
}

#[tokio::test]
async fn labels_are_unique_per_agent() {
    let home = Home::new();
    let label = |entry: &mut SessionEntry| entry.label = Some("shop".into());
    home.store.sessions().patch(&key("agent:main:a"), label).await.unwrap();
    home.store.sessions().patch(&key("agent:main:a"), label).await.unwrap();
    home.store.sessions().patch(&key("agent:work:a"), label).await.unwrap();
    let taken = home.store.sessions().patch(&key("agent:main:b"), label).await.unwrap_err();
    assert!(matches!(taken, StoreError::LabelTaken { .. }));
    assert!(home.store.sessions().get(&key("agent:main:b")).await.unwrap().is_none());
    let found = home.store.sessions().by_label(&AgentId::main(), "shop").await.unwrap().unwrap();
    assert_eq!(found.key, key("agent:main:a"));
}

#[tokio::test]
async fn a_reset_begins_a_new_transcript_and_keeps_how_the_owner_likes_it() {
    let home = Home::new();
    let main = key("agent:main:main");
    let old = home.says("agent:main:main", "r1", "hello").await.session.session_id;
    let change = |entry: &mut SessionEntry| {
        entry.thinking_level = Some(ThinkingLevel::High.into());
        entry.label = Some("mine".into());
        entry.origin = Some(SessionOrigin { from: Some("me".into()), ..SessionOrigin::default() });
        entry.model_override = Some("m".into());
        entry.queue_mode = Some(QueueMode::Steer.into());
        entry.exec_host = Some(ExecHost::Node.into());
        entry.input_tokens = Some(9);
        entry.compaction_count = Some(2);
        entry.system_sent = Some(true);
    };
    home.store.sessions().patch(&main, change).await.unwrap();
    let reset = home.store.sessions().reset(&main, ResetReason::Reset).await.unwrap();
    let entry = &reset.record.entry;
    assert_eq!(reset.previous, Some(old.clone()));
    assert_ne!(reset.record.session_id, old);
    assert_eq!(
        (&entry.thinking_level, entry.label.as_deref()),
        (&Some(ThinkingLevel::High.into()), Some("mine"))
    );
    assert!(entry.origin.is_some());
    assert_eq!((&entry.model_override, &entry.queue_mode, &entry.exec_host), (&None, &None, &None));
    assert_eq!((entry.input_tokens, entry.compaction_count, entry.system_sent), (None, Some(0), Some(false)));
    assert_eq!(reset.record.derived_title, None);

    let name = format!("{old}.jsonl.reset.2023-11-14T22-13-20.000Z");
    assert_eq!(home.files_with(".jsonl"), [name.as_str()]);
    assert_eq!(reset.archived, [home.sessions().join(name)]);
    assert!(matches!(
        home.store.transcripts().append(&old, vec![assistant("late")]).await,
        Err(StoreError::UnknownSession(_))
    ));
    assert_eq!(home.store.transcripts().page(&old, PageQuery::default()).await.unwrap().total_messages, 0);

    let again = home.says("agent:main:main", "r2", "anew").await;
    assert_eq!(again.session.session_id, reset.record.session_id);
    let context = home.store.transcripts().context(&again.session.session_id).await.unwrap();
    assert_eq!(texts(&context.entries), ["anew"]);
}

#[tokio::test]
async fn a_deleted_session_leaves_its_transcript_only_if_asked() {
    let home = Home::new();
    let (a, b) = (key("agent:main:a"), key("agent:main:b"));
    let id = home.says("agent:main:a", "r1", "x").await.session.session_id;
    home.says("agent:main:b", "r2", "y").await;
    let kept = home.store.sessions().delete(&a, ArchiveTranscript::Keep).await.unwrap();
    assert!(kept.deleted);
    assert_eq!(home.files_with(".deleted."), [format!("{id}.jsonl.deleted.2023-11-14T22-13-20.000Z")]);
    let gone = home.store.sessions().delete(&b, ArchiveTranscript::Remove).await.unwrap();
    assert_eq!((gone.deleted, gone.archived), (true, Vec::new()));
    assert_eq!(home.files_with("").len(), 1);
    assert!(!home.store.sessions().delete(&b, ArchiveTranscript::Keep).await.unwrap().deleted);
    assert_eq!(home.store.sessions().count(None).await.unwrap(), 0);
    // The index rows they left are swept without anybody waiting for it.
    home.store.close().await;
    let conn = rusqlite::Connection::open(home.dir.path().join("state/homard.sqlite")).unwrap();
    let sweep = || crate::transcripts::sweep_garbage(&conn).unwrap();
    while sweep() {}
    let left: i64 = conn.query_row("SELECT count(*) FROM transcript_entries", [], |row| row.get(0)).unwrap();
    assert_eq!(left, 0);
}

#[tokio::test]
async fn an_existing_session_store_is_taken_over_once() {
    let home = Home::new();
    let id = home.write_transcript("old-1", "");
    let store = json!({
        "agent:main:main": {"sessionId": "old-1", "updatedAt": 5, "lastThreadId": 42, "label": "kept",
                            "queueCap": "not a number", "skillsSnapshot": {"prompt": "large"}},
        "agent:main:telegram:group:7": {"sessionId": "old-2", "updatedAt": 6, "sessionFile": "/elsewhere/old-2-topic-1.jsonl"},
        "agent:main:broken": 3,
        "agent::": {"sessionId": "x"},
    });
    std::fs::write(home.sessions().join("sessions.json"), store.to_string()).unwrap();
    let line = r#"{"type":"message","id":"aa","parentId":null,"timestamp":"t","message":{"role":"user","content":"from a topic","timestamp":1}}"#;
    home.write_transcript("old-2-topic-1", &format!("{line}\n"));

    let home = home.reopen().await;
    let main = home.store.sessions().get(&key("agent:main:main")).await.unwrap().unwrap();
    assert_eq!(main.session_id, id);
    assert_eq!(main.entry.last_thread_id.as_deref(), Some("42"));
    assert_eq!((main.entry.label.as_deref(), main.entry.queue_cap), (Some("kept"), None));
    assert_eq!(main.entry.skills_snapshot, None);
    assert_eq!(home.store.sessions().count(None).await.unwrap(), 2);
    let topic = home.store.transcripts().context(&SessionId::parse("old-2").unwrap()).await.unwrap();
    assert_eq!(texts(&topic.entries), ["from a topic"]);

    home.store.sessions().delete(&key("agent:main:main"), ArchiveTranscript::Keep).await.unwrap();
    let home = home.reopen().await;
    assert!(home.store.sessions().get(&key("agent:main:main")).await.unwrap().is_none());
}

#[tokio::test]
async fn a_session_store_that_cannot_be_read_is_tried_again() {
    let home = Home::new();
    home.write_transcript("old-1", "");
    let path = home.sessions().join("sessions.json");
    std::fs::write(&path, "{ half a fi").unwrap();
    let home = home.reopen().await;
    assert_eq!(home.store.sessions().count(None).await.unwrap(), 0);
    std::fs::write(&path, r#"{"main": {"sessionId": "old-1", "updatedAt": 5}}"#).unwrap();
    let home = home.reopen().await;
    assert!(home.store.sessions().get(&key("agent:main:main")).await.unwrap().is_some());
}

#[test]
fn a_preview_is_one_short_line() {
    for (text, expected) in [("", None), (" \n ", None), ("a\n  b", Some("a b".to_owned()))] {
        assert_eq!(preview(text), expected);
    }
    assert_eq!(preview(&"ä".repeat(500)).unwrap().chars().count(), super::PREVIEW_CHARS + 1);
}
