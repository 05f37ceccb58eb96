//! Nodes: what they offer needs a yes, commands reach them and come back, and no node can do harm to anybody else.

use std::time::Duration;

use homard_testkit::{ProofVersion, TEST_TOKEN, TestClient, TestDevice, TestNode, node_params};
use serde_json::{Value, json};
use tokio::process::Command;

use crate::scenarios::world::{OPENAI, World, as_owner};

pub(crate) async fn joins(world: &World, device: &TestDevice, changes: Value) -> TestNode {
    TestNode::join(&world.gateway.url(), TEST_TOKEN, device, changes).await.unwrap()
}

pub(crate) fn offering(commands: &[&str]) -> Value {
    json!({"commands": commands})
}

/// What the owner is asked about a node.
pub(crate) async fn asked(owner: &mut TestClient, node: &str) -> Value {
    let is_it = |payload: &Value| payload["nodeId"] == node;
    owner.next_event_where("node.pair.requested", is_it).await.unwrap()["payload"].take()
}

/// A node whose commands the owner approved.
pub(crate) async fn approved(
    world: &World,
    owner: &mut TestClient,
    device: &TestDevice,
    changes: Value,
) -> TestNode {
    let node = joins(world, device, changes).await;
    let request = asked(owner, node.id()).await["requestId"].clone();
    owner.call("node.pair.approve", json!({"requestId": request})).await.unwrap();
    node
}

pub(crate) async fn listed(client: &mut TestClient, node: &str) -> Value {
    let nodes = client.call("node.list", json!({})).await.unwrap();
    nodes["nodes"].as_array().unwrap().iter().find(|row| row["nodeId"] == node).cloned().unwrap_or_default()
}

pub(crate) fn wants(node: &TestNode, command: &str, key: &str) -> Value {
    json!({"nodeId": node.id(), "command": command, "params": {"n": 1}, "idempotencyKey": key})
}

/// Error code, message and the code in its details.
pub(crate) fn refusal(answer: &Value) -> (String, String, String) {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let error = &answer["error"];
    (text(&error["code"]), text(&error["message"]), text(&error["details"]["code"]))
}

#[tokio::test]
async fn a_node_offers_nothing_before_the_owner_says_yes_and_the_question_survives_a_restart() {
    let mut world = World::start().await;
    let device = TestDevice::new().unwrap();
    let mut owner = world.owner().await;
    let node =
        joins(&world, &device, offering(&["system.notify", "system.which", "made.up", "camera.snap"])).await;
    let mut question = asked(&mut owner, node.id()).await;
    let expected = json!({"requestId": question["requestId"], "nodeId": node.id(), "displayName": "shed",
        "platform": "linux", "version": "1", "caps": ["system"], "commands": ["system.notify", "system.which"],
        "remoteIp": "127.0.0.1", "silent": true,
        "requiredApproveScopes": ["operator.pairing", "operator.admin"], "ts": question["ts"]});
    assert_eq!(question, expected, "what no list allows is not even asked");
    let row = listed(&mut owner, node.id()).await;
    assert_eq!(
        (&row["commands"], &row["caps"], &row["approvalState"], &row["connected"]),
        (&json!([]), &json!([]), &json!("pending-approval"), &json!(true))
    );
    let early = owner.request("node.invoke", wants(&node, "system.notify", "k1")).await.unwrap();
    let (code, message, _) = refusal(&early);
    assert_eq!(code, "INVALID_REQUEST");
    assert!(message.starts_with("node command not allowed: command not approved"), "{message}");

    drop(node);
    world.gateway.restart().await.unwrap();
    let mut owner = world.owner().await;
    let waiting = owner.call("node.pair.list", json!({})).await.unwrap();
    assert_eq!(waiting["pending"], json!([question.take()]));
    let node =
        joins(&world, &device, offering(&["system.notify", "system.which", "made.up", "camera.snap"])).await;
    let request = waiting["pending"][0]["requestId"].clone();
    assert_eq!(listed(&mut owner, node.id()).await["pendingRequestId"], request, "the same question");
    let yes = owner.call("node.pair.approve", json!({"requestId": request})).await.unwrap();
    assert_eq!(yes["node"]["commands"], json!(["system.notify", "system.which"]));
    let resolved = owner.next_event("node.pair.resolved").await.unwrap()["payload"].take();
    assert_eq!((&resolved["decision"], &resolved["requestId"]), (&json!("approved"), &request));
    let row = listed(&mut owner, node.id()).await;
    assert_eq!(
        (&row["commands"], &row["approvalState"]),
        (&json!(["system.notify", "system.which"]), &json!("approved"))
    );
    let again = owner.request("node.pair.approve", json!({"requestId": request})).await.unwrap();
    assert_eq!(refusal(&again).1, "unknown requestId");
}

