//! How a request is spelled for `bedrock-converse-stream`, written straight from the messages it borrows.

use std::borrow::Cow;
use std::collections::BTreeMap;

use homard_protocol::{
    AssistantBlock, AssistantMessage, ToolCall, ToolResultMessage, UserBlock, UserContent,
};
use homard_runtime::Arrange as _;
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};

use super::REDACTED;
use super::family::Family;
use crate::call::history::{MISSING_RESULT, Step, repaired};
use crate::call::request::{Request, ThinkingLevel, ToolSpec};
use crate::call::sampling::ToolChoice;
use crate::call::schema::Dialect;
use crate::call::tool_id::{IdRule, fit};
use crate::spec::ModelSpec;
use crate::wire::attachment::{ShownBlock, shown};
use crate::wire::claude::{self, Thinking};
use crate::wire::is_own;

/// Which tool-call ids the API accepts.
const ID_RULE: IdRule = IdRule::Plain(64);
/// The smallest thinking budget, in tokens.
const MIN_BUDGET: u32 = 1_024;
/// Tokens left for the answer beside the thinking.
const MIN_ANSWER: u32 = 1_024;
/// The most daring the API accepts; others go to 2.
const MAX_TEMPERATURE: f64 = 1.0;
/// Longest name of a document.
const MAX_NAME: usize = 200;
/// The API wants a person to speak first; this stands for what was cut away before.
const EARLIER: &str = "(earlier messages are not shown)";
/// The API wants words beside a document.
const SEE_DOCUMENT: &str = "(see the document)";
/// What a tool that said nothing said.
const NO_OUTPUT: &str = "(no output)";

