//! The demo behaves at the seam as every provider must.

use std::sync::Arc;

use futures_util::StreamExt;
use homard_protocol::{Message, StopReason};
use homard_runtime::Clock;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::{API, Demo, model_id, provider_id};
use crate::call::request::{Request, ThinkingLevel, ToolSpec};
use crate::error::FailReason;
use crate::provider::{Provider, StreamEvent};

fn request(demo: &Demo, text: &str) -> Request {
    let tool = ToolSpec { name: "exec".to_owned(), description: String::new(), parameters: json!({}).into() };
    let message = json!({"role": "user", "content": text, "timestamp": 1});
    Request {
        model: demo.model(),
        system: Arc::from("be kind"),
        messages: vec![Arc::new(serde_json::from_value::<Message>(message).unwrap())],
        tools: Arc::from([tool]),
        max_tokens: None,
        sampling: crate::Sampling::default(),
        thinking: ThinkingLevel::Off,
        credential: None,
        session: None,
        program_dir: None,
    }
}

#[tokio::test(start_paused = true)]
async fn it_streams_word_by_word_and_ends_once() {
    let demo = Demo::new(Clock::fixed(5));
    let events: Vec<_> = demo.stream(request(&demo, "hello"), CancellationToken::new()).collect().await;
    assert_eq!(events.first(), Some(&StreamEvent::Start));
    let text: String = events
        .iter()
        .filter_map(|e| if let StreamEvent::Text(t) = e { Some(t.as_str()) } else { None })
        .collect();
    let Some(StreamEvent::Done(answer)) = events.last() else { panic!("{events:?}") };
    assert_eq!(answer.message.text(), text);
    assert_eq!((answer.message.api.as_str(), answer.message.timestamp), (API, 5));
    assert!(answer.message.usage.total_tokens > 0);
    assert!(events.len() > 20, "words come one at a time");
}

#[tokio::test(start_paused = true)]
async fn a_tool_call_ends_the_answer() {
    let demo = Demo::new(Clock::fixed(5));
    let events: Vec<_> = demo.stream(request(&demo, "run `date`"), CancellationToken::new()).collect().await;
    let Some(StreamEvent::Done(answer)) = events.last() else { panic!("{events:?}") };
    assert_eq!(answer.message.stop_reason, StopReason::ToolUse);
    let call = answer.message.tool_calls().next().unwrap();
    assert_eq!((call.name.as_str(), &call.arguments), ("exec", &json!({"command": "date"})));
    assert!(events.iter().any(|event| matches!(event, StreamEvent::ToolCall(_))));
}

#[tokio::test(start_paused = true)]
async fn stopping_it_keeps_what_was_said() {
    let demo = Demo::new(Clock::fixed(5));
    let cancel = CancellationToken::new();
    let mut stream = demo.stream(request(&demo, "hello"), cancel.clone());
    while !matches!(stream.next().await, Some(StreamEvent::Text(_))) {}
    cancel.cancel();
    let rest: Vec<_> = stream.collect().await;
    let [StreamEvent::Failed(error)] = rest.as_slice() else { panic!("{rest:?}") };
    assert_eq!(error.reason, FailReason::Aborted);
    assert!(!error.partial.as_ref().unwrap().text().is_empty());
}

#[test]
fn its_names_are_valid_ids() {
    assert_eq!(format!("{}/{}", provider_id(), model_id()), "demo/demo");
}
