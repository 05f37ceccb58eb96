//! The ledger with many at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use futures_util::FutureExt;
use homard_config::config::budgets::{Budget, Budgets, Limit};
use homard_llm::{FailReason, LlmError};
use homard_protocol::{AgentId, SessionKey, Usage};
use homard_runtime::{Clock, Tasks};
use homard_store::{CallOwner, CallTarget, OpenCall, OpenOptions, Store};
use jiff::tz::TimeZone;
use tokio_util::sync::CancellationToken;

use super::{Amount, Ledger, MaxCost, NotReserved, Span, Spender, Spent};

/// 2023-11-14 22:13:20 UTC.
const NOW: i64 = 1_700_000_000_000;

fn spender() -> Spender {
    Spender { agent: AgentId::main(), session: SessionKey::parse("agent:main:main").unwrap(), job: None }
}

fn ledger(tokens: u64) -> Ledger {
    let day = Limit { tokens: Some(tokens), usd: None };
    let limits = Budgets { gateway: Budget { day, ..Budget::default() }, ..Budgets::default() };
    Ledger::new(limits, Clock::fixed(NOW), TimeZone::UTC)
}

fn call(answer: u32) -> MaxCost {
    MaxCost { answer, ..MaxCost::default() }
}

fn used(output: u64) -> Usage {
    Usage { output, ..Usage::default() }
}

fn spent(ledger: &Ledger) -> (u64, u64) {
    let status = ledger.status();
    (status[0].used, status[0].reserved)
}

#[tokio::test]
async fn fifty_at_once_share_a_budget_and_stop_when_it_is_used_up() {
    let ledger = ledger(100_000);
    let tasks = Tasks::new();
    let (settled, refused) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
    for n in 0..50_u64 {
        let (ledger, settled, refused) = (ledger.clone(), Arc::clone(&settled), Arc::clone(&refused));
        tasks.spawn(async move {
            for turn in 0..10 {
                match ledger.reserve(&spender(), call(4_000), &CancellationToken::new()).await {
                    Ok(reservation) => {
                        tokio::task::yield_now().await;
                        let most = u64::from(reservation.max_tokens().unwrap_or(4_000));
                        let actual = (500 + n * 37 + turn * 101).min(most);
                        settled.fetch_add(actual, Ordering::SeqCst);
                        reservation.settle(&used(actual));
                    }
                    Err(NotReserved::OverBudget(over)) => {
                        assert!(over.used >= over.limit, "{over}");
                        refused.fetch_add(1, Ordering::SeqCst);
                        return;
                    }
                    Err(NotReserved::Cancelled) => panic!("nobody cancelled"),
                }
            }
        });
    }
    tasks.finish(Duration::from_secs(60)).await;
    let (used, reserved) = spent(&ledger);
    assert_eq!((used, reserved), (settled.load(Ordering::SeqCst), 0));
    assert!((100_000..104_000).contains(&used), "{used} of 100000");
    assert_eq!(refused.load(Ordering::SeqCst), 50);
}

#[tokio::test]
async fn whoever_waits_goes_on_when_room_is_made_or_the_limit_is_raised() {
    let ledger = ledger(5_000);
    let cancel = CancellationToken::new();
    let who = spender();
    let first = ledger.reserve(&who, call(4_000), &cancel).await.unwrap();
    let mut second = Box::pin(ledger.reserve(&who, call(4_000), &cancel));
    assert!(second.as_mut().now_or_never().is_none());
    first.abandon();
    let second = second.await.unwrap();
    assert_eq!(spent(&ledger), (0, 4_000), "what was never asked is not spent");
    let mut third = Box::pin(ledger.reserve(&who, call(4_000), &cancel));
    assert!(third.as_mut().now_or_never().is_none());
    ledger.set_limits(Budgets::default());
    third.await.unwrap().settle(&used(1));
    drop(second);
    assert!(ledger.is_unlimited());
}

#[tokio::test]
async fn limits_that_are_new_begin_with_what_was_spent() {
    let ledger = Ledger::new(Budgets::default(), Clock::fixed(NOW), TimeZone::UTC);
    let day = Limit { tokens: Some(100), usd: None };
    let limits = Budgets { gateway: Budget { day, ..Budget::default() }, ..Budgets::default() };
    assert_eq!(ledger.periods_of(&limits).len(), 2);
    let amount = Amount { tokens: 120, micro_usd: 0 };
    ledger.take_limits(limits, [Spent { who: spender(), span: Span::Day, amount }].into_iter());
    assert_eq!(spent(&ledger), (120, 0));
    let refused = ledger.reserve(&spender(), call(1), &CancellationToken::new()).await;
    assert!(matches!(refused, Err(NotReserved::OverBudget(_))));
}