#[tokio::test]
async fn a_command_goes_to_the_node_and_its_result_comes_back_in_both_spellings() {
    let world = World::start().await;
    let mut owner = world.owner().await;
    let device = TestDevice::new().unwrap();
    let mut node = approved(&world, &mut owner, &device, json!({})).await;
    for (n, result, payload, text) in [
        (0, json!({"ok": true, "payload": {"shown": 1}}), json!({"shown": 1}), json!(null)),
        (1, json!({"ok": true, "payloadJSON": "{\"a\":[]}"}), json!({"a": []}), json!("{\"a\":[]}")),
        (2, json!({"ok": true}), json!(null), json!(null)),
    ] {
        let mut params = wants(&node, "system.notify", &format!("k{n}"));
        params["timeoutMs"] = json!(20_000);
        params["sessionKey"] = json!("agent:main:main");
        let sent = owner.send("node.invoke", params).await.unwrap();
        let command = node.next_command().await.unwrap();
        let expected = json!({"id": command["id"], "nodeId": node.id(), "command": "system.notify",
            "paramsJSON": "{\"n\":1}", "timeoutMs": 20_000, "idempotencyKey": format!("k{n}"),
            "sessionKey": "agent:main:main"});
        assert_eq!(command, expected);
        assert_eq!(node.result(&command, result).await.unwrap()["payload"], json!({"ok": true}));
        let answer = owner.response(&sent).await.unwrap();
        let expected = json!({"ok": true, "nodeId": node.id(), "command": "system.notify",
            "payload": payload, "payloadJSON": text});
        assert_eq!(answer["payload"], expected, "{answer}");
    }
    let numbered = node.client.events().iter().filter(|event| event.get("seq").is_some()).count();
    assert_eq!(numbered, 0, "events to nodes are not counted");

    let sent = owner.send("node.invoke", wants(&node, "system.notify", "bad")).await.unwrap();
    let command = node.next_command().await.unwrap();
    let error = json!({"code": "NO_SCREEN", "message": "it is dark"});
    node.result(&command, json!({"ok": false, "error": error})).await.unwrap();
    let answer = owner.response(&sent).await.unwrap();
    assert_eq!(refusal(&answer), ("UNAVAILABLE".into(), "NO_SCREEN: it is dark".into(), "NO_SCREEN".into()));
    assert_eq!(answer["error"]["details"]["nodeError"], error);
}

#[tokio::test]
async fn nobody_waits_longer_than_they_said_and_the_node_is_told_to_stop() {
    let world = World::start().await;
    let mut owner = world.owner().await;
    let mut node = approved(&world, &mut owner, &TestDevice::new().unwrap(), json!({})).await;
    let mut params = wants(&node, "system.notify", "k");
    params["timeoutMs"] = json!(50);
    let sent = owner.send("node.invoke", params).await.unwrap();
    let command = node.next_command().await.unwrap();
    let answer = owner.response(&sent).await.unwrap();
    assert_eq!(refusal(&answer), ("UNAVAILABLE".into(), "node invoke timed out".into(), "TIMEOUT".into()));
    let cancel = node.client.next_event("node.invoke.cancel").await.unwrap()["payload"].take();
    assert_eq!(cancel, json!({"invokeId": command["id"], "nodeId": node.id()}));
    let late = node.answer(&command, json!(1)).await.unwrap();
    assert_eq!(late["payload"], json!({"ok": true, "ignored": true}));
}

