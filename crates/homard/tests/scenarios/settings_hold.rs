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
        // What it does: commands_of_a_session_run_on_the_node_it_was_given_and_on_no_other.
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
    let history = client.call("chat.history", json!({"sessionKey": KEY})).await.unwrap();
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

#[tokio::test]
async fn what_came_since_a_client_looked_is_told_alone_and_a_cursor_that_fits_nothing_resets() {
    let world = World::start().await;
    let mut client = world.owner().await;
    world.fake.says("one").says("two");
    talk(&mut client, KEY, "first").await;
    let ask = |cursor: &Value| json!({"sessionKey": KEY, "cursor": cursor});
    let page = client.call("chat.history", json!({"sessionKey": KEY})).await.unwrap();
    assert_eq!((page.get("kind"), page["messages"].as_array().unwrap().len()), (None, 2), "{page}");
    let nothing = client.call("chat.history", ask(&page["deltaCursor"])).await.unwrap();
    assert_eq!((&nothing["kind"], &nothing["messages"]), (&json!("delta"), &json!([])));
    assert_eq!(nothing["deltaCursor"], page["deltaCursor"]);
    talk(&mut client, KEY, "second").await;
    let delta = client.call("chat.history", ask(&page["deltaCursor"])).await.unwrap();
    let whole = client.call("chat.history", json!({"sessionKey": KEY})).await.unwrap();
    let new = delta["messages"].as_array().unwrap();
    assert_eq!((new.len(), &delta["kind"], &delta["hasMore"]), (2, &json!("delta"), &json!(false)));
    for (told, shown) in new.iter().zip(&whole["messages"].as_array().unwrap()[2..]) {
        let mark = &shown["__openclaw"];
        assert_eq!(*told, json!({"message": shown, "messageId": mark["id"], "messageSeq": mark["seq"]}));
    }
    assert_eq!(delta["deltaCursor"], whole["deltaCursor"]);
    client.call("sessions.reset", json!({"key": KEY})).await.unwrap();
    for strange in [page["deltaCursor"].clone(), json!("from elsewhere")] {
        let reset = client.call("chat.history", ask(&strange)).await.unwrap();
        assert_eq!((&reset["kind"], &reset["messages"]), (&json!("reset"), &json!([])), "{reset}");
        assert_eq!(reset.get("deltaCursor"), None);
    }
}

/// A gateway where these settings hold for all agents.
async fn with_defaults(settings: Value) -> World {
    World::start_with(OPENAI, |config| {
        config["models"]["providers"]["fake"]["models"][0]["reasoning"] = json!(true);
        let defaults = config["agents"]["defaults"].as_object_mut().unwrap();
        defaults.extend(settings.as_object().unwrap().clone());
    })
    .await
}

/// What the model is told of a plain message, and of the time, where these settings of agents hold.
async fn told_with(settings: Value) -> (String, bool) {
    let world = with_defaults(settings).await;
    let mut client = world.owner().await;
    talk(&mut client, KEY, "hello").await;
    let asked = world.fake.requests().pop().unwrap().body;
    let messages = asked["messages"].as_array().unwrap();
    let is_promised = text_of(&messages[0]).contains("begins with the time it was sent");
    (text_of(messages.last().unwrap()), is_promised)
}

#[tokio::test]
async fn the_time_a_message_was_sent_is_told_in_the_zone_the_owner_wants_or_not_at_all() {
    let off = json!({"envelopeTimestamp": "off", "envelopeTimezone": "utc"});
    assert_eq!(told_with(off).await, ("hello".to_owned(), false));
    let (told, _) = told_with(json!({"envelopeTimezone": "local"})).await;
    let machines = told.split_once(']').unwrap().0.rsplit(' ').next().unwrap().to_owned();
    for (settings, zone) in [
        (json!({"userTimezone": "Asia/Tokyo"}), machines.as_str()),
        (json!({"userTimezone": "Asia/Tokyo", "envelopeTimezone": "user", "envelopeTimestamp": "on"}), "JST"),
        (json!({"userTimezone": "Asia/Tokyo", "envelopeTimezone": "utc"}), "UTC"),
        (json!({"userTimezone": "Asia/Tokyo", "envelopeTimezone": "Africa/Lagos"}), "WAT"),
    ] {
        let (told, is_promised) = told_with(settings).await;
        let (stamp, text) = told.split_once("] ").unwrap();
        assert_eq!((stamp.rsplit(' ').next().unwrap(), text, is_promised), (zone, "hello", true), "{told}");
    }
}

