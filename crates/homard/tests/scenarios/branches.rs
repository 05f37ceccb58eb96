//! Going back in a conversation, going another way, and files that models are not shown.

use homard_testkit::TestClient;
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

async fn texts(client: &mut TestClient, key: &str) -> Vec<String> {
    said(&history(client, key).await).into_iter().map(|(_who, text)| text).collect()
}

/// The id of the entry that says `text`.
async fn entry(client: &mut TestClient, key: &str, text: &str) -> Value {
    let messages = history(client, key).await;
    let found = messages.iter().find(|message| text_of(message) == text);
    found.unwrap_or_else(|| panic!("nobody said {text}: {messages:?}"))["__openclaw"]["id"].clone()
}

#[tokio::test]
async fn a_question_is_asked_anew_and_the_first_way_stays() {
    let world = World::start().await;
    world.fake.says("one").says("two").says("two again").says("three");
    let mut client = world.owner().await;
    call(&mut client, "sessions.subscribe", json!({})).await;
    talk(&mut client, KEY, "first").await;
    talk(&mut client, KEY, "second").await;
    let second = entry(&mut client, KEY, "second").await;
    let rewound = call(&mut client, "sessions.rewind", json!({"sessionKey": KEY, "entryId": second})).await;
    assert_eq!(rewound, json!({"editorText": "second"}));
    let is_rewind = |payload: &Value| payload["reason"] == "rewind" && payload["sessionKey"] == KEY;
    client.next_event_where("sessions.changed", is_rewind).await.unwrap();
    assert_eq!(texts(&mut client, KEY).await, ["first", "one"]);

    talk(&mut client, KEY, "second, but better").await;
    assert_eq!(texts(&mut client, KEY).await, ["first", "one", "second, but better", "two again"]);
    let asked = world.fake.requests().last().unwrap().body.clone();
    assert!(!asked["messages"].to_string().contains("\"two\""), "the model is not told of the other way");

    let list = call(&mut client, "sessions.branches.list", json!({"sessionKey": KEY})).await;
    let better = entry(&mut client, KEY, "second, but better").await;
    let rows = list["branches"].as_array().unwrap();
    let facts = |row: &Value| json!([row["headline"], row["messageCount"], row["active"]]);
    let all: Vec<Value> = rows.iter().map(facts).collect();
    assert_eq!(all, [json!(["second", 4, false]), json!(["two again", 4, true])]);
    assert_eq!((&rows[0]["firstEntryId"], &rows[0]["insteadEntryId"]), (&second, &better));

    let there = json!({"sessionKey": KEY, "leafEntryId": rows[0]["leafEntryId"]});
    assert_eq!(call(&mut client, "sessions.branches.switch", there).await, json!({}));
    assert_eq!(texts(&mut client, KEY).await, ["first", "one", "second", "two"]);
    talk(&mut client, KEY, "third").await;
    assert_eq!(texts(&mut client, KEY).await.last().unwrap(), "three");
}

#[tokio::test]
async fn a_fork_begins_as_the_other_did_and_leaves_it_alone() {
    let world = World::start().await;
    world.fake.says("one").says("two").says("elsewhere");
    let mut client = world.owner().await;
    talk(&mut client, KEY, "first").await;
    talk(&mut client, KEY, "second").await;
    call(&mut client, "sessions.patch", json!({"key": KEY, "thinkingLevel": "high"})).await;
    let (second, one) = (entry(&mut client, KEY, "second").await, entry(&mut client, KEY, "one").await);

    let fork = call(&mut client, "sessions.fork", json!({"sessionKey": KEY, "entryId": second})).await;
    assert_eq!(fork["editorText"], "second");
    let key = fork["sessionKey"].as_str().unwrap().to_owned();
    assert_eq!(texts(&mut client, &key).await, ["first", "one"]);
    let info = call(&mut client, "chat.history", json!({"sessionKey": key})).await;
    assert_eq!(info["thinkingLevel"], "high");
    assert_eq!(info["sessionInfo"]["parentSessionKey"], KEY);
    talk(&mut client, &key, "third").await;
    assert_eq!(texts(&mut client, &key).await, ["first", "one", "third", "elsewhere"]);
    assert_eq!(texts(&mut client, KEY).await, ["first", "one", "second", "two"]);

    let after = call(&mut client, "sessions.fork", json!({"sessionKey": KEY, "entryId": one})).await;
    assert_eq!(after["editorText"], Value::Null);
    assert_eq!(texts(&mut client, after["sessionKey"].as_str().unwrap()).await, ["first", "one"]);
}

#[tokio::test]
async fn what_cannot_be_gone_back_to_is_refused() {
    let world = World::start().await;
    world.fake.says("one");
    let mut client = world.owner().await;
    talk(&mut client, KEY, "first").await;
    let first = entry(&mut client, KEY, "first").await;
    for method in ["sessions.fork", "sessions.rewind"] {
        for (params, words) in [
            (json!({"sessionKey": KEY, "entryId": "ffffffff"}), "no entry"),
            (json!({"sessionKey": KEY, "entryId": ""}), "entryId"),
            (json!({"sessionKey": KEY, "entryId": 7}), "expected a string"),
            (json!({"sessionKey": KEY}), "entryId"),
            (json!({"sessionKey": "agent:main:nobody", "entryId": first}), "unknown session"),
            (json!({"sessionKey": KEY, "entryId": first, "bogus": 1}), "bogus"),
        ] {
            refused(&mut client, method, params, words).await;
        }
    }
    let nowhere = json!({"sessionKey": KEY, "leafEntryId": "ffffffff"});
    refused(&mut client, "sessions.branches.switch", nowhere, "no entry").await;
    let _held = world.fake.gate("never said");
    let run = say(&mut client, KEY, "second").await;
    first_delta(&mut client, &run).await;
    refused(&mut client, "sessions.rewind", json!({"sessionKey": KEY, "entryId": first}), "under way").await;
    assert_eq!(texts(&mut client, KEY).await.first().unwrap(), "first");
}

#[tokio::test]
async fn a_file_no_model_is_shown_is_kept_and_named() {
    let world = World::start().await;
    world.fake.says("heard");
    let mut client = world.owner().await;
    let file = json!({"type": "audio", "mimeType": "audio/webm", "fileName": "../note <b>.webm", "content": "AAECAw=="});
    let params =
        json!({"sessionKey": KEY, "message": "listen", "idempotencyKey": "v", "attachments": [file]});
    call(&mut client, "chat.send", params).await;
    client.wait_chat_final("v").await.unwrap();
    let told = texts(&mut client, KEY).await[0].clone();
    let path =
        told.strip_prefix("[media attached: ").and_then(|rest| rest.split_once(" (audio/webm)]")).unwrap().0;
    assert!(path.ends_with("-noteb.webm") && told.ends_with("\n\nlisten"), "{told}");
    assert_eq!(std::fs::read(path).unwrap(), [0, 1, 2, 3]);
    for (content, words) in [("%%%", "base64"), ("", "empty")] {
        let file = json!({"mimeType": "audio/webm", "fileName": "x", "content": content});
        let params = json!({"sessionKey": KEY, "message": "x", "idempotencyKey": "w", "attachments": [file]});
        refused(&mut client, "chat.send", params, words).await;
    }
}
