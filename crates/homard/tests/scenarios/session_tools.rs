//! Tools that reach other conversations, models that see, and the gateway itself.

use homard_testkit::{FakeLlm, TEST_TOKEN, TestGateway, TestHome};
use serde_json::{Value, json};

use crate::scenarios::world::{KEY, OPENAI, World, config, launch, say, talk, text_of};

/// The tool results in the newest model request, in order.
fn results(fake: &FakeLlm) -> Vec<String> {
    let asked = fake.requests().pop().unwrap().body;
    let messages = asked["messages"].as_array().unwrap();
    messages.iter().filter(|message| message["role"] == "tool").map(text_of).collect()
}

#[tokio::test]
async fn a_message_to_another_session_is_answered_even_when_there_is_one_place_for_runs() {
    let world = World::start_with(OPENAI, |config| {
        config["tools"] = json!({"sessions": {"visibility": "agent"}});
        config["agents"]["defaults"]["maxConcurrent"] = json!(1);
    })
    .await;
    let mut client = world.owner().await;
    world.fake.says("hello");
    talk(&mut client, "agent:main:other", "hi").await;
    world.fake.calls("sessions_send", json!({"sessionKey": "agent:main:other", "message": "ping"}));
    world.fake.says("pong").says("it said pong");
    let last = talk(&mut client, KEY, "ask the other").await;
    assert_eq!(text_of(&last["message"]), "it said pong");
    let answer: Value = serde_json::from_str(&results(&world.fake)[0]).unwrap();
    assert_eq!((&answer["status"], &answer["reply"]), (&json!("ok"), &json!("pong")), "{answer}");
    let letter = world.fake.requests()[2].body["messages"].as_array().unwrap().last().map(text_of).unwrap();
    assert!(letter.contains(KEY) && letter.ends_with("ping"), "{letter}");
}

#[tokio::test]
async fn other_sessions_are_out_of_reach_unless_the_owner_says_otherwise() {
    let world = World::start().await;
    let mut client = world.owner().await;
    talk(&mut client, "agent:main:other", "hi").await;
    let other = json!({"sessionKey": "agent:main:other", "message": "ping"});
    for tool in ["sessions_send", "sessions_history", "session_status"] {
        world.fake.calls(tool, other.clone());
    }
    world.fake.calls("sessions_list", json!({}));
    world.fake.calls("sessions_search", json!({"query": "hi"})).says("alone");
    talk(&mut client, KEY, "who is there?").await;
    let results = results(&world.fake);
    for refused in &results[..3] {
        assert!(refused.contains("tools.sessions.visibility"), "{results:?}");
    }
    assert!(results[3].contains(KEY) && !results[3].contains("agent:main:other"), "{results:?}");
    assert!(!results[4].contains("agent:main:other"), "{results:?}");
}

#[tokio::test]
async fn sessions_are_listed_read_and_described() {
    let world = World::start_with(OPENAI, |config| {
        config["tools"] = json!({"sessions": {"visibility": "all"}});
        config["agents"]["list"] = json!([{"id": "main", "name": "Main"}, {"id": "work"}]);
    })
    .await;
    let mut client = world.owner().await;
    world.fake.says("forty-two");
    talk(&mut client, "agent:main:other", "what is it?").await;
    talk(&mut client, "agent:work:main", "private").await;
    let steps = [
        ("sessions_list", json!({"messageLimit": 2})),
        ("sessions_history", json!({"sessionKey": "other"})),
        ("session_status", json!({"model": "fake/fake-2"})),
        ("agents_list", json!({})),
        ("sessions_search", json!({"query": "did we ever say forty-two or fifty?"})),
    ];
    world.fake.calls_many(steps.map(|(tool, arguments)| (tool.to_owned(), arguments)));
    world.fake.says("seen");
    talk(&mut client, KEY, "look around").await;
    let results = results(&world.fake);
    assert!(results[0].contains("agent:main:other") && results[0].contains("forty-two"), "{results:?}");
    assert!(!results[0].contains("agent:work"), "{results:?}");
    let history: Value = serde_json::from_str(&results[1]).unwrap();
    let said: Vec<&str> =
        history["messages"].as_array().unwrap().iter().map(|line| line["text"].as_str().unwrap()).collect();
    assert_eq!(said, ["what is it?", "forty-two"]);
    assert!(results[2].contains("fake/fake-2") && results[2].contains("Time: "), "{results:?}");
    let agents: Value = serde_json::from_str(&results[3]).unwrap();
    assert_eq!(agents.as_array().unwrap().len(), 1, "only itself may be started: {agents}");
    let found: Value = serde_json::from_str(&results[4]).unwrap();
    let best = &found["results"][0];
    assert_eq!(
        (&best["sessionKey"], &best["role"]),
        (&json!("agent:main:other"), &json!("assistant")),
        "{found}"
    );
    assert_eq!(best["text"], "forty-two", "{found}");
    world.fake.says("with the other model");
    talk(&mut client, KEY, "and now?").await;
    assert_eq!(world.fake.requests().pop().unwrap().body["model"], "fake-2");
}

