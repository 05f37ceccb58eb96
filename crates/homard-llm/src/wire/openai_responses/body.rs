//! How a request is spelled for `openai-responses`, written straight from the messages it borrows.

use std::borrow::Cow;

use homard_protocol::{
    AssistantBlock, AssistantMessage, ToolCall, ToolResultMessage, UserBlock, UserContent,
};
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::keepsake::{MessageMark, Reasoning, is_own, split_ids};
use crate::call::history::{MISSING_RESULT, Step, repaired};
use crate::call::request::{Request, ThinkingLevel, ToolSpec};
use crate::call::sampling::ToolChoice;
use crate::call::schema::Dialect;
use crate::call::tool_id::{IdRule, fit};
use crate::spec::{MaxTokensField, ModelSpec};
use crate::wire::attachment::{DataUrl, ShownBlock, pdf_or_picture, shown};

/// Which call ids the API accepts.
const ID_RULE: IdRule = IdRule::Plain(64);
/// The shortest answer the API lets one ask for, in tokens.
const MIN_OUTPUT: u32 = 16;
/// Longest name of a conversation the API accepts.
const MAX_CACHE_KEY: usize = 64;
/// What a tool that said nothing said.
const NO_OUTPUT: &str = "(no output)";
/// Asked of models that think: without it their reasoning could not be sent back, as nothing is stored.
const PROOF: &[&str] = &["reasoning.encrypted_content"];
/// The API wants something to answer; this stands for a conversation of which nothing is left.
const EARLIER: &str = "(earlier messages are not shown)";

