//! One conversation, the way the relay leads it: message in, turn, answer recorded.

use std::sync::Arc;

use homard_agent::{Agent, CompactionSettings, History, Rules, Step, Turn, TurnEnd, TurnEndKind};
use homard_config::config::tools::loops::{LoopDetection, LoopDetectors};
use homard_llm::{
    Http, HttpOptions, ModelSpec, Models, Provider, ProviderSpec, Resolved, ThinkingLevel,
    ToolSpec as OfferedSpec,
};
use homard_protocol::{
    AgentId, EntryKind, Message, ModelId, ModelRef, ProviderId, RunId, SessionId, SessionKey, UserContent,
    UserMessage, Word,
};
use homard_runtime::Clock;
use homard_store::{FinishRun, NewRun, OpenOptions, RunStatus, StartRun, Store};
use homard_testkit::FakeLlm;
use homard_tools::{DynTool, HookPoints, Scope, ToolCx, ToolOutcome, ToolPolicy, ToolSpec, Toolbox};
use jiff::tz::TimeZone;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

pub(crate) const NOW: i64 = 1_700_000_000_000;

/// These stories repeat themselves on purpose.
const PATIENT: LoopDetection = LoopDetection {
    history: 1,
    warning: usize::MAX,
    critical: usize::MAX,
    breaker: 1,
    detectors: LoopDetectors { generic_repeat: false, known_poll_no_progress: false, ping_pong: false },
};

/// A tool that answers as many bytes as it is asked for.
pub(crate) struct Dump;

impl DynTool for Dump {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "dump".to_owned(),
            description: "Prints.".to_owned(),
            parameters: json!({"type": "object", "properties": {"bytes": {"type": "integer"}}}),
            parallel: false,
        }
    }

    fn call<'a>(
        &'a self,
        arguments: Value,
        _cx: &'a ToolCx,
    ) -> futures_util::future::BoxFuture<'a, ToolOutcome> {
        let bytes = usize::try_from(arguments["bytes"].as_u64().unwrap_or(0)).unwrap();
        Box::pin(async move { ToolOutcome::text("result line\n".repeat(bytes.div_ceil(12))) })
    }
}

pub(crate) struct World {
    pub(crate) store: Store,
    pub(crate) settings: CompactionSettings,
    pub(crate) session: Option<SessionId>,
    pub(crate) cancel: CancellationToken,
    /// What was told of compactions: `start overflow`, `end overflow listed`, …
    pub(crate) told: Vec<String>,
    pub(crate) rules: Rules,
    pub(crate) tool: Arc<dyn DynTool>,
    /// Who has a say.
    pub(crate) hooks: HookPoints,
    model: Resolved,
    history: Option<History>,
    runs: usize,
    home: TempDir,
}

/// A model of the fake's.
pub(crate) fn model(fake: &FakeLlm) -> Resolved {
    let (id, clock) = (ProviderId::parse("fake").unwrap(), Clock::fixed(NOW));
    let mut spec = ProviderSpec::new(id.clone(), "openai-completions", fake.openai_url());
    spec.models = vec![ModelSpec::new(id, ModelId::parse("fake-1").unwrap(), "openai-completions")];
    let http = Http::new(HttpOptions::default(), clock.clone());
    Models::new(vec![spec], &http, &clock).resolve(&ModelRef::parse("fake/fake-1").unwrap()).unwrap()
}

/// A model somebody plays in the test itself.
pub(crate) fn played(provider: Arc<dyn Provider>) -> Resolved {
    let spec = ModelSpec::new(provider.id().clone(), ModelId::parse("fake-1").unwrap(), "openai-completions");
    Resolved { provider, model: Arc::new(spec) }
}

impl World {
    pub(crate) fn new(model: Resolved, window: u32) -> Self {
        let home = tempfile::tempdir().unwrap();
        let store = Store::open(OpenOptions {
            database: home.path().join("state/homard.sqlite"),
            agents_dir: home.path().join("agents"),
            clock: Clock::fixed(NOW),
        });
        Self {
            store: store.unwrap(),
            settings: CompactionSettings { window, ..CompactionSettings::default() },
            session: None,
            cancel: CancellationToken::new(),
            told: Vec::new(),
            rules: Rules { repeats: PATIENT, ..Rules::default() },
            tool: Arc::new(Dump),
            hooks: HookPoints::default(),
            model,
            history: None,
            runs: 0,
            home,
        }
    }

