//! How a request is spelled for `google-generative-ai`, written straight from the messages it borrows.

use std::borrow::Cow;

use homard_protocol::{
    AssistantBlock, AssistantMessage, ToolCall, ToolResultMessage, UserBlock, UserContent,
};
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::thinking::{self, ThinkingConfig};
use crate::call::history::{MISSING_RESULT, Step, repaired};
use crate::call::request::{Request, ToolSpec};
use crate::call::sampling::ToolChoice;
use crate::call::schema::{Dialect, SpelledSchema};
use crate::spec::ModelSpec;
use crate::wire::attachment::{ShownBlock, shown};
use crate::wire::is_own;

/// The API wants a person to speak first; this stands for what was cut away before.
const EARLIER: &str = "(earlier messages are not shown)";
/// What a tool that said nothing said.
const NO_OUTPUT: &str = "(no output)";
/// What a tool that answered with pictures only said.
const SEE_BELOW: &str = "(see the attachment below)";
/// Begins the ids we give to calls that came without one; the API never saw them.
const OUR_ID: &str = "call_";
/// What the API documents for calls that another model made and it therefore never signed.
const UNSIGNED: &str = "skip_thought_signature_validator";

/// Writes the body.
pub(super) fn write(request: &Request) -> Result<Vec<u8>, serde_json::Error> {
    serde_json::to_vec(&Body::of(request))
}

/// A request as the API reads it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::wire) struct Body<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    system_instruction: Option<System<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Tools<'a>>,
    contents: Vec<Content<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    generation_config: Option<GenerationConfig<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_config: Option<ToolConfig<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ToolConfig<'a> {
    function_calling_config: Calling<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Calling<'a> {
    mode: &'static str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    allowed_function_names: Vec<&'a str>,
}

#[derive(Serialize)]
struct System<'a> {
    parts: [Part<'a>; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Tools<'a> {
    function_declarations: Vec<Declaration<'a>>,
}

#[derive(Serialize)]
struct Declaration<'a> {
    name: &'a str,
    description: &'a str,
    /// The API refuses an object without properties here.
    #[serde(skip_serializing_if = "Option::is_none")]
    parameters: Option<&'a RawValue>,
}

#[derive(Serialize, PartialEq, Default)]
#[serde(rename_all = "camelCase")]
struct GenerationConfig<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    max_output_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    top_p: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    top_k: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    frequency_penalty: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    presence_penalty: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<i64>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    stop_sequences: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking_config: Option<ThinkingConfig>,
    #[serde(flatten)]
    extra: Option<&'a Map<String, Value>>,
}

#[derive(Serialize)]
struct Content<'a> {
    role: Role,
    parts: Vec<Part<'a>>,
}

#[derive(Serialize, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum Role {
    User,
    Model,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Part<'a> {
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    thought: bool,
    #[serde(flatten)]
    kind: Kind<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thought_signature: Option<&'a str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
enum Kind<'a> {
    Text(Cow<'a, str>),
    #[serde(rename_all = "camelCase")]
    InlineData {
        mime_type: &'a str,
        data: &'a str,
    },
    FunctionCall {
        #[serde(skip_serializing_if = "Option::is_none")]
        id: Option<&'a str>,
        name: &'a str,
        args: &'a Value,
    },
    FunctionResponse {
        #[serde(skip_serializing_if = "Option::is_none")]
        id: Option<&'a str>,
        name: &'a str,
        response: Outcome<'a>,
    },
}

