//! Tools that do not come to an end: their time is limited, and stopping a turn does not wait for them.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use futures_util::stream::{self, BoxStream};
use futures_util::{FutureExt, StreamExt};
use homard_agent::TurnEndKind;
use homard_llm::{Answer, Provider, Request, StreamEvent};
use homard_protocol::{
    AssistantBlock, AssistantMessage, EntryKind, Message, ProviderId, StopReason, ToolCall, ToolCallId,
};
use homard_tools::{DynTool, ToolCx, ToolOutcome, ToolSpec};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::compaction::world::{NOW, World, played};

/// A tool that waits for ever, or until it is asked to stop.
struct Wait {
    obeys: bool,
    begun: CancellationToken,
}

impl DynTool for Wait {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "wait".to_owned(),
            description: "Waits.".to_owned(),
            parameters: json!({"type": "object", "properties": {}}),
            parallel: false,
        }
    }

    fn call<'a>(&'a self, _arguments: Value, cx: &'a ToolCx) -> BoxFuture<'a, ToolOutcome> {
        async move {
            self.begun.cancel();
            if self.obeys {
                cx.cancel.cancelled().await;
                return ToolOutcome::text("half of it");
            }
            std::future::pending().await
        }
        .boxed()
    }
}

/// Calls the tool once, then is done.
struct Caller {
    id: ProviderId,
}

impl Provider for Caller {
    fn id(&self) -> &ProviderId {
        &self.id
    }

    fn stream(&self, request: Request, _cancel: CancellationToken) -> BoxStream<'static, StreamEvent> {
        let is_called = request.messages.iter().any(|message| matches!(**message, Message::ToolResult(_)));
        let mut message = AssistantMessage::injected("done".to_owned(), StopReason::Stop, NOW);
        if !is_called {
            message.content = vec![AssistantBlock::ToolCall(ToolCall {
                id: ToolCallId::parse("call-1").unwrap(),
                name: "wait".to_owned(),
                arguments: json!({}),
                thought_signature: None,
            })];
        }
        stream::iter([StreamEvent::Done(Answer { message })]).boxed()
    }
}

fn world(obeys: bool) -> (World, CancellationToken) {
    let begun = CancellationToken::new();
    let mut world = World::new(played(Arc::new(Caller { id: ProviderId::parse("fake").unwrap() })), 100_000);
    world.tool = Arc::new(Wait { obeys, begun: begun.clone() });
    world.rules.tool_limit = Duration::from_secs(60);
    (world, begun)
}

/// What the tool is recorded to have answered.
async fn answered(world: &World) -> String {
    let context = world.store.transcripts().context(world.session.as_ref().unwrap()).await.unwrap();
    let results = context.entries.iter().filter_map(|entry| match &entry.kind {
        EntryKind::Message { message: message @ Message::ToolResult(result) } => {
            Some((result.is_error, message.text()))
        }
        _ => None,
    });
    format!("{:?}", results.collect::<Vec<_>>())
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_takes_too_long_is_stopped_and_the_model_hears_of_it() {
    for (obeys, wanted) in [(true, "half of it"), (false, "Try something else")] {
        let (mut world, _) = world(obeys);
        let ended = world.say("go").await;
        assert!(matches!(ended.how, TurnEndKind::Done), "{:?}", ended.how);
        assert_eq!(ended.answer.unwrap().text(), "done");
        let answer = answered(&world).await;
        assert!(answer.contains("true") && answer.contains("did not answer within 60 s"), "{answer}");
        assert!(answer.contains(wanted), "{answer}");
    }
}

#[tokio::test(start_paused = true)]
async fn stopping_a_turn_waits_for_a_tool_only_for_a_while_and_leaves_a_result() {
    for (obeys, wanted) in [(true, "half of it"), (false, "left behind")] {
        let (mut world, begun) = world(obeys);
        let stop = world.cancel.clone();
        let stopping = async {
            begun.cancelled().await;
            stop.cancel();
        };
        let (ended, ()) = tokio::join!(world.say("go"), stopping);
        assert!(matches!(ended.how, TurnEndKind::Stopped), "{:?}", ended.how);
        let answer = answered(&world).await;
        assert!(answer.contains(wanted), "{answer}");
    }
}
