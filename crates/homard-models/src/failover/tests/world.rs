//! Two providers, three keys, and short words for asking.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use futures_util::stream::BoxStream;
use futures_util::{FutureExt, StreamExt};
use homard_config::config::budgets::Budgets;
use homard_llm::{
    ApiKey, CredentialKind, Http, HttpOptions, LlmError, ModelSpec, Models, NextStep, Price, Provider,
    ProviderSpec, Request, Resolved, StreamEvent, ThinkingLevel,
};
use homard_protocol::{AgentId, AssistantMessage, Message, ModelId, ModelRef, ProviderId, SessionKey};
use homard_runtime::{Clock, Mutex, Tasks};
use homard_store::CallId;
use homard_testkit::{FakeLlm, Turn};
use jiff::tz::TimeZone;
use serde_json::json;
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

use crate::auth::{AuthContext, ProfileFiles, ProfilePolicy, Profiles, ProviderAuth};
use crate::budget::{Ledger, Spender};
use crate::failover::{
    CallRecord, Caller, CallerParts, FailoverPolicy, Jitter, Meter, OpenedCall, Pacing, Pinned,
};

pub(super) const NOW: i64 = 1_700_000_000_000;
/// The two keys of provider `one`, the one of `two`, and the names they go by.
pub(super) const A: &str = "one:env";
pub(super) const B: &str = "one:env:B_KEY";
pub(super) const C: &str = "two:env";

#[derive(Debug, Default)]
pub(super) struct Counter {
    records: Mutex<Vec<CallRecord>>,
    opened: Mutex<Vec<OpenedCall>>,
}

impl Meter for Counter {
    fn opening(&self, call: OpenedCall) -> BoxFuture<'_, Option<CallId>> {
        self.opened.lock().push(call);
        std::future::ready(None).boxed()
    }

    fn call(&self, record: CallRecord) {
        self.records.lock().push(record);
    }
}

impl Counter {
    pub(super) fn records(&self) -> Vec<CallRecord> {
        self.records.lock().clone()
    }

    pub(super) fn opened(&self) -> Vec<OpenedCall> {
        self.opened.lock().clone()
    }
}

pub(super) struct World {
    pub(super) one: FakeLlm,
    pub(super) two: FakeLlm,
    pub(super) clock: Clock,
    pub(super) meter: Arc<Counter>,
    pub(super) policy: FailoverPolicy,
    pub(super) ledger: Ledger,
    models: Models,
    profiles: Profiles,
    pacing: Pacing,
    _home: TempDir,
}

impl World {
    pub(super) async fn start() -> Self {
        Self::start_with(HttpOptions::default(), Budgets::default()).await
    }

    pub(super) async fn start_with(options: HttpOptions, budgets: Budgets) -> Self {
        let (one, two) = (FakeLlm::start().await.unwrap(), FakeLlm::start().await.unwrap());
        let clock = Clock::fixed(NOW);
        let http = Http::new(options, clock.clone());
        let providers = vec![
            provider("one", "openai-completions", one.openai_url()),
            provider("two", "anthropic-messages", two.anthropic_url()),
        ];
        let models = Models::new(providers, &http, &clock);
        let home = TempDir::new().unwrap();
        let files = ProfileFiles { own: home.path().join("auth-profiles.json"), main: None };
        let cx = AuthContext {
            clock: clock.clone(),
            http,
            tasks: Tasks::new(),
            secrets: homard_runtime::Redactor::default(),
        };
        Self {
            one,
            two,
            meter: Arc::default(),
            policy: hasty(),
            ledger: Ledger::new(budgets, clock.clone(), TimeZone::UTC),
            models,
            profiles: Profiles::open(files, ProfilePolicy::default(), cx),
            pacing: Pacing::default(),
            clock,
            _home: home,
        }
    }

    /// The same world with other models.
    pub(super) fn with(self, providers: Vec<ProviderSpec>) -> Self {
        let http = Http::new(HttpOptions::default(), self.clock.clone());
        Self { models: Models::new(providers, &http, &self.clock), ..self }
    }

    /// The same world with one provider more.
    pub(super) fn with_program(self, program: Arc<dyn Provider>, model: ModelSpec) -> Self {
        Self { models: self.models.with_provider(program, vec![model]), ..self }
    }

    /// Scripts both servers.
    pub(super) fn script(&self, one: Vec<Turn>, two: Vec<Turn>) {
        for turn in one {
            self.one.turn(turn);
        }
        for turn in two {
            self.two.turn(turn);
        }
    }

    /// A caller for these models.
    pub(super) fn caller(&self, chain: &[&str]) -> Caller {
        self.pinned(chain, None)
    }

    pub(super) fn pinned(&self, chain: &[&str], pinned: Option<Pinned>) -> Caller {
        let resolve =
            |name: &&str| -> Resolved { self.models.resolve(&ModelRef::parse(name).unwrap()).unwrap() };
        Caller::new(CallerParts {
            chain: chain.iter().map(resolve).collect(),
            auth: Arc::new(auth()),
            profiles: self.profiles.clone(),
            ledger: self.ledger.clone(),
            spender: spender(),
            pinned,
            meter: Arc::<Counter>::clone(&self.meter) as Arc<dyn Meter>,
            pacing: self.pacing.clone(),
            clock: self.clock.clone(),
            policy: self.policy.clone(),
        })
    }

