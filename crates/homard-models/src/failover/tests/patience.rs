//! Waiting: asked for, chosen, cut short, and for those that cool. Time stands still unless a test turns it.

use std::time::Duration;

use futures_util::stream::BoxStream;
use futures_util::{FutureExt, StreamExt};
use homard_config::config::budgets::{Budget, Budgets, Limit};
use homard_llm::{FailReason, HttpOptions, NextStep, Provider, StreamEvent};
use homard_protocol::StopReason;
use homard_testkit::Turn;
use tokio::time::advance;
use tokio_util::sync::CancellationToken;

use super::world::{A, B, World, ask, hear, request, spender};
use crate::budget::MaxCost;
use crate::failover::{CALL_LIMIT, FailoverPolicy};

/// Time that stands still. Paused time jumps ahead whenever everybody waits, also for a socket, and every
/// limit would be met at once; it does not while somebody works in the background, so somebody does.
struct Frozen {
    _until_dropped: std::sync::mpsc::Sender<()>,
}

fn freeze() -> Frozen {
    let (until, dropped) = std::sync::mpsc::channel::<()>();
    drop(tokio::task::spawn_blocking(move || dropped.recv()));
    tokio::time::pause();
    Frozen { _until_dropped: until }
}

/// Listens until the caller pauses; returns why.
async fn until_pause(stream: &mut BoxStream<'static, StreamEvent>) -> homard_llm::Attempt {
    loop {
        match stream.next().await.unwrap() {
            StreamEvent::Attempt(attempt) if attempt.next == NextStep::Wait => {
                assert!(stream.next().now_or_never().is_none(), "it pauses");
                return attempt;
            }
            StreamEvent::Done(_) | StreamEvent::Failed(_) => panic!("it did not pause"),
            _ => {}
        }
    }
}

fn limited(seconds: u64) -> Turn {
    Turn::Fails { status: 429, body: None, retry_after: Some(Duration::from_secs(seconds)) }
}

#[tokio::test]
async fn a_wish_to_be_left_alone_is_honoured_to_the_second() {
    let world = World::start().await;
    world.script(vec![], vec![limited(7), Turn::says("now")]);
    let _frozen = freeze();
    let mut stream = ask(&world.caller(&["two/big"]));
    assert_eq!(until_pause(&mut stream).await.reason.as_str(), "rate_limit");
    advance(Duration::from_millis(6_990)).await;
    assert!(stream.next().now_or_never().is_none());
    assert_eq!(world.two.requests().len(), 1);
    advance(Duration::from_millis(11)).await;
    assert_eq!(hear(stream).await.text, "now");
}

#[tokio::test]
async fn the_key_that_is_free_first_is_asked_first() {
    let world = World::start().await;
    world.script(vec![limited(60), limited(5), Turn::says("b")], vec![]);
    let _frozen = freeze();
    let caller = world.caller(&["one/big"]);
    let mut stream = ask(&caller);
    until_pause(&mut stream).await;
    advance(Duration::from_secs(6)).await;
    assert_eq!(hear(stream).await.text, "b");
    assert_eq!(caller.winner().unwrap().profile.as_deref(), Some(B));
}

#[tokio::test]
async fn a_wish_longer_than_anybody_waits_is_passed_on() {
    let world = World::start().await;
    world.script(vec![], vec![limited(3_000)]);
    let heard = hear(ask(&world.caller(&["two/big"]))).await;
    assert_eq!(heard.attempts[0].3, NextStep::GiveUp);
    let error = heard.end.unwrap_err();
    assert_eq!((error.reason, error.retry_after), (FailReason::RateLimit, Some(Duration::from_secs(3_000))));
    // It is kept for everybody, although the key would be tested early otherwise.
    let heard = hear(ask(&world.caller(&["two/big"]))).await;
    assert_eq!((heard.end.unwrap_err().reason, world.two.requests().len()), (FailReason::RateLimit, 1));
}

