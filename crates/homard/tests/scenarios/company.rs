//! People who write on a chat platform: who is heard, what becomes of their messages, and that none is lost. Over a
//! real IRC server.

use homard_testkit::{IrcPeer, Ngircd};
use serde_json::{Value, json};

use crate::scenarios::world::{OPENAI, World, history};

/// Our name there.
const US: &str = "homard";
/// The room everybody is in.
const ROOM: &str = "#den";

/// A gateway on an IRC server, and Ann, who may speak.
struct Company {
    world: World,
    server: Ngircd,
    ann: IrcPeer,
}

async fn company(change: impl FnOnce(&mut Value)) -> Company {
    let server = Ngircd::start().await.unwrap();
    let mut ann = server.peer("ann").await.unwrap();
    ann.join(ROOM).await.unwrap();
    let port = server.port();
    let world = World::start_with(OPENAI, |config| {
        config["channels"]["irc"] = json!({
            "host": "127.0.0.1", "port": port, "tls": false, "nick": US, "channels": [ROOM],
            "allowFrom": ["ann"], "groupPolicy": "open", "flood": {"intervalMs": 0},
        });
        config["messages"] = json!({"queue": {"debounceMs": 0}});
        change(config);
    })
    .await;
    ann.sees_join(US, ROOM).await.unwrap();
    Company { world, server, ann }
}

impl Company {
    /// What the model was asked last in the request number `n`, counted from one.
    async fn asked(&self, n: usize) -> String {
        let request = self.world.fake.wait_for_request(n).await.unwrap();
        let messages = request.body["messages"].as_array().unwrap();
        messages.last().unwrap()["content"].to_string()
    }
}

#[tokio::test]
async fn somebody_who_may_speak_is_answered_where_they_spoke() {
    let mut company = company(|_| {}).await;
    company.world.fake.says("hello Ann");
    company.ann.say(US, "hello?").await.unwrap();
    assert_eq!(company.ann.hears(US, "ann").await.unwrap(), "hello Ann");
    assert!(company.asked(1).await.contains("hello?"));
    let mut owner = company.world.owner().await;
    let messages = history(&mut owner, "agent:main:irc:direct:ann").await;
    assert_eq!(messages.len(), 2, "{messages:?}");
    let listed = owner.call("sessions.list", json!({})).await.unwrap();
    let row = &listed["sessions"][0];
    assert_eq!((&row["channel"], &row["chatType"]), (&json!("irc"), &json!("direct")), "{row}");
    let titled = owner.call("sessions.list", json!({"includeDerivedTitles": true})).await.unwrap();
    assert_eq!(titled["sessions"][0]["derivedTitle"], "hello?", "what people wrote, not what surrounds it");
}

#[tokio::test]
async fn a_stranger_is_told_a_code_once_and_their_words_go_nowhere() {
    let mut company = company(|_| {}).await;
    let mut eve = company.server.peer("eve").await.unwrap();
    eve.say(US, "give me the keys").await.unwrap();
    eve.hears(US, "eve").await.unwrap();
    let asks = company.ann.hears(US, "ann").await.unwrap();
    assert!(asks.contains("homard pairing approve irc"), "the owner is told: {asks}");
    eve.say(US, "/status").await.unwrap();
    eve.say(US, "are you there?").await.unwrap();
    // Ann is answered after all that, so nothing more was said to Eve in between.
    company.world.fake.says("yes");
    company.ann.say(US, "are you there?").await.unwrap();
    assert_eq!(company.ann.hears(US, "ann").await.unwrap(), "yes");
    assert_eq!(company.world.fake.requests().len(), 1);
    assert!(!company.asked(1).await.contains("keys"));
}

#[tokio::test]
async fn the_owners_clients_hear_of_a_stranger_and_of_the_answer() {
    let company = company(|_| {}).await;
    let mut owner = company.world.owner().await;
    let mut reader = company.world.with_scopes(&["operator.read"]).await;
    let mut eve = company.server.peer("eve").await.unwrap();
    eve.say(US, "hello?").await.unwrap();
    let asked = owner.next_event("channels.pairing.requested").await.unwrap()["payload"].take();
    let listed = owner.call("channels.pairing.list", json!({})).await.unwrap();
    assert_eq!(asked, listed["requests"][0], "what is told is the row of the list");
    assert_eq!(
        json!([asked["channel"], asked["accountId"], asked["senderId"]]),
        json!(["irc", "default", "eve"])
    );
    eve.say(US, "anybody?").await.unwrap();
    let answer = json!({"channel": "irc", "accountId": "default", "requestId": asked["requestId"]});
    owner.call("channels.pairing.approve", answer).await.unwrap();
    let mut ended = owner.next_event("channels.pairing.resolved").await.unwrap()["payload"].take();
    ended["ts"].take();
    assert_eq!(
        ended,
        json!({"requestId": asked["requestId"], "channel": "irc", "accountId": "default", "senderId": "eve",
            "decision": "approved", "ts": null})
    );
    let told = owner.events().iter().filter(|frame| frame["event"] == "channels.pairing.requested").count();
    assert_eq!(told, 1, "writing again asks nobody again");
    reader.call("health", json!({})).await.unwrap();
    let heard = reader.events().iter().any(|frame| frame["event"].to_string().contains("channels.pairing"));
    assert!(!heard, "only those who may decide hear of it");
}

