//! What can be done to conversations over the wire: make, send, stop, find, put away, bring back, sort.

use homard_testkit::{TEST_TOKEN, TestClient, operator_params};
use serde_json::{Value, json};

use crate::scenarios::world::{KEY, World, first_delta, history, said, say, talk, text_of};

async fn call(client: &mut TestClient, method: &str, params: Value) -> Value {
    client.call(method, params.clone()).await.unwrap_or_else(|error| panic!("{method} {params}: {error:?}"))
}

async fn refused(client: &mut TestClient, method: &str, params: Value, words: &str) {
    let answer = client.request(method, params.clone()).await.unwrap();
    assert_eq!(answer["error"]["code"], "INVALID_REQUEST", "{method} {params}: {answer}");
    assert!(answer["error"]["message"].as_str().unwrap().contains(words), "{method} {params}: {answer}");
}

async fn keys(client: &mut TestClient, params: Value) -> Vec<String> {
    let list = call(client, "sessions.list", params).await;
    list["sessions"].as_array().unwrap().iter().map(|row| row["key"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn a_session_is_made_with_what_it_should_have_and_may_say_the_first_thing() {
    let world = World::start().await;
    world.fake.says("welcome");
    let mut client = world.owner().await;
    call(&mut client, "sessions.subscribe", json!({})).await;
    let made =
        call(&mut client, "sessions.create", json!({"key": "agent:main:new", "label": "Cap new"})).await;
    assert_eq!(
        (&made["ok"], &made["key"], &made["runStarted"]),
        (&json!(true), &json!("agent:main:new"), &json!(false))
    );
    assert_eq!(
        (&made["entry"]["label"], &made["entry"]["createdVia"]),
        (&json!("Cap new"), &json!("operator"))
    );
    assert_eq!(made["resolved"], json!({"modelProvider": "fake", "model": "fake-1"}));
    let created =
        |payload: &Value| payload["reason"] == "create" && payload["sessionKey"] == "agent:main:new";
    let event = client.next_event_where("sessions.changed", created).await.unwrap();
    assert_eq!(event["payload"]["sessionId"], made["sessionId"]);

    let once = json!({"idempotencyKey": "once-1", "message": "hello", "category": "work"});
    let first = call(&mut client, "sessions.create", once.clone()).await;
    assert_eq!((&first["runStarted"], &first["runId"]), (&json!(true), &json!("once-1")));
    client.wait_chat_final("once-1").await.unwrap();
    let again = call(&mut client, "sessions.create", once).await;
    assert_eq!(again["key"], first["key"], "the same request means the same session");
    let messages = history(&mut client, first["key"].as_str().unwrap()).await;
    assert_eq!(messages.len(), 2, "{messages:?}");
    assert_eq!(keys(&mut client, json!({"group": "work"})).await, [first["key"].as_str().unwrap()]);

    for (params, words) in [
        (json!({"label": "Cap new"}), "label already in use"),
        (json!({"incognito": true}), "incognito is not available"),
        (json!({"fork": true}), "fork is not available"),
        (json!({"cwd": "/"}), "cwd is not available"),
        (json!({"agentId": "nobody"}), "unknown agent"),
        (json!({"key": "agent:nobody:x"}), "unknown agent"),
        (json!({"model": "nobody/nope"}), "nobody"),
        (json!({"thinkingLevel": "hard"}), "thinkingLevel"),
        (json!({"label": "x".repeat(513)}), "label"),
        (json!({"bogus": 1}), "bogus"),
    ] {
        refused(&mut client, "sessions.create", params, words).await;
    }
}

#[tokio::test]
async fn a_message_is_sent_stopped_and_steered_by_key() {
    let world = World::start().await;
    let mut client = world.owner().await;
    world.fake.says("first");
    let sent = call(&mut client, "sessions.send", json!({"key": "story", "message": "one"})).await;
    assert_eq!(sent["status"], "started");
    client.wait_chat_final(sent["runId"].as_str().unwrap()).await.unwrap();

    let _held = world.fake.gate("never said");
    let run = say(&mut client, KEY, "two").await;
    first_delta(&mut client, &run).await;
    world.fake.says("instead");
    let steered = call(&mut client, "sessions.steer", json!({"key": KEY, "message": "three"})).await;
    assert_eq!(steered["interruptedActiveRun"], true);
    client.wait_chat_final(steered["runId"].as_str().unwrap()).await.unwrap();
    let talk_so_far = said(&history(&mut client, KEY).await);
    assert_eq!(talk_so_far.last().unwrap(), &("assistant".to_owned(), "instead".to_owned()));

    let _held = world.fake.gate("never said either");
    let run = say(&mut client, KEY, "four").await;
    first_delta(&mut client, &run).await;
    let stopped = call(&mut client, "sessions.abort", json!({"runId": run})).await;
    assert_eq!(stopped, json!({"ok": true, "abortedRunId": run, "status": "aborted"}));
    let nothing = call(&mut client, "sessions.abort", json!({"key": KEY})).await;
    assert_eq!(nothing, json!({"ok": true, "abortedRunId": null, "status": "no-active-run"}));

    let got = call(&mut client, "sessions.get", json!({"sessionKey": KEY, "limit": 2})).await;
    assert_eq!(got["messages"].as_array().unwrap().len(), 2);
    assert_eq!(
        call(&mut client, "sessions.get", json!({"key": "agent:main:none"})).await,
        json!({"messages": []})
    );
    for (method, params, words) in [
        ("sessions.send", json!({"message": "x"}), "session mutation target is unavailable"),
        ("sessions.send", json!({"key": KEY}), "message"),
        ("sessions.send", json!({"key": KEY, "message": " "}), "required"),
        ("sessions.send", json!({"key": KEY, "message": "x", "queueMode": "x"}), "queueMode"),
        ("sessions.steer", json!({"key": KEY, "message": 7}), ""),
        ("sessions.abort", json!({}), "required"),
        ("sessions.abort", json!({"key": KEY, "bogus": 1}), "bogus"),
        ("sessions.get", json!({}), "required"),
        ("sessions.get", json!({"key": KEY, "limit": 0}), "limit"),
    ] {
        refused(&mut client, method, params, words).await;
    }
}

#[tokio::test]
async fn what_was_said_is_found_until_it_is_gone() {
    let world = World::start().await;
    world.fake.says("A lobster is a crustacean.").says("Nothing to add.");
    let mut client = world.owner().await;
    talk(&mut client, "agent:main:a", "What is a lobster?").await;
    talk(&mut client, "agent:main:b", "Remind me of the harbour 東京").await;
    let found = call(&mut client, "sessions.search", json!({"query": "lobster"})).await;
    let mut roles: Vec<&str> =
        found["results"].as_array().unwrap().iter().map(|hit| hit["role"].as_str().unwrap()).collect();
    roles.sort_unstable();
    assert_eq!(roles, ["assistant", "user"]);
    let hit = &found["results"][0];
    assert_eq!(hit["sessionKey"], "agent:main:a");
    assert!(hit["snippet"].as_str().unwrap().contains("lobster") && hit["timestamp"].is_i64(), "{hit}");
    assert_eq!(found["sessions"].as_array().unwrap().len(), 1);
    let message = json!({"sessionKey": "agent:main:a", "messageId": hit["messageId"]});
    let message = call(&mut client, "chat.message.get", message).await;
    assert!(message["ok"] == true && text_of(&message["message"]).contains("lobster"), "{message}");

    let count = async |client: &mut TestClient, params: Value| {
        call(client, "sessions.search", params).await["results"].as_array().unwrap().len()
    };
    for (params, hits) in [
        (json!({"query": "東京"}), 1),
        (json!({"query": "crust"}), 1),
        (json!({"query": "what did we say about crustaceans or a lobster?"}), 2),
        (json!({"query": "\"crustacean lobster\""}), 0),
        (json!({"query": "lobster", "limit": 1}), 1),
        (json!({"query": "lobster", "sessionKeys": ["agent:main:b"]}), 0),
        (json!({"query": "lobster", "agentId": "nobody"}), 0),
        (json!({"query": "lobster", "scope": {"archived": true}}), 0),
        (json!({"query": "lobster", "scope": {"search": "main:a"}}), 2),
    ] {
        assert_eq!(count(&mut client, params.clone()).await, hits, "{params}");
    }
    call(&mut client, "sessions.delete", json!({"key": "agent:main:b"})).await;
    assert_eq!(count(&mut client, json!({"query": "harbour"})).await, 0);
    call(&mut client, "sessions.reset", json!({"key": "agent:main:a"})).await;
    assert_eq!(count(&mut client, json!({"query": "lobster"})).await, 0);

    for (params, words) in [
        (json!({}), "query"),
        (json!({"query": ""}), "query"),
        (json!({"query": "x".repeat(4097)}), "query"),
        (json!({"query": "x", "limit": 26}), "limit"),
        (json!({"query": "x", "sessionKeys": []}), "sessionKeys"),
        (json!({"query": "x", "scope": {"sortBy": "moon"}}), "sortBy"),
        (json!({"query": "x", "bogus": 1}), "bogus"),
    ] {
        refused(&mut client, "sessions.search", params, words).await;
    }
    let missing = json!({"sessionKey": "agent:main:a", "messageId": "00000000"});
    let missing = call(&mut client, "chat.message.get", missing).await;
    assert_eq!(missing, json!({"ok": false, "unavailableReason": "not_found"}));
    let large = json!({"sessionKey": "agent:main:a", "messageId": "x", "maxChars": 2_000_001});
    refused(&mut client, "chat.message.get", large, "maxChars").await;
}

#[tokio::test]
async fn what_is_deleted_or_reset_comes_back() {
    let world = World::start().await;
    world.fake.says("one").says("two");
    let mut client = world.owner().await;
    talk(&mut client, "agent:main:lost", "hello").await;
    let deleted = call(&mut client, "sessions.delete", json!({"key": "agent:main:lost"})).await;
    assert!(deleted["archived"][0].as_str().unwrap().contains(".deleted."), "{deleted}");
    let ended = call(&mut client, "sessions.ended", json!({})).await;
    assert_eq!(
        (&ended["sessions"][0]["key"], &ended["sessions"][0]["reason"]),
        (&json!("agent:main:lost"), &json!("deleted"))
    );
    let back =
        call(&mut client, "sessions.patch", json!({"key": "agent:main:lost", "archived": false})).await;
    assert_eq!(back["ok"], true);
    assert_eq!(history(&mut client, "agent:main:lost").await.len(), 2);

    let id = back["entry"]["sessionId"].clone();
    call(&mut client, "sessions.reset", json!({"key": "agent:main:lost"})).await;
    assert_eq!(history(&mut client, "agent:main:lost").await.len(), 0);
    let back = call(&mut client, "sessions.restore", json!({"sessionId": id})).await;
    assert_eq!((&back["key"], &back["sessionId"]), (&json!("agent:main:lost"), &id));
    assert_eq!(history(&mut client, "agent:main:lost").await.len(), 2);
    talk(&mut client, "agent:main:lost", "and on it goes").await;
    assert_eq!(history(&mut client, "agent:main:lost").await.len(), 4);

    for (params, words) in [
        (json!({}), "required"),
        (json!({"key": "agent:main:never"}), "nothing to restore"),
        (json!({"sessionId": "never"}), "nothing to restore"),
        (json!({"key": 1}), ""),
    ] {
        refused(&mut client, "sessions.restore", params, words).await;
    }
    refused(&mut client, "sessions.ended", json!({"bogus": 1}), "bogus").await;
}

#[tokio::test]
async fn a_cleanup_says_what_would_go_and_does_it_when_told() {
    let world = World::start_with("openai-completions", |config| {
        config["session"] = json!({"maintenance": {"maxEntries": 2}});
    })
    .await;
    let mut client = world.owner().await;
    for key in ["main", "a", "b", "c"] {
        talk(&mut client, key, "hello").await;
    }
    call(&mut client, "sessions.patch", json!({"key": "a", "pinned": true})).await;
    let dry = call(&mut client, "sessions.cleanup", json!({})).await;
    assert_eq!(
        (&dry["dryRun"], &dry["mode"], &dry["beforeCount"]),
        (&json!(true), &json!("warn"), &json!(4))
    );
    assert_eq!(dry["removed"], json!(["agent:main:b"]), "{dry}");
    assert_eq!(keys(&mut client, json!({})).await.len(), 4);
    let spared = call(&mut client, "sessions.cleanup", json!({"activeKey": "b"})).await;
    assert_eq!(spared["removed"], json!([]), "{spared}");
    let done = call(&mut client, "sessions.cleanup", json!({"enforce": true, "allAgents": true})).await;
    assert_eq!((&done["capped"], &done["afterCount"]), (&json!(1), &json!(3)));
    assert_eq!(keys(&mut client, json!({})).await.len(), 3);
    call(&mut client, "sessions.restore", json!({"key": "b"})).await;
    refused(&mut client, "sessions.cleanup", json!({"agent": "A B"}), "").await;
    refused(&mut client, "sessions.cleanup", json!({"bogus": 1}), "bogus").await;
}

#[tokio::test]
async fn groups_are_made_renamed_and_taken_away() {
    let world = World::start().await;
    let mut client = world.owner().await;
    assert_eq!(call(&mut client, "sessions.groups.list", json!({})).await, json!({"groups": []}));
    let put = json!({"names": ["work", "home"], "sectionOrder": ["home", "work"]});
    call(&mut client, "sessions.groups.put", put).await;
    call(&mut client, "sessions.create", json!({"key": "a", "category": "work"})).await;
    let renamed = call(&mut client, "sessions.groups.rename", json!({"name": "work", "to": "job"})).await;
    assert_eq!(renamed["updatedSessions"], 1);
    assert_eq!(renamed["groups"], json!([{"name": "job", "position": 0}, {"name": "home", "position": 1}]));
    let updated = json!({"name": "job", "cwd": "/srv", "worktree": true});
    let updated = call(&mut client, "sessions.groups.update", updated).await;
    assert_eq!(updated["defaults"][0], json!({"name": "job", "cwd": "/srv", "worktree": true}));
    assert_eq!(
        call(&mut client, "sessions.groups.defaults", json!({})).await["defaults"],
        updated["defaults"]
    );
    let row = call(&mut client, "sessions.describe", json!({"key": "a"})).await;
    assert_eq!(row["session"]["category"], "job");
    call(&mut client, "sessions.groups.delete", json!({"name": "job"})).await;
    let list = call(&mut client, "sessions.groups.list", json!({})).await;
    assert_eq!(list, json!({"groups": [{"name": "home", "position": 1}], "sectionOrder": ["home", "work"]}));
    for (method, params, words) in [
        ("sessions.groups.put", json!({}), "names"),
        ("sessions.groups.put", json!({"names": [" "]}), "names"),
        ("sessions.groups.put", json!({"names": ["x".repeat(513)]}), "names"),
        ("sessions.groups.rename", json!({"name": "none", "to": "x"}), "no group"),
        ("sessions.groups.rename", json!({"name": "home", "to": ""}), "to"),
        ("sessions.groups.update", json!({"name": "none", "cwd": null, "worktree": false}), "no group"),
        ("sessions.groups.update", json!({"name": "home"}), ""),
        ("sessions.groups.delete", json!({}), "name"),
        ("sessions.groups.list", json!({"bogus": 1}), "bogus"),
    ] {
        refused(&mut client, method, params, words).await;
    }
}

#[tokio::test]
async fn lists_are_sorted_and_chosen_as_asked() {
    let world = World::start().await;
    let mut client = world.owner().await;
    talk(&mut client, "a", "hello").await;
    talk(&mut client, "b", "hello").await;
    call(&mut client, "sessions.create", json!({"key": "never"})).await;
    call(&mut client, "sessions.patch", json!({"key": "a", "icon": "🦞", "color": "red", "unread": false}))
        .await;
    let name = |key: &str| format!("agent:main:{key}");
    for (params, expected) in [
        (json!({"sortBy": "updatedAt"}), vec!["a", "never", "b"]),
        (json!({"sortBy": "lastInteractionAt"}), vec!["b", "a", "never"]),
        (json!({"sortBy": "activity", "requireLastInteraction": true}), vec!["b", "a"]),
        (json!({"configuredAgentsOnly": true, "limit": 1}), vec!["a"]),
        (json!({"group": "none"}), vec![]),
        (json!({"activeMinutes": 5, "pinned": false, "search": "agent:main:b"}), vec!["b"]),
    ] {
        let expected: Vec<String> = expected.into_iter().map(name).collect();
        assert_eq!(keys(&mut client, params.clone()).await, expected, "{params}");
    }
    let list = call(&mut client, "sessions.list", json!({})).await;
    let row = |key: &str| {
        list["sessions"].as_array().unwrap().iter().find(|row| row["key"] == name(key)).unwrap().clone()
    };
    assert_eq!((&row("a")["unread"], &row("b")["unread"]), (&json!(false), &json!(true)));
    assert_eq!((&row("a")["icon"], &row("a")["color"]), (&json!("🦞"), &json!("red")));
    for (params, words) in [
        (json!({"sortBy": "size"}), "sortBy"),
        (json!({"archived": "some"}), "archived"),
        (json!({"group": 7}), "group"),
        (json!({"activeMinutes": -1}), "activeMinutes"),
        (json!({"limit": "many"}), ""),
    ] {
        refused(&mut client, "sessions.list", params, words).await;
    }
}

#[tokio::test]
async fn whoever_listens_to_a_session_hears_every_message_once_it_is_kept() {
    let world = World::start().await;
    world.fake.says("the answer").says("not for you");
    let mut client = world.owner().await;
    let heard = call(&mut client, "sessions.messages.subscribe", json!({"key": "story"})).await;
    assert_eq!(heard, json!({"subscribed": true, "key": KEY}));
    talk(&mut client, KEY, "the question").await;
    for (role, text) in [("user", "the question"), ("assistant", "the answer")] {
        let event = client.next_event_where("session.message", |_| true).await.unwrap()["payload"].take();
        assert_eq!((&event["sessionKey"], &event["message"]["role"]), (&json!(KEY), &json!(role)), "{event}");
        assert_eq!(text_of(&event["message"]), text);
        assert_eq!(event["session"]["key"], KEY);
        let id = event["messageId"].clone();
        let kept = call(&mut client, "chat.message.get", json!({"sessionKey": KEY, "messageId": id})).await;
        assert_eq!(text_of(&kept["message"]), text);
    }
    call(&mut client, "sessions.messages.unsubscribe", json!({"key": KEY})).await;
    refused(&mut client, "sessions.messages.subscribe", json!({}), "target").await;
}

#[tokio::test]
async fn a_client_that_asks_for_its_own_sessions_is_told_of_no_other() {
    let world = World::start().await;
    world.fake.says("elsewhere").says("here");
    let mut params = operator_params(TEST_TOKEN);
    (params["scopes"], params["caps"]) = (json!(["operator.read"]), json!(["session-scoped-events"]));
    let mut scoped = TestClient::connect(&world.gateway.url()).await.unwrap();
    scoped.handshake(params).await.unwrap();
    call(&mut scoped, "sessions.messages.subscribe", json!({"key": KEY})).await;
    let mut owner = world.owner().await;
    talk(&mut owner, "agent:main:other", "not for everybody").await;
    let run = say(&mut owner, KEY, "for both").await;
    assert_eq!(text_of(&scoped.wait_chat_final(&run).await.unwrap()["message"]), "here");
    let stories = |event: &&Value| matches!(event["event"].as_str(), Some("chat" | "agent"));
    let keys: Vec<&Value> =
        scoped.events().iter().filter(stories).map(|event| &event["payload"]["sessionKey"]).collect();
    assert!(keys.len() > 4 && keys.iter().all(|key| **key == KEY), "{keys:?}");
    // The owner, who did not ask for that, heard both.
    assert!(owner.events().iter().any(|event| event["payload"]["sessionKey"] == "agent:main:other"));
}
