//! How a request is spelled for `anthropic-messages`, written straight from the messages it borrows.

use std::borrow::Cow;

use homard_protocol::{
    AssistantBlock, AssistantMessage, ToolCall, ToolResultMessage, UserBlock, UserContent,
};
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::{REDACTED, SUBSCRIPTION_TOKEN};
use crate::call::history::{MISSING_RESULT, Step, repaired};
use crate::call::request::{Request, ThinkingLevel};
use crate::call::sampling::ToolChoice;
use crate::call::schema::Dialect;
use crate::call::tool_id::{IdRule, fit};
use crate::spec::ModelSpec;
use crate::wire::attachment::{ShownBlock, pdf_or_picture, shown};
use crate::wire::claude::{self, Effort, Thinking};
use crate::wire::is_own;

/// Longest tool-call id the API accepts.
const ID_RULE: IdRule = IdRule::Plain(64);
/// The smallest thinking budget the API accepts, in tokens.
const MIN_BUDGET: u32 = 1_024;
/// Tokens left for the answer beside the thinking.
const MIN_ANSWER: u32 = 1_024;
/// The most daring the API accepts; others go to 2.
const MAX_TEMPERATURE: f64 = 1.0;
/// Turns marked for the cache; with the system prompt's mark this stays within the four the API allows.
const CACHED_TURNS: usize = 2;
/// The API wants a person to speak first; this stands for what was cut away before.
const EARLIER: &str = "(earlier messages are not shown)";

/// What the API wants to read first in calls a subscription pays for; it refuses them without.
const IDENTITY: &str = "You are Claude Code, Anthropic's official CLI for Claude.";

/// Writes the body.
pub(super) fn write(request: &Request) -> Result<Vec<u8>, serde_json::Error> {
    serde_json::to_vec(&Body::of(request))
}

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    max_tokens: u32,
    stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking: Option<Thinking>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_config: Option<Effort>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    top_p: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    top_k: Option<u64>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    stop_sequences: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_choice: Option<Choice<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Tool<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    system: Vec<Block<'a>>,
    messages: Vec<WireMessage<'a>>,
    #[serde(flatten)]
    extra: &'a Map<String, Value>,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum Choice<'a> {
    Any,
    Tool { name: &'a str },
}

#[derive(Serialize)]
struct Tool<'a> {
    name: &'a str,
    description: &'a str,
    input_schema: &'a RawValue,
}

#[derive(Serialize)]
struct WireMessage<'a> {
    role: Role,
    content: Vec<Block<'a>>,
}

#[derive(Serialize, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum Role {
    User,
    Assistant,
}

#[derive(Serialize)]
struct Block<'a> {
    #[serde(flatten)]
    kind: Kind<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cache_control: Option<CacheControl>,
}

#[derive(Serialize)]
struct CacheControl {
    r#type: &'static str,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Kind<'a> {
    Text {
        text: Cow<'a, str>,
    },
    Image {
        source: Source<'a>,
    },
    Document {
        source: Source<'a>,
        title: &'a str,
    },
    Thinking {
        thinking: &'a str,
        signature: &'a str,
    },
    RedactedThinking {
        data: &'a str,
    },
    ToolUse {
        id: Cow<'a, str>,
        name: &'a str,
        input: &'a Value,
    },
    ToolResult {
        tool_use_id: Cow<'a, str>,
        content: Vec<Block<'a>>,
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        is_error: bool,
    },
}

#[derive(Serialize)]
struct Source<'a> {
    r#type: &'static str,
    media_type: &'a str,
    data: &'a str,
}

impl<'a> Block<'a> {
    fn new(kind: Kind<'a>) -> Self {
        Self { kind, cache_control: None }
    }

    fn text(text: impl Into<Cow<'a, str>>) -> Self {
        Self::new(Kind::Text { text: text.into() })
    }

