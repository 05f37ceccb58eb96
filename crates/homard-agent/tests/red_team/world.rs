//! A workspace, a web, an owner who answers questions, and a model that does what it is told.

use std::collections::{BTreeMap, VecDeque};
use std::path::PathBuf;
use std::sync::Arc;

use futures_util::StreamExt;
use futures_util::future::BoxFuture;
use futures_util::stream::{self, BoxStream};
use homard_agent::{Agent, CompactionSettings, History, Rules, Steering, Step, Turn, TurnEndKind};
use homard_config::config::tools::web::{SearchEngine, SearchProvider, WebSearch, WebTools};
use homard_exec::{BuiltEnv, Processes};
use homard_llm::{
    Answer, ModelSpec, Provider, Request, Resolved, StreamEvent, ThinkingLevel, ToolSpec as OfferedSpec,
};
use homard_protocol::methods::approvals::ApprovalDecision;
use homard_protocol::{
    AgentId, AssistantBlock, AssistantMessage, EntryKind, Message, ModelId, ProviderId, RunId, SessionId,
    SessionKey, StopReason, ToolCall, ToolCallId, UserContent, UserMessage, Word,
};
use homard_runtime::{Clock, Mutex};
use homard_store::{FinishRun, NewRun, OpenOptions, RunStatus, StartRun, Store};
use homard_testkit::{FakeWeb, SearchAnswer, WebPage};
use homard_tools::{
    ApplyPatchOptions, Approvals, DynTool, Effect, GatePolicy, Guards, Label, Ports, Question, Scope, Source,
    TaintedFiles, ToolCx, ToolOptions, ToolOutcome, ToolPolicy, ToolSpec, Toolbox, WebOptions,
};
use jiff::tz::TimeZone;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

pub(crate) const NOW: i64 = 1_700_000_000_000;
/// A key of the owner's that the house knows.
pub(crate) const SECRET: &str = "homard-key-9f8e7d6c5b4a";
/// Tools that need more of the house than this crate has.
const STAND_INS: [&str; 6] = ["cron", "gateway", "message", "nodes", "sessions_send", "sessions_spawn"];

/// A tool that only counts how often it ran.
struct StandIn {
    name: &'static str,
    ran: Arc<Mutex<Vec<String>>>,
}

impl DynTool for StandIn {
    fn spec(&self) -> ToolSpec {
        spec(self.name)
    }

    fn call<'a>(&'a self, arguments: Value, _cx: &'a ToolCx) -> BoxFuture<'a, ToolOutcome> {
        self.ran.lock().push(format!("{} {arguments}", self.name));
        Box::pin(async { ToolOutcome::text("done") })
    }
}

/// A tool of somebody else's server, which answers what the attacker likes.
struct Lookup {
    says: Arc<Mutex<String>>,
}

impl DynTool for Lookup {
    fn spec(&self) -> ToolSpec {
        spec("lookup")
    }

    fn reach(&self) -> Effect {
        Effect::Looks
    }

    fn call<'a>(&'a self, _arguments: Value, _cx: &'a ToolCx) -> BoxFuture<'a, ToolOutcome> {
        let text = self.says.lock().clone();
        let label = Label::new(Source::Tool, "of the server weather");
        Box::pin(async move { ToolOutcome::text(text).from_others(label) })
    }
}

fn spec(name: &str) -> ToolSpec {
    ToolSpec {
        name: name.to_owned(),
        description: "Does it.".to_owned(),
        parameters: json!({"type": "object"}),
        parallel: false,
    }
}

/// The tools of one answer, with their arguments.
type Calls = Vec<(String, Value)>;

/// What the model does: one list of calls per answer, then a last word.
#[derive(Clone, Default)]
pub(crate) struct Obedient {
    id: Option<ProviderId>,
    next: Arc<Mutex<VecDeque<Calls>>>,
    calls: Arc<Mutex<usize>>,
    /// Everything it was told in the last request.
    pub(crate) told: Arc<Mutex<String>>,
}

