//! Stopping: from the client's word down to the model's socket and the running command.

use serde_json::{Value, json};

use crate::scenarios::world::{
    ANTHROPIC, KEY, OPENAI, World, first_delta, history, say, talk, text_of, until,
};

#[tokio::test]
async fn an_abort_keeps_what_was_said_and_hangs_up_on_the_model() {
    for api in [OPENAI, ANTHROPIC] {
        let world = World::start_with(api, |_| {}).await;
        let _gate = world.fake.gate("half an answer");
        let mut client = world.owner().await;
        let run = say(&mut client, KEY, "go on").await;
        first_delta(&mut client, &run).await;
        let aborted = client.call("chat.abort", json!({"sessionKey": KEY})).await.unwrap();
        assert_eq!(aborted, json!({"ok": true, "aborted": true, "runIds": [run]}));
        let last = client.wait_chat_final(&run).await.unwrap();
        assert_eq!((&last["state"], &last["stopReason"]), (&json!("aborted"), &json!("rpc")), "{api}");
        assert_eq!(text_of(&last["message"]).trim_end(), "half");
        world.fake.wait_for_hangups(1).await.unwrap();

        let kept = history(&mut client, KEY).await.pop().unwrap();
        assert_eq!((text_of(&kept).trim_end(), &kept["stopReason"]), ("half", &json!("aborted")), "{api}");
        world.fake.says("a whole answer");
        let next = talk(&mut client, KEY, "again").await;
        assert_eq!(text_of(&next["message"]), "a whole answer", "{api}: {next}");
    }
}

#[tokio::test]
async fn an_abort_before_the_first_word_leaves_a_conversation_the_model_accepts() {
    for api in [OPENAI, ANTHROPIC] {
        let world = World::start_with(api, |_| {}).await;
        world.fake.hangs();
        let mut client = world.owner().await;
        let run = say(&mut client, KEY, "anyone there?").await;
        world.fake.wait_for_request(1).await.unwrap();
        client.call("chat.abort", json!({"sessionKey": KEY, "runId": run})).await.unwrap();
        assert_eq!(client.wait_chat_final(&run).await.unwrap()["state"], "aborted");
        world.fake.wait_for_hangups(1).await.unwrap();
        world.fake.says("yes");
        assert_eq!(text_of(&talk(&mut client, KEY, "hello?").await["message"]), "yes", "{api}");
    }
}

#[tokio::test]
async fn an_abort_of_the_session_also_drops_what_waits() {
    let world = World::start().await;
    let _gate = world.fake.gate("half an answer");
    let mut client = world.owner().await;
    let first = say(&mut client, KEY, "one").await;
    let second = say(&mut client, KEY, "two").await;
    first_delta(&mut client, &first).await;
    let aborted = client.call("chat.abort", json!({"sessionKey": KEY})).await.unwrap();
    let mut ids: Vec<&str> =
        aborted["runIds"].as_array().unwrap().iter().map(|id| id.as_str().unwrap()).collect();
    ids.sort_unstable();
    let mut expected = [first.as_str(), second.as_str()];
    expected.sort_unstable();
    assert_eq!(ids, expected);
    for run in [&first, &second] {
        assert_eq!(client.wait_chat_final(run).await.unwrap()["state"], "aborted");
    }
    assert_eq!(world.fake.requests().len(), 1);
}

#[tokio::test]
async fn aborting_one_run_leaves_the_waiting_one() {
    let world = World::start().await;
    let _gate = world.fake.gate("half an answer");
    world.fake.says("second answer");
    let mut client = world.owner().await;
    let first = say(&mut client, KEY, "one").await;
    let second = say(&mut client, KEY, "two").await;
    first_delta(&mut client, &first).await;
    client.call("chat.abort", json!({"sessionKey": KEY, "runId": first})).await.unwrap();
    assert_eq!(client.wait_chat_final(&first).await.unwrap()["state"], "aborted");
    let answered = client.wait_chat_final(&second).await.unwrap();
    assert_eq!(text_of(&answered["message"]), "second answer");
}

#[tokio::test]
async fn nothing_to_abort_is_not_an_error() {
    let world = World::start().await;
    let mut client = world.owner().await;
    for params in [json!({"sessionKey": KEY}), json!({"sessionKey": KEY, "runId": "never-was"})] {
        let aborted = client.call("chat.abort", params).await.unwrap();
        assert_eq!(aborted, json!({"ok": true, "aborted": false, "runIds": []}));
    }
}

