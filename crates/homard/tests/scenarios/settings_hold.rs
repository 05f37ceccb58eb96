//! What is acknowledged holds: every field of `sessions.patch`, and what operators say about how messages wait.

use homard_testkit::TestClient;
use serde_json::{Value, json};

use crate::scenarios::world::{KEY, OPENAI, World, first_delta, say, talk, text_of};

/// Sends a command and waits for its answer.
async fn obey(client: &mut TestClient, text: &str) -> String {
    let run = format!("run-{}", uuid::Uuid::new_v4());
    let send = json!({"sessionKey": KEY, "message": text, "idempotencyKey": run});
    assert_eq!(client.call("chat.send", send).await.unwrap()["status"], "ok", "{text}");
    text_of(&client.wait_chat_final(&run).await.unwrap()["message"])
}

/// Where a setting of a session is seen.
enum Seen {
    /// In the session's row, as it was sent.
    Row(&'static str),
    /// Kept with the session as it was sent; the test that shows what it does stands behind it.
    Kept(&'static str, &'static str),
    Refused,
}
use Seen::{Kept, Refused, Row};

/// Every field a client may send, a value for it, and where it is seen.
fn fields() -> Vec<(&'static str, Value, Seen)> {
    vec![
        ("label", json!("L"), Row("label")),
        ("autoLabel", json!("A"), Row("autoLabel")),
        ("category", json!("C"), Row("category")),
        ("color", json!("red"), Row("color")),
        ("icon", json!("star"), Row("icon")),
        ("statusNote", json!("busy"), Row("statusNote")),
        ("archived", json!(true), Row("archived")),
        ("pinned", json!(true), Row("pinned")),
        ("unread", json!(true), Row("unread")),
        ("thinkingLevel", json!("high"), Row("thinkingLevel")),
        ("verboseLevel", json!("full"), Row("verboseLevel")),
        ("reasoningLevel", json!("on"), Row("reasoningLevel")),
        ("responseUsage", json!("tokens"), Row("effectiveResponseUsage")),
        ("sendPolicy", json!("deny"), Row("sendPolicy")),
        ("groupActivation", json!("always"), Row("groupActivation")),
        ("execNode", json!("desk"), Row("execNode")),
        ("execHost", json!("gateway"), Kept("execHost", "scenarios::exec_rules")),
        ("execSecurity", json!("deny"), Kept("execSecurity", "commands_are_not_offered_where_none_may_run")),
        ("execAsk", json!("always"), Kept("execAsk", "scenarios::exec_rules")),
        ("elevatedLevel", json!("on"), Refused),
        ("agentRuntime", json!("x"), Refused),
        ("attention", json!("x"), Refused),
        ("boardFace", json!("x"), Refused),
        ("boardPresentation", json!("x"), Refused),
        ("completionOwnerSessionKey", json!("x"), Refused),
        ("contextWindow", json!(1), Refused),
        ("expectedLifecycleRevision", json!("x"), Refused),
        ("fastMode", json!(true), Refused),
        ("inheritedToolPolicyAllow", json!([]), Refused),
        ("inheritedToolPolicyDeny", json!([]), Refused),
        ("inheritedToolPolicyVersion", json!(1), Refused),
        ("nativeRuntimeConsent", json!(true), Refused),
        ("permissionMode", json!("guarded"), Refused),
        ("sandboxMode", json!("off"), Refused),
        ("toolOverrides", json!({}), Refused),
        ("traceLevel", json!("on"), Refused),
        ("ttlMinutes", json!(1), Refused),
    ]
}

async fn row(client: &mut TestClient, archived: bool) -> Value {
    let list = client.call("sessions.list", json!({"archived": archived})).await.unwrap();
    let rows = list["sessions"].as_array().unwrap();
    rows.iter().find(|row| row["key"] == KEY).cloned().unwrap_or_else(|| panic!("{list}"))
}

#[tokio::test]
async fn every_field_of_a_patch_is_seen_afterwards_or_refused_by_name() {
    let world = World::start().await;
    let mut client = world.owner().await;
    talk(&mut client, KEY, "hello").await;
    for (name, value, seen) in fields() {
        let answer = client.request("sessions.patch", json!({"key": KEY, name: value})).await.unwrap();
        match seen {
            Row(shown) => {
                assert_eq!(answer["ok"], true, "{name}: {answer}");
                assert_eq!(row(&mut client, name == "archived").await[shown], value, "{name}");
            }
            Kept(kept, shown_by) => {
                assert_eq!(answer["payload"]["entry"][kept], value, "{name}, {shown_by}: {answer}");
            }
            Refused => {
                let words = answer["error"]["message"].as_str().unwrap_or_else(|| panic!("{name}: {answer}"));
                assert!(words.contains(name), "{name}: {words}");
            }
        }
        if name == "archived" {
            client.call("sessions.patch", json!({"key": KEY, "archived": false})).await.unwrap();
        }
    }
    let model = client.call("sessions.patch", json!({"key": KEY, "model": "fake/fake-1"})).await.unwrap();
    assert_eq!(model["resolved"]["model"], "fake-1");
    // To have none of what there is not is what holds.
    client.call("sessions.patch", json!({"key": KEY, "fastMode": null})).await.unwrap();
}

#[tokio::test]
async fn answers_that_are_turned_off_are_an_error_for_who_sends_and_commands_still_answer() {
    let world = World::start().await;
    let mut client = world.owner().await;
    client.call("sessions.patch", json!({"key": KEY, "sendPolicy": "deny"})).await.unwrap();
    let send = |text: &str, id: &str| json!({"sessionKey": KEY, "message": text, "idempotencyKey": id});
    let refused = client.request("chat.send", send("hello", "r1")).await.unwrap();
    assert_eq!(refused["error"]["code"], "INVALID_REQUEST", "{refused}");
    assert!(refused["error"]["message"].as_str().unwrap().contains("sendPolicy"), "{refused}");
    let agent = json!({"sessionKey": KEY, "message": "hello", "idempotencyKey": "r2"});
    let refused = client.request("agent", agent).await.unwrap();
    assert!(refused["error"]["message"].as_str().unwrap().contains("sendPolicy"), "{refused}");
    assert!(world.fake.requests().is_empty());
    assert_eq!(client.call("chat.send", send("/send on", "r3")).await.unwrap()["status"], "ok");
    talk(&mut client, KEY, "hello").await;
    assert_eq!(world.fake.requests().len(), 1);
}

#[tokio::test]
async fn what_operators_write_waits_as_the_session_wants_it() {
    let world = World::start().await;
    let mut client = world.owner().await;
    assert_eq!(obey(&mut client, "/queue collect debounce:1ms").await, "⚙️ Queue: collect");
    assert_eq!(row(&mut client, false).await["effectiveQueueMode"], "collect");
    let gate = world.fake.gate("half an answer");
    let busy = say(&mut client, KEY, "first").await;
    first_delta(&mut client, &busy).await;
    say(&mut client, KEY, "second").await;
    let last = say(&mut client, KEY, "third").await;
    world.fake.says("both");
    gate.release();
    assert_eq!(text_of(&client.wait_chat_final(&last).await.unwrap()["message"]), "both");
    let asked = world.fake.requests();
    assert_eq!(asked.len(), 2, "the two that waited are told together");
    let told = asked[1].body.to_string();
    assert!(told.contains("Queued #1") && told.contains("second") && told.contains("third"), "{told}");
}

#[tokio::test]
async fn no_more_wait_than_the_session_lets_and_what_goes_is_told_in_order() {
    let world = World::start().await;
    let mut client = world.owner().await;
    obey(&mut client, "/queue followup cap:2 drop:new").await;
    let gate = world.fake.gate("half an answer");
    let busy = say(&mut client, KEY, "first").await;
    first_delta(&mut client, &busy).await;
    say(&mut client, KEY, "second").await;
    say(&mut client, KEY, "third").await;
    let send = json!({"sessionKey": KEY, "message": "fourth", "idempotencyKey": "r4"});
    let refused = client.request("chat.send", send).await.unwrap();
    assert!(refused["error"]["message"].as_str().unwrap().contains("2 messages are waiting"), "{refused}");
    obey(&mut client, "/queue collect cap:2 drop:summarize debounce:1ms").await;
    say(&mut client, KEY, "fifth").await;
    let last = say(&mut client, KEY, "sixth").await;
    world.fake.says("all");
    gate.release();
    assert_eq!(text_of(&client.wait_chat_final(&last).await.unwrap()["message"]), "all");
    let told = world.fake.requests().pop().unwrap().body.to_string();
    let place = |words: &str| told.find(words).unwrap_or_else(|| panic!("{words}: {told}"));
    assert!(
        place("Dropped 2 messages") < place("- second") && place("- second") < place("- third"),
        "{told}"
    );
    assert!(place("- third") < place("fifth") && place("fifth") < place("sixth"), "{told}");
}

#[tokio::test]
async fn what_an_operator_writes_into_a_message_holds_for_that_message() {
    let world = World::start_with(OPENAI, |config| {
        config["models"]["providers"]["fake"]["models"][0]["reasoning"] = json!(true);
    })
    .await;
    let mut client = world.owner().await;
    talk(&mut client, KEY, "/exec security=deny what is it?").await;
    talk(&mut client, KEY, "and now?").await;
    let asked = world.fake.requests();
    let (first, second) = (asked[0].body.to_string(), asked[1].body.to_string());
    assert!(first.contains("what is it?") && !first.contains("security=deny"), "{first}");
    let has_exec = |body: &Value| body["tools"].to_string().contains("\"exec\"");
    assert!(!has_exec(&asked[0].body) && has_exec(&asked[1].body));
    assert!(second.contains("and now?"));
    talk(&mut client, KEY, "/think high look").await;
    assert!(world.fake.requests().pop().unwrap().body.to_string().contains("high"));
    talk(&mut client, KEY, "/elevated full do it").await;
    assert!(world.fake.requests().pop().unwrap().body.to_string().contains("/elevated full do it"));
    let said = obey(&mut client, "/elevated on").await;
    assert!(said.contains("There is no sandbox yet"), "{said}");
    assert_eq!(row(&mut client, false).await.get("elevatedLevel"), None);
}

#[tokio::test]
async fn a_message_that_answers_to_another_says_so_to_the_model() {
    let world = World::start().await;
    world.fake.says("Blue, I think.");
    let mut client = world.owner().await;
    talk(&mut client, KEY, "which colour?").await;
    let history =
        client.call("chat.history", json!({"sessionKey": KEY, "cursor": "from elsewhere"})).await.unwrap();
    assert_eq!(history["kind"], "reset");
    let id = history["messages"][1]["__openclaw"]["id"].clone();
    let send = json!({"sessionKey": KEY, "message": "sure?", "idempotencyKey": "r2", "replyToId": id});
    client.call("chat.send", send).await.unwrap();
    client.wait_chat_final("r2").await.unwrap();
    let told = world.fake.requests().pop().unwrap().body.to_string();
    assert!(told.contains("> Blue, I think.\\n\\nsure?"), "{told}");
    for (name, value) in [("replyToId", json!("nobody")), ("mentions", json!([{"id": "x"}]))] {
        let send = json!({"sessionKey": KEY, "message": "x", "idempotencyKey": "r3", name: value});
        let refused = client.request("chat.send", send).await.unwrap();
        assert!(refused["error"]["message"].as_str().unwrap().contains(name), "{refused}");
    }
}
