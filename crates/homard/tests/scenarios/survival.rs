//! Crashes, restarts and goodbyes: nothing that was acknowledged is lost or done twice.

use std::path::PathBuf;

use homard_testkit::{TestClient, TestGateway};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tokio::net::TcpStream;

use crate::scenarios::world::{
    ANTHROPIC, KEY, OPENAI, World, first_delta, history, said, say, talk, text_of, until,
};

/// Waits until a run is over, across the moments in which the gateway does not know of it yet.
async fn settled(client: TestClient, run: &str) -> (TestClient, Value) {
    let client = tokio::sync::Mutex::new(client);
    let outcome = until("the run to be over", || async {
        let params = json!({"runId": run, "timeoutMs": 1_000});
        let waited = client.lock().await.call("agent.wait", params).await.unwrap();
        (waited["status"] != "timeout").then_some(waited)
    })
    .await;
    (client.into_inner(), outcome)
}

fn transcripts(gateway: &TestGateway) -> Vec<PathBuf> {
    let folder = gateway.home().state_dir().join("agents/main/sessions");
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

fn database(gateway: &TestGateway) -> PathBuf {
    gateway.home().state_dir().join("homard.sqlite")
}

#[tokio::test]
async fn a_run_killed_in_mid_stream_is_marked_and_the_session_goes_on() {
    for api in [OPENAI, ANTHROPIC] {
        let mut world = World::start_with(api, |_| {}).await;
        world.fake.says("before the storm");
        let _gate = world.fake.gate("half an answer");
        let mut client = world.owner().await;
        talk(&mut client, KEY, "calm").await;
        let run = say(&mut client, KEY, "storm").await;
        first_delta(&mut client, &run).await;
        world.gateway.kill9().await.unwrap();
        world.gateway.restart().await.unwrap();

        let (mut client, outcome) = settled(world.owner().await, &run).await;
        assert_eq!(outcome["status"], "error", "{api}: {outcome}");
        assert!(outcome["error"].as_str().is_some_and(|e| e.contains("interrupted")), "{api}: {outcome}");
        let messages = history(&mut client, KEY).await;
        let order: Vec<String> = said(&messages).into_iter().map(|(_, text)| text).take(3).collect();
        assert_eq!(order, ["calm", "before the storm", "storm"], "{api}");
        let note = messages.last().unwrap();
        assert_eq!((&note["role"], &note["stopReason"]), (&json!("assistant"), &json!("aborted")), "{api}");
        assert!(note["errorMessage"].as_str().is_some_and(|e| e.contains("interrupted")), "{api}: {note}");

        world.fake.says("after the storm");
        let next = talk(&mut client, KEY, "sunshine").await;
        assert_eq!(
            text_of(&next["message"]),
            "after the storm",
            "{api}: the strict fake accepted it: {next}"
        );
        let repeat = json!({"sessionKey": KEY, "message": "storm", "idempotencyKey": run});
        let again = client.call("chat.send", repeat).await.unwrap();
        assert_eq!(again["status"], "error", "{api}: a repeat does not run it again");
        assert_eq!(world.fake.requests().len(), 3, "{api}");
    }
}

#[tokio::test]
async fn a_run_killed_during_a_tool_leaves_a_conversation_the_model_accepts() {
    for api in [OPENAI, ANTHROPIC] {
        let mut world = World::start_with(api, |_| {}).await;
        let mark = world.gateway.home().path().join("started");
        let command = format!("touch {}; exec sleep 30", mark.display());
        let calls =
            ["echo one".to_owned(), command].map(|command| ("exec".to_owned(), json!({"command": command})));
        world.fake.calls_many(calls);
        let mut client = world.owner().await;
        let run = say(&mut client, KEY, "run both").await;
        until("the command to start", || async { mark.exists().then_some(()) }).await;
        world.gateway.kill9().await.unwrap();
        world.gateway.restart().await.unwrap();
        let (mut client, outcome) = settled(world.owner().await, &run).await;
        assert_eq!(outcome["status"], "error", "{api}");
        world.fake.says("picked up the pieces");
        let next = talk(&mut client, KEY, "go on").await;
        assert_eq!(text_of(&next["message"]), "picked up the pieces", "{api}: {next}");
    }
}

#[tokio::test]
async fn a_message_that_waited_through_a_crash_is_answered_exactly_once() {
    let mut world = World::start().await;
    let _gate = world.fake.gate("half an answer");
    let mut client = world.owner().await;
    let first = say(&mut client, KEY, "first").await;
    first_delta(&mut client, &first).await;
    let second = say(&mut client, KEY, "second").await;
    let third = say(&mut client, KEY, "third").await;
    world.gateway.kill9().await.unwrap();
    world.fake.says("second answer").says("third answer");
    world.gateway.restart().await.unwrap();

    let (client, outcome) = settled(world.owner().await, &second).await;
    assert_eq!(outcome["terminalReply"]["text"], "second answer", "{outcome}");
    let (client, outcome) = settled(client, &third).await;
    assert_eq!(outcome["terminalReply"]["text"], "third answer", "{outcome}");
    let (mut client, outcome) = settled(client, &first).await;
    assert_eq!(outcome["status"], "error", "{outcome}");
    let texts: Vec<String> = said(&history(&mut client, KEY).await)
        .into_iter()
        .map(|(_, text)| text)
        .filter(|text| !text.is_empty())
        .collect();
    assert_eq!(texts, ["first", "second", "second answer", "third", "third answer"]);
    assert_eq!(world.fake.requests().len(), 3);

    world.gateway.kill9().await.unwrap();
    world.gateway.restart().await.unwrap();
    let mut client = world.owner().await;
    assert_eq!(talk(&mut client, KEY, "fourth").await["state"], "final");
    assert_eq!(world.fake.requests().len(), 4, "nothing is answered again");
}

#[tokio::test]
async fn many_crashes_in_a_row_lose_nothing_that_was_acknowledged() {
    let mut world = World::start().await;
    for n in 0..6 {
        let mut client = world.owner().await;
        // Acknowledged, and then the plug is pulled at whatever moment this is.
        let run = say(&mut client, KEY, &format!("message {n}")).await;
        if n % 2 == 0 {
            world.gateway.kill9().await.unwrap();
            world.gateway.restart().await.unwrap();
            client = world.owner().await;
        }
        let (_client, outcome) = settled(client, &run).await;
        assert!(matches!(outcome["status"].as_str(), Some("ok" | "error")), "{outcome}");
    }
    let mut client = world.owner().await;
    let asked: Vec<String> = said(&history(&mut client, KEY).await)
        .into_iter()
        .filter_map(|(role, text)| (role == "user").then_some(text))
        .collect();
    assert_eq!(asked, (0..6).map(|n| format!("message {n}")).collect::<Vec<String>>());
}

#[tokio::test]
async fn when_asked_to_stop_it_lets_the_running_turn_finish_and_says_goodbye() {
    let mut world = World::start().await;
    let gate = world.fake.gate("a whole answer");
    let mut client = world.owner().await;
    let run = say(&mut client, KEY, "take your time").await;
    first_delta(&mut client, &run).await;
    let waiting = say(&mut client, KEY, "and then this").await;
    let pid = Pid::from_raw(i32::try_from(world.gateway.pid().unwrap()).unwrap()).unwrap();
    kill_process(pid, Signal::TERM).unwrap();
    let port = world.gateway.port();
    until("the door to shut", || async { TcpStream::connect(("127.0.0.1", port)).await.err() }).await;
    let late = json!({"sessionKey": KEY, "message": "too late", "idempotencyKey": "late"});
    let refused = client.request("chat.send", late).await.unwrap();
    assert_eq!(
        (&refused["error"]["code"], &refused["error"]["retryable"]),
        (&json!("UNAVAILABLE"), &json!(true))
    );

    gate.release();
    let last = client.wait_chat_final(&run).await.unwrap();
    assert_eq!((&last["state"], text_of(&last["message"])), (&json!("final"), "a whole answer".to_owned()));
    client.next_event("shutdown").await.unwrap();
    assert_eq!(client.close_code().await.unwrap(), (1012, "service restart".to_owned()));
    assert!(world.gateway.ended().await.unwrap().success());

    world.fake.says("here you are");
    world.gateway.restart().await.unwrap();
    let (mut client, outcome) = settled(world.owner().await, &waiting).await;
    assert_eq!(outcome["terminalReply"]["text"], "here you are", "what waited is answered next time");
    assert_eq!(history(&mut client, KEY).await.len(), 4);
}

#[tokio::test]
async fn a_second_signal_ends_it_at_once_and_the_run_is_marked() {
    let mut world = World::start().await;
    let _gate = world.fake.gate("half an answer");
    let mut client = world.owner().await;
    let run = say(&mut client, KEY, "take your time").await;
    first_delta(&mut client, &run).await;
    let pid = Pid::from_raw(i32::try_from(world.gateway.pid().unwrap()).unwrap()).unwrap();
    kill_process(pid, Signal::TERM).unwrap();
    let port = world.gateway.port();
    until("the door to shut", || async { TcpStream::connect(("127.0.0.1", port)).await.err() }).await;
    kill_process(pid, Signal::TERM).unwrap();
    assert!(!world.gateway.ended().await.unwrap().success());
    world.gateway.restart().await.unwrap();
    let (_client, outcome) = settled(world.owner().await, &run).await;
    assert_eq!(outcome["status"], "error", "{outcome}");
}

#[tokio::test]
async fn a_stop_is_not_held_up_by_idle_or_half_open_clients() {
    let mut world = World::start().await;
    let mut client = world.owner().await;
    let _knocking = TestClient::connect(&world.gateway.url()).await.unwrap();
    let _silent = TcpStream::connect(("127.0.0.1", world.gateway.port())).await.unwrap();
    assert!(world.gateway.terminate().await.unwrap().success());
    assert_eq!(client.close_code().await.unwrap(), (1012, "service restart".to_owned()));
}

#[tokio::test]
async fn a_torn_last_line_is_repaired_and_the_original_kept() {
    let mut world = World::start().await;
    world.fake.says("kept");
    let mut client = world.owner().await;
    talk(&mut client, KEY, "remember").await;
    world.gateway.kill9().await.unwrap();
    let file = transcripts(&world.gateway).remove(0);
    let mut torn = std::fs::read(&file).unwrap();
    torn.extend_from_slice(br#"{"type":"message","id":"torn","mess"#);
    std::fs::write(&file, &torn).unwrap();

    world.gateway.restart().await.unwrap();
    let mut client = world.owner().await;
    world.fake.says("and on");
    assert_eq!(talk(&mut client, KEY, "go on").await["state"], "final");
    let texts: Vec<String> = history(&mut client, KEY).await.iter().map(text_of).collect();
    assert_eq!(texts, ["remember", "kept", "go on", "and on"]);
    for line in std::fs::read_to_string(&file).unwrap().lines() {
        serde_json::from_str::<Value>(line).unwrap();
    }
    let copies: Vec<PathBuf> = transcripts(&world.gateway).into_iter().filter(|path| *path != file).collect();
    assert_eq!(copies.len(), 1, "{copies:?}");
    assert_eq!(std::fs::read(&copies[0]).unwrap(), torn);
}

#[tokio::test]
async fn the_index_over_transcripts_can_be_deleted() {
    let mut world = World::start().await;
    world.fake.says("indexed");
    let mut client = world.owner().await;
    talk(&mut client, KEY, "remember").await;
    world.gateway.kill9().await.unwrap();
    let db = rusqlite::Connection::open(database(&world.gateway)).unwrap();
    db.execute_batch("DELETE FROM transcript_entries; DELETE FROM transcripts;").unwrap();
    drop(db);
    world.gateway.restart().await.unwrap();
    let mut client = world.owner().await;
    let texts: Vec<String> = history(&mut client, KEY).await.iter().map(text_of).collect();
    assert_eq!(texts, ["remember", "indexed"]);
    talk(&mut client, KEY, "again").await;
    let asked = world.fake.requests().pop().unwrap().body.to_string();
    assert!(asked.contains("indexed"), "the model still hears the old words");
}

#[tokio::test]
async fn without_its_database_it_starts_afresh_and_leaves_the_transcripts_alone() {
    let mut world = World::start().await;
    world.fake.says("precious");
    let mut client = world.owner().await;
    talk(&mut client, KEY, "remember").await;
    assert!(world.gateway.terminate().await.unwrap().success());
    let before: Vec<(PathBuf, Vec<u8>)> = transcripts(&world.gateway)
        .into_iter()
        .map(|path| (path.clone(), std::fs::read(path).unwrap()))
        .collect();
    for suffix in ["", "-wal", "-shm"] {
        let mut name = database(&world.gateway).into_os_string();
        name.push(suffix);
        let _may_not_exist = std::fs::remove_file(PathBuf::from(name));
    }
    world.gateway.restart().await.unwrap();
    let mut client = world.owner().await;
    assert_eq!(talk(&mut client, KEY, "hello again").await["state"], "final");
    for (path, bytes) in before {
        assert!(std::fs::read(&path).unwrap().starts_with(&bytes), "{}", path.display());
    }
}
