//! Conversations that belong into a sandbox, as long as there is none: no commands, and no files but their own.

use homard_testkit::TestClient;
use serde_json::{Value, json};

use crate::scenarios::world::{OPENAI, World, talk, text_of};

const MAIN: &str = "agent:main:main";
const GUEST: &str = "agent:main:story";

async fn sandboxed(sandbox: Value) -> World {
    World::start_with(OPENAI, |config| config["agents"]["defaults"]["sandbox"] = sandbox).await
}

/// The tools the model was told about in its newest request.
fn offered(world: &World) -> Vec<String> {
    let body = world.fake.requests().pop().unwrap().body;
    let tools = body["tools"].as_array().cloned().unwrap_or_default();
    tools.iter().map(|tool| tool["function"]["name"].as_str().unwrap().to_owned()).collect()
}

/// What the model is told a call came to.
async fn outcome(world: &World, client: &mut TestClient, key: &str, tool: &str, args: Value) -> String {
    world.fake.calls(tool, args).says("done");
    talk(client, key, "do it").await;
    let asked = world.fake.requests().pop().unwrap().body;
    let result = asked["messages"].as_array().unwrap().iter().rfind(|message| message["role"] == "tool");
    text_of(result.unwrap())
}

#[tokio::test]
async fn non_main_leaves_the_main_conversation_alone_and_takes_commands_from_all_others() {
    let world = sandboxed(json!({"mode": "non-main", "workspaceAccess": "rw"})).await;
    let mut client = world.owner().await;
    talk(&mut client, MAIN, "hello").await;
    let tools = offered(&world);
    assert!(
        tools.iter().any(|tool| tool == "exec") && tools.iter().any(|tool| tool == "process"),
        "{tools:?}"
    );
    talk(&mut client, GUEST, "hello").await;
    let tools = offered(&world);
    assert!(!tools.iter().any(|tool| tool == "exec" || tool == "process"), "{tools:?}");
    assert!(tools.iter().any(|tool| tool == "read") && tools.iter().any(|tool| tool == "write"), "{tools:?}");
    let explained = client.call("tools.explain", json!({"sessionKey": GUEST})).await.unwrap();
    let rows = explained["tools"].as_array().unwrap().iter();
    let said: Vec<&str> =
        rows.filter(|tool| tool["offered"] == true).map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(said, tools);
    assert!(explained["notices"].to_string().contains("there is no sandbox yet"), "{explained}");
}

#[tokio::test]
async fn a_sandboxed_conversation_has_no_files_outside_its_folder() {
    let world = sandboxed(json!({"mode": "all", "workspaceAccess": "rw"})).await;
    let home = world.gateway.home().path().to_owned();
    let outside = home.join("outside.txt");
    std::fs::write(&outside, "a secret").unwrap();
    let mut client = world.owner().await;
    let path = outside.display().to_string();
    // Each in a conversation of its own: what is looked at outside makes a conversation one that is asked about.
    let new = home.join("new.txt").display().to_string();
    outcome(&world, &mut client, "agent:main:a", "write", json!({"path": new, "content": "x"})).await;
    assert!(!home.join("new.txt").exists());
    let edit = json!({"path": path, "oldText": "a", "newText": "b"});
    outcome(&world, &mut client, "agent:main:b", "edit", edit).await;
    assert_eq!(std::fs::read_to_string(&outside).unwrap(), "a secret");
    outcome(&world, &mut client, "agent:main:c", "write", json!({"path": "mine.txt", "content": "x"})).await;
    let workspace = world.gateway.home().state_dir().join("workspace");
    assert_eq!(std::fs::read_to_string(workspace.join("mine.txt")).unwrap(), "x");
    std::os::unix::fs::symlink(&outside, workspace.join("link.txt")).unwrap();
    for (key, path) in [("agent:main:d", path.as_str()), ("agent:main:e", "link.txt")] {
        let seen = outcome(&world, &mut client, key, "read", json!({"path": path})).await;
        assert!(seen.contains("sandbox") && !seen.contains("a secret"), "{path}: {seen}");
    }
}

#[tokio::test]
async fn workspace_access_says_what_it_has_of_the_workspace() {
    let world = sandboxed(json!({"mode": "non-main"})).await;
    let workspace = world.gateway.home().state_dir().join("workspace");
    let mut client = world.owner().await;
    talk(&mut client, MAIN, "hello").await;
    std::fs::write(workspace.join("plans.txt"), "a secret").unwrap();
    let seen = outcome(&world, &mut client, GUEST, "read", json!({"path": "plans.txt"})).await;
    assert!(!seen.contains("a secret"), "{seen}");
    let whole = workspace.join("plans.txt").display().to_string();
    let seen = outcome(&world, &mut client, GUEST, "read", json!({"path": whole})).await;
    assert!(seen.contains("sandbox") && !seen.contains("a secret"), "{seen}");
    outcome(&world, &mut client, GUEST, "write", json!({"path": "own.txt", "content": "x"})).await;
    assert!(!workspace.join("own.txt").exists());
    let seen = outcome(&world, &mut client, GUEST, "read", json!({"path": "own.txt"})).await;
    assert!(seen.contains('x'), "{seen}");
    let boxes = world.gateway.home().state_dir().join("sandboxes");
    assert_eq!(std::fs::read_dir(boxes).unwrap().count(), 1);

    let world = sandboxed(json!({"mode": "non-main", "workspaceAccess": "ro"})).await;
    let workspace = world.gateway.home().state_dir().join("workspace");
    let mut client = world.owner().await;
    talk(&mut client, MAIN, "hello").await;
    std::fs::write(workspace.join("plans.txt"), "known").unwrap();
    let seen = outcome(&world, &mut client, GUEST, "read", json!({"path": "plans.txt"})).await;
    assert!(seen.contains("known"), "{seen}");
    let tools = offered(&world);
    assert!(!tools.iter().any(|tool| tool == "write" || tool == "edit"), "{tools:?}");
}

#[tokio::test]
async fn a_sandboxed_conversation_starts_no_agent_outside_and_sees_only_what_it_started() {
    let world = World::start_with(OPENAI, |config| {
        config["agents"]["defaults"]["subagents"] = json!({"allowAgents": ["*"]});
        config["agents"]["list"] = json!([
            {"id": "main", "sandbox": {"mode": "non-main"}},
            {"id": "free", "sandbox": {"mode": "off"}},
        ]);
        config["tools"] = json!({"sessions": {"visibility": "all"}, "agentToAgent": {"enabled": true}});
    })
    .await;
    let mut client = world.owner().await;
    talk(&mut client, MAIN, "hello").await;
    let spawn = json!({"task": "look around", "agentId": "free"});
    let seen = outcome(&world, &mut client, GUEST, "sessions_spawn", spawn).await;
    assert!(seen.contains("belongs into a sandbox"), "{seen}");
    let seen = outcome(&world, &mut client, GUEST, "sessions_history", json!({"sessionKey": MAIN})).await;
    assert!(seen.contains("you see only the sessions you started"), "{seen}");
    let seen = outcome(&world, &mut client, MAIN, "sessions_list", json!({})).await;
    assert!(seen.contains(GUEST), "{seen}");
}