#[tokio::test]
async fn pictures_are_shown_to_the_model_for_pictures() {
    let (fake, eye) = (FakeLlm::start().await.unwrap(), FakeLlm::start().await.unwrap());
    let config = config(&fake, OPENAI, |config| {
        let mut provider = config["models"]["providers"]["fake"].clone();
        provider["baseUrl"] = json!(eye.openai_url());
        config["models"]["providers"]["eye"] = provider;
        config["models"]["providers"]["fake"]["models"][0]["input"] = json!(["text"]);
        config["agents"]["defaults"]["imageModel"] = json!("eye/fake-1");
    });
    let gateway = TestGateway::start(launch(), TestHome::with_config(&config).unwrap()).await.unwrap();
    let workspace = gateway.home().state_dir().join("workspace");
    std::fs::create_dir_all(&workspace).unwrap();
    std::fs::write(workspace.join("a.png"), b"\x89PNG\r\n\x1a\nrest").unwrap();
    let mut client = gateway.operator().await.unwrap();
    fake.calls("image", json!({"image": "a.png", "prompt": "which animal?"})).says("seen");
    eye.says("a lobster");
    talk(&mut client, KEY, "what is in a.png?").await;
    assert_eq!(results(&fake), ["a lobster"]);
    let asked = eye.requests().pop().unwrap().body.to_string();
    assert!(asked.contains("which animal?") && asked.contains("data:image/png;base64,"), "{asked}");
}

#[tokio::test]
async fn the_gateway_tool_reads_and_changes_the_configuration_and_hides_secrets() {
    let world = World::start().await;
    let mut client = world.owner().await;
    let before = client.call("config.get", json!({})).await.unwrap();
    let change = r#"{agents: {defaults: {timeoutSeconds: 77}}}"#;
    let steps = [
        json!({"action": "config.get"}),
        json!({"action": "config.schema", "path": "agents.defaults.subagents"}),
        json!({"action": "config.patch", "raw": change}),
        json!({"action": "config.patch", "raw": "{agents: 5}", "baseHash": before["hash"]}),
        json!({"action": "config.patch", "raw": change, "baseHash": before["hash"]}),
    ];
    world.fake.calls_many(steps.map(|step| ("gateway".to_owned(), step))).says("done");
    talk(&mut client, KEY, "give me more time").await;
    let results = results(&world.fake);
    assert!(results[0].contains("fake-1") && !results[0].contains(TEST_TOKEN), "{results:?}");
    assert!(!results[0].contains("test-key"), "{results:?}");
    assert!(results[1].contains("maxSpawnDepth"), "{results:?}");
    assert!(results[2].contains("hash") && !results[2].contains("\"ok\":true"), "{results:?}");
    assert!(results[3].contains("agents"), "{results:?}");
    assert!(results[4].contains("\"ok\":true"), "{results:?}");
    let after = client.call("config.get", json!({})).await.unwrap();
    assert_eq!(after["parsed"]["agents"]["defaults"]["timeoutSeconds"], 77, "{after}");
}

#[tokio::test]
async fn a_restart_the_assistant_asked_for_comes_back_with_its_note() {
    let world = World::start().await;
    let mut client = world.owner().await;
    world.fake.calls("gateway", json!({"action": "restart", "note": "fresh paint"})).says("see you soon");
    world.fake.says("I am back");
    let run = say(&mut client, KEY, "restart yourself").await;
    client.wait_chat_final(&run).await.unwrap();
    let told = world.fake.wait_for_request(3).await.unwrap().body;
    let note = told["messages"].as_array().unwrap().last().map(text_of).unwrap();
    assert!(note.contains("[Homard restarted]") && note.contains("fresh paint"), "{note}");
}