    /// Everything up to here may be kept by the provider and is read at a tenth of the price next time.
    fn cached(&mut self) {
        // The API refuses the mark on thinking.
        if !self.is_thought() {
            self.cache_control = Some(CacheControl { r#type: "ephemeral" });
        }
    }

    fn is_thought(&self) -> bool {
        matches!(self.kind, Kind::Thinking { .. } | Kind::RedactedThinking { .. })
    }
}

impl<'a> Body<'a> {
    fn of(request: &'a Request) -> Self {
        let model = &*request.model;
        let max_tokens = request.max_tokens.unwrap_or(model.max_tokens).max(1);
        let mut system = Vec::new();
        if is_subscription(request) {
            system.push(Block::text(IDENTITY));
        }
        if !request.system.trim().is_empty() {
            let mut block = Block::text(&*request.system);
            block.cached();
            system.push(block);
        }
        let mut messages = messages(request);
        let adaptive = claude::is_adaptive(model);
        let thinking = thinking(request.thinking, model, max_tokens);
        let thinking = thinking.filter(|_| adaptive || may_think(&messages));
        // A call that is ordered leaves nothing to think about: the API refuses both at once.
        let tool_choice = choice(&request.sampling.tool_choice).filter(|_| !request.tools.is_empty());
        let thinking = thinking.filter(|_| tool_choice.is_none());
        let sampling = &request.sampling;
        // Nor may it be told how to choose words while it thinks, or in two ways at once.
        let temperature =
            sampling.temperature.filter(|_| thinking.is_none()).map(|daring| daring.min(MAX_TEMPERATURE));
        // Others that speak this API think unasked and want it back.
        if thinking.is_none() && claude::is_member(model) && !adaptive {
            messages.iter_mut().for_each(|message| message.content.retain(|block| !block.is_thought()));
        }
        // The newest turn is what this call adds to the cache; the one before is where the last call left it.
        for message in
            messages.iter_mut().rev().filter(|message| message.role == Role::User).take(CACHED_TURNS)
        {
            message.content.last_mut().into_iter().for_each(Block::cached);
        }
        Self {
            model: model.id.as_str(),
            max_tokens,
            stream: true,
            output_config: thinking.filter(|_| adaptive).map(|_| claude::effort(model, request.thinking)),
            top_p: sampling.top_p.filter(|_| thinking.is_none() && temperature.is_none()),
            top_k: sampling.top_k.filter(|_| thinking.is_none()),
            temperature,
            stop_sequences: &sampling.stop,
            tool_choice,
            thinking,
            tools: request.tools.iter().map(|spec| tool(spec, model)).collect(),
            system,
            messages,
            extra: &model.params.extra,
        }
    }
}

/// Whether the call is paid by a person's subscription, by the look of its token.
fn is_subscription(request: &Request) -> bool {
    let secret = request.credential.as_deref().and_then(|credential| credential.secret.as_ref());
    secret.is_some_and(|secret| secret.expose().starts_with(SUBSCRIPTION_TOKEN))
}

fn choice(choice: &ToolChoice) -> Option<Choice<'_>> {
    match choice {
        ToolChoice::Auto => None,
        ToolChoice::Required => Some(Choice::Any),
        ToolChoice::Tool(name) => Some(Choice::Tool { name }),
    }
}

fn tool<'a>(spec: &'a crate::call::request::ToolSpec, model: &ModelSpec) -> Tool<'a> {
    let input_schema = spec.parameters.written(Dialect::of(model));
    Tool { name: &spec.name, description: &spec.description, input_schema }
}

fn thinking(level: ThinkingLevel, model: &ModelSpec, max_tokens: u32) -> Option<Thinking> {
    let wanted = match level {
        ThinkingLevel::Off => return None,
        ThinkingLevel::Minimal => MIN_BUDGET,
        ThinkingLevel::Low => 2_048,
        ThinkingLevel::Medium => 8_192,
        ThinkingLevel::High => 16_384,
        ThinkingLevel::XHigh => 32_768,
    };
    let budget_tokens = wanted.min(max_tokens.saturating_sub(MIN_ANSWER));
    let thinking = match claude::is_adaptive(model) {
        true => Thinking::Adaptive,
        false => Thinking::Enabled { budget_tokens },
    };
    (model.reasoning && budget_tokens >= MIN_BUDGET).then_some(thinking)
}

