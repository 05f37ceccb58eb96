//! Notes are told once, with the next turn.

use crate::FinishRun;
use crate::ResetReason;
use crate::RunStatus;
use crate::engine::fixture::{Home, key, new_run, run_id, start, texts};
use homard_protocol::EntryKind;

const KEY: &str = "agent:main:main";

async fn told(home: &Home, run: &str) -> Vec<String> {
    home.store.runs().accept(new_run(KEY, run)).await.unwrap();
    let id = home.store.runs().start(start(run, "go on")).await.unwrap().session.session_id;
    home.store.runs().finish(FinishRun::new(run_id(run), RunStatus::Ok)).await.unwrap();
    let context = home.store.transcripts().context(&id).await.unwrap();
    let text = |kind: &EntryKind| match kind {
        EntryKind::CustomMessage { content, .. } => Some(content.text()),
        _ => None,
    };
    context.entries.iter().filter_map(|entry| text(&entry.kind)).collect()
}

#[tokio::test]
async fn a_note_survives_a_restart_and_is_told_once_before_the_next_message() {
    let home = Home::new();
    assert!(!home.store.notes().keep(&key(KEY), "nobody there".to_owned()).await.unwrap());
    assert_eq!(told(&home, "r1").await, Vec::<String>::new());
    assert!(home.store.notes().keep(&key(KEY), "the build ended".to_owned()).await.unwrap());
    let home = home.reopen().await;
    let notes = told(&home, "r2").await;
    assert_eq!(notes.len(), 1);
    assert!(notes[0].starts_with("System: [20") && notes[0].ends_with("] the build ended"), "{notes:?}");
    assert_eq!(told(&home, "r3").await, notes);
    let id = home.store.sessions().get(&key(KEY)).await.unwrap().unwrap().session_id;
    let lines = texts(&home.store.transcripts().context(&id).await.unwrap().entries);
    assert_eq!(lines, ["go on", "<custom_message>", "go on", "go on"]);
}

#[tokio::test]
async fn the_newest_notes_are_kept_and_a_reset_forgets_them() {
    let home = Home::new();
    told(&home, "r1").await;
    for n in 0..25 {
        home.store.notes().keep(&key(KEY), format!("note {n};")).await.unwrap();
    }
    let notes = told(&home, "r2").await.join("");
    assert!(notes.contains("note 5;") && notes.contains("note 24;") && !notes.contains("note 4;"), "{notes}");
    home.store.notes().keep(&key(KEY), "old".to_owned()).await.unwrap();
    home.store.sessions().reset(&key(KEY), ResetReason::New).await.unwrap();
    assert_eq!(told(&home, "r3").await, Vec::<String>::new());
}

#[tokio::test]
async fn an_event_waits_for_a_conversation_that_has_not_begun_and_keeps_what_stands_beside_it() {
    let home = Home::new();
    let details = serde_json::json!({"taint": [{"source": "hook", "detail": "door bell"}]});
    home.store.notes().keep_event(&key(KEY), "plain".to_owned(), None).await.unwrap();
    home.store.notes().keep_event(&key(KEY), "marked".to_owned(), Some(details.clone())).await.unwrap();
    assert_eq!(home.store.notes().waiting().await.unwrap().len(), 2);
    let home = home.reopen().await;
    let notes = told(&home, "r1").await;
    assert_eq!(notes.len(), 2, "{notes:?}");
    assert!(notes[0].ends_with("] plain") && notes[1].ends_with("] marked"), "{notes:?}");
    let id = home.store.sessions().get(&key(KEY)).await.unwrap().unwrap().session_id;
    let entries = home.store.transcripts().context(&id).await.unwrap().entries;
    let beside = entries.iter().find_map(|entry| match &entry.kind {
        EntryKind::CustomMessage { details, .. } => details.clone(),
        _ => None,
    });
    assert_eq!(beside, Some(details));
    assert_eq!(home.store.notes().waiting().await.unwrap(), Vec::<String>::new());
}

#[tokio::test]
async fn notes_that_cannot_be_read_keep_nobody_from_a_turn_and_others_are_kept_after_them() {
    let home = Home::new();
    home.store.kv().set(&format!("notes:{KEY}"), "garbled").await.unwrap();
    assert_eq!(home.store.notes().waiting().await.unwrap(), Vec::<String>::new());
    assert_eq!(told(&home, "r1").await, Vec::<String>::new());
    home.store.notes().keep_event(&key(KEY), "after that".to_owned(), None).await.unwrap();
    let notes = told(&home, "r2").await;
    assert!(notes.len() == 1 && notes[0].ends_with("after that"), "{notes:?}");
}
