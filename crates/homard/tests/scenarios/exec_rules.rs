//! Commands under the owner's rules: what runs, what does not, and how the rules are changed.

use homard_testkit::FakeLlm;
use serde_json::{Value, json};

use crate::scenarios::world::{KEY, OPENAI, World, talk, text_of};

/// What the newest tool call answered.
fn answered(fake: &FakeLlm) -> String {
    let asked = fake.requests().pop().unwrap().body;
    let tool =
        asked["messages"].as_array().unwrap().iter().rfind(|message| message["role"] == "tool").cloned();
    text_of(&tool.unwrap())
}

async fn world(exec: Value) -> World {
    World::start_with(OPENAI, |config| config["tools"] = json!({"exec": exec})).await
}

#[tokio::test]
async fn a_command_runs_once_its_program_is_on_the_list() {
    let world = world(json!({"security": "allowlist", "ask": "off"})).await;
    let mut client = world.owner().await;
    let witness = world.gateway.home().state_dir().join("workspace/witness");

    world.fake.calls("exec", json!({"command": "touch witness"})).says("very well");
    talk(&mut client, KEY, "touch it").await;
    assert!(!witness.exists());
    assert!(answered(&world.fake).contains("not on the owner's list"), "{}", answered(&world.fake));

    let before = client.call("exec.approvals.get", json!({})).await.unwrap();
    assert_eq!((&before["exists"], &before["resolvedDefaults"]["security"]), (&json!(false), &json!("full")));
    let file = json!({"version": 1, "agents": {"main": {"allowlist": [{"pattern": "**/touch"}]}}});
    let after =
        client.call("exec.approvals.set", json!({"file": file, "baseHash": before["hash"]})).await.unwrap();
    assert_eq!((&after["exists"], &after["file"]), (&json!(true), &file));
    let stale = json!({"file": file, "baseHash": before["hash"]});
    assert!(client.call("exec.approvals.set", stale).await.is_err());
    assert!(client.call("exec.approvals.set", json!({"file": {"version": 2}})).await.is_err());

    world.fake.calls("exec", json!({"command": "touch witness"})).says("done");
    talk(&mut client, KEY, "touch it again").await;
    assert!(witness.exists());
    for line in ["bash -c 'touch other'", "touch a && python3 -c 1", "touch $(id)"] {
        world.fake.calls("exec", json!({"command": line})).says("no");
        talk(&mut client, KEY, "more").await;
        assert!(answered(&world.fake).starts_with("not run"), "{line}: {}", answered(&world.fake));
    }
    let noted = client.call("exec.approvals.get", json!({})).await.unwrap();
    assert_eq!(noted["file"]["agents"]["main"]["allowlist"][0]["lastUsedCommand"], json!("touch witness"));
}

#[tokio::test]
async fn a_session_can_be_stricter_than_the_configuration() {
    let world = World::start().await;
    let mut client = world.owner().await;
    client
        .call("sessions.patch", json!({"key": KEY, "execSecurity": "allowlist", "execAsk": "off"}))
        .await
        .unwrap();
    world.fake.calls("exec", json!({"command": "echo hi"})).says("no");
    talk(&mut client, KEY, "say hi").await;
    assert!(answered(&world.fake).starts_with("not run"), "{}", answered(&world.fake));
    client
        .call("sessions.patch", json!({"key": KEY, "execSecurity": null, "execHost": "node"}))
        .await
        .unwrap();
    world.fake.calls("exec", json!({"command": "echo hi"})).says("no");
    talk(&mut client, KEY, "say hi there").await;
    assert!(answered(&world.fake).contains("no node is connected"), "{}", answered(&world.fake));
}

#[tokio::test]
async fn a_file_of_rules_that_cannot_be_read_stops_every_command() {
    let world = World::start().await;
    let mut client = world.owner().await;
    std::fs::write(world.gateway.home().state_dir().join("exec-approvals.json"), "{ not json").unwrap();
    world.fake.calls("exec", json!({"command": "echo hi"})).says("no");
    talk(&mut client, KEY, "say hi").await;
    assert!(answered(&world.fake).contains("not a file of command rules"), "{}", answered(&world.fake));
}
