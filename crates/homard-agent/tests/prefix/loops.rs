//! Providers keep the beginning of a prompt and charge a tenth for it, as long as not one byte of it changes.
//!
//! A long tool loop goes through the real agent; every request it makes is spelled by every wire API, and the
//! earlier one must be a prefix of the later: system prompt, tools and all messages. Where the API wants marks,
//! they move, so they are compared apart: the later request must be marked where the earlier one ended.

use std::path::Path;
use std::sync::Arc;

use futures_util::StreamExt;
use futures_util::stream::{self, BoxStream};
use homard_agent::{Agent, CompactionSettings, History, Turn, TurnEndKind};
use homard_llm::wire::{TABLE, Wire};
use homard_llm::{
    Answer, ModelSpec, Provider, Request, Resolved, StreamEvent, ThinkingLevel, ToolSpec as OfferedSpec,
};
use homard_protocol::{
    AgentId, AssistantBlock, AssistantMessage, ModelId, ProviderId, RunId, SessionKey, StopReason, ToolCall,
    ToolCallId, UserContent, UserMessage, Word,
};
use homard_runtime::{Clock, Mutex};
use homard_store::{Context, NewRun, OpenOptions, StartRun, Store};
use homard_tools::{DynTool, ToolCx, ToolOutcome, ToolPolicy, ToolSpec, Toolbox};
use jiff::tz::TimeZone;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

const NOW: i64 = 1_700_000_000_000;
/// Model calls in the loop.
const CALLS: usize = 50;
/// A model every API's cache rules apply to.
const MODEL: &str = "anthropic.claude-sonnet-4-5";
/// Most marks an API takes.
const MAX_MARKS: usize = 4;

/// Answers with a tool call until it has been asked often enough, and remembers every request.
struct Scripted {
    id: ProviderId,
    asked: Mutex<Vec<Request>>,
}

impl Provider for Scripted {
    fn id(&self) -> &ProviderId {
        &self.id
    }

    fn stream(&self, request: Request, _cancel: CancellationToken) -> BoxStream<'static, StreamEvent> {
        let mut asked = self.asked.lock();
        let n = asked.len();
        let mut content = vec![
            AssistantBlock::Thinking {
                thinking: format!("thought {n}"),
                thinking_signature: Some(format!("signature-{n}")),
            },
            AssistantBlock::Text { text: format!("step {n}"), text_signature: None },
        ];
        // Some answers call two tools at once, some one, the last none.
        for call in 0..if n + 1 == CALLS { 0 } else { 1 + n % 2 } {
            content.push(AssistantBlock::ToolCall(ToolCall {
                id: ToolCallId::parse(&format!("call_{n}_{call}")).unwrap(),
                name: "look".to_owned(),
                arguments: json!({"b": n, "a": {"z": 1, "y": [call]}}),
                thought_signature: None,
            }));
        }
        let mut message = AssistantMessage::injected(String::new(), StopReason::Stop, NOW);
        message.api = request.model.api.clone();
        message.provider = request.model.provider.to_string();
        message.model = request.model.id.to_string();
        message.content = content;
        asked.push(request);
        stream::iter([StreamEvent::Start, StreamEvent::Done(Answer { message })]).boxed()
    }
}

/// A tool that answers something else every time.
struct Look;

impl DynTool for Look {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "look".to_owned(),
            description: "Looks.".to_owned(),
            parameters: json!({"type": "object", "properties": {"b": {"type": "integer"}, "a": {"type": "object"}}}),
            parallel: true,
        }
    }

    fn call<'a>(
        &'a self,
        arguments: Value,
        cx: &'a ToolCx,
    ) -> futures_util::future::BoxFuture<'a, ToolOutcome> {
        let seen = format!("{} saw {arguments}", cx.call_id);
        Box::pin(async move { ToolOutcome::text(seen) })
    }
}

