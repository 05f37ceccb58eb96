//! Every attempt is paid for, and nothing is asked that cannot be.

use std::sync::Arc;
use std::time::Duration;

use futures_util::stream::BoxStream;
use futures_util::{FutureExt, StreamExt};
use homard_config::config::budgets::{Budget, Budgets, Limit};
use homard_llm::{CLI_API, FailReason, HttpOptions, LlmError, ModelSpec, Provider, Request, StreamEvent};
use homard_protocol::{ModelId, ProviderId};
use homard_runtime::Tasks;
use homard_testkit::Turn;
use tokio_util::sync::CancellationToken;

use super::world::{World, ask, hear, request};

fn tokens(tokens: u64) -> Budgets {
    let day = Limit { tokens: Some(tokens), usd: None };
    Budgets { gateway: Budget { day, ..Budget::default() }, ..Budgets::default() }
}

async fn world(limits: Budgets) -> World {
    World::start_with(HttpOptions::default(), limits).await
}

fn spent(world: &World) -> (u64, u64) {
    let status = world.ledger.status();
    (status[0].used, status[0].reserved)
}

#[tokio::test]
async fn a_budget_that_is_used_up_in_the_middle_of_a_run_stops_it_before_the_call() {
    let world = world(tokens(20)).await;
    world.script(vec![Turn::says("one two three"), Turn::says("never")], vec![Turn::says("never")]);
    let caller = world.caller(&["one/big", "two/big"]);
    hear(ask(&caller)).await.end.unwrap();
    let (used, reserved) = spent(&world);
    assert!(used >= 20 && reserved == 0, "{used}");
    let heard = hear(ask(&caller)).await;
    let error = heard.end.unwrap_err();
    assert_eq!((error.reason, heard.attempts.len()), (FailReason::Budget, 0));
    assert!(error.message.contains("`budgets.gateway.day.tokens`"), "{error}");
    assert_eq!((world.one.requests().len(), world.two.requests().len()), (1, 0));
}

#[tokio::test]
async fn an_answer_is_asked_for_no_longer_than_the_budget_pays() {
    let world = world(tokens(5_000)).await;
    world.script(vec![Turn::says("short")], vec![]);
    hear(ask(&world.caller(&["one/big"]))).await.end.unwrap();
    let body = world.one.requests()[0].body.clone();
    let asked = body["max_tokens"].as_u64().unwrap();
    assert!((4_900..5_000).contains(&asked), "{body}");
}

#[tokio::test]
async fn the_worst_case_is_written_down_before_each_call_while_there_are_budgets() {
    let world = world(tokens(100_000)).await;
    world.script(vec![Turn::Fails { status: 429, body: None, retry_after: None }, Turn::says("yes")], vec![]);
    hear(ask(&world.caller(&["one/big"]))).await.end.unwrap();
    let opened = world.meter.opened();
    assert_eq!(opened.len(), 2, "each attempt, also the one that failed");
    for call in &opened {
        assert!(call.worst.total_tokens > 8_192 && call.worst.cost.total > 0.08, "{call:?}");
    }
    assert_ne!(opened[0].reservation, opened[1].reservation);
    let free = World::start().await;
    free.script(vec![Turn::says("yes")], vec![]);
    hear(ask(&free.caller(&["one/big"]))).await.end.unwrap();
    assert_eq!((free.meter.opened().len(), free.meter.records().len()), (0, 1));
}

#[tokio::test]
async fn what_is_counted_is_what_the_provider_reported() {
    let world = world(tokens(1_000_000)).await;
    world.script(
        vec![Turn::Fails { status: 500, body: None, retry_after: None }, Turn::says("a b c")],
        vec![],
    );
    let message = hear(ask(&world.caller(&["one/big"]))).await.end.unwrap();
    assert_eq!(spent(&world), (message.usage.total_tokens, 0), "a refused attempt costs nothing");
    let records = world.meter.records();
    let outcomes: Vec<_> = records.iter().map(|record| (record.outcome.as_str(), record.estimated)).collect();
    assert_eq!(outcomes, [("overloaded", false), ("stop", false)]);
    assert_eq!((records[0].usage.total_tokens, records[1].usage), (0, message.usage));
    assert!(records[1].first_ms.is_some() && records[0].first_ms.is_none());
}

#[tokio::test]
async fn an_answer_that_was_cut_is_counted_by_its_bytes() {
    let world = world(tokens(1_000_000)).await;
    world.script(vec![Turn::CutsAfter(40)], vec![]);
    let heard = hear(ask(&world.caller(&["one/big"]))).await;
    let letters = u64::try_from(heard.text.len()).unwrap();
    let (used, reserved) = spent(&world);
    assert!(used >= letters / 4 && reserved == 0, "{used} for {letters} letters");
    let record = world.meter.records().remove(0);
    assert_eq!((record.usage.total_tokens, record.outcome.as_str()), (used, "timeout"));
    assert!(record.usage.output >= letters / 4 && record.usage.cost.total > 0.0, "{record:?}");
}

