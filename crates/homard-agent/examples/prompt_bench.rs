//! What the agent itself adds to a turn, for `cargo xtask bench`: one JSON document on standard output. The
//! model is played here and answers at once; the workspace and the store are on disk.

use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::StreamExt;
use futures_util::future::BoxFuture;
use futures_util::stream::{self, BoxStream};
use homard_agent::{
    Agent, CompactionSettings, FileRules, History, Prompt, PromptInput, Rules, Steering, Surroundings, Turn,
};
use homard_llm::{Answer, ModelSpec, Provider, Request, Resolved, StreamEvent, ThinkingLevel};
use homard_protocol::{
    AgentId, AssistantBlock, AssistantMessage, Message, ModelId, ProviderId, RunId, SessionId, SessionKey,
    StopReason, ToolCall, ToolCallId, UserContent, UserMessage, Word,
};
use homard_runtime::Clock;
use homard_store::{Context, NewRun, OpenOptions, StartRun, Store};
use homard_tools::{DynTool, Ports, ToolCx, ToolOutcome, ToolPolicy, ToolSpec, Toolbox};
use jiff::tz::TimeZone;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

type Failure = Box<dyn std::error::Error>;

/// How often each is measured.
const ROUNDS: usize = 100;
/// What the assembled prompt is made of.
const FILES: usize = 7;
const SKILLS: usize = 50;
const MESSAGES: i64 = 500;
/// Calls of the turn with tools.
const CALLS: usize = 10;
/// Most time assembling may take, in milliseconds.
const ASSEMBLY_LIMIT: f64 = 3.0;
/// Most time the calls may add, in milliseconds.
const CALLS_LIMIT: f64 = 2.0;
const NOW: i64 = 1_700_000_000_000;

/// A tool that does nothing, so that only what is around it is measured.
struct Nothing;

impl DynTool for Nothing {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "nothing".to_owned(),
            description: "Does nothing.".to_owned(),
            parameters: json!({"type": "object", "properties": {}}),
            parallel: true,
        }
    }

    fn call<'a>(&'a self, _arguments: Value, _cx: &'a ToolCx) -> BoxFuture<'a, ToolOutcome> {
        Box::pin(std::future::ready(ToolOutcome::text("done")))
    }
}

/// A model that wants so many calls, then is done.
struct Played {
    id: ProviderId,
    calls: usize,
}

impl Provider for Played {
    fn id(&self) -> &ProviderId {
        &self.id
    }

    fn stream(&self, request: Request, _cancel: CancellationToken) -> BoxStream<'static, StreamEvent> {
        let is_answered = matches!(request.messages.last().map(|last| &**last), Some(Message::ToolResult(_)));
        let mut message = AssistantMessage::injected("done".to_owned(), StopReason::Stop, NOW);
        if !is_answered && self.calls > 0 {
            let call = |n: usize| {
                let id = ToolCallId::parse(&format!("call_{n}")).ok()?;
                let (name, arguments) = ("nothing".to_owned(), json!({}));
                Some(AssistantBlock::ToolCall(ToolCall { id, name, arguments, thought_signature: None }))
            };
            message.content = (0..self.calls).filter_map(call).collect();
        }
        stream::iter([StreamEvent::Start, StreamEvent::Done(Answer { message })]).boxed()
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Failure> {
    let home = tempfile::tempdir()?;
    let (unchanged, stated) = assembly(&home.path().join("workspace"))?;
    let plain = turns(&home.path().join("plain"), 0).await?;
    let busy = turns(&home.path().join("busy"), CALLS).await?;
    let added = busy - plain;
    let tables = [json!({
        "title": "Around the model",
        "note": format!("Prompt: {FILES} workspace files, {SKILLS} skills, {MESSAGES} messages, nothing changed. Turn: {CALLS} parallel calls of a tool that does nothing, against a turn without any."),
        "columns": ["p50 ms"],
        "rows": [
            ["prompt assembly, looked at a moment ago", [unchanged]],
            ["prompt assembly, every file looked at", [stated]],
            ["ten parallel calls, added to a turn", [added]],
        ],
    })];
    let promises = [
        json!({"what": "prompt assembly, unchanged, p50", "value": stated, "unit": "ms", "atMost": ASSEMBLY_LIMIT}),
        json!({"what": "ten parallel tool calls, added to a turn, p50", "value": added, "unit": "ms", "atMost": CALLS_LIMIT}),
    ];
    writeln!(std::io::stdout(), "{}", json!({"tables": tables, "promises": promises}))?;
    Ok(())
}

/// The median of a prompt made again: without looking at the files, and with.
fn assembly(workspace: &Path) -> Result<(f64, f64), Failure> {
    std::fs::create_dir_all(workspace)?;
    for name in ["AGENTS.md", "SOUL.md", "TOOLS.md", "IDENTITY.md", "USER.md", "HEARTBEAT.md", "MEMORY.md"] {
        std::fs::write(workspace.join(name), "A line of some length that says something.\n".repeat(40))?;
    }
    let skill = |n| {
        format!(
            "<skill><name>skill-{n}</name><description>What it is for, in a sentence.</description><location>~/skills/skill-{n}/SKILL.md</location></skill>\n"
        )
    };
    let input = PromptInput {
        name: "Homard".to_owned(),
        files: FileRules {
            workspace: workspace.to_owned(),
            max_file_chars: 20_000,
            max_total_chars: 150_000,
            skip_templates: false,
        },
        surroundings: Surroundings { model: "fake/fake-1".to_owned(), ..Surroundings::default() },
        skills: Some((0..SKILLS).map(skill).collect::<String>().into()),
        ..PromptInput::default()
    };
    let tools = Toolbox::default().with(Arc::new(Nothing)).specs(&ToolPolicy::default(), &Ports::default());
    let history = history()?;
    let prompt = Prompt::default();
    prompt.build(&input, &tools)?;
    let (mut kept, mut looked) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let began = Instant::now();
        let fresh = prompt.fresh(&input, &tools);
        let messages = history.messages();
        kept.push(began.elapsed());
        drop((fresh.ok_or("the prompt was not kept")?, messages));
        prompt.forget(workspace);
        let began = Instant::now();
        let built = prompt.build(&input, &tools)?;
        let messages = history.messages();
        looked.push(began.elapsed());
        drop((built, messages));
    }
    Ok((median(kept), median(looked)))
}

