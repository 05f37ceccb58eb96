//! A relay in a temporary folder, a platform and a model that do as they are told. Tests only.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::{self, BoxStream};
use homard_channel::{
    Abilities, Ability, Act, Address, Attachment, Channel, ChannelError, ChatKind, Content, Dialect, Fetched,
    Inbound, Inbox, KnownNearby, MediaKind, Outbound, Probe, Receipt, TableMode, TextUnit, Threads,
};
use homard_config::{Config, ConfigHandle, ConfigSource, Environment, Overrides, Paths, Snapshot};
use homard_exec::Processes;
use homard_llm::{Answer, Http, LlmError, ModelSpec, Models, Provider, Request, StreamEvent};
use homard_models::auth::AuthContext;
use homard_models::budget::Ledger;
use homard_models::failover::{FailoverPolicy, Pacing};
use homard_models::router::ProfileShelf;
use homard_models::router::{LongLived, ModelRouter};
use homard_models::select::Selector;
use homard_policy::words::table::is_taken;
use homard_protocol::{
    AccountId, AssistantBlock, AssistantMessage, ChannelId, ModelId, PeerId, ProviderId, RunId, SessionKey,
    StopReason, ToolCall, ToolCallId, TurnSource,
};
use homard_runtime::{Clock, Mutex, Redactor, Tasks};
use homard_skills::Skills;
use homard_store::{OpenOptions, RunStatus, Store};
use homard_tools::{Approvals, Guards, Toolbox, Undo};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::sync::{mpsc, watch};
use tokio_util::sync::CancellationToken;

use crate::bus::Bus;
use crate::delivery::run_delivery::ReplyRoute;
use crate::relay::{Relay, RelayParts};
use crate::turns::queue::Queue;
use crate::turns::request::TurnOptions;

/// How long anything may take before a test fails.
const LIMIT: Duration = Duration::from_secs(20);

/// A relay and its folder.
pub(crate) struct World {
    pub(crate) dir: TempDir,
    pub(crate) relay: Relay,
    pub(crate) store: Store,
    pub(crate) talker: Arc<Talker>,
    pub(crate) clock: Clock,
}

impl World {
    pub(crate) fn new(extra: Value) -> Self {
        Self::with_tools(extra, Toolbox::default())
    }

    /// The same where the model may use tools.
    pub(crate) fn with_tools(extra: Value, tools: Toolbox) -> Self {
        Self::with_clock(extra, tools, Clock::system())
    }

    /// The same by another clock.
    pub(crate) fn with_clock(extra: Value, tools: Toolbox, clock: Clock) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let workspace = dir.path().join("workspace");
        std::fs::create_dir_all(&workspace).unwrap();
        let mut config = json!({"agents": {"defaults": {"model": "test/talker", "workspace": workspace}}});
        merge(&mut config, extra);
        std::fs::write(dir.path().join("homard.json"), config.to_string()).unwrap();
        Self::open(dir, tools, clock)
    }

    fn open(dir: TempDir, tools: Toolbox, clock: Clock) -> Self {
        let paths = Paths::under(dir.path());
        std::fs::create_dir_all(paths.config_path.parent().unwrap()).unwrap();
        if !paths.config_path.exists() {
            std::fs::copy(dir.path().join("homard.json"), &paths.config_path).unwrap();
        }
        let source = ConfigSource::isolated(paths.clone(), Environment::default(), clock.clone());
        let config = ConfigHandle::open(source).unwrap();
        let store = Store::open(OpenOptions {
            database: paths.database(),
            agents_dir: paths.agents_dir(),
            clock: clock.clone(),
        })
        .unwrap();
        let talker = Arc::new(Talker::default());
        let relay = Relay::new(RelayParts {
            config: config.clone(),
            store: store.clone(),
            router: router(&config, &clock, &talker),
            tools,
            bus: Bus::default(),
            clock: clock.clone(),
            approvals: Approvals::default(),
            skills: Skills::new(config, is_taken),
            guards: Guards::default(),
            undo: Undo::new(paths.undo_dir(), clock.clone()),
            processes: Processes::new(clock.clone()),
            channel_names: Vec::new(),
        });
        Self { dir, relay, store, talker, clock }
    }

    /// Ends as a process that is killed does, and starts again.
    pub(crate) async fn crash(self) -> Self {
        let Self { dir, relay, store, clock, .. } = self;
        // From here on nothing is written any more, whatever the tasks of the old relay still try.
        store.close().await;
        drop(relay);
        Self::open(dir, Toolbox::default(), clock)
    }

    /// Somebody asks on a platform; the answer goes to `address`.
    pub(crate) async fn asks(&self, run: &str, text: &str, address: &Address) -> RunId {
        self.asks_as(run, text, address, Queue::Wait).await
    }

    /// The same, to wait as `queue` says.
    pub(crate) async fn asks_as(&self, run: &str, text: &str, address: &Address, queue: Queue) -> RunId {
        let route = ReplyRoute {
            address: address.clone(),
            message_id: Some(format!("m-{run}")),
            was_mentioned: true,
            is_owner: true,
        };
        let key = SessionKey::parse("agent:main:main").unwrap();
        let message = Inbound::from_operator(key, run.to_owned(), text.to_owned(), 1);
        let options = TurnOptions { reply: Some(Box::new(route)), ..TurnOptions::of(TurnSource::Agent) };
        self.relay.accept(message, options, queue).await.unwrap();
        RunId::parse(run).unwrap()
    }

    /// Waits until the turn of a run has begun.
    pub(crate) async fn begun(&self, run: &RunId) {
        while self.store.runs().get(run).await.unwrap().is_none_or(|run| run.status == RunStatus::Queued) {
            tokio::task::yield_now().await;
        }
    }

    /// Waits until a run is over.
    pub(crate) async fn ended(&self, run: &RunId) {
        drop(self.relay.turns().wait(run, LIMIT).await);
    }
}

