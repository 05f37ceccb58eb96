//! Messages that reach a turn while it is under way.

use serde_json::{Value, json};

use crate::scenarios::world::{
    ANTHROPIC, KEY, OPENAI, World, first_delta, history, said, say, talk, text_of, until,
};

fn message(text: &str, id: &str) -> Value {
    json!({"sessionKey": KEY, "message": text, "idempotencyKey": id, "queueMode": "steer"})
}

/// A command that goes on until a file appears.
fn waiting_command(world: &World) -> (std::path::PathBuf, std::path::PathBuf, String) {
    let home = world.gateway.home().path();
    let (begun, end) = (home.join("begun"), home.join("end"));
    let line = format!(
        "touch {}; while [ ! -e {} ]; do sleep 0.01; done; echo done",
        begun.display(),
        end.display()
    );
    (begun, end, line)
}

#[tokio::test]
async fn a_message_steered_into_a_tool_round_is_heard_with_the_next_call() {
    for api in [OPENAI, ANTHROPIC] {
        let world = World::start_with(api, |_| {}).await;
        let mut client = world.owner().await;
        let (begun, end, line) = waiting_command(&world);
        world.fake.calls("exec", json!({"command": line})).says("blue it is");
        let run = say(&mut client, KEY, "paint it red").await;
        until("the command to begin", || async { begun.exists().then_some(()) }).await;
        let sent = client.call("chat.send", message("no, blue", "steered")).await.unwrap();
        assert_eq!(sent["status"], "started", "{api}");
        std::fs::write(&end, "").unwrap();

        let bare = client.wait_chat_final("steered").await.unwrap();
        assert_eq!((&bare["state"], &bare["message"]), (&json!("final"), &Value::Null), "{api}: {bare}");
        let last = client.wait_chat_final(&run).await.unwrap();
        assert_eq!(text_of(&last["message"]), "blue it is", "{api}: {last}");
        let asked = world.fake.requests();
        assert_eq!(asked.len(), 2, "{api}: no call of its own");
        assert!(asked[1].body.to_string().contains("no, blue"), "{api}");
        let messages = history(&mut client, KEY).await;
        let roles: Vec<&str> = messages.iter().map(|m| m["role"].as_str().unwrap()).collect();
        assert_eq!(roles, ["user", "assistant", "toolResult", "user", "assistant"], "{api}");
        assert_eq!(messages[4]["__openclaw"]["runId"], run.as_str(), "{api}: the answer is the first run's");

        let again = client.call("chat.send", message("no, blue", "steered")).await.unwrap();
        assert_eq!(again["status"], "ok", "{api}: a repeat is not said again");
        let waited = client.call("agent.wait", json!({"runId": "steered", "timeoutMs": 1000})).await.unwrap();
        assert_eq!(waited["stopReason"], format!("steered:{run}"), "{api}");
    }
}

#[tokio::test]
async fn a_message_that_comes_too_late_to_be_steered_gets_its_own_turn() {
    let world = World::start().await;
    let mut client = world.owner().await;
    let gate = world.fake.gate("first answer");
    world.fake.says("second answer");
    let run = say(&mut client, KEY, "first").await;
    first_delta(&mut client, &run).await;
    client.call("chat.send", message("second", "late")).await.unwrap();
    gate.release();
    assert_eq!(text_of(&client.wait_chat_final(&run).await.unwrap()["message"]), "first answer");
    assert_eq!(text_of(&client.wait_chat_final("late").await.unwrap()["message"]), "second answer");
    let texts: Vec<String> =
        said(&history(&mut client, KEY).await).into_iter().map(|(_, text)| text).collect();
    assert_eq!(texts, ["first", "first answer", "second", "second answer"]);
}