#[tokio::test]
async fn a_node_that_leaves_fails_what_it_was_asked_at_once_and_nobody_else_notices() {
    let world = World::start().await;
    let mut owner = world.owner().await;
    let mut leaving = approved(&world, &mut owner, &TestDevice::new().unwrap(), json!({})).await;
    let mut staying = approved(&world, &mut owner, &TestDevice::new().unwrap(), json!({})).await;
    let lost = owner.send("node.invoke", wants(&leaving, "system.notify", "a")).await.unwrap();
    let kept = owner.send("node.invoke", wants(&staying, "system.notify", "b")).await.unwrap();
    leaving.next_command().await.unwrap();
    let command = staying.next_command().await.unwrap();
    let gone = leaving.id().to_owned();
    drop(leaving);
    let answer = owner.response(&lost).await.unwrap();
    assert_eq!(
        refusal(&answer),
        ("UNAVAILABLE".into(), "node disconnected (system.notify)".into(), "DISCONNECTED".into())
    );
    staying.answer(&command, json!("fine")).await.unwrap();
    assert_eq!(owner.response(&kept).await.unwrap()["payload"]["payload"], "fine");
    let params = json!({"nodeId": gone, "command": "system.notify", "idempotencyKey": "c"});
    let answer = owner.request("node.invoke", params).await.unwrap();
    assert_eq!(refusal(&answer), ("UNAVAILABLE".into(), "node not connected".into(), "NOT_CONNECTED".into()));
    let params = json!({"nodeId": "nobody", "command": "system.notify", "idempotencyKey": "d"});
    let answer = owner.request("node.invoke", params).await.unwrap();
    assert_eq!(refusal(&answer).2, "PAIRING_CHANGED");
}

#[tokio::test]
async fn the_same_request_runs_once_while_it_is_under_way_and_after() {
    let world = World::start().await;
    let mut owner = world.owner().await;
    let mut node = approved(&world, &mut owner, &TestDevice::new().unwrap(), json!({})).await;
    let first = owner.send("node.invoke", wants(&node, "system.notify", "k")).await.unwrap();
    let command = node.next_command().await.unwrap();
    let second = owner.send("node.invoke", wants(&node, "system.notify", "k")).await.unwrap();
    let other = owner.request("node.invoke", wants(&node, "device.info", "k")).await.unwrap();
    assert_eq!(refusal(&other).1, "idempotencyKey was used for another request");
    node.answer(&command, json!(7)).await.unwrap();
    let payload = owner.response(&first).await.unwrap()["payload"].take();
    assert_eq!(payload["payload"], 7);
    assert_eq!(owner.response(&second).await.unwrap()["payload"], payload);
    let third = owner.call("node.invoke", wants(&node, "system.notify", "k")).await.unwrap();
    assert_eq!(third, payload);
    let commands =
        node.client.events().iter().filter(|event| event["event"] == "node.invoke.request").count();
    assert_eq!(commands, 1);
}

