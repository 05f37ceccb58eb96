//! What an earlier program kept opens in this one and goes on: its database is brought up to date, nothing is lost.

use homard_testkit::{FakeLlm, TestGateway, TestHome};
use rusqlite::Connection;
use rusqlite::functions::FunctionFlags;
use serde_json::json;

use crate::scenarios::world::{KEY, OPENAI, config, history, launch, said, talk, until};

/// The steps of the database's schema, up to the one before the last landing.
const STEPS: [&str; 12] = [
    include_str!("../../../homard-store/migrations/0001_initial.sql"),
    include_str!("../../../homard-store/migrations/0002_usage.sql"),
    include_str!("../../../homard-store/migrations/0003_subagents.sql"),
    include_str!("../../../homard-store/migrations/0004_devices.sql"),
    include_str!("../../../homard-store/migrations/0005_session_lists.sql"),
    include_str!("../../../homard-store/migrations/0006_cron.sql"),
    include_str!("../../../homard-store/migrations/0007_setup_codes.sql"),
    include_str!("../../../homard-store/migrations/0008_nodes.sql"),
    include_str!("../../../homard-store/migrations/0010_inbox.sql"),
    include_str!("../../../homard-store/migrations/0011_outbox.sql"),
    include_str!("../../../homard-store/migrations/0012_device_token_hashes.sql"),
    include_str!("../../../homard-store/migrations/0013_fewer_indexes.sql"),
];
/// Filled by the search itself, from the transcripts; and how far it is with them.
const SEARCHED: &str = "words";
const READ: [&str; 2] = ["words_seq", "unread"];

/// Rewrites the database of a home as a program that knew only the first `version` steps kept it.
fn as_kept_by(version: usize, home: &TestHome) {
    let path = home.state_dir().join("homard.sqlite");
    let kept = home.path().join("kept.sqlite");
    let now = Connection::open(&path).unwrap();
    now.execute("VACUUM INTO ?1", [kept.display().to_string()]).unwrap();
    drop(now);
    for ending in ["", "-wal", "-shm"] {
        std::fs::remove_file(home.state_dir().join(format!("homard.sqlite{ending}"))).ok();
    }
    let old = Connection::open(&path).unwrap();
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    old.create_scalar_function("sha256", 1, flags, |cx| Ok(cx.get::<String>(0)?.into_bytes())).unwrap();
    old.execute_batch("PRAGMA journal_mode = WAL; PRAGMA foreign_keys = OFF;").unwrap();
    STEPS.iter().take(version).for_each(|step| old.execute_batch(step).unwrap());
    old.execute("ATTACH ?1 AS kept", [kept.display().to_string()]).unwrap();
    for table in names(&old, "SELECT name FROM main.sqlite_master WHERE type = 'table'") {
        let columns =
            |of: &str| names(&old, &format!("SELECT name FROM pragma_table_info('{table}', '{of}')"));
        let now = columns("kept");
        let shared: Vec<String> = columns("main")
            .into_iter()
            .filter(|name| now.contains(name) && !READ.contains(&name.as_str()))
            .collect();
        // What is kept in another form since, and what is made from the rest.
        if shared.is_empty()
            || table.contains(SEARCHED)
            || table.starts_with("device")
            || table.starts_with("sqlite_")
        {
            continue;
        }
        let shared = shared.join(", ");
        let copy =
            format!("INSERT OR REPLACE INTO main.{table} ({shared}) SELECT {shared} FROM kept.{table}");
        old.execute_batch(&copy).unwrap_or_else(|error| panic!("{copy}: {error}"));
    }
    old.pragma_update(None, "user_version", i64::try_from(version).unwrap()).unwrap();
    old.execute_batch("DETACH kept").unwrap();
    drop(old);
    std::fs::remove_file(kept).unwrap();
}

fn names(database: &Connection, query: &str) -> Vec<String> {
    let mut rows = database.prepare(query).unwrap();
    let names = rows.query_map([], |row| row.get(0)).unwrap();
    names.collect::<Result<_, _>>().unwrap()
}

#[tokio::test]
async fn what_earlier_programs_kept_opens_and_goes_on() {
    for version in [10, 12] {
        let fake = FakeLlm::start().await.unwrap();
        let written = config(&fake, OPENAI, |config| {
            config["meta"] =
                json!({ "lastTouchedVersion": "0.1.0", "lastTouchedAt": "2026-11-01T00:00:00.000Z" });
        });
        let home = TestHome::with_config(&written).unwrap();
        let mut gateway = TestGateway::start(launch(), home).await.unwrap();
        let mut client = gateway.operator().await.unwrap();
        fake.says("it is noted");
        talk(&mut client, KEY, "the boat leaves at nine").await;
        let job = json!({
            "name": "tea", "schedule": { "kind": "every", "everyMs": 86_400_000 }, "sessionTarget": "isolated",
            "wakeMode": "now", "payload": { "kind": "agentTurn", "message": "make tea" },
        });
        client.call("cron.add", job).await.unwrap();
        let before = said(&history(&mut client, KEY).await);
        drop(client);
        assert!(gateway.terminate().await.unwrap().success());
        as_kept_by(version, gateway.home());

        gateway.restart().await.unwrap();
        let mut client = gateway.operator().await.unwrap();
        assert_eq!(said(&history(&mut client, KEY).await), before, "schema {version}");
        let listed = client.call("sessions.list", json!({})).await.unwrap();
        assert_eq!(listed["sessions"][0]["key"], KEY, "{listed}");
        let jobs = client.call("cron.list", json!({})).await.unwrap();
        assert_eq!(jobs["jobs"][0]["name"], "tea", "{jobs}");
        until("the words of before", || async {
            let mut client = gateway.operator().await.ok()?;
            let found = client.call("sessions.search", json!({ "query": "boat" })).await.ok()?;
            (found["results"].as_array().map(Vec::len) == Some(1)).then_some(())
        })
        .await;
        fake.says("at nine");
        assert_eq!(talk(&mut client, KEY, "when does it leave?").await["state"], "final");
        assert_eq!(history(&mut client, KEY).await.len(), before.len() + 2);
        assert!(gateway.terminate().await.unwrap().success());
        let database = Connection::open(gateway.home().state_dir().join("homard.sqlite")).unwrap();
        let now: i64 = database.query_row("PRAGMA user_version", [], |row| row.get(0)).unwrap();
        assert!(now > i64::try_from(STEPS.len()).unwrap(), "schema {version} became {now}");
    }
}
