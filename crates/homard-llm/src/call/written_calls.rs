//! Calls of tools that a model wrote into its text, because its server knows no others.
//!
//! Two spellings are read: JSON between `<tool_call>` marks, anywhere; and JSON alone, fenced or not, when it is the
//! whole answer. Only tools that were offered are called, with an object of arguments: what explains a call, or
//! names something else, stays text.

use serde_json::{Map, Value};

use crate::call::request::ToolSpec;

/// The marks models are trained to write around a call.
const MARKS: [(&str, &str); 2] = [("<tool_call>", "</tool_call>"), ("<function_call>", "</function_call>")];
/// What the arguments are called.
const ARGUMENTS: [&str; 3] = ["arguments", "parameters", "args"];
/// Most calls of one answer.
const MAX_CALLS: usize = 32;

/// A call that was written as text.
#[derive(Debug, Clone, PartialEq)]
pub struct Written {
    pub name: String,
    pub arguments: Value,
}

/// The calls in a text, and the text without them; `None` when there are none.
#[must_use]
pub fn written_calls(text: &str, offered: &[ToolSpec]) -> Option<(Vec<Written>, String)> {
    if offered.is_empty() {
        return None;
    }
    let marked = MARKS.iter().find_map(|(open, close)| between(text, open, close, offered));
    marked.or_else(|| Some((whole(text, offered)?, String::new())))
}

/// Calls between marks; the last may lack its end.
fn between(text: &str, open: &str, close: &str, offered: &[ToolSpec]) -> Option<(Vec<Written>, String)> {
    let (mut calls, mut rest, mut outside) = (Vec::new(), text, String::new());
    while let Some((before, after)) = rest.split_once(open).filter(|_| calls.len() < MAX_CALLS) {
        let (inside, behind) = after.split_once(close).unwrap_or((after, ""));
        outside.push_str(before);
        rest = behind;
        match whole(inside, offered) {
            Some(found) => calls.extend(found),
            None => outside.push_str(&format!("{open}{inside}{close}")),
        }
    }
    outside.push_str(rest);
    (!calls.is_empty()).then(|| (calls, outside.trim().to_owned()))
}

/// Calls a text consists of.
fn whole(text: &str, offered: &[ToolSpec]) -> Option<Vec<Written>> {
    let value: Value = serde_json::from_str(unfenced(text.trim())).ok()?;
    let calls: Option<Vec<Written>> = match &value {
        Value::Object(map) => Some(vec![call(map, offered)?]),
        Value::Array(list) => {
            list.iter().take(MAX_CALLS).map(|one| call(one.as_object()?, offered)).collect()
        }
        _ => None,
    };
    calls.filter(|calls| !calls.is_empty())
}

fn call(map: &Map<String, Value>, offered: &[ToolSpec]) -> Option<Written> {
    // Some write the call as the APIs would.
    let map = map.get("function").and_then(Value::as_object).unwrap_or(map);
    let name = map.get("name")?.as_str()?;
    let tool = offered.iter().find(|tool| tool.name == name)?;
    let arguments = ARGUMENTS.iter().find_map(|key| map.get(*key))?;
    let arguments = match arguments {
        Value::String(text) => serde_json::from_str(text).ok()?,
        other => other.clone(),
    };
    arguments.is_object().then(|| Written { name: tool.name.clone(), arguments })
}

/// What is inside a fence, when the fence is all there is.
fn unfenced(text: &str) -> &str {
    let Some(inside) = text.strip_prefix("```").and_then(|rest| rest.strip_suffix("```")) else {
        return text;
    };
    let body = inside.split_once('\n').map_or(inside, |(_language, body)| body);
    if body.contains("```") { text } else { body.trim() }
}

#[cfg(test)]
mod tests;