#[tokio::test]
async fn typing_stop_stops_the_run_and_is_never_told_to_a_model() {
    let world = World::start().await;
    let _gate = world.fake.gate("half an answer");
    let mut client = world.owner().await;
    let run = say(&mut client, KEY, "go on").await;
    first_delta(&mut client, &run).await;
    let stop = json!({"sessionKey": KEY, "message": "/stop", "idempotencyKey": "stop-1"});
    client.call("chat.send", stop).await.unwrap();
    let last = client.wait_chat_final(&run).await.unwrap();
    assert_eq!((&last["state"], &last["stopReason"]), (&json!("aborted"), &json!("stop")));
    world.fake.wait_for_hangups(1).await.unwrap();
    let texts: Vec<String> = history(&mut client, KEY).await.iter().map(text_of).collect();
    assert_eq!(texts, ["go on", "half ", "/stop", "Stopped."]);
    world.fake.says("yes");
    let run = say(&mut client, KEY, "still there?").await;
    client.wait_chat_final(&run).await.unwrap();
    let asked = world.fake.requests().last().unwrap().body.to_string();
    assert!(!asked.contains("/stop") && !asked.contains("Stopped."), "{asked}");
}

#[tokio::test]
async fn after_an_abort_the_model_is_told_once_that_its_answer_was_stopped() {
    const HINT: &str = "was stopped before it was finished";
    let world = World::start().await;
    let _gate = world.fake.gate("half an answer");
    let mut client = world.owner().await;
    let run = say(&mut client, KEY, "go on").await;
    first_delta(&mut client, &run).await;
    client.call("chat.abort", json!({"sessionKey": KEY})).await.unwrap();
    client.wait_chat_final(&run).await.unwrap();
    for text in ["again", "and again"] {
        world.fake.says("a whole answer");
        talk(&mut client, KEY, text).await;
        let asked = world.fake.requests().last().unwrap().body.to_string();
        assert_eq!(asked.matches(HINT).count(), 1, "{asked}");
    }
    let texts: Vec<String> = history(&mut client, KEY).await.iter().map(text_of).collect();
    assert!(!texts.concat().contains(HINT), "people are not shown it: {texts:?}");
}

#[tokio::test]
async fn an_abort_ends_the_command_and_its_children() {
    let world = World::start().await;
    let home = world.gateway.home().path().to_owned();
    let mark = home.join("child.pid");
    // The shell starts a child of its own, as a build script would.
    let command = format!("sh -c 'echo $$ > {}; sleep 600' & wait", mark.display());
    world.fake.calls("exec", json!({"command": command}));
    let mut client = world.owner().await;
    let run = say(&mut client, KEY, "run it").await;
    let pid = until("the command to start", || async {
        std::fs::read_to_string(&mark).ok().filter(|text| text.ends_with('\n'))
    })
    .await;
    client.call("chat.abort", json!({"sessionKey": KEY})).await.unwrap();
    assert_eq!(client.wait_chat_final(&run).await.unwrap()["state"], "aborted");
    let process = std::path::PathBuf::from(format!("/proc/{}/stat", pid.trim()));
    until("the child to be gone", || async {
        // A zombie nobody has collected yet is gone too.
        let stat = std::fs::read_to_string(&process).unwrap_or_default();
        (stat.is_empty() || stat.contains(") Z ")).then_some(())
    })
    .await;
    world.fake.says("fine");
    let next: Value = talk(&mut client, KEY, "still there?").await;
    assert_eq!(text_of(&next["message"]), "fine", "the call has a result, so the conversation is valid");
}

#[tokio::test]
async fn a_waiting_message_can_be_stopped_while_another_is_answered() {
    let world = World::start().await;
    let gate = world.fake.gate("the first answer");
    let mut client = world.owner().await;
    let first = say(&mut client, KEY, "one").await;
    first_delta(&mut client, &first).await;
    let second = say(&mut client, KEY, "two").await;
    let aborted = client.call("chat.abort", json!({"sessionKey": KEY, "runId": second})).await.unwrap();
    assert_eq!(aborted, json!({"ok": true, "aborted": true, "runIds": [second]}));
    assert_eq!(client.wait_chat_final(&second).await.unwrap()["state"], "aborted");
    gate.release();
    assert_eq!(client.wait_chat_final(&first).await.unwrap()["state"], "final");
    assert_eq!(world.fake.requests().len(), 1, "the stopped one never reached the model");
}
