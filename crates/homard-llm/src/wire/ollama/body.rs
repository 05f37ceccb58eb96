//! How a request is spelled for `ollama`, written straight from the messages it borrows.

use std::borrow::Cow;
use std::collections::BTreeMap;

use homard_protocol::{
    AssistantBlock, AssistantMessage, ToolCall, ToolResultMessage, UserBlock, UserContent,
};
use homard_runtime::CollectOrdered as _;
use serde::Serialize;
use serde_json::Value;

use crate::call::history::{MISSING_RESULT, Step, repaired};
use crate::call::request::{Request, ThinkingLevel};
use crate::spec::ModelSpec;
use crate::wire::attachment::{FROM_TOOL, NO_OUTPUT, SEE_IMAGE, ShownBlock, shown};
use crate::wire::chat_fields::{FunctionTool, SamplingFields, joined};
use crate::wire::is_own;

/// The one family that takes how hard to think; others are told whether.
const GRADED: &str = "gpt-oss";

/// Parameters that stand beside the options.
const BESIDE: [&str; 2] = ["keep_alive", "format"];

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
    think: Option<Think>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<FunctionTool<'a>>,
    options: Options<'a>,
    #[serde(flatten)]
    beside: BTreeMap<&'a str, &'a Value>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Think {
    Switch(bool),
    Level(&'static str),
}

#[derive(Serialize)]
struct Options<'a> {
    /// What the owner or the server says, so that the model is not loaded anew; left out, the server decides. Never
    /// what the model could hold: that may be more than the machine can.
    #[serde(skip_serializing_if = "Option::is_none")]
    num_ctx: Option<u32>,
    /// Left out, a model that repeats itself never stops.
    num_predict: u32,
    #[serde(flatten)]
    sampling: SamplingFields<'a>,
    #[serde(flatten)]
    extra: BTreeMap<&'a str, &'a Value>,
}

#[derive(Serialize)]
#[serde(tag = "role", rename_all = "lowercase")]
enum WireMessage<'a> {
    System {
        content: &'a str,
    },
    User {
        content: Cow<'a, str>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        images: Vec<&'a str>,
    },
    Assistant {
        content: Cow<'a, str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        thinking: Option<Cow<'a, str>>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        tool_calls: Vec<Call<'a>>,
    },
    Tool {
        /// By which the model knows which of several results this is; older servers go by the order.
        tool_call_id: &'a str,
        tool_name: &'a str,
        content: Cow<'a, str>,
    },
}

#[derive(Serialize)]
struct Call<'a> {
    id: &'a str,
    function: CalledFunction<'a>,
}

#[derive(Serialize)]
struct CalledFunction<'a> {
    name: &'a str,
    arguments: &'a Value,
}

impl<'a> Body<'a> {
    fn of(request: &'a Request) -> Self {
        let model = &*request.model;
        Self {
            model: model.id.as_str(),
            messages: messages(request),
            stream: true,
            // A model that cannot think refuses even to be asked.
            think: model.reasoning.then(|| think(request.thinking, model.id.as_str())),
            tools: request.tools.iter().map(|spec| FunctionTool::of(spec, model)).collect(),
            options: Options {
                num_ctx: model.context_window,
                num_predict: request.max_tokens.unwrap_or(model.max_tokens),
                sampling: SamplingFields::of(&request.sampling),
                extra: extra(model, |name| !BESIDE.contains(&name)),
            },
            beside: extra(model, |name| BESIDE.contains(&name)),
        }
    }
}

/// What the owner wants besides, of the names that belong there.
fn extra(model: &ModelSpec, belongs: impl Fn(&str) -> bool) -> BTreeMap<&str, &Value> {
    let named = model.params.extra.iter().map(|(name, value)| (name.as_str(), value));
    named.filter(|(name, _)| belongs(name)).collect_map()
}

fn think(level: ThinkingLevel, model: &str) -> Think {
    if !model.to_ascii_lowercase().contains(GRADED) {
        return Think::Switch(level != ThinkingLevel::Off);
    }
    match level {
        ThinkingLevel::Off => Think::Switch(false),
        ThinkingLevel::Minimal | ThinkingLevel::Low => Think::Level("low"),
        ThinkingLevel::Medium => Think::Level("medium"),
        ThinkingLevel::High | ThinkingLevel::XHigh => Think::Level("high"),
    }
}

