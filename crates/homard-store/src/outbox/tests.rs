//! What the outbox promises.

use std::time::Duration;

use homard_protocol::{AccountId, ChannelId};

use super::{NewOutbound, OutboundRecord, Posted};
use crate::FinishRun;
use crate::OutboundRetry;
use crate::RunStatus;
use crate::Store;
use crate::engine::fixture::{Home, NOW, assistant, key, run_id};

fn row(key: &str, conversation: &str) -> NewOutbound {
    NewOutbound {
        key: key.to_owned(),
        channel: ChannelId::parse("telegram").unwrap(),
        account: AccountId::default_account(),
        conversation: conversation.to_owned(),
        session_key: None,
        run_id: None,
        payload: format!("{{\"text\":\"{key}\"}}"),
        repeatable: false,
    }
}

async fn next(store: &Store, conversation: &str) -> Option<OutboundRecord> {
    let (channel, account) = (ChannelId::parse("telegram").unwrap(), AccountId::default_account());
    store.outbox().next(&channel, &account, conversation).await.unwrap()
}

#[tokio::test]
async fn rows_of_a_conversation_come_in_order_and_a_known_key_is_kept_once() {
    let Home { store, .. } = &Home::new();
    let posted =
        store.outbox().post(vec![row("a:0", "c1"), row("a:1", "c1"), row("b:0", "c2")]).await.unwrap();
    assert_eq!(posted, [Posted::New, Posted::New, Posted::New]);
    let again = store.outbox().post(vec![row("a:0", "c1")]).await.unwrap();
    assert!(matches!(&again[0], Posted::Known(known) if known.new.key == "a:0"), "{again:?}");
    let first = next(store, "c1").await.unwrap();
    assert_eq!(first.new.key, "a:0");
    assert!(store.outbox().mark_sending(&first).await.unwrap());
    store.outbox().mark_sent(&first, r#"{"messageId":"7"}"#.into()).await.unwrap();
    assert!(!store.outbox().mark_sending(&first).await.unwrap(), "what was sent is not sent again");
    assert_eq!(next(store, "c1").await.unwrap().new.key, "a:1");
    assert_eq!(
        store.outbox().get("a:0").await.unwrap().unwrap().receipt.as_deref(),
        Some(r#"{"messageId":"7"}"#)
    );
    let (channel, account) = (ChannelId::parse("telegram").unwrap(), AccountId::default_account());
    assert_eq!(store.outbox().waiting_conversations(&channel, &account).await.unwrap(), ["c1", "c2"]);
}

#[tokio::test]
async fn what_a_run_says_is_kept_with_its_end_and_only_then() {
    let home = Home::new();
    home.says("agent:main:main", "r1", "hi").await;
    assert_eq!(next(&home.store, "c1").await, None);
    let mut finish = FinishRun::new(run_id("r1"), RunStatus::Ok);
    finish.entries = vec![assistant("hello")];
    finish.outbox = vec![NewOutbound {
        run_id: Some(run_id("r1")),
        session_key: Some(key("agent:main:main")),
        ..row("r1:0", "c1")
    }];
    home.store.runs().finish(finish).await.unwrap();
    let kept = home.store.outbox().of_run(&run_id("r1")).await.unwrap();
    assert_eq!(kept.len(), 1);
    assert_eq!(kept[0].new.session_key, Some(key("agent:main:main")));
    assert_eq!(next(&home.store, "c1").await.as_ref(), kept.first());
}

#[tokio::test]
async fn what_was_being_sent_when_the_process_died_is_ambiguous_unless_it_is_harmless() {
    let home = Home::new();
    let harmless = NewOutbound { repeatable: true, ..row("edit", "c2") };
    home.store.outbox().post(vec![row("text", "c1"), harmless, row("waiting", "c3")]).await.unwrap();
    for conversation in ["c1", "c2"] {
        let found = next(&home.store, conversation).await.unwrap();
        assert!(home.store.outbox().mark_sending(&found).await.unwrap());
    }
    let home = home.reopen().await;
    assert_eq!(home.store.outbox().recover().await.unwrap(), 2);
    assert_eq!(home.store.outbox().recover().await.unwrap(), 0);
    let found: Vec<_> =
        [next(&home.store, "c1").await, next(&home.store, "c2").await, next(&home.store, "c3").await]
            .into_iter()
            .map(|row| row.map(|row| (row.ambiguous, row.sending_at)))
            .collect();
    assert_eq!(found, [Some((1, None)), Some((0, None)), Some((0, None))]);
    let counts = home.store.outbox().counts().await.unwrap();
    assert_eq!((counts[0].waiting, counts[0].ambiguous, counts[0].oldest_at), (3, 1, Some(NOW)));
}

#[tokio::test]
async fn failed_tries_are_counted_and_given_up_rows_can_be_listed() {
    let Home { store, clock, .. } = &Home::new();
    store.outbox().post(vec![row("a", "c1")]).await.unwrap();
    let found = next(store, "c1").await.unwrap();
    store.outbox().mark_sending(&found).await.unwrap();
    let retry = OutboundRetry { at: NOW + 400, error: "down".into(), counts: true, ambiguous: false };
    store.outbox().mark_retry(&found, retry.clone()).await.unwrap();
    store
        .outbox()
        .mark_retry(&found, OutboundRetry { counts: false, ambiguous: true, ..retry })
        .await
        .unwrap();
    let row = next(store, "c1").await.unwrap();
    assert_eq!((row.tries, row.ambiguous, row.next_try_at, row.sending_at), (1, 1, NOW + 400, None));
    clock.advance(Duration::from_secs(1));
    store.outbox().mark_failed(&found, "blocked".into()).await.unwrap();
    assert_eq!(next(store, "c1").await, None);
    let dead = store.outbox().dead_letters(10).await.unwrap();
    assert_eq!((dead[0].last_error.as_deref(), dead[0].failed_at), (Some("blocked"), Some(NOW + 1000)));
}

#[tokio::test]
async fn what_is_being_sent_cannot_be_taken_back() {
    let Home { store, .. } = &Home::new();
    store.outbox().post(vec![row("a", "c1"), row("b", "c1")]).await.unwrap();
    let found = next(store, "c1").await.unwrap();
    store.outbox().mark_sending(&found).await.unwrap();
    assert!(!store.outbox().withdraw("a").await.unwrap());
    assert!(store.outbox().withdraw("b").await.unwrap());
    store.outbox().replace(&found, "{}".into()).await.unwrap();
    assert_eq!(next(store, "c1").await.unwrap().new.payload, "{}");
}

#[tokio::test]
async fn a_row_that_was_taken_back_is_not_mistaken_for_the_one_that_has_its_number_now() {
    let Home { store, .. } = &Home::new();
    store.outbox().post(vec![row("taken back", "c1")]).await.unwrap();
    let gone = next(store, "c1").await.unwrap();
    assert!(store.outbox().withdraw("taken back").await.unwrap());
    store.outbox().post(vec![row("other", "c2")]).await.unwrap();
    let other = next(store, "c2").await.unwrap();
    assert_eq!(other.id, gone.id, "numbers come again");
    assert!(!store.outbox().mark_sending(&gone).await.unwrap());
    let retry = OutboundRetry { at: NOW + 400, error: "down".into(), counts: true, ambiguous: true };
    store.outbox().mark_retry(&gone, retry).await.unwrap();
    store.outbox().replace(&gone, "{}".into()).await.unwrap();
    store.outbox().replace_into(&gone, "{}".into(), &gone, "{}".into()).await.unwrap();
    store.outbox().mark_failed(&gone, "blocked".into()).await.unwrap();
    store.outbox().mark_sent(&gone, "{}".into()).await.unwrap();
    assert_eq!(next(store, "c2").await, Some(other), "nobody has touched it");
}

#[tokio::test]
async fn what_may_have_arrived_keeps_its_record_when_it_is_taken_back() {
    let Home { store, .. } = &Home::new();
    store.outbox().post(vec![row("a", "c1")]).await.unwrap();
    let found = next(store, "c1").await.unwrap();
    store.outbox().mark_sending(&found).await.unwrap();
    store.outbox().recover().await.unwrap();
    assert!(store.outbox().withdraw("a").await.unwrap());
    assert!(!store.outbox().withdraw("a").await.unwrap());
    assert_eq!(next(store, "c1").await, None);
    let kept = store.outbox().get("a").await.unwrap().unwrap();
    assert_eq!((kept.ambiguous, kept.failed_at.is_some()), (1, true));
}

#[tokio::test]
async fn an_answer_goes_into_its_preview_and_the_preview_counts_as_sent() {
    let Home { store, .. } = &Home::new();
    store.outbox().post(vec![row("r:preview", "c1"), row("r:0", "c1")]).await.unwrap();
    let preview = store.outbox().get("r:preview").await.unwrap().unwrap();
    store.outbox().mark_failed(&preview, "given up".to_owned()).await.unwrap();
    let answer = next(store, "c1").await.unwrap();
    store.outbox().replace_into(&answer, "an edit".to_owned(), &preview, "{}".to_owned()).await.unwrap();
    assert!(store.outbox().get("r:preview").await.unwrap().unwrap().sent_at.is_some());
    assert_eq!(next(store, "c1").await.unwrap().new.payload, "an edit");
}

#[tokio::test]
async fn what_has_waited_too_long_is_given_up() {
    let Home { store, clock, .. } = &Home::new();
    store.outbox().post(vec![row("old", "c1")]).await.unwrap();
    clock.advance(Duration::from_secs(60));
    store.outbox().post(vec![row("new", "c1")]).await.unwrap();
    let expired = store.outbox().expire(NOW + 1).await.unwrap();
    assert_eq!(expired.iter().map(|row| row.new.key.as_str()).collect::<Vec<_>>(), ["old"]);
    assert_eq!(next(store, "c1").await.unwrap().new.key, "new");
}

#[tokio::test]
async fn a_run_a_restart_cut_off_before_it_did_anything_can_begin_again() {
    let home = Home::new();
    home.says("agent:main:main", "r1", "hi").await;
    let home = home.reopen().await;
    assert!(home.store.runs().requeue(&run_id("r1"), "{\"again\":1}".into()).await.unwrap());
    let run = home.store.runs().get(&run_id("r1")).await.unwrap().unwrap();
    assert_eq!((run.status, run.message.as_deref()), (RunStatus::Queued, Some("{\"again\":1}")));
    let started = home.store.runs().start(crate::engine::fixture::start("r1", "hi")).await.unwrap();
    assert_eq!(started.seq, 1, "what the person said is not said twice");
    let mut finish = FinishRun::new(run_id("r1"), RunStatus::Ok);
    finish.entries = vec![assistant("hello")];
    assert_eq!(home.store.runs().finish(finish).await.unwrap().appended[0].seq, 2);
    assert!(!home.store.runs().requeue(&run_id("r1"), String::new()).await.unwrap());
}

#[tokio::test]
async fn a_run_that_has_done_something_or_said_something_does_not_begin_again() {
    let home = Home::new();
    let started = home.says("agent:main:main", "r1", "hi").await;
    home.store
        .transcripts()
        .append(&started.session.session_id, vec![crate::engine::fixture::calls(&["c1"])])
        .await
        .unwrap();
    assert!(!home.store.runs().requeue(&run_id("r1"), "{}".into()).await.unwrap());
    home.says("agent:main:other", "r2", "hi").await;
    let block = NewOutbound { run_id: Some(run_id("r2")), ..row("r2:b0", "c1") };
    home.store.outbox().post(vec![block]).await.unwrap();
    assert!(!home.store.runs().requeue(&run_id("r2"), "{}".into()).await.unwrap());
}

#[tokio::test]
async fn rows_are_found_by_how_their_keys_begin() {
    let Home { store, .. } = &Home::new();
    store
        .outbox()
        .post(vec![row("question:a:0", "c1"), row("questions", "c1"), row("question:b:0", "c2")])
        .await
        .unwrap();
    let keys = |rows: Vec<OutboundRecord>| rows.into_iter().map(|row| row.new.key).collect::<Vec<_>>();
    assert_eq!(
        keys(store.outbox().beginning_with("question:").await.unwrap()),
        ["question:b:0", "question:a:0"]
    );
    assert_eq!(keys(store.outbox().beginning_with("question:a:").await.unwrap()), ["question:a:0"]);
    assert!(store.outbox().beginning_with("other:").await.unwrap().is_empty());
}
