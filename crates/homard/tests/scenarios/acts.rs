//! Doing things on a chat platform on purpose: `send`, `message.action`, the `message` tool, accounts, results that
//! are announced, commands.

use homard_testkit::{FakeTelegram, Sent, TestClient};
use serde_json::{Value, json};

use crate::scenarios::world::{KEY, OPENAI, World, text_of};

/// The owner's number on the platform.
const OWNER: i64 = 7;
/// Somebody who may write, too.
const FRIEND: i64 = 8;
/// A group with topics.
const GROUP: i64 = -1008;

/// A gateway with an account on a fake platform that is listened to.
pub(crate) async fn connected(change: impl FnOnce(&mut Value)) -> (World, FakeTelegram) {
    let there = FakeTelegram::start().await.unwrap();
    there.has_chat(OWNER, json!({})).has_chat(FRIEND, json!({}));
    let (url, token) = (there.url(), there.token().to_owned());
    let world = World::start_with(OPENAI, |config| {
        config["channels"] = json!({"telegram": {
            "botToken": token, "apiRoot": url, "dmPolicy": "allowlist", "allowFrom": [OWNER, FRIEND], "streamMode": "off",
        }});
        config["commands"] =
            json!({"ownerAllowFrom": [format!("telegram:{OWNER}")], "allowFrom": {"telegram": [OWNER, FRIEND]}});
        change(config);
    })
    .await;
    there.wait_for_polls(1).await.unwrap();
    (world, there)
}

fn message(to: &str, text: &str, key: &str) -> Value {
    json!({"to": to, "message": text, "idempotencyKey": key})
}

async fn act(client: &mut TestClient, action: &str, params: Value, key: &str) -> Value {
    let params = json!({"channel": "telegram", "action": action, "params": params, "idempotencyKey": key});
    client.request("message.action", params).await.unwrap()
}

#[tokio::test]
async fn a_message_is_sent_once_under_its_key_and_can_be_acted_upon() {
    let (world, there) = connected(|_| {}).await;
    let mut client = world.owner().await;
    let sent = client.call("send", message("tg:7", "**tea** is ready", "k1")).await.unwrap();
    assert_eq!(
        (&sent["channel"], &sent["chatId"], &sent["runId"]),
        (&json!("telegram"), &json!("7"), &json!("k1"))
    );
    assert_eq!(client.call("send", message("tg:7", "**tea** is ready", "k1")).await.unwrap(), sent);
    let calls = there.calls_of("sendMessage");
    assert_eq!(calls.len(), 1, "{calls:?}");
    assert_eq!((calls[0].chat(), calls[0].shown.as_deref()), (OWNER, Some("tea is ready")));
    let id = sent["messageId"].as_str().unwrap();
    assert_eq!(Some(id), calls[0].message_id.map(|id| id.to_string()).as_deref());

    let on = |more: Value| {
        let mut params = json!({"target": "7", "messageId": id});
        params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        params
    };
    for (action, params, method) in [
        ("react", on(json!({"emoji": "👍"})), "setMessageReaction"),
        ("edit", on(json!({"message": "cold tea"})), "editMessageText"),
        ("pin", on(json!({})), "pinChatMessage"),
        ("poll", json!({"target": "7", "pollQuestion": "more?", "pollOption": ["yes", "no"]}), "sendPoll"),
        ("delete", on(json!({})), "deleteMessage"),
    ] {
        let done = act(&mut client, action, params, action).await;
        assert_eq!(done["ok"], true, "{action}: {done}");
        assert_eq!(there.calls_of(method).len(), 1, "{action}");
    }
    let dry = act(&mut client, "send", json!({"target": "8", "message": "x", "dryRun": true}), "dry").await;
    assert_eq!((&dry["payload"]["dryRun"], &dry["payload"]["to"]), (&json!(true), &json!("8")), "{dry}");
    let both = json!({"targets": ["telegram:7", "telegram:8", "@nobody"], "message": "to all"});
    let all = act(&mut client, "broadcast", both, "all").await;
    let done: Vec<&Value> =
        all["payload"]["results"].as_array().unwrap().iter().map(|row| &row["ok"]).collect();
    assert_eq!(done, [&json!(true), &json!(true), &json!(false)], "{all}");
}