#[tokio::test]
async fn a_node_that_lies_is_refused_and_logged_and_reaches_nobody() {
    let world = World::start().await;
    let mut owner = world.owner().await;
    let mut honest = approved(&world, &mut owner, &TestDevice::new().unwrap(), json!({})).await;
    let mut liar = approved(&world, &mut owner, &TestDevice::new().unwrap(), json!({})).await;
    let sent = owner.send("node.invoke", wants(&honest, "system.notify", "k")).await.unwrap();
    let command = honest.next_command().await.unwrap();
    let secret = "payload-that-must-not-be-logged";

    let stolen = json!({"id": command["id"], "nodeId": honest.id(), "ok": true, "payload": secret});
    let answer = liar.client.request("node.invoke.result", stolen).await.unwrap();
    assert_eq!(refusal(&answer).1, "nodeId mismatch");
    let guessed = liar.result(&command, json!({"ok": true, "payload": secret})).await.unwrap();
    assert_eq!(guessed["payload"], json!({"ok": true, "ignored": true}), "not its command");
    let unknown =
        liar.result(&json!({"id": "never-was"}), json!({"ok": true, "payload": secret})).await.unwrap();
    assert_eq!(unknown["payload"], json!({"ok": true, "ignored": true}));
    let progress = json!({"invokeId": command["id"], "nodeId": liar.id(), "seq": 0, "chunk": secret});
    let answer = liar.client.request("node.invoke.progress", progress).await.unwrap();
    assert_eq!(answer["payload"], json!({"ok": true, "ignored": true}));
    let long = json!({"invokeId": "x", "nodeId": liar.id(), "seq": 0, "chunk": "x".repeat(16_385)});
    let answer = liar.client.request("node.invoke.progress", long).await.unwrap();
    assert_eq!(refusal(&answer).1, "progress chunk too large");

    honest.answer(&command, json!("true")).await.unwrap();
    assert_eq!(owner.response(&sent).await.unwrap()["payload"]["payload"], "true");
    let log = world.gateway.logged("a node spoke for another one").await.unwrap();
    assert!(!log.contains(secret), "{log}");
}

#[tokio::test]
async fn a_node_that_offers_more_is_asked_about_again_and_one_that_offers_less_loses_it() {
    let world = World::start().await;
    let mut owner = world.owner().await;
    let device = TestDevice::new().unwrap();
    let node = approved(&world, &mut owner, &device, offering(&["system.notify"])).await;
    drop(node);
    let node = joins(&world, &device, offering(&["device.info", "system.notify"])).await;
    let more = asked(&mut owner, node.id()).await;
    assert_eq!(more["commands"], json!(["device.info", "system.notify"]));
    let row = listed(&mut owner, node.id()).await;
    assert_eq!(
        (&row["commands"], &row["approvalState"], &row["pendingDeclaredCommands"]),
        (&json!(["system.notify"]), &json!("pending-reapproval"), &more["commands"]),
        "what was approved stays usable"
    );
    drop(node);
    let node = joins(&world, &device, offering(&["device.info"])).await;
    let other = asked(&mut owner, node.id()).await;
    let old =
        owner.next_event_where("node.pair.resolved", |p| p["requestId"] == more["requestId"]).await.unwrap();
    assert_eq!(old["payload"]["decision"], "rejected", "another question took its place");
    assert_eq!(listed(&mut owner, node.id()).await["commands"], json!([]));
    owner.call("node.pair.reject", json!({"requestId": other["requestId"]})).await.unwrap();
    assert_eq!(listed(&mut owner, node.id()).await["approvalState"], "approved");
    drop(node);
    let node = joins(&world, &device, offering(&["system.notify"])).await;
    let row = listed(&mut owner, node.id()).await;
    assert_eq!((&row["commands"], &row["approvalState"]), (&json!(["system.notify"]), &json!("approved")));
}

#[tokio::test]
async fn the_owners_lists_count_without_a_restart() {
    let world = World::start_with(OPENAI, |config| {
        config["gateway"]["nodes"] =
            json!({"allowCommands": ["camera.snap"], "commands": {"deny": ["device.info"]}});
    })
    .await;
    let mut owner = world.owner().await;
    let device = TestDevice::new().unwrap();
    let offered = offering(&["camera.snap", "device.info", "system.notify"]);
    let node = approved(&world, &mut owner, &device, offered).await;
    assert_eq!(listed(&mut owner, node.id()).await["commands"], json!(["camera.snap", "system.notify"]));
    let hash = owner.call("config.get", json!({})).await.unwrap()["hash"].clone();
    let raw = json!({"gateway": {"nodes": {"denyCommands": ["system.notify"]}}}).to_string();
    owner.call("config.patch", json!({"raw": raw, "baseHash": hash})).await.unwrap();
    crate::scenarios::world::until("the list to count", async || {
        let mut owner = world.owner().await;
        (listed(&mut owner, node.id()).await["commands"] == json!(["camera.snap"])).then_some(())
    })
    .await;
    let answer = owner.request("node.invoke", wants(&node, "system.notify", "k")).await.unwrap();
    assert_eq!(refusal(&answer).1, "node command not allowed: command denied by gateway.nodes.denyCommands");
}