/// A turn that calls tools is thought through from its first answer or not at all: the API refuses to begin
/// thinking in the middle, as when another model or a lower level began the turn.
fn may_think(messages: &[WireMessage<'_>]) -> bool {
    let answers =
        |said: &WireMessage<'_>| said.content.iter().any(|b| matches!(b.kind, Kind::ToolResult { .. }));
    let (mut rest, mut opening) = (messages, None);
    while let [before @ .., answer, results] = rest
        && answers(results)
    {
        (rest, opening) = (before, Some(answer));
    }
    opening.and_then(|answer| answer.content.first()).is_none_or(Block::is_thought)
}

fn messages(request: &Request) -> Vec<WireMessage<'_>> {
    let model = &*request.model;
    let mut out: Vec<WireMessage<'_>> = Vec::with_capacity(request.messages.len());
    for step in repaired(&request.messages) {
        let (role, content) = match step {
            Step::User(user) => (Role::User, user_blocks(&user.content, model)),
            Step::Assistant(message) => (Role::Assistant, assistant_blocks(message, model)),
            Step::Result(result) => (Role::User, vec![result_block(result, model)]),
            Step::Missing(call) => (Role::User, vec![missing_block(call)]),
        };
        match out.last_mut() {
            _ if content.is_empty() => {}
            Some(last) if last.role == role => last.content.extend(content),
            Some(_) | None => out.push(WireMessage { role, content }),
        }
    }
    if out.first().is_none_or(|first| first.role == Role::Assistant) {
        out.insert(0, WireMessage { role: Role::User, content: vec![Block::text(EARLIER)] });
    }
    out
}

fn user_blocks<'a>(content: &'a UserContent, model: &ModelSpec) -> Vec<Block<'a>> {
    match content {
        UserContent::Text(text) if text.trim().is_empty() => Vec::new(),
        UserContent::Text(text) => vec![Block::text(text.as_str())],
        UserContent::Blocks(blocks) => blocks.iter().filter_map(|block| user_block(block, model)).collect(),
    }
}

/// The API refuses empty text.
fn user_block<'a>(block: &'a UserBlock, model: &ModelSpec) -> Option<Block<'a>> {
    let base64 = |media_type, data| Source { r#type: "base64", media_type, data };
    match shown(block, model, pdf_or_picture) {
        ShownBlock::Text(text) => (!text.trim().is_empty()).then(|| Block::text(text)),
        ShownBlock::Image { mime_type, data } => {
            Some(Block::new(Kind::Image { source: base64(mime_type, data) }))
        }
        ShownBlock::Document { mime_type, data, name } => {
            Some(Block::new(Kind::Document { source: base64(mime_type, data), title: name }))
        }
    }
}

fn assistant_blocks<'a>(message: &'a AssistantMessage, model: &ModelSpec) -> Vec<Block<'a>> {
    // A signature proves thinking to the model that signed it and to nobody else.
    let own = is_own(message, model);
    let block = |block: &'a AssistantBlock| match block {
        AssistantBlock::Text { text, .. } if text.trim().is_empty() => None,
        AssistantBlock::Text { text, .. } => Some(Kind::Text { text: Cow::Borrowed(text) }),
        AssistantBlock::Thinking { thinking, thinking_signature: Some(signature) } if own => {
            Some(match signature.strip_prefix(REDACTED) {
                Some(data) => Kind::RedactedThinking { data },
                None => Kind::Thinking { thinking, signature },
            })
        }
        AssistantBlock::Thinking { .. } => None,
        AssistantBlock::ToolCall(call) => Some(Kind::ToolUse {
            id: fit(call.id.as_str(), ID_RULE),
            name: &call.name,
            input: &call.arguments,
        }),
    };
    message.content.iter().filter_map(block).map(Block::new).collect()
}

fn result_block<'a>(result: &'a ToolResultMessage, model: &ModelSpec) -> Block<'a> {
    Block::new(Kind::ToolResult {
        tool_use_id: fit(result.tool_call_id.as_str(), ID_RULE),
        content: result.content.iter().filter_map(|block| user_block(block, model)).collect(),
        is_error: result.is_error,
    })
}

fn missing_block(call: &ToolCall) -> Block<'_> {
    Block::new(Kind::ToolResult {
        tool_use_id: fit(call.id.as_str(), ID_RULE),
        content: vec![Block::text(MISSING_RESULT)],
        is_error: true,
    })
}
