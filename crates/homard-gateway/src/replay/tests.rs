//! Repeated calls.

use std::time::{Duration, Instant};

use http::StatusCode;
use serde_json::json;

use super::{MAX_REMEMBERED, REMEMBERED, Replay, Turn, wait};

fn is_first(replay: &Replay, key: &str, now: Instant) -> bool {
    matches!(replay.enter(key, now), Turn::First(_))
}

#[tokio::test]
async fn a_repeated_call_gets_the_first_answer_also_when_it_comes_before_it() {
    let (replay, now) = (Replay::default(), Instant::now());
    let Turn::First(sender) = replay.enter("k", now) else { panic!("the first is first") };
    let Turn::Again(coming) = replay.enter("k", now) else { panic!("the second is not") };
    sender.send_replace(Some((StatusCode::OK, json!({"runId": "r"}))));
    drop(sender);
    assert_eq!(wait(coming).await, Some((StatusCode::OK, json!({"runId": "r"}))));
    let Turn::Again(later) = replay.enter("k", now + REMEMBERED - Duration::from_secs(1)) else {
        panic!("it is remembered")
    };
    assert_eq!(wait(later).await.map(|(status, _)| status), Some(StatusCode::OK));
    assert!(is_first(&replay, "k", now + REMEMBERED), "not for ever");
}

#[tokio::test]
async fn a_call_that_failed_or_was_left_may_be_tried_again() {
    let (replay, now) = (Replay::default(), Instant::now());
    let Turn::First(sender) = replay.enter("refused", now) else { panic!("first") };
    sender.send_replace(Some((StatusCode::BAD_REQUEST, json!({}))));
    assert!(is_first(&replay, "refused", now));
    let Turn::First(sender) = replay.enter("left", now) else { panic!("first") };
    let Turn::Again(coming) = replay.enter("left", now) else { panic!("second") };
    drop(sender);
    assert_eq!(wait(coming).await, None);
    assert!(is_first(&replay, "left", now));
}

#[test]
fn the_oldest_are_forgotten_when_there_are_too_many() {
    let (replay, now) = (Replay::default(), Instant::now());
    let kept: Vec<Turn> = (0..=MAX_REMEMBERED)
        .map(|at| replay.enter(&at.to_string(), now + Duration::from_millis(u64::try_from(at).unwrap())))
        .collect();
    assert_eq!(kept.len(), MAX_REMEMBERED + 1);
    assert!(!is_first(&replay, &MAX_REMEMBERED.to_string(), now));
    assert!(is_first(&replay, "0", now));
}
