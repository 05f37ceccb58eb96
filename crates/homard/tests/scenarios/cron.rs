//! Jobs by the clock and events that wake: made, run once each, told truly.

use std::sync::Arc;

use homard_runtime::Tasks;
use homard_testkit::{TestClient, TestHome, WAIT_CAP};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::process::Command;
use tokio::sync::Mutex;

use crate::scenarios::world::{KEY, OPENAI, World, as_owner, history, outcome, talk, text_of, until};

mod crashes;
mod failures;

const MAIN: &str = "agent:main:main";

fn now_ms() -> i64 {
    jiff::Timestamp::now().as_millisecond()
}

fn in_ms(ahead: i64) -> String {
    jiff::Timestamp::from_millisecond(now_ms() + ahead).unwrap().to_string()
}

fn job(schedule: &Value) -> Value {
    json!({"name": "digest", "schedule": schedule, "sessionTarget": "isolated", "wakeMode": "now",
        "payload": {"kind": "agentTurn", "message": "sum up"}})
}

fn hourly() -> Value {
    job(&json!({"kind": "every", "everyMs": 3_600_000}))
}

async fn add(client: &mut TestClient, job: Value) -> String {
    client.call("cron.add", job).await.unwrap()["id"].as_str().unwrap().to_owned()
}

/// The next time a job's run is over.
async fn finished(client: &mut TestClient, id: &str) -> Value {
    let is_end = |payload: &Value| payload["jobId"] == id && payload["action"] == "finished";
    client.next_event_where("cron", is_end).await.unwrap()["payload"].take()
}

/// The runs of a job once there are as many as wanted.
async fn runs(client: TestClient, id: &str, wanted: usize) -> (TestClient, Vec<Value>) {
    let client = Mutex::new(client);
    let entries = until("the runs of a job", || async {
        let page = client.lock().await.call("cron.runs", json!({"id": id})).await.unwrap();
        let entries = page["entries"].as_array().unwrap().clone();
        (entries.len() >= wanted).then_some(entries)
    })
    .await;
    (client.into_inner(), entries)
}

/// All words of the newest request to the model.
fn asked(world: &World) -> String {
    world.fake.requests().pop().unwrap().body["messages"].to_string()
}

#[tokio::test]
async fn a_job_is_made_run_listed_and_removed_and_its_result_waits_for_the_main_session() {
    let world = World::start().await;
    let mut client = world.owner().await;
    let added = client.call("cron.add", hourly()).await.unwrap();
    let id = added["id"].as_str().unwrap().to_owned();
    assert_eq!((&added["enabled"], &added["delivery"]), (&json!(true), &json!({"mode": "announce"})));
    assert!(added["deliveryPreview"]["detail"].as_str().unwrap().contains("no chat platform"), "{added}");
    assert!(added["nextRunAtMs"].as_i64().unwrap() > now_ms());
    let told = client.next_event("cron").await.unwrap();
    assert_eq!((&told["payload"]["action"], &told["payload"]["job"]["id"]), (&json!("added"), &json!(id)));

    world.fake.says("all is well");
    let begun = client.call("cron.run", json!({"id": id})).await.unwrap();
    assert_eq!((&begun["ok"], &begun["enqueued"]), (&json!(true), &json!(true)), "{begun}");
    let run = begun["runId"].as_str().unwrap().to_owned();
    let end = finished(&mut client, &id).await;
    assert_eq!((&end["status"], &end["summary"]), (&json!("ok"), &json!("all is well")), "{end}");
    assert_eq!(end["sessionKey"], format!("agent:main:cron:{id}:run:{run}"));
    assert_eq!(end["deliveryStatus"], "not-delivered", "no platform carried it, and that is said");
    assert!(asked(&world).contains(&format!("[cron:{id} digest] sum up")), "{}", asked(&world));
    assert!(asked(&world).contains("Current time: "));

    let listed = client.call("cron.list", json!({})).await.unwrap();
    assert_eq!(listed["total"], 1);
    let state = &listed["jobs"][0]["state"];
    assert_eq!((&state["lastStatus"], &state["consecutiveErrors"]), (&json!("ok"), &json!(0)), "{state}");
    assert_eq!(state["runningAtMs"], Value::Null);
    let page = client.call("cron.runs", json!({"id": id, "runId": run, "limit": 1})).await.unwrap();
    assert_eq!((&page["total"], &page["entries"][0]["jobName"]), (&json!(1), &json!("digest")));
    assert!(page["entries"][0]["usage"]["total_tokens"].as_u64().unwrap() > 0, "{page}");
    let spoken = history(&mut client, &format!("agent:main:cron:{id}:run:{run}")).await;
    assert_eq!(text_of(spoken.last().unwrap()), "all is well");

    world.fake.says("noted");
    talk(&mut client, MAIN, "anything new?").await;
    assert!(asked(&world).contains("says: all is well"), "{}", asked(&world));

    let removed = client.call("cron.remove", json!({"jobId": id})).await.unwrap();
    assert_eq!(removed, json!({"ok": true, "removed": true}));
    assert_eq!(client.call("cron.remove", json!({"id": id})).await.unwrap()["removed"], false);
    assert_eq!(client.call("cron.list", json!({})).await.unwrap()["jobs"], json!([]));
}

