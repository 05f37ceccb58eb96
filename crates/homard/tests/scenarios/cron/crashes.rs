//! Jobs and a gateway that is killed, stopped or cannot write: nothing is lost, nothing is done twice.

use homard_testkit::WAIT_CAP;
use serde_json::{Value, json};

use super::{add, finished, hourly, in_ms, job, now_ms, runs};
use crate::scenarios::world::{OPENAI, World, until};

/// How often the gateway is killed: enough to fall into each step of a run, and quick enough for every test run.
const KILLS: usize = 5;

#[tokio::test]
async fn a_run_that_was_cut_off_by_a_kill_is_told_and_not_done_again() {
    let mut world = World::start().await;
    let _gate = world.fake.gate("half an answer");
    let mut client = world.owner().await;
    let id = add(&mut client, hourly()).await;
    client.call("cron.run", json!({"id": id})).await.unwrap();
    world.fake.wait_for_request(1).await.unwrap();
    world.gateway.kill9().await.unwrap();
    world.gateway.restart().await.unwrap();
    let (mut client, entries) = runs(world.owner().await, &id, 1).await;
    assert_eq!((entries.len(), &entries[0]["status"]), (1, &json!("error")), "{entries:?}");
    assert!(entries[0]["error"].as_str().unwrap().contains("restart"), "{entries:?}");
    assert_eq!(world.fake.requests().len(), 1, "not done again");
    let job = client.call("cron.get", json!({"id": id})).await.unwrap();
    assert_eq!((&job["state"]["runningAtMs"], &job["state"]["consecutiveErrors"]), (&Value::Null, &json!(1)));
    world.fake.says("well again");
    let begun = client.call("cron.run", json!({"id": id})).await.unwrap();
    // That the first one is over may only be told now.
    let (_, entries) = runs(client, &id, 2).await;
    let again = entries.iter().find(|entry| entry["runId"] == begun["runId"]);
    assert_eq!(again.map(|entry| &entry["status"]), Some(&json!("ok")), "{entries:?}");
}

#[tokio::test]
async fn a_run_that_was_recorded_and_not_begun_before_a_kill_is_done_once_after_the_next_start() {
    let mut world = World::start().await;
    world.fake.says("first").says("second");
    let mut client = world.owner().await;
    let id = add(&mut client, hourly()).await;
    client.call("cron.run", json!({"id": id})).await.unwrap();
    finished(&mut client, &id).await;
    world.gateway.kill9().await.unwrap();
    // As if the process had died between the record and the turn.
    let database = world.gateway.home().state_dir().join("homard.sqlite");
    let conn = rusqlite::Connection::open(database).unwrap();
    conn.execute_batch(
        "INSERT INTO cron_runs SELECT 'lost-run', job_id, job_name, agent_id, session_key, started_at, plan, sweep,
         NULL, NULL, NULL, NULL, NULL, NULL FROM cron_runs;
         UPDATE cron_jobs SET running = 'lost-run';",
    )
    .unwrap();
    drop(conn);
    world.gateway.restart().await.unwrap();
    let (client, entries) = runs(world.owner().await, &id, 2).await;
    assert_eq!((&entries[0]["runId"], &entries[0]["summary"]), (&json!("lost-run"), &json!("second")));
    world.gateway.kill9().await.unwrap();
    world.gateway.restart().await.unwrap();
    drop(client);
    let (_client, entries) = runs(world.owner().await, &id, 2).await;
    assert_eq!((entries.len(), world.fake.requests().len()), (2, 2), "and never again");
}

#[tokio::test]
async fn what_was_missed_while_the_gateway_was_down_is_done_once() {
    let mut world = World::start().await;
    world.fake.says("late").says("never asked for");
    let mut client = world.owner().await;
    let id = add(&mut client, job(&json!({"kind": "at", "at": in_ms(1_500)}))).await;
    world.gateway.kill9().await.unwrap();
    assert_eq!(world.fake.requests().len(), 0);
    let due = now_ms() + 1_600;
    until("the time to pass", || async { (now_ms() > due).then_some(()) }).await;
    world.gateway.restart().await.unwrap();
    let (mut client, entries) = runs(world.owner().await, &id, 1).await;
    assert_eq!((&entries[0]["summary"], entries.len()), (&json!("late"), 1));
    assert_eq!(client.call("cron.list", json!({"enabled": "all"})).await.unwrap()["total"], 0);
    assert_eq!(world.fake.requests().len(), 1);
}

/// Something done to the database as if another program had.
fn in_database(world: &World, sql: &str) {
    let path = world.gateway.home().state_dir().join("homard.sqlite");
    let conn = rusqlite::Connection::open(path).unwrap();
    conn.busy_timeout(WAIT_CAP).unwrap();
    conn.execute_batch(sql).unwrap();
}

