//! A run begins once, ends once, and a crash in between leaves it to be found.

use homard_protocol::AgentId;

use super::{CronAdded, CronJobRow, CronRunQuery, CronRunRow, CronSettled, FinishCron, prune};
use crate::engine::fixture::{Home, NOW, key};

fn job(id: &str) -> CronJobRow {
    CronJobRow {
        id: id.parse().unwrap(),
        declaration_key: None,
        enabled: true,
        next_run_at: Some(NOW),
        running: None,
        spec: "{}".to_owned(),
        state: "{}".to_owned(),
        origin: "[]".to_owned(),
        created_at: NOW,
        updated_at: NOW,
    }
}

fn run(id: &str, job: &str) -> CronRunRow {
    CronRunRow {
        run_id: id.parse().unwrap(),
        job_id: job.parse().unwrap(),
        job_name: format!("job {job}"),
        agent_id: AgentId::main(),
        session_key: key("agent:main:cron:a:run:b"),
        started_at: NOW,
        plan: "{}".to_owned(),
        sweep: true,
        ended_at: None,
        status: None,
        delivery_status: None,
        summary: None,
        error: None,
        entry: None,
    }
}

fn end(id: &str, status: &'static str, at: i64) -> FinishCron {
    FinishCron {
        run_id: id.parse().unwrap(),
        settle: Box::new(move |run, job| {
            run.ended_at = Some(at);
            run.status = Some(status.to_owned());
            if let Some(job) = job {
                job.next_run_at = Some(NOW + 60_000);
            }
            let note = (key("agent:main:main"), format!("run {} ended", run.run_id), None);
            CronSettled { forget: false, notes: vec![note] }
        }),
    }
}

#[tokio::test]
async fn a_job_that_cannot_be_read_keeps_no_other_from_its_work() {
    let home = Home::new();
    let cron = home.store.cron();
    cron.add(job("a")).await.unwrap();
    cron.add(CronJobRow { next_run_at: Some(NOW - 1), ..job("b") }).await.unwrap();
    let spoil = "UPDATE cron_jobs SET id = 'not an id\n' WHERE id = 'b'";
    assert_eq!(home.store.write(move |batch| batch.execute(spoil, [])).await.unwrap(), 1);
    let ids = |rows: Vec<CronJobRow>| rows.into_iter().map(|row| row.id.to_string()).collect::<Vec<_>>();
    assert_eq!(ids(cron.list().await.unwrap()), ["a"]);
    assert_eq!(ids(cron.due(NOW).await.unwrap()), ["a"]);
    assert_eq!(cron.next_due(None).await.unwrap(), Some(NOW));
    assert_eq!(cron.next_due(Some(NOW - 1)).await.unwrap(), Some(NOW));
    assert_eq!(cron.next_due(Some(NOW)).await.unwrap(), None);
}

#[tokio::test]
async fn a_run_that_cannot_be_read_keeps_no_other_from_going_on_and_its_job_is_free() {
    let home = Home::new();
    let cron = home.store.cron();
    for id in ["a", "b"] {
        cron.add(job(id)).await.unwrap();
        cron.begin_run(run(id, id), Box::new(|_| true)).await.unwrap();
    }
    let spoil = "UPDATE cron_runs SET session_key = 'nobody''s', sweep = 1 WHERE run_id = 'a'";
    assert_eq!(home.store.write(move |batch| batch.execute(spoil, [])).await.unwrap(), 1);
    let ids = |runs: Vec<CronRunRow>| runs.into_iter().map(|run| run.run_id.to_string()).collect::<Vec<_>>();
    assert_eq!(ids(cron.open_runs().await.unwrap()), ["b"]);
    assert_eq!(cron.free_stuck().await.unwrap(), 1);
    let due: Vec<String> = cron.due(NOW).await.unwrap().iter().map(|job| job.id.to_string()).collect();
    assert_eq!(due, ["a"]);
    // Looking back, and putting conversations away, pass over it, too.
    cron.finish_run(end("b", "ok", NOW)).await.unwrap();
    let over = "UPDATE cron_runs SET ended_at = 1 WHERE run_id = 'a'";
    home.store.write(move |batch| batch.execute(over, [])).await.unwrap();
    let page = cron.runs(CronRunQuery { limit: 9, ..CronRunQuery::default() }).await.unwrap();
    assert_eq!(ids(page.runs), ["b"]);
    assert_eq!(cron.take_old_sessions(NOW).await.unwrap(), []);
}