impl Provider for Obedient {
    fn id(&self) -> &ProviderId {
        self.id.as_ref().unwrap()
    }

    fn stream(&self, request: Request, _cancel: CancellationToken) -> BoxStream<'static, StreamEvent> {
        let said: Vec<String> = request.messages.iter().map(|message| message.text()).collect();
        *self.told.lock() = format!("{}\n{}", request.system, said.join("\n"));
        let mut message = AssistantMessage::injected("done".to_owned(), StopReason::Stop, NOW);
        // Without tools it is asked for a summary.
        let calls = if request.tools.is_empty() { None } else { self.next.lock().pop_front() };
        for (name, arguments) in calls.into_iter().flatten() {
            let mut count = self.calls.lock();
            *count += 1;
            message.content.push(AssistantBlock::ToolCall(ToolCall {
                id: ToolCallId::parse(&format!("call-{count}")).unwrap(),
                name,
                arguments,
                thought_signature: None,
            }));
        }
        stream::iter([StreamEvent::Start, StreamEvent::Done(Answer { message })]).boxed()
    }
}

/// What came of one message.
#[derive(Debug, Default)]
pub(crate) struct Heard {
    /// What tools answered, in order.
    pub(crate) results: Vec<(String, bool)>,
    /// What was told while they ran.
    pub(crate) progress: String,
    /// Whether the conversation was summarised.
    pub(crate) compacted: bool,
}

pub(crate) struct World {
    pub(crate) home: TempDir,
    pub(crate) store: Store,
    pub(crate) web: FakeWeb,
    pub(crate) evil: FakeWeb,
    pub(crate) model: Obedient,
    pub(crate) gate: GatePolicy,
    pub(crate) guards: Guards,
    pub(crate) compaction: CompactionSettings,
    /// What the owner says to every question.
    pub(crate) verdict: Arc<Mutex<ApprovalDecision>>,
    pub(crate) asked: Arc<Mutex<Vec<Question>>>,
    pub(crate) ran: Arc<Mutex<Vec<String>>>,
    pub(crate) lookup_says: Arc<Mutex<String>>,
    approvals: Approvals,
    tools: Arc<Toolbox>,
    histories: BTreeMap<String, History>,
    pub(crate) sessions: BTreeMap<String, SessionId>,
    runs: usize,
}

