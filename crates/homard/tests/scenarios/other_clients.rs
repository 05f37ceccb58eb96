//! What pages and command lines of other makers ask for on load: answered in their shape, and truthfully.

use homard_testkit::{TEST_TOKEN, TestDevice, operator_params};
use serde_json::{Value, json};

use crate::scenarios::world::{World, knock};

#[tokio::test]
async fn rooms_that_are_not_furnished_say_that_they_are_empty() {
    let world = World::start().await;
    let mut owner = world.owner().await;
    let session = json!({"sessionKey": "agent:main:main"});
    for (method, params, pointer, expected) in [
        ("channels.status", json!({"probe": false, "timeoutMs": 5}), "/channelOrder", json!([])),
        ("channels.status", json!({}), "/channelAccounts", json!({})),
        ("cron.list", json!({"includeDisabled": true}), "/jobs", json!([])),
        ("cron.list", json!({"limit": 7, "offset": 3}), "/limit", json!(7)),
        ("cron.list", json!({}), "/nextOffset", Value::Null),
        ("cron.runs", json!({"limit": 5}), "/entries", json!([])),
        ("cron.status", json!({}), "/enabled", json!(true)),
        ("node.list", json!({}), "/nodes", json!([])),
        ("node.pair.list", json!({}), "", json!({"pending": [], "paired": []})),
        ("progressCard.get", session.clone(), "", json!({"card": null})),
        ("question.list", json!({}), "", json!({"questions": []})),
        ("sessions.companion.state", session, "", json!({"exchanges": []})),
        ("sessions.describe", json!({"key": "main"}), "", json!({"session": null})),
        ("sessions.groups.list", json!({}), "", json!({"groups": []})),
        ("taskSuggestions.list", json!({}), "", json!({"suggestions": []})),
        ("tasks.list", json!({"status": ["queued", "running"]}), "", json!({"tasks": []})),
    ] {
        let answer = owner.request(method, params).await.unwrap();
        assert_eq!(answer["payload"].pointer(pointer), Some(&expected), "{method} answered {answer}");
    }
}

#[tokio::test]
async fn bad_parameters_are_refused_with_words() {
    let world = World::start().await;
    let mut owner = world.owner().await;
    for (method, params, said) in [
        ("agent.identity.get", json!({"agentId": "nobody"}), "unknown agent id \"nobody\""),
        ("channels.status", json!({"channel": "carrier-pigeon"}), "unknown channel: carrier-pigeon"),
        (
            "channels.status",
            json!({"x": 1}),
            "invalid channels.status params: at root: unexpected property 'x'",
        ),
        ("chat.metadata", json!({"x": 1}), "invalid chat.metadata params: at root: unexpected property 'x'"),
        ("chat.startup", json!({}), "session mutation target is unavailable"),
        (
            "cron.list",
            json!({"limit": 201}),
            "invalid cron.list params: at /limit: must be between 1 and 200",
        ),
        ("cron.runs", json!({"limit": 0}), "invalid cron.runs params: at /limit: must be between 1 and 200"),
        ("cron.status", json!({"x": 1}), "invalid cron.status params: at root: unexpected property 'x'"),
        ("node.describe", json!({"nodeId": "nobody"}), "unknown nodeId"),
        (
            "node.describe",
            json!({}),
            "invalid node.describe params: at root: must have required property 'nodeId'",
        ),
        ("sessions.describe", json!({}), "session mutation target is unavailable"),
        (
            "tasks.list",
            json!({"limit": 501}),
            "invalid tasks.list params: at /limit: must be between 1 and 500",
        ),
    ] {
        let answer = owner.request(method, params).await.unwrap();
        assert_eq!(answer["error"]["message"], said, "{method} answered {answer}");
        assert_eq!(answer["error"]["code"], "INVALID_REQUEST", "{method}");
    }
}

#[tokio::test]
async fn a_page_starts_a_conversation_with_one_question() {
    let world = World::start().await;
    let mut owner = world.owner().await;
    let answer = owner.request("chat.startup", json!({"sessionKey": "main", "limit": 10})).await.unwrap();
    let payload = &answer["payload"];
    assert_eq!(payload["sessionKey"], "agent:main:main");
    assert_eq!(payload["messages"], json!([]));
    assert_eq!(payload["metadata"]["swarmEnabled"], false);
    assert!(payload["metadata"]["models"].as_array().is_some_and(|models| !models.is_empty()), "{answer}");
    let commands = owner.request("commands.list", json!({"includeArgs": true})).await.unwrap();
    let listed = commands["payload"]["commands"].as_array().unwrap();
    let stop = listed.iter().find(|command| command["name"] == "stop").unwrap();
    assert_eq!(
        *stop,
        json!({"name": "stop", "nativeName": "stop", "textAliases": ["/stop", "/abort"],
            "description": "stop what is going on", "source": "native", "scope": "both", "acceptsArgs": false})
    );
    let new = listed.iter().find(|command| command["name"] == "new").unwrap();
    let argument = |name: &str| json!({"name": name, "description": format!("[{name}]"), "type": "string"});
    assert_eq!(new["args"], json!([argument("model"), argument("message")]));
}

#[tokio::test]
async fn the_greeting_says_that_the_catalogue_of_models_is_published() {
    let world = World::start().await;
    let owner = world.owner().await;
    assert_eq!(owner.hello()["features"]["capabilities"], json!(["published-model-catalog"]));
}

#[tokio::test]
async fn a_node_is_listed_while_it_is_here_and_remembered_when_it_is_gone() {
    let world = World::start().await;
    let mut owner = world.owner().await;
    let mut params = operator_params(TEST_TOKEN);
    params["client"] = json!({"id": "node-host", "mode": "node", "version": "7", "platform": "linux",
        "displayName": "shed"});
    params["role"] = json!("node");
    params["scopes"] = json!([]);
    params["commands"] = json!(["system.run"]);
    let device = TestDevice::new().unwrap();
    let node = knock(&world.gateway.url(), params, Some(&device)).await.unwrap().0;
    owner.next_event_where("presence", |event| event.to_string().contains("shed")).await.unwrap();
    let answer = owner.request("node.list", json!({})).await.unwrap();
    let listed = &answer["payload"]["nodes"][0];
    for (field, expected) in [
        ("displayName", json!("shed")),
        ("version", json!("7")),
        ("paired", json!(true)),
        ("connected", json!(true)),
        // What it offers cannot be used yet.
        ("commands", json!([])),
    ] {
        assert_eq!(listed[field], expected, "{field} in {answer}");
    }
    let id = listed["nodeId"].clone();
    let described = owner.request("node.describe", json!({"nodeId": id})).await.unwrap();
    assert_eq!(described["payload"]["displayName"], "shed");
    drop(node);
    // An older list without the node may still be unheard; the one that tells of its leaving is the last.
    loop {
        owner.next_event_where("presence", |event| !event.to_string().contains("shed")).await.unwrap();
        let answer = owner.request("node.list", json!({})).await.unwrap();
        if answer["payload"]["nodes"][0]["connected"] == false {
            break;
        }
    }
}
