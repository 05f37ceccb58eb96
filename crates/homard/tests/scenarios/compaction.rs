//! A conversation that outgrows its model goes on, and says what happened to it.

use serde_json::{Value, json};

use crate::world::{KEY, World, say, talk, text_of};

#[tokio::test]
async fn a_conversation_the_model_refuses_is_summarised_answered_and_counted() {
    let world = World::start().await;
    let mut client = world.owner().await;
    for n in 0..12 {
        talk(&mut client, KEY, &format!("request {n} {}", "x".repeat(4_000))).await;
    }
    // From now on the model takes what it took in the eighth turn.
    let bytes = world.fake.requests()[7].body.to_string().len();
    world.fake.overflows_above(bytes);
    let run = say(&mut client, KEY, "and now?").await;
    for phase in ["start", "end"] {
        let is_told = |event: &Value| {
            event["runId"] == run.as_str()
                && event["stream"] == "compaction"
                && event["data"]["phase"] == phase
        };
        let told = client.next_event_where("agent", is_told).await.unwrap();
        assert_eq!(told["payload"]["data"]["trigger"], "overflow");
    }
    let last = client.wait_chat_final(&run).await.unwrap();
    assert!(!text_of(&last["message"]).is_empty(), "{last}");
    let patched = client.call("sessions.patch", json!({"key": KEY, "label": "long"})).await.unwrap();
    assert!(patched["entry"]["compactionCount"].as_u64().is_some_and(|count| count >= 1), "{patched}");
}
