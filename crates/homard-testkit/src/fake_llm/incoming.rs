//! What a request asks for: only as much of the body is read as the answer needs, so that a benchmark's
//! long conversations cost little here.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

/// Text clients add for the model only; it is not what the person said.
const INTERNAL: &str = "INTERNAL_CONTEXT";

/// A request's outline.
#[derive(Deserialize)]
pub(super) struct Outline<'a> {
    #[serde(borrow, default)]
    pub(super) model: Cow<'a, str>,
    pub(super) stream: Option<bool>,
    #[serde(borrow, default, alias = "contents")]
    messages: Vec<&'a RawValue>,
    /// The same as `messages` in the one API that says so; there it may be a mere text.
    #[serde(borrow)]
    input: Option<&'a RawValue>,
    #[serde(borrow, default)]
    tools: Vec<&'a RawValue>,
    /// The request itself, in the one API that puts it into an envelope.
    #[serde(borrow)]
    request: Option<Box<Self>>,
}

#[derive(Deserialize)]
struct Said {
    #[serde(default)]
    r#type: String,
    #[serde(default)]
    role: String,
    #[serde(default, alias = "parts")]
    content: Value,
    #[serde(default)]
    tool_calls: Value,
}

/// What the newest, still open turn consists of.
#[derive(Debug, Default, PartialEq)]
pub(super) struct OpenTurn {
    /// The role of the last message.
    pub(super) last_role: String,
    /// Whether a tool has answered already.
    pub(super) has_result: bool,
    /// What the person said.
    pub(super) text: String,
    pub(super) messages: usize,
    pub(super) tools: usize,
}

/// A tool to call in a turn nobody scripted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct PlannedTool {
    pub(super) name: String,
    #[serde(default)]
    pub(super) args: Value,
}

impl Outline<'_> {
    pub(super) fn offers_tools(&self) -> bool {
        self.request.as_ref().map_or(!self.tools.is_empty(), |inner| inner.offers_tools())
    }

    /// Reads the open turn: everything after the last assistant message that called no tool.
    pub(super) fn open_turn(&self) -> OpenTurn {
        if let Some(inner) = &self.request {
            return inner.open_turn();
        }
        let input = self.input.map(RawValue::get).unwrap_or_default();
        let items = serde_json::from_str::<Vec<&RawValue>>(input);
        let messages = items.as_ref().unwrap_or(&self.messages);
        let mut turn = OpenTurn { messages: messages.len(), tools: self.tools.len(), ..OpenTurn::default() };
        turn.text = serde_json::from_str(input).unwrap_or_default();
        // Where calls are messages of their own, the words before them belong to the same answer.
        let mut calls_follow = false;
        for (from_end, raw) in messages.iter().rev().enumerate() {
            let Ok(said) = serde_json::from_str::<Said>(raw.get()) else { continue };
            if from_end == 0 {
                turn.last_role.clone_from(&said.role);
            }
            if matches!(said.role.as_str(), "assistant" | "model") {
                let calls = said.tool_calls.as_array().is_some_and(|calls| !calls.is_empty());
                if calls
                    || calls_follow
                    || said.has_part("tool_use")
                    || said.has_key(&["toolUse", "functionCall"])
                {
                    continue;
                }
                break;
            }
            calls_follow = said.r#type == "function_call" || (calls_follow && said.r#type == "reasoning");
            turn.has_result |=
                said.role == "tool" || said.r#type == "function_call_output" || said.has_part("tool_result");
            turn.has_result |= said.has_key(&["toolResult", "functionResponse"]);
            if said.role == "user" && turn.text.is_empty() {
                turn.text = Some(said.text()).filter(|text| !text.contains(INTERNAL)).unwrap_or_default();
            }
        }
        turn
    }
}

impl Said {
    fn parts(&self) -> &[Value] {
        self.content.as_array().map_or(&[], Vec::as_slice)
    }

    fn has_part(&self, kind: &str) -> bool {
        self.parts().iter().any(|part| part.get("type").and_then(Value::as_str) == Some(kind))
    }

    /// Whether a part is of one of these kinds, in APIs where the kind is the key.
    fn has_key(&self, kinds: &[&str]) -> bool {
        self.parts().iter().any(|part| kinds.iter().any(|kind| part.get(kind).is_some()))
    }

    fn text(&self) -> String {
        match self.content.as_str() {
            Some(text) => text.to_owned(),
            None => self.parts().iter().filter_map(|part| part.get("text").and_then(Value::as_str)).collect(),
        }
    }
}

/// The value of the last `[[key=value]]` in a text.
pub(super) fn control<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    let opening = format!("[[{key}=");
    let (_, rest) = text.rsplit_once(opening.as_str())?;
    rest.split_once("]]").map(|(value, _)| value)
}

/// Reads `name:{json}`.
pub(super) fn tool_control(value: &str) -> Option<PlannedTool> {
    let (name, args) = value.split_once(':')?;
    Some(PlannedTool { name: name.to_owned(), args: serde_json::from_str(args).ok()? })
}