    /// The keys each server was asked with, in order.
    pub(super) fn keys(&self) -> (Vec<String>, Vec<String>) {
        let bearer = |request: &homard_testkit::Recorded| {
            request.header("authorization").unwrap_or_default().trim_start_matches("Bearer ").to_owned()
        };
        let header =
            |request: &homard_testkit::Recorded| request.header("x-api-key").unwrap_or_default().to_owned();
        (self.one.requests().iter().map(bearer).collect(), self.two.requests().iter().map(header).collect())
    }
}

fn provider(id: &str, api: &str, base: String) -> ProviderSpec {
    let id = ProviderId::parse(id).unwrap();
    let mut spec = ProviderSpec::new(id.clone(), api, base);
    for name in ["big", "small"] {
        let mut model = ModelSpec::new(id.clone(), ModelId::parse(name).unwrap(), api);
        model.reasoning = true;
        model.price = Price { input: 1.0, output: 10.0, cache_read: 0.1, cache_write: 1.25 };
        spec.models.push(model);
    }
    spec
}

fn auth() -> BTreeMap<ProviderId, ProviderAuth> {
    let entry = |id: &str, keys: &[(&str, &str)]| {
        let provider = ProviderId::parse(id).unwrap();
        let env = keys.iter().map(|(name, key)| ((*name).to_owned(), ApiKey::new(key))).collect();
        let auth = ProviderAuth {
            provider: provider.clone(),
            env,
            env_kind: CredentialKind::ApiKey,
            config_key: None,
            aws: false,
            keyless: false,
            oauth: None,
            exchange: None,
            base_url_template: None,
        };
        (provider, auth)
    };
    BTreeMap::from([
        entry("one", &[("A_KEY", "key-a-secret"), ("B_KEY", "key-b-secret")]),
        entry("two", &[("C_KEY", "key-c-secret")]),
        entry("anthropic", &[]),
    ])
}

pub(super) fn spender() -> Spender {
    Spender { agent: AgentId::main(), session: SessionKey::parse("agent:main:main").unwrap(), job: None }
}

/// Pauses too short to notice.
pub(super) fn hasty() -> FailoverPolicy {
    let moment = Duration::from_millis(1);
    FailoverPolicy {
        first_pause: moment,
        max_pause: moment,
        jitter: Jitter::new(|| 1.0),
        ..FailoverPolicy::default()
    }
}

/// Limits small enough to be met in a test by servers that never answer.
pub(super) fn impatient() -> HttpOptions {
    let short = Duration::from_millis(400);
    HttpOptions {
        connect_timeout: short,
        first_byte_timeout: short,
        stall_timeout: short,
        ..HttpOptions::default()
    }
}

pub(super) fn request(text: &str) -> Request {
    let provider = ProviderId::parse("one").unwrap();
    let model = ModelSpec::new(provider, ModelId::parse("big").unwrap(), "openai-completions");
    let message = json!({"role": "user", "content": text, "timestamp": 1});
    Request {
        model: Arc::new(model),
        system: Arc::from("You are Homard."),
        messages: vec![Arc::new(serde_json::from_value::<Message>(message).unwrap())],
        tools: Arc::from([]),
        max_tokens: None,
        sampling: homard_llm::Sampling::default(),
        thinking: ThinkingLevel::Off,
        credential: None,
        session: None,
        program_dir: None,
    }
}

pub(super) fn ask(caller: &Caller) -> BoxStream<'static, StreamEvent> {
    caller.stream(request("hi"), CancellationToken::new())
}

/// What came of a call.
#[derive(Debug)]
pub(super) struct Heard {
    pub(super) text: String,
    pub(super) starts: usize,
    /// Provider, profile, reason, what followed.
    pub(super) attempts: Vec<(String, Option<String>, String, NextStep)>,
    pub(super) end: Result<AssistantMessage, LlmError>,
}

pub(super) async fn hear(stream: BoxStream<'static, StreamEvent>) -> Heard {
    let mut events: Vec<StreamEvent> = stream.collect().await;
    let end = match events.pop() {
        Some(StreamEvent::Done(answer)) => Ok(answer.message),
        Some(StreamEvent::Failed(error)) => Err(error),
        other => panic!("the stream ended with {other:?}"),
    };
    let mut heard = Heard { text: String::new(), starts: 0, attempts: Vec::new(), end };
    for event in events {
        match event {
            StreamEvent::Start => heard.starts += 1,
            StreamEvent::Text(text) => heard.text.push_str(&text),
            StreamEvent::Attempt(it) => {
                heard.attempts.push((it.provider, it.profile, it.reason.to_string(), it.next));
            }
            StreamEvent::Done(_) | StreamEvent::Failed(_) => panic!("a stream ends once"),
            StreamEvent::Thinking(_)
            | StreamEvent::ToolCallStart { .. }
            | StreamEvent::ToolCallDelta { .. }
            | StreamEvent::ToolCall(_)
            | StreamEvent::Usage(_) => {}
        }
    }
    heard
}