#[tokio::test]
async fn who_may_approve_and_invoke_depends_on_the_command() {
    let world = World::start().await;
    let mut owner = world.owner().await;
    let mut clerk = world.with_scopes(&["operator.pairing"]).await;
    let mut writer = world.with_scopes(&["operator.pairing", "operator.write"]).await;
    let ordinary = joins(&world, &TestDevice::new().unwrap(), offering(&["system.notify"])).await;
    let far = joins(&world, &TestDevice::new().unwrap(), offering(&["browser.proxy"])).await;
    let bare = joins(&world, &TestDevice::new().unwrap(), offering(&[])).await;
    let mut ids = Vec::new();
    for node in [&ordinary, &far, &bare] {
        ids.push(asked(&mut owner, node.id()).await["requestId"].clone());
    }
    for (id, missing) in [
        (&ids[0], "missing scope: operator.write"),
        (&ids[1], "missing scope: operator.admin"),
        (&ids[2], ""),
    ] {
        let answer = clerk.request("node.pair.approve", json!({"requestId": id})).await.unwrap();
        assert_eq!(refusal(&answer).1, missing);
    }
    let answer = writer.request("node.pair.approve", json!({"requestId": ids[1]})).await.unwrap();
    assert_eq!(refusal(&answer).1, "missing scope: operator.admin");
    writer.call("node.pair.approve", json!({"requestId": ids[0]})).await.unwrap();
    owner.call("node.pair.approve", json!({"requestId": ids[1]})).await.unwrap();

    for (command, refused) in [
        ("browser.proxy", "missing scope: operator.admin"),
        ("fs.listDir", "missing scope: operator.admin"),
        ("system.execApprovals.get", "node.invoke does not allow system.execApprovals.*"),
        ("system.run", "system.run needs an approved request"),
    ] {
        let answer = writer.request("node.invoke", wants(&far, command, command)).await.unwrap();
        assert!(refusal(&answer).1.starts_with(refused), "{command}: {answer}");
    }
}

#[tokio::test]
async fn a_node_that_is_removed_is_hung_up_on_and_must_ask_again() {
    let world = World::start().await;
    let mut owner = world.owner().await;
    let device = TestDevice::new().unwrap();
    let mut node = approved(&world, &mut owner, &device, json!({})).await;
    let name = json!({"nodeId": node.id(), "displayName": " Garden shed "});
    let renamed = owner.call("node.rename", name).await.unwrap();
    assert_eq!(renamed, json!({"nodeId": node.id(), "displayName": "Garden shed"}));
    let described = owner.call("node.describe", json!({"nodeId": node.id()})).await.unwrap();
    assert_eq!(described["displayName"], "Garden shed");
    let removed = owner.call("node.pair.remove", json!({"nodeId": node.id()})).await.unwrap();
    assert_eq!(removed, json!({"nodeId": node.id()}));
    let told = owner.next_event_where("node.pair.resolved", |p| p["decision"] == "removed").await.unwrap();
    assert_eq!(told["payload"]["requestId"], "");
    assert_eq!(node.client.close_code().await.unwrap(), (4001, "node removed".to_owned()));
    assert_eq!(listed(&mut owner, node.id()).await, Value::Null);
    let node = joins(&world, &device, json!({})).await;
    assert_eq!(listed(&mut owner, node.id()).await["approvalState"], "pending-approval");
}

