//! What the log's settings do, also when they change while it runs.

use serde_json::{Value, json};

use crate::scenarios::world::{KEY, OPENAI, World, talk, until};

#[tokio::test]
async fn the_file_its_masks_and_its_place_follow_the_settings() {
    let world = World::start_with(OPENAI, |config| {
        config["logging"] = json!({"level": "debug", "redactPatterns": ["story-[0-9]+"]});
    })
    .await;
    let mut client = world.owner().await;
    assert_eq!(talk(&mut client, "agent:main:story-17", "hello").await["state"], "final");
    let first = client.call("logs.tail", json!({})).await.unwrap();
    let file = first["file"].as_str().unwrap().to_owned();
    for line in first["lines"].as_array().unwrap() {
        let line: Value = serde_json::from_str(line.as_str().unwrap()).unwrap();
        assert!(
            line["time"].is_string() && line["level"].is_string() && line["message"].is_string(),
            "{line}"
        );
        assert!(!line.to_string().contains("story-17"), "masked by the owner's pattern: {line}");
    }

    let elsewhere = world.gateway.home().path().join("elsewhere").join("my.log");
    let hash = client.call("config.get", json!({})).await.unwrap()["hash"].clone();
    let raw =
        json!({"logging": {"file": elsewhere, "maxFileBytes": 2_000, "redactPatterns": null}}).to_string();
    let written = client.call("config.patch", json!({"raw": raw, "baseHash": hash})).await.unwrap();
    assert_eq!(written["restart"], Value::Null, "the log moves while it runs");
    let tail = until("lines in the other file", || async {
        let mut client = world.owner().await;
        talk(&mut client, KEY, "more to log").await;
        let tail = client.call("logs.tail", json!({})).await.unwrap();
        (tail["lines"].as_array().is_some_and(|lines| !lines.is_empty())).then_some(tail)
    })
    .await;
    assert_eq!(tail["file"], json!(elsewhere));
    assert_ne!(tail["file"], json!(file));
    until("a full file to be set aside", || async {
        talk(&mut world.owner().await, KEY, "and more").await;
        elsewhere.with_extension("1.log").exists().then_some(())
    })
    .await;
    // The next line begins the file anew.
    let begun = until("the file to begin anew", || async { std::fs::metadata(&elsewhere).ok() }).await;
    assert!(begun.len() <= 2_000);
}