#[tokio::test]
async fn writing_elsewhere_is_for_the_owner_to_turn_off() {
    let (world, there) = connected(|config| {
        config["tools"]["message"] =
            json!({"crossContext": {"allowWithinProvider": false}, "broadcast": {"enabled": false}});
    })
    .await;
    let both = json!({"action": "broadcast", "targets": ["telegram:7", "telegram:8"], "message": "to all"});
    world.fake.calls("message", json!({"action": "send", "target": "8", "message": "hello"}));
    world.fake.calls("message", both);
    world.fake.says("I may not.");
    there.user_says(OWNER, OWNER, "tell the others");
    assert_eq!(there.next_sent().await.unwrap().text(), "I may not.");
    let told = world.fake.requests().pop().unwrap().body["messages"].to_string();
    for key in ["tools.message.crossContext.allowWithinProvider", "tools.message.broadcast"] {
        assert!(told.contains(key), "{key}: {told}");
    }
}

#[tokio::test]
async fn what_cannot_be_sent_is_refused_with_words() {
    let (world, _there) =
        connected(|config| config["channels"]["telegram"]["actions"] = json!({"reactions": false})).await;
    let mut client = world.owner().await;
    let poll = json!({"to": "7", "question": "?", "options": ["a", "b"], "durationSeconds": 100_000, "idempotencyKey": "p"});
    for (method, params, words) in [
        ("send", message("telegram:@ada", "x", "a"), "is a name"),
        ("send", message("telegram:", "x", "b"), "names nobody"),
        (
            "send",
            json!({"to": "7", "mediaUrl": "/etc/hostname", "idempotencyKey": "c"}),
            "not in the workspace",
        ),
        (
            "send",
            json!({"to": "7", "message": "x", "accountId": "other", "idempotencyKey": "d"}),
            "is not connected",
        ),
        (
            "send",
            json!({"to": "irc:#a", "message": "x", "idempotencyKey": "e"}),
            "irc account `default` is not connected",
        ),
        ("poll", poll, "at most"),
        (
            "message.action",
            json!({"channel": "telegram", "action": "fly", "params": {}, "idempotencyKey": "f"}),
            "Channel telegram does not support action fly.",
        ),
        (
            "message.action",
            json!({"channel": "telegram", "action": "react", "params": {"target": "7", "messageId": 1, "emoji": "👍"}, "idempotencyKey": "g"}),
            "channels.telegram.actions.reactions",
        ),
        ("channels.check", json!({"channel": "pigeon"}), "unknown channel: pigeon"),
        ("channels.check", json!({"channel": "telegram", "timeoutMs": 0}), "invalid channels.check params"),
        ("channels.check", json!({"channel": "telegram", "section": []}), "invalid channels.check params"),
        (
            "channels.check",
            json!({"channel": "telegram", "accountId": "../x"}),
            "invalid channels.check params: at /accountId",
        ),
        ("channels.deadLetters", json!({"limit": 0}), "invalid channels.deadLetters params"),
    ] {
        let error = client.request(method, params).await.unwrap()["error"].take();
        assert!(error["message"].as_str().unwrap_or_default().contains(words), "{method}: {error}");
    }
}