#[tokio::test]
async fn bad_parameters_are_refused_with_words() {
    let world = World::start().await;
    let mut owner = world.owner().await;
    let mut node = approved(&world, &mut owner, &TestDevice::new().unwrap(), json!({})).await;
    let id = node.id().to_owned();
    for (method, params, words) in [
        ("node.describe", json!({}), "required property 'nodeId'"),
        ("node.describe", json!({"nodeId": "nobody"}), "unknown nodeId"),
        ("node.describe", json!({"nodeId": id, "x": 1}), "unexpected property 'x'"),
        ("node.rename", json!({"nodeId": id, "displayName": "  "}), "displayName required"),
        ("node.rename", json!({"nodeId": id, "displayName": "x".repeat(65)}), "at most 64 characters"),
        ("node.rename", json!({"nodeId": "nobody", "displayName": "x"}), "unknown nodeId"),
        ("node.pair.approve", json!({"requestId": 7}), "invalid"),
        ("node.pair.reject", json!({"requestId": "no"}), "unknown requestId"),
        ("node.pair.remove", json!({"nodeId": ""}), "nodeId required"),
        ("node.pair.remove", json!({"nodeId": "nobody"}), "unknown nodeId"),
        ("node.invoke", json!({"nodeId": id, "command": "a.b"}), "required property 'idempotencyKey'"),
        ("node.invoke", json!({"nodeId": id, "command": "a", "idempotencyKey": ""}), "at /idempotencyKey"),
        (
            "node.invoke",
            json!({"nodeId": id, "command": " ", "idempotencyKey": "k"}),
            "nodeId and command required",
        ),
        (
            "node.invoke",
            json!({"nodeId": id, "command": "a", "idempotencyKey": "k", "timeoutMs": -1}),
            "invalid",
        ),
        (
            "node.invoke",
            json!({"nodeId": id, "command": "a", "idempotencyKey": "k", "more": 1}),
            "unexpected property",
        ),
        (
            "node.invoke",
            json!({"nodeId": id, "command": "made.up", "idempotencyKey": "k"}),
            "not allowlisted",
        ),
        (
            "node.invoke",
            json!({"nodeId": id, "command": "device.info", "idempotencyKey": "k"}),
            "not declared",
        ),
        ("node.pending.enqueue", json!({"nodeId": id, "type": "dance"}), "invalid"),
        ("node.pending.enqueue", json!({"nodeId": "nobody", "type": "status.request"}), "unknown nodeId"),
        (
            "node.pending.enqueue",
            json!({"nodeId": id, "type": "status.request", "expiresInMs": 1}),
            "at /expiresInMs",
        ),
        ("voicewake.set", json!({"triggers": "hey"}), "invalid"),
        ("voicewake.set", json!({}), "required property 'triggers'"),
        ("exec.approvals.node.get", json!({}), "required property 'nodeId'"),
        ("exec.approvals.node.set", json!({"nodeId": id}), "required property 'file'"),
        ("exec.approvals.node.get", json!({"nodeId": id}), "not declared by node"),
    ] {
        let answer = owner.request(method, params.clone()).await.unwrap();
        let (code, message, _) = refusal(&answer);
        assert!(code == "INVALID_REQUEST" && message.contains(words), "{method} {params}: {answer}");
    }
    for (method, params, words) in [
        ("node.invoke.result", json!({"id": "x", "ok": true}), "required property 'nodeId'"),
        ("node.invoke.result", json!({"id": "x", "nodeId": "other", "ok": true}), "nodeId mismatch"),
        ("node.invoke.result", json!({"id": "x", "nodeId": id, "ok": "yes"}), "invalid"),
        ("node.invoke.progress", json!({"invokeId": "x", "nodeId": id, "seq": -1, "chunk": ""}), "invalid"),
        ("node.event", json!({}), "required property 'event'"),
        ("node.event", json!({"event": "x", "more": 1}), "unexpected property"),
        ("node.pending.ack", json!({"ids": []}), "at least one"),
        ("node.pending.drain", json!({"maxItems": 11}), "at /maxItems"),
        ("node.pluginSurface.refresh", json!({"surface": ""}), "surface required"),
    ] {
        let answer = node.client.request(method, params.clone()).await.unwrap();
        let (code, message, _) = refusal(&answer);
        assert!(code == "INVALID_REQUEST" && message.contains(words), "{method} {params}: {answer}");
    }
    let surface = node.client.call("node.pluginSurface.refresh", json!({"surface": "canvas"})).await.unwrap();
    assert_eq!(surface["pluginSurfaceUrls"], node.client.hello()["pluginSurfaceUrls"], "{surface}");
}

