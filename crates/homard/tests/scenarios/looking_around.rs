//! What a client asks to find its way: health, status, who is here, which models, what the log says.

use homard_testkit::{TEST_TOKEN, TestDevice, operator_params};
use serde_json::{Value, json};

use crate::scenarios::world::{KEY, World, knock, talk};

#[tokio::test]
async fn health_and_status_say_what_runs() {
    let world = World::start().await;
    let mut client = world.owner().await;
    talk(&mut client, KEY, "hello").await;
    let health = client.call("health", json!({"probe": true})).await.unwrap();
    assert_eq!((&health["ok"], &health["defaultAgentId"]), (&json!(true), &json!("main")));
    assert_eq!(health["sessions"]["count"], 1, "{health}");
    let status = client.call("status", json!({})).await.unwrap();
    assert_eq!(status["sessions"]["count"], 1, "{status}");
    assert!(status["runtimeVersion"].is_string(), "{status}");
    assert_eq!(client.call("last-heartbeat", json!({})).await.unwrap(), Value::Null);
}

#[tokio::test]
async fn agents_and_models_are_listed() {
    let world = World::start().await;
    let mut client = world.owner().await;
    let agents = client.call("agents.list", json!({})).await.unwrap();
    assert_eq!((&agents["defaultId"], &agents["mainKey"]), (&json!("main"), &json!("main")));
    assert_eq!(agents["agents"][0]["id"], "main");
    assert_eq!(agents["agents"][0]["model"]["primary"], "fake/fake-1");
    let models = client.call("models.list", json!({})).await.unwrap();
    let fake = models["models"].as_array().unwrap().iter().find(|model| model["id"] == "fake-1").unwrap();
    assert_eq!((&fake["provider"], &fake["name"]), (&json!("fake"), &json!("Fake 1")));
    assert!(fake["contextWindow"].is_u64(), "{fake}");
    assert!(!models.to_string().contains("test-key"));
}

#[tokio::test]
async fn the_log_can_be_followed_and_holds_no_secrets() {
    let world = World::start().await;
    let mut client = world.owner().await;
    let wrong = operator_params("a-wrong-guess-of-the-token");
    assert!(knock(&world.gateway.url(), wrong, None).await.is_err());
    talk(&mut client, KEY, "hello").await;
    let tail = client.call("logs.tail", json!({"limit": 500})).await.unwrap();
    let lines = tail["lines"].as_array().unwrap();
    assert!(!lines.is_empty(), "{tail}");
    let all = tail.to_string();
    for secret in [TEST_TOKEN, "test-key", "a-wrong-guess-of-the-token"] {
        assert!(!all.contains(secret), "{secret} is in the log");
    }
    let cursor = tail["cursor"].as_u64().unwrap();
    let next = client.call("logs.tail", json!({"cursor": cursor})).await.unwrap();
    assert!(next["cursor"].as_u64().unwrap() >= cursor);
    let seen = lines.last().unwrap();
    assert!(!next["lines"].as_array().unwrap().contains(seen), "nothing is told twice");
}

#[tokio::test]
async fn people_are_seen_coming_and_going() {
    let world = World::start().await;
    let mut watcher = world.owner().await;
    let mut params = operator_params(TEST_TOKEN);
    params["client"] = json!({"id": "openclaw-tui", "mode": "ui", "version": "9", "platform": "linux"});
    let device = TestDevice::new().unwrap();
    let here = |payload: &Value| {
        payload["presence"].as_array().unwrap().iter().any(|entry| entry["clientId"] == "openclaw-tui")
    };
    let (guest, _) = knock(&world.gateway.url(), params, Some(&device)).await.unwrap();
    let came = watcher.next_event_where("presence", here).await.unwrap();
    assert!(came["stateVersion"]["presence"].is_u64(), "{came}");
    let list = watcher.call("system-presence", json!({})).await.unwrap();
    let entry = list.as_array().unwrap().iter().find(|entry| entry["clientId"] == "openclaw-tui").unwrap();
    assert_eq!((&entry["mode"], &entry["deviceId"]), (&json!("ui"), &json!(device.id())));
    assert!(list.as_array().unwrap().iter().any(|entry| entry["mode"] == "gateway"));
    guest.close().await.unwrap();
    let went = |payload: &Value| {
        let entries = payload["presence"].as_array().unwrap();
        entries.iter().all(|entry| entry["clientId"] != "openclaw-tui" || entry["reason"] == "disconnect")
    };
    let gone = watcher.next_event_where("presence", went).await.unwrap();
    assert!(gone["stateVersion"]["presence"].as_u64() > came["stateVersion"]["presence"].as_u64(), "{gone}");
}

#[tokio::test]
async fn a_long_history_is_read_in_pages() {
    let world = World::start().await;
    let mut client = world.owner().await;
    for n in 0..4 {
        world.fake.says(format!("answer {n}"));
        talk(&mut client, KEY, &format!("question {n}")).await;
    }
    let mut seen = Vec::new();
    let mut offset = json!(0);
    while !offset.is_null() {
        let params = json!({"sessionKey": KEY, "limit": 3, "offset": offset});
        let mut page = client.call("chat.history", params).await.unwrap();
        assert_eq!(page["totalMessages"], 8);
        let mut texts: Vec<String> =
            page["messages"].as_array().unwrap().iter().map(crate::scenarios::world::text_of).collect();
        texts.extend(seen);
        seen = texts;
        offset = page["nextOffset"].take();
    }
    let expected: Vec<String> =
        (0..4).flat_map(|n| [format!("question {n}"), format!("answer {n}")]).collect();
    assert_eq!(seen, expected);
    let short = client.call("chat.history", json!({"sessionKey": KEY, "maxChars": 4})).await.unwrap();
    assert!(short["messages"][0].to_string().contains("cut"), "{short}");
}

#[tokio::test]
async fn sizes_and_counts_outside_their_range_are_refused() {
    let world = World::start().await;
    let mut client = world.owner().await;
    talk(&mut client, KEY, "hello").await;
    let long = |n: usize| "x".repeat(n);
    let cases = [
        ("chat.history", json!({"sessionKey": KEY, "limit": 0})),
        ("chat.history", json!({"sessionKey": KEY, "limit": 1_001})),
        ("chat.history", json!({"sessionKey": KEY, "limit": -1})),
        ("chat.history", json!({"sessionKey": KEY, "maxBytes": 1_023})),
        ("chat.history", json!({"sessionKey": KEY, "maxChars": 0})),
        ("chat.inject", json!({"sessionKey": KEY, "message": "x", "label": long(101)})),
        (
            "chat.send",
            json!({"sessionKey": format!("agent:main:{}", long(512)), "message": "x", "idempotencyKey": "1"}),
        ),
        ("logs.tail", json!({"limit": 0})),
        ("logs.tail", json!({"limit": 5_001})),
        ("logs.tail", json!({"maxBytes": 1_000_001})),
        ("sessions.preview", json!({"keys": []})),
        ("sessions.preview", json!({"keys": [KEY], "limit": 0})),
        ("sessions.preview", json!({"keys": [KEY], "maxChars": 19})),
        ("sessions.resolve", json!({"label": long(513)})),
    ];
    let mut wrong = Vec::new();
    for (method, params) in cases {
        let answer = client.request(method, params.clone()).await.unwrap();
        if answer["error"]["code"] != "INVALID_REQUEST" {
            wrong.push(format!("{method} took {:.80}", params.to_string()));
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}