#[tokio::test]
async fn a_stream_nobody_listens_to_any_more_is_paid_for_too() {
    let world = world(tokens(1_000_000)).await;
    let _gate = world.one.gate("first rest");
    let mut stream = ask(&world.caller(&["one/big"]));
    while !matches!(stream.next().await.unwrap(), StreamEvent::Text(_)) {}
    assert!(spent(&world).1 > 0);
    drop(stream);
    let (used, reserved) = spent(&world);
    assert!(used > 0 && used < 8_000 && reserved == 0, "{used}");
    let record = world.meter.records().remove(0);
    assert_eq!((record.outcome.as_str(), record.usage.total_tokens), ("aborted", used));
}

#[tokio::test]
async fn stopping_a_call_that_waits_for_the_budget_leaves_nothing_reserved() {
    let world = world(tokens(5_000)).await;
    let _gate = world.one.gate("first rest");
    let mut first = ask(&world.caller(&["one/big"]));
    while !matches!(first.next().await.unwrap(), StreamEvent::Text(_)) {}
    let cancel = CancellationToken::new();
    let second = world.caller(&["two/big"]).stream(request("hi"), cancel.clone());
    cancel.cancel();
    assert_eq!(hear(second).await.end.unwrap_err().reason, FailReason::Aborted);
    assert_eq!(world.two.requests().len(), 0);
    drop(first);
    assert_eq!(spent(&world).1, 0);
}

#[tokio::test]
async fn twenty_runs_at_once_share_one_budget() {
    let world = world(tokens(2_000)).await;
    let tasks = Tasks::new();
    for _ in 0..20 {
        let caller = world.caller(&["one/big"]);
        tasks.spawn(async move { while let Some(Ok(_)) = Some(hear(ask(&caller)).await.end) {} });
    }
    tasks.finish(Duration::from_secs(60)).await;
    let (used, reserved) = spent(&world);
    let records = world.meter.records();
    let largest = records.iter().map(|record| record.usage.total_tokens).max().unwrap();
    assert_eq!(reserved, 0);
    assert!(used >= 2_000 && used < 2_000 + largest, "{used} with answers of {largest}");
    assert_eq!(used, records.iter().map(|record| record.usage.total_tokens).sum::<u64>());
    assert_eq!(world.one.requests().len(), records.len());
}

#[tokio::test]
async fn a_call_that_began_before_there_was_a_budget_counts_in_it() {
    let world = World::start().await;
    let _gate = world.one.gate("first rest");
    let mut stream = ask(&world.caller(&["one/big"]));
    while !matches!(stream.next().await.unwrap(), StreamEvent::Text(_)) {}
    world.ledger.set_limits(tokens(1_000_000));
    drop(stream);
    let used = world.meter.records().remove(0).usage.total_tokens;
    assert!(used > 0);
    assert_eq!(spent(&world), (used, 0));
}

#[tokio::test]
async fn a_call_stopped_before_its_first_byte_counts_its_prompt() {
    let world = world(tokens(1_000_000)).await;
    world.script(vec![Turn::Hangs], vec![]);
    let cancel = CancellationToken::new();
    let mut stream = world.caller(&["one/big"]).stream(request(&"word ".repeat(1_000)), cancel.clone());
    while world.one.requests().is_empty() {
        assert!(stream.next().now_or_never().is_none());
        tokio::task::yield_now().await;
    }
    cancel.cancel();
    assert_eq!(hear(stream).await.end.unwrap_err().reason, FailReason::Aborted);
    let (used, reserved) = spent(&world);
    assert!((1_000..2_000).contains(&used) && reserved == 0, "{used}");
    assert!(world.meter.records()[0].estimated);
}

/// A program that works in silence and fails.
struct Program(ProviderId, FailReason);

impl Provider for Program {
    fn id(&self) -> &ProviderId {
        &self.0
    }

    fn stream(&self, _request: Request, _cancel: CancellationToken) -> BoxStream<'static, StreamEvent> {
        let error = LlmError::new(self.1, "it said nothing");
        futures_util::stream::iter([StreamEvent::Failed(error)]).boxed()
    }
}

#[tokio::test]
async fn a_program_that_worked_in_silence_counts_with_its_worst_case() {
    let rows = [(FailReason::Timeout, true), (FailReason::Aborted, true), (FailReason::ModelNotFound, false)];
    for (reason, counts) in rows {
        let id = ProviderId::parse("program").unwrap();
        let spec = ModelSpec::new(id.clone(), ModelId::parse("p").unwrap(), CLI_API);
        let mut world = world(tokens(1_000_000)).await.with_program(Arc::new(Program(id, reason)), spec);
        world.policy.max_retries = 0;
        hear(ask(&world.caller(&["program/p"]))).await.end.unwrap_err();
        let worst = world.meter.opened()[0].worst.total_tokens;
        assert_eq!(spent(&world), (if counts { worst } else { 0 }, 0), "{reason:?}");
    }
}
