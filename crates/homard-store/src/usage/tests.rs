//! Calls are kept with the turn that made them, and a crash never makes one look free.

use homard_protocol::{AgentId, Cost, SessionId, ThinkingLevel, Usage, Word};
use rusqlite::Connection;

use super::kept::{COUNT_OF_SESSION, OF_SESSION, of_run_sql};
use super::report::{FIRST, SPENT_BY_SESSION, SPENT_SINCE, report_sql};
use super::{CallOwner, CallRow, CallState, CallTarget, OpenCall};
use crate::FinishRun;
use crate::RunStatus;
use crate::UsageQuery;
use crate::engine::fixture::{Home, NOW, key, run_id};

const KEY: &str = "agent:main:main";

pub(super) fn usage(input: u64, output: u64, usd: f64) -> Usage {
    let cost = Cost { input: usd / 2.0, output: usd / 2.0, total: usd, ..Cost::default() };
    Usage { input, output, cache_read: 100, cache_write: 0, total_tokens: input + output + 100, cost }
}

pub(super) fn call(session: &str, run: &str, at: i64, used: Usage) -> CallRow {
    let session_key = key(session);
    CallRow {
        at,
        owner: CallOwner {
            run_id: Some(run_id(run)),
            agent_id: session_key.agent_id().cloned().unwrap_or_else(AgentId::main),
            session_key,
            session_id: Some(SessionId::parse("s-1").unwrap()),
            job_id: None,
        },
        target: CallTarget {
            provider: "anthropic".to_owned(),
            model: "large".to_owned(),
            api: "anthropic-messages".to_owned(),
            profile: Some("anthropic:default".to_owned()),
            thinking: Some(ThinkingLevel::Low.into()),
        },
        usage: used,
        first_ms: Some(200),
        total_ms: 1_000,
        outcome: Word::of("stop"),
    }
}

fn open(row: &CallRow) -> OpenCall {
    OpenCall {
        at: row.at,
        owner: row.owner.clone(),
        target: row.target.clone(),
        worst: usage(5_000, 5_000, 1.0),
    }
}

#[tokio::test]
async fn a_recorded_call_reads_back_as_it_was() {
    let home = Home::new();
    let row = call(KEY, "r1", NOW, usage(10, 20, 0.001_5));
    home.store.usage().record(row.clone());
    let calls = home.store.usage().of_run(&run_id("r1")).await.unwrap();
    assert_eq!(calls.len(), 1);
    assert_eq!((calls[0].state, &calls[0].row), (CallState::Settled, &row));
    assert!(home.store.usage().of_run(&run_id("r2")).await.unwrap().is_empty());
}

#[tokio::test]
async fn a_recorded_call_makes_no_commit_of_its_own_and_comes_with_the_next_one() {
    let home = Home::new();
    home.says(KEY, "r1", "hi").await;
    let watcher = Connection::open(home.dir.path().join("state/homard.sqlite")).unwrap();
    let rows =
        || watcher.query_row("SELECT count(*) FROM usage_calls", [], |row| row.get::<_, i64>(0)).unwrap();
    let version = || watcher.query_row("PRAGMA data_version", [], |row| row.get::<_, i64>(0)).unwrap();
    // Whatever the writer still had to do at its start is done by now.
    home.store.runs().get(&run_id("r1")).await.unwrap();
    let before = version();
    home.store.usage().record(call(KEY, "r1", NOW, usage(1, 1, 0.1)));
    assert_eq!((rows(), version()), (0, before));
    home.store.runs().finish(FinishRun::new(run_id("r1"), RunStatus::Ok)).await.unwrap();
    assert_eq!(rows(), 1);
}

#[tokio::test]
async fn calls_that_wait_are_written_when_the_store_closes() {
    let home = Home::new();
    home.store.usage().record(call(KEY, "r1", NOW, usage(1, 1, 0.1)));
    let home = home.reopen().await;
    assert_eq!(home.store.usage().of_run(&run_id("r1")).await.unwrap().len(), 1);
}

#[tokio::test]
async fn an_open_call_that_ends_counts_what_it_cost() {
    let home = Home::new();
    let row = call(KEY, "r1", NOW, usage(10, 20, 0.002));
    let id = home.store.usage().open(open(&row)).await.unwrap();
    let opened = home.store.usage().of_run(&run_id("r1")).await.unwrap();
    assert_eq!((opened[0].state, opened[0].row.usage), (CallState::Open, usage(5_000, 5_000, 1.0)));
    home.store.usage().settle(id, row.clone());
    let settled = home.store.usage().of_run(&run_id("r1")).await.unwrap();
    assert_eq!((settled.len(), settled[0].state, &settled[0].row), (1, CallState::Settled, &row));
    assert_eq!(home.store.usage().close_lost().await.unwrap(), 0);
}

