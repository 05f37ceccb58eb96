//! Messages that are commands are obeyed without a model.

use homard_testkit::TestClient;
use serde_json::{Value, json};

use crate::scenarios::world::{KEY, OPENAI, World, first_delta, history, say, talk, text_of};

async fn command(client: &mut TestClient, text: &str, id: &str) -> Value {
    let params = json!({"sessionKey": KEY, "message": text, "idempotencyKey": id});
    client.call("chat.send", params).await.unwrap();
    client.wait_chat_final(id).await.unwrap()
}

#[tokio::test]
async fn help_and_status_are_answered_at_once_even_while_a_run_is_under_way() {
    let world = World::start().await;
    let mut client = world.owner().await;
    let gate = world.fake.gate("an answer");
    let run = say(&mut client, KEY, "go on").await;
    first_delta(&mut client, &run).await;
    let help = text_of(&command(&mut client, "/help", "c1").await["message"]);
    assert!(help.contains("/compact [instructions]") && help.contains("/undo"), "{help}");
    let status = text_of(&command(&mut client, "/status", "c2").await["message"]);
    assert!(status.contains("fake/") && status.contains("1 under way"), "{status}");
    gate.release();
    client.wait_chat_final(&run).await.unwrap();
    assert_eq!(world.fake.requests().len(), 1);
    let shown = history(&mut client, KEY).await;
    let runs: Vec<&Value> = shown.iter().map(|message| &message["__openclaw"]["runId"]).collect();
    let texts: Vec<String> = shown.iter().map(text_of).collect();
    assert_eq!(texts, ["go on", "/help", &help, "/status", &status, "an answer"], "people read them");
    assert_eq!(
        (runs[2], runs[4], runs[5]),
        (&json!("c1"), &json!("c2"), &json!(run)),
        "each has its own run"
    );
    talk(&mut client, KEY, "and now?").await;
    let asked = world.fake.requests().pop().unwrap().body.to_string();
    assert!(asked.contains("an answer") && !asked.contains("/status"), "no model is told: {asked}");
}

#[tokio::test]
async fn a_refused_command_is_in_the_history_with_its_reason() {
    let world = World::start().await;
    let mut client = world.owner().await;
    let params = json!({"sessionKey": KEY, "message": "/bash ls", "idempotencyKey": "b1"});
    client.call("chat.send", params).await.unwrap();
    let shown = history(&mut client, KEY).await;
    assert_eq!(shown.iter().map(text_of).collect::<Vec<_>>(), ["/bash ls", ""]);
    assert_eq!(shown[1]["errorMessage"], "/bash is turned off (commands.bash)");
}

#[tokio::test]
async fn a_command_of_the_owner_runs_in_the_workspace_before_any_turn() {
    let world = World::start_with(OPENAI, |config| config["commands"] = json!({"bash": true})).await;
    let workspace = world.gateway.home().state_dir().join("workspace");
    assert!(!workspace.exists(), "nobody has spoken yet");
    let mut client = world.owner().await;
    let params = json!({"sessionKey": KEY, "message": "/bash pwd", "idempotencyKey": "b1"});
    client.call("chat.send", params).await.unwrap();
    let shown = history(&mut client, KEY).await;
    let said = text_of(&shown[1]);
    assert!(said.contains(workspace.to_str().unwrap()), "{shown:#?}");
}

#[tokio::test]
async fn new_begins_anew_without_a_call_and_goes_on_with_what_stands_behind_it() {
    let world = World::start().await;
    let mut client = world.owner().await;
    talk(&mut client, KEY, "old words").await;
    command(&mut client, "/new", "n1").await;
    let shown: Vec<String> = history(&mut client, KEY).await.iter().map(text_of).collect();
    assert_eq!(shown, ["/new", "A new conversation begins."]);
    assert_eq!(world.fake.requests().len(), 1);
    world.fake.says("hello yourself");
    let last = command(&mut client, "/reset hello", "n2").await;
    assert_eq!(text_of(&last["message"]), "hello yourself");
    let asked = world.fake.requests().pop().unwrap().body.to_string();
    assert!(asked.contains("hello") && !asked.contains("old words") && !asked.contains("/reset"), "{asked}");
    let repeat = json!({"sessionKey": KEY, "message": "/reset hello", "idempotencyKey": "n2"});
    client.call("chat.send", repeat).await.unwrap();
    assert_eq!(history(&mut client, KEY).await.len(), 2, "a repeat does not begin anew");
}

#[tokio::test]
async fn words_that_only_look_like_a_command_reach_the_model() {
    let world = World::start().await;
    let mut client = world.owner().await;
    for text in ["/home/me is my folder", "/stop it please", "what does /help do?"] {
        talk(&mut client, KEY, text).await;
    }
    let params = json!({"sessionKey": KEY, "message": "/help", "idempotencyKey": "plain",
        "suppressCommandInterpretation": true});
    client.call("chat.send", params).await.unwrap();
    client.wait_chat_final("plain").await.unwrap();
    assert_eq!(world.fake.requests().len(), 4);
}

#[tokio::test]
async fn a_conversation_is_compacted_on_request_with_the_persons_instructions() {
    let world = World::start().await;
    let mut client = world.owner().await;
    for n in 0..8 {
        talk(&mut client, KEY, &format!("request {n} {}", "x".repeat(2_000))).await;
    }
    world.fake.says("## Open tasks\nthe blue door");
    let last = command(&mut client, "/compact keep the colours", "k1").await;
    assert!(text_of(&last["message"]).starts_with("Compacted"), "{last}");
    let asked = world.fake.requests().pop().unwrap().body.to_string();
    assert!(asked.contains("keep the colours"), "{asked}");
    let patched = client.call("sessions.patch", json!({"key": KEY, "label": "short"})).await.unwrap();
    assert_eq!(patched["entry"]["compactionCount"], 1, "{patched}");
    world.fake.says("still here");
    talk(&mut client, KEY, "go on").await;
    let asked = world.fake.requests().pop().unwrap().body.to_string();
    assert!(asked.contains("the blue door") && !asked.contains("request 0 "));

    let calls = world.fake.requests().len();
    let cut = client.call("sessions.compact", json!({"key": KEY, "maxLines": 2})).await.unwrap();
    assert_eq!((&cut["compacted"], &cut["kept"]), (&json!(true), &json!(2)), "{cut}");
    let again = client.call("sessions.compact", json!({"key": KEY, "maxLines": 50})).await.unwrap();
    assert_eq!((&again["compacted"], again["reason"].is_string()), (&json!(false), true), "{again}");
    assert_eq!(world.fake.requests().len(), calls, "no model is asked for that");
    world.fake.says("and still");
    assert_eq!(text_of(&talk(&mut client, KEY, "well?").await["message"]), "and still");
}
