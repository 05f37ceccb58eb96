//! What OpenAI responses refuse.

use serde_json::Value;

use super::{MAX_NAME, Verdict, is_name, list, text};

/// Fields the API knows.
pub(super) const FIELDS: &[&str] = &[
    "background",
    "conversation",
    "include",
    "input",
    "instructions",
    "max_output_tokens",
    "max_tool_calls",
    "metadata",
    "model",
    "parallel_tool_calls",
    "previous_response_id",
    "prompt",
    "prompt_cache_key",
    "prompt_cache_retention",
    "reasoning",
    "safety_identifier",
    "service_tier",
    "store",
    "stream",
    "stream_options",
    "temperature",
    "text",
    "tool_choice",
    "tools",
    "top_logprobs",
    "top_p",
    "truncation",
    "user",
];
/// The shortest answer that can be asked for.
const MIN_OUTPUT: u64 = 16;
/// Longest item id, call id and cache key.
const MAX_ID: usize = 64;
const INCLUDES: &[&str] = &[
    "code_interpreter_call.outputs",
    "computer_call_output.output.image_url",
    "file_search_call.results",
    "message.input_image.image_url",
    "message.output_text.logprobs",
    "reasoning.encrypted_content",
    "web_search_call.action.sources",
];
const EFFORTS: &[&str] = &["none", "minimal", "low", "medium", "high", "xhigh"];
const SUMMARIES: &[&str] = &["auto", "concise", "detailed"];

pub(super) fn check(body: &Value) -> Verdict {
    frame(body)?;
    tools(body)?;
    match body.get("input") {
        Some(Value::String(_)) => Ok(()),
        Some(Value::Array(items)) if !items.is_empty() => input(items, body),
        _ => Err("Missing required parameter: 'input'.".to_owned()),
    }
}

fn frame(body: &Value) -> Verdict {
    let one_of = |pointer: &str, known: &[&str]| match body.pointer(pointer) {
        None | Some(Value::Null) => Ok(()),
        Some(Value::String(word)) if known.contains(&word.as_str()) => Ok(()),
        Some(other) => Err(format!("Invalid value for {pointer}: {other}")),
    };
    one_of("/reasoning/effort", EFFORTS)?;
    one_of("/reasoning/summary", SUMMARIES)?;
    if let Some(other) = list(body, "include").iter().find(|word| !known(word, INCLUDES)) {
        return Err(format!("Invalid value for include: {other}"));
    }
    if body.get("max_output_tokens").is_some_and(|n| n.as_u64().is_none_or(|n| n < MIN_OUTPUT)) {
        return Err(format!("max_output_tokens: expected a value >= {MIN_OUTPUT}"));
    }
    if text(body, "prompt_cache_key").len() > MAX_ID {
        return Err(format!("prompt_cache_key: string too long, maximum length {MAX_ID}"));
    }
    for (key, is_right) in [
        ("instructions", Value::is_string as fn(&Value) -> bool),
        ("store", Value::is_boolean),
        ("stream", Value::is_boolean),
        ("prompt_cache_key", Value::is_string),
    ] {
        if !body.get(key).is_none_or(is_right) {
            return Err(format!("Invalid type for '{key}'"));
        }
    }
    Ok(())
}

fn known(word: &Value, words: &[&str]) -> bool {
    word.as_str().is_some_and(|word| words.contains(&word))
}

fn tools(body: &Value) -> Verdict {
    for tool in list(body, "tools") {
        if text(tool, "type") != "function" || !is_name(text(tool, "name"), MAX_NAME) {
            return Err("tools: each needs type `function` and a valid name".to_owned());
        }
        if !tool.get("parameters").is_some_and(Value::is_object) {
            return Err("tools: parameters must be an object".to_owned());
        }
        // Left out it means true, which wants every property required and no others.
        if tool.get("strict") != Some(&Value::Bool(false)) {
            return Err("tools: strict schemas are not what this fake checks".to_owned());
        }
    }
    Ok(())
}