#[tokio::test]
async fn a_job_that_is_due_once_runs_by_itself_and_is_forgotten() {
    let world = World::start().await;
    world.fake.says("done");
    let mut client = world.owner().await;
    let id = add(&mut client, job(&json!({"kind": "at", "at": in_ms(300)}))).await;
    let end = finished(&mut client, &id).await;
    assert_eq!(end["status"], "ok", "{end}");
    let gone = |payload: &Value| payload["jobId"] == id.as_str() && payload["action"] == "removed";
    client.next_event_where("cron", gone).await.unwrap();
    assert_eq!(client.call("cron.list", json!({"enabled": "all"})).await.unwrap()["total"], 0);
    assert_eq!(world.fake.requests().len(), 1);
}

#[tokio::test]
async fn events_wake_the_main_session_or_wait_for_its_next_turn() {
    let world = World::start().await;
    let mut client = world.owner().await;
    assert_eq!(client.call("last-heartbeat", json!({})).await.unwrap(), Value::Null);
    let waits = json!({"mode": "next-heartbeat", "text": "the backup is done"});
    assert_eq!(client.call("wake", waits).await.unwrap(), json!({"ok": true}));
    assert_eq!(world.fake.requests().len(), 0, "nobody is woken");
    let status = client.call("status", json!({})).await.unwrap();
    assert!(status["queuedSystemEvents"][0].as_str().unwrap().ends_with("the backup is done"), "{status}");

    world.fake.says("I will look");
    let woken = client.call("wake", json!({"mode": "now", "text": "the door bell rang"})).await.unwrap();
    let last = client.wait_chat_final(woken["runId"].as_str().unwrap()).await.unwrap();
    assert_eq!(text_of(&last["message"]), "I will look");
    let asked = asked(&world);
    let (first, second) = (asked.find("the backup is done"), asked.find("the door bell rang"));
    assert!(first.is_some() && first < second, "{asked}");
    let client = Mutex::new(client);
    let seen = until("the look back", || async {
        let seen = client.lock().await.call("last-heartbeat", json!({})).await.unwrap();
        (!seen.is_null()).then_some(seen)
    })
    .await;
    assert_eq!((&seen["status"], &seen["preview"]), (&json!("sent"), &json!("I will look")), "{seen}");
    let mut client = client.into_inner();

    let off = client.call("set-heartbeats", json!({"enabled": false})).await.unwrap();
    assert_eq!(off, json!({"ok": true, "enabled": false}));
    let kept = client.call("wake", json!({"mode": "now", "text": "later"})).await.unwrap();
    assert_eq!(kept, json!({"ok": true}), "while nobody is to be woken, it waits");
    client.call("set-heartbeats", json!({"enabled": true})).await.unwrap();
    world.fake.says("NO_REPLY");
    let event = json!({"text": "presence", "wake": true, "idempotencyKey": "event-1"});
    let woken = client.call("system-event", event.clone()).await.unwrap();
    assert_eq!(woken["runId"], "event-1");
    client.wait_chat_final("event-1").await.unwrap();
    client.call("system-event", event).await.unwrap();
    assert_eq!(world.fake.requests().len(), 2, "the same event wakes once");
}

