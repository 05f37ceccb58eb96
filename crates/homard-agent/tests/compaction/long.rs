//! A conversation that goes on for years in a small window.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::StreamExt;
use futures_util::stream::{self, BoxStream};
use homard_agent::TurnEndKind;
use homard_llm::{Answer, FailReason, LlmError, Provider, Request, StreamEvent};
use homard_protocol::{
    AssistantBlock, AssistantMessage, ProviderId, StopReason, ToolCall, ToolCallId, Usage,
};
use homard_runtime::Mutex;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::compaction::world::{NOW, World, played};

const TURNS: usize = 2_000;
const WINDOW: u32 = 32_000;
/// Bytes of one token: fewer than is guessed, so that the guess is wrong all the time.
const BYTES: usize = 3;

/// A model that counts strictly, uses a tool in every fifth turn and repeats an identifier in its summaries.
struct Strict {
    id: ProviderId,
    calls: AtomicUsize,
    largest: AtomicUsize,
    refused: AtomicUsize,
    last: Mutex<String>,
}

impl Provider for Strict {
    fn id(&self) -> &ProviderId {
        &self.id
    }

    fn stream(&self, request: Request, _cancel: CancellationToken) -> BoxStream<'static, StreamEvent> {
        let bytes: usize = request.messages.iter().map(|message| message.text().len() + 20).sum();
        let tokens = (bytes + request.system.len()).div_ceil(BYTES);
        self.largest.fetch_max(tokens, Ordering::Relaxed);
        if tokens > usize::try_from(WINDOW).unwrap() {
            self.refused.fetch_add(1, Ordering::Relaxed);
            let error = LlmError::new(FailReason::ContextOverflow, "too long");
            return stream::iter([StreamEvent::Failed(error)]).boxed();
        }
        let n = self.calls.fetch_add(1, Ordering::Relaxed);
        let last = request.messages.last().unwrap().text();
        let mut message = AssistantMessage::injected(String::new(), StopReason::Stop, NOW);
        message.content = if request.tools.is_empty() {
            let kept = last.contains("TICKET-4711");
            let word = if kept { "TICKET-4711 is open" } else { "nothing is open" };
            vec![AssistantBlock::text(format!("{word}. {}", "s".repeat(2_000)))]
        } else if last.contains("[tool]") {
            vec![AssistantBlock::ToolCall(ToolCall {
                id: ToolCallId::parse(&format!("call_{n}")).unwrap(),
                name: "dump".to_owned(),
                arguments: json!({"bytes": 3_000}),
                thought_signature: None,
            })]
        } else {
            vec![AssistantBlock::text(format!("answer {n} {}", "a".repeat(200)))]
        };
        *self.last.lock() = request.messages.first().unwrap().text();
        let input = u64::try_from(tokens).unwrap();
        message.usage = Usage { input, output: 60, total_tokens: input + 60, ..Usage::default() };
        stream::iter([StreamEvent::Start, StreamEvent::Done(Answer { message })]).boxed()
    }
}

#[tokio::test]
async fn two_thousand_turns_go_through_a_window_of_32k_tokens() {
    let model = Arc::new(Strict {
        id: ProviderId::parse("strict").unwrap(),
        calls: AtomicUsize::new(0),
        largest: AtomicUsize::new(0),
        refused: AtomicUsize::new(0),
        last: Mutex::default(),
    });
    let mut world = World::new(played(Arc::clone(&model) as _), WINDOW);
    let mut compactions = 0;
    for n in 0..TURNS {
        let what = match n {
            0 => "remember TICKET-4711".to_owned(),
            n if n % 5 == 0 => format!("[tool] turn {n}"),
            n => format!("turn {n} {}", "q".repeat(100)),
        };
        if n % 500 == 499 {
            world.restart();
        }
        let ended = world.say(&what).await;
        assert!(matches!(ended.how, TurnEndKind::Done), "turn {n}: {:?}", ended.how);
        assert!(!ended.answer.unwrap().text().is_empty(), "turn {n}");
        compactions += ended.spent.compactions;
    }
    assert!(compactions > 20, "{compactions}");
    assert_eq!(model.refused.load(Ordering::Relaxed), 0, "it was always done ahead");
    assert!(!world.told.iter().any(|told| told.contains("listed")));
    let first = model.last.lock().clone();
    assert!(first.contains("TICKET-4711"), "what matters outlives {compactions} compactions: {first}");
}
