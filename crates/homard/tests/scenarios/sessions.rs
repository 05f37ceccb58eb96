//! The session list and what can be done to a session.

use std::path::Path;

use homard_testkit::TestClient;
use serde_json::{Value, json};

use crate::scenarios::world::{KEY, World, first_delta, history, say, talk};

fn keys(list: &Value) -> Vec<&str> {
    list["sessions"].as_array().unwrap().iter().map(|row| row["key"].as_str().unwrap()).collect()
}

async fn list(client: &mut TestClient, params: Value) -> Value {
    client.call("sessions.list", params).await.unwrap()
}

async fn patch(client: &mut TestClient, params: Value) -> Value {
    client.call("sessions.patch", params).await.unwrap()
}

/// Sessions s0 to s4, s4 newest.
async fn five_sessions(client: &mut TestClient) {
    for n in 0..5 {
        talk(client, &format!("agent:main:s{n}"), &format!("hello number {n}")).await;
    }
}

#[tokio::test]
async fn the_list_is_newest_first_and_can_be_paged() {
    let world = World::start().await;
    let mut client = world.owner().await;
    five_sessions(&mut client).await;
    let all = list(&mut client, json!({})).await;
    let newest_first: Vec<String> = (0..5).rev().map(|n| format!("agent:main:s{n}")).collect();
    assert_eq!(keys(&all), newest_first);
    assert_eq!(
        (&all["count"], &all["totalCount"], &all["limitApplied"]),
        (&json!(5), &json!(5), &json!(100))
    );
    assert_eq!((&all["hasMore"], &all["nextOffset"]), (&json!(false), &Value::Null));
    assert_eq!(
        (&all["defaults"]["modelProvider"], &all["defaults"]["model"]),
        (&json!("fake"), &json!("fake-1"))
    );

    let mut paged = Vec::new();
    let mut offset = json!(0);
    while offset.is_u64() {
        let mut page = list(&mut client, json!({"limit": 2, "offset": offset})).await;
        assert_eq!((&page["totalCount"], &page["limitApplied"]), (&json!(5), &json!(2)));
        paged.extend(keys(&page).into_iter().map(str::to_owned));
        assert_eq!(page["hasMore"].as_bool(), Some(page["nextOffset"].is_u64()));
        offset = page["nextOffset"].take();
    }
    assert_eq!(paged, newest_first);
    let past = list(&mut client, json!({"offset": 99})).await;
    assert_eq!((keys(&past).len(), &past["hasMore"]), (0, &json!(false)));
}

#[tokio::test]
async fn a_row_says_what_a_list_needs() {
    let world = World::start().await;
    world.fake.says("the answer");
    let mut client = world.owner().await;
    talk(&mut client, KEY, "a question").await;
    let bare = list(&mut client, json!({})).await;
    let row = &bare["sessions"][0];
    assert_eq!((&row["key"], &row["kind"], &row["agentId"]), (&json!(KEY), &json!("direct"), &json!("main")));
    assert_eq!(
        (&row["hasActiveRun"], &row["isMain"], &row["archived"]),
        (&json!(false), &json!(false), &json!(false))
    );
    assert_eq!((row.get("derivedTitle"), row.get("lastMessagePreview")), (None, None), "only when asked for");
    assert!(row["updatedAt"].is_i64() && row["sessionId"].is_string());
    let rich = list(&mut client, json!({"includeDerivedTitles": true, "includeLastMessage": true})).await;
    let row = &rich["sessions"][0];
    assert_eq!(
        (&row["derivedTitle"], &row["lastMessagePreview"]),
        (&json!("a question"), &json!("the answer"))
    );

    let gate = world.fake.gate("busy now");
    let run = say(&mut client, KEY, "work").await;
    first_delta(&mut client, &run).await;
    let busy = list(&mut client, json!({"activeOnly": true})).await;
    let row = &busy["sessions"][0];
    assert_eq!((&row["hasActiveRun"], &row["activeRunIds"]), (&json!(true), &json!([run])));
    gate.release();
    client.wait_chat_final(&run).await.unwrap();
}

#[tokio::test]
async fn sessions_are_found_by_search_and_label_and_hidden_when_archived() {
    let world = World::start().await;
    let mut client = world.owner().await;
    five_sessions(&mut client).await;
    patch(&mut client, json!({"key": "agent:main:s1", "label": "Holiday plans"})).await;
    patch(&mut client, json!({"key": "agent:main:s2", "archived": true})).await;
    let cases: [(Value, &[&str]); 7] = [
        (json!({"search": "s3"}), &["agent:main:s3"]),
        (json!({"search": "holiday"}), &["agent:main:s1"]),
        (json!({"search": "number 4"}), &["agent:main:s4"]),
        (json!({"search": "100%_nothing"}), &[]),
        (json!({"label": "Holiday plans"}), &["agent:main:s1"]),
        (json!({"archived": true}), &["agent:main:s2"]),
        (json!({"agentId": "nobody"}), &[]),
    ];
    for (params, expected) in cases {
        let found = list(&mut client, params.clone()).await;
        assert_eq!(keys(&found), expected, "{params}");
        assert_eq!(found["totalCount"], expected.len(), "{params}");
    }
    assert_eq!(list(&mut client, json!({})).await["totalCount"], 4);
    assert_eq!(list(&mut client, json!({"archived": "all"})).await["totalCount"], 5);
    patch(&mut client, json!({"key": "agent:main:s2", "archived": false})).await;
    assert_eq!(list(&mut client, json!({})).await["totalCount"], 5);
}

