//! `homard message`, `homard directory` and `homard channels resolve`.

use serde_json::{Value, json};

use super::typed;
use crate::scenarios::acts::connected;
use crate::scenarios::world::World;

/// A group both may write in.
const GROUP: i64 = -1008;

#[tokio::test]
async fn who_was_heard_is_found_by_name_and_what_was_said_is_read() {
    let (world, there) = connected(|config| {
        config["channels"]["telegram"]["groups"] = json!({"-1008": {"requireMention": false}});
        config["channels"]["telegram"]["groupPolicy"] = json!("open");
    })
    .await;
    there.reads_all(true);
    there.has_chat(GROUP, json!({"title": "Family", "type": "supergroup"}));
    world.fake.says("pasta it is");
    there.group_says(GROUP, 7, "what is for dinner?");
    assert_eq!(there.next_sent().await.unwrap().text(), "pasta it is");

    let own = typed(&world, &["directory", "self", "--json"]).await.json();
    assert_eq!(own["accounts"][0]["name"], json!(there.bot_name()), "{own}");
    let peers =
        typed(&world, &["directory", "peers", "list", "--channel", "telegram", "--json"]).await.json();
    let ids: Vec<&Value> = peers["peers"].as_array().unwrap().iter().map(|one| &one["id"]).collect();
    assert_eq!(ids, [&json!("7"), &json!("8")], "{peers}");
    let groups = typed(&world, &["directory", "groups", "list", "--json"]).await.json();
    assert_eq!(
        (&groups["groups"][0]["id"], &groups["groups"][0]["heard"]),
        (&json!("-1008"), &json!(true)),
        "{groups}"
    );
    let found =
        typed(&world, &["channels", "resolve", "--kind", "group", "--json", "--", "-1008"]).await.json();
    assert_eq!(found["results"][0]["found"][0]["id"], "-1008", "{found}");
    typed(&world, &["channels", "resolve", "nobody"]).await.badly(1, &["nobody we heard of"]);
    typed(&world, &["channels", "resolve", "x", "--channel", "pigeon"])
        .await
        .badly(1, &["no platform `pigeon`"]);

    let read = typed(&world, &["message", "read", "-t", "telegram:-1008"]).await.well();
    assert!(read.contains("what is for dinner?") && read.contains("pasta it is"), "{read}");
    let search = ["message", "search", "-t", "telegram:group:-1008", "--query", "dinner"];
    assert!(typed(&world, &search).await.well().contains("dinner"));
    typed(&world, &["message", "read", "-t", "telegram:99"])
        .await
        .badly(1, &["nothing was heard at `telegram:99`"]);
    typed(&world, &["message", "read", "-t", "99"]).await.badly(1, &["on which platform"]);
}

#[tokio::test]
async fn buttons_and_stickers_are_sent_and_what_cannot_be_is_refused_by_name() {
    let (world, there) = connected(|_| {}).await;
    let buttons = r#"[[{"text": "Yes", "callback_data": "yes"}]]"#;
    let ask = ["message", "send", "-t", "telegram:7", "-m", "again?", "--buttons", buttons];
    typed(&world, &ask).await.well();
    let sent = there.next_sent().await.unwrap();
    assert_eq!((sent.chat(), sent.text()), (7, "again?"));
    let wrong = ["message", "send", "-t", "telegram:7", "-m", "again?", "--buttons", "yes"];
    typed(&world, &wrong).await.badly(1, &["--buttons is not JSON"]);
    typed(&world, &["message", "pin", "-t", "irc:#a", "--message-id", "1"]).await.badly(1, &["irc"]);
    let missing = ["message", "sticker", "send", "-t", "telegram:7", "--media", "/nowhere.webp"];
    typed(&world, &missing).await.badly(1, &["/nowhere.webp cannot be read"]);
    typed(&world, &["message", "send", "-t", "telegram:7"]).await.badly(2, &["--message"]);
}

#[tokio::test]
async fn without_a_gateway_every_family_says_how_to_start_one() {
    let mut world = World::start().await;
    world.gateway.terminate().await.unwrap();
    let families: [&[&str]; 8] = [
        &["directory", "peers", "list"],
        &["channels", "resolve", "ada"],
        &["message", "read", "-t", "telegram:1"],
        &["nodes", "camera", "list", "--node", "x"],
        &["sessions", "tail"],
        &["sessions", "export", "main"],
        &["tasks"],
        &["system", "presence"],
    ];
    for words in families {
        typed(&world, words).await.badly(1, &["no gateway is running", "homard gateway"]);
    }
}
