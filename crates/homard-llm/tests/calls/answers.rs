//! What goes well: text, thinking, tools, usage, and how a call presents itself.

use std::sync::Arc;

use futures_util::StreamExt;
use homard_llm::{ApiKey, Credential, CredentialKind, StreamEvent};
use homard_protocol::{AssistantBlock, StopReason};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::calls::world::{APIS, KEY, NOW, World, text, user};

#[tokio::test]
async fn text_streams_and_is_whole_at_the_end() {
    for api in APIS {
        let world = World::start(api).await;
        world.fake.says("one two three");
        let (events, end) = world.ask(world.request("count")).await;
        let message = end.unwrap();
        assert_eq!(events.first(), Some(&StreamEvent::Start));
        assert_eq!(text(&events), "one two three");
        assert_eq!(message.text(), "one two three");
        assert_eq!(message.stop_reason, StopReason::Stop);
        assert_eq!(
            (message.api.as_str(), message.provider.as_str(), message.model.as_str()),
            (api, "fake", "fake-1")
        );
        assert_eq!(message.timestamp, NOW);
        assert_eq!(message.usage.output, 3);
        assert_eq!(message.usage.total_tokens, message.usage.input + 3);
        assert!((message.usage.cost.output - 3.0 * 10.0 / 1e6).abs() < 1e-12, "{api}: {:?}", message.usage);
    }
}

#[tokio::test]
async fn parallel_tools_arrive_in_pieces_and_come_out_whole() {
    for api in APIS {
        let world = World::start(api).await;
        let arguments = [json!({"path": "a.txt"}), json!({"path": "ü/b.txt", "limit": 3})];
        world.fake.calls_many(arguments.iter().map(|a| ("read".to_owned(), a.clone())));
        let (events, end) = world.ask(world.request("read both")).await;
        let message = end.unwrap();
        assert_eq!(message.stop_reason, StopReason::ToolUse);
        let calls: Vec<_> = message.tool_calls().collect();
        assert_eq!(
            calls.iter().map(|call| &call.arguments).collect::<Vec<_>>(),
            arguments.iter().collect::<Vec<_>>()
        );
        assert_ne!(calls[0].id, calls[1].id);
        let starts = events.iter().filter(|event| matches!(event, StreamEvent::ToolCallStart { .. })).count();
        let whole = events.iter().filter(|event| matches!(event, StreamEvent::ToolCall(_))).count();
        assert_eq!((starts, whole), (2, 2), "{api}");
    }
}

#[tokio::test]
async fn a_tool_turn_goes_round_trip() {
    for api in APIS {
        let world = World::start(api).await;
        world.fake.calls("read", json!({"path": "a.txt"})).says("it says hello");
        let (_, end) = world.ask(world.request("read a.txt")).await;
        let message = end.unwrap();
        let id = message.tool_calls().next().unwrap().id.clone();
        let mut assistant = serde_json::to_value(&message).unwrap();
        assistant["role"] = json!("assistant");
        let result = json!({"role": "toolResult", "toolCallId": id, "toolName": "read",
                            "content": [{"type": "text", "text": "hello"}], "timestamp": 2});
        let (_, end) = world.ask(world.conversation(vec![user("read a.txt"), assistant, result])).await;
        assert_eq!(end.unwrap().text(), "it says hello", "{api}");
    }
}

#[tokio::test]
async fn thinking_is_kept_apart_from_the_answer() {
    for api in APIS {
        let world = World::start(api).await;
        world.fake.thinks("let me see", "forty two");
        let (events, end) = world.ask(world.request("?")).await;
        let message = end.unwrap();
        assert_eq!(message.text(), "forty two");
        let [AssistantBlock::Thinking { thinking, thinking_signature }, AssistantBlock::Text { .. }] =
            message.content.as_slice()
        else {
            panic!("{api}: {:?}", message.content)
        };
        assert_eq!(thinking, "let me see");
        assert!(thinking_signature.is_some());
        assert!(events.iter().any(|event| matches!(event, StreamEvent::Thinking(_))));
    }
}

