//! The wizard connects chat platforms: what the platform says counts, what is wrong can be mended, and who stops leaves
//! nothing behind.

use homard_testkit::{FakeTelegram, LineServer, Ngircd, TestClient, free_port};
use serde_json::{Value, json};

use crate::scenarios::world::{OPENAI, World};

/// A token that is shaped like one.
const WRONG: &str = "123456789:AAEwrong-wrong-wrong-wrong-wrong";

/// A conversation with the wizard.
struct Talk {
    owner: TestClient,
    session: Value,
    turn: Value,
}

impl Talk {
    async fn begin(world: &World, params: Value) -> Self {
        let mut owner = world.owner().await;
        let turn = owner.call("wizard.start", params).await.unwrap();
        Self { session: turn["sessionId"].clone(), owner, turn }
    }

    async fn says(&mut self, value: Value) -> &Value {
        let answer = json!({"stepId": self.turn["step"]["id"], "value": value});
        let params = json!({"sessionId": self.session, "answer": answer});
        self.turn = self.owner.call("wizard.next", params).await.unwrap();
        &self.turn
    }

    fn message(&self) -> &str {
        self.turn["step"]["message"].as_str().unwrap()
    }
}

fn written(world: &World) -> String {
    std::fs::read_to_string(world.gateway.home().config_path()).unwrap()
}

/// A gateway that knows where Telegram is and nothing else about it.
async fn near(api_root: &str) -> World {
    World::start_with(OPENAI, |config| config["channels"]["telegram"] = json!({"apiRoot": api_root})).await
}

#[tokio::test]
async fn a_platform_is_chosen_asked_connected_and_written_to() {
    let telegram = FakeTelegram::start().await.unwrap();
    let world = World::start().await;
    let mut talk = Talk::begin(&world, json!({"flow": "channels"})).await;
    let offered: Vec<_> =
        talk.turn["step"]["options"].as_array().unwrap().iter().map(|one| one["value"].clone()).collect();
    let known = talk.owner.call("channels.platforms", json!({})).await.unwrap();
    let known: Vec<_> = known["platforms"].as_array().unwrap().iter().map(|one| one["id"].clone()).collect();
    assert_eq!(offered, known, "the wizard offers what the page offers");
    assert_eq!(talk.says(json!("telegram")).await["step"]["type"], "note");
    assert!(talk.message().contains("@BotFather"), "{}", talk.message());
    assert_eq!(talk.says(json!(null)).await["step"]["sensitive"], true);
    let odd = talk.says(json!("no token")).await;
    assert!(odd["error"].as_str().unwrap().contains("A bot token is"), "{odd}");
    talk.says(json!(telegram.token())).await;
    talk.says(json!(true)).await;
    talk.says(json!(telegram.url())).await;
    talk.says(json!("")).await;
    let bot = format!("@{}", telegram.bot_name());
    assert!(talk.message().contains(&format!("this is {bot} on Telegram")), "{}", talk.message());
    assert_eq!(talk.turn["step"]["initialValue"], "pairing");
    talk.says(json!("pairing")).await;
    assert!(!written(&world).contains(telegram.token()), "nothing is written before the yes");
    talk.says(json!(true)).await;
    let told = talk.message().to_owned();
    assert!(told.contains("is connected") && told.contains(&format!("write to {bot}")), "{told}");
    assert!(told.contains("homard pairing approve telegram CODE"), "{told}");
    assert_eq!(*talk.says(json!(null)).await, json!({"done": true, "status": "done"}));
    assert!(written(&world).contains(telegram.token()));

    telegram.user_says(7, 7, "hello");
    let reply = telegram.next_sent().await.unwrap();
    assert!(reply.text().contains("homard pairing approve"), "{reply:?}");
}

#[tokio::test]
async fn a_wrong_token_is_mended_in_place_with_the_platforms_words() {
    let telegram = FakeTelegram::start().await.unwrap();
    let world = near(&telegram.url()).await;
    let before = written(&world);
    let mut talk = Talk::begin(&world, json!({"flow": "channels", "channel": "telegram"})).await;
    talk.says(json!(null)).await;
    talk.says(json!(WRONG)).await;
    talk.says(json!(false)).await;
    let said = talk.message().to_owned();
    assert!(said.contains("Unauthorized") && said.contains("Send /token to @BotFather"), "{said}");
    assert!(!talk.turn.to_string().contains(WRONG), "a token is never repeated");
    assert_eq!(before, written(&world));
    assert_eq!(talk.says(json!("botToken")).await["step"]["sensitive"], true);
    talk.says(json!(telegram.token())).await;
    assert!(talk.message().contains("It works"), "{}", talk.message());
    talk.says(json!("allowlist")).await;
    assert!(talk.message().contains("Telegram’s numbers"), "{}", talk.message());
    talk.says(json!("7, 8")).await;
    talk.says(json!(true)).await;
    assert!(talk.message().contains("is connected"), "{}", talk.message());
    // Whoever leaves before reading the last words is done, all the same.
    let left = talk.owner.call("wizard.cancel", json!({"sessionId": talk.session})).await.unwrap();
    assert_eq!(left, json!({"status": "done"}));
    let now = written(&world);
    let section: Value = serde_json::from_str(&now).unwrap();
    assert_eq!(section["channels"]["telegram"]["allowFrom"], json!(["7", "8"]));
    world.fake.says("hello to you");
    telegram.user_says(8, 8, "hello");
    assert_eq!(telegram.next_sent().await.unwrap().text(), "hello to you", "who is named needs no code");
    assert!(now.contains(telegram.token()) && !now.contains(WRONG), "{now}");
}