/// Writes the body.
pub(super) fn write(request: &Request) -> Result<Vec<u8>, serde_json::Error> {
    serde_json::to_vec(&Body::of(request))
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Body<'a> {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    system: Vec<Block<'a>>,
    messages: Vec<WireMessage<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    inference_config: Option<Inference<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_config: Option<ToolConfig<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    additional_model_request_fields: Option<Value>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Inference<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    top_p: Option<f64>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    stop_sequences: &'a [String],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ToolConfig<'a> {
    tools: Vec<Tool<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_choice: Option<Choice<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
enum Choice<'a> {
    Any {},
    Tool { name: &'a str },
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
enum Tool<'a> {
    #[serde(rename_all = "camelCase")]
    ToolSpec {
        name: &'a str,
        #[serde(skip_serializing_if = "str::is_empty")]
        description: &'a str,
        input_schema: Json<'a>,
    },
    CachePoint {
        r#type: &'static str,
    },
}

#[derive(Serialize)]
struct Json<'a> {
    json: Cow<'a, RawValue>,
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
#[serde(rename_all = "camelCase")]
enum Block<'a> {
    Text(Cow<'a, str>),
    Image {
        format: &'static str,
        source: Source<'a>,
    },
    Document {
        format: &'static str,
        name: String,
        source: Source<'a>,
    },
    ReasoningContent(Reasoning<'a>),
    #[serde(rename_all = "camelCase")]
    ToolUse {
        tool_use_id: Cow<'a, str>,
        name: &'a str,
        input: &'a Value,
    },
    #[serde(rename_all = "camelCase")]
    ToolResult {
        tool_use_id: Cow<'a, str>,
        content: Vec<Self>,
        #[serde(skip_serializing_if = "Option::is_none")]
        status: Option<&'static str>,
    },
    CachePoint {
        r#type: &'static str,
    },
}

impl Block<'_> {
    fn is_thought(&self) -> bool {
        matches!(self, Self::ReasoningContent(_))
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
enum Reasoning<'a> {
    ReasoningText { text: &'a str, signature: &'a str },
    RedactedContent(&'a str),
}

#[derive(Serialize)]
struct Source<'a> {
    bytes: &'a str,
}

/// Turns marked for the cache; with the system prompt's and the tools' mark these are the four the API allows.
const CACHED_TURNS: usize = 2;
/// Everything up to here may be kept by the provider.
const CACHE_POINT: Block<'static> = Block::CachePoint { r#type: "default" };

impl<'a> Body<'a> {
    fn of(request: &'a Request) -> Self {
        let model = &*request.model;
        let family = Family::of(model);
        let mut system = Vec::new();
        if !request.system.trim().is_empty() {
            system.push(Block::Text(Cow::Borrowed(&*request.system)));
            system.extend(family.caches().then_some(CACHE_POINT));
        }
        let mut messages = Writer { model, family, names: BTreeMap::new() }.messages(request);
        let adaptive = claude::is_adaptive(model);
        let thinking = thinking(request, family).filter(|_| adaptive || may_think(&messages));
        // A call that is ordered leaves nothing to think about: the API refuses both at once.
        let thinking = thinking.filter(|_| request.sampling.tool_choice.is_free());
        if thinking.is_none() && family.is_claude() && !adaptive {
            messages.iter_mut().for_each(|message| message.content.retain(|block| !block.is_thought()));
        }
        // The newest turn is what this call adds to the cache; the one before is where the last call left it.
        let turns = if family.caches() { CACHED_TURNS } else { 0 };
        for message in messages.iter_mut().rev().filter(|message| message.role == Role::User).take(turns) {
            message.content.push(CACHE_POINT);
        }
        let max_tokens = request.max_tokens.or(family.is_claude().then_some(model.max_tokens));
        Self {
            tool_config: tools(request, family),
            inference_config: inference(request, max_tokens, thinking.is_some()),
            additional_model_request_fields: additional(request, thinking),
            system,
            messages,
        }
    }
}

/// What the API itself has no place for: thinking, and what the owner wants besides.
fn additional(request: &Request, thinking: Option<Value>) -> Option<Value> {
    let top_k = request.sampling.top_k.filter(|_| thinking.is_none());
    let mut fields = request.model.params.extra.clone();
    fields.extend(top_k.map(|most| ("top_k".to_owned(), json!(most))));
    if let Some(Value::Object(thinking)) = thinking {
        fields.extend(thinking);
    }
    (!fields.is_empty()).then_some(Value::Object(fields))
}

/// Length and choice of words; while it thinks, only the length may be told.
fn inference(request: &Request, max_tokens: Option<u32>, thinks: bool) -> Option<Inference<'_>> {
    let sampling = &request.sampling;
    let temperature = sampling.temperature.filter(|_| !thinks).map(|daring| daring.min(MAX_TEMPERATURE));
    let inference = Inference {
        max_tokens: max_tokens.map(|most| most.max(1)),
        temperature,
        top_p: sampling.top_p.filter(|_| !thinks && temperature.is_none()),
        stop_sequences: &sampling.stop,
    };
    let says = inference.max_tokens.is_some()
        || inference.temperature.is_some()
        || inference.top_p.is_some()
        || !inference.stop_sequences.is_empty();
    says.then_some(inference)
}

/// The API refuses a history with calls when it is told of no tools: those that were called are then named.
fn tools(request: &Request, family: Family) -> Option<ToolConfig<'_>> {
    let mut tools: Vec<Tool<'_>> = request.tools.iter().map(|spec| tool(spec, &request.model)).collect();
    if tools.is_empty() {
        let mut called: Vec<&str> = Vec::new();
        for step in repaired(&request.messages) {
            let Step::Assistant(message) = step else { continue };
            called.extend(message.tool_calls().map(|call| call.name.as_str()));
        }
        called.arrange();
        called.dedup();
        let any = to_raw_value(&json!({"type": "object", "properties": {}})).unwrap_or_default();
        tools.extend(called.into_iter().map(|name| Tool::ToolSpec {
            name,
            description: "",
            input_schema: Json { json: Cow::Owned(any.clone()) },
        }));
    }
    if tools.is_empty() {
        return None;
    }
    tools.extend(family.caches_tools().then_some(Tool::CachePoint { r#type: "default" }));
    let tool_choice = match &request.sampling.tool_choice {
        ToolChoice::Required if !request.tools.is_empty() => Some(Choice::Any {}),
        ToolChoice::Tool(name) if !request.tools.is_empty() => Some(Choice::Tool { name }),
        ToolChoice::Auto | ToolChoice::Required | ToolChoice::Tool(_) => None,
    };
    Some(ToolConfig { tools, tool_choice })
}

fn tool<'a>(spec: &'a ToolSpec, model: &ModelSpec) -> Tool<'a> {
    let input_schema = Json { json: Cow::Borrowed(spec.parameters.written(Dialect::of(model))) };
    Tool::ToolSpec { name: &spec.name, description: spec.description.trim(), input_schema }
}

fn thinking(request: &Request, family: Family) -> Option<Value> {
    let wanted = match request.thinking {
        ThinkingLevel::Off => return None,
        ThinkingLevel::Minimal => MIN_BUDGET,
        ThinkingLevel::Low => 2_048,
        ThinkingLevel::Medium => 8_192,
        ThinkingLevel::High => 16_384,
        ThinkingLevel::XHigh => 32_768,
    };
    let model = &*request.model;
    let max_tokens = request.max_tokens.unwrap_or(model.max_tokens);
    let budget = wanted.min(max_tokens.saturating_sub(MIN_ANSWER));
    if !family.is_claude() || !model.reasoning || budget < MIN_BUDGET {
        return None;
    }
    Some(match claude::is_adaptive(model) {
        true => {
            json!({"thinking": Thinking::Adaptive, "output_config": claude::effort(model, request.thinking)})
        }
        false => json!({"thinking": Thinking::Enabled { budget_tokens: budget }}),
    })
}

/// A turn that calls tools is thought through from its first answer or not at all: the API refuses to begin
/// thinking in the middle, as when another model or a lower level began the turn.
fn may_think(messages: &[WireMessage<'_>]) -> bool {
    let answers = |said: &WireMessage<'_>| said.content.iter().any(|b| matches!(b, Block::ToolResult { .. }));
    let (mut rest, mut opening) = (messages, None);
    while let [before @ .., answer, results] = rest
        && answers(results)
    {
        (rest, opening) = (before, Some(answer));
    }
    opening.and_then(|answer| answer.content.first()).is_none_or(Block::is_thought)
}

struct Writer<'a> {
    model: &'a ModelSpec,
    family: Family,
    /// Names of documents given so far; the API wants each to be unique.
    names: BTreeMap<String, usize>,
}

impl<'a> Writer<'a> {
    fn messages(&mut self, request: &'a Request) -> Vec<WireMessage<'a>> {
        let mut out: Vec<WireMessage<'a>> = Vec::with_capacity(request.messages.len());
        for step in repaired(&request.messages) {
            let (role, content) = match step {
                Step::User(user) => (Role::User, self.user_blocks(&user.content)),
                Step::Assistant(message) => (Role::Assistant, self.assistant_blocks(message)),
                Step::Result(result) => (Role::User, vec![self.result_block(result)]),
                Step::Missing(call) => (Role::User, vec![self.missing_block(call)]),
            };
            match out.last_mut() {
                _ if content.is_empty() => {}
                Some(last) if last.role == role => last.content.extend(content),
                Some(_) | None => out.push(WireMessage { role, content }),
            }
        }
        if out.first().is_none_or(|first| first.role == Role::Assistant) {
            out.insert(
                0,
                WireMessage { role: Role::User, content: vec![Block::Text(Cow::Borrowed(EARLIER))] },
            );
        }
        out
    }

    fn user_blocks(&mut self, content: &'a UserContent) -> Vec<Block<'a>> {
        let mut blocks: Vec<Block<'a>> = match content {
            UserContent::Text(text) if text.trim().is_empty() => Vec::new(),
            UserContent::Text(text) => vec![Block::Text(Cow::Borrowed(text))],
            UserContent::Blocks(blocks) => blocks.iter().filter_map(|block| self.user_block(block)).collect(),
        };
        let has = |wanted: fn(&Block<'_>) -> bool| blocks.iter().any(wanted);
        if has(|block| matches!(block, Block::Document { .. }))
            && !has(|block| matches!(block, Block::Text(_)))
        {
            blocks.push(Block::Text(Cow::Borrowed(SEE_DOCUMENT)));
        }
        blocks
    }

    /// The API refuses empty text.
    fn user_block(&mut self, block: &'a UserBlock) -> Option<Block<'a>> {
        match shown(block, self.model, |kind| image_format(kind).or(document_format(kind)).is_some()) {
            ShownBlock::Text(text) => (!text.trim().is_empty()).then_some(Block::Text(text)),
            ShownBlock::Image { mime_type, data } => {
                let format = image_format(mime_type)?;
                Some(Block::Image { format, source: Source { bytes: data } })
            }
            ShownBlock::Document { mime_type, data, name } => {
                let format = document_format(mime_type)?;
                let name = self.document_name(name);
                Some(Block::Document { format, name, source: Source { bytes: data } })
            }
        }
    }

    /// A name of the characters the API allows, not used before in this request.
    fn document_name(&mut self, name: &str) -> String {
        let allowed = |c: char| if c.is_ascii_alphanumeric() || "-()[]".contains(c) { c } else { ' ' };
        let plain: String = name.chars().map(allowed).take(MAX_NAME).collect();
        let mut plain = plain.split_whitespace().collect::<Vec<_>>().join(" ");
        if plain.is_empty() {
            plain = "document".to_owned();
        }
        let mut name = plain.clone();
        // A numbered name may be somebody's plain one.
        while self.names.contains_key(&name) {
            let uses = self.names.entry(plain.clone()).or_insert(1);
            *uses += 1;
            name = format!("{plain} ({uses})");
        }
        self.names.insert(name.clone(), 1);
        name
    }

    fn assistant_blocks(&self, message: &'a AssistantMessage) -> Vec<Block<'a>> {
        let own = is_own(message, self.model);
        let block = |block: &'a AssistantBlock| match block {
            AssistantBlock::Text { text, .. } if text.trim().is_empty() => None,
            AssistantBlock::Text { text, .. } => Some(Block::Text(Cow::Borrowed(text))),
            AssistantBlock::Thinking { thinking: text, thinking_signature: Some(signature) } if own => {
                Some(Block::ReasoningContent(match signature.strip_prefix(REDACTED) {
                    Some(data) => Reasoning::RedactedContent(data),
                    None => Reasoning::ReasoningText { text, signature },
                }))
            }
            AssistantBlock::Thinking { .. } => None,
            AssistantBlock::ToolCall(call) => Some(Block::ToolUse {
                tool_use_id: fit(call.id.as_str(), ID_RULE),
                name: &call.name,
                input: &call.arguments,
            }),
        };
        message.content.iter().filter_map(block).collect()
    }

    fn result_block(&mut self, result: &'a ToolResultMessage) -> Block<'a> {
        let mut content: Vec<Block<'a>> =
            result.content.iter().filter_map(|block| self.user_block(block)).collect();
        if content.is_empty() {
            content.push(Block::Text(Cow::Borrowed(NO_OUTPUT)));
        }
        Block::ToolResult {
            tool_use_id: fit(result.tool_call_id.as_str(), ID_RULE),
            content,
            status: self.status(result.is_error),
        }
    }

    fn missing_block(&self, call: &'a ToolCall) -> Block<'a> {
        Block::ToolResult {
            tool_use_id: fit(call.id.as_str(), ID_RULE),
            content: vec![Block::Text(Cow::Borrowed(MISSING_RESULT))],
            status: self.status(true),
        }
    }

    /// Only two families know the field; others refuse the whole request for it.
    fn status(&self, is_error: bool) -> Option<&'static str> {
        (is_error && self.family != Family::Other).then_some("error")
    }
}

fn image_format(mime_type: &str) -> Option<&'static str> {
    Some(match mime_type {
        "image/png" => "png",
        "image/jpeg" | "image/jpg" => "jpeg",
        "image/gif" => "gif",
        "image/webp" => "webp",
        _ => return None,
    })
}

/// Formats that are text go as text, which every model reads.
fn document_format(mime_type: &str) -> Option<&'static str> {
    Some(match mime_type {
        "application/pdf" => "pdf",
        "application/msword" => "doc",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document" => "docx",
        "application/vnd.ms-excel" => "xls",
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet" => "xlsx",
        _ => return None,
    })
}