#[tokio::test]
async fn a_call_that_a_crash_left_open_counts_with_its_worst_case() {
    let home = Home::new();
    let row = call(KEY, "r1", NOW, Usage::default());
    home.store.usage().open(open(&row)).await.unwrap();
    let home = home.reopen().await;
    assert_eq!(home.store.usage().close_lost().await.unwrap(), 1);
    assert_eq!(home.store.usage().close_lost().await.unwrap(), 0);
    let calls = home.store.usage().of_run(&run_id("r1")).await.unwrap();
    assert_eq!(calls[0].state, CallState::Lost);
    let spent = home.store.usage().spent_since(NOW).await.unwrap();
    assert_eq!((spent.len(), spent[0].tokens), (1, 10_100));
    assert!((spent[0].usd - 1.0).abs() < 1e-9);
}

#[tokio::test]
async fn a_run_remembers_what_was_tried() {
    let home = Home::new();
    home.says(KEY, "r1", "hi").await;
    let tried = serde_json::json!({"provider": "a", "model": "m", "reason": "rate_limit"});
    let mut finish = FinishRun::new(run_id("r1"), RunStatus::Ok);
    finish.attempts = vec![tried.clone()];
    home.store.runs().finish(finish).await.unwrap();
    assert_eq!(home.store.runs().get(&run_id("r1")).await.unwrap().unwrap().attempts, [tried]);
    home.says("agent:main:other", "r2", "hi").await;
    home.store.runs().finish(FinishRun::new(run_id("r2"), RunStatus::Ok)).await.unwrap();
    let ids =
        |runs: Vec<crate::RunRecord>| runs.into_iter().map(|run| run.run_id.to_string()).collect::<Vec<_>>();
    let main = home.store.runs().recent(Some(&key(KEY)), 10).await.unwrap();
    assert_eq!(ids(main), ["r1"]);
    assert_eq!(ids(home.store.runs().recent(None, 10).await.unwrap()).len(), 2);
    assert_eq!(ids(home.store.runs().recent(None, 1).await.unwrap()).len(), 1);
}

#[tokio::test]
async fn a_curve_has_no_more_points_than_asked_for_and_loses_nothing() {
    let home = Home::new();
    for n in 0..10 {
        home.store.usage().record(call(KEY, "r1", NOW + n, usage(1, 2, 0.5)));
    }
    let all = home.store.usage().points(&key(KEY), None, 200).await.unwrap();
    assert_eq!((all.len(), all[0].at, all[9].at), (10, NOW, NOW + 9));
    let few = home.store.usage().points(&key(KEY), None, 4).await.unwrap();
    assert_eq!(few.iter().map(|point| point.calls).collect::<Vec<_>>(), [3, 3, 3, 1]);
    assert_eq!(few.iter().map(|point| point.usage.output).sum::<u64>(), 20);
    let other = SessionId::parse("s-2").unwrap();
    assert!(home.store.usage().points(&key(KEY), Some(&other), 4).await.unwrap().is_empty());
}

#[test]
fn no_question_about_usage_reads_the_whole_table() {
    let home = tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async { Home::new() });
    let conn = Connection::open(home.dir.path().join("state/homard.sqlite")).unwrap();
    let (agent, session) = (Some(AgentId::main()), Some(key(KEY)));
    let query = |agent, session| report_sql(&UsageQuery { days: vec![1, 2], agent, session });
    let questions = [
        (query(None, None), "usage_by_time"),
        (query(agent.clone(), None), "usage_by_time"),
        (query(agent, session.clone()), "usage_by_session"),
        (query(None, session), "usage_by_session"),
        (FIRST.to_owned(), "usage_by_time"),
        (SPENT_SINCE.to_owned(), "usage_by_time"),
        (SPENT_BY_SESSION.to_owned(), "usage_by_session"),
        (COUNT_OF_SESSION.to_owned(), "usage_by_session"),
        (OF_SESSION.to_owned(), "usage_by_session"),
        (of_run_sql(), "usage_by_run"),
        (crate::runs::recent_sql(), "runs_ended"),
        ("UPDATE usage_calls SET state = 'lost' WHERE state = 'open'".to_owned(), "usage_open"),
    ];
    for (sql, index) in questions {
        let mut statement = conn.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
        let nothing = vec![rusqlite::types::Null; statement.parameter_count()];
        let plan: Vec<String> = statement
            .query_map(rusqlite::params_from_iter(nothing), |row| row.get(3))
            .unwrap()
            .map(Result::unwrap)
            .collect();
        let plan = plan.join("; ");
        assert!(plan.contains(index) && !plan.contains("TEMP B-TREE"), "{sql}\n{plan}");
        // Partial indexes hold only the rows that are wanted: going through them is no scan of the table.
        assert!(!plan.contains("SCAN") || ["usage_open", "runs_ended"].contains(&index), "{sql}\n{plan}");
    }
}