#[tokio::test]
async fn a_server_that_is_not_there_is_called_unreachable_and_a_stop_writes_nothing() {
    let world = near(&format!("http://127.0.0.1:{}", free_port().unwrap())).await;
    let before = written(&world);
    let mut talk = Talk::begin(&world, json!({"flow": "channels", "channel": "telegram"})).await;
    for answer in [json!(null), json!(WRONG), json!(false)] {
        talk.says(answer).await;
    }
    assert!(talk.message().contains("could not reach the platform"), "{}", talk.message());
    assert!(!talk.message().contains("BotFather"), "the token is not to blame: {}", talk.message());
    talk.says(json!("again")).await;
    assert!(talk.message().contains("could not reach the platform"), "{}", talk.message());
    assert_eq!(talk.says(json!("stop")).await["status"], "cancelled");
    assert_eq!(before, written(&world));
}

#[tokio::test]
async fn stopping_while_a_platform_is_asked_leaves_nothing_behind() {
    let silent = LineServer::start().await.unwrap();
    let world = near(&format!("http://127.0.0.1:{}", silent.port().unwrap())).await;
    let before = written(&world);
    let mut talk = Talk::begin(&world, json!({"flow": "channels", "channel": "telegram"})).await;
    talk.says(json!(null)).await;
    talk.says(json!(WRONG)).await;
    let answer = json!({"stepId": talk.turn["step"]["id"], "value": false});
    let asked = talk.owner.send("wizard.next", json!({"sessionId": talk.session, "answer": answer}));
    let asked = asked.await.unwrap();
    let mut peer = silent.accept().await.unwrap();
    peer.next().await.unwrap();
    let mut other = world.owner().await;
    let stopped = other.call("wizard.cancel", json!({"sessionId": talk.session})).await.unwrap();
    assert_eq!(stopped["status"], "cancelled");
    drop((peer, silent));
    let late = talk.owner.response(&asked).await.unwrap();
    assert_eq!(
        (&late["payload"]["done"], &late["payload"]["status"]),
        (&json!(true), &json!("cancelled")),
        "{late}"
    );
    assert_eq!(before, written(&world));
    let again = other.call("wizard.start", json!({"flow": "channels"})).await.unwrap();
    assert_eq!(again["status"], "running", "another may begin");
}

#[tokio::test]
async fn an_irc_server_is_connected_the_same_way() {
    let server = Ngircd::start().await.unwrap();
    let world = World::start().await;
    let mut talk = Talk::begin(&world, json!({"flow": "channels", "channel": "irc"})).await;
    assert_eq!(talk.turn["step"]["initialValue"], "irc.libera.chat");
    talk.says(json!("127.0.0.1")).await;
    talk.says(json!(server.port().to_string())).await;
    talk.says(json!(false)).await;
    let bad = talk.says(json!("9lives")).await;
    assert!(bad["error"].as_str().unwrap().contains("does not begin with a digit"), "{bad}");
    for answer in [json!("homard"), json!("#home"), json!(false), json!(false)] {
        talk.says(answer).await;
    }
    assert!(talk.message().contains("this is homard on IRC"), "{}", talk.message());
    for answer in [json!("open"), json!(true), json!(true)] {
        talk.says(answer).await;
    }
    assert!(talk.message().contains("is connected"), "{}", talk.message());
    assert_eq!(talk.says(json!(null)).await["status"], "done");
    let section: Value = serde_json::from_str(&written(&world)).unwrap();
    let section = &section["channels"]["irc"];
    let keys = ["host", "tls", "nick", "channels", "enabled", "dmPolicy", "allowFrom"];
    assert_eq!(
        json!(keys.map(|key| section[key].clone())),
        json!(["127.0.0.1", false, "homard", ["#home"], true, "open", ["*"]]),
        "{section}"
    );
}