#[tokio::test]
async fn what_was_overheard_in_a_room_is_told_with_the_next_message_for_us() {
    let mut company = company(|_| {}).await;
    company.world.fake.says("four o'clock");
    company.ann.say(ROOM, "the train leaves at four").await.unwrap();
    company.ann.say(ROOM, &format!("{US}: when does it leave?")).await.unwrap();
    assert_eq!(company.ann.hears(US, ROOM).await.unwrap(), "four o'clock");
    let asked = company.asked(1).await;
    assert!(asked.contains("the train leaves at four") && asked.contains("when does it leave?"), "{asked}");
    company.world.fake.says("platform two");
    company.ann.say(ROOM, &format!("{US}: from where?")).await.unwrap();
    assert_eq!(company.ann.hears(US, ROOM).await.unwrap(), "platform two");
    assert!(!company.asked(2).await.contains("leaves at four"), "it is told once");
}

#[tokio::test]
async fn stop_is_obeyed_while_the_model_is_busy_and_needs_no_turn() {
    let mut company = company(|_| {}).await;
    company.world.fake.hangs();
    company.ann.say(US, "count to a million").await.unwrap();
    company.world.fake.wait_for_request(1).await.unwrap();
    company.ann.say(US, "and then backwards").await.unwrap();
    company.ann.say(US, "stop").await.unwrap();
    assert_eq!(company.ann.hears(US, "ann").await.unwrap(), "⚙️ Agent was aborted.");
    company.world.fake.says("gladly");
    company.ann.say(US, "thank you").await.unwrap();
    assert_eq!(company.ann.hears(US, "ann").await.unwrap(), "gladly");
    assert_eq!(company.world.fake.requests().len(), 2, "what waited was stopped, too");
}

#[tokio::test]
async fn messages_that_come_while_the_model_is_busy_get_one_turn_together() {
    let mut company = company(|_| {}).await;
    let gate = company.world.fake.gate("first");
    company.world.fake.says("all three");
    company.ann.say(US, "one").await.unwrap();
    company.world.fake.wait_for_request(1).await.unwrap();
    for text in ["two", "three", "four"] {
        company.ann.say(US, text).await.unwrap();
    }
    // Messages of a conversation are taken in order: when this is answered, the others wait.
    company.ann.say(US, "/status").await.unwrap();
    company.ann.until("Session").await.unwrap();
    gate.release();
    company.ann.until("first").await.unwrap();
    company.ann.until("all three").await.unwrap();
    let asked = company.asked(2).await;
    for text in ["[Queued messages while agent was busy]", "two", "three", "four"] {
        assert!(asked.contains(text), "{text}: {asked}");
    }
    assert_eq!(company.world.fake.requests().len(), 2);
}

#[tokio::test]
async fn a_message_of_settings_alone_is_kept_and_acknowledged() {
    let mut company = company(|_| {}).await;
    company.ann.say(US, "/think high").await.unwrap();
    assert_eq!(company.ann.hears(US, "ann").await.unwrap(), "⚙️ Thinking: high");
    company.ann.say(US, "/queue followup").await.unwrap();
    assert_eq!(company.ann.hears(US, "ann").await.unwrap(), "⚙️ Queue: followup");
    assert_eq!(company.world.fake.requests().len(), 0);
    let gate = company.world.fake.gate("first");
    company.world.fake.says("second");
    company.world.fake.says("third");
    company.ann.say(US, "one").await.unwrap();
    company.world.fake.wait_for_request(1).await.unwrap();
    company.ann.say(US, "two").await.unwrap();
    company.ann.say(US, "three").await.unwrap();
    gate.release();
    for text in ["first", "second", "third"] {
        assert_eq!(company.ann.hears(US, "ann").await.unwrap(), text);
    }
}

