//! An exchange that leaves its transcript again, and one that must not.

use std::time::Duration;

use homard_protocol::SessionId;

use crate::SearchQuery;
use crate::engine::fixture::{Home, NOW, assistant, key, new_run, run_id, start, texts, user};
use crate::runs::{FinishRun, RunStatus};

const MAIN: &str = "agent:main:main";

async fn exchange(home: &Home, run: &str, asked: &str, answer: &str) -> SessionId {
    let started = home.says(MAIN, run, asked).await;
    let mut finish = FinishRun::new(run_id(run), RunStatus::Ok);
    finish.entries = vec![assistant(answer)];
    home.store.runs().finish(finish).await.unwrap();
    started.session.session_id
}

/// Begins a look that nobody asked for; answers with the place of its message.
async fn look(home: &Home, run: &str) -> i64 {
    home.store.runs().accept(new_run(MAIN, run)).await.unwrap();
    let mut looks = start(run, "look around");
    (looks.is_unasked, looks.shown) = (true, Some(String::new()));
    home.store.runs().start(looks).await.unwrap().seq
}

async fn end_unheard(home: &Home, run: &str, from: i64) {
    let mut finish = FinishRun::new(run_id(run), RunStatus::Ok);
    finish.entries = vec![assistant("HEARTBEAT_OK")];
    home.store.runs().finish_unheard(finish, from).await.unwrap();
}

async fn said(home: &Home, id: &SessionId) -> Vec<String> {
    let context = home.store.transcripts().context(id).await.unwrap();
    texts(context.entries.iter())
}

#[tokio::test]
async fn an_unheard_exchange_is_gone_from_the_file_the_index_and_the_search() {
    let home = Home::new();
    let id = exchange(&home, "r1", "hi", "hello").await;
    let file = std::fs::read(home.transcript(&id)).unwrap();
    home.clock.advance(Duration::from_secs(60));
    let from = look(&home, "h1").await;
    home.store.transcripts().append(&id, vec![assistant("looking")]).await.unwrap();
    home.store.search().rebuild().await.unwrap();
    end_unheard(&home, "h1", from).await;
    assert_eq!(std::fs::read(home.transcript(&id)).unwrap(), file);
    let session = home.store.sessions().get(&key(MAIN)).await.unwrap().unwrap();
    assert_eq!((session.entry.updated_at, session.entry.last_interaction_at), (NOW, Some(NOW)));
    assert_eq!(session.last_message_preview.as_deref(), Some("hello"));
    let query = SearchQuery { text: "looking".to_owned(), ..SearchQuery::default() };
    assert!(home.store.search().find(query).await.unwrap().hits.is_empty());
    exchange(&home, "r2", "and now?", "still here").await;
    let expected = ["hi", "hello", "and now?", "still here"];
    assert_eq!(said(&home, &id).await, expected);
    let home = home.reopen().await;
    assert_eq!(said(&home, &id).await, expected);
}

#[tokio::test]
async fn an_exchange_in_which_somebody_spoke_stays() {
    let home = Home::new();
    let id = exchange(&home, "r1", "hi", "hello").await;
    let from = look(&home, "h1").await;
    home.store.transcripts().append(&id, vec![user("wait, what time is it?")]).await.unwrap();
    end_unheard(&home, "h1", from).await;
    let told = said(&home, &id).await;
    assert_eq!(told, ["hi", "hello", "look around", "wait, what time is it?", "HEARTBEAT_OK"]);
}

#[tokio::test]
async fn the_first_exchange_of_a_conversation_leaves_an_empty_one() {
    let home = Home::new();
    let from = look(&home, "h1").await;
    end_unheard(&home, "h1", from).await;
    let session = home.store.sessions().get(&key(MAIN)).await.unwrap().unwrap();
    assert_eq!(said(&home, &session.session_id).await, [""; 0]);
    exchange(&home, "r1", "hi", "hello").await;
    let home = home.reopen().await;
    assert_eq!(said(&home, &session.session_id).await, ["hi", "hello"]);
}