#[tokio::test]
async fn every_filter_counts_and_pages_only_what_it_shows() {
    let world = World::start().await;
    let mut client = world.owner().await;
    five_sessions(&mut client).await;
    patch(&mut client, json!({"key": "agent:main:s0", "pinned": true})).await;
    let gate = world.fake.gate("busy now");
    let run = say(&mut client, "agent:main:s1", "work").await;
    first_delta(&mut client, &run).await;
    // Something newer, so that what is looked for is not on the first page of everything.
    for key in ["agent:main:s2", "agent:main:s3", "agent:main:s4"] {
        talk(&mut client, key, "newer").await;
    }
    for (params, key) in [
        (json!({"pinned": true, "limit": 2}), "agent:main:s0"),
        (json!({"activeOnly": true, "limit": 2}), "agent:main:s1"),
    ] {
        let found = list(&mut client, params.clone()).await;
        assert_eq!(keys(&found), [key], "{params}");
        let counts = (&found["count"], &found["totalCount"], &found["hasMore"]);
        assert_eq!(counts, (&json!(1), &json!(1), &json!(false)), "{params}");
    }
    gate.release();
    client.wait_chat_final(&run).await.unwrap();
}

#[tokio::test]
async fn a_preview_is_the_end_of_a_conversation_cut_short() {
    let world = World::start().await;
    world.fake.says("first answer").says("second answer that is long");
    let mut client = world.owner().await;
    talk(&mut client, KEY, "first question").await;
    talk(&mut client, KEY, "second question").await;
    let asked = json!({"keys": [KEY, "agent:main:missing", "agent::"], "limit": 3, "maxChars": 20});
    let previews = client.call("sessions.preview", asked).await.unwrap()["previews"].take();
    let expected = json!([
        {"key": KEY, "status": "ok", "items": [
            {"role": "assistant", "text": "first answer"},
            {"role": "user", "text": "second question"},
            {"role": "assistant", "text": "second answer that i"},
        ]},
        {"key": "agent:main:missing", "status": "missing", "items": []},
        {"key": "agent::", "status": "error", "items": []},
    ]);
    assert_eq!(previews, expected);
}

#[tokio::test]
async fn a_session_is_found_by_what_a_person_knows() {
    let world = World::start().await;
    let mut client = world.owner().await;
    talk(&mut client, KEY, "hello").await;
    let entry = patch(&mut client, json!({"key": KEY, "label": "Known"})).await["entry"].take();
    let id = entry["sessionId"].as_str().unwrap();
    for params in [
        json!({"key": KEY}),
        json!({"key": "story"}),
        json!({"sessionId": id}),
        json!({"label": "Known"}),
        json!({"label": "Known", "agentId": "main"}),
    ] {
        let found = client.call("sessions.resolve", params.clone()).await.unwrap();
        assert_eq!(
            (&found["ok"], &found["key"], &found["agentId"]),
            (&json!(true), &json!(KEY), &json!("main")),
            "{params}"
        );
    }
    for params in [json!({"key": "agent:main:missing"}), json!({"label": "unknown"}), json!({})] {
        let answer = client.request("sessions.resolve", params.clone()).await.unwrap();
        assert_eq!(answer["error"]["code"], "INVALID_REQUEST", "{params}");
    }
    let missing = client.call("sessions.resolve", json!({"label": "unknown", "allowMissing": true})).await;
    assert_eq!(missing.unwrap(), json!({"ok": false}));
}