/// The settings of somebody who wrote this.
pub(crate) fn config(written: &Value) -> Config {
    let dir = tempfile::tempdir().unwrap();
    let paths = Paths::under(dir.path());
    std::fs::create_dir_all(paths.config_source().parent().unwrap()).unwrap();
    std::fs::write(paths.config_source(), written.to_string()).unwrap();
    let source = ConfigSource::isolated(paths, Environment::default(), Clock::system());
    let snapshot = Snapshot::load(&source, &Overrides::default());
    let issues = snapshot.issues;
    (*snapshot.config.unwrap_or_else(|| panic!("{issues:?}"))).clone()
}

fn merge(into: &mut Value, from: Value) {
    match (into, from) {
        (Value::Object(into), Value::Object(from)) => {
            for (key, value) in from {
                merge(into.entry(key).or_insert(Value::Null), value);
            }
        }
        (into, from) => *into = from,
    }
}

fn router(config: &ConfigHandle, clock: &Clock, talker: &Arc<Talker>) -> ModelRouter {
    let (current, http, tasks) = (config.current(), Http::default(), Tasks::new());
    let cx = AuthContext { clock: clock.clone(), http: http.clone(), tasks, secrets: Redactor::default() };
    let agent_dir = current.agents.default_agent().agent_dir.clone();
    let lasting = LongLived {
        discovery: None,
        ledger: Ledger::new(current.budgets.clone(), clock.clone(), jiff::tz::TimeZone::UTC),
        profiles: ProfileShelf::new(Box::new(move |_| agent_dir.clone()), &current, cx),
        pacing: Pacing::default(),
        policy: FailoverPolicy::default(),
        clock: clock.clone(),
    };
    let spec = ModelSpec::new(provider_id(), ModelId::parse("talker").unwrap(), "openai-responses");
    let models = Models::new(Vec::new(), &http, clock).with_provider(Arc::clone(talker) as _, vec![spec]);
    ModelRouter::new(models, BTreeMap::new(), &[], Selector::new(&current), lasting)
}

fn provider_id() -> ProviderId {
    ProviderId::parse("test").unwrap()
}

/// A model that says what a test says.
pub(crate) struct Talker {
    id: ProviderId,
    scripts: Mutex<VecDeque<Script>>,
    asked: Mutex<Vec<Request>>,
}

/// An answer.
enum Script {
    Says(mpsc::Receiver<String>),
    Calls(ToolCall),
}

impl Default for Talker {
    fn default() -> Self {
        Self { id: provider_id(), scripts: Mutex::default(), asked: Mutex::default() }
    }
}

impl Talker {
    /// The next answer, said piece by piece; it ends when the sender is dropped.
    pub(crate) fn next(&self) -> mpsc::Sender<String> {
        let (say, said) = mpsc::channel(64);
        self.scripts.lock().push_back(Script::Says(said));
        say
    }