#[tokio::test]
async fn a_run_whose_end_cannot_be_recorded_at_first_is_recorded_when_it_can() {
    let world = World::start().await;
    let gate = world.fake.gate("done");
    let mut client = world.owner().await;
    let id = add(&mut client, hourly()).await;
    client.call("cron.run", json!({"id": id})).await.unwrap();
    world.fake.wait_for_request(1).await.unwrap();
    let refusing = "CREATE TRIGGER full BEFORE INSERT ON cron_runs WHEN NEW.ended_at IS NOT NULL
                    BEGIN SELECT RAISE(ABORT, 'as if the disk were full'); END";
    in_database(&world, refusing);
    gate.release();
    world.gateway.logged("the end of a job's run is not recorded yet").await.unwrap();
    in_database(&world, "DROP TRIGGER full");
    let end = finished(&mut client, &id).await;
    assert_eq!((&end["status"], &end["summary"]), (&json!("ok"), &json!("done")), "{end}");
    let state = client.call("cron.get", json!({"id": id})).await.unwrap()["state"].take();
    assert_eq!(state["runningAtMs"], Value::Null, "it may run again");
}

#[tokio::test]
async fn a_job_that_cannot_be_read_is_left_alone_and_costs_nothing() {
    let mut world = World::start().await;
    let mut client = world.owner().await;
    let id = add(&mut client, hourly()).await;
    world.gateway.kill9().await.unwrap();
    let soon = now_ms() - 1_000;
    in_database(
        &world,
        &format!("UPDATE cron_jobs SET spec = 'garbled', next_run_at = {soon} WHERE id = '{id}'"),
    );
    world.gateway.restart().await.unwrap();
    world.gateway.logged("cannot be run and is left alone").await.unwrap();
    let mut client = world.owner().await;
    world.fake.says("well");
    let other = add(&mut client, job(&json!({"kind": "at", "at": in_ms(200)}))).await;
    assert_eq!(finished(&mut client, &other).await["status"], "ok", "others go on");
    let status = client.call("cron.status", json!({})).await.unwrap();
    assert_eq!(status["nextWakeAtMs"], Value::Null, "nobody waits for it: {status}");
}

#[tokio::test]
async fn what_was_missed_is_let_go_where_the_owner_wants_it() {
    let mut world =
        World::start_with(OPENAI, |config| config["cron"] = json!({"skipMissedJobs": true})).await;
    let mut client = world.owner().await;
    add(&mut client, job(&json!({"kind": "at", "at": in_ms(1_500)}))).await;
    world.gateway.kill9().await.unwrap();
    let due = now_ms() + 1_600;
    until("the time to pass", || async { (now_ms() > due).then_some(()) }).await;
    world.gateway.restart().await.unwrap();
    let listed = world.owner().await.call("cron.list", json!({"enabled": "all"})).await.unwrap();
    let job = &listed["jobs"][0];
    assert_eq!(job["enabled"], false, "{listed}");
    assert!(job["state"]["lastError"].as_str().unwrap().contains("while the gateway was down"), "{job}");
    assert_eq!(world.fake.requests().len(), 0);
}

#[tokio::test]
async fn no_job_is_run_twice_or_lost_however_often_the_gateway_is_killed() {
    let mut world =
        World::start_with(OPENAI, |config| config["cron"] = json!({"maxConcurrentRuns": 3})).await;
    let mut jobs = Vec::new();
    for kill in 0..KILLS {
        let mut client = world.owner().await;
        let before = world.fake.requests().len();
        for ahead in [40, 150, 260] {
            let mut once = job(&json!({"kind": "at", "at": in_ms(ahead)}));
            once["deleteAfterRun"] = json!(false);
            jobs.push(add(&mut client, once).await);
        }
        // Before the first, in the midst of one or another, after the last.
        world.fake.wait_for_request(before + kill % 4).await.ok();
        world.gateway.kill9().await.unwrap();
        world.gateway.restart().await.unwrap();
    }
    let mut client = world.owner().await;
    let mut asked = 0;
    for id in &jobs {
        let (again, told) = runs(client, id, 1).await;
        client = again;
        let [run] = &told[..] else { panic!("{} runs of one job: {told:?}", told.len()) };
        assert!(run["status"] == "ok" || run["error"].is_string(), "{run}");
        let mark = format!("[cron:{id} ");
        let times =
            world.fake.requests().iter().filter(|asked| asked.body.to_string().contains(&mark)).count();
        assert!(times <= 1, "{id} was asked {times} times");
        asked += times;
    }
    assert!(asked > 0, "some were run");
}
