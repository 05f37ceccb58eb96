//! Models that go in circles or send nonsense: they are told, and the run ends.

use serde_json::json;

use crate::scenarios::world::{KEY, OPENAI, World, history, talk, text_of};

#[tokio::test]
async fn a_model_that_repeats_itself_is_told_refused_and_stopped() {
    let world = World::start_with(OPENAI, |config| {
        config["tools"]["loopDetection"] =
            json!({"warningThreshold": 2, "criticalThreshold": 3, "globalCircuitBreakerThreshold": 5});
    })
    .await;
    for _call in 0..10 {
        world.fake.calls("read", json!({"path": "no-such-file"}));
    }
    let mut client = world.owner().await;
    let last = talk(&mut client, KEY, "read it").await;
    assert_eq!(last["state"], "error", "{last}");
    assert!(last["errorMessage"].as_str().unwrap().contains("`read` 5 times"), "{last}");
    assert_eq!(world.fake.requests().len(), 5);
    let results: Vec<String> = history(&mut client, KEY)
        .await
        .iter()
        .filter(|message| message["role"] == "toolResult")
        .map(text_of)
        .collect();
    assert_eq!(results.len(), 5);
    assert!(results[1].contains("[Homard: this call was made 2 times"), "{results:?}");
    assert!(results[3].starts_with("not run"), "{results:?}");
}
