//! Jobs that fail: whom they tell, and what becomes of them.

use homard_testkit::FakeTelegram;
use serde_json::{Value, json};

use super::{MAIN, add, finished, hourly, runs};
use crate::scenarios::world::{OPENAI, World, history, text_of};

#[tokio::test]
async fn failures_are_told_and_the_job_waits_longer() {
    let world = World::start_with(OPENAI, |config| {
        config["cron"] = json!({"failureAlert": {"enabled": true, "after": 1}});
    })
    .await;
    for _ in 0..8 {
        world.fake.fails(400, r#"{"error": {"message": "no such thing", "type": "invalid_request_error"}}"#);
    }
    let mut client = world.owner().await;
    let mut failing = hourly();
    failing["payload"]["model"] = json!("fake/nobody");
    let id = add(&mut client, failing).await;
    client.call("cron.run", json!({"id": id})).await.unwrap();
    let end = finished(&mut client, &id).await;
    assert_eq!(end["status"], "error", "{end}");
    let state = client.call("cron.get", json!({"id": id})).await.unwrap()["state"].take();
    assert_eq!((&state["lastStatus"], &state["consecutiveErrors"]), (&json!("error"), &json!(1)), "{state}");
    let waiting = client.call("status", json!({})).await.unwrap()["queuedSystemEvents"].take();
    assert!(waiting[0].as_str().unwrap().contains("has failed 1 times in a row"), "{waiting}");
}

#[tokio::test]
async fn that_a_job_keeps_failing_is_told_where_its_rule_says_or_where_the_owner_last_spoke() {
    const OWNER: i64 = 7;
    const OTHER: i64 = 8;
    let telegram = FakeTelegram::start().await.unwrap();
    for chat in [OWNER, OTHER] {
        telegram.has_chat(chat, json!({}));
    }
    let account = json!({"botToken": telegram.token(), "apiRoot": telegram.url(), "dmPolicy": "open", "allowFrom": ["*"],
        "streamMode": "off"});
    let world = World::start_with(OPENAI, |config| {
        config["channels"]["telegram"] = account.clone();
        config["commands"]["ownerAllowFrom"] = json!([format!("telegram:{OWNER}")]);
    })
    .await;
    telegram.wait_for_polls(1).await.unwrap();
    world.fake.says("hello");
    telegram.user_says(OWNER, OWNER, "hi");
    telegram.next_sent().await.unwrap();
    for _ in 0..8 {
        world.fake.fails(400, r#"{"error": {"message": "no such thing", "type": "invalid_request_error"}}"#);
    }
    let mut client = world.owner().await;
    for (rule, chat) in
        [(json!({"after": 1}), OWNER), (json!({"after": 1, "channel": "telegram", "to": "8"}), OTHER)]
    {
        let mut failing = hourly();
        failing["payload"]["model"] = json!("fake/nobody");
        failing["failureAlert"] = rule;
        let id = add(&mut client, failing).await;
        client.call("cron.run", json!({"id": id})).await.unwrap();
        finished(&mut client, &id).await;
        // What the main conversation makes of the news is said there, too.
        let sent = loop {
            let sent = telegram.next_sent().await.unwrap();
            if sent.text().contains("has failed 1 times in a row") {
                break sent;
            }
        };
        assert_eq!(sent.chat(), chat, "{}", sent.text());
    }
    let shown = history(&mut client, MAIN).await;
    assert!(shown.iter().any(|line| text_of(line).contains("has failed 1 times in a row")), "{shown:?}");
}

#[tokio::test]
async fn a_job_whose_agent_or_platform_is_gone_says_so_and_others_go_on() {
    let there = FakeTelegram::start().await.unwrap();
    there.has_chat(7, json!({}));
    let (url, token) = (there.url(), there.token().to_owned());
    let mut world = World::start_with(OPENAI, |config| {
        config["agents"]["list"] = json!([{"id": "main"}, {"id": "other"}]);
        config["channels"] = json!({"telegram": {"botToken": token, "apiRoot": url, "allowFrom": [7]}});
    })
    .await;
    let mut client = world.owner().await;
    let [mut of_other, mut to_telegram] = [hourly(), hourly()];
    of_other["agentId"] = json!("other");
    to_telegram["delivery"] = json!({"mode": "announce", "channel": "telegram", "to": "7"});
    let (of_other, to_telegram) = (add(&mut client, of_other).await, add(&mut client, to_telegram).await);
    let fine = add(&mut client, hourly()).await;
    world.gateway.kill9().await.unwrap();
    let path = world.gateway.home().config_path();
    let mut config: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    config["agents"]["list"] = json!([{"id": "main"}]);
    config["channels"] = json!({});
    world.gateway.home().write_config(&config).unwrap();
    world.gateway.restart().await.unwrap();
    let mut client = world.owner().await;
    client.call("cron.run", json!({"id": of_other})).await.unwrap();
    let end = finished(&mut client, &of_other).await;
    assert_eq!(end["status"], "error", "{end}");
    assert!(end["error"].as_str().unwrap().contains("other"), "{end}");
    world.fake.says("It is sunny.");
    client.call("cron.run", json!({"id": to_telegram})).await.unwrap();
    let end = finished(&mut client, &to_telegram).await;
    assert_eq!((&end["status"], &end["deliveryStatus"]), (&json!("ok"), &json!("not-delivered")), "{end}");
    let (client, told) = runs(client, &to_telegram, 1).await;
    assert!(told[0]["deliveryError"].as_str().unwrap().contains("telegram"), "{told:?}");
    let mut client = client;
    let shown = history(&mut client, MAIN).await;
    assert!(text_of(shown.last().unwrap()).contains("It is sunny."), "{shown:?}");
    world.fake.says("fine");
    client.call("cron.run", json!({"id": fine})).await.unwrap();
    assert_eq!(finished(&mut client, &fine).await["status"], "ok");
}
