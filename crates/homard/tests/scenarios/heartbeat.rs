//! The assistant looks around by itself, and speaks up on Telegram only when there is something to say.

use homard_testkit::{FakeTelegram, TestClient};
use serde_json::{Value, json};

use crate::scenarios::world::{OPENAI, World, history, text_of};

/// The owner.
const ADA: i64 = 42;
const MAIN: &str = "agent:main:main";

async fn start(heartbeat: Value) -> (World, FakeTelegram) {
    start_showing(heartbeat, json!({})).await
}

/// The same where the platform's section says what is shown.
async fn start_showing(heartbeat: Value, shown: Value) -> (World, FakeTelegram) {
    let telegram = FakeTelegram::start().await.unwrap();
    let section = json!({
        "botToken": telegram.token(), "apiRoot": telegram.url(), "dmPolicy": "allowlist",
        "allowFrom": [ADA.to_string()], "streamMode": "off", "heartbeat": shown,
    });
    let world = World::start_with(OPENAI, |config| {
        config["channels"]["telegram"] = section;
        config["agents"]["defaults"]["heartbeat"] = heartbeat;
        let second = json!({"id": "small", "name": "Small", "contextWindow": 200_000, "reasoning": true});
        config["models"]["providers"]["fake"]["models"].as_array_mut().unwrap().push(second);
    })
    .await;
    (world, telegram)
}

fn write_down(world: &World, text: &str) {
    std::fs::write(world.gateway.home().state_dir().join("workspace/HEARTBEAT.md"), text).unwrap();
}

async fn beat(client: &mut TestClient, status: &str, reason: Option<&str>) -> Value {
    let is = |payload: &Value| payload["status"] == status && payload["reason"].as_str() == reason;
    client.next_event_where("heartbeat", is).await.unwrap()["payload"].take()
}

#[tokio::test]
async fn alerts_go_where_the_owner_last_spoke_once_and_the_rest_is_heard_by_nobody() {
    let (mut world, telegram) = start(json!({"every": "1s"})).await;
    let mut owner = world.owner().await;
    beat(&mut owner, "skipped", Some("empty-heartbeat-file")).await;
    assert_eq!(world.fake.requests().len(), 0, "nothing is spent on an empty file");
    world.fake.says("hello");
    telegram.user_says(ADA, ADA, "hi");
    assert_eq!(telegram.next_sent().await.unwrap().text(), "hello");
    let before = history(&mut owner, MAIN).await;

    world.fake.says("HEARTBEAT_OK").says("The oven is still on.").says("The oven is still on.");
    write_down(&world, "- Is the oven off?\n");
    let well = beat(&mut owner, "ok-token", None).await;
    assert_eq!((&well["silent"], &well["indicatorType"]), (&json!(true), &json!("ok")), "{well}");
    let sent = telegram.next_sent().await.unwrap();
    assert_eq!((sent.chat(), sent.text()), (ADA, "The oven is still on."));
    beat(&mut owner, "sent", None).await;
    beat(&mut owner, "skipped", Some("duplicate")).await;
    owner.call("set-heartbeats", json!({"enabled": false})).await.unwrap();

    let asked = world.fake.requests()[1].body["messages"].to_string();
    assert!(asked.contains("Read HEARTBEAT.md") && asked.contains("Current time: "), "{asked}");
    let after = history(&mut owner, MAIN).await;
    let said: Vec<String> = after.iter().skip(before.len()).map(text_of).collect();
    assert_eq!(said.last().map(String::as_str), Some("The oven is still on."), "{said:?}");
    assert_eq!(said.len(), 2, "the alert and what it answers: {said:?}");
    let last = owner.call("last-heartbeat", json!({})).await.unwrap();
    world.gateway.kill9().await.unwrap();
    world.gateway.restart().await.unwrap();
    let mut owner = world.owner().await;
    owner.call("set-heartbeats", json!({"enabled": false})).await.unwrap();
    assert!(last["ts"].as_i64().unwrap() > 0);
    assert!(owner.call("last-heartbeat", json!({})).await.unwrap()["ts"].as_i64() >= last["ts"].as_i64());
}

