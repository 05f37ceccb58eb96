//! What a model says between its words is not shown, live or afterwards.

use serde_json::json;

use crate::scenarios::world::{KEY, World, history, talk, text_of};

#[tokio::test]
async fn reasoning_in_the_text_and_wishes_are_taken_out_of_what_people_see() {
    let world = World::start().await;
    let mut client = world.owner().await;
    world.fake.says("<think>they greet me</think>\n\n[[reply_to_current]] Good **day**, use `<think>` so. <tool_call>{\"name\":\"x\"}</tool_call>");
    let ended = talk(&mut client, KEY, "hello").await;
    assert_eq!(text_of(&ended["message"]), "Good **day**, use `<think>` so.");
    let streamed: Vec<_> = client
        .events()
        .iter()
        .filter(|event| event["event"] == "chat" && event["payload"]["state"] == "delta")
        .map(|event| event["payload"].to_string())
        .collect();
    assert!(!streamed.is_empty());
    for delta in streamed {
        assert!(
            !delta.contains("they greet me") && !delta.contains("reply_to") && !delta.contains("tool_call"),
            "{delta}"
        );
    }
    let told = history(&mut client, KEY).await;
    let answer = told.last().unwrap();
    let kinds: Vec<&str> =
        answer["content"].as_array().unwrap().iter().map(|b| b["type"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["thinking", "text"], "{answer}");
    assert_eq!(answer["content"][0]["thinking"], json!("they greet me"));
}