#[tokio::test]
async fn how_hard_models_think_is_as_the_owner_says_for_all_or_for_one_agent() {
    let world = with_defaults(json!({"thinkingDefault": "high"})).await;
    let mut client = world.owner().await;
    talk(&mut client, KEY, "hello").await;
    assert_eq!(world.fake.requests().pop().unwrap().body["reasoning_effort"], "high");
    let agents = json!([{"id": "main", "default": true}, {"id": "quick", "thinkingDefault": "low"}]);
    let patch =
        json!({"raw": json!({"agents": {"list": agents}}).to_string(), "baseHash": hash(&mut client).await});
    client.call("config.patch", patch).await.unwrap();
    talk(&mut client, "agent:quick:story", "hello").await;
    assert_eq!(world.fake.requests().pop().unwrap().body["reasoning_effort"], "low");
}

/// What a change of the settings says it was made from.
async fn hash(client: &mut TestClient) -> Value {
    client.call("config.get", json!({})).await.unwrap()["hash"].take()
}

#[tokio::test]
async fn a_long_file_of_the_workspace_is_told_as_far_as_the_owner_wants() {
    let rows = [
        (json!({}), true),
        (json!({"bootstrapMaxChars": 1_000}), false),
        (json!({"bootstrapTotalMaxChars": 1_000}), false),
    ];
    for (settings, is_told) in rows {
        let world = with_defaults(settings.clone()).await;
        let file = world.gateway.home().state_dir().join("workspace/AGENTS.md");
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, format!("{0}THE MIDDLE{0}", "x ".repeat(2_000))).unwrap();
        let mut client = world.owner().await;
        talk(&mut client, "agent:main:main", "hello").await;
        let system = text_of(&world.fake.requests().pop().unwrap().body["messages"][0]);
        assert_eq!(system.contains("THE MIDDLE"), is_told, "{settings}");
    }
}

#[tokio::test]
async fn a_turn_takes_no_longer_than_the_owner_lets_it() {
    let world = with_defaults(json!({"timeoutSeconds": 3})).await;
    world.fake.hangs();
    let mut client = world.owner().await;
    let run = say(&mut client, KEY, "hurry").await;
    let last = client.wait_chat_final(&run).await.unwrap();
    assert_eq!((&last["state"], &last["errorKind"]), (&json!("error"), &json!("timeout")), "{last}");
}

#[tokio::test]
async fn commands_have_the_owners_environment_and_are_offered_as_the_mode_says() {
    for (mode, is_offered) in [("full", true), ("deny", false)] {
        let world = World::start_with(OPENAI, |config| {
            config["env"] = json!({"vars": {"LANG": "tlh_XX"}});
            config["tools"] = json!({"exec": {"host": "gateway", "mode": mode}});
        })
        .await;
        if is_offered {
            world.fake.calls("exec", json!({"command": "echo lang=$LANG"}));
        }
        let mut client = world.owner().await;
        talk(&mut client, KEY, "go").await;
        let asked = world.fake.requests().pop().unwrap().body;
        let tools = asked["tools"].as_array().unwrap();
        let offers = tools.iter().any(|tool| tool["function"]["name"] == "exec");
        assert_eq!(offers, is_offered, "{mode}");
        assert_eq!(asked["messages"].to_string().contains("lang=tlh_XX"), is_offered, "{mode}");
    }
}

#[tokio::test]
async fn conversations_older_than_the_owner_wants_are_the_first_to_go() {
    let world =
        World::start_with(OPENAI, |config| config["session"] = json!({"maintenance": {"pruneAfter": "1s"}}))
            .await;
    let mut client = world.owner().await;
    talk(&mut client, "a", "hello").await;
    loop {
        let dry = client.call("sessions.cleanup", json!({})).await.unwrap();
        if dry["removed"] == json!(["agent:main:a"]) {
            break;
        }
        assert_eq!(dry["removed"], json!([]), "{dry}");
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn what_the_owner_writes_about_a_model_and_an_agent_is_told_and_sent() {
    let world = World::start_with(OPENAI, |config| {
        let model = &mut config["models"]["providers"]["fake"]["models"][0];
        model["name"] = json!("Story Teller");
        model["headers"] = json!({"x-story": "once upon a time"});
        config["agents"]["list"] =
            json!([{"id": "main", "default": true, "identity": {"name": "Ada", "theme": "lighthouse"}}]);
    })
    .await;
    let mut client = world.owner().await;
    talk(&mut client, KEY, "hello").await;
    assert_eq!(world.fake.requests().pop().unwrap().header("x-story"), Some("once upon a time"));
    let models = client.call("models.list", json!({})).await.unwrap();
    assert!(models.to_string().contains("Story Teller"), "{models}");
    let agents = client.call("agents.list", json!({})).await.unwrap();
    assert_eq!(agents["agents"][0]["identity"]["theme"], "lighthouse", "{agents}");
}