#[tokio::test]
async fn the_owner_chooses_conversation_model_prompt_and_place_and_an_event_starts_it() {
    let heartbeat = json!({"every": "1s", "session": "kitchen", "model": "fake/small", "prompt": "How is the oven?",
        "target": "telegram", "to": ADA.to_string(), "accountId": "default", "timeoutSeconds": 60});
    let (world, telegram) = start(heartbeat).await;
    let mut owner = world.owner().await;
    beat(&mut owner, "skipped", Some("empty-heartbeat-file")).await;
    let wake =
        json!({"mode": "next-heartbeat", "text": "the timer rang", "sessionKey": "agent:main:kitchen"});
    world.fake.says("It is warm.");
    owner.call("wake", wake.clone()).await.unwrap();
    beat(&mut owner, "sent", None).await;
    // Telegram lets no bot begin a chat. An alert that cannot be sent starts no other heartbeat.
    beat(&mut owner, "skipped", Some("empty-heartbeat-file")).await;
    assert_eq!(world.fake.requests().len(), 1);
    world.fake.says("hello");
    telegram.user_says(ADA, ADA, "hi");
    assert_eq!(telegram.next_sent().await.unwrap().text(), "hello");
    world.fake.says("It is hot.");
    owner.call("wake", wake).await.unwrap();
    let sent = telegram.next_sent().await.unwrap();
    assert_eq!((sent.chat(), sent.text()), (ADA, "It is hot."));
    let told = beat(&mut owner, "sent", None).await;
    assert_eq!((&told["channel"], &told["to"]), (&json!("telegram"), &Value::Null), "not to whom: {told}");
    let last = owner.call("last-heartbeat", json!({})).await.unwrap();
    assert!(last["status"] == "sent" || last["reason"] == "empty-heartbeat-file", "{last}");
    let request = world.fake.requests().remove(0);
    assert_eq!(request.body["model"], "small");
    let asked = request.body["messages"].to_string();
    assert!(asked.contains("How is the oven?") && asked.contains("the timer rang"), "{asked}");
    assert_eq!(text_of(history(&mut owner, "agent:main:kitchen").await.last().unwrap()), "It is hot.");
    let health = owner.call("health", json!({})).await.unwrap();
    let settings = &health["agents"][0]["heartbeat"];
    assert_eq!((&settings["enabled"], &settings["everyMs"]), (&json!(true), &json!(1_000)));
    assert_eq!((&settings["target"], &settings["model"]), (&json!("telegram"), &json!("fake/small")));
    assert_eq!(health["heartbeatSeconds"], 1);
}

#[tokio::test]
async fn a_heartbeat_that_takes_too_long_fails_and_nobody_is_told_in_the_chat() {
    let (world, telegram) = start(json!({"every": "1s", "timeoutSeconds": 1})).await;
    let mut owner = world.owner().await;
    world.fake.says("hello");
    telegram.user_says(ADA, ADA, "hi");
    assert_eq!(telegram.next_sent().await.unwrap().text(), "hello");
    let _gate = world.fake.gate("too late");
    write_down(&world, "- Is the oven off?\n");
    beat(&mut owner, "failed", None).await;
    owner.call("set-heartbeats", json!({"enabled": false})).await.unwrap();
    world.fake.says("and again");
    telegram.user_says(ADA, ADA, "hi again");
    assert_eq!(telegram.next_sent().await.unwrap().text(), "and again", "the failure was not told there");
}

#[tokio::test]
async fn a_heartbeat_may_have_a_conversation_of_its_own_and_be_told_little() {
    let (world, telegram) =
        start(json!({"every": "1s", "isolatedSession": true, "lightContext": true})).await;
    let mut owner = world.owner().await;
    world.fake.says("hello");
    telegram.user_says(ADA, ADA, "hi");
    assert_eq!(telegram.next_sent().await.unwrap().text(), "hello");
    let before = history(&mut owner, MAIN).await;
    world.fake.says("The oven is on.").says("The oven is on.").says("The door is open.");
    write_down(&world, "- Is the oven off?\n");
    assert_eq!(telegram.next_sent().await.unwrap().text(), "The oven is on.");
    beat(&mut owner, "skipped", Some("duplicate")).await;
    assert_eq!(telegram.next_sent().await.unwrap().text(), "The door is open.");
    owner.call("set-heartbeats", json!({"enabled": false})).await.unwrap();
    assert_eq!(history(&mut owner, MAIN).await.len(), before.len(), "yours stays as it was");
    let requests = world.fake.requests();
    let (talk, looks) = (requests[0].body.to_string(), &requests[1..4]);
    for look in looks {
        let asked = look.body.to_string();
        assert!(asked.contains("Read HEARTBEAT.md") && asked.len() < talk.len(), "{asked}");
        assert!(!asked.contains("hello") && !asked.contains("The oven is on."), "a fresh one: {asked}");
    }
}