#[tokio::test]
async fn a_pause_can_be_stopped() {
    let world = World::start().await;
    world.script(vec![], vec![limited(60)]);
    let cancel = CancellationToken::new();
    let mut stream = world.caller(&["two/big"]).stream(request("hi"), cancel.clone());
    let _frozen = freeze();
    until_pause(&mut stream).await;
    cancel.cancel();
    let heard = hear(stream).await;
    assert_eq!(heard.end.unwrap_err().reason, FailReason::Aborted);
    assert_eq!(world.two.requests().len(), 1);
}

#[tokio::test]
async fn patience_ends_after_so_many_repeats() {
    let mut world = World::start().await;
    world.policy.max_retries = 3;
    world.policy.max_rate_limit_retries = 4;
    let busy = Turn::Fails { status: 500, body: None, retry_after: None };
    world.script(vec![], vec![busy; 20]);
    hear(ask(&world.caller(&["two/big"]))).await.end.unwrap_err();
    assert_eq!(world.two.requests().len(), 4);
    let mut other = World::start().await;
    other.policy = world.policy.clone();
    let world = other;
    world.script(vec![], vec![limited(0); 20]);
    hear(ask(&world.caller(&["two/big"]))).await.end.unwrap_err();
    assert_eq!(world.two.requests().len(), 5);
}

#[tokio::test]
async fn patience_ends_after_so_much_time() {
    let mut world = World::start().await;
    world.policy = FailoverPolicy { jitter: world.policy.jitter.clone(), ..FailoverPolicy::default() };
    let busy = Turn::Fails { status: 503, body: None, retry_after: None };
    world.script(vec![], vec![busy; 20]);
    let _frozen = freeze();
    let mut stream = ask(&world.caller(&["two/big"]));
    let start = tokio::time::Instant::now();
    loop {
        match stream.next().await.unwrap() {
            StreamEvent::Attempt(attempt) if attempt.next == NextStep::Wait => {
                advance(Duration::from_secs(31)).await;
            }
            StreamEvent::Failed(_) => break,
            _ => {}
        }
    }
    // 0.5 + 1 + 2 + 4 + 8 + 16 + 30 seconds; another 30 would be too much.
    assert_eq!(world.two.requests().len(), 8);
    assert_eq!(start.elapsed(), Duration::from_secs(31 * 7));
}

#[tokio::test]
async fn a_call_has_a_limit_of_its_own_and_keeps_what_had_arrived() {
    let mut world = World::start().await;
    world.policy.call_limit = Duration::from_secs(10);
    let _frozen = freeze();
    let _gate = world.one.gate("first rest");
    let mut stream = ask(&world.caller(&["one/big", "two/big"]));
    while !matches!(stream.next().await.unwrap(), StreamEvent::Text(_)) {}
    advance(Duration::from_secs(11)).await;
    let heard = hear(stream).await;
    let error = heard.end.unwrap_err();
    assert_eq!(
        (error.reason, error.message.as_str()),
        (FailReason::Timeout, "the model took longer than 10 seconds")
    );
    let partial = error.partial.unwrap();
    assert_eq!((partial.text().as_str(), partial.stop_reason), ("first ", StopReason::Error));
    assert_eq!(world.two.requests().len(), 0);
}

#[tokio::test]
async fn those_that_cool_are_passed_over_and_tested_seldom() {
    let world = World::start().await;
    let wrong = Turn::Fails { status: 401, body: None, retry_after: None };
    let chain = ["one/big", "two/big"];
    // Both keys of `one` cool for a minute now.
    world.script(vec![wrong.clone(), wrong.clone()], vec![Turn::says("first"), Turn::says("third")]);
    hear(ask(&world.caller(&chain))).await.end.unwrap();
    // The minute is nearly over, so one of them is tested; it fails.
    world.script(vec![wrong], vec![Turn::says("second")]);
    hear(ask(&world.caller(&chain))).await.end.unwrap();
    assert_eq!(world.one.requests().len(), 3);
    // Tested a moment ago: passed over, and the record says so.
    let heard = hear(ask(&world.caller(&chain))).await;
    heard.end.unwrap();
    assert_eq!(heard.attempts.len(), 1);
    assert_eq!((heard.attempts[0].2.as_str(), heard.attempts[0].3), ("rate_limit", NextStep::NextModel));
    assert_eq!(world.one.requests().len(), 3);
    // Half a minute later it may be tested again, and answers.
    world.clock.advance(Duration::from_secs(31));
    world.script(vec![Turn::says("back")], vec![]);
    assert_eq!(hear(ask(&world.caller(&chain))).await.text, "back");
}

