//! People write on Telegram, and the gateway answers there: the whole walk, over sockets.

use homard_testkit::FakeTelegram;
use serde_json::{Value, json};

use crate::scenarios::world::{OPENAI, World};

/// Somebody the owner knows.
const ADA: i64 = 42;

/// A gateway that knows Ada on Telegram.
async fn start(change: impl FnOnce(&mut Value)) -> (World, FakeTelegram) {
    let telegram = FakeTelegram::start().await.unwrap();
    let section = json!({
        "botToken": telegram.token(), "apiRoot": telegram.url(), "dmPolicy": "allowlist",
        "allowFrom": [ADA.to_string()], "streamMode": "off",
    });
    let world = World::start_with(OPENAI, |config| {
        config["channels"]["telegram"] = section;
        change(config);
    })
    .await;
    (world, telegram)
}

#[tokio::test]
async fn a_message_is_answered_where_it_was_asked() {
    let (world, telegram) = start(|_| {}).await;
    world.fake.says("hello **Ada**");
    telegram.user_says(ADA, ADA, "hi there");
    let sent = telegram.next_sent().await.unwrap();
    assert_eq!((sent.method, sent.chat(), sent.text()), ("sendMessage", ADA, "hello <b>Ada</b>"));
    telegram.wait_until_confirmed().await.unwrap();
}

#[tokio::test]
async fn strangers_learn_nothing_from_an_allow_list() {
    let (world, telegram) = start(|_| {}).await;
    telegram.user_says(7, 7, "let me in");
    telegram.wait_until_confirmed().await.unwrap();
    world.fake.says("for you");
    telegram.user_says(ADA, ADA, "hi");
    let sent = telegram.next_sent().await.unwrap();
    assert_eq!((sent.chat(), sent.text()), (ADA, "for you"));
    assert_eq!(world.fake.requests().len(), 1, "the model never heard of the stranger");
}

#[tokio::test]
async fn an_answer_survives_the_end_of_the_process() {
    let (mut world, telegram) = start(|_| {}).await;
    let gate = world.fake.gate("the first answer");
    telegram.user_says(ADA, ADA, "think hard");
    world.fake.wait_for_request(1).await.unwrap();
    world.gateway.kill9().await.unwrap();
    gate.release();
    world.fake.says("the second answer");
    world.gateway.restart().await.unwrap();
    let sent = telegram.next_sent().await.unwrap();
    assert_eq!(sent.text(), "the second answer");
    telegram.wait_until_confirmed().await.unwrap();
}

#[tokio::test]
async fn updates_may_be_brought_to_the_gateways_own_port() {
    let (mut world, telegram) = start(|_| {}).await;
    let hook = format!("{}/telegram-webhook", world.gateway.http_url());
    let home = world.gateway.home();
    let text = std::fs::read_to_string(home.config_path()).unwrap();
    let mut config: Value = serde_json::from_str(&text).unwrap();
    let section = &mut config["channels"]["telegram"];
    section["webhookUrl"] = json!(hook);
    section["webhookSecret"] = json!("s3cret");
    home.write_config(&config).unwrap();
    world.gateway.restart().await.unwrap();
    world.fake.says("brought and answered");
    telegram.user_says(ADA, ADA, "hi there");
    assert_eq!(telegram.next_sent().await.unwrap().text(), "brought and answered");
    telegram.wait_until_confirmed().await.unwrap();
    let client = homard_http::client().build().unwrap();
    let header = "X-Telegram-Bot-Api-Secret-Token";
    let rows = [
        (client.post(&hook).body("{}"), 401),
        (client.post(&hook).header(header, "wrong!").body("{}"), 401),
        (client.post(&hook).header(header, "s3cret").body("not json"), 200),
        (client.post(&hook).header(header, "s3cret").body("x".repeat(1024 * 1024 + 1)), 413),
        (client.get(&hook), 405),
        (client.post(format!("{hook}/elsewhere")).body("{}"), 405),
    ];
    for (request, status) in rows {
        assert_eq!(request.send().await.unwrap().status().as_u16(), status);
    }
}