impl World {
    pub(crate) async fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        let store = Store::open(OpenOptions {
            database: home.path().join("state/homard.sqlite"),
            agents_dir: home.path().join("agents"),
            clock: Clock::fixed(NOW),
        });
        std::fs::create_dir(home.path().join("workspace")).unwrap();
        let (web, evil) = (FakeWeb::start().await.unwrap(), FakeWeb::start().await.unwrap());
        let (ran, lookup_says) = (Arc::default(), Arc::default());
        let tools = toolbox(&home, &[&web, &evil], &ran, &lookup_says);
        let guards = Guards {
            files: TaintedFiles::kept_in(home.path().join("state/taint/files.json")),
            ..Guards::default()
        };
        guards.secrets.keep([SECRET]);
        let (asked, verdict) = (Arc::default(), Arc::new(Mutex::new(ApprovalDecision::Deny)));
        Self {
            store: store.unwrap(),
            approvals: owner(&asked, &verdict),
            model: Obedient { id: Some(ProviderId::parse("played").unwrap()), ..Obedient::default() },
            gate: GatePolicy::default(),
            compaction: CompactionSettings::default(),
            histories: BTreeMap::new(),
            sessions: BTreeMap::new(),
            runs: 0,
            home,
            web,
            evil,
            guards,
            verdict,
            asked,
            ran,
            lookup_says,
            tools,
        }
    }

    pub(crate) fn workspace(&self) -> PathBuf {
        self.home.path().join("workspace")
    }

    /// Forgets everything that is not on the disk.
    pub(crate) fn restart(&mut self) {
        self.histories.clear();
        let files = TaintedFiles::kept_in(self.home.path().join("state/taint/files.json"));
        self.guards = Guards { files, secrets: self.guards.secrets.clone() };
    }

    /// Puts a page on the web; answers its address.
    pub(crate) fn page(&self, path: &str, text: &str) -> String {
        let html = format!("<html><body><main><article><p>Welcome.</p>{text}</article></main></body></html>");
        self.web.page(path, WebPage::Html(html));
        self.web.url(path)
    }

    pub(crate) fn search_finds(&self, text: &str) {
        let results =
            json!({"results": [{"title": "A page", "url": "https://example.org/", "content": text}]});
        self.web.answers(SearchAnswer::Says(results.to_string()));
    }

    /// The questions since the last time.
    pub(crate) fn questions(&self) -> Vec<Question> {
        std::mem::take(&mut *self.asked.lock())
    }

    pub(crate) async fn owner_says(
        &mut self,
        session: &str,
        text: &str,
        answers: Vec<Vec<(&str, Value)>>,
    ) -> Heard {
        self.say(session, text, &[], answers).await
    }

    /// Somebody says something, and the model makes these calls, one list after the other.
    pub(crate) async fn say(
        &mut self,
        session: &str,
        text: &str,
        labels: &[Label],
        answers: Vec<Vec<(&str, Value)>>,
    ) -> Heard {
        let named = |calls: Vec<(&str, Value)>| calls.into_iter().map(|(n, a)| (n.to_owned(), a)).collect();
        *self.model.next.lock() = answers.into_iter().map(named).collect();
        self.runs += 1;
        let run_id = RunId::parse(&format!("run-{}", self.runs)).unwrap();
        let session_key = SessionKey::parse(&format!("agent:main:{session}")).unwrap();
        let run = NewRun {
            run_id: run_id.clone(),
            session_key: session_key.clone(),
            agent_id: AgentId::main(),
            source: Word::of("webchat"),
            message: "{}".to_owned(),
            inbox: Vec::new(),
        };
        self.store.runs().accept(run).await.unwrap();
        let content = UserContent::Text(text.to_owned());
        let message = UserMessage { content, timestamp: NOW, idempotency_key: None };
        let before = if labels.is_empty() { Vec::new() } else { vec![Label::entry(labels)] };
        let start = StartRun {
            shown: None,
            run_id: run_id.clone(),
            message: message.clone(),
            before,
            is_unasked: false,
            cwd: ".".to_owned(),
            patch: None,
            merged: Vec::new(),
        };
        let started = self.store.runs().start(start).await.unwrap();
        let session_id = started.session.session_id.clone();
        self.sessions.insert(session.to_owned(), session_id.clone());
        let mut history = match self.histories.remove(session) {
            Some(mut kept) if kept.is_at(&session_id, started.seq) => {
                kept.record(Message::User(message), started.seq);
                kept
            }
            _ => {
                let context = self.store.transcripts().context(&session_id).await.unwrap();
                History::new(session_id.clone(), context, TimeZone::UTC)
            }
        };
        let turn = self.turn(run_id.clone(), session_key, session_id, &history);
        let heard = self.run(&turn, &mut history).await;
        let finish = FinishRun {
            entries: vec![EntryKind::Message {
                message: Message::Assistant(AssistantMessage::injected(
                    "done".to_owned(),
                    StopReason::Stop,
                    NOW,
                )),
            }],
            ..FinishRun::new(run_id, RunStatus::Ok)
        };
        let finished = self.store.runs().finish(finish).await.unwrap();
        history.record(
            Message::Assistant(AssistantMessage::injected("done".to_owned(), StopReason::Stop, NOW)),
            finished.appended.first().unwrap().seq,
        );
        self.histories.insert(session.to_owned(), history);
        heard
    }

    async fn run(&self, turn: &Turn, history: &mut History) -> Heard {
        let agent = Agent { store: self.store.clone(), clock: Clock::fixed(NOW) };
        let mut heard = Heard::default();
        let mut on_step = |step: Step<'_>| match step {
            Step::ToolEnd { result, .. } => {
                heard.results.push((Message::ToolResult(result.clone()).text(), result.is_error));
            }
            Step::ToolProgress { text, .. } => heard.progress.push_str(text),
            Step::Compacted { .. } => heard.compacted = true,
            _ => {}
        };
        let ended = agent.run(turn, history, &mut on_step, &CancellationToken::new()).await;
        assert!(matches!(ended.how, TurnEndKind::Done), "{:?}", ended.how);
        heard
    }

    fn turn(&self, run_id: RunId, session_key: SessionKey, session_id: SessionId, history: &History) -> Turn {
        let specs = self.tools.specs(&ToolPolicy::default(), &Ports::default());
        let offered = specs.iter().map(|spec| OfferedSpec {
            name: spec.name.clone(),
            description: String::new(),
            parameters: spec.parameters.clone().into(),
        });
        let model =
            ModelSpec::new(self.model.id().clone(), ModelId::parse("m").unwrap(), "openai-completions");
        Turn {
            run_id,
            session_key,
            session_id,
            workspace: self.workspace(),
            model: Resolved { provider: Arc::new(self.model.clone()), model: Arc::new(model) },
            system: Arc::from("You are Homard."),
            thinking: ThinkingLevel::Off,
            offered: offered.collect(),
            tools: Arc::clone(&self.tools),
            policy: Arc::default(),
            compaction: self.compaction,
            scope: Arc::new(Scope {
                approvals: self.approvals.clone(),
                taint: history.taint().clone(),
                gate: self.gate.clone(),
                guards: self.guards.clone(),
                ..Scope::default()
            }),
            rules: Rules::default(),
            steer: Steering::default(),
        }
    }
}