#[tokio::test]
async fn an_account_is_tried_before_it_is_written_down() {
    let (world, there) = connected(|_| {}).await;
    let mut client = world.owner().await;
    let section = json!({"botToken": there.token(), "apiRoot": there.url()});
    let tried = client
        .call("channels.check", json!({"channel": "telegram", "accountId": "second", "section": section}));
    let tried = tried.await.unwrap();
    assert_eq!((&tried["ok"], &tried["username"]), (&json!(true), &json!(there.bot_name())), "{tried}");
    let wrong = json!({"botToken": "7000000001:wrong", "apiRoot": there.url()});
    let tried =
        client.call("channels.check", json!({"channel": "telegram", "section": wrong})).await.unwrap();
    assert_eq!(tried["ok"], false, "{tried}");
    assert!(!tried.to_string().contains("wrong"), "the token is told to nobody: {tried}");
    let hidden = json!({"botToken": "__OPENCLAW_REDACTED__"});
    let tried =
        client.call("channels.check", json!({"channel": "telegram", "section": hidden})).await.unwrap();
    assert_eq!(tried["ok"], true, "{tried}");
    let known = client.call("channels.platforms", json!({})).await.unwrap();
    let token = &known["platforms"][0]["schema"]["properties"]["botToken"];
    assert_eq!((&token["title"], &token["x-form"]["needed"]), (&json!("Bot token"), &json!(true)), "{known}");
    let status = client.call("channels.status", json!({})).await.unwrap();
    let detail = &status["channelAccounts"]["telegram"][0]["details"][0];
    assert_eq!(detail, &json!({"label": "Connection", "text": "Fetches messages (long polling)"}));
    assert_eq!(
        status["channelAccounts"]["telegram"].as_array().map(Vec::len),
        Some(1),
        "nothing was written"
    );
}

#[tokio::test]
async fn an_account_is_seen_stopped_started_and_logged_out() {
    let (world, there) = connected(|_| {}).await;
    let mut client = world.owner().await;
    let status = client.call("channels.status", json!({"probe": true})).await.unwrap();
    let account = &status["channelAccounts"]["telegram"][0];
    assert_eq!(status["channelOrder"], json!(["telegram"]), "{status}");
    assert_eq!(
        (&account["running"], &account["connected"], &account["probe"]["ok"]),
        (&json!(true), &json!(true), &json!(true))
    );
    assert_eq!(
        (&account["healthState"], &account["bot"]["username"]),
        (&json!("healthy"), &json!(there.bot_name()))
    );
    assert_eq!(account["capabilities"]["reactions"], true, "{account}");

    let one = json!({"channel": "telegram"});
    let stopped = client.call("channels.stop", one.clone()).await.unwrap();
    assert_eq!((&stopped["accountId"], &stopped["stopped"]), (&json!("default"), &json!(true)));
    let status = client.call("channels.status", json!({"channel": "telegram"})).await.unwrap();
    assert_eq!(status["channelAccounts"]["telegram"][0]["running"], false, "{status}");
    let started = client.call("channels.start", one.clone()).await.unwrap();
    assert_eq!((&started["started"], &started["outcome"]["status"]), (&json!(true), &json!("handed-off")));
    client.call("send", message("telegram:7", "back", "k")).await.unwrap();

    let out = client.call("channels.logout", one).await.unwrap();
    assert_eq!((&out["cleared"], &out["loggedOut"]), (&json!(true), &json!(true)), "{out}");
    let config = client.call("config.get", json!({})).await.unwrap();
    let section = &config["parsed"]["channels"]["telegram"];
    assert!(section["botToken"].is_null() && section["apiRoot"].is_string(), "{section}");
}

#[tokio::test]
async fn a_model_writes_to_others_and_does_not_say_twice_what_its_tool_said() {
    let (world, there) = connected(|_| {}).await;
    world.fake.calls("message", json!({"message": "I am looking at it now"}));
    world.fake.says("I am looking at it now.");
    there.user_says(OWNER, OWNER, "go");
    let first = there.next_sent().await.unwrap();
    assert_eq!((first.chat(), first.text()), (OWNER, "I am looking at it now"));

    world.fake.calls("message", json!({"target": "telegram:8", "message": "Ada says hello"}));
    world.fake.says("I told them.");
    there.user_says(OWNER, OWNER, "tell 8 hello");
    let (second, third) = (there.next_sent().await.unwrap(), there.next_sent().await.unwrap());
    assert_eq!((second.chat(), second.text()), (FRIEND, "[from Telegram] Ada says hello"));
    assert_eq!((third.chat(), third.text()), (OWNER, "I told them."));
    assert_eq!(there.calls_of("sendMessage").len(), 3);
}