/// Writes the body.
pub(super) fn write(request: &Request) -> Result<Vec<u8>, serde_json::Error> {
    serde_json::to_vec(&Body::of(request))
}

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    instructions: &'a str,
    input: Vec<Item<'a>>,
    stream: bool,
    store: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    include: Option<&'static [&'static str]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_output_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning: Option<Effort>,
    #[serde(skip_serializing_if = "Option::is_none")]
    prompt_cache_key: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Tool<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_choice: Option<Choice<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    top_p: Option<f64>,
    #[serde(flatten)]
    extra: &'a Map<String, Value>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Choice<'a> {
    Word(&'static str),
    Tool { r#type: &'static str, name: &'a str },
}

#[derive(Serialize)]
struct Effort {
    effort: &'static str,
    summary: &'static str,
}

#[derive(Serialize)]
struct Tool<'a> {
    r#type: &'static str,
    name: &'a str,
    description: &'a str,
    parameters: &'a RawValue,
    /// Left out, the API would rewrite schemas to its strict subset and refuse those it cannot.
    strict: bool,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Item<'a> {
    Reasoning(Reasoning<'a>),
    Plain(Plain<'a>),
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Plain<'a> {
    Message {
        #[serde(skip_serializing_if = "Option::is_none")]
        id: Option<Cow<'a, str>>,
        role: Role,
        content: Vec<Part<'a>>,
        #[serde(skip_serializing_if = "Option::is_none")]
        status: Option<&'static str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        phase: Option<Cow<'a, str>>,
    },
    FunctionCall {
        #[serde(skip_serializing_if = "Option::is_none")]
        id: Option<&'a str>,
        call_id: Cow<'a, str>,
        name: &'a str,
        /// The API wants JSON inside a string.
        arguments: String,
    },
    FunctionCallOutput {
        call_id: Cow<'a, str>,
        output: Output<'a>,
    },
}

#[derive(Serialize, Clone, Copy)]
#[serde(rename_all = "lowercase")]
enum Role {
    User,
    Assistant,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Part<'a> {
    InputText { text: Cow<'a, str> },
    InputImage { image_url: DataUrl<'a>, detail: &'static str },
    InputFile { filename: &'a str, file_data: DataUrl<'a> },
    OutputText { text: &'a str, annotations: [(); 0] },
}

#[derive(Serialize)]
#[serde(untagged)]
enum Output<'a> {
    Text(Cow<'a, str>),
    Parts(Vec<Part<'a>>),
}

impl<'a> Body<'a> {
    fn of(request: &'a Request) -> Self {
        let model = &*request.model;
        let dialect = Dialect::of(model);
        let thinks = model.reasoning
            && request.thinking != ThinkingLevel::Off
            && model.compat.supports_reasoning_effort != Some(false);
        let limited = model.compat.max_tokens_field != Some(MaxTokensField::Neither);
        Self {
            model: model.id.as_str(),
            instructions: &request.system,
            input: input(request),
            stream: true,
            store: false,
            include: model.reasoning.then_some(PROOF),
            max_output_tokens: request.max_tokens.filter(|_| limited).map(|most| most.max(MIN_OUTPUT)),
            reasoning: thinks.then(|| Effort { effort: request.thinking.as_str(), summary: "auto" }),
            prompt_cache_key: request.session.as_deref().filter(|key| !key.is_empty()).map(cache_key),
            tools: request.tools.iter().map(|spec| tool(spec, dialect)).collect(),
            tool_choice: choice(&request.sampling.tool_choice).filter(|_| !request.tools.is_empty()),
            // Models that think refuse to be told how to choose words.
            temperature: request.sampling.temperature.filter(|_| !thinks),
            top_p: request.sampling.top_p.filter(|_| !thinks),
            extra: &model.params.extra,
        }
    }
}

fn choice(choice: &ToolChoice) -> Option<Choice<'_>> {
    match choice {
        ToolChoice::Auto => None,
        ToolChoice::Required => Some(Choice::Word("required")),
        ToolChoice::Tool(name) => Some(Choice::Tool { r#type: "function", name }),
    }
}

fn cache_key(session: &str) -> Cow<'_, str> {
    if session.len() <= MAX_CACHE_KEY {
        Cow::Borrowed(session)
    } else {
        fit(session, IdRule::Plain(MAX_CACHE_KEY))
    }
}

fn tool(spec: &ToolSpec, dialect: Dialect) -> Tool<'_> {
    let parameters = spec.parameters.written(dialect);
    Tool { r#type: "function", name: &spec.name, description: &spec.description, parameters, strict: false }
}

fn input(request: &Request) -> Vec<Item<'_>> {
    let model = &*request.model;
    let mut out = Vec::with_capacity(request.messages.len());
    for step in repaired(&request.messages) {
        match step {
            Step::User(user) => out.extend(said(user_parts(&user.content, model))),
            Step::Assistant(message) => assistant(message, model, &mut out),
            Step::Result(result) => out.push(result_item(result, model)),
            Step::Missing(call) => {
                out.push(output(call.id.as_str(), Output::Text(Cow::Borrowed(MISSING_RESULT))));
            }
        }
    }
    if out.is_empty() {
        out.extend(said(vec![Part::InputText { text: Cow::Borrowed(EARLIER) }]));
    }
    out
}

fn said(content: Vec<Part<'_>>) -> Option<Item<'_>> {
    let message = |content| Plain::Message { id: None, role: Role::User, content, status: None, phase: None };
    (!content.is_empty()).then(|| Item::Plain(message(content)))
}

fn user_parts<'a>(content: &'a UserContent, model: &ModelSpec) -> Vec<Part<'a>> {
    match content {
        UserContent::Text(text) => vec![Part::InputText { text: Cow::Borrowed(text) }],
        UserContent::Blocks(blocks) => blocks.iter().map(|block| part(block, model)).collect(),
    }
}

fn part<'a>(block: &'a UserBlock, model: &ModelSpec) -> Part<'a> {
    match shown(block, model, pdf_or_picture) {
        ShownBlock::Text(text) => Part::InputText { text },
        ShownBlock::Image { mime_type, data } => {
            Part::InputImage { image_url: DataUrl { mime_type, data }, detail: "auto" }
        }
        ShownBlock::Document { mime_type, data, name } => {
            Part::InputFile { filename: name, file_data: DataUrl { mime_type, data } }
        }
    }
}

fn assistant<'a>(message: &'a AssistantMessage, model: &ModelSpec, out: &mut Vec<Item<'a>>) {
    let own = is_own(message, model);
    let first = out.len();
    for block in &message.content {
        match block {
            AssistantBlock::Text { text, .. } if text.is_empty() => {}
            AssistantBlock::Text { text, text_signature } => {
                let mark = text_signature.as_deref().filter(|_| own).and_then(MessageMark::read);
                out.push(Item::Plain(spoken(text, mark)));
            }
            AssistantBlock::Thinking { thinking_signature: Some(signature), .. } if own => {
                out.extend(Reasoning::read(signature).map(Item::Reasoning));
            }
            AssistantBlock::Thinking { .. } => {}
            AssistantBlock::ToolCall(call) => out.push(Item::Plain(called(call, own))),
        }
    }
    // Reasoning must be followed by what it led to; an answer that stopped before has nothing.
    while out.len() > first && matches!(out.last(), Some(Item::Reasoning(_))) {
        out.pop();
    }
}

fn spoken<'a>(text: &'a str, mark: Option<MessageMark<'a>>) -> Plain<'a> {
    let status = mark.is_some().then_some("completed");
    let (id, phase) = mark.map_or((None, None), |mark| (Some(mark.id), mark.phase));
    let content = vec![Part::OutputText { text, annotations: [] }];
    Plain::Message { id, role: Role::Assistant, content, status, phase }
}

fn called(call: &ToolCall, own: bool) -> Plain<'_> {
    let (id, item) = split_ids(call.id.as_str());
    Plain::FunctionCall {
        id: item.filter(|_| own),
        call_id: fit(id, ID_RULE),
        name: &call.name,
        arguments: call.arguments.to_string(),
    }
}

fn output<'a>(id: &'a str, output: Output<'a>) -> Item<'a> {
    Item::Plain(Plain::FunctionCallOutput { call_id: fit(split_ids(id).0, ID_RULE), output })
}

fn result_item<'a>(result: &'a ToolResultMessage, model: &ModelSpec) -> Item<'a> {
    let parts = result.content.iter().map(|block| part(block, model));
    let mut parts: Vec<Part<'a>> =
        parts.filter(|part| !matches!(part, Part::InputText { text } if text.is_empty())).collect();
    let only_text = parts.iter().all(|part| matches!(part, Part::InputText { .. }));
    let content = match parts.as_mut_slice() {
        [] => Output::Text(Cow::Borrowed(NO_OUTPUT)),
        [Part::InputText { text }] => Output::Text(std::mem::take(text)),
        // Servers that copied the API know text alone.
        _ if only_text => Output::Text(Cow::Owned(joined(&parts))),
        _ => Output::Parts(parts),
    };
    output(result.tool_call_id.as_str(), content)
}

fn joined(parts: &[Part<'_>]) -> String {
    let text = |part: &Part<'_>| match part {
        Part::InputText { text } => Some(text.to_string()),
        Part::InputImage { .. } | Part::InputFile { .. } | Part::OutputText { .. } => None,
    };
    parts.iter().filter_map(text).collect::<Vec<_>>().join("\n\n")
}