#[tokio::test]
async fn a_message_waiting_to_be_steered_survives_a_crash_and_is_answered_once() {
    let mut world = World::start().await;
    let mut client = world.owner().await;
    let (begun, end, line) = waiting_command(&world);
    world.fake.calls("exec", json!({"command": line}));
    say(&mut client, KEY, "begin").await;
    until("the command to begin", || async { begun.exists().then_some(()) }).await;
    client.call("chat.send", message("do not forget me", "kept")).await.unwrap();
    world.gateway.kill9().await.unwrap();
    // Nobody is left to end the command.
    std::fs::write(&end, "").unwrap();
    world.fake.says("how could I");
    world.gateway.restart().await.unwrap();
    let mut client = world.owner().await;
    let asked = json!({"runId": "kept", "timeoutMs": 20_000});
    let waited = client.call("agent.wait", asked).await.unwrap();
    assert_eq!(waited["terminalReply"]["text"], "how could I", "{waited}");
    let count =
        said(&history(&mut client, KEY).await).iter().filter(|(_, t)| t == "do not forget me").count();
    assert_eq!(count, 1);
    assert_eq!(world.fake.requests().len(), 2);
}

#[tokio::test]
async fn stopping_the_session_stops_what_waits_to_be_steered_too() {
    let world = World::start().await;
    let mut client = world.owner().await;
    let (begun, _end, line) = waiting_command(&world);
    world.fake.calls("exec", json!({"command": line}));
    let run = say(&mut client, KEY, "begin").await;
    until("the command to begin", || async { begun.exists().then_some(()) }).await;
    client.call("chat.send", message("never mind", "waiting")).await.unwrap();
    client.call("chat.abort", json!({"sessionKey": KEY})).await.unwrap();
    for id in [run.as_str(), "waiting"] {
        assert_eq!(client.wait_chat_final(id).await.unwrap()["state"], "aborted", "{id}");
    }
    assert_eq!(world.fake.requests().len(), 1);
}

#[tokio::test]
async fn the_agent_method_steers_as_the_session_says_unless_the_turn_is_to_be_another() {
    let world = World::start().await;
    let mut client = world.owner().await;
    talk(&mut client, KEY, "hello").await;
    for (id, text, wanted) in [
        ("q1", "/queue", "⚙️ Queue: default"),
        ("q2", "/queue steer", "⚙️ Queue: steer"),
        ("q3", "/queue", "⚙️ Queue: steer"),
    ] {
        let command = json!({"sessionKey": KEY, "message": text, "idempotencyKey": id});
        client.call("chat.send", command).await.unwrap();
        assert_eq!(text_of(&client.wait_chat_final(id).await.unwrap()["message"]), wanted);
    }
    let (begun, end, line) = waiting_command(&world);
    world.fake.calls("exec", json!({"command": line})).says("blue it is").says("by itself");
    let run = say(&mut client, KEY, "paint it red").await;
    until("the command to begin", || async { begun.exists().then_some(()) }).await;
    let mut agent = json!({"sessionKey": KEY, "message": "no, blue", "idempotencyKey": "steered"});
    let first = client.send("agent", agent.clone()).await.unwrap();
    assert_eq!(client.response(&first).await.unwrap()["payload"]["status"], "accepted");
    agent["message"] = json!("in your own words");
    agent["idempotencyKey"] = json!("apart");
    agent["extraSystemPrompt"] = json!("Speak in rhymes.");
    let second = client.send("agent", agent).await.unwrap();
    assert_eq!(client.response(&second).await.unwrap()["payload"]["status"], "accepted");
    std::fs::write(&end, "").unwrap();
    assert_eq!(text_of(&client.wait_chat_final(&run).await.unwrap()["message"]), "blue it is");
    assert_eq!(text_of(&client.wait_chat_final("apart").await.unwrap()["message"]), "by itself");
    let asked: Vec<String> = world.fake.requests().iter().map(|asked| asked.body.to_string()).collect();
    assert_eq!(asked.len(), 4);
    assert!(asked[2].contains("no, blue") && !asked[2].contains("in your own words"));
    assert!(asked[3].contains("in your own words") && asked[3].contains("Speak in rhymes."));
}