#[tokio::test]
async fn the_key_travels_as_the_api_wants_it() {
    for api in APIS {
        let world = World::start(api).await;
        let (_, end) = world.ask(world.request("hi")).await;
        assert_eq!(end.unwrap().text(), "w0 w1 w2 w3 w4 w5 w6 w7 ");
        let request = world.fake.wait_for_request(1).await.unwrap();
        let (header, value) = match api {
            "anthropic-messages" => ("x-api-key", KEY.to_owned()),
            "google-generative-ai" => ("x-goog-api-key", KEY.to_owned()),
            _ => ("authorization", format!("Bearer {KEY}")),
        };
        assert_eq!(request.header(header), Some(value.as_str()), "{api}");
        assert!(request.header("user-agent").unwrap().starts_with("homard/"));
    }
}

/// People paste tokens where keys are asked for; as a key such a token would be refused.
#[tokio::test]
async fn a_subscriptions_token_is_borne_whatever_it_was_stored_as() {
    let world = World::start("anthropic-messages").await;
    let mut request = world.request("hi");
    request.credential = Some(Arc::new(Credential {
        kind: CredentialKind::ApiKey,
        secret: Some(ApiKey::new("sk-ant-oat01-pasted")),
        ..Credential::default()
    }));
    world.ask(request).await.1.unwrap();
    let asked = world.fake.wait_for_request(1).await.unwrap();
    assert_eq!(asked.header("authorization"), Some("Bearer sk-ant-oat01-pasted"));
    assert_eq!(asked.header("x-api-key"), None);
    assert_eq!(asked.header("anthropic-beta"), Some("oauth-2025-04-20"));
}

#[tokio::test]
async fn the_first_word_is_heard_before_the_last_is_spoken() {
    for api in APIS {
        let world = World::start(api).await;
        let gate = world.fake.gate("first rest");
        let mut stream = world.model.provider.stream(world.request("hi"), CancellationToken::new());
        let first = loop {
            match stream.next().await.unwrap() {
                StreamEvent::Text(text) => break text,
                StreamEvent::Start | StreamEvent::Usage(_) => {}
                other => panic!("{api}: {other:?}"),
            }
        };
        assert_eq!(first, "first ");
        gate.release();
        let rest: Vec<_> = stream.collect().await;
        assert!(
            matches!(rest.last(), Some(StreamEvent::Done(answer)) if answer.message.text() == "first rest"),
            "{api}"
        );
    }
}

#[tokio::test]
async fn a_connection_serves_one_call_after_another() {
    for api in APIS {
        let world = World::start(api).await;
        for _ in 0..3 {
            let (_, end) = world.ask(world.request("hi [[delay=1]]")).await;
            assert_eq!(end.unwrap().stop_reason, StopReason::Stop);
        }
        assert_eq!(world.fake.connections(), 1, "{api}");
    }
}

#[tokio::test]
async fn features_the_owner_asks_for_do_not_replace_those_a_token_needs() {
    let world = World::start("anthropic-messages").await;
    let mut request = world.request("hi");
    let header = |name: &str, value: &str| [(name.to_owned(), value.to_owned())].into_iter().collect();
    let mut model = homard_llm::ModelSpec::clone(&request.model);
    model.headers = header("Anthropic-Beta", "context-1m-2025-08-07");
    request.model = std::sync::Arc::new(model);
    request.credential = Some(std::sync::Arc::new(homard_llm::Credential {
        kind: homard_llm::CredentialKind::OAuth,
        secret: Some(homard_llm::ApiKey::new(KEY)),
        ..homard_llm::Credential::default()
    }));
    world.ask(request).await.1.unwrap();
    let sent = world.fake.wait_for_request(1).await.unwrap();
    assert_eq!(sent.header("anthropic-beta"), Some("oauth-2025-04-20,context-1m-2025-08-07"));
}
