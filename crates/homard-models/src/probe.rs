//! Asking a provider for one word, to learn whether a credential works; and for one call of a tool, to learn what its
//! model can do.

use std::sync::Arc;
use std::time::Duration;

use futures_util::{StreamExt, stream};
use homard_config::config::agents::Agent;
use homard_llm::{
    FailReason, LlmError, Request, Resolved, StreamEvent, ThinkingLevel, ToolSpec, written_calls,
};
use homard_protocol::methods::models::auth::ProbeStatus;
use homard_protocol::{AssistantMessage, Message, ModelRef, ProviderId, UserContent, UserMessage};
use homard_runtime::Clock;
use tokio_util::sync::CancellationToken;

use crate::auth::{Candidate, Profiles, ProviderAuth, Source};
use crate::router::ModelRouter;

/// How long one answer may take.
pub const PROBE_TIMEOUT: Duration = Duration::from_secs(20);
/// How many credentials are tried at once.
pub const PROBES_AT_ONCE: usize = 2;
/// The longest answer asked for, in tokens.
pub const PROBE_MAX_TOKENS: u32 = 16;
/// What is asked.
const QUESTION: &str = "Reply with the word OK.";
/// The tool a model is asked to call.
const TOOL: &str = "note";
const CALL_QUESTION: &str = "Call the tool `note` with the word lobster. Do nothing else.";
/// The longest answer to that, in tokens.
const CALL_MAX_TOKENS: u32 = 256;

/// What to try.
#[derive(Debug, Clone)]
pub struct ProbeOptions {
    pub provider: Option<ProviderId>,
    pub profile: Option<String>,
    pub timeout: Duration,
    pub at_once: usize,
    pub max_tokens: u32,
    /// Also have a tool called.
    pub tools: bool,
}

impl Default for ProbeOptions {
    fn default() -> Self {
        Self {
            provider: None,
            profile: None,
            timeout: PROBE_TIMEOUT,
            at_once: PROBES_AT_ONCE,
            max_tokens: PROBE_MAX_TOKENS,
            tools: false,
        }
    }
}

/// What one try brought.
#[derive(Debug, Clone)]
pub struct Probed {
    pub provider: ProviderId,
    /// For which model; `None` where the provider has none to ask.
    pub model: Option<ModelRef>,
    /// With which credential; `None` where there is none.
    pub profile: Option<String>,
    /// How long the answer took, or why there was none.
    pub outcome: Result<Duration, LlmError>,
    /// How the model calls a tool, where that was tried.
    pub calls: Option<ToolSupport>,
    /// Its context, in tokens, where somebody knows.
    pub window: Option<u32>,
}

/// How a model calls tools.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToolSupport {
    /// As its API says.
    Native,
    /// As text, which is understood all the same.
    Written,
    /// Not when it was asked to.
    Never,
    /// The server refuses requests with tools, in these words.
    Refused(String),
}

impl ToolSupport {
    /// The word programs decide on.
    #[must_use]
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Native => "native",
            Self::Written => "text",
            Self::Never => "none",
            Self::Refused(_) => "refused",
        }
    }
}

impl Probed {
    /// The word programs decide on.
    #[must_use]
    pub fn status(&self) -> ProbeStatus {
        match &self.outcome {
            Ok(_) => ProbeStatus::Ok,
            Err(error) => match error.reason {
                FailReason::ModelNotFound if self.model.is_none() => ProbeStatus::NoModel,
                FailReason::Auth => ProbeStatus::Auth,
                FailReason::RateLimit | FailReason::Overloaded => ProbeStatus::RateLimit,
                FailReason::Billing => ProbeStatus::Billing,
                FailReason::Timeout => ProbeStatus::Timeout,
                FailReason::Format | FailReason::ModelNotFound => ProbeStatus::Format,
                _ => ProbeStatus::Unknown,
            },
        }
    }
}

/// Tries every credential of every provider the options name, a few at a time. Resting credentials are tried
/// too: somebody wants to know. Budgets are not asked; the answer is one word.
pub async fn probe(desk: &ModelRouter, agent: &Agent, options: &ProbeOptions, clock: &Clock) -> Vec<Probed> {
    let profiles = desk.profiles(&agent.id);
    let mut tries: Vec<Try> = Vec::new();
    for (provider, auth) in desk.auth() {
        if options.provider.as_ref().is_some_and(|only| only != provider) {
            continue;
        }
        let model = match model_of(desk, agent, provider) {
            Some(model) => Ok(model),
            None => listed_now(desk, provider).await,
        };
        let candidates = profiles.candidates(auth, None).await;
        let wanted = |c: &Candidate| options.profile.as_ref().is_none_or(|only| *only == c.id);
        let mut found: Vec<Candidate> = candidates.into_iter().filter(wanted).collect();
        // Whether a server wants no key says nothing about the key there is.
        if found.iter().any(|candidate| candidate.source != Source::Keyless) {
            found.retain(|candidate| candidate.source != Source::Keyless);
        }
        if found.is_empty() && options.profile.is_none() {
            tries.push(Try { auth: auth.clone(), candidate: None, model: model.clone() });
        }
        tries.extend(found.into_iter().map(|candidate| Try {
            auth: auth.clone(),
            candidate: Some(candidate),
            model: model.clone(),
        }));
    }
    let asking = tries.into_iter().map(|one| one.ask(&profiles, options, clock));
    stream::iter(asking).buffered(options.at_once.max(1)).collect().await
}

struct Try {
    auth: ProviderAuth,
    candidate: Option<Candidate>,
    /// Whom to ask, or why nobody is known.
    model: Result<Resolved, LlmError>,
}