    /// Forgets what the lane knows, as a restart does.
    pub(crate) fn restart(&mut self) {
        self.history = None;
    }

    /// Says something and returns what came of it, recorded.
    pub(crate) async fn say(&mut self, text: &str) -> TurnEnd {
        self.runs += 1;
        let run_id = RunId::parse(&format!("run-{}", self.runs)).unwrap();
        let session_key = SessionKey::parse("agent:main:main").unwrap();
        let run = NewRun {
            run_id: run_id.clone(),
            session_key: session_key.clone(),
            agent_id: AgentId::main(),
            source: Word::of("webchat"),
            message: "{}".to_owned(),
            inbox: Vec::new(),
        };
        self.store.runs().accept(run).await.unwrap();
        let message = UserMessage {
            content: UserContent::Text(text.to_owned()),
            timestamp: NOW,
            idempotency_key: None,
        };
        let start = StartRun {
            shown: None,
            run_id: run_id.clone(),
            message: message.clone(),
            before: Vec::new(),
            is_unasked: false,
            cwd: ".".to_owned(),
            patch: None,
            merged: Vec::new(),
        };
        let started = self.store.runs().start(start).await.unwrap();
        let session_id = started.session.session_id.clone();
        self.session = Some(session_id.clone());
        let mut history = match self.history.take() {
            Some(mut kept) if kept.is_at(&session_id, started.seq) => {
                kept.record(Message::User(message), started.seq);
                kept
            }
            _ => {
                let context = self.store.transcripts().context(&session_id).await.unwrap();
                History::new(session_id.clone(), context, TimeZone::UTC)
            }
        };
        let turn = self.turn(run_id.clone(), session_key, session_id);
        let agent = Agent { store: self.store.clone(), clock: Clock::fixed(NOW) };
        let told = &mut self.told;
        let mut on_step = |step: Step<'_>| match step {
            Step::Compacting { trigger, .. } => told.push(format!("start {}", trigger.as_str())),
            Step::Compacted { trigger, listed, .. } => {
                told.push(format!("end {}{}", trigger.as_str(), if listed { " listed" } else { "" }));
            }
            _ => {}
        };
        let ended = agent.run(&turn, &mut history, &mut on_step, &self.cancel).await;
        let status = if matches!(ended.how, TurnEndKind::Done) { RunStatus::Ok } else { RunStatus::Error };
        let mut finish = FinishRun::new(run_id, status);
        let answer = ended.answer.clone().map(Message::Assistant);
        finish.entries = answer.iter().map(|m| EntryKind::Message { message: m.clone() }).collect();
        let finished = self.store.runs().finish(finish).await.unwrap();
        if let (Some(answer), Some(place)) = (answer, finished.appended.first()) {
            history.record(answer, place.seq);
        }
        self.history = Some(history);
        ended
    }

    fn turn(&self, run_id: RunId, session_key: SessionKey, session_id: SessionId) -> Turn {
        let spec = self.tool.spec();
        let offered = OfferedSpec {
            name: spec.name,
            description: spec.description,
            parameters: spec.parameters.into(),
        };
        Turn {
            run_id,
            session_key,
            session_id,
            workspace: self.home.path().to_path_buf(),
            model: self.model.clone(),
            system: Arc::from("You are Homard."),
            thinking: ThinkingLevel::Off,
            offered: Arc::from([offered]),
            tools: Arc::new(Toolbox::default().with(Arc::clone(&self.tool))),
            policy: Arc::new(ToolPolicy::default()),
            compaction: self.settings,
            scope: Arc::new(Scope { hooks: self.hooks.clone(), ..Scope::default() }),
            rules: self.rules.clone(),
            steer: homard_agent::Steering::default(),
        }
    }

    /// What a model would be told of the past now.
    pub(crate) async fn summary(&self) -> String {
        let session = self.session.as_ref().unwrap();
        self.store.transcripts().context(session).await.unwrap().summary.unwrap_or_default()
    }
}