#[tokio::test]
async fn reading_the_table_again_does_not_count_a_call_under_way_twice() {
    let dir = tempfile::tempdir().unwrap();
    let (database, agents_dir) = (dir.path().join("state.db"), dir.path().join("agents"));
    let store = Store::open(OpenOptions { database, agents_dir, clock: Clock::fixed(NOW) }).unwrap();
    let (ledger, who) = (ledger(5_000), spender());
    let reservation = ledger.reserve(&who, call(4_000), &CancellationToken::new()).await.unwrap();
    let (session_key, agent_id) = (who.session.clone(), who.agent.clone());
    let owner = CallOwner { run_id: None, session_key, session_id: None, agent_id, job_id: None };
    let worst = reservation.worst().as_usage();
    store.usage().open(OpenCall { at: NOW, owner, target: CallTarget::default(), worst }).await.unwrap();
    let rows = store.usage().spent_since(0).await.unwrap();
    ledger.restore(rows.into_iter().map(|row| Spent {
        who: who.clone(),
        span: Span::Day,
        amount: Amount { tokens: row.tokens, micro_usd: 0 },
    }));
    reservation.settle(&used(7));
    assert_eq!(spent(&ledger), (7, 0), "a change of configuration must not lock anybody out");
    store.close().await;
}

#[tokio::test]
async fn a_wait_can_be_stopped_and_leaves_nothing_behind() {
    let ledger = ledger(5_000);
    let cancel = CancellationToken::new();
    let who = spender();
    let first = ledger.reserve(&who, call(4_000), &CancellationToken::new()).await.unwrap();
    let mut waiting = Box::pin(ledger.reserve(&who, call(4_000), &cancel));
    assert!(waiting.as_mut().now_or_never().is_none());
    let mut dropped = Box::pin(ledger.reserve(&who, call(4_000), &cancel));
    assert!(dropped.as_mut().now_or_never().is_none());
    drop(dropped);
    cancel.cancel();
    let error = waiting.await.unwrap_err();
    assert_eq!(LlmError::from(error).reason, FailReason::Aborted);
    let small = ledger.reserve(&who, call(500), &CancellationToken::new()).now_or_never();
    small.expect("nobody is before it").unwrap().abandon();
    first.settle(&used(7));
    assert_eq!(spent(&ledger), (7, 0));
}

#[tokio::test]
async fn what_is_dropped_without_a_word_counts_whole() {
    let ledger = ledger(5_000);
    let reservation = ledger.reserve(&spender(), call(4_000), &CancellationToken::new()).await.unwrap();
    assert_eq!(reservation.worst(), Amount { tokens: 4_000, micro_usd: 0 });
    drop(reservation);
    assert_eq!(spent(&ledger), (4_000, 0));
}

#[tokio::test]
async fn a_refusal_says_which_budget_how_much_until_when_and_what_to_do() {
    let limits = Budgets {
        agent: Budget { day: Limit { tokens: None, usd: Some(5.0) }, ..Budget::default() },
        ..Budgets::default()
    };
    let zone = TimeZone::get("Europe/Berlin").unwrap();
    let ledger = Ledger::new(limits, Clock::fixed(NOW), zone);
    assert_eq!(
        ledger.periods(),
        [(Span::Day, 1_699_916_400_000), (Span::Month, 1_698_793_200_000)],
        "midnight and the first of the month in Berlin"
    );
    let amount = Amount { tokens: 0, micro_usd: 5_021_234 };
    ledger.restore([Spent { who: spender(), span: Span::Day, amount }].into_iter());
    let priced = MaxCost { answer: 10, answer_price: 1_000, ..MaxCost::default() };
    let error = ledger.reserve(&spender(), priced, &CancellationToken::new()).await.unwrap_err();
    let error = LlmError::from(error);
    assert_eq!(error.reason, FailReason::Budget);
    assert_eq!(
        error.message,
        "the budget `budgets.agent.day.usd` of agent `main` is used up: $5.0212 of $5.00; it begins anew at \
         2023-11-15 00:00. Wait until then, or raise it with `homard config set budgets.agent.day.usd <number>`"
    );
}