#[tokio::test]
async fn settings_are_changed_kept_and_cleared() {
    let world = World::start_with("openai-completions", |config| {
        let more = json!({"id": "fake-2", "name": "Fake 2"});
        config["models"]["providers"]["fake"]["models"].as_array_mut().unwrap().push(more);
    })
    .await;
    let mut client = world.owner().await;
    talk(&mut client, KEY, "hello").await;
    let changed = patch(
        &mut client,
        json!({"key": KEY, "label": "Mine", "model": "fake/fake-2", "verboseLevel": "on"}),
    )
    .await;
    assert_eq!((&changed["ok"], &changed["key"]), (&json!(true), &json!(KEY)));
    assert_eq!(
        (&changed["entry"]["label"], &changed["entry"]["verboseLevel"]),
        (&json!("Mine"), &json!("on"))
    );
    assert_eq!(changed["resolved"], json!({"modelProvider": "fake", "model": "fake-2"}));
    talk(&mut client, KEY, "who are you?").await;
    assert_eq!(world.fake.requests().pop().unwrap().body["model"], "fake-2");

    let cleared = patch(&mut client, json!({"key": KEY, "label": null, "model": null})).await;
    assert_eq!(cleared["entry"].get("label"), None);
    assert_eq!(cleared["resolved"]["model"], "fake-1");
    talk(&mut client, KEY, "and now?").await;
    assert_eq!(world.fake.requests().pop().unwrap().body["model"], "fake-1");
}

#[tokio::test]
async fn bad_settings_are_refused_and_change_nothing() {
    let world = World::start().await;
    let mut client = world.owner().await;
    talk(&mut client, KEY, "hello").await;
    talk(&mut client, "agent:main:other", "hello").await;
    patch(&mut client, json!({"key": "agent:main:other", "label": "Taken"})).await;
    let before = patch(&mut client, json!({"key": KEY, "label": "Before"})).await["entry"].take();
    let cases = [
        (json!({"key": KEY, "label": "After", "thinkingLevel": "hard"}), "thinkingLevel"),
        (json!({"key": KEY, "label": 7}), "label"),
        (json!({"key": KEY, "label": "Taken"}), "label already in use"),
        (json!({"key": KEY, "label": "x".repeat(513)}), "label"),
        (json!({"key": KEY, "archived": "yes"}), "archived"),
        (json!({"key": KEY, "model": "nobody/nope"}), "nobody"),
        (json!({"key": KEY, "model": " / "}), ""),
        (json!({"key": KEY, "bogus": 1}), "bogus"),
        (json!({"key": KEY, "label": "After", "expectedSessionId": "another"}), "changed"),
        (json!({"label": "After"}), "session mutation target is unavailable"),
    ];
    for (params, words) in cases {
        let answer = client.request("sessions.patch", params.clone()).await.unwrap();
        assert_eq!(answer["error"]["code"], "INVALID_REQUEST", "{params}: {answer}");
        assert!(answer["error"]["message"].as_str().unwrap().contains(words), "{params}: {answer}");
    }
    let after = patch(&mut client, json!({"key": KEY})).await["entry"].take();
    assert_eq!((&after["label"], &after["sessionId"]), (&before["label"], &before["sessionId"]));
    assert_eq!(after.get("thinkingLevel"), None);
}

#[tokio::test]
async fn what_concerns_safety_needs_an_admin() {
    let world = World::start().await;
    let mut writer = world.with_scopes(&["operator.write"]).await;
    talk(&mut writer, KEY, "hello").await;
    for setting in [json!({"label": "L"}), json!({"pinned": true}), json!({"thinkingLevel": "low"})] {
        let mut params = setting.clone();
        params["key"] = json!(KEY);
        assert_eq!(writer.request("sessions.patch", params).await.unwrap()["ok"], true, "{setting}");
    }
    for setting in [
        json!({"execSecurity": "full"}),
        json!({"elevatedLevel": "full"}),
        json!({"sendPolicy": "deny"}),
        json!({"label": "L", "execHost": "gateway"}),
        json!({"permissionMode": "full"}),
    ] {
        let mut params = setting.clone();
        params["key"] = json!(KEY);
        let answer = writer.request("sessions.patch", params).await.unwrap();
        assert_eq!(answer["error"]["message"], "missing scope: operator.admin", "{setting}");
    }
    let delete = json!({"key": KEY, "archivedOnly": true});
    let refused = writer.request("sessions.delete", delete.clone()).await.unwrap();
    assert_eq!(refused["error"]["code"], "INVALID_REQUEST", "not archived yet: {refused}");
    writer.call("sessions.patch", json!({"key": KEY, "archived": true})).await.unwrap();
    assert_eq!(writer.call("sessions.delete", delete).await.unwrap()["deleted"], true);
}

#[tokio::test]
async fn a_reset_begins_a_fresh_transcript_and_keeps_the_old_one() {
    let world = World::start().await;
    world.fake.says("old answer");
    let mut client = world.owner().await;
    talk(&mut client, KEY, "old question").await;
    let before = patch(&mut client, json!({"key": KEY, "label": "Stays"})).await["entry"].take();
    let reset = client.call("sessions.reset", json!({"key": KEY})).await.unwrap();
    assert_eq!((&reset["ok"], &reset["key"]), (&json!(true), &json!(KEY)));
    assert_ne!(reset["entry"]["sessionId"], before["sessionId"]);
    assert_eq!(reset["entry"]["label"], "Stays");
    assert_eq!(history(&mut client, KEY).await, Vec::<Value>::new());

    let folder = world.gateway.home().state_dir().join("agents/main/sessions");
    let old = before["sessionId"].as_str().unwrap();
    let names: Vec<String> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.starts_with(old))
        .collect();
    assert_eq!(names.len(), 1, "{names:?}");
    assert!(names[0].contains("reset"), "{names:?}");
    assert!(std::fs::read_to_string(folder.join(&names[0])).unwrap().contains("old answer"));

    talk(&mut client, KEY, "new question").await;
    let asked = world.fake.requests().pop().unwrap().body.to_string();
    assert!(asked.contains("new question") && !asked.contains("old answer"), "{asked}");
}

