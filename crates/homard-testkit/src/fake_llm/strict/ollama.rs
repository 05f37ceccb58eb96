//! What Ollama refuses, and what it would swallow without doing it: unknown fields and lost results, which
//! no caller of ours may send.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use super::{MAX_NAME, Verdict, is_name, list, text};

/// Fields the API knows.
pub(super) const FIELDS: &[&str] = &[
    "format",
    "keep_alive",
    "logprobs",
    "messages",
    "model",
    "options",
    "stream",
    "think",
    "tools",
    "top_logprobs",
    "truncate",
];
/// Options that are whole numbers.
const WHOLE: &[&str] = &[
    "main_gpu",
    "num_batch",
    "num_ctx",
    "num_gpu",
    "num_keep",
    "num_predict",
    "num_thread",
    "repeat_last_n",
    "seed",
    "top_k",
];
/// Options that are any number.
const NUMBERS: &[&str] = &[
    "frequency_penalty",
    "min_p",
    "presence_penalty",
    "repeat_penalty",
    "temperature",
    "top_p",
    "typical_p",
];
const LEVELS: &[&str] = &["low", "medium", "high"];

pub(super) fn check(body: &Value) -> Verdict {
    match body.get("think") {
        None | Some(Value::Bool(_)) => {}
        Some(Value::String(level)) if LEVELS.contains(&level.as_str()) => {}
        Some(other) => return Err(format!("invalid think value: {other}")),
    }
    if !body.get("stream").is_none_or(Value::is_boolean) {
        return Err("json: cannot unmarshal into Go struct field ChatRequest.stream of type bool".to_owned());
    }
    options(body)?;
    tools(body)?;
    messages(list(body, "messages"))
}

fn options(body: &Value) -> Verdict {
    let Some(options) = body.get("options") else { return Ok(()) };
    let options = options.as_object().ok_or("options must be an object")?;
    for (key, value) in options {
        let is_right = match key.as_str() {
            key if WHOLE.contains(&key) => value.is_i64(),
            key if NUMBERS.contains(&key) => value.is_number(),
            "stop" => value.is_array(),
            "use_mmap" => value.is_boolean(),
            _ => return Err(format!("invalid option provided: {key}")),
        };
        if !is_right {
            return Err(format!("option \"{key}\" must be of another type"));
        }
    }
    Ok(())
}

fn tools(body: &Value) -> Verdict {
    for tool in list(body, "tools") {
        let function = tool.get("function").unwrap_or(&Value::Null);
        if text(tool, "type") != "function" || !is_name(text(function, "name"), MAX_NAME) {
            return Err("tools: each needs type `function` and a function with a valid name".to_owned());
        }
        if !function.get("parameters").is_some_and(Value::is_object) {
            return Err("tools: parameters must be an object".to_owned());
        }
    }
    Ok(())
}

fn messages(messages: &[Value]) -> Verdict {
    let mut open: Vec<&str> = Vec::new();
    for (n, message) in messages.iter().enumerate() {
        let role = text(message, "role");
        if !message.get("content").is_some_and(Value::is_string) {
            return Err(format!("messages[{n}]: json: cannot unmarshal content into a string"));
        }
        if role != "tool" && !open.is_empty() {
            return Err(format!("messages[{n}]: calls without a result before it: {}", open.join(", ")));
        }
        match role {
            "system" | "user" => images(n, message)?,
            "assistant" => {
                for call in list(message, "tool_calls") {
                    let function = call.get("function").unwrap_or(&Value::Null);
                    if !function.get("arguments").is_some_and(Value::is_object) {
                        return Err(format!("messages[{n}]: a call's arguments must be an object"));
                    }
                    open.push(text(function, "name"));
                }
                if !message.get("thinking").is_none_or(Value::is_string) {
                    return Err(format!("messages[{n}]: thinking must be a string"));
                }
            }
            "tool" => {
                let name = text(message, "tool_name");
                let Some(at) = open.iter().position(|call| *call == name) else {
                    return Err(format!("messages[{n}]: a result of `{name}`, which was not called"));
                };
                open.remove(at);
            }
            other => {
                return Err(format!(
                    "messages[{n}]: invalid role \"{other}\": must be one of system, user, assistant, tool"
                ));
            }
        }
    }
    if open.is_empty() { Ok(()) } else { Err(format!("calls without a result: {}", open.join(", "))) }
}

/// Pictures are plain base64, without the address around it.
fn images(n: usize, message: &Value) -> Verdict {
    let is_base64 = |image: &Value| image.as_str().is_some_and(|text| STANDARD.decode(text).is_ok());
    match message.get("images") {
        None => Ok(()),
        Some(Value::Array(images)) if images.iter().all(is_base64) => Ok(()),
        Some(_) => Err(format!("messages[{n}]: illegal base64 data in images")),
    }
}

#[cfg(test)]
mod tests;
