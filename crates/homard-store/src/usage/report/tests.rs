//! Sums by day, session and model.

use homard_protocol::{AgentId, Word};

use super::super::tests::{call, usage};
use super::{UsageQuery, UsageReport, UsageTally, stats};
use crate::engine::fixture::{Home, key};

const DAY: i64 = 86_400_000;
/// Three days, the second of which an hour short, as when clocks are turned.
const DAYS: [i64; 4] = [10 * DAY, 11 * DAY, 12 * DAY - 3_600_000, 13 * DAY - 3_600_000];

async fn stocked() -> Home {
    let home = Home::new();
    let rows = [
        ("agent:main:main", "r1", 10 * DAY - 1, 1_000_000, 9.0),
        ("agent:main:main", "r1", 10 * DAY, 1, 0.1),
        ("agent:main:main", "r1", 11 * DAY - 1, 2, 0.2),
        ("agent:main:main", "r2", 11 * DAY, 4, 0.4),
        ("agent:work:main", "r3", 12 * DAY - 3_600_000, 8, 0.0),
        ("agent:work:main", "r3", 13 * DAY - 3_600_000, 1_000_000, 9.0),
    ];
    for (session, run, at, input, usd) in rows {
        home.store.usage().record(call(session, run, at, usage(input, 1, usd)));
    }
    home
}

fn by<K: Ord>(report: &UsageReport, key: impl Fn(&super::UsageCell) -> K) -> Vec<(K, u64)> {
    let mut sums = std::collections::BTreeMap::new();
    for cell in &report.cells {
        *sums.entry(key(cell)).or_insert(0) += cell.tally.input;
    }
    sums.into_iter().collect()
}

#[tokio::test]
async fn every_call_falls_into_its_day_and_none_outside_the_range_counts() {
    let home = stocked().await;
    let query = UsageQuery { days: DAYS.to_vec(), ..UsageQuery::default() };
    let report = home.store.usage().report(query.clone()).await.unwrap();
    assert_eq!(by(&report, |cell| cell.day), [(0, 3), (1, 4), (2, 8)]);
    assert_eq!(by(&report, |cell| cell.session), [(0, 7), (1, 8)]);
    let session = &report.sessions[0];
    assert_eq!((session.key.as_str(), session.agent_id.as_str()), ("agent:main:main", "main"));
    assert_eq!((session.first_at, session.last_at), (10 * DAY, 11 * DAY));
    let mut all = UsageTally::default();
    report.cells.iter().for_each(|cell| all.add(&cell.tally));
    assert_eq!((all.calls, all.runs, all.unpriced, all.errors, all.lost), (4, 3, 1, 0, 0));
    assert!((all.cost.total - 0.7).abs() < 1e-9, "{}", all.cost.total);
    assert_eq!(report.latency_total.unwrap().count, 4);
    assert_eq!(report.latency.iter().map(|day| day.unwrap().count).collect::<Vec<_>>(), [2, 1, 1]);

    let agent = Some(AgentId::parse("work").unwrap());
    let narrow = home.store.usage().report(UsageQuery { agent, ..query.clone() }).await.unwrap();
    assert_eq!(by(&narrow, |cell| cell.day), [(2, 8)]);
    let session = Some(key("agent:main:main"));
    let narrow = home.store.usage().report(UsageQuery { session, ..query }).await.unwrap();
    assert_eq!(by(&narrow, |cell| cell.day), [(0, 3), (1, 4)]);
    assert_eq!(home.store.usage().first_call_at().await.unwrap(), Some(10 * DAY - 1));
}

#[tokio::test]
async fn spending_is_told_by_agent_session_and_job() {
    let home = stocked().await;
    let mut job = call("agent:work:main", "r4", 12 * DAY, usage(16, 1, 0.5));
    job.owner.job_id = Some("nightly".to_owned());
    home.store.usage().record(job);
    let mut spent = home.store.usage().spent_since(11 * DAY).await.unwrap();
    spent.sort_by_key(|row| row.tokens);
    let told: Vec<_> =
        spent.iter().map(|row| (row.agent_id.as_str(), row.job_id.as_deref(), row.tokens)).collect();
    assert_eq!(told, [("main", None, 105), ("work", Some("nightly"), 117), ("work", None, 1_000_210)]);
    let life = home.store.usage().spent_by_session(&key("agent:main:main")).await.unwrap();
    assert_eq!((life.len(), life[0].tokens), (1, 1_000_411));
}

#[tokio::test]
async fn no_days_hold_no_calls() {
    let home = stocked().await;
    for days in [vec![], vec![5]] {
        let query = UsageQuery { days, ..UsageQuery::default() };
        assert!(home.store.usage().report(query).await.unwrap().cells.is_empty());
    }
}

#[tokio::test]
async fn an_attempt_that_was_turned_away_is_an_error_and_no_call() {
    let home = Home::new();
    let mut refused = call("agent:main:main", "r1", 10 * DAY, homard_protocol::Usage::default());
    refused.outcome = Word::of("rate_limit");
    let mut cut = call("agent:main:main", "r1", 10 * DAY + 1, usage(5, 5, 0.1));
    cut.outcome = Word::of("aborted");
    home.store.usage().record(refused);
    home.store.usage().record(cut);
    let query = UsageQuery { days: DAYS.to_vec(), ..UsageQuery::default() };
    let report = home.store.usage().report(query).await.unwrap();
    let tally = report.cells[0].tally;
    assert_eq!((tally.calls, tally.answers, tally.errors, tally.runs), (1, 0, 1, 1), "a stop is no error");
    assert_eq!(report.latency_total, None);
}

#[test]
fn slow_calls_are_told_from_usual_ones() {
    assert_eq!(stats(&mut []), None);
    let mut took: Vec<u32> = (1..=100).rev().collect();
    let found = stats(&mut took).unwrap();
    assert_eq!((found.min_ms, found.avg_ms, found.p50_ms, found.p95_ms, found.max_ms), (1, 50, 50, 95, 100));
}
