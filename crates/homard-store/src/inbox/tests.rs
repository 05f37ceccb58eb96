//! What is heard is kept once, and done with once.

use std::time::Duration;

use homard_protocol::{AccountId, ChannelId};

use super::{KeptHeard, NewHeard, prune};
use crate::Accepted;
use crate::NewRun;
use crate::RunStatus;
use crate::engine::fixture::{Home, key, new_run, run_id, start, texts};

fn heard(account: &str, message: &str) -> NewHeard {
    NewHeard {
        channel: ChannelId::parse("telegram").unwrap(),
        account: AccountId::parse(account).unwrap(),
        key: message.to_owned(),
        payload: format!("{{\"text\":\"{message}\"}}"),
    }
}

async fn keep(home: &Home, message: &str) -> super::InboxId {
    match home.store.inbox().keep(heard("default", message)).await.unwrap() {
        KeptHeard::New(id) => id,
        KeptHeard::Known => panic!("known before"),
    }
}

async fn open(home: &Home) -> Vec<String> {
    home.store.inbox().unfinished().await.unwrap().into_iter().map(|row| row.payload).collect()
}

#[tokio::test]
async fn a_message_is_known_again_by_account_and_key() {
    let home = Home::new();
    let first = home.store.inbox().keep(heard("default", "1:7")).await.unwrap();
    assert!(matches!(first, KeptHeard::New(_)));
    assert_eq!(home.store.inbox().keep(heard("default", "1:7")).await.unwrap(), KeptHeard::Known);
    assert!(matches!(home.store.inbox().keep(heard("other", "1:7")).await.unwrap(), KeptHeard::New(_)));
    assert!(matches!(home.store.inbox().keep(heard("default", "1:8")).await.unwrap(), KeptHeard::New(_)));
}

#[tokio::test]
async fn the_run_that_answers_a_message_closes_it_in_its_own_commit() {
    let home = Home::new();
    let (a, b) = (keep(&home, "a").await, keep(&home, "b").await);
    let c = keep(&home, "c").await;
    let run = NewRun { inbox: vec![a, b], ..new_run("agent:main:main", "r1") };
    assert_eq!(home.store.runs().accept(run).await.unwrap(), Accepted::New);
    assert_eq!(open(&home).await, [r#"{"text":"c"}"#]);
    // The same run again closes what it brings, too: it is answered there.
    let again = NewRun { inbox: vec![c], ..new_run("agent:main:main", "r1") };
    assert!(matches!(home.store.runs().accept(again).await.unwrap(), Accepted::Duplicate(_)));
    assert!(open(&home).await.is_empty());
    let home = home.reopen().await;
    assert!(open(&home).await.is_empty());
    assert_eq!(home.store.inbox().keep(heard("default", "a")).await.unwrap(), KeptHeard::Known);
}

#[tokio::test]
async fn open_messages_survive_a_restart_in_order_and_refused_ones_do_not_come_back() {
    let home = Home::new();
    keep(&home, "a").await;
    let b = keep(&home, "b").await;
    keep(&home, "c").await;
    home.store.inbox().finish(vec![b], "not allowed".to_owned()).await.unwrap();
    let home = home.reopen().await;
    assert_eq!(open(&home).await, [r#"{"text":"a"}"#, r#"{"text":"c"}"#]);
}

#[tokio::test]
async fn an_event_is_told_with_the_next_turn_and_its_row_is_closed() {
    let home = Home::new();
    let id = keep(&home, "e").await;
    let main = key("agent:main:main");
    home.store.inbox().tell(id, &main, "Ann liked it".to_owned(), None).await.unwrap();
    assert!(open(&home).await.is_empty());
    assert!(home.store.notes().waiting().await.unwrap().concat().ends_with("Ann liked it"));
}

#[tokio::test]
async fn what_was_done_long_ago_is_forgotten_and_what_is_open_stays() {
    let home = Home::new();
    let old = keep(&home, "old").await;
    keep(&home, "open").await;
    home.store.inbox().finish(vec![old], "refused".to_owned()).await.unwrap();
    home.clock.advance(Duration::from_secs(3 * 24 * 3600));
    let new = keep(&home, "new").await;
    home.store.inbox().finish(vec![new], "refused".to_owned()).await.unwrap();
    home.store.close().await;
    let conn = rusqlite::Connection::open(home.dir.path().join("state/homard.sqlite")).unwrap();
    while prune(&conn, home.clock.now_ms()).unwrap() {}
    let mut statement = conn.prepare("SELECT message_key FROM inbox ORDER BY message_key").unwrap();
    let left: Vec<String> = statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    assert_eq!(left, ["new", "open"]);
}

#[tokio::test]
async fn runs_whose_messages_are_merged_end_with_the_start_of_the_one_that_has_them() {
    let home = Home::new();
    for run in ["r1", "r2", "r3"] {
        home.store.runs().accept(new_run("agent:main:main", run)).await.unwrap();
    }
    let mut begin = start("r3", "all three");
    begin.merged = vec![run_id("r1"), run_id("r2")];
    let started = home.store.runs().start(begin).await.unwrap();
    for run in ["r1", "r2"] {
        let run = home.store.runs().get(&run_id(run)).await.unwrap().unwrap();
        assert_eq!((run.status, run.stop_reason.as_deref()), (RunStatus::Ok, Some("merged:r3")));
    }
    let said = home.store.transcripts().context(&started.session.session_id).await.unwrap();
    assert_eq!(texts(&said.entries), ["all three"]);
}

#[tokio::test]
async fn a_run_that_does_not_wait_any_more_cannot_be_merged_and_nothing_begins() {
    let home = Home::new();
    home.says("agent:main:main", "r1", "hi").await;
    home.store.runs().accept(new_run("agent:main:main", "r2")).await.unwrap();
    let mut begin = start("r2", "both");
    begin.merged = vec![run_id("r1")];
    assert!(home.store.runs().start(begin).await.is_err());
    assert_eq!(home.store.runs().get(&run_id("r2")).await.unwrap().unwrap().status, RunStatus::Queued);
}
