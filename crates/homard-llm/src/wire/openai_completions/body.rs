//! How a request is spelled for `openai-completions`, written straight from the messages it borrows.

use std::borrow::Cow;

use homard_protocol::{
    AssistantBlock, AssistantMessage, ToolCall, ToolResultMessage, UserBlock, UserContent,
};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::call::history::{MISSING_RESULT, Step, repaired};
use crate::call::request::{Request, ThinkingLevel};
use crate::call::sampling::{Sampling, ToolChoice};
use crate::call::tool_id::{IdRule, fit};
use crate::spec::{MaxTokensField, ModelSpec, ThinkingFormat};
use crate::wire::attachment::{DataUrl, FROM_TOOL, NO_OUTPUT, SEE_IMAGE, ShownBlock, pdf_or_picture, shown};
use crate::wire::chat_fields::{FunctionTool, SamplingFields, joined};

/// Longest tool-call id the API accepts.
const MAX_ID: usize = 40;
/// What the model said between a tool and a person, where the server insists that it spoke.
const NOTED: &str = "(the results have arrived)";

/// Writes the body.
pub(super) fn write(request: &Request) -> Result<Vec<u8>, serde_json::Error> {
    serde_json::to_vec(&Body::of(request))
}

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    messages: Vec<WireMessage<'a>>,
    stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream_options: Option<StreamOptions>,
    #[serde(skip_serializing_if = "Option::is_none")]
    store: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_completion_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning_effort: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking: Option<Switch>,
    #[serde(skip_serializing_if = "Option::is_none")]
    enable_thinking: Option<bool>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<FunctionTool<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_choice: Option<Choice<'a>>,
    #[serde(flatten)]
    sampling: SamplingFields<'a>,
    #[serde(flatten)]
    extra: &'a Map<String, Value>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Choice<'a> {
    Word(&'static str),
    Tool { r#type: &'static str, function: Named<'a> },
}

#[derive(Serialize)]
struct Named<'a> {
    name: &'a str,
}

#[derive(Serialize)]
struct StreamOptions {
    include_usage: bool,
}

#[derive(Serialize)]
struct Switch {
    r#type: &'static str,
}

#[derive(Serialize)]
#[serde(tag = "role", rename_all = "lowercase")]
enum WireMessage<'a> {
    System {
        content: &'a str,
    },
    Developer {
        content: &'a str,
    },
    User {
        content: Content<'a>,
    },
    Assistant {
        content: Option<Cow<'a, str>>,
        #[serde(skip_serializing_if = "Option::is_none")]
        reasoning_content: Option<Cow<'a, str>>,
        #[serde(skip_serializing_if = "Option::is_none")]
        reasoning: Option<Cow<'a, str>>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        tool_calls: Vec<Call<'a>>,
    },
    Tool {
        tool_call_id: Cow<'a, str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        name: Option<&'a str>,
        content: Cow<'a, str>,
    },
}

#[derive(Serialize)]
#[serde(untagged)]
enum Content<'a> {
    Text(&'a str),
    Parts(Vec<Part<'a>>),
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Part<'a> {
    Text { text: Cow<'a, str> },
    ImageUrl { image_url: ImageUrl<'a> },
    File { file: File<'a> },
}

#[derive(Serialize)]
struct File<'a> {
    filename: &'a str,
    file_data: DataUrl<'a>,
}

#[derive(Serialize)]
struct ImageUrl<'a> {
    url: DataUrl<'a>,
}

#[derive(Serialize)]
struct Call<'a> {
    id: Cow<'a, str>,
    r#type: &'static str,
    function: CalledFunction<'a>,
}

#[derive(Serialize)]
struct CalledFunction<'a> {
    name: &'a str,
    /// The API wants JSON inside a string.
    arguments: String,
}

