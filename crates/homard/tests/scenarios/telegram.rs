//! People write on Telegram, and the gateway answers there: the whole walk, over sockets.

use homard_testkit::{FakeTelegram, Fault};
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
async fn what_was_sent_beside_a_turn_is_not_taken_for_its_answer_after_a_restart() {
    let (mut world, telegram) =
        start(|config| config["session"]["dmScope"] = json!("per-channel-peer")).await;
    let gate = world.fake.gate("never heard");
    telegram.user_says(ADA, ADA, "think hard");
    world.fake.wait_for_request(1).await.unwrap();
    // What a job or another conversation says there stands in the conversation, too.
    let mut client = world.owner().await;
    let send = json!({
        "channel": "telegram", "to": ADA.to_string(), "message": "the job is done", "idempotencyKey": "beside-1",
    });
    client.call("send", send).await.unwrap();
    assert_eq!(telegram.next_sent().await.unwrap().text(), "the job is done");
    world.gateway.kill9().await.unwrap();
    gate.release();
    world.fake.says("the answer");
    world.gateway.restart().await.unwrap();
    assert_eq!(telegram.next_sent().await.unwrap().text(), "the answer");
    let told = world.fake.requests().last().unwrap().body.to_string();
    assert!(told.contains("think hard") && told.contains("the job is done"), "{told}");
}

/// Somebody else the owner knows.
const BOB: i64 = 43;
/// A group.
const GROUP: i64 = -100_777;

/// The same gateway for Ada, Bob and a group.
async fn start_with_company() -> (World, FakeTelegram) {
    start(|config| {
        let section = &mut config["channels"]["telegram"];
        section["allowFrom"] = json!([ADA.to_string(), BOB.to_string()]);
        section["groupPolicy"] = json!("open");
        section["groups"] = json!({"*": {"requireMention": false}});
        config["messages"] = json!({"queue": {"debounceMs": 0}});
        config["commands"] = json!({"ownerAllowFrom": [format!("telegram:{ADA}")]});
    })
    .await
}

#[tokio::test]
async fn an_answer_that_is_refused_for_good_reaches_the_owner_whole() {
    let (world, telegram) = start_with_company().await;
    world.fake.says("hello Ada");
    telegram.user_says(ADA, ADA, "hi");
    assert_eq!(telegram.next_sent().await.unwrap().text(), "hello Ada");
    let whole = format!("It is {} long.", "very, ".repeat(60));
    let gate = world.fake.gate(&whole);
    telegram.group_says(GROUP, BOB, "how long is it?");
    world.fake.wait_for_request(2).await.unwrap();
    telegram.closes(GROUP, "bot was kicked from the supergroup chat");
    gate.release();
    let told = telegram.next_sent().await.unwrap();
    assert_eq!(told.chat(), ADA);
    assert!(told.text().contains("could not be sent"), "{told:?}");
    assert!(told.shown.as_deref().unwrap().ends_with(&whole), "{told:?}");
}

#[tokio::test]
async fn an_answer_no_platform_takes_is_shown_in_the_page() {
    let (world, telegram) = start_with_company().await;
    let mut client = world.owner().await;
    let gate = world.fake.gate("Only the page has this.");
    telegram.user_says(ADA, ADA, "hi");
    world.fake.wait_for_request(1).await.unwrap();
    telegram.closes(ADA, "bot was blocked by the user");
    gate.release();
    let is_told = |payload: &Value| {
        let text = payload["message"].to_string();
        text.contains("could not be sent") && text.contains("Only the page has this.")
    };
    client.next_event_where("chat", is_told).await.unwrap();
    let history = client.call("chat.history", json!({"sessionKey": "agent:main:main"})).await.unwrap();
    assert!(history["messages"].to_string().contains("could not be sent"), "{history}");
}

#[tokio::test]
async fn a_chat_that_is_to_wait_stops_no_other() {
    let (world, telegram) = start_with_company().await;
    telegram.fail_next("sendMessage", Fault::TooMany(3_600));
    world.fake.says("for Ada, much later");
    telegram.user_says(ADA, ADA, "hi");
    telegram.wait_for_calls("sendMessage", 1).await.unwrap();
    world.fake.says("for Bob, now");
    telegram.user_says(BOB, BOB, "hi");
    let sent = telegram.next_sent().await.unwrap();
    assert_eq!((sent.chat(), sent.text()), (BOB, "for Bob, now"));
}