#[tokio::test]
async fn a_local_device_asks_when_the_owner_wants_to_be_asked() {
    let world = World::start_with(OPENAI, |config| {
        config["gateway"]["nodes"] = json!({"pairing": {"autoApproveLocal": false}});
    })
    .await;
    let device = TestDevice::new().unwrap();
    let refused = TestNode::join(&world.gateway.url(), TEST_TOKEN, &device, json!({})).await.err().unwrap();
    assert_eq!(refused.error["details"]["code"], "PAIRING_REQUIRED", "{refused}");
    let mut owner = world.with_scopes(&["operator.pairing", "operator.read"]).await;
    let request = refused.error["details"]["requestId"].clone();
    owner.call("device.pair.approve", json!({"requestId": request})).await.unwrap();
    let node = joins(&world, &device, json!({})).await;
    assert_eq!(asked(&mut owner, node.id()).await.get("silent"), None, "a person let it in");
}

#[tokio::test]
async fn a_node_of_protocol_3_is_served() {
    let world = World::start().await;
    let device = TestDevice::new().unwrap();
    let mut client = TestClient::connect(&world.gateway.url()).await.unwrap();
    let mut params = node_params(TEST_TOKEN, json!({"minProtocol": 3, "maxProtocol": 3}));
    params["device"] = device.proof(ProofVersion::V2, &params, client.challenge());
    assert_eq!(client.handshake(params).await.unwrap()["protocol"], 4);
}

#[tokio::test]
async fn the_command_line_shows_approves_and_asks_nodes() {
    let world = World::start().await;
    let mut node = joins(&world, &TestDevice::new().unwrap(), json!({})).await;
    let homard = |args: &[&str]| {
        let mut command = as_owner(Command::new(crate::homard()), world.gateway.home());
        command.args(args).args(["--url", &world.gateway.url()]);
        command
    };
    let said = async |args: &[&str]| {
        let output = homard(args).output().await.unwrap();
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    assert!(said(&["nodes"]).await.contains("waits"));
    assert!(said(&["nodes", "pending"]).await.contains("system.notify"));
    assert!(said(&["nodes", "approve", "--latest"]).await.contains("shed may offer system.notify"));
    let listed: Value = serde_json::from_str(&said(&["nodes", "list", "--json"]).await).unwrap();
    assert_eq!(listed["nodes"][0]["commands"], json!(["system.notify"]));
    let asking = homard(&["nodes", "notify", "--node", "shed", "--title", "Tea"]).output();
    let answering = async {
        let command = node.next_command().await.unwrap();
        node.answer(&command, json!({"shown": true})).await.unwrap()
    };
    let (asked, _) = tokio::join!(asking, answering);
    let asked = asked.unwrap();
    assert!(String::from_utf8_lossy(&asked.stdout).contains("\"shown\": true"), "{asked:?}");
    assert!(said(&["nodes", "rename", "--node", "shed", "--name", "barn"]).await.contains("is barn now"));
    assert!(said(&["nodes", "describe", "--node", "barn"]).await.contains("system.notify"));
    let refused =
        homard(&["nodes", "invoke", "--node", "barn", "--command", "system.run"]).output().await.unwrap();
    assert!(!refused.status.success());
    assert!(said(&["nodes", "remove", "--node", "barn"]).await.contains("removed: barn"));
    let (code, _) =
        tokio::time::timeout(Duration::from_secs(30), node.client.close_code()).await.unwrap().unwrap();
    assert_eq!(code, 4001);
}
