//! A conversation leaves lines in the log that an operator can follow, and none says what was said.

use homard_testkit::{FakeTelegram, TEST_TOKEN};
use serde_json::{Value, json};

use crate::scenarios::world::{KEY, OPENAI, World, talk, until};

/// Somebody the owner knows.
const ADA: i64 = 42;
/// Somebody nobody knows.
const EVE: i64 = 7;

async fn start() -> (World, FakeTelegram) {
    let telegram = FakeTelegram::start().await.unwrap();
    let world = World::start_with(OPENAI, |config| {
        config["channels"]["telegram"] = json!({
            "botToken": telegram.token(), "apiRoot": telegram.url(), "dmPolicy": "allowlist",
            "allowFrom": [ADA.to_string()], "streamMode": "off",
        });
    })
    .await;
    (world, telegram)
}

/// The lines of messages' ways, once there is one that `is_last`.
async fn trail(world: &World, is_last: impl Fn(&Value) -> bool) -> Vec<Value> {
    until("the last line", || async {
        let tail = world.owner().await.call("logs.tail", json!({"limit": 5_000})).await.unwrap();
        let read = |line: &Value| serde_json::from_str::<Value>(line.as_str().unwrap()).unwrap();
        let lines: Vec<Value> = tail["lines"].as_array().unwrap().iter().map(read).collect();
        let lines: Vec<Value> = lines.into_iter().filter(|line| line["step"].is_string()).collect();
        lines.iter().any(&is_last).then_some(lines)
    })
    .await
}

fn steps<'a>(lines: impl IntoIterator<Item = &'a Value>) -> Vec<&'a str> {
    lines.into_iter().map(|line| line["step"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn a_message_is_followed_from_the_platform_to_the_model_and_back() {
    let (world, telegram) = start().await;
    world.fake.says("the answer is secret");
    telegram.user_says(ADA, ADA, "a question nobody else may read");
    telegram.next_sent().await.unwrap();
    let lines = trail(&world, |line| line["step"] == "delivered").await;
    assert_eq!(steps(&lines), ["received", "admitted", "started", "ended", "delivered"], "{lines:#?}");
    let [received, admitted, started, ended, delivered] = lines.as_slice() else { panic!("{lines:#?}") };
    for line in &lines {
        assert_eq!(line["level"], "info");
        let text = line.to_string();
        for hidden in ["question", "answer is", telegram.token(), TEST_TOKEN] {
            assert!(!text.contains(hidden), "{hidden} in {text}");
        }
    }
    for line in [received, admitted, delivered] {
        assert_eq!((&line["channel"], &line["account"]), (&json!("telegram"), &json!("default")));
    }
    assert_eq!((&received["chat"], &received["sender"]), (&json!("direct"), &json!(ADA.to_string())));
    assert_eq!(admitted["message_id"], received["message_id"]);
    assert!(admitted["run"].as_str().is_some_and(|run| run.starts_with("telegram-")), "{admitted}");
    assert_eq!((&admitted["agent"], &admitted["session"]), (&json!("main"), &json!("agent:main:main")));
    for line in [started, ended, delivered] {
        assert_eq!((&line["run"], &line["session"]), (&admitted["run"], &admitted["session"]), "{line}");
    }
    for line in [started, ended] {
        assert_eq!((&line["provider"], &line["model"]), (&json!("fake"), &json!("fake-1")));
    }
    assert_eq!(ended["status"], "ok");
    for field in ["input_tokens", "output_tokens"] {
        assert!(ended[field].as_u64().is_some_and(|tokens| tokens > 0), "{field} in {ended}");
    }
    assert!(ended["took_ms"].is_number() && ended["error"].is_null(), "{ended}");
}

#[tokio::test]
async fn a_message_that_is_not_answered_says_why() {
    let (world, telegram) = start().await;
    telegram.user_says(EVE, EVE, "let me in");
    let lines = trail(&world, |line| line["step"] == "refused").await;
    assert_eq!(steps(&lines), ["received", "refused"]);
    let [received, refused] = lines.as_slice() else { panic!("{lines:#?}") };
    assert_eq!(received["message_id"], refused["message_id"]);
    assert_eq!((&refused["channel"], &received["sender"]), (&json!("telegram"), &json!(EVE.to_string())));
    assert_eq!(refused["why"], "the sender is not on any allow-list");
}

#[tokio::test]
async fn what_is_typed_in_the_page_leaves_the_same_lines() {
    let (world, _telegram) = start().await;
    world.fake.says("well");
    talk(&mut world.owner().await, KEY, "how are you").await;
    let lines = trail(&world, |line| line["step"] == "ended").await;
    assert_eq!(steps(&lines), ["accepted", "started", "ended"]);
    assert_eq!(lines[0]["source"], "chat.send");
    assert!(lines.iter().all(|line| line["session"] == KEY && line["run"] == lines[0]["run"]));
}
