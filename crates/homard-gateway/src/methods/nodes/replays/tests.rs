//! Repeated requests: one command, one answer.

use super::{Claim, Replays, settled};
use crate::error::RequestError;

fn first<'r>(replays: &'r Replays, key: &str) -> super::First<'r> {
    match replays.begin(key.to_owned(), "asked") {
        Claim::First(first) => first,
        Claim::Again(_) | Claim::Different => panic!("the key is taken"),
    }
}

fn again(replays: &Replays, key: &str, asked: &str) -> Option<super::AnswerWatch> {
    match replays.begin(key.to_owned(), asked) {
        Claim::Again(seen) => Some(seen),
        Claim::First(_) | Claim::Different => None,
    }
}

#[tokio::test(start_paused = true)]
async fn the_same_request_gets_the_same_answer_for_five_minutes() {
    let replays = Replays::default();
    let holder = first(&replays, "k");
    let waiting = again(&replays, "k", "asked").unwrap();
    assert!(again(&replays, "k", "something else").is_none());
    let answer = Err(RequestError::invalid("no"));
    holder.answer(&answer, true);
    assert_eq!(settled(waiting).await, Some(answer.clone()));
    assert_eq!(settled(again(&replays, "k", "asked").unwrap()).await, Some(answer));
    tokio::time::advance(super::KEEP).await;
    assert!(again(&replays, "k", "asked").is_none());
}

#[tokio::test]
async fn what_reached_nobody_or_was_given_up_may_be_tried_again() {
    let replays = Replays::default();
    let holder = first(&replays, "k");
    let waiting = again(&replays, "k", "asked").unwrap();
    holder.answer(&Err(RequestError::invalid("nobody there")), false);
    assert!(settled(waiting).await.unwrap().is_err());
    let holder = first(&replays, "k");
    let waiting = again(&replays, "k", "asked").unwrap();
    drop(holder);
    assert_eq!(settled(waiting).await, None);
    drop(first(&replays, "k"));
}

#[tokio::test]
async fn large_answers_are_not_kept_without_end() {
    let replays = Replays::default();
    for n in 0..5 {
        let text = "x".repeat(super::MAX_KEPT_BYTES / 8 + 1);
        let answer = Ok(homard_protocol::methods::nodes::invoke::NodeInvoked {
            ok: true,
            node_id: "n".parse().unwrap(),
            command: "c".to_owned(),
            payload: serde_json::Value::Null,
            payload_json: Some(text),
        });
        first(&replays, &format!("k{n}")).answer(&answer, true);
    }
    assert_eq!(replays.kept.lock().len(), 3);
}

#[tokio::test]
async fn there_is_a_most_that_is_remembered() {
    let replays = Replays::default();
    for n in 0..super::MAX_KEPT + 50 {
        first(&replays, &format!("k{n}")).answer(&Err(RequestError::invalid("no")), true);
    }
    assert_eq!(replays.kept.lock().len(), super::MAX_KEPT);
}
