//! Turns in which the model uses tools: who hears of it, what the model gets back, what is kept.

use homard_testkit::{FakeLlm, TestClient};
use serde_json::{Value, json};

use crate::scenarios::world::{ANTHROPIC, KEY, OPENAI, World, history, say, talk, text_of};

/// The tool results in the newest model request, whatever the dialect, in order.
fn results(fake: &FakeLlm) -> Vec<String> {
    let asked = fake.requests().pop().unwrap().body;
    let mut found = Vec::new();
    for message in asked["messages"].as_array().unwrap() {
        if message["role"] == "tool" {
            found.push(text_of(message));
        }
        for block in message["content"].as_array().into_iter().flatten() {
            if block["type"] == "tool_result" {
                found.push(text_of(block));
            }
        }
    }
    found
}

/// The phases of tool events a client heard under `name`.
fn tool_phases(client: &TestClient, name: &str) -> Vec<String> {
    let events = client.events().iter().filter(|event| event["event"] == name);
    let tools = events.map(|event| &event["payload"]).filter(|payload| payload["stream"] == "tool");
    tools.map(|payload| payload["data"]["phase"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn files_are_written_edited_and_read_over_both_wire_apis() {
    for api in [OPENAI, ANTHROPIC] {
        let world = World::start_with(api, |_| {}).await;
        let mut client = world.owner().await;
        let steps = [
            ("write", json!({"path": "note.txt", "content": "red\ngreen\n"})),
            ("edit", json!({"path": "note.txt", "oldText": "green", "newText": "blue"})),
            ("read", json!({"path": "note.txt"})),
        ];
        for (tool, arguments) in steps {
            world.fake.calls(tool, arguments);
        }
        world.fake.says("it is blue");
        let last = talk(&mut client, KEY, "paint").await;
        assert_eq!((&last["state"], text_of(&last["message"])), (&json!("final"), "it is blue".to_owned()));
        let results = results(&world.fake);
        assert_eq!(results.len(), 3, "{api}: {results:?}");
        assert!(results[2].contains("red\nblue"), "{api}: {results:?}");
        let file = world.gateway.home().state_dir().join("workspace/note.txt");
        assert_eq!(std::fs::read_to_string(file).unwrap(), "red\nblue\n", "{api}");
        let roles: Vec<Value> =
            history(&mut client, KEY).await.iter_mut().map(|m| m["role"].take()).collect();
        let expected = [
            "user",
            "assistant",
            "toolResult",
            "assistant",
            "toolResult",
            "assistant",
            "toolResult",
            "assistant",
        ];
        assert_eq!(roles, expected, "{api}");
    }
}

#[tokio::test]
async fn only_who_started_the_run_and_asked_for_it_hears_tool_steps() {
    let world = World::start().await;
    world.fake.calls("exec", json!({"command": "echo from the shell"})).says("ran it");
    let mut starter = world.owner().await;
    let mut bystander = world.owner().await;
    let mut subscriber = world.owner().await;
    subscriber.call("sessions.subscribe", json!({})).await.unwrap();
    let run = say(&mut starter, KEY, "run it").await;
    for client in [&mut starter, &mut bystander, &mut subscriber] {
        client.wait_chat_final(&run).await.unwrap();
    }
    let phases = tool_phases(&starter, "agent");
    assert_eq!((phases.first().unwrap().as_str(), phases.last().unwrap().as_str()), ("start", "result"));
    let result = starter
        .events()
        .iter()
        .find(|event| event["payload"]["stream"] == "tool" && event["payload"]["data"]["phase"] == "result")
        .unwrap();
    let data = &result["payload"]["data"];
    assert_eq!((&data["name"], &data["isError"]), (&json!("exec"), &json!(false)));
    assert!(text_of(&data["result"]).contains("from the shell"), "{data}");
    assert_eq!(tool_phases(&starter, "session.tool"), Vec::<String>::new(), "never both");
    assert_eq!(tool_phases(&bystander, "agent"), Vec::<String>::new());
    assert_eq!(tool_phases(&bystander, "session.tool"), Vec::<String>::new());
    assert_eq!(tool_phases(&subscriber, "agent"), Vec::<String>::new());
    assert_eq!(tool_phases(&subscriber, "session.tool"), phases, "the same story under another name");
}

#[tokio::test]
async fn a_starter_without_the_capability_hears_no_tool_steps() {
    let world = World::start().await;
    world.fake.calls("read", json!({"path": "nothing"})).says("read it");
    let mut plain = world.with_scopes(&["operator.write"]).await;
    talk(&mut plain, KEY, "run it").await;
    assert_eq!(tool_phases(&plain, "agent"), Vec::<String>::new());
}

#[tokio::test]
async fn calls_made_together_are_answered_together_and_in_order() {
    for api in [OPENAI, ANTHROPIC] {
        let world = World::start_with(api, |_| {}).await;
        let workspace = world.gateway.home().state_dir().join("workspace");
        std::fs::create_dir_all(&workspace).unwrap();
        let names = ["a.txt", "b.txt", "c.txt"];
        for name in names {
            std::fs::write(workspace.join(name), format!("this is {name}")).unwrap();
        }
        world.fake.calls_many(names.map(|name| ("read".to_owned(), json!({"path": name}))));
        world.fake.says("read them all");
        let mut client = world.owner().await;
        talk(&mut client, KEY, "read").await;
        let results = results(&world.fake);
        assert_eq!(results.len(), 3, "{api}: {results:?}");
        for (result, name) in results.iter().zip(names) {
            assert!(result.contains(&format!("this is {name}")), "{api}: {results:?}");
        }
    }
}

#[tokio::test]
async fn what_goes_wrong_in_a_tool_is_told_to_the_model_and_not_the_end() {
    let cases = [
        ("frobnicate", json!({}), "frobnicate"),
        ("read", json!({"path": "no-such-file.txt"}), "no-such-file.txt"),
        ("read", json!({"wrong": true}), ""),
        ("exec", json!({"command": "exit 3"}), "3"),
        ("read", json!({"path": "../../../etc/passwd-not-there"}), ""),
    ];
    let world = World::start().await;
    let mut client = world.owner().await;
    for (tool, arguments, words) in cases {
        world.fake.calls(tool, arguments.clone()).says("noted");
        let last = talk(&mut client, KEY, "try").await;
        assert_eq!(text_of(&last["message"]).trim(), "noted", "{tool} {arguments}: {last}");
        let result = results(&world.fake).pop().unwrap();
        assert!(!result.is_empty() && result.contains(words), "{tool} {arguments}: {result}");
    }
}

#[tokio::test]
async fn a_denied_tool_is_not_offered_and_not_run() {
    let world = World::start_with(OPENAI, |config| config["tools"] = json!({"deny": ["exec"]})).await;
    let marker = world.gateway.home().path().join("was-run");
    world.fake.calls("exec", json!({"command": format!("touch {}", marker.display())})).says("very well");
    let mut client = world.owner().await;
    talk(&mut client, KEY, "run it").await;
    let offered = &world.fake.requests()[0].body["tools"];
    let names: Vec<&Value> =
        offered.as_array().unwrap().iter().map(|tool| &tool["function"]["name"]).collect();
    assert!(names.contains(&&json!("read")) && !names.contains(&&json!("exec")), "{names:?}");
    assert!(!marker.exists());
}

#[tokio::test]
async fn a_command_does_not_see_the_gateways_secrets() {
    let world = World::start().await;
    world.fake.calls("exec", json!({"command": "env"})).says("seen");
    let mut client = world.owner().await;
    talk(&mut client, KEY, "look around").await;
    let seen = results(&world.fake).pop().unwrap();
    assert!(seen.contains("PATH=") && !seen.contains("test-token") && !seen.contains("test-key"), "{seen}");
}

#[tokio::test]
async fn commands_are_not_offered_where_none_may_run() {
    let less = [
        json!({"tools": {"exec": {"security": "deny"}}}),
        json!({"tools": {"exec": {"host": "sandbox"}}}),
        json!({"agents": {"defaults": {"sandbox": {"mode": "all"}}}}),
        json!({"agents": {"list": [{"id": "main", "tools": {"exec": {"mode": "deny"}}}]}}),
    ];
    for extra in less {
        let world = World::start_with(OPENAI, |config| merge(config, &extra)).await;
        let mut client = world.owner().await;
        talk(&mut client, KEY, "hello").await;
        let tools = world.fake.requests()[0].body["tools"].to_string();
        assert!(tools.contains("\"read\"") && !tools.contains("\"exec\""), "{extra}: {tools}");
    }
    let world = World::start().await;
    let mut client = world.owner().await;
    client.call("sessions.patch", json!({"key": KEY, "execSecurity": "deny"})).await.unwrap();
    talk(&mut client, KEY, "hello").await;
    assert!(!world.fake.requests()[0].body["tools"].to_string().contains("\"exec\""));
}

/// Lays `extra` over a configuration.
fn merge(config: &mut Value, extra: &Value) {
    match (config, extra) {
        (Value::Object(config), Value::Object(extra)) => {
            for (key, value) in extra {
                merge(config.entry(key.clone()).or_insert(Value::Null), value);
            }
        }
        (config, extra) => *config = extra.clone(),
    }
}
