//! `homard node run`: a second process lends its machine to the gateway, and is obeyed only as far as both sides agree.

use homard_testkit::{TestClient, TestHome};
use serde_json::{Value, json};
use tokio::process::{Child, Command};

use crate::scenarios::world::{KEY, World, as_owner, say, text_of, until};

/// A node in a home of its own.
fn start_node(world: &World, home: &TestHome) -> Child {
    let mut command = Command::new(crate::homard());
    command.args(["node", "run", "--display-name", "shed", "--url", &world.gateway.url()]);
    as_owner(command, home).spawn().unwrap()
}

/// The node's row, once it is as wanted.
async fn row(owner: &mut TestClient, connected: bool) -> Value {
    loop {
        let listed = owner.call("node.list", json!({})).await.unwrap();
        let row =
            listed["nodes"].as_array().unwrap().iter().find(|row| row["displayName"] == "shed").cloned();
        if let Some(row) = row.filter(|row| row["connected"] == connected) {
            return row;
        }
        tokio::task::yield_now().await;
    }
}

async fn approve(owner: &mut TestClient) {
    let asked = owner.next_event("node.pair.requested").await.unwrap();
    let request = json!({"requestId": asked["payload"]["requestId"]});
    owner.call("node.pair.approve", request).await.unwrap();
}

fn invoke(node: &Value, command: &str, params: &Value, key: &str) -> Value {
    json!({"nodeId": node["nodeId"], "command": command, "params": params, "idempotencyKey": key})
}

#[tokio::test]
async fn a_node_is_used_survives_a_restart_of_the_gateway_and_is_missed_when_it_dies() {
    let mut world = World::start().await;
    let mut owner = world.owner().await;
    let home = TestHome::with_config(&json!({})).unwrap();
    let mut node = start_node(&world, &home);
    approve(&mut owner).await;
    let shed = row(&mut owner, true).await;
    let which = invoke(&shed, "system.which", &json!({"bins": ["sh", "no-such-program"]}), "a");
    let found = owner.call("node.invoke", which).await.unwrap();
    assert!(found["payload"]["bins"]["sh"].is_string(), "{found}");
    assert_eq!(found["payload"]["bins"].as_object().unwrap().len(), 1, "{found}");

    world.gateway.terminate().await.unwrap();
    world.gateway.restart().await.unwrap();
    let mut owner = world.owner().await;
    let back = row(&mut owner, true).await;
    assert_eq!(back["nodeId"], shed["nodeId"], "the same node, without another question");

    node.kill().await.unwrap();
    row(&mut owner, false).await;
    let late = owner.request("node.invoke", invoke(&shed, "system.which", &json!({"bins": []}), "b")).await;
    assert_eq!(late.unwrap()["error"]["details"]["code"], "NOT_CONNECTED");
}

#[tokio::test]
async fn what_is_not_on_the_nodes_list_runs_there_only_with_a_persons_yes() {
    let world = World::start().await;
    let mut owner = world.owner().await;
    let home = TestHome::with_config(&json!({})).unwrap();
    let _node = start_node(&world, &home);
    approve(&mut owner).await;
    row(&mut owner, true).await;
    let mark = home.path().join("mark");
    let touch = format!("touch {}", mark.display());
    for (decision, runs) in [("deny", false), ("allow-once", true)] {
        world.fake.calls("exec", json!({"command": touch, "host": "node"})).says("done");
        let run = say(&mut owner, KEY, "leave a mark").await;
        let question = owner.next_event("exec.approval.requested").await.unwrap()["payload"].take();
        assert!(question["request"]["reasons"].to_string().contains("the node's own list"), "{question}");
        assert!(!mark.exists(), "nothing runs before the answer");
        let answer = json!({"id": question["id"], "decision": decision});
        owner.call("exec.approval.resolve", answer).await.unwrap();
        owner.wait_chat_final(&run).await.unwrap();
        assert_eq!(mark.exists(), runs, "{decision}");
    }
    let asked = world.fake.requests().pop().unwrap().body;
    let told: Vec<String> = asked["messages"].as_array().unwrap().iter().map(text_of).collect();
    assert!(told.iter().any(|text| text.contains("(no output)")), "{told:?}");
}

#[tokio::test]
async fn the_command_line_says_who_a_node_is_and_what_it_may() {
    let world = World::start().await;
    let mut owner = world.owner().await;
    let home = TestHome::with_config(&json!({})).unwrap();
    let ask = async |more: &[&str]| -> Value {
        let mut command = Command::new(crate::homard());
        command.arg("node").args(more);
        let output = as_owner(command, &home).output().await.unwrap();
        serde_json::from_slice(&output.stdout).unwrap_or_default()
    };
    let identity = ask(&["identity", "--json"]).await;
    assert!(identity["commands"].to_string().contains("system.run"), "{identity}");
    let url = world.gateway.url();
    let status = ["status", "--json", "--url", &url];
    assert_eq!(ask(&status).await["known"], false);
    let _node = start_node(&world, &home);
    approve(&mut owner).await;
    let known = until("the node's commands", || async {
        let known = ask(&status).await;
        known["node"]["commands"].as_array().is_some_and(|all| !all.is_empty()).then_some(known)
    })
    .await;
    assert_eq!(known["nodeId"], identity["nodeId"]);
}
