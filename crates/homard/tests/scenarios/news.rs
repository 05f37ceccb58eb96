//! What clients are told unasked, when it happens: how the platforms are, another configuration, work on a conversation.

use homard_testkit::FakeTelegram;
use serde_json::{Value, json};

use crate::scenarios::world::{KEY, OPENAI, World, talk};

#[tokio::test]
async fn clients_hear_that_another_configuration_and_other_skills_hold() {
    let world = World::start().await;
    let mut owner = world.owner().await;
    let base = owner.call("config.get", json!({})).await.unwrap()["hash"].take();
    let raw = r#"{"skills": {"entries": {"weather": {"enabled": false}}}}"#;
    let patched = owner.call("config.patch", json!({"raw": raw, "baseHash": base})).await.unwrap();
    let told = owner.next_event("config.changed").await.unwrap()["payload"].take();
    assert_eq!(told["hash"], patched["hash"], "{told}");
    assert_eq!(told.as_object().unwrap().keys().collect::<Vec<_>>(), ["path", "hash", "ts"], "no content");
    let skills = owner.next_event("skills.changed").await.unwrap();
    assert_eq!(skills["payload"], json!({"reason": "config-change"}));
}

#[tokio::test]
async fn clients_hear_what_came_of_a_turn_that_an_event_started_but_not_its_words() {
    let world = World::start().await;
    let mut owner = world.owner().await;
    assert_eq!(owner.call("last-heartbeat", json!({})).await.unwrap(), Value::Null);
    world.fake.says("somebody is at the door");
    owner.call("wake", json!({"mode": "now", "text": "the door bell rang"})).await.unwrap();
    let told = owner.next_event("heartbeat").await.unwrap()["payload"].take();
    assert_eq!((&told["status"], &told["reason"]), (&json!("sent"), &json!("wake")));
    assert_eq!(told.get("preview"), None);
    let last = owner.call("last-heartbeat", json!({})).await.unwrap();
    assert_eq!((&last["ts"], &last["preview"]), (&told["ts"], &json!("somebody is at the door")));
}

#[tokio::test]
async fn who_follows_conversations_hears_that_one_is_being_summarised() {
    let world = World::start().await;
    let (mut owner, mut other) = (world.owner().await, world.owner().await);
    owner.call("sessions.subscribe", json!({})).await.unwrap();
    world.fake.says("hello");
    talk(&mut owner, KEY, "hi").await;
    let done = owner.call("sessions.compact", json!({"key": KEY})).await.unwrap();
    let begun = owner.next_event("session.operation").await.unwrap()["payload"].take();
    let ended = owner.next_event("session.operation").await.unwrap()["payload"].take();
    assert_eq!((&begun["operation"], &begun["phase"]), (&json!("compact"), &json!("start")));
    assert_eq!((&ended["phase"], &ended["completed"]), (&json!("end"), &done["compacted"]));
    assert_eq!(begun["operationId"], ended["operationId"]);
    other.call("health", json!({})).await.unwrap();
    let heard = other.events().iter().filter(|event| event["event"] == "session.operation").count();
    assert_eq!(heard, 0, "who did not subscribe is not told");
}

#[tokio::test]
async fn clients_hear_at_once_how_a_platform_is_and_status_says_the_same() {
    let telegram = FakeTelegram::start().await.unwrap();
    let section = json!({"botToken": telegram.token(), "apiRoot": telegram.url(), "allowFrom": ["42"]});
    let world = World::start_with(OPENAI, |config| config["channels"]["telegram"] = section).await;
    let mut owner = world.owner().await;
    let of = |event: &Value| event.pointer("/channels/telegram").cloned().unwrap_or_default();
    // Whether it was connected before we were, or is now: the next look says so.
    let known = owner.call("health", json!({"probe": true})).await.unwrap();
    assert_eq!(
        (&known["channelOrder"], &known["channelLabels"]["telegram"]),
        (&json!(["telegram"]), &json!("Telegram"))
    );
    assert_eq!(of(&known)["configured"], true);
    assert_eq!(of(&known)["accounts"]["default"]["enabled"], true);
    owner.call("channels.stop", json!({"channel": "telegram"})).await.unwrap();
    let stopped = owner.next_event_where("health", |event| of(event)["running"] == false).await.unwrap();
    assert_eq!(of(&stopped["payload"])["healthState"], "not-running");
    let status = owner.call("status", json!({})).await.unwrap();
    assert_eq!(status["channelSummary"], json!(["Telegram (default): stopped"]));
    assert_eq!(status["heartbeat"]["agents"][0]["enabled"], true);
    owner.call("channels.start", json!({"channel": "telegram"})).await.unwrap();
    owner.next_event_where("health", |event| of(event)["running"] == true).await.unwrap();
}
