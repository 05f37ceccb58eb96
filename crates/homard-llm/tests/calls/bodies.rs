//! The exact requests each API receives, snapshotted, for conversations that have seen everything.

use std::sync::Arc;

use homard_llm::{ThinkingLevel, ToolSpec};
use homard_protocol::AssistantBlock;
use serde_json::{Value, json};

use crate::calls::world::{APIS, World, user};

fn assistant(world: &World, content: &Value) -> Value {
    json!({"role": "assistant", "content": content, "api": world.api, "provider": "fake", "model": "fake-1",
           "stopReason": "toolUse", "timestamp": 1})
}

fn result(id: &str, content: &Value) -> Value {
    json!({"role": "toolResult", "toolCallId": id, "toolName": "read", "content": content, "timestamp": 1})
}

/// What proves thinking to the API that signed it.
fn signature(api: &str) -> &'static str {
    match api {
        "openai-completions" => "reasoning_content",
        "openai-responses" => {
            r#"{"id":"rs_1","type":"reasoning","summary":[{"type":"summary_text","text":"hm"}],"status":null,"encrypted_content":"gAAA"}"#
        }
        _ => "sig",
    }
}

/// Where the API wants the conversation.
fn conversation_field(api: &str) -> &'static str {
    match api {
        "openai-responses" => "/input",
        "google-generative-ai" => "/contents",
        "google-gemini-cli" => "/request/contents",
        _ => "/messages",
    }
}

/// Thinking, pictures, parallel tools, an unanswered call, an orphan, foreign ids and steering.
fn everything(world: &World) -> Vec<Value> {
    let call =
        |id: &str| json!({"type": "toolCall", "id": id, "name": "read", "arguments": {"path": "a.txt"}});
    let signature = signature(world.api);
    vec![
        user("look at this"),
        json!({"role": "user", "timestamp": 1, "content": [
            {"type": "text", "text": "a picture"}, {"type": "image", "data": "aGk=", "mimeType": "image/png"}]}),
        assistant(
            world,
            &json!([
            {"type": "thinking", "thinking": "hm", "thinkingSignature": signature},
            {"type": "text", "text": "Reading."}, call("call_1"), call("fc|weird id/2"), call("call_3")]),
        ),
        result("fc|weird id/2", &json!([{"type": "image", "data": "aGk=", "mimeType": "image/png"}])),
        user("hurry up"),
        result("call_1", &json!([{"type": "text", "text": "one"}])),
        result("orphan", &json!([{"type": "text", "text": "nobody asked"}])),
        json!({"role": "assistant", "content": [], "stopReason": "error", "errorMessage": "x", "timestamp": 1}),
        json!({"role": "assistant", "provider": "other", "model": "m", "timestamp": 1, "content": [
            {"type": "thinking", "thinking": "foreign", "thinkingSignature": "sig"}, {"type": "text", "text": "Done."}]}),
        json!({"role": "branchSummary", "summary": "not for models"}),
        user("and now?"),
    ]
}

#[tokio::test]
async fn a_conversation_that_has_seen_everything_is_accepted() {
    for api in APIS {
        let world = World::start(api).await;
        let mut request = world.conversation(everything(&world));
        request.max_tokens = Some(4_096);
        request.thinking = ThinkingLevel::High;
        let (_, end) = world.ask(request).await;
        end.unwrap();
        let recorded = world.fake.wait_for_request(1).await.unwrap();
        insta::assert_json_snapshot!(format!("everything-{api}"), recorded.body);
    }
}

#[tokio::test]
async fn a_first_message_is_spelled_plainly() {
    for api in APIS {
        let world = World::start(api).await;
        world.ask(world.request("hi")).await.1.unwrap();
        let recorded = world.fake.wait_for_request(1).await.unwrap();
        insta::assert_json_snapshot!(format!("plain-{api}"), recorded.body);
    }
}

#[tokio::test]
async fn a_model_that_cannot_see_is_told_so() {
    for api in APIS {
        let world = World::start(api).await;
        let mut request = world.conversation(everything(&world));
        let mut blind = homard_llm::ModelSpec::clone(&request.model);
        blind.input.clear();
        request.model = Arc::new(blind);
        world.ask(request).await.1.unwrap();
        let body = world.fake.wait_for_request(1).await.unwrap().body.to_string();
        assert!(body.contains("cannot see images") && !body.contains("aGk="), "{api}: {body}");
    }
}

#[tokio::test]
async fn a_history_that_begins_with_the_model_is_accepted() {
    for api in APIS {
        let world = World::start(api).await;
        let opening = assistant(&world, &json!([{"type": "text", "text": "As I said."}]));
        world.ask(world.conversation(vec![opening, user("go on")])).await.1.unwrap();
    }
}

#[tokio::test]
async fn the_same_history_is_spelled_the_same_before_every_new_turn() {
    for api in APIS {
        let world = World::start(api).await;
        let mut messages = vec![user("one")];
        let mut bodies: Vec<Vec<Value>> = Vec::new();
        for turn in 0..4 {
            let (_, end) = world.ask(world.conversation(messages.clone())).await;
            let mut said = serde_json::to_value(end.unwrap()).unwrap();
            said["role"] = json!("assistant");
            messages.extend([said, user(&format!("turn {turn}"))]);
            let mut body = world.fake.wait_for_request(turn + 1).await.unwrap().body;
            strip_marks(&mut body);
            bodies.push(body.pointer(conversation_field(api)).and_then(Value::as_array).unwrap().clone());
        }
        for pair in bodies.windows(2) {
            assert!(pair[1].starts_with(&pair[0]), "{api}");
        }
    }
}

/// The cache mark moves to the newest message; what it marks must not change.
fn strip_marks(value: &mut Value) {
    match value {
        Value::Object(map) => {
            map.remove("cache_control");
            map.values_mut().for_each(strip_marks);
        }
        Value::Array(list) => list.iter_mut().for_each(strip_marks),
        _ => {}
    }
}

#[tokio::test]
async fn signed_thinking_goes_back_to_the_model_that_signed_it() {
    for api in APIS {
        let world = World::start(api).await;
        world.fake.thinks("let me see", "forty two");
        let message = world.ask(world.request("?")).await.1.unwrap();
        assert!(matches!(message.content.first(), Some(AssistantBlock::Thinking { .. })));
        let mut said = serde_json::to_value(&message).unwrap();
        said["role"] = json!("assistant");
        world.ask(world.conversation(vec![user("?"), said, user("why?")])).await.1.unwrap();
        let body = world.fake.wait_for_request(2).await.unwrap().body.to_string();
        assert!(body.contains("let me see"), "{api}: {body}");
    }
}

#[tokio::test]
async fn tools_are_spelled_as_the_api_wants_them() {
    for api in APIS {
        let world = World::start(api).await;
        let mut request = world.request("hi");
        request.tools = Arc::from([] as [ToolSpec; 0]);
        world.ask(request).await.1.unwrap();
        let body = world.fake.wait_for_request(1).await.unwrap().body;
        assert!(body.get("tools").is_none(), "{api}: no tools, no field");
    }
}