fn input(items: &[Value], body: &Value) -> Verdict {
    let stored = body.get("store") != Some(&Value::Bool(false));
    let mut open: Vec<&str> = Vec::new();
    for (n, item) in items.iter().enumerate() {
        match text(item, "type") {
            "" | "message" => message(n, item)?,
            "reasoning" => {
                reasoning(n, item, stored)?;
                follows(n, items.get(n + 1))?;
            }
            "function_call" => {
                call(n, item)?;
                let id = text(item, "call_id");
                if open.contains(&id) {
                    return Err(format!("input[{n}]: duplicate call_id {id}"));
                }
                open.push(id);
            }
            "function_call_output" => {
                let id = text(item, "call_id");
                let Some(at) = open.iter().position(|call| *call == id) else {
                    return Err(format!("No tool call found for function call output with call_id {id}."));
                };
                open.remove(at);
                output(n, item)?;
            }
            other => return Err(format!("input[{n}]: Invalid value: '{other}' for type")),
        }
    }
    match open.first() {
        None => Ok(()),
        Some(id) => Err(format!("No tool output found for function call {id}.")),
    }
}

fn item_id(n: usize, item: &Value, prefix: &str) -> Verdict {
    match item.get("id") {
        None => Ok(()),
        Some(Value::String(id)) if id.starts_with(prefix) && id.len() <= MAX_ID => Ok(()),
        Some(id) => {
            Err(format!("Invalid 'input[{n}].id': {id}. Expected an ID that begins with '{prefix}'."))
        }
    }
}

fn message(n: usize, item: &Value) -> Verdict {
    item_id(n, item, "msg_")?;
    let kinds: &[&str] = match text(item, "role") {
        "user" | "system" | "developer" => &["input_text", "input_image", "input_file"],
        "assistant" => &["output_text", "refusal"],
        other => return Err(format!("input[{n}]: Invalid value: '{other}' for role")),
    };
    match item.get("content") {
        Some(Value::String(_)) => Ok(()),
        Some(Value::Array(list)) => parts(n, list, kinds),
        _ => Err(format!("input[{n}]: content must be a string or an array")),
    }
}

fn parts(n: usize, parts: &[Value], kinds: &[&str]) -> Verdict {
    for part in parts {
        let kind = text(part, "type");
        let is_string = |key: &str| part.get(key).is_some_and(Value::is_string);
        let complete = match kind {
            "input_text" | "output_text" => is_string("text"),
            "refusal" => is_string("refusal"),
            "input_image" => text(part, "image_url").starts_with("data:") || is_string("file_id"),
            "input_file" => is_string("filename") && text(part, "file_data").starts_with("data:"),
            _ => false,
        };
        if !kinds.contains(&kind) || !complete {
            return Err(format!("input[{n}]: invalid content part: {kind}"));
        }
    }
    Ok(())
}

fn reasoning(n: usize, item: &Value, stored: bool) -> Verdict {
    item_id(n, item, "rs_")?;
    if !item.get("summary").is_some_and(Value::is_array) {
        return Err(format!("Missing required parameter: 'input[{n}].summary'."));
    }
    if !stored && text(item, "encrypted_content").is_empty() {
        let id = text(item, "id");
        return Err(format!(
            "Item with id '{id}' not found. Items are not persisted when `store` is set to false."
        ));
    }
    let extra =
        |key: &&String| !["type", "id", "summary", "content", "encrypted_content"].contains(&key.as_str());
    match item.as_object().and_then(|item| item.keys().find(extra)) {
        None => Ok(()),
        Some(key) => Err(format!("Unknown parameter: 'input[{n}].{key}'.")),
    }
}

/// Reasoning belongs to what it led to.
fn follows(n: usize, next: Option<&Value>) -> Verdict {
    let led_to = next.is_some_and(|next| match text(next, "type") {
        "reasoning" | "function_call" => true,
        "" | "message" => text(next, "role") == "assistant",
        _ => false,
    });
    if led_to {
        return Ok(());
    }
    Err(format!("input[{n}] of type 'reasoning' was provided without its required following item."))
}

fn call(n: usize, item: &Value) -> Verdict {
    item_id(n, item, "fc_")?;
    let id = text(item, "call_id");
    if id.is_empty() || id.len() > MAX_ID {
        return Err(format!("input[{n}]: call ids have 1 to {MAX_ID} characters"));
    }
    if !is_name(text(item, "name"), MAX_NAME) || !item.get("arguments").is_some_and(Value::is_string) {
        return Err(format!("input[{n}]: a call needs a valid name and arguments as a string"));
    }
    Ok(())
}

fn output(n: usize, item: &Value) -> Verdict {
    match item.get("output") {
        Some(Value::String(_)) => Ok(()),
        Some(Value::Array(list)) => parts(n, list, &["input_text", "input_image", "input_file"]),
        _ => Err(format!("input[{n}]: output must be a string or an array")),
    }
}

#[cfg(test)]
mod tests;
