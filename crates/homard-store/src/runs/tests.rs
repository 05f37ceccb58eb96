//! A run's way from request to end.

use std::time::Duration;

use homard_protocol::{EntryKind, Message, StopReason, Usage};

use super::{Accepted, FinishRun, RunStatus};
use crate::ResetReason;
use crate::StoreError;
use crate::engine::fixture::{Home, NOW, assistant, beside, calls, key, new_run, run_id, start, texts};

#[tokio::test]
async fn the_same_request_twice_is_one_run() {
    let home = Home::new();
    assert_eq!(home.store.runs().accept(new_run("agent:main:main", "r1")).await.unwrap(), Accepted::New);
    let Accepted::Duplicate(run) = home.store.runs().accept(new_run("agent:main:main", "r1")).await.unwrap()
    else {
        panic!("accepted twice")
    };
    assert_eq!((run.status, run.created_at), (RunStatus::Queued, NOW));
    home.store.runs().start(start("r1", "hi")).await.unwrap();
    let again = home.store.runs().start(start("r1", "hi")).await.unwrap_err();
    assert!(matches!(again, StoreError::RunState { status: RunStatus::Running, .. }));
    let unknown = home.store.runs().start(start("r9", "hi")).await.unwrap_err();
    assert!(matches!(unknown, StoreError::UnknownRun(_)));
}

#[tokio::test]
async fn a_turn_leaves_a_run_a_session_and_a_transcript() {
    let home = Home::new();
    let mut first = start("r1", "What  is\nup?");
    first.patch = Some(Box::new(|entry| entry.last_channel = Some("webchat".into())));
    home.store.runs().accept(new_run("agent:main:main", "r1")).await.unwrap();
    let started = home.store.runs().start(first).await.unwrap();
    assert_eq!((started.new_session, started.seq), (true, 1));
    home.clock.advance(Duration::from_secs(1));
    let mut finish = FinishRun::new(run_id("r1"), RunStatus::Ok);
    finish.stop_reason = Some(StopReason::Stop);
    finish.usage = Some(Usage { input: 3, output: 4, ..Usage::default() });
    finish.reply = Some("Nothing.".into());
    finish.entries = vec![assistant("Nothing.")];
    finish.patch = Some(Box::new(|entry| entry.input_tokens = Some(3)));
    let finished = home.store.runs().finish(finish).await.unwrap();
    assert_eq!(finished.appended[0].seq, 2);

    let session = home.store.sessions().get(&key("agent:main:main")).await.unwrap().unwrap();
    assert_eq!(finished.session, Some(session.clone()));
    assert_eq!(session.derived_title.as_deref(), Some("What is up?"));
    assert_eq!(session.last_message_preview.as_deref(), Some("Nothing."));
    assert_eq!((session.entry.last_interaction_at, session.entry.updated_at), (Some(NOW), NOW + 1000));
    assert_eq!(
        (session.entry.input_tokens, session.entry.last_channel.as_deref()),
        (Some(3), Some("webchat"))
    );
    let run = home.store.runs().get(&run_id("r1")).await.unwrap().unwrap();
    assert_eq!((run.status, run.ended_at, run.message), (RunStatus::Ok, Some(NOW + 1000), None));
    assert_eq!(run.usage.map(|usage| usage.output), Some(4));
    assert_eq!(run.session_id, Some(session.session_id));
    assert!(matches!(
        home.store.runs().finish(FinishRun::new(run_id("r1"), RunStatus::Ok)).await,
        Err(StoreError::RunState { .. })
    ));
}

#[tokio::test]
async fn a_run_whose_session_was_reset_writes_nowhere() {
    let home = Home::new();
    home.says("agent:main:main", "r1", "hi").await;
    let reset = home.store.sessions().reset(&key("agent:main:main"), ResetReason::New).await.unwrap();
    let mut finish = FinishRun::new(run_id("r1"), RunStatus::Aborted);
    finish.entries = vec![assistant("too late")];
    let finished = home.store.runs().finish(finish).await.unwrap();
    assert_eq!((finished.appended.len(), finished.session), (0, None));
    assert!(home.store.transcripts().context(&reset.record.session_id).await.unwrap().entries.is_empty());
}

