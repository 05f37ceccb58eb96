//! A fake server, a registry pointing at it, and short words for asking.

use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use homard_llm::wire::TABLE;
use homard_llm::{
    ApiKey, Credential, CredentialKind, Http, HttpOptions, InputKind, LlmError, ModelSpec, Models, Price,
    ProviderSpec, Request, Resolved, StreamEvent, ThinkingLevel, ToolSpec,
};
use homard_protocol::{AssistantMessage, Message, ModelId, ModelRef, ProviderId};
use homard_runtime::Clock;
use homard_testkit::FakeLlm;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

/// Every API, so that every test drives all.
pub(crate) const APIS: [&str; TABLE.len()] = {
    let mut names = [""; TABLE.len()];
    let mut n = 0;
    while n < TABLE.len() {
        names[n] = TABLE[n].api;
        n += 1;
    }
    names
};
pub(crate) const KEY: &str = "test-key-do-not-print";
/// The time every answer is stamped with.
pub(crate) const NOW: i64 = 1_700_000_000_000;

pub(crate) struct World {
    pub(crate) fake: FakeLlm,
    pub(crate) api: &'static str,
    pub(crate) model: Resolved,
}

impl World {
    pub(crate) async fn start(api: &'static str) -> Self {
        Self::start_with(api, HttpOptions::default()).await
    }

    pub(crate) async fn start_with(api: &'static str, options: HttpOptions) -> Self {
        let fake = FakeLlm::start().await.unwrap();
        let base = fake.base_url(api);
        let model = resolve(api, &base, options);
        Self { fake, api, model }
    }

    pub(crate) fn request(&self, text: &str) -> Request {
        self.conversation(vec![user(text)])
    }

    pub(crate) fn conversation(&self, messages: Vec<Value>) -> Request {
        let message = |value| Arc::new(serde_json::from_value::<Message>(value).unwrap());
        Request {
            model: Arc::clone(&self.model.model),
            system: Arc::from("You are Homard."),
            messages: messages.into_iter().map(message).collect(),
            tools: Arc::from([read_tool()]),
            max_tokens: None,
            sampling: homard_llm::Sampling::default(),
            thinking: ThinkingLevel::Off,
            credential: self.credential(),
            session: None,
            program_dir: None,
        }
    }

    /// What is more than a key: one API has every call name who pays.
    fn credential(&self) -> Option<Arc<Credential>> {
        let credential = Credential {
            kind: CredentialKind::OAuth,
            secret: Some(ApiKey::new(KEY)),
            project: Some("fake-project".to_owned()),
            ..Credential::default()
        };
        (self.api == "google-gemini-cli").then(|| Arc::new(credential))
    }

    /// Asks and returns everything that came, with the last event taken apart.
    pub(crate) async fn ask(
        &self,
        request: Request,
    ) -> (Vec<StreamEvent>, Result<AssistantMessage, LlmError>) {
        let mut events: Vec<_> =
            self.model.provider.stream(request, CancellationToken::new()).collect().await;
        let end = match events.pop() {
            Some(StreamEvent::Done(answer)) => Ok(answer.message),
            Some(StreamEvent::Failed(error)) => Err(error),
            other => panic!("the stream ended with {other:?}"),
        };
        let ends = |event: &StreamEvent| matches!(event, StreamEvent::Done(_) | StreamEvent::Failed(_));
        assert!(!events.iter().any(ends), "a stream ends once");
        (events, end)
    }
}

pub(crate) fn resolve(api: &str, base: &str, options: HttpOptions) -> Resolved {
    let id = ProviderId::parse("fake").unwrap();
    let mut model = ModelSpec::new(id.clone(), ModelId::parse("fake-1").unwrap(), api);
    model.reasoning = true;
    model.input.push(InputKind::Image);
    model.price = Price { input: 1.0, output: 10.0, cache_read: 0.1, cache_write: 1.25 };
    let mut spec = ProviderSpec::new(id, api, base);
    spec.api_key = Some(ApiKey::new(KEY));
    spec.models.push(model);
    let clock = Clock::fixed(NOW);
    let models = Models::new(vec![spec], &Http::new(options, clock.clone()), &clock);
    models.resolve(&ModelRef::parse("fake/fake-1").unwrap()).unwrap()
}

/// Limits small enough to be met in a test; the fake never answers, so no test depends on how small.
pub(crate) fn hasty() -> HttpOptions {
    let short = Duration::from_millis(200);
    HttpOptions {
        connect_timeout: short,
        first_byte_timeout: short,
        stall_timeout: short,
        ..HttpOptions::default()
    }
}

pub(crate) fn user(text: &str) -> Value {
    json!({"role": "user", "content": text, "timestamp": 1})
}

pub(crate) fn read_tool() -> ToolSpec {
    ToolSpec {
        name: "read".to_owned(),
        description: "Reads a file.".to_owned(),
        parameters:
            json!({"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}).into(),
    }
}

/// The streamed text.
pub(crate) fn text(events: &[StreamEvent]) -> String {
    let text =
        |event: &StreamEvent| if let StreamEvent::Text(text) = event { Some(text.clone()) } else { None };
    events.iter().filter_map(text).collect()
}