#[tokio::test]
async fn results_and_answers_are_delivered_where_they_are_wanted() {
    let (world, there) = connected(|_| {}).await;
    let mut client = world.owner().await;
    let job = json!({
        "name": "digest", "schedule": {"kind": "every", "everyMs": 3_600_000}, "sessionTarget": "isolated",
        "wakeMode": "now", "payload": {"kind": "agentTurn", "message": "sum up"},
        "delivery": {"mode": "announce", "channel": "telegram", "to": "7"},
    });
    let added = client.call("cron.add", job).await.unwrap();
    assert_eq!(added["deliveryPreview"]["label"], "announce -> telegram 7", "{added}");
    world.fake.says("all is well");
    client.call("cron.run", json!({"id": added["id"]})).await.unwrap();
    let announced = there.next_sent().await.unwrap();
    assert_eq!((announced.chat(), announced.text()), (OWNER, "all is well"));
    let is_end = |payload: &Value| payload["action"] == "finished";
    let end = client.next_event_where("cron", is_end).await.unwrap()["payload"].take();
    assert_eq!(end["deliveryStatus"], "delivered", "{end}");

    world.fake.says("here you are");
    let params = json!({"message": "bring it", "sessionKey": KEY, "deliver": true, "channel": "telegram", "to": "8", "idempotencyKey": "d1"});
    client.call("agent", params).await.unwrap();
    let delivered = there.next_sent().await.unwrap();
    assert_eq!((delivered.chat(), delivered.text()), (FRIEND, "here you are"));
    let nowhere =
        json!({"message": "x", "sessionKey": KEY, "deliver": true, "channel": "irc", "idempotencyKey": "d2"});
    let error = client.request("agent", nowhere).await.unwrap()["error"].take();
    assert!(error["message"].as_str().unwrap().contains("cannot be delivered"), "{error}");
}

#[tokio::test]
async fn what_an_operators_program_passes_on_is_answered_where_it_came_from() {
    let (world, there) = connected(|_| {}).await;
    there.has_chat(GROUP, json!({"type": "supergroup", "title": "Crew", "is_forum": true}));
    there.has_topics(GROUP, [5]);
    let mut client = world.owner().await;
    let send = |key: &str, more: Value| {
        let mut params = json!({"sessionKey": KEY, "message": "passed on", "idempotencyKey": key,
            "originatingChannel": "telegram"});
        params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        params
    };
    world.fake.says("to the friend").says("to the topic").says("to the page alone");
    let from_friend = json!({"originatingTo": "8", "originatingAccountId": "default"});
    client.call("chat.send", send("o1", from_friend)).await.unwrap();
    assert_eq!(text_of(&client.wait_chat_final("o1").await.unwrap()["message"]), "to the friend");
    let sent = there.next_sent().await.unwrap();
    assert_eq!((sent.chat(), sent.text()), (FRIEND, "to the friend"));
    let from_topic = json!({"originatingTo": GROUP.to_string(), "originatingThreadId": 5});
    client.call("chat.send", send("o2", from_topic)).await.unwrap();
    let sent = there.next_sent().await.unwrap();
    let topic = sent.param("message_thread_id").cloned();
    assert_eq!((sent.chat(), sent.text(), topic), (GROUP, "to the topic", Some(json!(5))));
    client.call("chat.send", send("o3", json!({"originatingTo": "8", "deliver": false}))).await.unwrap();
    client.wait_chat_final("o3").await.unwrap();
    let nowhere = send("o4", json!({"originatingChannel": "irc"}));
    let refused = client.request("chat.send", nowhere).await.unwrap();
    assert!(refused["error"]["message"].as_str().unwrap().contains("cannot be delivered"), "{refused}");
    assert_eq!(there.calls_of("sendMessage").len(), 2);
}