impl<'a> Body<'a> {
    fn of(request: &'a Request) -> Self {
        let model = &*request.model;
        let compat = model.compat;
        let format = compat.thinking_format.unwrap_or(ThinkingFormat::OpenAi);
        let thinks = model.reasoning && request.thinking != ThinkingLevel::Off;
        let effort =
            format == ThinkingFormat::OpenAi && thinks && compat.supports_reasoning_effort != Some(false);
        let field = compat.max_tokens_field.unwrap_or(MaxTokensField::MaxTokens);
        let usage = compat.supports_usage_in_streaming != Some(false);
        Self {
            model: model.id.as_str(),
            messages: messages(request),
            stream: true,
            stream_options: usage.then_some(StreamOptions { include_usage: true }),
            store: (compat.supports_store == Some(true)).then_some(false),
            max_tokens: request.max_tokens.filter(|_| field == MaxTokensField::MaxTokens),
            max_completion_tokens: request
                .max_tokens
                .filter(|_| field == MaxTokensField::MaxCompletionTokens),
            reasoning_effort: effort.then(|| word(request.thinking)),
            thinking: (format == ThinkingFormat::Zai && model.reasoning)
                .then_some(Switch { r#type: if thinks { "enabled" } else { "disabled" } }),
            enable_thinking: (format == ThinkingFormat::Qwen && model.reasoning).then_some(thinks),
            tools: request.tools.iter().map(|spec| FunctionTool::of(spec, model)).collect(),
            tool_choice: choice(&request.sampling.tool_choice).filter(|_| !request.tools.is_empty()),
            sampling: chosen(&request.sampling, effort),
            extra: &model.params.extra,
        }
    }
}

fn choice(choice: &ToolChoice) -> Option<Choice<'_>> {
    match choice {
        ToolChoice::Auto => None,
        ToolChoice::Required => Some(Choice::Word("required")),
        ToolChoice::Tool(name) => Some(Choice::Tool { r#type: "function", function: Named { name } }),
    }
}

/// Models that are told how hard to think refuse to be told how to choose words; the seed is no such thing.
fn chosen(sampling: &Sampling, thinks: bool) -> SamplingFields<'_> {
    match thinks {
        true => SamplingFields::of_seed(sampling.seed),
        false => SamplingFields::of(sampling),
    }
}

fn word(level: ThinkingLevel) -> &'static str {
    match level {
        ThinkingLevel::Off => "none",
        ThinkingLevel::Minimal => "minimal",
        ThinkingLevel::Low => "low",
        ThinkingLevel::Medium => "medium",
        ThinkingLevel::High => "high",
        ThinkingLevel::XHigh => "xhigh",
    }
}

fn messages(request: &Request) -> Vec<WireMessage<'_>> {
    let model = &*request.model;
    let mut out = Vec::with_capacity(request.messages.len() + 1);
    if !request.system.is_empty() {
        let developer = model.reasoning && model.compat.supports_developer_role == Some(true);
        let content = &*request.system;
        out.push(if developer {
            WireMessage::Developer { content }
        } else {
            WireMessage::System { content }
        });
    }
    // Pictures of tools must wait until all results of the same answer have been listed.
    let mut pictures: Vec<Part<'_>> = Vec::new();
    for step in repaired(&request.messages) {
        if !matches!(step, Step::Result(_) | Step::Missing(_)) {
            flush(&mut pictures, &mut out, model);
        }
        match step {
            Step::User(user) => ask(&mut out, content(&user.content, model), model),
            Step::Assistant(message) => out.push(assistant(message, model)),
            Step::Result(result) => out.push(tool_result(result, model, &mut pictures)),
            Step::Missing(call) => out.push(WireMessage::Tool {
                tool_call_id: fit(call.id.as_str(), id_rule(model)),
                name: result_name(&call.name, model),
                content: Cow::Borrowed(MISSING_RESULT),
            }),
        }
    }
    flush(&mut pictures, &mut out, model);
    out
}

/// Adds a person's words. Servers that want ids of nine characters also want the model to have spoken between
/// a tool and a person, who may have interrupted or stopped it.
fn ask<'a>(out: &mut Vec<WireMessage<'a>>, content: Content<'a>, model: &ModelSpec) {
    let strict = model.compat.requires_mistral_tool_ids == Some(true);
    if strict && matches!(out.last(), Some(WireMessage::Tool { .. })) {
        let content = Some(Cow::Borrowed(NOTED));
        out.push(WireMessage::Assistant {
            content,
            reasoning_content: None,
            reasoning: None,
            tool_calls: Vec::new(),
        });
    }
    out.push(WireMessage::User { content });
}

fn flush<'a>(pictures: &mut Vec<Part<'a>>, out: &mut Vec<WireMessage<'a>>, model: &ModelSpec) {
    if !pictures.is_empty() {
        let mut parts = vec![Part::Text { text: Cow::Borrowed(FROM_TOOL) }];
        parts.append(pictures);
        ask(out, Content::Parts(parts), model);
    }
}