#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum Outcome<'a> {
    Output(Cow<'a, str>),
    Error(Cow<'a, str>),
}

impl<'a> Part<'a> {
    fn new(kind: Kind<'a>) -> Self {
        Self { thought: false, kind, thought_signature: None }
    }

    fn text(text: impl Into<Cow<'a, str>>) -> Self {
        Self::new(Kind::Text(text.into()))
    }
}

impl<'a> Body<'a> {
    pub(in crate::wire) fn of(request: &'a Request) -> Self {
        let model = &*request.model;
        let system = Some(&*request.system).filter(|system| !system.trim().is_empty());
        let function_declarations: Vec<_> = request.tools.iter().map(declaration).collect();
        let thinking_config = thinking::config(model, request.thinking, request.max_tokens);
        let sampling = &request.sampling;
        let generation_config = GenerationConfig {
            max_output_tokens: request.max_tokens,
            temperature: sampling.temperature,
            top_p: sampling.top_p,
            top_k: sampling.top_k,
            frequency_penalty: sampling.frequency_penalty,
            presence_penalty: sampling.presence_penalty,
            seed: sampling.seed,
            stop_sequences: &sampling.stop,
            thinking_config,
            extra: Some(&model.params.extra).filter(|extra| !extra.is_empty()),
        };
        let calling = calling(&sampling.tool_choice).filter(|_| !function_declarations.is_empty());
        Self {
            system_instruction: system.map(|system| System { parts: [Part::text(system)] }),
            tools: if function_declarations.is_empty() {
                Vec::new()
            } else {
                vec![Tools { function_declarations }]
            },
            contents: contents(request),
            generation_config: Some(generation_config).filter(|said| *said != GenerationConfig::default()),
            tool_config: calling.map(|function_calling_config| ToolConfig { function_calling_config }),
        }
    }
}

fn calling(choice: &ToolChoice) -> Option<Calling<'_>> {
    let allowed_function_names = match choice {
        ToolChoice::Auto => return None,
        ToolChoice::Required => Vec::new(),
        ToolChoice::Tool(name) => vec![name.as_str()],
    };
    Some(Calling { mode: "ANY", allowed_function_names })
}

fn declaration(spec: &ToolSpec) -> Declaration<'_> {
    let SpelledSchema { json, takes_some } = spec.parameters.told(Dialect::Gemini);
    Declaration {
        name: &spec.name,
        description: &spec.description,
        parameters: takes_some.then_some(&**json),
    }
}

fn contents(request: &Request) -> Vec<Content<'_>> {
    let model = &*request.model;
    let mut out: Vec<Content<'_>> = Vec::with_capacity(request.messages.len());
    // Attachments of tools wait until all results of the same answer have been listed.
    let mut waiting: Vec<Part<'_>> = Vec::new();
    // Whether the calls at hand were made by this model, whose ids it knows.
    let mut own = false;
    for step in repaired(&request.messages) {
        if !matches!(step, Step::Result(_) | Step::Missing(_)) {
            say(&mut out, Role::User, std::mem::take(&mut waiting));
        }
        match step {
            Step::User(user) => say(&mut out, Role::User, user_parts(&user.content, model)),
            Step::Assistant(message) => {
                own = is_own(message, model);
                say(&mut out, Role::Model, model_parts(message, model, own));
            }
            Step::Result(result) => {
                let part = result_part(result, model, own, &mut waiting);
                say(&mut out, Role::User, vec![part]);
            }
            Step::Missing(call) => say(&mut out, Role::User, vec![missing_part(call, own)]),
        }
    }
    say(&mut out, Role::User, waiting);
    if out.first().is_none_or(|first| first.role == Role::Model) {
        out.insert(0, Content { role: Role::User, parts: vec![Part::text(EARLIER)] });
    }
    out
}

/// Adds to the last content when the same side goes on speaking, so that the roles alternate.
fn say<'a>(out: &mut Vec<Content<'a>>, role: Role, parts: Vec<Part<'a>>) {
    match out.last_mut() {
        _ if parts.is_empty() => {}
        Some(last) if last.role == role => last.parts.extend(parts),
        Some(_) | None => out.push(Content { role, parts }),
    }
}