#[tokio::test]
async fn a_reminder_for_the_main_session_is_a_turn_of_it() {
    let world = World::start().await;
    world.fake.says("The tea is ready!");
    let mut client = world.owner().await;
    let reminder = json!({"name": "tea", "schedule": {"kind": "at", "at": in_ms(200)}, "sessionTarget": "main",
        "wakeMode": "now", "payload": {"kind": "systemEvent", "text": "Reminder: tea"}});
    let id = add(&mut client, reminder).await;
    let end = finished(&mut client, &id).await;
    assert_eq!((&end["status"], &end["sessionKey"]), (&json!("ok"), &json!(MAIN)), "{end}");
    assert_eq!(end["deliveryStatus"], "not-requested");
    let messages = history(&mut client, MAIN).await;
    assert!(text_of(&messages[0]).ends_with("Reminder: tea"), "{messages:?}");
    assert_eq!(text_of(&messages[1]), "The tea is ready!");
}

/// Takes one request on a port of its own and answers that it is well; tells its text.
async fn listener(tasks: &Tasks) -> (String, Arc<Mutex<String>>) {
    let socket = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/told", socket.local_addr().unwrap());
    let heard = Arc::new(Mutex::new(String::new()));
    let kept = Arc::clone(&heard);
    tasks.spawn(async move {
        let (mut stream, _) = socket.accept().await.unwrap();
        let mut text = String::new();
        let mut piece = [0_u8; 4_096];
        while !text.contains("\"action\":\"finished\"") {
            let read = stream.read(&mut piece).await.unwrap();
            assert!(read > 0, "the request ended early: {text}");
            text.push_str(&String::from_utf8_lossy(&piece[..read]));
        }
        stream.write_all(b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n").await.unwrap();
        *kept.lock().await = text;
    });
    (url, heard)
}

#[tokio::test]
async fn a_webhook_is_told_the_end_of_a_run_with_the_owners_token() {
    let world =
        World::start_with(OPENAI, |config| config["cron"] = json!({"webhookToken": "hook-token-123"})).await;
    world.fake.says("posted").says("lost");
    let tasks = Tasks::new();
    let (url, heard) = listener(&tasks).await;
    let mut client = world.owner().await;
    let mut posting = hourly();
    posting["delivery"] = json!({"mode": "webhook", "to": url});
    let id = add(&mut client, posting).await;
    client.call("cron.run", json!({"id": id})).await.unwrap();
    let end = finished(&mut client, &id).await;
    assert_eq!((&end["deliveryStatus"], &end["delivered"]), (&json!("delivered"), &json!(true)), "{end}");
    let heard = until("the webhook to be told", || async {
        let heard = heard.lock().await.clone();
        (!heard.is_empty()).then_some(heard)
    })
    .await;
    assert!(heard.starts_with("POST /told "), "{heard}");
    assert!(heard.to_lowercase().contains("authorization: bearer hook-token-123"), "{heard}");
    assert!(heard.contains("\"summary\":\"posted\""), "{heard}");

    client.call("cron.run", json!({"id": id})).await.unwrap();
    let end = finished(&mut client, &id).await;
    assert_eq!((&end["status"], &end["deliveryStatus"]), (&json!("ok"), &json!("not-delivered")), "{end}");
}

#[tokio::test]
async fn jobs_run_one_at_a_time_unless_the_owner_says_otherwise() {
    let world = World::start().await;
    let gate = world.fake.gate("one");
    world.fake.says("two");
    let mut client = world.owner().await;
    let first = add(&mut client, hourly()).await;
    let second = add(&mut client, hourly()).await;
    client.call("cron.run", json!({"id": first})).await.unwrap();
    world.fake.wait_for_request(1).await.unwrap();
    client.call("cron.run", json!({"id": second})).await.unwrap();
    let twice = client.call("cron.run", json!({"id": first})).await.unwrap();
    assert_eq!(twice, json!({"ok": true, "ran": false, "reason": "already-running"}));
    assert_eq!(world.fake.requests().len(), 1, "the second waits for its place");
    gate.release();
    finished(&mut client, &first).await;
    finished(&mut client, &second).await;
    assert_eq!(world.fake.requests().len(), 2);

    let world = World::start_with(OPENAI, |config| config["cron"] = json!({"maxConcurrentRuns": 2})).await;
    let gates = [world.fake.gate("one"), world.fake.gate("two")];
    let mut client = world.owner().await;
    for _job in 0..2 {
        let job = add(&mut client, hourly()).await;
        client.call("cron.run", json!({"id": job})).await.unwrap();
    }
    world.fake.wait_for_request(2).await.unwrap();
    gates.iter().for_each(|gate| gate.release());
}

#[tokio::test]
async fn the_assistant_plans_and_looks_after_jobs_itself() {
    let world = World::start().await;
    let mut client = world.owner().await;
    let reminder = json!({"schedule": {"kind": "at", "in": "2h"},
        "payload": {"kind": "systemEvent", "text": "Reminder: call home"}});
    world.fake.calls("cron", json!({"action": "add", "job": reminder}));
    world.fake.calls("cron", json!({"action": "list"})).says("planned");
    let last = talk(&mut client, KEY, "remind me in two hours to call home").await;
    assert_eq!(text_of(&last["message"]), "planned");
    let listed = client.call("cron.list", json!({"agentId": "main"})).await.unwrap();
    let job = &listed["jobs"][0];
    assert_eq!(
        (&job["name"], &job["sessionTarget"]),
        (&json!("Reminder: call home"), &json!("main")),
        "{job}"
    );
    assert_eq!(job["sessionKey"], KEY);
    let due = job["nextRunAtMs"].as_i64().unwrap() - now_ms();
    assert!((7_000_000..=7_200_000).contains(&due), "{due}");
    assert!(asked(&world).contains("Reminder: call home"));

    let id = job["id"].as_str().unwrap().to_owned();
    world.fake.calls("cron", json!({"action": "update", "id": id, "patch": {"delivery": {"mode": "webhook", "to": "http://x.example"}}}));
    world.fake.calls("cron", json!({"action": "remove", "id": id})).says("gone");
    talk(&mut client, KEY, "forget it").await;
    assert!(asked(&world).contains("webhooks are set by the owner"), "{}", asked(&world));
    assert_eq!(client.call("cron.list", json!({})).await.unwrap()["total"], 0);
}

#[tokio::test]
async fn the_assistant_does_not_send_the_owners_webhook_elsewhere() {
    let world = World::start().await;
    let mut client = world.owner().await;
    let mut posting = hourly();
    posting["delivery"] = json!({"mode": "webhook", "to": "http://127.0.0.1:9/mine"});
    let id = add(&mut client, posting).await;
    let patches = [
        json!({"delivery": {"to": "http://127.0.0.1:9/theirs"}}),
        json!({"delivery": {"completionDestination": {"mode": "webhook", "to": "http://127.0.0.1:9/theirs"}}}),
        json!({"delivery": {"bestEffort": true}}),
    ];
    for patch in &patches {
        world.fake.calls("cron", json!({"action": "update", "id": id, "patch": patch}));
    }
    world.fake.says("tried");
    talk(&mut client, KEY, "change it").await;
    let asked = asked(&world);
    assert_eq!(asked.matches("webhooks are set by the owner").count(), 2, "{asked}");
    let job = client.call("cron.get", json!({"id": id})).await.unwrap();
    let expected = json!({"mode": "webhook", "to": "http://127.0.0.1:9/mine", "bestEffort": true});
    assert_eq!(job["delivery"], expected, "what goes nowhere else may be changed");
}

#[tokio::test]
async fn jobs_of_another_installation_are_taken_over_once() {
    let fake = homard_testkit::FakeLlm::start().await.unwrap();
    let home = TestHome::with_config(&crate::scenarios::world::config(&fake, OPENAI, |_| {})).unwrap();
    let folder = home.state_dir().join("cron");
    std::fs::create_dir_all(&folder).unwrap();
    let jobs = json!({"version": 1, "jobs": [
        {"id": "daily-1", "name": "daily", "enabled": true, "createdAtMs": 1, "updatedAtMs": 2,
         "schedule": {"kind": "cron", "expr": "0 9 * * *", "tz": "Europe/Paris"}, "sessionTarget": "isolated",
         "wakeMode": "now", "payload": {"kind": "agentTurn", "message": "m", "deliver": false},
         "state": {"nextRunAtMs": 5, "lastStatus": "ok", "lastRunAtMs": 4}},
        {"id": "odd", "name": "odd", "schedule": {"kind": "sometimes"}},
    ]});
    std::fs::write(folder.join("jobs.json"), jobs.to_string()).unwrap();
    let gateway = homard_testkit::TestGateway::start(crate::scenarios::world::launch(), home).await.unwrap();
    let mut world = World { fake, gateway };
    let mut client = world.owner().await;
    let listed = client.call("cron.list", json!({})).await.unwrap();
    assert_eq!((&listed["total"], &listed["jobs"][0]["id"]), (&json!(1), &json!("daily-1")), "{listed}");
    assert!(listed["jobs"][0]["nextRunAtMs"].as_i64().unwrap() > now_ms(), "not what was missed long ago");
    assert_eq!(listed["jobs"][0]["delivery"]["mode"], "none");
    client.call("cron.remove", json!({"id": "daily-1"})).await.unwrap();
    world.gateway.restart().await.unwrap();
    let mut client = world.owner().await;
    assert_eq!(client.call("cron.list", json!({"enabled": "all"})).await.unwrap()["total"], 0, "once");
    assert_eq!(world.fake.requests().len(), 0);
}

#[tokio::test]
async fn requests_that_make_no_sense_are_refused_in_words() {
    let world = World::start().await;
    let mut client = world.owner().await;
    let with = |name: &str, value: Value| {
        let mut job = hourly();
        job[name] = value;
        job
    };
    let rows = [
        ("cron.add", json!({}), "required property 'name'"),
        ("cron.add", with("surprise", json!(1)), "unexpected property 'surprise'"),
        ("cron.add", with("name", json!(" ")), "name must have"),
        ("cron.add", with("schedule", json!({"kind": "every", "everyMs": 5})), "at least"),
        ("cron.add", with("schedule", json!({"kind": "at", "at": "yesterday"})), "is not a time"),
        ("cron.add", with("schedule", json!({"kind": "cron", "expr": "x"})), "not a cron expression"),
        ("cron.add", with("schedule", json!({"kind": "on-exit", "command": "x"})), "not yet in effect"),
        ("cron.add", with("sessionTarget", json!("main")), "set sessionTarget to isolated"),
        ("cron.add", with("payload", json!({"kind": "command", "argv": ["x"]})), "not yet in effect"),
        ("cron.add", with("wakeMode", json!("later")), "unknown variant"),
        ("cron.add", with("agentId", json!("nobody")), "unknown agent id"),
        (
            "cron.add",
            with("payload", json!({"kind": "agentTurn", "message": "m", "model": "nobody/none"})),
            "there is no model provider `nobody`",
        ),
        ("cron.add", with("delivery", json!({"mode": "webhook", "to": "file:///x"})), "http or https"),
        ("cron.get", json!({}), "required property 'id'"),
        ("cron.get", json!({"id": "nobody"}), "there is no job `nobody`"),
        ("cron.list", json!({"limit": 0}), "between 1 and 200"),
        ("cron.list", json!({"limit": 201}), "between 1 and 200"),
        ("cron.list", json!({"sortBy": "colour"}), "unknown variant"),
        ("cron.list", json!({"surprise": 1}), "unexpected property 'surprise'"),
        ("cron.remove", json!({"id": ""}), "required property 'id'"),
        ("cron.run", json!({"id": "nobody"}), "there is no job `nobody`"),
        ("cron.run", json!({"id": "x", "mode": "soon"}), "unknown variant"),
        ("cron.runs", json!({"limit": 201}), "between 1 and 200"),
        ("cron.runs", json!({"scope": "job"}), "required property 'id'"),
        ("cron.status", json!({"x": 1}), "unexpected property 'x'"),
        ("cron.update", json!({"id": "nobody", "patch": {}}), "there is no job `nobody`"),
        ("cron.update", json!({"id": "nobody"}), "required property 'patch'"),
        ("wake", json!({"mode": "now"}), "required property 'text'"),
        ("wake", json!({"mode": "now", "text": "  "}), "must have 1 to"),
        ("wake", json!({"mode": "soon", "text": "x"}), "unknown variant"),
        ("wake", json!({"mode": "now", "text": "x", "agentId": "nobody"}), "unknown agent id"),
        ("system-event", json!({}), "required property 'text'"),
        ("system-event", json!({"text": "x", "surprise": 1}), "unexpected property 'surprise'"),
        ("set-heartbeats", json!({}), "required property 'enabled'"),
        ("set-heartbeats", json!({"enabled": "yes"}), "invalid type"),
    ];
    for (method, params, words) in rows {
        let answer = client.request(method, params.clone()).await.unwrap();
        let said = answer["error"]["message"].as_str().unwrap_or_default();
        assert_eq!(answer["error"]["code"], "INVALID_REQUEST", "{method} {params}: {answer}");
        assert!(said.contains(words), "{method} {params}: {said}");
    }
    let id = add(&mut client, hourly()).await;
    for (params, words) in [
        (json!({"id": id, "patch": {"state": {}}}), "kept by the gateway"),
        (json!({"id": id, "patch": {"id": "x"}}), "unexpected property 'id'"),
        (json!({"id": id, "patch": {"payload": {"model": "nobody/none"}}}), "no model provider `nobody`"),
        (json!({"id": id, "patch": {}, "expectedConfigRevision": "sha256:x"}), "changed meanwhile"),
    ] {
        let answer = client.request("cron.update", params.clone()).await.unwrap();
        assert!(
            answer["error"]["message"].as_str().unwrap_or_default().contains(words),
            "{params}: {answer}"
        );
    }
    let off = client.call("cron.update", json!({"id": id, "patch": {"enabled": false}})).await.unwrap();
    assert_eq!((&off["enabled"], &off["nextRunAtMs"]), (&json!(false), &Value::Null), "{off}");
    let due = client.call("cron.run", json!({"id": id, "mode": "due"})).await.unwrap();
    assert_eq!(due, json!({"ok": true, "ran": false, "reason": "disabled"}));
    let mut reader = world.with_scopes(&["operator.read"]).await;
    let refused = reader.request("cron.remove", json!({"id": id})).await.unwrap();
    assert_eq!(refused["ok"], false);
    assert_eq!(reader.call("cron.status", json!({})).await.unwrap()["storePath"], "");
}

/// What a command prints, when it ends well.
async fn homard(world: &World, words: &[&str]) -> String {
    let mut command = Command::new(crate::homard());
    command.args(words);
    let mut command = as_owner(command, world.gateway.home());
    command.env("HOMARD_GATEWAY_PORT", world.gateway.port().to_string());
    let output = tokio::time::timeout(WAIT_CAP, command.output()).await.unwrap().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{words:?}: {said}");
    String::from_utf8(output.stdout).unwrap()
}

#[tokio::test]
async fn the_command_line_plans_runs_and_forgets_jobs() {
    let world = World::start().await;
    world.fake.says("the site is up");
    let add = [
        "cron",
        "add",
        "--name",
        "check",
        "--every",
        "1h",
        "--message",
        "is it up?",
        "--no-deliver",
        "--json",
    ];
    let added: Value = serde_json::from_str(&homard(&world, &add).await).unwrap();
    let id = added["id"].as_str().unwrap();
    let list = homard(&world, &["cron", "list"]).await;
    assert!(list.contains("check") && list.contains("every 1h") && list.contains("in 59 min"), "{list}");
    assert_eq!(homard(&world, &["cron", "run", &id[..8], "--wait"]).await.trim(), "the site is up");
    let runs = homard(&world, &["cron", "runs", "check"]).await;
    assert!(runs.contains("ok") && runs.contains("the site is up"), "{runs}");
    let edited =
        homard(&world, &["cron", "edit", "check", "--cron", "0 9 * * 1-5", "--tz", "Europe/Paris"]).await;
    assert!(edited.contains("0 9 * * 1-5 (") && edited.contains("Europe/Paris"), "{edited}");
    assert!(homard(&world, &["cron", "disable", "check"]).await.contains("switched off"));
    assert!(homard(&world, &["cron", "status"]).await.contains("1 job"));
    assert!(homard(&world, &["cron", "rm", "check"]).await.contains("removed: check"));
    assert!(homard(&world, &["system", "event", "--text", "the backup is done"]).await.contains("kept"));
}

#[tokio::test]
async fn a_time_is_meant_in_the_zone_it_is_given_with() {
    let world = World::start().await;
    let add = |when: &[&'static str]| {
        let add = ["cron", "add", "--name", "tea", "--system-event", "tea", "--json"];
        add.into_iter().chain(when.iter().copied()).collect::<Vec<_>>()
    };
    for (at, expected) in [
        ("2031-01-31T09:00", "2031-01-31T08:00:00Z"),
        ("2031-07-31 09:00:30", "2031-07-31T07:00:30Z"),
        ("2031-01-31T09:00:00+05:00", "2031-01-31T09:00:00+05:00"),
    ] {
        let said = homard(&world, &add(&["--at", at, "--tz", "Europe/Paris"])).await;
        let job: Value = serde_json::from_str(&said).unwrap();
        assert_eq!(job["schedule"]["at"], expected, "{at}");
    }
    for (when, words) in [
        (["--every", "1h", "--tz", "Europe/Paris"].as_slice(), "--tz says nothing without"),
        (&["--at", "20m", "--exact"], "says nothing without --cron"),
        (&["--at", "2031-01-31T09:00", "--tz", "Mars/Olympus"], "`Mars/Olympus` is not a time zone"),
    ] {
        let mut command = Command::new(crate::homard());
        command.args(add(when)).env("HOMARD_GATEWAY_PORT", world.gateway.port().to_string());
        let (code, said) = outcome(as_owner(command, world.gateway.home())).await;
        assert!(code != Some(0) && said.contains(words), "{when:?}: {said}");
    }
}

#[tokio::test]
async fn a_preview_tells_when_a_job_of_that_schedule_is_due() {
    let world = World::start().await;
    let mut client = world.owner().await;
    for schedule in [
        json!({"kind": "cron", "expr": "0 * * * *", "tz": "Europe/Paris"}),
        json!({"kind": "cron", "expr": "30 8 * * 1-5", "tz": "Asia/Tokyo", "staggerMs": 0}),
        json!({"kind": "cron", "expr": "0 2 L * *"}),
        json!({"kind": "at", "at": in_ms(3_600_000)}),
    ] {
        let id = add(&mut client, job(&schedule)).await;
        let preview = client.call("cron.preview", json!({"schedule": schedule, "jobId": id})).await.unwrap();
        let due = client.call("cron.get", json!({"id": id})).await.unwrap();
        assert_eq!(preview["runsAtMs"][0], due["state"]["nextRunAtMs"], "{schedule}");
    }
    let params = json!({"schedule": {"kind": "every", "everyMs": 60_000}, "count": 7});
    let runs = client.call("cron.preview", params).await.unwrap();
    assert_eq!(runs["runsAtMs"].as_array().unwrap().len(), 7);
    for (params, words) in [
        (json!({}), "schedule"),
        (json!({"schedule": {"kind": "cron", "expr": "nonsense"}}), "not a cron expression"),
        (json!({"schedule": {"kind": "cron", "expr": "0 9 * * *", "tz": "Mars/Olympus"}}), "not a time zone"),
        (json!({"schedule": {"kind": "every", "everyMs": 1}}), "everyMs"),
        (json!({"schedule": {"kind": "every", "everyMs": 60_000}, "count": 0}), "count"),
        (json!({"schedule": {"kind": "every", "everyMs": 60_000}, "jobId": "none"}), "no job"),
    ] {
        let answer = client.request("cron.preview", params.clone()).await.unwrap();
        assert_eq!(answer["error"]["code"], "INVALID_REQUEST", "{params}: {answer}");
        assert!(answer["error"]["message"].as_str().unwrap().contains(words), "{params}: {answer}");
    }
}