#[tokio::test]
async fn an_interrupted_run_leaves_a_conversation_models_accept() {
    let home = Home::new();
    let id = home.says("agent:main:main", "r1", "look").await.session.session_id;
    home.store.transcripts().append(&id, vec![calls(&["c1", "c2"])]).await.unwrap();
    let home = home.reopen().await;
    let unfinished = home.store.runs().unfinished().await.unwrap();
    assert_eq!(unfinished.len(), 1);
    home.store.runs().interrupt(&unfinished[0].run_id).await.unwrap();

    let context = home.store.transcripts().context(&id).await.unwrap();
    assert_eq!(context.entries.len(), 5);
    let results = context.entries.iter().filter_map(|entry| match &entry.kind {
        EntryKind::Message { message: Message::ToolResult(result) } => Some(result),
        _ => None,
    });
    let results: Vec<_> =
        results.map(|result| (result.tool_call_id.as_str().to_owned(), result.is_error)).collect();
    assert_eq!(results, [("c1".to_owned(), true), ("c2".to_owned(), true)]);
    let Some(EntryKind::Message { message: Message::Assistant(last) }) =
        context.entries.last().map(|e| &e.kind)
    else {
        panic!("{:?}", texts(&context.entries))
    };
    assert_eq!(last.stop_reason, StopReason::Aborted);
    assert_eq!(last.error_message.as_deref(), Some("interrupted by a gateway restart"));
    let session = home.store.sessions().get(&key("agent:main:main")).await.unwrap().unwrap();
    assert_eq!(session.entry.aborted_last_run, Some(true));
    assert_eq!(home.store.runs().get(&run_id("r1")).await.unwrap().unwrap().status, RunStatus::Interrupted);
    assert!(home.store.runs().unfinished().await.unwrap().is_empty());
}

#[tokio::test]
async fn what_was_sent_beside_an_interrupted_run_hides_nothing_of_it() {
    let home = Home::new();
    let id = home.says("agent:main:main", "r1", "look").await.session.session_id;
    home.store.runs().keep_partial(&run_id("r1"), "I look".to_owned()).await.unwrap();
    let entries = vec![calls(&["c1"]), beside("a job is done. I look")];
    home.store.transcripts().append(&id, entries).await.unwrap();
    let home = home.reopen().await;
    home.store.runs().interrupt(&run_id("r1")).await.unwrap();
    let context = home.store.transcripts().context(&id).await.unwrap();
    let results = context.entries.iter().filter_map(|entry| match &entry.kind {
        EntryKind::Message { message: Message::ToolResult(result) } => Some(result.tool_call_id.as_str()),
        _ => None,
    });
    assert_eq!(results.collect::<Vec<_>>(), ["c1"]);
    assert_eq!(
        texts(&context.entries),
        ["look", "", "a job is done. I look", "interrupted by a gateway restart", "I look"]
    );
}

#[tokio::test]
async fn an_interrupted_run_leaves_what_it_had_said_and_nothing_twice() {
    let home = Home::new();
    let id = home.says("agent:main:main", "r1", "tell me").await.session.session_id;
    home.store.runs().keep_partial(&run_id("r1"), "Once upon".to_owned()).await.unwrap();
    let home = home.reopen().await;
    home.store.runs().interrupt(&run_id("r1")).await.unwrap();
    assert_eq!(
        texts(&home.store.transcripts().context(&id).await.unwrap().entries),
        ["tell me", "Once upon"]
    );

    home.says("agent:main:main", "r2", "go on").await;
    home.store.runs().keep_partial(&run_id("r2"), "a time".to_owned()).await.unwrap();
    home.store.transcripts().append(&id, vec![assistant("a time there was")]).await.unwrap();
    home.store.runs().interrupt(&run_id("r2")).await.unwrap();
    let said = texts(&home.store.transcripts().context(&id).await.unwrap().entries);
    assert_eq!(said.get(2..), Some(&["go on".to_owned(), "a time there was".to_owned(), String::new()][..]));
}

#[tokio::test]
async fn a_queued_run_can_be_interrupted_without_a_trace_in_any_transcript() {
    let home = Home::new();
    home.store.runs().accept(new_run("agent:main:main", "r1")).await.unwrap();
    let finished = home.store.runs().interrupt(&run_id("r1")).await.unwrap();
    assert_eq!((finished.appended.len(), finished.session), (0, None));
}