#[tokio::test]
async fn when_everybody_cools_the_first_is_asked_rather_than_nobody() {
    let world = World::start().await;
    let empty = Turn::Fails { status: 402, body: None, retry_after: None };
    // Out of money for hours.
    world.script(vec![empty.clone(), empty.clone()], vec![empty]);
    hear(ask(&world.caller(&["one/big", "two/big"]))).await.end.unwrap_err();
    // The owner has paid in the meantime.
    world.script(vec![Turn::says("paid")], vec![]);
    let caller = world.caller(&["one/big", "two/big"]);
    let heard = hear(ask(&caller)).await;
    assert_eq!(heard.text, "paid");
    assert_eq!(caller.winner().unwrap().profile.as_deref(), Some(A));
    let steps: Vec<_> = heard.attempts.iter().map(|attempt| attempt.3).collect();
    assert_eq!(steps, [NextStep::NextModel, NextStep::Wait]);
}

#[tokio::test]
async fn repeats_of_one_call_are_one_failure_of_the_key() {
    let mut world = World::start().await;
    world.policy.max_retries = 5;
    let busy = Turn::Fails { status: 500, body: None, retry_after: None };
    world.script(vec![], vec![busy; 6]);
    hear(ask(&world.caller(&["two/big"]))).await.end.unwrap_err();
    // One failure is one minute of rest; six would be an hour.
    world.clock.advance(Duration::from_secs(61));
    world.script(vec![], vec![Turn::says("rested")]);
    let heard = hear(ask(&world.caller(&["two/big"]))).await;
    assert_eq!((heard.attempts.len(), heard.text.as_str()), (0, "rested"));
}

#[tokio::test]
async fn waiting_for_the_budget_is_not_the_providers_slowness() {
    let day = Limit { tokens: Some(5_000), usd: None };
    let limits = Budgets { gateway: Budget { day, ..Budget::default() }, ..Budgets::default() };
    let world = World::start_with(HttpOptions::default(), limits).await;
    let _frozen = freeze();
    let worst = MaxCost { answer: 5_000, ..MaxCost::default() };
    let held = world.ledger.reserve(&spender(), worst, &CancellationToken::new()).await.unwrap();
    let mut hearing = Box::pin(hear(ask(&world.caller(&["one/big"]))));
    while world.ledger.waiting() == 0 {
        assert!(hearing.as_mut().now_or_never().is_none());
        tokio::task::yield_now().await;
    }
    advance(CALL_LIMIT * 2).await;
    held.abandon();
    let heard = hearing.await;
    assert_eq!((heard.attempts.len(), heard.end.is_ok()), (0, true), "{:?}", heard.end);
}

#[tokio::test]
async fn a_model_that_is_being_loaded_is_waited_for_with_words() {
    let world = World::start().await;
    let loading = || Turn::Fails {
        status: 503,
        body: Some(
            r#"{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}"#.to_owned(),
        ),
        retry_after: None,
    };
    // Far more often than an overloaded server would be asked.
    let mut turns: Vec<Turn> = (0..30).map(|_| loading()).collect();
    turns.push(Turn::says("here I am"));
    world.script(vec![], turns);
    let heard = hear(ask(&world.caller(&["two/big"]))).await;
    assert_eq!(heard.text, "here I am");
    let told: Vec<_> = heard.attempts.iter().map(|(_, _, reason, next)| (reason.as_str(), *next)).collect();
    assert_eq!(told, [("loading", NextStep::Wait)], "told once");
}