#[tokio::test]
async fn commands_are_obeyed_by_whoever_may_use_them() {
    let (world, there) = connected(|_| {}).await;
    for (text, words) in [
        ("/whoami", "Id: 7"),
        ("/usage tokens", "Usage below answers on chat platforms: tokens"),
        ("/send off", "Sending: deny"),
        ("/send inherit", "Sending: inherit"),
        ("/commands 2", "page 2 of"),
        ("/subagents", "No subagents."),
        ("/kill", "say which"),
        ("/approve x deny", "no question"),
        ("/allowlist", "allowFrom: 7, 8"),
        ("/allowlist add 9", "turned off (commands.config)"),
        ("/config show", "turned off (commands.config)"),
        ("/restart", "turned off (commands.restart)"),
        ("/activation always", "groups only"),
        ("/tts always", "not spoken by themselves yet"),
        ("/models fake", "fake/"),
        ("/dock-irc", "session.identityLinks"),
    ] {
        there.user_says(OWNER, OWNER, text);
        let answer = there.next_sent().await.unwrap();
        assert!(answer.shown.as_deref().unwrap_or_default().contains(words), "{text}: {:?}", answer.shown);
    }
    // Somebody who is not the owner learns nothing.
    there.user_says(FRIEND, FRIEND, "/send off");
    there.user_says(FRIEND, FRIEND, "/whoami");
    let answer = there.next_sent().await.unwrap();
    assert!(answer.shown.as_deref().unwrap_or_default().contains("Id: 8"), "{:?}", answer.shown);
    assert!(world.fake.requests().is_empty());
}

#[tokio::test]
async fn settings_typed_on_the_page_are_kept_and_acknowledged() {
    let world =
        World::start_with(OPENAI, |config| config["commands"] = json!({"config": true, "debug": true})).await;
    let mut client = world.owner().await;
    for (id, text, words) in [
        ("a", "/think high", "Thinking: high"),
        ("b", "/verbose on", "Verbose: on"),
        ("c", "/whoami", "You are the owner"),
        ("d", "/config get commands.debug", "true"),
        ("e", "/debug set agents.defaults.userTimezone UTC", "holds until the next start"),
        ("f", "/debug show", "UTC"),
        ("g", "/debug reset", "as the file says"),
        ("h", "/export-session", "in the workspace"),
    ] {
        let params = json!({"sessionKey": "agent:main:settings", "message": text, "idempotencyKey": id});
        client.call("chat.send", params).await.unwrap();
        let last = client.wait_chat_final(id).await.unwrap();
        let said =
            format!("{}{}", text_of(&last["message"]), last["errorMessage"].as_str().unwrap_or_default());
        assert!(said.contains(words), "{text}: {last}");
    }
    let row = client.call("sessions.list", json!({})).await.unwrap();
    assert!(row.to_string().contains("\"thinkingLevel\":\"high\""), "{row}");
}

#[tokio::test]
async fn what_nobody_typed_is_answered_where_its_owner_was_last() {
    let (world, there) = connected(|_| {}).await;
    let mut client = world.owner().await;
    world.fake.says("hello");
    there.user_says(OWNER, OWNER, "hi");
    assert_eq!(there.next_sent().await.unwrap().text(), "hello");
    // A job of the main conversation, an event, and what a job decides not to say.
    let job = json!({
        "name": "tea", "schedule": {"kind": "every", "everyMs": 3_600_000}, "sessionTarget": "main",
        "wakeMode": "now", "payload": {"kind": "systemEvent", "text": "remind them of the tea"},
    });
    let added = client.call("cron.add", job).await.unwrap();
    world.fake.says("Your tea is ready.");
    client.call("cron.run", json!({"id": added["id"]})).await.unwrap();
    let told = there.next_sent().await.unwrap();
    assert_eq!((told.chat(), told.text()), (OWNER, "Your tea is ready."));
    world.fake.says("NO_REPLY");
    client.call("wake", json!({"mode": "now", "text": "nothing happened"})).await.unwrap();
    world.fake.says("The door bell rang.");
    client.call("wake", json!({"mode": "now", "text": "the bell rang"})).await.unwrap();
    let told = there.next_sent().await.unwrap();
    assert_eq!((told.chat(), told.text()), (OWNER, "The door bell rang."));
}