fn messages(request: &Request) -> Vec<WireMessage<'_>> {
    let model = &*request.model;
    let mut out = Vec::with_capacity(request.messages.len() + 1);
    if !request.system.is_empty() {
        out.push(WireMessage::System { content: &request.system });
    }
    // Pictures of tools must wait until all results of the same answer have been listed.
    let mut pictures: Vec<&str> = Vec::new();
    for step in repaired(&request.messages) {
        if !matches!(step, Step::Result(_) | Step::Missing(_)) {
            flush(&mut pictures, &mut out);
        }
        match step {
            Step::User(user) => out.push(said(&user.content, model)),
            Step::Assistant(message) => out.push(assistant(message, model)),
            Step::Result(result) => out.push(tool_result(result, model, &mut pictures)),
            Step::Missing(call) => out.push(WireMessage::Tool {
                tool_call_id: call.id.as_str(),
                tool_name: &call.name,
                content: Cow::Borrowed(MISSING_RESULT),
            }),
        }
    }
    flush(&mut pictures, &mut out);
    out
}

fn flush<'a>(pictures: &mut Vec<&'a str>, out: &mut Vec<WireMessage<'a>>) {
    if !pictures.is_empty() {
        let images = std::mem::take(pictures);
        out.push(WireMessage::User { content: Cow::Borrowed(FROM_TOOL), images });
    }
}

fn said<'a>(content: &'a UserContent, model: &ModelSpec) -> WireMessage<'a> {
    match content {
        UserContent::Text(text) => WireMessage::User { content: Cow::Borrowed(text), images: Vec::new() },
        UserContent::Blocks(blocks) => {
            let (texts, images) = sorted(blocks, model);
            WireMessage::User { content: joined(texts), images }
        }
    }
}

/// Words and pictures of some blocks: the API keeps the two apart.
fn sorted<'a>(blocks: &'a [UserBlock], model: &ModelSpec) -> (Vec<Cow<'a, str>>, Vec<&'a str>) {
    let (mut texts, mut images) = (Vec::new(), Vec::new());
    for block in blocks {
        // The API has no place for documents.
        match shown(block, model, |kind| kind.starts_with("image/")) {
            ShownBlock::Text(text) if text.is_empty() => {}
            ShownBlock::Text(text) => texts.push(text),
            ShownBlock::Image { data, .. } | ShownBlock::Document { data, .. } => images.push(data),
        }
    }
    (texts, images)
}

fn assistant<'a>(message: &'a AssistantMessage, model: &ModelSpec) -> WireMessage<'a> {
    let own = is_own(message, model);
    let (mut texts, mut thoughts) = (Vec::new(), Vec::new());
    for block in &message.content {
        match block {
            AssistantBlock::Text { text, .. } if !text.is_empty() => texts.push(Cow::Borrowed(text.as_str())),
            AssistantBlock::Thinking { thinking, .. } if own && !thinking.is_empty() => {
                thoughts.push(Cow::Borrowed(thinking.as_str()));
            }
            AssistantBlock::Text { .. } | AssistantBlock::Thinking { .. } | AssistantBlock::ToolCall(_) => {}
        }
    }
    WireMessage::Assistant {
        content: joined(texts),
        thinking: (!thoughts.is_empty()).then(|| joined(thoughts)),
        tool_calls: message.tool_calls().map(called).collect(),
    }
}

fn called(call: &ToolCall) -> Call<'_> {
    Call { id: call.id.as_str(), function: CalledFunction { name: &call.name, arguments: &call.arguments } }
}

fn tool_result<'a>(
    result: &'a ToolResultMessage,
    model: &ModelSpec,
    pictures: &mut Vec<&'a str>,
) -> WireMessage<'a> {
    let (texts, mut images) = sorted(&result.content, model);
    let content = match (texts.is_empty(), images.is_empty()) {
        (false, _) => joined(texts),
        (true, false) => Cow::Borrowed(SEE_IMAGE),
        (true, true) => Cow::Borrowed(NO_OUTPUT),
    };
    pictures.append(&mut images);
    WireMessage::Tool { tool_call_id: result.tool_call_id.as_str(), tool_name: &result.tool_name, content }
}