fn history() -> Result<History, Failure> {
    let nothing = Context::default();
    let mut history = History::new(SessionId::parse("bench")?, nothing, TimeZone::UTC);
    for seq in 1..=MESSAGES {
        let message = if seq % 2 == 1 {
            Message::User(user())
        } else {
            Message::Assistant(AssistantMessage::injected("An answer. ".repeat(20), StopReason::Stop, NOW))
        };
        history.record(message, seq);
    }
    Ok(history)
}

fn user() -> UserMessage {
    let content = UserContent::Text("A question. ".repeat(10));
    UserMessage { content, timestamp: NOW, idempotency_key: None }
}

/// The median of a turn with so many calls.
async fn turns(home: &Path, calls: usize) -> Result<f64, Failure> {
    let store = Store::open(OpenOptions {
        database: home.join("state/homard.sqlite"),
        agents_dir: home.join("agents"),
        clock: Clock::fixed(NOW),
    })?;
    let id = ProviderId::parse("played")?;
    let model = Arc::new(ModelSpec::new(id.clone(), ModelId::parse("fake-1")?, "openai-completions"));
    let model = Resolved { provider: Arc::new(Played { id, calls }), model };
    let mut took = Vec::new();
    for round in 0..ROUNDS {
        took.push(turn(&store, &model, home, round).await?);
    }
    store.close().await;
    Ok(median(took))
}

async fn turn(store: &Store, model: &Resolved, home: &Path, round: usize) -> Result<Duration, Failure> {
    let run_id = RunId::parse(&format!("run-{round}"))?;
    // Each turn has a conversation of its own, so that none is longer than the others.
    let session_key = SessionKey::parse(&format!("agent:main:bench-{round}"))?;
    let run = NewRun {
        run_id: run_id.clone(),
        session_key: session_key.clone(),
        agent_id: AgentId::main(),
        source: Word::of("bench"),
        message: "{}".to_owned(),
        inbox: Vec::new(),
    };
    store.runs().accept(run).await?;
    let start = StartRun {
        shown: None,
        run_id: run_id.clone(),
        message: user(),
        cwd: ".".to_owned(),
        patch: None,
        merged: Vec::new(),
        before: Vec::new(),
        is_unasked: false,
    };
    let started = store.runs().start(start).await?;
    let session_id = started.session.session_id;
    let nothing = Context { last_seq: started.seq - 1, ..Context::default() };
    let mut history = History::new(session_id.clone(), nothing, TimeZone::UTC);
    history.record(Message::User(user()), started.seq);
    let turn = Turn {
        run_id,
        session_key,
        session_id,
        workspace: home.to_owned(),
        model: model.clone(),
        system: Arc::from("You are Homard."),
        thinking: ThinkingLevel::Off,
        offered: Arc::from([]),
        tools: Arc::new(Toolbox::default().with(Arc::new(Nothing))),
        policy: Arc::new(ToolPolicy::default()),
        compaction: CompactionSettings::default(),
        scope: Arc::default(),
        rules: Rules::default(),
        steer: Steering::default(),
    };
    let agent = Agent { store: store.clone(), clock: Clock::fixed(NOW) };
    let began = Instant::now();
    let ended = agent.run(&turn, &mut history, &mut |_step| {}, &CancellationToken::new()).await;
    let took = began.elapsed();
    ended.answer.ok_or("the turn had no answer")?;
    Ok(took)
}

fn median(mut took: Vec<Duration>) -> f64 {
    took.sort();
    took.get(took.len() / 2).map_or(f64::NAN, |time| time.as_secs_f64() * 1e3)
}