fn id_rule(model: &ModelSpec) -> IdRule {
    match model.compat.requires_mistral_tool_ids {
        Some(true) => IdRule::NineAlphanumerics,
        _ => IdRule::Plain(MAX_ID),
    }
}

fn result_name<'a>(name: &'a str, model: &ModelSpec) -> Option<&'a str> {
    (model.compat.requires_tool_result_name == Some(true)).then_some(name)
}

fn content<'a>(content: &'a UserContent, model: &ModelSpec) -> Content<'a> {
    match content {
        UserContent::Text(text) => Content::Text(text),
        UserContent::Blocks(blocks) => match blocks.as_slice() {
            [UserBlock::Text { text }] => Content::Text(text),
            blocks => Content::Parts(blocks.iter().map(|block| part(block, model)).collect()),
        },
    }
}

fn part<'a>(block: &'a UserBlock, model: &ModelSpec) -> Part<'a> {
    match shown(block, model, pdf_or_picture) {
        ShownBlock::Text(text) => Part::Text { text },
        ShownBlock::Image { mime_type, data } => {
            Part::ImageUrl { image_url: ImageUrl { url: DataUrl { mime_type, data } } }
        }
        ShownBlock::Document { mime_type, data, name } => {
            Part::File { file: File { filename: name, file_data: DataUrl { mime_type, data } } }
        }
    }
}

fn assistant<'a>(message: &'a AssistantMessage, model: &ModelSpec) -> WireMessage<'a> {
    let own = message.provider == model.provider.as_str() && message.model == model.id.as_str();
    let as_text = model.compat.requires_thinking_as_text == Some(true);
    let (mut texts, mut thoughts, mut field) = (Vec::new(), Vec::new(), None);
    for block in &message.content {
        match block {
            AssistantBlock::Text { text, .. } if !text.is_empty() => texts.push(Cow::Borrowed(text.as_str())),
            AssistantBlock::Thinking { thinking, .. } if as_text && !thinking.is_empty() => {
                texts.push(Cow::Borrowed(thinking.as_str()));
            }
            AssistantBlock::Thinking { thinking, thinking_signature } if own && !thinking.is_empty() => {
                thoughts.push(Cow::Borrowed(thinking.as_str()));
                field = thinking_signature.as_deref();
            }
            AssistantBlock::Text { .. } | AssistantBlock::Thinking { .. } | AssistantBlock::ToolCall(_) => {}
        }
    }
    // Thinking goes back under the name it came by, and only to the model that thought it.
    let back = |name: &str| (field == Some(name)).then(|| joined(thoughts.clone()));
    WireMessage::Assistant {
        content: (!texts.is_empty()).then(|| joined(texts)),
        reasoning_content: back(super::stream::REASONING_CONTENT),
        reasoning: back(super::stream::REASONING),
        tool_calls: message.tool_calls().map(|call| called(call, model)).collect(),
    }
}

fn called<'a>(call: &'a ToolCall, model: &ModelSpec) -> Call<'a> {
    let function = CalledFunction { name: &call.name, arguments: call.arguments.to_string() };
    Call { id: fit(call.id.as_str(), id_rule(model)), r#type: "function", function }
}

fn tool_result<'a>(
    result: &'a ToolResultMessage,
    model: &ModelSpec,
    pictures: &mut Vec<Part<'a>>,
) -> WireMessage<'a> {
    let mut texts: Vec<Cow<'a, str>> = Vec::new();
    let mut has_image = false;
    for block in &result.content {
        match part(block, model) {
            Part::Text { text } if text.is_empty() => {}
            Part::Text { text } => texts.push(text),
            picture @ (Part::ImageUrl { .. } | Part::File { .. }) => {
                has_image = true;
                pictures.push(picture);
            }
        }
    }
    let content = match (texts.is_empty(), has_image) {
        (false, _) => joined(texts),
        (true, true) => Cow::Borrowed(SEE_IMAGE),
        (true, false) => Cow::Borrowed(NO_OUTPUT),
    };
    WireMessage::Tool {
        tool_call_id: fit(result.tool_call_id.as_str(), id_rule(model)),
        name: result_name(&result.tool_name, model),
        content,
    }
}
