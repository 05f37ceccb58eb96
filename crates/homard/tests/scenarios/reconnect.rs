//! Clients that come, go and come back while something is said, and many of them at once.

use futures_util::future::join_all;
use homard_testkit::{Speech, TestHome, Turn};
use serde_json::{Value, json};

use crate::scenarios::world::{KEY, OPENAI, World, first_delta, history, launch, said, say, talk, text_of};

#[tokio::test]
async fn a_run_goes_on_without_its_client_and_a_newcomer_catches_up() {
    let world = World::start().await;
    let gate = world.fake.gate("said while you were away");
    let mut client = world.owner().await;
    let run = say(&mut client, KEY, "tell me").await;
    first_delta(&mut client, &run).await;
    drop(client);

    let mut back = world.owner().await;
    let page = back.call("chat.history", json!({"sessionKey": KEY})).await.unwrap();
    assert_eq!(page["inFlightRun"], json!({"runId": run, "text": "said "}));
    assert_eq!(said(page["messages"].as_array().unwrap()), [("user".to_owned(), "tell me".to_owned())]);
    gate.release();
    let last = back.wait_chat_final(&run).await.unwrap();
    assert_eq!(text_of(&last["message"]), "said while you were away");
    let page = back.call("chat.history", json!({"sessionKey": KEY})).await.unwrap();
    assert_eq!(page.get("inFlightRun"), None);
    assert_eq!(page["totalMessages"], 2);
    let first = back.events().iter().find_map(|event| event["seq"].as_u64());
    assert_eq!(first, Some(1), "every connection counts from one");
}

#[tokio::test]
async fn two_clients_with_the_same_key_at_once_start_one_run() {
    let world = World::start().await;
    let mut clients = Vec::new();
    for _ in 0..8 {
        clients.push(world.owner().await);
    }
    let params = json!({"sessionKey": KEY, "message": "together", "idempotencyKey": "same"});
    let answers = join_all(clients.iter_mut().map(|client| client.call("chat.send", params.clone()))).await;
    let started = answers.iter().filter(|answer| answer.as_ref().unwrap()["status"] == "started").count();
    assert_eq!(started, 1, "{answers:?}");
    clients[0].wait_chat_final("same").await.unwrap();
    assert_eq!(world.fake.requests().len(), 1);
    assert_eq!(history(&mut clients[1], KEY).await.len(), 2);
}

#[tokio::test]
async fn fifty_sessions_at_once_each_get_their_own_answer() {
    let world = World::start().await;
    let mut client = world.owner().await;
    let mut runs = Vec::new();
    for n in 0..50 {
        // The fake answers with as many words as the message asks for.
        let text = format!("session {n} [[chunks={}]]", n + 1);
        runs.push(say(&mut client, &format!("agent:main:many{n}"), &text).await);
    }
    for (n, run) in runs.iter().enumerate() {
        let last = client.wait_chat_final(run).await.unwrap();
        assert_eq!(text_of(&last["message"]).split_whitespace().count(), n + 1, "{last}");
        assert_eq!(last["sessionKey"], format!("agent:main:many{n}"));
    }
    let list = client.call("sessions.list", json!({"limit": 5})).await.unwrap();
    assert_eq!(list["totalCount"], 50);
}

#[tokio::test]
async fn what_is_said_between_tools_is_one_answer_joined_by_blank_lines() {
    let world = World::start().await;
    let speech = Speech {
        words: vec!["Let me ".into(), "look.".into()],
        calls: vec![("exec".into(), json!({"command": "true"}))],
        ..Speech::default()
    };
    world.fake.turn(Turn::Answers(speech)).says("All good.");
    let mut client = world.owner().await;
    let run = say(&mut client, KEY, "check").await;
    let last = client.wait_chat_final(&run).await.unwrap();
    assert_eq!(text_of(&last["message"]), "Let me look.\n\nAll good.");
    let deltas: String = client
        .events()
        .iter()
        .filter(|event| event["event"] == "chat")
        .filter_map(|event| event["payload"]["deltaText"].as_str())
        .collect();
    assert_eq!(deltas, "Let me look.\n\nAll good.");
    let texts: Vec<String> = history(&mut client, KEY)
        .await
        .iter()
        .filter(|message| message["role"] == "assistant")
        .map(text_of)
        .collect();
    assert_eq!(texts, ["Let me look.", "All good."], "the transcript keeps them apart");
}

#[tokio::test]
async fn without_any_model_the_demo_answers_and_says_what_it_is() {
    let home = TestHome::new().unwrap();
    let gateway = homard_testkit::TestGateway::start(launch(), home).await.unwrap();
    let mut client = gateway.operator().await.unwrap();
    assert_eq!(client.hello()["snapshot"]["sessionDefaults"]["modelConfigured"], false);
    let last = talk(&mut client, "main", "hello, who are you?").await;
    assert_eq!(last["state"], "final", "{last}");
    assert!(text_of(&last["message"]).to_lowercase().contains("demo"), "{last}");
    let messages = history(&mut client, "main").await;
    assert_eq!(messages[1]["provider"], "demo", "{messages:?}");
    let ran = talk(&mut client, "main", "run `echo it-really-ran`").await;
    assert!(text_of(&ran["message"]).contains("it-really-ran"), "{ran}");
}

#[tokio::test]
async fn a_run_that_takes_too_long_is_stopped_and_says_so() {
    let world = World::start_with(OPENAI, |_| {}).await;
    world.fake.hangs();
    let mut client = world.owner().await;
    // Long enough for the model to be asked on a busy machine: what is shown is that the asking ends.
    let params = json!({"sessionKey": KEY, "message": "hurry", "idempotencyKey": "slow", "timeoutMs": 3_000});
    client.call("chat.send", params).await.unwrap();
    let last: Value = client.wait_chat_final("slow").await.unwrap();
    assert_eq!((&last["state"], &last["errorKind"]), (&json!("error"), &json!("timeout")), "{last}");
    world.fake.wait_for_hangups(1).await.unwrap();
    assert_eq!(talk(&mut client, KEY, "again").await["state"], "final");
}