    /// The next answer: a call of a tool.
    pub(crate) fn calls(&self, name: &str, arguments: Value) {
        let id = ToolCallId::parse("call").unwrap();
        let call = ToolCall { id, name: name.to_owned(), arguments, thought_signature: None };
        self.scripts.lock().push_back(Script::Calls(call));
    }

    /// What it was asked so far.
    pub(crate) fn asked(&self) -> Vec<Request> {
        self.asked.lock().clone()
    }

    /// The next answer, said at once.
    pub(crate) fn says(&self, text: &str) {
        self.next().try_send(text.to_owned()).unwrap();
    }
}

impl Provider for Talker {
    fn id(&self) -> &ProviderId {
        &self.id
    }

    fn stream(&self, request: Request, cancel: CancellationToken) -> BoxStream<'static, StreamEvent> {
        self.asked.lock().push(request.clone());
        let said = match self.scripts.lock().pop_front() {
            Some(Script::Calls(call)) => return called(call, &request.model),
            Some(Script::Says(said)) => Some(said),
            None => None,
        };
        let state = (said, String::new(), cancel, request.model, false);
        let events = stream::unfold(state, |(mut said, mut whole, cancel, model, over)| async move {
            if over {
                return None;
            }
            let Some(line) = &mut said else {
                let failed =
                    StreamEvent::Failed(LlmError::new(homard_llm::FailReason::Format, "nothing to say"));
                return Some((failed, (said, whole, cancel, model, true)));
            };
            let next = tokio::select! {
                biased;
                () = cancel.cancelled() => {
                    let failed = StreamEvent::Failed(LlmError::aborted());
                    return Some((failed, (said, whole, cancel, model, true)));
                }
                next = line.recv() => next,
            };
            match next {
                Some(text) => {
                    whole.push_str(&text);
                    Some((StreamEvent::Text(text), (said, whole, cancel, model, false)))
                }
                None => {
                    let mut message = AssistantMessage::injected(whole.clone(), StopReason::Stop, 1);
                    message.provider = model.provider.to_string();
                    message.model = model.id.to_string();
                    Some((StreamEvent::Done(Answer { message }), (said, whole, cancel, model, true)))
                }
            }
        });
        stream::once(async { StreamEvent::Start }).chain(events).boxed()
    }
}

/// An answer that is nothing but a call.
fn called(call: ToolCall, model: &ModelSpec) -> BoxStream<'static, StreamEvent> {
    let mut message = AssistantMessage::injected(String::new(), StopReason::ToolUse, 1);
    message.content = vec![AssistantBlock::ToolCall(call)];
    message.provider = model.provider.to_string();
    message.model = model.id.to_string();
    stream::iter([StreamEvent::Start, StreamEvent::Done(Answer { message })]).boxed()
}

/// How listening goes.
#[derive(Debug)]
pub(crate) enum Line {
    Breaks(ChannelError),
    /// It lives until it is cancelled.
    Lives,
    /// Nothing is ever heard.
    Dead,
    /// The adapter has a bug.
    Panics,
}

/// A text that no adapter can send without a bug showing.
pub(crate) const BUG: &str = "a bug in the adapter";

/// A text that nobody ever finds again.
pub(crate) const NOWHERE: &str = "looked for without end";

/// A platform that does as it is told.
pub(crate) struct Platform {
    pub(crate) abilities: Abilities,
    answers: Mutex<VecDeque<Result<Receipt, ChannelError>>>,
    lines: Mutex<VecDeque<Line>>,
    pub(crate) listened: watch::Sender<usize>,
    sent: watch::Sender<Vec<Outbound>>,
    pub(crate) typed: watch::Sender<usize>,
    /// How often something was looked for.
    pub(crate) looked: watch::Sender<usize>,
}

pub(crate) fn abilities() -> Abilities {
    Abilities {
        chats: &[ChatKind::Direct, ChatKind::Group],
        text_limit: 200,
        unit: TextUnit::Chars,
        caption_limit: Some(50),
        dialect: Dialect::Plain,
        tables: TableMode::Code,
        threads: Threads::None,
        typing: Some(Duration::from_secs(5)),
        media: &[MediaKind::Image, MediaKind::Document],
        media_in_limit: 1_000,
        polls: None,
        native_commands: None,
        acts: &[Act::Reply, Act::React],
        dedupes_sends: Ability::Lacks,
        native_mentions: Ability::Lacks,
        coalesce: None,
        silence_limit: Duration::from_secs(600),
    }
}

/// The same for a platform whose messages can be changed.
pub(crate) fn editable() -> Abilities {
    Abilities { acts: &[Act::Reply, Act::React, Act::Edit, Act::Delete], ..abilities() }
}