#[tokio::test]
async fn a_question_is_shown_where_its_owner_asked_and_can_be_answered_there() {
    let (world, there) = connected(|config| {
        config["tools"] = json!({"exec": {"host": "gateway", "security": "allowlist", "ask": "always"}});
    })
    .await;
    world.fake.calls("exec", json!({"command": "echo is-done"}));
    world.fake.says("It is done.");
    there.user_says(OWNER, OWNER, "do it");
    let asked = there.next_sent().await.unwrap();
    let text = asked.shown.clone().unwrap_or_default();
    assert!(text.contains("May I use exec?") && text.contains("echo is-done"), "{text}");
    let id = text.split("/approve ").nth(1).and_then(|rest| rest.split(' ').next()).unwrap().to_owned();
    // Somebody else may not answer it.
    there.user_says(FRIEND, FRIEND, &format!("/approve {id} allow-once"));
    let refused = there.next_sent().await.unwrap();
    assert!(
        refused.text().contains("no question") || refused.text().contains("only the owner"),
        "{refused:?}"
    );
    there.user_says(OWNER, OWNER, &format!("/approve {} allow-once", &id[..7]));
    assert!(there.next_sent().await.unwrap().text().contains("no question"), "too little of its id");
    there.user_says(OWNER, OWNER, &format!("/approve {id} allow-once"));
    let mut said = Vec::new();
    for _ in 0..3 {
        said.push(there.next_sent().await.unwrap());
    }
    said.sort_by_key(|sent| (sent.method != "editMessageText", !sent.text().contains("Allowed")));
    assert!(said[0].text().contains("Allowed once, by telegram:7"), "{said:?}");
    assert!(said[1].text().contains("Allowed once"), "{said:?}");
    assert_eq!(said[2].text(), "It is done.");
    let requests = world.fake.requests();
    assert!(requests.last().unwrap().body.to_string().contains("is-done"));
}

#[tokio::test]
async fn a_file_that_merely_lies_in_the_temporary_folder_is_not_sent_by_anybody() {
    let (world, there) = connected(|_| {}).await;
    let lying = tempfile::Builder::new().suffix(".txt").tempfile().unwrap();
    std::fs::write(lying.path(), "somebody else wrote this").unwrap();
    let path = lying.path().display().to_string();
    let mut client = world.owner().await;
    let params = json!({"to": "telegram:7", "message": "here", "mediaUrl": path, "idempotencyKey": "k1"});
    let refused = client.request("send", params).await.unwrap();
    assert!(refused["error"]["message"].as_str().unwrap().contains("not in the workspace"), "{refused}");
    world.fake.calls("message", json!({"target": "telegram:7", "message": "here", "media": path}));
    world.fake.says(format!("I could not.\nMEDIA: {path}"));
    there.user_says(OWNER, OWNER, "send it to me");
    let said = there.next_sent().await.unwrap();
    assert!(said.text().starts_with("I could not.") && said.text().contains("was not sent"), "{said:?}");
    let told = world.fake.requests().last().unwrap().body.to_string();
    assert!(told.contains("copy it there to send it"), "{told}");
    assert!(there.calls_of("sendDocument").is_empty());
}