#[tokio::test]
async fn a_reset_stops_the_run_under_way() {
    let world = World::start().await;
    let _gate = world.fake.gate("half an answer");
    let mut client = world.owner().await;
    let run = say(&mut client, KEY, "go on").await;
    first_delta(&mut client, &run).await;
    client.call("sessions.reset", json!({"key": KEY, "reason": "new"})).await.unwrap();
    assert_eq!(client.wait_chat_final(&run).await.unwrap()["state"], "aborted");
    world.fake.wait_for_hangups(1).await.unwrap();
    assert_eq!(history(&mut client, KEY).await, Vec::<Value>::new());
    let bad = client.request("sessions.reset", json!({"key": KEY, "reason": "boredom"})).await.unwrap();
    assert_eq!(bad["error"]["code"], "INVALID_REQUEST");
}

#[tokio::test]
async fn a_deleted_session_is_gone_from_the_list_but_its_transcript_is_kept() {
    let world = World::start().await;
    world.fake.says("precious words");
    let mut client = world.owner().await;
    talk(&mut client, KEY, "hello").await;
    talk(&mut client, "main", "hello").await;
    let deleted = client.call("sessions.delete", json!({"key": KEY})).await.unwrap();
    assert_eq!(
        (&deleted["ok"], &deleted["key"], &deleted["deleted"]),
        (&json!(true), &json!(KEY), &json!(true))
    );
    let archived = Path::new(deleted["archived"][0].as_str().unwrap());
    assert!(std::fs::read_to_string(archived).unwrap().contains("precious words"));
    assert_eq!(keys(&list(&mut client, json!({"archived": "all"})).await), ["agent:main:main"]);
    assert_eq!(history(&mut client, KEY).await, Vec::<Value>::new());

    for main in ["main", "agent:main:main"] {
        let refused = client.request("sessions.delete", json!({"key": main})).await.unwrap();
        assert_eq!(refused["error"]["code"], "INVALID_REQUEST");
        assert!(refused["error"]["message"].as_str().unwrap().contains("main session"), "{refused}");
    }
    let nothing = client.call("sessions.delete", json!({"key": "agent:main:never"})).await.unwrap();
    assert_eq!((&nothing["deleted"], &nothing["archived"]), (&json!(false), &json!([])));
}

#[tokio::test]
async fn who_subscribes_hears_of_changes_and_nobody_else() {
    let world = World::start().await;
    let mut client = world.owner().await;
    talk(&mut client, KEY, "hello").await;
    let mut watcher = world.with_scopes(&["operator.read"]).await;
    assert_eq!(watcher.call("sessions.subscribe", json!({})).await.unwrap(), json!({"subscribed": true}));
    let listed = watcher.call("sessions.subscribe", json!({"limit": 1})).await.unwrap();
    assert_eq!(keys(&listed["list"]), [KEY], "with parameters the list comes along");

    let of = |reason: &'static str| {
        move |payload: &Value| payload["sessionKey"] == KEY && payload["reason"] == reason
    };
    patch(&mut client, json!({"key": KEY, "label": "New name"})).await;
    watcher.next_event_where("sessions.changed", of("patch")).await.unwrap();
    client.call("sessions.reset", json!({"key": KEY})).await.unwrap();
    watcher.next_event_where("sessions.changed", of("reset")).await.unwrap();
    let gate = world.fake.gate("working on it");
    let run = say(&mut client, KEY, "work").await;
    let active = |payload: &Value| payload["sessionKey"] == KEY && payload["hasActiveRun"] == true;
    watcher.next_event_where("sessions.changed", active).await.unwrap();
    gate.release();
    watcher.wait_chat_final(&run).await.unwrap();
    let idle = |payload: &Value| payload["sessionKey"] == KEY && payload["hasActiveRun"] == false;
    watcher.next_event_where("sessions.changed", idle).await.unwrap();
    client.call("sessions.delete", json!({"key": KEY})).await.unwrap();
    watcher.next_event_where("sessions.changed", of("delete")).await.unwrap();
    client.call("health", json!({})).await.unwrap();
    assert!(!client.events().iter().any(|event| event["event"] == "sessions.changed"));
}
