//! Traces: a collector learns how a message was worked on, and nothing of what was said.

use homard_testkit::{CollectedSpan, FakeCollector};
use serde_json::{Value, json};

use crate::scenarios::world::{KEY, OPENAI, World, talk, until};

fn named<'a>(spans: &'a [CollectedSpan], name: &str) -> Vec<&'a CollectedSpan> {
    spans.iter().filter(|span| span.name == name).collect()
}

#[tokio::test]
async fn a_turn_with_a_tool_is_one_trace_without_a_word_of_what_was_said() {
    let collector = FakeCollector::start().await.unwrap();
    let otel = json!({
        "enabled": true, "endpoint": collector.endpoint(), "flushIntervalMs": 100,
        "headers": {"x-api-key": "collector-key"}, "serviceName": "lobster",
    });
    let world = World::start_with(OPENAI, |config| config["diagnostics"] = json!({"otel": otel})).await;
    world.fake.calls("exec", json!({"command": "echo secret-command"}));
    world.fake.says("secret-answer");
    let mut client = world.owner().await;
    assert_eq!(talk(&mut client, KEY, "secret-question").await["state"], "final");

    let spans = collector.wait_for("message").await.unwrap();
    let (messages, turns) = (named(&spans, "message"), named(&spans, "turn"));
    let ([message], [turn]) = (messages.as_slice(), turns.as_slice()) else { panic!("{spans:?}") };
    let (models, tools) = (named(&spans, "model.call"), named(&spans, "tool.call"));
    assert_eq!((models.len(), tools.len()), (2, 1), "{spans:?}");
    assert!(spans.iter().all(|span| span.trace_id == message.trace_id && span.error.is_none()), "{spans:?}");
    assert_eq!((message.parent_id.as_str(), &turn.parent_id), ("", &message.span_id));
    assert!(models.iter().chain(&tools).all(|span| span.parent_id == turn.span_id), "{spans:?}");
    assert_eq!(tools[0].attributes["gen_ai.tool.name"], "exec");
    assert_eq!(models[0].attributes["gen_ai.provider.name"], "fake");
    assert!(models[0].attributes["gen_ai.usage.output_tokens"].parse::<u64>().is_ok());
    assert_eq!(collector.headers()[0]["x-api-key"], "collector-key");
    for body in collector.bodies() {
        let text = String::from_utf8_lossy(&body);
        assert!(text.contains("lobster") && !text.contains("secret-"), "{text}");
    }
    let told = world.gateway.log_lines().unwrap();
    assert!(!Value::from(told).to_string().contains("collector-key"), "the key is not in the log");
}

#[tokio::test]
async fn traces_are_turned_on_and_off_without_a_restart_and_never_hold_up_a_turn() {
    let collector = FakeCollector::start().await.unwrap();
    let mut world = World::start().await;
    let mut client = world.owner().await;
    talk(&mut client, KEY, "unseen").await;
    let set = async |client: &mut homard_testkit::TestClient, otel: Value| {
        let hash = client.call("config.get", json!({})).await.unwrap()["hash"].clone();
        let raw = json!({"diagnostics": {"otel": otel}}).to_string();
        let written = client.call("config.patch", json!({"raw": raw, "baseHash": hash})).await.unwrap();
        assert_eq!(written["restart"], Value::Null, "{written}");
    };
    set(&mut client, json!({"enabled": true, "endpoint": collector.endpoint(), "flushIntervalMs": 100}))
        .await;
    until("spans", || async {
        talk(&mut world.owner().await, KEY, "seen").await;
        (!collector.spans().is_empty()).then_some(())
    })
    .await;
    // A collector that is gone costs a line in the log, nothing else.
    drop(collector);
    assert_eq!(talk(&mut client, KEY, "still there?").await["state"], "final");
    set(&mut client, json!({"enabled": false})).await;
    assert!(world.gateway.terminate().await.unwrap().success());
}
