//! `homard nodes`, `homard node` and `homard devices` beyond a day's use.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use homard_testkit::{TestDevice, TestHome};
use serde_json::{Value, json};

use super::{at_home, typed};
use crate::scenarios::nodes::{approved, offering};
use crate::scenarios::world::{OPENAI, World};

/// A gateway whose owner allows what nodes see.
async fn watching() -> World {
    World::start_with(OPENAI, |config| {
        config["gateway"]["nodes"] =
            json!({"allowCommands": ["camera.snap", "camera.clip", "screen.record"]});
    })
    .await
}

#[tokio::test]
async fn what_a_node_sees_and_shows_is_asked_for_and_kept_in_files() {
    let world = watching().await;
    let mut owner = world.owner().await;
    let all = ["camera.list", "camera.snap", "camera.clip", "screen.record", "canvas.present", "canvas.hide"];
    let mut node = approved(&world, &mut owner, &TestDevice::new().unwrap(), offering(&all)).await;
    let id = node.id().to_owned();
    let folder = world.gateway.home().path().display().to_string();
    let picture = |bytes: &[u8]| json!({"format": "jpg", "base64": STANDARD.encode(bytes)});
    let asks: [(&[&str], Value, Value); 6] = [
        (
            &["camera", "list"],
            json!({"devices": [{"id": "/dev/video0", "name": "front door", "position": "unspecified"}]}),
            json!({}),
        ),
        (
            &["camera", "snap", "--facing", "back", "--max-width", "640", "--out", &folder, "--json"],
            picture(b"tea"),
            json!({"facing": "back", "maxWidth": 640, "format": "jpg"}),
        ),
        (
            &["camera", "clip", "--duration", "2s", "--no-audio", "--out", &folder, "--json"],
            json!({"format": "mp4", "base64": STANDARD.encode(b"film")}),
            json!({"durationMs": 2000, "includeAudio": false, "format": "mp4"}),
        ),
        (
            &["screen", "record", "--fps", "5", "--out", &folder, "--json"],
            json!({"format": "mp4", "base64": STANDARD.encode(b"desk")}),
            json!({"durationMs": 3000, "fps": 5, "includeAudio": true, "format": "mp4"}),
        ),
        (
            &["canvas", "present", "--target", "https://homard.test/", "--width", "300"],
            json!({}),
            json!({"url": "https://homard.test/", "placement": {"width": 300.0}}),
        ),
        (&["canvas", "hide"], Value::Null, json!({})),
    ];
    let mut kept = Vec::new();
    for (words, answer, expected) in asks {
        let words = [&["nodes"], &words[..2], &["--node", &id], &words[2..]].concat();
        let answering = async {
            let command = node.next_command().await.unwrap();
            node.answer(&command, answer).await.unwrap();
            command
        };
        let (said, command) = tokio::join!(typed(&world, &words), answering);
        let params: Value = serde_json::from_str(command["paramsJSON"].as_str().unwrap_or("{}")).unwrap();
        assert_eq!(params, expected, "{words:?}: {command}");
        let out = said.well();
        if let Some(file) = serde_json::from_str::<Value>(&out)
            .ok()
            .and_then(|told| Some(told["files"][0]["path"].as_str()?.to_owned()))
        {
            kept.push(std::fs::read(file).unwrap());
        }
    }
    assert_eq!(kept, [b"tea".to_vec(), b"film".to_vec(), b"desk".to_vec()]);

    let broken = async {
        let command = node.next_command().await.unwrap();
        node.answer(&command, json!({"format": "jpg"})).await.unwrap()
    };
    let words = ["nodes", "camera", "snap", "--node", &id, "--out", &folder];
    let (said, _) = tokio::join!(typed(&world, &words), broken);
    said.badly(1, &["sent no picture"]);
    let long = ["nodes", "camera", "clip", "--node", &id, "--duration", "2h"];
    typed(&world, &long).await.badly(2, &["longer than a minute"]);
    typed(&world, &["nodes", "location", "get", "--node", &id]).await.badly(1, &["command not"]);
    typed(&world, &["nodes", "camera", "snap", "--node", "nobody"])
        .await
        .badly(1, &["no node is called `nobody`"]);
    typed(&world, &["nodes", "camera", "snap"]).await.badly(2, &["--node"]);
    assert!(typed(&world, &["nodes", "status", "--last-connected", "1h"]).await.well().contains("connected"));
    typed(&world, &["nodes", "list", "--last-connected", "soon"]).await.badly(2, &["is not a time"]);
}

#[tokio::test]
async fn the_rules_a_node_keeps_are_read_through_the_gateway() {
    let world = World::start().await;
    let mut owner = world.owner().await;
    let all = ["system.execApprovals.get", "system.execApprovals.set"];
    let mut node = approved(&world, &mut owner, &TestDevice::new().unwrap(), offering(&all)).await;
    let id = node.id().to_owned();
    let rules = typed(&world, &["approvals", "get", "--json"]).await.json();
    let answering = async {
        let command = node.next_command().await.unwrap();
        node.answer(&command, rules.clone()).await.unwrap()
    };
    let get = ["approvals", "get", "--node", &id, "--json"];
    let (said, _) = tokio::join!(typed(&world, &get), answering);
    assert_eq!(said.json(), rules);
    typed(&world, &["approvals", "get", "--node", "nobody"]).await.badly(1, &["no node is called `nobody`"]);
    typed(&world, &["approvals", "get", "--node", &id, "--local"]).await.badly(2, &["--local"]);
}

#[tokio::test]
async fn devices_are_cleared_only_when_told() {
    let world = World::start().await;
    let mut owner = world.owner().await;
    approved(&world, &mut owner, &TestDevice::new().unwrap(), offering(&["system.notify"])).await;
    typed(&world, &["devices", "clear"]).await.badly(2, &["--yes"]);
    let before = typed(&world, &["devices", "list", "--json"]).await.json();
    let paired = before["paired"].as_array().unwrap().len();
    assert!(paired > 0, "{before}");
    let gone = typed(&world, &["devices", "clear", "--yes", "--json"]).await.json();
    assert_eq!(gone["removed"].as_array().map(Vec::len), Some(paired), "{gone}");
    assert!(
        typed(&world, &["devices", "list", "--json"]).await.json()["paired"].as_array().unwrap().is_empty()
    );
}

#[tokio::test]
async fn a_service_of_a_node_names_its_gateway_and_no_secret() {
    let home = TestHome::with_config(&json!({})).unwrap();
    let url = "ws://gateway.test:18789";
    let install = ["node", "install", "--url", url, "--token", "hunter2hunter2", "--dry-run"];
    let shown = at_home(&home, &install).await.well();
    assert!(shown.contains("node run --url ws://gateway.test:18789"), "{shown}");
    assert!(shown.contains("homard-node.service") && !shown.contains("hunter2"), "{shown}");
    at_home(&home, &install[..6]).await.badly(1, &["does not know this node yet", "homard node run"]);
    let status = at_home(&home, &["node", "start"]).await;
    assert_eq!(status.code, 1, "{}", status.out);
}