/// An owner who answers at once, always the same.
fn owner(asked: &Arc<Mutex<Vec<Question>>>, verdict: &Arc<Mutex<ApprovalDecision>>) -> Approvals {
    let approvals = Approvals::default();
    let (asked, verdict, answering) = (Arc::clone(asked), Arc::clone(verdict), approvals.clone());
    approvals.subscribe(move |question| {
        if question.outcome.is_none() {
            asked.lock().push(question.clone());
            let verdict = *verdict.lock();
            answering.resolve(&question.id, verdict, "owner").unwrap();
        }
    });
    approvals
}

fn toolbox(
    home: &TempDir,
    webs: &[&FakeWeb],
    ran: &Arc<Mutex<Vec<String>>>,
    says: &Arc<Mutex<String>>,
) -> Arc<Toolbox> {
    let engine = SearchEngine {
        provider: SearchProvider::Searxng,
        api_key: None,
        base_url: Some(webs[0].url("")),
        model: None,
    };
    let search =
        WebSearch { engine: Some(engine), cache_ttl: std::time::Duration::ZERO, ..WebSearch::default() };
    let path = BTreeMap::from([("PATH".to_owned(), "/usr/local/bin:/usr/bin:/bin".to_owned())]);
    let mut tools = Toolbox::new(&ToolOptions {
        home: home.path().to_owned(),
        workspace_only: false,
        env: BuiltEnv::from_base(&path),
        exec_timeout: ToolOptions::EXEC_TIMEOUT,
        exec_background_after: ToolOptions::EXEC_BACKGROUND_AFTER,
        launcher: None,
        processes: Processes::new(Clock::fixed(NOW)),
        apply_patch: Some(ApplyPatchOptions { workspace_only: false }),
        web: WebOptions {
            tools: WebTools { search, ..WebTools::default() },
            reachable: webs.iter().map(|web| web.address()).collect(),
        },
    });
    for name in STAND_INS {
        tools = tools.with(Arc::new(StandIn { name, ran: Arc::clone(ran) }));
    }
    Arc::new(tools.with(Arc::new(Lookup { says: Arc::clone(says) })))
}