#[tokio::test]
async fn a_job_that_runs_is_not_due_and_does_not_begin_twice() {
    let home = Home::new();
    assert_eq!(home.store.cron().add(job("a")).await.unwrap(), CronAdded::New);
    assert_eq!(home.store.cron().next_due(None).await.unwrap(), Some(NOW));
    assert_eq!(home.store.cron().due(NOW).await.unwrap().len(), 1);
    assert!(home.store.cron().begin_run(run("r1", "a"), Box::new(|_| true)).await.unwrap().is_some());
    assert!(home.store.cron().begin_run(run("r2", "a"), Box::new(|_| true)).await.unwrap().is_none());
    assert!(home.store.cron().begin_run(run("r3", "nobody"), Box::new(|_| true)).await.unwrap().is_none());
    assert_eq!(home.store.cron().due(NOW).await.unwrap(), []);
    let home = home.reopen().await;
    let open = home.store.cron().open_runs().await.unwrap();
    assert_eq!(open.iter().map(|run| run.run_id.as_str()).collect::<Vec<_>>(), ["r1"]);
    let (ended, after) = home.store.cron().finish_run(end("r1", "ok", NOW + 5)).await.unwrap().unwrap();
    assert_eq!((ended.ended_at, after.unwrap().next_run_at), (Some(NOW + 5), Some(NOW + 60_000)));
    assert_eq!(home.store.cron().finish_run(end("r1", "ok", NOW)).await.unwrap(), None, "it ends once");
    assert_eq!(home.store.notes().waiting().await.unwrap().len(), 1, "and is told once");
    assert_eq!(home.store.cron().due(NOW + 60_000).await.unwrap().len(), 1);
}

#[tokio::test]
async fn a_job_that_only_believes_to_run_is_freed() {
    let home = Home::new();
    home.store.cron().add(CronJobRow { running: Some("lost".parse().unwrap()), ..job("a") }).await.unwrap();
    assert_eq!(home.store.cron().free_stuck().await.unwrap(), 1);
    assert_eq!(home.store.cron().free_stuck().await.unwrap(), 0);
    assert_eq!(home.store.cron().due(NOW).await.unwrap().len(), 1);
}

#[tokio::test]
async fn a_run_is_not_forgotten_before_its_conversation_is_put_away() {
    let home = Home::new();
    home.store.cron().add(job("a")).await.unwrap();
    for (at, id) in ["r1", "r2", "r3", "r4"].iter().enumerate() {
        home.store.cron().begin_run(run(id, "a"), Box::new(|_| true)).await.unwrap();
        home.store.cron().finish_run(end(id, "ok", NOW + at as i64)).await.unwrap();
    }
    let left = |keep, keep_unswept| {
        let store = home.store.clone();
        async move {
            let job = "a".parse().unwrap();
            store.write(move |batch| prune(batch, &job, keep, keep_unswept)).await.unwrap();
            store.cron().runs(CronRunQuery { limit: 9, ..CronRunQuery::default() }).await.unwrap().runs.len()
        }
    };
    assert_eq!(left(1, 9).await, 4);
    assert_eq!(left(1, 3).await, 3, "but there is an end to it");
    assert_eq!(home.store.cron().take_old_sessions(NOW + 10).await.unwrap().len(), 3);
    assert_eq!(left(1, 9).await, 1);
}

#[tokio::test]
async fn a_declaration_key_names_one_job() {
    let home = Home::new();
    let declared = || CronJobRow { declaration_key: Some("backup".to_owned()), ..job("a") };
    home.store.cron().add(declared()).await.unwrap();
    let again = home.store.cron().add(CronJobRow { id: "b".parse().unwrap(), ..declared() }).await.unwrap();
    assert!(matches!(again, CronAdded::Known(known) if known.id.as_str() == "a"));
}

#[tokio::test]
async fn runs_are_found_by_what_they_are_and_told_in_pages() {
    let home = Home::new();
    for (id, status) in [("a", "ok"), ("b", "error"), ("c", "ok")] {
        home.store.cron().add(job(id)).await.unwrap();
        home.store.cron().begin_run(run(id, id), Box::new(|_| true)).await.unwrap();
        home.store.cron().finish_run(end(id, status, NOW + i64::from(id.as_bytes()[0]))).await.unwrap();
    }
    let page = |query: CronRunQuery| {
        let store = home.store.clone();
        async move {
            let page = store.cron().runs(CronRunQuery { limit: 2, ..query }).await.unwrap();
            (
                page.runs.into_iter().map(|run| run.run_id.to_string()).collect::<Vec<_>>().join(","),
                page.total,
            )
        }
    };
    let any = CronRunQuery::default;
    assert_eq!(page(any()).await, ("c,b".to_owned(), 3));
    assert_eq!(page(CronRunQuery { offset: 2, ..any() }).await, ("a".to_owned(), 3));
    assert_eq!(page(CronRunQuery { ascending: true, ..any() }).await, ("a,b".to_owned(), 3));
    assert_eq!(page(CronRunQuery { statuses: vec!["ok".to_owned()], ..any() }).await, ("c,a".to_owned(), 2));
    assert_eq!(page(CronRunQuery { text: Some("JOB B".to_owned()), ..any() }).await, ("b".to_owned(), 1));
    assert_eq!(page(CronRunQuery { run_id: Some("a".parse().unwrap()), ..any() }).await, ("a".to_owned(), 1));
    assert_eq!(home.store.cron().take_old_sessions(NOW + 10_000).await.unwrap().len(), 3);
    assert_eq!(home.store.cron().take_old_sessions(NOW + 10_000).await.unwrap(), []);
}