#[tokio::test]
async fn runs_that_ended_long_ago_are_forgotten_at_start() {
    let home = Home::new();
    home.says("agent:main:main", "old", "hi").await;
    home.store.runs().finish(FinishRun::new(run_id("old"), RunStatus::Ok)).await.unwrap();
    home.says("agent:main:main", "open", "hi").await;
    home.clock.advance(Duration::from_secs(8 * 24 * 3600));
    home.says("agent:main:main", "new", "hi").await;
    home.store.runs().finish(FinishRun::new(run_id("new"), RunStatus::Ok)).await.unwrap();
    home.store.close().await;
    let conn = rusqlite::Connection::open(home.dir.path().join("state/homard.sqlite")).unwrap();
    while super::prune(&conn, home.clock.now_ms()).unwrap() {}
    let mut statement = conn.prepare("SELECT run_id FROM runs ORDER BY run_id").unwrap();
    let left: Vec<String> = statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    assert_eq!(left, ["new", "open"]);
}

#[test]
fn every_status_reads_as_it_is_written() {
    let queued = [RunStatus::Queued, RunStatus::Running];
    let ended =
        [RunStatus::Ok, RunStatus::Error, RunStatus::Aborted, RunStatus::TimedOut, RunStatus::Interrupted];
    for status in queued.into_iter().chain(ended) {
        assert_eq!(status.as_str().parse(), Ok(status));
    }
    assert!("done".parse::<RunStatus>().is_err());
}

#[tokio::test]
async fn a_message_handed_over_just_before_a_crash_is_in_the_conversation_once() {
    let home = Home::new();
    let id = home.says("agent:main:main", "r1", "paint it").await.session.session_id;
    home.store.runs().accept(new_run("agent:main:main", "r2")).await.unwrap();
    // The line of a hand-over reached the file, its commit did not reach the database.
    let path = home.transcript(&id);
    let first = std::fs::read_to_string(&path).unwrap();
    let line = first.lines().last().unwrap();
    let mut entry: serde_json::Value = serde_json::from_str(line).unwrap();
    entry["parentId"] = entry["id"].clone();
    entry["id"] = "abcd1234".into();
    entry["message"]["content"] = "no, blue".into();
    entry["message"]["idempotencyKey"] = crate::steered_key(&run_id("r2")).into();
    home.store.close().await;
    std::fs::write(&path, format!("{first}{entry}\n")).unwrap();

    let home = home.reopen().await;
    home.store.runs().interrupt(&run_id("r1")).await.unwrap();
    let run = home.store.runs().get(&run_id("r2")).await.unwrap().unwrap();
    assert_eq!((run.status, run.stop_reason.as_deref()), (RunStatus::Ok, Some("steered:r1")));
    assert!(home.store.runs().unfinished().await.unwrap().is_empty());
    let said = texts(&home.store.transcripts().context(&id).await.unwrap().entries);
    assert_eq!(said, ["paint it", "no, blue", ""]);
}

#[tokio::test]
async fn a_message_whose_turn_did_not_begin_before_a_crash_is_told_once_alone_or_with_others() {
    let home = Home::new();
    let id = home.says("agent:main:main", "r1", "hello").await.session.session_id;
    home.store.runs().finish(FinishRun::new(run_id("r1"), RunStatus::Ok)).await.unwrap();
    for run in ["r2", "r3"] {
        home.store.runs().accept(new_run("agent:main:main", run)).await.unwrap();
    }
    // Both were to be told in one turn: a note and the line reached the file, the commit did not reach the database.
    let path = home.transcript(&id);
    let first = std::fs::read_to_string(&path).unwrap();
    let mut entry: serde_json::Value = serde_json::from_str(first.lines().last().unwrap()).unwrap();
    let stamp = entry["timestamp"].clone();
    let note = serde_json::json!({"type": "custom", "id": "abcd1234", "parentId": entry["id"], "timestamp": stamp,
        "customType": "note", "data": {}});
    (entry["parentId"], entry["id"]) = ("abcd1234".into(), "abcd1235".into());
    entry["message"]["content"] = "two and three".into();
    entry["message"]["idempotencyKey"] = "r3:user".into();
    home.store.close().await;
    std::fs::write(&path, format!("{first}{note}\n{entry}\n")).unwrap();

    let home = home.reopen().await;
    for (run, text) in [("r2", "two"), ("r3", "three")] {
        home.store.runs().start(crate::engine::fixture::start(run, text)).await.unwrap();
        home.store.runs().finish(FinishRun::new(run_id(run), RunStatus::Ok)).await.unwrap();
    }
    assert_eq!(
        texts(&home.store.transcripts().context(&id).await.unwrap().entries),
        ["hello", "two", "three"]
    );
}