impl Try {
    async fn ask(self, profiles: &Profiles, options: &ProbeOptions, clock: &Clock) -> Probed {
        let began = tokio::time::Instant::now();
        let answered = async {
            let model = self.model.as_ref().map_err(LlmError::clone)?;
            let Some(candidate) = &self.candidate else {
                return Err(profiles.nothing_usable(&self.auth).await);
            };
            let cancel = CancellationToken::new();
            let credential = profiles.credential(&self.auth, candidate, &cancel).await?;
            let asked = question(model, Arc::clone(&credential), options, clock);
            answer(model, asked, &cancel).await?;
            let took = began.elapsed();
            if !options.tools {
                return Ok((took, None));
            }
            Ok((took, Some(calling(model, call_question(model, credential, clock), &cancel).await)))
        };
        let answered = tokio::time::timeout(options.timeout, answered).await;
        let calls = match &answered {
            Ok(Ok((_, calls))) => calls.clone(),
            _ => None,
        };
        let outcome = match answered {
            Ok(outcome) => outcome.map(|(took, _)| took),
            Err(_late) => Err(LlmError::new(
                FailReason::Timeout,
                format!("no answer within {} s", options.timeout.as_secs()),
            )),
        };
        let window = self.model.as_ref().ok().and_then(|model| model.model.context_window);
        Probed {
            provider: self.auth.provider,
            model: self.model.ok().map(|model| ModelRef {
                provider: model.model.provider.clone(),
                model: model.model.id.clone(),
            }),
            profile: self.candidate.map(|candidate| candidate.id),
            outcome,
            calls,
            window,
        }
    }
}

/// The whole answer to one question.
async fn answer(
    model: &Resolved,
    asked: Request,
    cancel: &CancellationToken,
) -> Result<AssistantMessage, LlmError> {
    let mut events = model.provider.stream(asked, cancel.clone());
    while let Some(event) = events.next().await {
        match event {
            StreamEvent::Done(answer) => return Ok(answer.message),
            StreamEvent::Failed(error) => return Err(error),
            _ => {}
        }
    }
    Err(LlmError::new(FailReason::Format, "the answer ended without an end"))
}

/// How the model calls the tool it is asked to call.
async fn calling(model: &Resolved, asked: Request, cancel: &CancellationToken) -> ToolSupport {
    let tools = Arc::clone(&asked.tools);
    match answer(model, asked, cancel).await {
        Ok(said) if said.tool_calls().any(|call| call.name == TOOL) => ToolSupport::Native,
        Ok(said) if written_calls(&said.text(), &tools).is_some() => ToolSupport::Written,
        Ok(_) => ToolSupport::Never,
        Err(error) => ToolSupport::Refused(error.message),
    }
}

fn call_question(model: &Resolved, credential: Arc<homard_llm::Credential>, clock: &Clock) -> Request {
    let options = ProbeOptions { max_tokens: CALL_MAX_TOKENS, ..ProbeOptions::default() };
    let tool = ToolSpec {
        name: TOOL.to_owned(),
        description: "Notes one word.".to_owned(),
        parameters: serde_json::json!({"type": "object", "properties": {"word": {"type": "string"}}, "required": ["word"]})
            .into(),
    };
    let mut request = question(model, credential, &options, clock);
    let asked = UserMessage {
        content: UserContent::Text(CALL_QUESTION.to_owned()),
        timestamp: clock.now_ms(),
        idempotency_key: None,
    };
    (request.messages, request.tools) = (vec![Arc::new(Message::User(asked))], Arc::from([tool]));
    request
}

fn question(
    model: &Resolved,
    credential: Arc<homard_llm::Credential>,
    options: &ProbeOptions,
    clock: &Clock,
) -> Request {
    let asked = UserMessage {
        content: UserContent::Text(QUESTION.to_owned()),
        timestamp: clock.now_ms(),
        idempotency_key: None,
    };
    Request {
        model: Arc::clone(&model.model),
        system: Arc::from(""),
        messages: vec![Arc::new(Message::User(asked))],
        tools: Arc::from([]),
        max_tokens: Some(options.max_tokens),
        sampling: homard_llm::Sampling::default(),
        thinking: ThinkingLevel::Off,
        credential: Some(credential),
        session: None,
        program_dir: Some(Arc::from(std::env::temp_dir())),
    }
}

/// The model to ask a provider for: the agent's own where it is one of them, else the first on its list.
fn model_of(desk: &ModelRouter, agent: &Agent, provider: &ProviderId) -> Option<Resolved> {
    let chosen = agent.model.primary.iter().chain(&agent.model.fallbacks);
    let own = chosen.map(|model| desk.selector().normal(model)).find(|model| model.provider == *provider);
    let first = || {
        let first = desk.models().list().find(|model| model.provider == *provider)?;
        Some(ModelRef { provider: provider.clone(), model: first.id.clone() })
    };
    desk.models().resolve(&own.or_else(first)?).ok()
}

/// Asks a provider of which no model is known what it has: the first of them, or what went wrong in asking. That is what
/// somebody wants to know who wrote a wrong address or key.
async fn listed_now(desk: &ModelRouter, provider: &ProviderId) -> Result<Resolved, LlmError> {
    let nobody = || LlmError::new(FailReason::ModelNotFound, "the provider has no model to ask");
    let discovery = desk.discovery().ok_or_else(nobody)?;
    let mut report = discovery.refresh(std::slice::from_ref(provider)).await;
    report.providers.remove(provider).ok_or_else(nobody)??;
    let found = discovery.current().models(provider).first().map(|found| found.id.clone());
    let first = ModelRef { provider: provider.clone(), model: found.ok_or_else(nobody)? };
    desk.models().resolve(&first).map_err(|_unknown| nobody())
}