#[tokio::test]
async fn an_answer_that_arrived_before_a_kill_is_found_and_not_said_again() {
    let (mut world, telegram) = start(|_| {}).await;
    world.fake.says("the first answer");
    telegram.user_says(ADA, ADA, "hi");
    assert_eq!(telegram.next_sent().await.unwrap().text(), "the first answer");
    // The platform takes the second, and the gateway dies before it hears so.
    telegram.fail_next("sendMessage", Fault::HangAfter);
    world.fake.says("the second answer");
    telegram.user_says(ADA, ADA, "and again");
    assert_eq!(telegram.next_sent().await.unwrap().text(), "the second answer");
    world.gateway.kill9().await.unwrap();
    world.gateway.restart().await.unwrap();
    world.fake.says("the third answer");
    telegram.user_says(ADA, ADA, "one more");
    assert_eq!(telegram.next_sent().await.unwrap().text(), "the third answer");
    let ours = telegram.shown(ADA).into_iter().filter(|shown| shown.is_ours).map(|shown| shown.text);
    assert_eq!(ours.collect::<Vec<_>>(), ["the first answer", "the second answer", "the third answer"]);
}

#[tokio::test]
async fn an_answer_in_a_topic_that_arrived_before_a_kill_is_found_and_not_said_again() {
    let (mut world, telegram) = start_with_company().await;
    telegram.has_topics(GROUP, [11, 12]);
    world.fake.says("the first answer");
    telegram.topic_says(GROUP, 11, ADA, "hi");
    assert_eq!(telegram.next_sent().await.unwrap().text(), "the first answer");
    telegram.fail_next("sendMessage", Fault::HangAfter);
    world.fake.says("the second answer");
    telegram.topic_says(GROUP, 12, ADA, "and here?");
    assert_eq!(telegram.next_sent().await.unwrap().text(), "the second answer");
    world.gateway.kill9().await.unwrap();
    world.gateway.restart().await.unwrap();
    world.fake.says("the third answer");
    telegram.topic_says(GROUP, 11, ADA, "one more");
    assert_eq!(telegram.next_sent().await.unwrap().text(), "the third answer");
    let ours = telegram.shown(GROUP).into_iter().filter(|shown| shown.is_ours).map(|shown| shown.text);
    assert_eq!(ours.collect::<Vec<_>>(), ["the first answer", "the second answer", "the third answer"]);
}

#[tokio::test]
async fn a_preview_that_arrived_before_a_kill_becomes_the_answer() {
    let (mut world, telegram) =
        start(|config| config["channels"]["telegram"]["streamMode"] = json!("partial")).await;
    telegram.fail_next("sendMessage", Fault::HangAfter);
    let gate = world.fake.gate("A-beginning-that-is-long-enough-to-be-shown and more");
    telegram.user_says(ADA, ADA, "tell me");
    let preview = telegram.next_sent().await.unwrap();
    assert!(preview.text().starts_with("A-beginning"), "{preview:?}");
    world.gateway.kill9().await.unwrap();
    gate.release();
    world.fake.says("the whole answer");
    world.gateway.restart().await.unwrap();
    let answer = telegram.next_sent().await.unwrap();
    assert_eq!((answer.method, answer.message_id), ("editMessageText", preview.message_id));
    let ours = telegram.shown(ADA).into_iter().filter(|shown| shown.is_ours).map(|shown| shown.text);
    assert_eq!(ours.collect::<Vec<_>>(), ["the whole answer"]);
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

/// The names in the platform's menu of a gateway that knows one skill.
async fn menu(commands: Value) -> Vec<String> {
    let skills = tempfile::tempdir().unwrap();
    let file = skills.path().join("haiku/SKILL.md");
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(file, "---\nname: haiku\ndescription: Write a poem\n---\nWrite one.\n").unwrap();
    let has_menu = commands["native"] != false;
    let (world, telegram) = start(|config| {
        config["commands"] = commands;
        config["skills"] = json!({"load": {"extraDirs": [skills.path()]}});
    })
    .await;
    world.fake.says("hello");
    telegram.user_says(ADA, ADA, "hi");
    assert_eq!(telegram.next_sent().await.unwrap().text(), "hello");
    telegram.wait_for_calls("deleteMyCommands", 1).await.unwrap();
    if has_menu {
        telegram.wait_for_calls("setMyCommands", 1).await.unwrap();
    }
    telegram.commands().iter().map(|entry| entry["command"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn the_platforms_menu_has_commands_and_skills_as_the_owner_wants() {
    let has = |menu: &[String], name: &str| menu.iter().any(|entry| entry == name);
    let usual = menu(json!({"native": "auto", "nativeSkills": "auto"})).await;
    assert!(has(&usual, "status") && has(&usual, "haiku"), "{usual:?}");
    let plain = menu(json!({"native": true, "nativeSkills": false})).await;
    assert!(has(&plain, "status") && !has(&plain, "haiku"), "{plain:?}");
    assert_eq!(menu(json!({"native": false})).await, [""; 0]);
}