#[tokio::test]
async fn alerts_keep_out_of_direct_chats_where_the_owner_wants_it() {
    let (world, telegram) = start(json!({"every": "1s", "directPolicy": "block"})).await;
    let mut owner = world.owner().await;
    world.fake.says("hello");
    telegram.user_says(ADA, ADA, "hi");
    assert_eq!(telegram.next_sent().await.unwrap().text(), "hello");
    world.fake.says("The oven is on.");
    write_down(&world, "- Is the oven off?\n");
    beat(&mut owner, "skipped", Some("dm-blocked")).await;
    owner.call("set-heartbeats", json!({"enabled": false})).await.unwrap();
    let said: Vec<String> = history(&mut owner, MAIN).await.iter().map(text_of).collect();
    assert!(said.contains(&"The oven is on.".to_owned()), "it stays in the conversation: {said:?}");
    world.fake.says("and again");
    telegram.user_says(ADA, ADA, "hi again");
    assert_eq!(telegram.next_sent().await.unwrap().text(), "and again", "nothing came in between");
}

#[tokio::test]
async fn a_platform_shows_of_heartbeats_what_the_owner_wants() {
    let shown = json!({"showOk": true, "showAlerts": false, "useIndicator": false});
    let (world, telegram) = start_showing(json!({"every": "1s"}), shown).await;
    let mut owner = world.owner().await;
    world.fake.says("hello");
    telegram.user_says(ADA, ADA, "hi");
    assert_eq!(telegram.next_sent().await.unwrap().text(), "hello");
    world.fake.says("HEARTBEAT_OK").says("The oven is on.");
    write_down(&world, "- Is the oven off?\n");
    let well = beat(&mut owner, "ok-token", None).await;
    assert_eq!((&well["indicatorType"], &well["silent"]), (&Value::Null, &Value::Null), "{well}");
    assert_eq!(well["channel"], "telegram");
    assert_eq!(telegram.next_sent().await.unwrap().text(), "HEARTBEAT_OK");
    beat(&mut owner, "skipped", Some("alerts-disabled")).await;
    owner.call("set-heartbeats", json!({"enabled": false})).await.unwrap();
    let said: Vec<String> = history(&mut owner, MAIN).await.iter().map(text_of).collect();
    assert!(said.contains(&"The oven is on.".to_owned()), "it stays in the conversation: {said:?}");
    world.fake.says("and again");
    telegram.user_says(ADA, ADA, "hi again");
    assert_eq!(telegram.next_sent().await.unwrap().text(), "and again", "the alert was not sent");
}

#[tokio::test]
async fn nobody_looks_around_where_nothing_of_it_would_be_shown() {
    let shown = json!({"showAlerts": false, "useIndicator": false});
    let (world, telegram) = start_showing(json!({"every": "1s"}), shown).await;
    let mut owner = world.owner().await;
    world.fake.says("hello");
    telegram.user_says(ADA, ADA, "hi");
    assert_eq!(telegram.next_sent().await.unwrap().text(), "hello");
    write_down(&world, "- Is the oven off?\n");
    beat(&mut owner, "skipped", Some("alerts-disabled")).await;
    assert_eq!(world.fake.requests().len(), 1, "no model is asked");
}

#[tokio::test]
async fn the_reasoning_goes_before_an_alert_where_the_owner_wants_it_and_never_alone() {
    let (world, telegram) =
        start(json!({"every": "1s", "includeReasoning": true, "model": "fake/small"})).await;
    let mut owner = world.owner().await;
    world.fake.says("hello");
    telegram.user_says(ADA, ADA, "hi");
    assert_eq!(telegram.next_sent().await.unwrap().text(), "hello");
    world.fake.thinks("All is off.", "HEARTBEAT_OK").thinks("It smells.", "The oven is on.");
    write_down(&world, "- Is the oven off?\n");
    beat(&mut owner, "ok-token", None).await;
    let reasoning = telegram.next_sent().await.unwrap();
    assert!(
        reasoning.text().starts_with("Reasoning:") && reasoning.text().contains("It smells."),
        "{reasoning:?}"
    );
    assert_eq!(telegram.next_sent().await.unwrap().text(), "The oven is on.");
    beat(&mut owner, "sent", None).await;
    owner.call("set-heartbeats", json!({"enabled": false})).await.unwrap();
    assert_eq!(telegram.sent_count(), 3);
}