pub(crate) fn address(to: &str) -> Address {
    Address {
        channel: ChannelId::parse("fake").unwrap(),
        account: AccountId::default_account(),
        chat: ChatKind::Direct,
        to: PeerId::parse(to).unwrap(),
        thread: None,
    }
}

impl Platform {
    pub(crate) fn new(abilities: Abilities) -> Arc<Self> {
        Arc::new(Self {
            abilities,
            answers: Mutex::default(),
            lines: Mutex::default(),
            listened: watch::Sender::new(0),
            sent: watch::Sender::new(Vec::new()),
            typed: watch::Sender::new(0),
            looked: watch::Sender::new(0),
        })
    }

    /// How the next message is taken.
    pub(crate) fn answers(&self, answer: Result<Receipt, ChannelError>) {
        self.answers.lock().push_back(answer);
    }

    /// How the next connection goes.
    pub(crate) fn line(&self, line: Line) {
        self.lines.lock().push_back(line);
    }

    /// What was handed over so far.
    pub(crate) fn sent(&self) -> Vec<Outbound> {
        self.sent.borrow().clone()
    }

    /// The same in short, once there are `count`.
    pub(crate) async fn told(&self, count: usize) -> Vec<String> {
        let mut sent = self.sent.subscribe();
        let enough = tokio::time::timeout(LIMIT, sent.wait_for(|sent| sent.len() >= count)).await;
        let sent = self.sent();
        assert!(enough.is_ok(), "only {} of {count} messages: {sent:?}", sent.len());
        sent.iter().map(|outbound| short(&outbound.content)).collect()
    }
}

fn short(content: &Content) -> String {
    match content {
        Content::Text { words, .. } => words.plain.clone(),
        Content::Media { file, caption } => format!("<{}> {}", file.name, caption.plain),
        Content::Edit { message_id, words, .. } => format!("edit {message_id}: {}", words.plain),
        Content::Delete { message_id } => format!("delete {message_id}"),
        Content::React { message_id, emoji } => {
            format!("react {message_id} {}", emoji.as_deref().unwrap_or("none"))
        }
        other => format!("{other:?}"),
    }
}

/// A platform behind a pointer that tests keep.
pub(crate) struct Shared(pub(crate) Arc<Platform>);

impl Channel for Shared {
    fn id(&self) -> ChannelId {
        ChannelId::parse("fake").unwrap()
    }

    fn account(&self) -> AccountId {
        AccountId::default_account()
    }

    fn abilities(&self) -> Abilities {
        self.0.abilities
    }

    async fn listen(&self, inbox: Inbox, cancel: CancellationToken) -> Result<(), ChannelError> {
        let line = self.0.lines.lock().pop_front();
        self.0.listened.send_modify(|times| *times += 1);
        match line.unwrap_or(Line::Lives) {
            Line::Breaks(error) => return Err(error),
            Line::Lives => inbox.alive(),
            Line::Dead => {}
            Line::Panics => panic!("as asked for"),
        }
        cancel.cancelled().await;
        Ok(())
    }

    async fn deliver(&self, outbound: Outbound) -> Result<Receipt, ChannelError> {
        if matches!(outbound.content, Content::Typing { .. }) {
            self.0.typed.send_modify(|times| *times += 1);
            return Ok(Receipt::default());
        }
        assert!(short(&outbound.content) != BUG, "as asked for");
        let planned = self.0.answers.lock().pop_front();
        let number = self.0.sent.borrow().len() + 1;
        let answer = planned.unwrap_or_else(|| Ok(Receipt { message_id: number.to_string(), went_to: None }));
        self.0.sent.send_modify(|sent| sent.push(outbound));
        answer
    }

    async fn find_sent(
        &self,
        outbound: Outbound,
        _known: KnownNearby,
    ) -> Result<Option<Receipt>, ChannelError> {
        self.0.looked.send_modify(|times| *times += 1);
        match short(&outbound.content).as_str() {
            NOWHERE => std::future::pending().await,
            BUG => panic!("as asked for"),
            _ => Ok(None),
        }
    }

    async fn fetch(&self, _file: Attachment, limit: u64) -> Result<Fetched, ChannelError> {
        Err(ChannelError::TooLarge { size: limit + 1, limit })
    }

    async fn probe(&self) -> Result<Probe, ChannelError> {
        Ok(Probe { username: Some("homard_bot".to_owned()), ..Probe::default() })
    }
}
