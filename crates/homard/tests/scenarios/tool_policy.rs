//! Which tools a conversation is offered, and that the explanation is what really happens.

use serde_json::{Value, json};
use tokio::process::Command;

use crate::scenarios::world::{KEY, OPENAI, World, as_owner, talk};

/// The tools the model was told about in its newest request.
fn offered(world: &World) -> Vec<String> {
    let body = world.fake.requests().pop().unwrap().body;
    let tools = body["tools"].as_array().cloned().unwrap_or_default();
    tools.iter().map(|tool| tool["function"]["name"].as_str().unwrap().to_owned()).collect()
}

async fn command_line(world: &World, words: &[&str]) -> (bool, String) {
    let mut command = as_owner(Command::new(crate::homard()), world.gateway.home());
    command.env("HOMARD_GATEWAY_URL", world.gateway.url()).args(words);
    let output = command.output().await.unwrap();
    let said = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8(said).unwrap())
}

#[tokio::test]
async fn what_is_explained_is_what_the_model_is_offered() {
    let configurations = [
        json!({}),
        json!({"profile": "minimal", "alsoAllow": ["read"]}),
        json!({"profile": "coding", "deny": ["group:runtime"]}),
        json!({"byProvider": {"fake": {"allow": ["web_*", "read"]}}}),
        json!({"allow": ["exec", "wriet"]}),
    ];
    for tools in configurations {
        let world = World::start_with(OPENAI, |config| config["tools"] = tools.clone()).await;
        let mut client = world.owner().await;
        talk(&mut client, KEY, "hello").await;
        let explained = client.call("tools.explain", json!({"sessionKey": KEY})).await.unwrap();
        let rows = explained["tools"].as_array().unwrap().iter();
        let said: Vec<String> = rows
            .filter(|tool| tool["offered"] == json!(true))
            .map(|tool| tool["name"].as_str().unwrap().to_owned())
            .collect();
        assert_eq!(said, offered(&world), "{tools}");
        let effective = client.call("tools.effective", json!({"sessionKey": KEY})).await.unwrap();
        let rows = effective["groups"][0]["tools"].as_array().unwrap().iter();
        let said: Vec<Value> = rows.map(|tool| tool["id"].clone()).collect();
        assert_eq!(json!(said), json!(offered(&world)), "{tools}");
        let misspelled = explained["notices"].to_string().contains("wriet");
        assert_eq!(misspelled, tools.to_string().contains("wriet"), "{explained}");
    }
}

#[tokio::test]
async fn the_command_line_prints_the_layer_that_decided() {
    let world = World::start_with(OPENAI, |config| {
        config["tools"] = json!({"deny": ["exec"]});
        config["channels"] = json!({"telegram": {"groups": {"-100": {"tools": {"allow": ["read"]}}}}});
    })
    .await;
    let (ok, said) = command_line(&world, &["tools", "explain", "exec"]).await;
    assert!(ok && said.contains("exec is not offered: tools: deny has `exec`"), "{said}");
    assert!(said.contains("To change that: take `exec` out of tools.deny"), "{said}");
    let group = ["tools", "explain", "write", "--session", "agent:main:telegram:group:-100", "--sender", "7"];
    let (ok, said) = command_line(&world, &group).await;
    assert!(ok && said.contains("channels.telegram.groups[-100].tools"), "{said}");
    let decides = said.lines().find(|line| line.contains("decides")).unwrap();
    assert!(decides.starts_with("group"), "{said}");
    let (ok, said) = command_line(&world, &["tools", "explain", "raed"]).await;
    assert!(!ok && said.contains("there is no tool `raed`") && said.contains("read"), "{said}");
    let (ok, said) = command_line(&world, &["tools", "list"]).await;
    let row = said.lines().find(|line| line.starts_with("exec")).unwrap();
    assert!(ok && row.contains("no"), "{said}");
}

#[tokio::test]
async fn the_catalogue_has_every_tool_once_and_the_profiles() {
    let world = World::start().await;
    let mut client = world.owner().await;
    let catalog = client.call("tools.catalog", json!({})).await.unwrap();
    let profiles: Vec<&Value> = catalog["profiles"].as_array().unwrap().iter().map(|p| &p["id"]).collect();
    assert_eq!(json!(profiles), json!(["minimal", "coding", "messaging", "full"]));
    let groups = catalog["groups"].as_array().unwrap();
    let mut names: Vec<&str> = groups
        .iter()
        .flat_map(|group| group["tools"].as_array().unwrap())
        .map(|tool| tool["id"].as_str().unwrap())
        .collect();
    names.sort_unstable();
    let unique = names.windows(2).all(|pair| pair[0] != pair[1]);
    assert!(unique && names.contains(&"exec") && names.contains(&"read"), "{names:?}");
    let missing = client.call("tools.effective", json!({"sessionKey": "agent:main:never"})).await;
    assert!(missing.is_err(), "the session must exist");
}

#[tokio::test]
async fn an_agent_kept_in_its_workspace_keeps_its_file_tools() {
    let world = World::start_with(OPENAI, |config| {
        config["agents"]["list"] = json!([{"id": "main", "tools": {"fs": {"workspaceOnly": true}}}]);
    })
    .await;
    let secret = world.gateway.home().path().join("secret.txt");
    std::fs::write(&secret, "do not read").unwrap();
    world.fake.calls("read", json!({"path": secret})).says("could not");
    let mut client = world.owner().await;
    talk(&mut client, KEY, "read it").await;
    assert!(offered(&world).contains(&"read".to_owned()), "{:?}", offered(&world));
    let asked = world.fake.requests().pop().unwrap().body.to_string();
    assert!(asked.contains("outside the workspace") && !asked.contains("do not read"), "{asked}");
}