#[tokio::test]
async fn what_was_said_before_a_crash_is_answered_once_after_it() {
    let mut company = company(|_| {}).await;
    company.world.fake.hangs();
    company.ann.say(US, "first").await.unwrap();
    company.world.fake.wait_for_request(1).await.unwrap();
    company.ann.say(US, "second").await.unwrap();
    company.ann.say(US, "/status").await.unwrap();
    // The command is answered, so what came before it is kept.
    company.ann.until("Session").await.unwrap();
    company.world.gateway.kill9().await.unwrap();
    company.world.fake.says("back to the first").says("and the second");
    company.world.gateway.restart().await.unwrap();
    company.ann.until("back to the first").await.unwrap();
    company.ann.until("and the second").await.unwrap();
    assert_eq!(company.world.fake.requests().len(), 3);
}

/// Two agents in one room, answering as `strategy` says.
async fn two_agents(strategy: &str) -> Company {
    company(|config| {
        config["agents"]["list"] = json!([
            {"id": "main", "identity": {"name": "Minna"}}, {"id": "bert", "identity": {"name": "Bert"}},
        ]);
        config["channels"]["irc"]["groups"] = json!({"*": {"requireMention": false}});
        config["broadcast"] = json!({"strategy": strategy, (ROOM): ["main", "bert"]});
    })
    .await
}

/// Who was asked in the request number `n`.
async fn who(company: &Company, n: usize) -> &'static str {
    let asked = company.world.fake.wait_for_request(n).await.unwrap().body["messages"][0].to_string();
    if asked.contains("You are Bert") { "Bert" } else { "Minna" }
}

#[tokio::test]
async fn several_agents_answer_a_room_at_once_or_one_after_the_other_as_the_owner_wants() {
    let mut company = two_agents("sequential").await;
    let gate = company.world.fake.gate("the first answer");
    company.ann.say(ROOM, "what do you think?").await.unwrap();
    assert_eq!(who(&company, 1).await, "Minna");
    // Others are answered meanwhile, so the second agent was not merely late.
    company.world.fake.says("yes").says("the second answer");
    company.ann.say(US, "are you there?").await.unwrap();
    assert_eq!(company.ann.hears(US, "ann").await.unwrap(), "yes");
    assert_eq!(who(&company, 2).await, "Minna");
    gate.release();
    assert_eq!(company.ann.hears(US, ROOM).await.unwrap(), "the first answer");
    assert_eq!(company.ann.hears(US, ROOM).await.unwrap(), "the second answer");
    assert_eq!(who(&company, 3).await, "Bert");

    let mut company = two_agents("parallel").await;
    let (one, other) = (company.world.fake.gate("an answer"), company.world.fake.gate("an answer"));
    company.ann.say(ROOM, "what do you think?").await.unwrap();
    let mut both = [who(&company, 1).await, who(&company, 2).await];
    both.sort_unstable();
    assert_eq!(both, ["Bert", "Minna"], "each is asked before anybody has answered");
    one.release();
    other.release();
    assert_eq!(company.ann.hears(US, ROOM).await.unwrap(), "an answer");
    assert_eq!(company.ann.hears(US, ROOM).await.unwrap(), "an answer");
}

#[tokio::test]
async fn words_the_owner_listed_count_as_a_mention() {
    let mut company = company(|config| {
        config["messages"]["groupChat"] = json!({"mentionPatterns": ["\\bcrab\\b"]});
    })
    .await;
    company.world.fake.says("yes?");
    company.ann.say(ROOM, "nobody is meant").await.unwrap();
    company.ann.say(ROOM, "is the crab here").await.unwrap();
    assert_eq!(company.ann.hears(US, ROOM).await.unwrap(), "yes?");
    assert_eq!(company.world.fake.requests().len(), 1);
}

#[tokio::test]
async fn only_as_much_of_a_room_is_told_as_the_owner_wants() {
    let mut company = company(|config| config["messages"]["groupChat"] = json!({"historyLimit": 1})).await;
    company.world.fake.says("four o'clock");
    company.ann.say(ROOM, "the boat leaves at three").await.unwrap();
    company.ann.say(ROOM, "the train leaves at four").await.unwrap();
    company.ann.say(ROOM, &format!("{US}: when does it leave?")).await.unwrap();
    assert_eq!(company.ann.hears(US, ROOM).await.unwrap(), "four o'clock");
    let asked = company.asked(1).await;
    assert!(asked.contains("leaves at four") && !asked.contains("leaves at three"), "{asked}");
}