fn user_parts<'a>(content: &'a UserContent, model: &ModelSpec) -> Vec<Part<'a>> {
    match content {
        UserContent::Text(text) if text.trim().is_empty() => Vec::new(),
        UserContent::Text(text) => vec![Part::text(text.as_str())],
        UserContent::Blocks(blocks) => blocks.iter().filter_map(|block| user_part(block, model)).collect(),
    }
}

fn user_part<'a>(block: &'a UserBlock, model: &ModelSpec) -> Option<Part<'a>> {
    match shown(block, model, takes) {
        ShownBlock::Text(text) => (!text.trim().is_empty()).then(|| Part::text(text)),
        ShownBlock::Image { mime_type, data } | ShownBlock::Document { mime_type, data, .. } => {
            Some(Part::new(Kind::InlineData { mime_type, data }))
        }
    }
}

/// The pictures and documents the API reads; what is text goes as text.
fn takes(mime_type: &str) -> bool {
    let kinds = ["application/pdf", "image/png", "image/jpeg", "image/webp", "image/heic", "image/heif"];
    kinds.contains(&mime_type)
}

fn model_parts<'a>(message: &'a AssistantMessage, model: &ModelSpec, own: bool) -> Vec<Part<'a>> {
    let proof = |signature: &'a Option<String>| signature.as_deref().filter(|_| own);
    let mut first_call = true;
    let part = |block: &'a AssistantBlock| match block {
        AssistantBlock::Text { text, .. } if text.trim().is_empty() => None,
        AssistantBlock::Text { text, text_signature } => {
            Some(Part { thought_signature: proof(text_signature), ..Part::text(text.as_str()) })
        }
        AssistantBlock::Thinking { thinking, thinking_signature } if own && !thinking.is_empty() => {
            let thought_signature = proof(thinking_signature);
            Some(Part { thought: true, thought_signature, ..Part::text(thinking.as_str()) })
        }
        AssistantBlock::Thinking { .. } => None,
        AssistantBlock::ToolCall(call) => {
            // Of calls made at once only the first is signed.
            let foreign = std::mem::take(&mut first_call) && thinking::is_third_generation(model);
            let thought_signature = proof(&call.thought_signature).or(foreign.then_some(UNSIGNED));
            let kind = Kind::FunctionCall {
                id: known_id(call.id.as_str(), own),
                name: &call.name,
                args: &call.arguments,
            };
            Some(Part { thought_signature, ..Part::new(kind) })
        }
    };
    message.content.iter().filter_map(part).collect()
}

/// The id of a call, where the API gave it.
fn known_id(id: &str, own: bool) -> Option<&str> {
    (own && !id.starts_with(OUR_ID)).then_some(id)
}

fn result_part<'a>(
    result: &'a ToolResultMessage,
    model: &ModelSpec,
    own: bool,
    waiting: &mut Vec<Part<'a>>,
) -> Part<'a> {
    let mut texts: Vec<Cow<'a, str>> = Vec::new();
    let before = waiting.len();
    for part in result.content.iter().filter_map(|block| user_part(block, model)) {
        match part.kind {
            Kind::Text(text) => texts.push(text),
            kind => waiting.push(Part::new(kind)),
        }
    }
    let text = match (texts.len(), waiting.len() > before) {
        (0, true) => Cow::Borrowed(SEE_BELOW),
        (0, false) => Cow::Borrowed(NO_OUTPUT),
        (1, _) => texts.pop().unwrap_or_default(),
        _ => Cow::Owned(texts.join("\n\n")),
    };
    Part::new(Kind::FunctionResponse {
        id: known_id(result.tool_call_id.as_str(), own),
        name: &result.tool_name,
        response: if result.is_error { Outcome::Error(text) } else { Outcome::Output(text) },
    })
}

fn missing_part(call: &ToolCall, own: bool) -> Part<'_> {
    Part::new(Kind::FunctionResponse {
        id: known_id(call.id.as_str(), own),
        name: &call.name,
        response: Outcome::Error(Cow::Borrowed(MISSING_RESULT)),
    })
}