/// Every way out, and every layer a limit can be written in: all of them cut alike.
#[tokio::test]
async fn what_is_written_about_an_account_holds_for_every_way_out() {
    type Layer = fn(&mut Value);
    let layers: [(&str, Layer); 3] = [
        ("defaults", |config| config["channels"]["defaults"] = json!({"textChunkLimit": LIMIT})),
        ("platform", |config| config["channels"]["telegram"]["textChunkLimit"] = json!(LIMIT)),
        ("account", |config| {
            config["channels"]["defaults"] = json!({"textChunkLimit": 1_000});
            config["channels"]["telegram"]["accounts"] = json!({"Work": {"textChunkLimit": LIMIT}});
        }),
    ];
    let long = format!("{}the end", "tea and cakes ".repeat(12));
    for (layer, write) in layers {
        let (world, there) = connected(write).await;
        let mut client = world.owner().await;
        world.fake.says(&long);
        there.user_says(OWNER, OWNER, "tell me");
        all_short(&there, layer, "an answer").await;
        world.fake.calls("message", json!({"target": "telegram:8", "message": long}));
        world.fake.says("told: the end");
        there.user_says(OWNER, OWNER, "tell them");
        all_short(&there, layer, "the message tool").await;
        there.next_sent().await.unwrap();
        client.call("send", message("telegram:7", &long, "k1")).await.unwrap();
        all_short(&there, layer, "send").await;
        let acted = act(&mut client, "send", json!({"target": "7", "message": long}), "k2").await;
        assert_eq!(acted["ok"], true, "{acted}");
        all_short(&there, layer, "message.action").await;
        world.fake.says(&long);
        let params = json!({"message": "x", "sessionKey": KEY, "deliver": true, "channel": "telegram", "to": "8", "idempotencyKey": "d1"});
        client.call("agent", params).await.unwrap();
        all_short(&there, layer, "agent with deliver").await;
        there.user_says(OWNER, OWNER, "/help");
        for _ in 0..2 {
            assert_short(&there.next_sent().await.unwrap(), layer, "a command");
        }
    }
}

/// Longest message of the test above.
const LIMIT: usize = 70;

fn assert_short(sent: &Sent, layer: &str, way: &str) {
    let length = sent.shown.as_deref().unwrap_or_default().chars().count();
    assert!(length <= LIMIT, "{layer}, {way}: {:?}", sent.shown);
}

/// Several messages come, each short enough, the last with the end of what was said.
async fn all_short(there: &FakeTelegram, layer: &str, way: &str) {
    let next = async || {
        let sent = there.next_sent().await;
        sent.unwrap_or_else(|error| panic!("{layer}, {way}: {error}; sent: {:?}", there.sent()))
    };
    let mut sent = next().await;
    assert!(!sent.text().contains("the end"), "{layer}, {way}: in one piece");
    while !sent.text().contains("the end") {
        assert_short(&sent, layer, way);
        sent = next().await;
    }
    assert_short(&sent, layer, way);
}

#[tokio::test]
async fn a_wrong_section_of_a_platform_is_refused_with_place_and_nearest_word() {
    let (world, there) = connected(|_| {}).await;
    let mut client = world.owner().await;
    for (path, value, words) in [
        ("telegram", json!({"dmPolicy": "opn"}), "did you mean \"open\"?"),
        ("telegram", json!({"allowForm": [1]}), "unknown key; did you mean `allowFrom`?"),
        ("telegram", json!({"groups": {"-1": {"requireMention": "yes"}}}), "channels.telegram.groups"),
        ("irc", json!({"nickserv": {"service1": "x"}}), "channels.irc.nickserv.service1"),
        ("telegrm", json!({}), "unknown platform; did you mean `telegram`?"),
    ] {
        let hash = client.call("config.get", json!({})).await.unwrap()["hash"].clone();
        let raw = json!({"channels": {path: value}}).to_string();
        let refused = client.request("config.patch", json!({"raw": raw, "baseHash": hash})).await.unwrap();
        assert!(refused["error"].to_string().replace("\\\"", "\"").contains(words), "{value}: {refused}");
    }
    // What another program knows and this one does not yet is kept, and said to do nothing.
    let hash = client.call("config.get", json!({})).await.unwrap()["hash"].clone();
    let raw =
        json!({"channels": {"discord": {"token": "x"}, "telegram": {"retry": {"attempts": 3}}}}).to_string();
    client.call("config.patch", json!({"raw": raw, "baseHash": hash})).await.unwrap();
    let config = client.call("config.get", json!({})).await.unwrap();
    let said = config["warnings"].to_string();
    assert!(said.contains("channels.discord") && said.contains("channels.telegram.retry"), "{said}");
    drop(there);
}
