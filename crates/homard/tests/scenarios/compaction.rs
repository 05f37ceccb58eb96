//! A conversation that outgrows its model goes on, and says what happened to it.

use serde_json::{Value, json};

use crate::scenarios::world::{KEY, OPENAI, World, history, say, talk, text_of};

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
    let shown = history(&mut client, KEY).await;
    let mark = shown.iter().find(|line| line["__openclaw"]["kind"] == "compaction");
    let mark = mark.expect("the history says where it was shortened");
    assert!(mark["__openclaw"]["tokensBefore"].as_u64().is_some_and(|tokens| tokens > 0), "{mark}");
    assert!(mark["timestamp"].as_i64().is_some_and(|at| at > 0), "{mark}");
}

#[tokio::test]
async fn notes_are_asked_for_once_between_two_compactions_and_nobody_sees_it() {
    let world = World::start_with(OPENAI, |config| {
        config["models"]["providers"]["fake"]["models"][0]["contextWindow"] = json!(40_000);
        config["agents"]["defaults"]["compaction"] = json!({"memoryFlush": {"prompt": "WRITE NOTES NOW"}});
    })
    .await;
    let mut client = world.owner().await;
    let long = |n: usize| format!("request {n} {}", "x".repeat(60_000));
    let notes = || world.fake.requests().iter().filter(|asked| is_flush(&asked.body)).count();
    talk(&mut client, KEY, &long(1)).await;
    assert_eq!(notes(), 1);
    talk(&mut client, KEY, &long(2)).await;
    assert_eq!(notes(), 1, "not again before the conversation was shortened");
    let patched = client.call("sessions.patch", json!({"key": KEY, "label": "long"})).await.unwrap();
    assert_eq!(patched["entry"]["compactionCount"], 1, "{patched}");
    assert_eq!(patched["entry"]["memoryFlushCompactionCount"], 0, "{patched}");
    let shown: String = history(&mut client, KEY).await.iter().map(text_of).collect();
    assert!(!shown.contains("WRITE NOTES NOW"));
    talk(&mut client, KEY, &long(3)).await;
    assert_eq!(notes(), 2);
}

/// Whether a request ends with the question for notes.
fn is_flush(body: &Value) -> bool {
    body["messages"]
        .as_array()
        .and_then(|all| all.last())
        .is_some_and(|last| text_of(last).contains("WRITE NOTES NOW"))
}

/// How many calls summarised a conversation that the model refused.
async fn summarising_calls(mode: &str) -> usize {
    let world = World::start_with(OPENAI, |config| {
        config["agents"]["defaults"]["compaction"] = json!({"mode": mode, "keepRecentTokens": 1_000});
    })
    .await;
    let mut client = world.owner().await;
    for n in 0..6 {
        talk(&mut client, KEY, &format!("request {n} {}", "x".repeat(16_000))).await;
    }
    world.fake.overflows_above(world.fake.requests()[5].body.to_string().len());
    talk(&mut client, KEY, "and now?").await;
    let asked = world.fake.requests();
    asked[6..].iter().filter(|asked| asked.body.get("tools").is_none()).count()
}

#[tokio::test]
async fn a_long_conversation_is_summarised_in_pieces_unless_one_call_is_wanted() {
    assert!(summarising_calls("safeguard").await > 1);
    assert_eq!(summarising_calls("default").await, 1);
}