/// Every request of a tool loop of [`CALLS`] calls.
async fn requests(api: &str, dir: &Path) -> Vec<Request> {
    let clock = Clock::fixed(NOW);
    let options = OpenOptions {
        database: dir.join("state/homard.sqlite"),
        agents_dir: dir.join("agents"),
        clock: clock.clone(),
    };
    let store = Store::open(options).unwrap();
    let (run_id, session_key) = (RunId::parse("run").unwrap(), SessionKey::parse("agent:main:main").unwrap());
    let run = NewRun {
        run_id: run_id.clone(),
        session_key: session_key.clone(),
        agent_id: AgentId::main(),
        source: Word::of("webchat"),
        message: r#"{"text":"look around"}"#.to_owned(),
        inbox: Vec::new(),
    };
    store.runs().accept(run).await.unwrap();
    let message = UserMessage {
        content: UserContent::Text("look around".to_owned()),
        timestamp: NOW,
        idempotency_key: None,
    };
    let start = StartRun {
        shown: None,
        run_id: run_id.clone(),
        message,
        before: Vec::new(),
        is_unasked: false,
        cwd: ".".to_owned(),
        patch: None,
        merged: Vec::new(),
    };
    let started = store.runs().start(start).await.unwrap();
    let session_id = started.session.session_id.clone();
    let context: Context = store.transcripts().context(&session_id).await.unwrap();
    let mut history = History::new(session_id.clone(), context, TimeZone::UTC);

    let id = ProviderId::parse("p").unwrap();
    let mut model = ModelSpec::new(id.clone(), ModelId::parse(MODEL).unwrap(), api);
    model.reasoning = true;
    let scripted = Arc::new(Scripted { id, asked: Mutex::new(Vec::new()) });
    let provider: Arc<dyn Provider> = scripted.clone();
    let spec = Look.spec();
    let offered =
        OfferedSpec { name: spec.name, description: spec.description, parameters: spec.parameters.into() };
    let turn = Turn {
        run_id,
        session_key,
        session_id,
        workspace: dir.to_path_buf(),
        model: Resolved { provider, model: Arc::new(model) },
        system: Arc::from("You are Homard."),
        thinking: ThinkingLevel::Low,
        offered: Arc::from([offered]),
        tools: Arc::new(Toolbox::default().with(Arc::new(Look))),
        policy: Arc::new(ToolPolicy::default()),
        compaction: CompactionSettings::default(),
        scope: Arc::default(),
        rules: homard_agent::Rules::default(),
        steer: homard_agent::Steering::default(),
    };
    let agent = Agent { store: store.clone(), clock };
    let ended = agent.run(&turn, &mut history, &mut |_step| {}, &CancellationToken::new()).await;
    assert!(matches!(ended.how, TurnEndKind::Done), "{:?}", ended.how);
    store.close().await;
    std::mem::take(&mut *scripted.asked.lock())
}

/// Where a body keeps its conversation.
fn messages(body: &mut Value) -> Vec<Value> {
    // The API behind a Google login has what others send in an envelope.
    let body = if body.get("request").is_some() { &mut body["request"] } else { body };
    let field = ["messages", "contents", "input"].into_iter().find(|field| body.get(field).is_some());
    let list = body[field.expect("a body has a conversation")].take();
    serde_json::from_value(list).unwrap()
}

/// Takes the marks of the cache out of a value and counts them.
fn unmark(value: &mut Value) -> usize {
    let mut found = 0;
    match value {
        Value::Object(fields) => {
            found += usize::from(fields.remove("cache_control").is_some());
            found += fields.values_mut().map(unmark).sum::<usize>();
        }
        Value::Array(list) => {
            let before = list.len();
            list.retain(|value| value.get("cachePoint").is_none());
            found += before - list.len() + list.iter_mut().map(unmark).sum::<usize>();
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
    found
}

fn body(wire: &Wire, request: &Request) -> Value {
    serde_json::from_slice(&wire.body(request).unwrap()).unwrap()
}

/// Whether the last block of a message carries a mark.
fn ends_marked(message: &Value) -> bool {
    let last = message["content"].as_array().and_then(|blocks| blocks.last());
    last.is_some_and(|block| block.get("cache_control").is_some() || block.get("cachePoint").is_some())
}

#[tokio::test]
async fn every_request_begins_with_the_one_before_it() {
    for wire in TABLE {
        let dir = tempfile::tempdir().unwrap();
        let requests = requests(wire.api, dir.path()).await;
        assert_eq!(requests.len(), CALLS, "{}", wire.api);
        for pair in requests.windows(2) {
            let (mut earlier, mut later) = (body(wire, &pair[0]), body(wire, &pair[1]));
            unmark(&mut earlier);
            unmark(&mut later);
            let (before, after) = (messages(&mut earlier), messages(&mut later));
            assert!(before.len() < after.len(), "{}", wire.api);
            for (one, other) in before.iter().zip(&after) {
                assert_eq!(one.to_string(), other.to_string(), "{}", wire.api);
            }
            // Everything that is not the conversation, in the same order and spelling.
            assert_eq!(earlier.to_string(), later.to_string(), "{}", wire.api);
        }
    }
}

#[tokio::test]
async fn marks_sit_where_the_last_request_ended() {
    for api in ["anthropic-messages", "bedrock-converse-stream"] {
        let wire = homard_llm::wire::find(api).unwrap();
        let dir = tempfile::tempdir().unwrap();
        let requests = requests(api, dir.path()).await;
        for pair in requests.windows(2) {
            let (mut earlier, mut later) = (body(wire, &pair[0]), body(wire, &pair[1]));
            assert!(unmark(&mut later.clone()) <= MAX_MARKS, "{api}");
            assert!(unmark(&mut later["system"]) == 1, "{api}: the system prompt is marked");
            let (before, after) = (messages(&mut earlier), messages(&mut later));
            assert!(ends_marked(before.last().unwrap()), "{api}");
            assert!(ends_marked(after.last().unwrap()), "{api}: what is new is kept");
            assert!(ends_marked(&after[before.len() - 1]), "{api}: what was kept is found");
        }
    }
}
