//! What real providers refuse, refused here: written from the APIs' public documentation.

use http::HeaderMap;
use serde_json::Value;

use super::dialect::Api;
use super::{bedrock, google};

mod ollama;
mod responses;

const OPENAI_FIELDS: &[&str] = &[
    "audio",
    "enable_thinking",
    "frequency_penalty",
    "logit_bias",
    "logprobs",
    "max_completion_tokens",
    "max_tokens",
    "messages",
    "metadata",
    "modalities",
    "model",
    "n",
    "parallel_tool_calls",
    "prediction",
    "presence_penalty",
    "prompt_cache_key",
    "reasoning_effort",
    "response_format",
    "safety_identifier",
    "seed",
    "service_tier",
    "stop",
    "store",
    "stream",
    "stream_options",
    "temperature",
    "thinking",
    "tool_choice",
    "tools",
    "top_logprobs",
    "top_p",
    "user",
    "verbosity",
];
const ANTHROPIC_FIELDS: &[&str] = &[
    "cache_control",
    "container",
    "context_management",
    "max_tokens",
    "mcp_servers",
    "messages",
    "metadata",
    "model",
    "output_config",
    "service_tier",
    "stop_sequences",
    "stream",
    "system",
    "temperature",
    "thinking",
    "tool_choice",
    "tools",
    "top_k",
    "top_p",
];
/// The smallest thinking budget Anthropic accepts.
const MIN_BUDGET: u64 = 1_024;
/// Most marks for the cache in one request.
const MAX_MARKS: usize = 4;
/// The kinds of picture Anthropic reads.
const PICTURES: &[&str] = &["image/jpeg", "image/png", "image/gif", "image/webp"];
/// Longest tool-call id and tool name.
const MAX_NAME: usize = 64;
/// Longest tool-call id OpenAI accepts.
const MAX_OPENAI_ID: usize = 40;

/// How the tokens of a Claude subscription begin.
const SUBSCRIPTION: &str = "sk-ant-oat";

type Verdict = Result<(), String>;

/// Judges a request; the error is what the provider would say.
pub(super) fn check(api: Api, body: &Value, headers: &HeaderMap) -> Verdict {
    let fields = match api {
        Api::OpenAi => OPENAI_FIELDS,
        Api::Anthropic => ANTHROPIC_FIELDS,
        Api::Responses => responses::FIELDS,
        Api::Ollama => ollama::FIELDS,
        Api::Bedrock => return bedrock::check(body, headers),
        Api::Google => return google::check(body, headers),
        Api::CodeAssist => return google::check_enveloped(body, headers),
    };
    let object = body.as_object().ok_or("the body must be an object")?;
    if let Some(unknown) = object.keys().find(|key| !fields.contains(&key.as_str())) {
        return Err(format!("Unrecognized request argument supplied: {unknown}"));
    }
    if body.get("model").and_then(Value::as_str).is_none_or(str::is_empty) {
        return Err("you must provide a model parameter".to_owned());
    }
    let messages = list(body, "messages");
    if messages.is_empty() && api != Api::Responses {
        return Err("messages: at least one message is required".to_owned());
    }
    match api {
        Api::OpenAi => openai_tools(body).and_then(|()| openai_messages(messages)),
        Api::Anthropic => anthropic_frame(body, headers)
            .and_then(|()| anthropic_thinking(body, messages))
            .and_then(|()| anthropic_messages(messages)),
        Api::Responses => responses::check(body),
        Api::Ollama => ollama::check(body),
        // Judged above: their frame is another.
        Api::Bedrock | Api::Google | Api::CodeAssist => Ok(()),
    }
}

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn is_name(name: &str, limit: usize) -> bool {
    !name.is_empty()
        && name.len() <= limit
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
}

fn openai_tools(body: &Value) -> Verdict {
    for tool in list(body, "tools") {
        let function = tool.get("function").unwrap_or(&Value::Null);
        if text(tool, "type") != "function" || !is_name(text(function, "name"), MAX_NAME) {
            return Err("tools: each needs type `function` and a function with a valid name".to_owned());
        }
        if !function.get("parameters").is_none_or(Value::is_object) {
            return Err("tools: parameters must be an object".to_owned());
        }
    }
    Ok(())
}

fn openai_messages(messages: &[Value]) -> Verdict {
    let mut open: Vec<&str> = Vec::new();
    for (n, message) in messages.iter().enumerate() {
        let role = text(message, "role");
        if role != "tool" && !open.is_empty() {
            return Err(format!(
                "messages[{n}]: tool_call_ids did not have response messages: {}",
                open.join(", ")
            ));
        }
        match role {
            "system" | "developer" | "user" => openai_content(n, message)?,
            "assistant" => {
                for call in list(message, "tool_calls") {
                    openai_call(n, call)?;
                    open.push(text(call, "id"));
                }
                if message.get("content").is_none_or(Value::is_null) && open.is_empty() {
                    return Err(format!("messages[{n}]: an assistant message needs content or tool_calls"));
                }
            }
            "tool" => {
                let id = text(message, "tool_call_id");
                let Some(at) = open.iter().position(|call| *call == id) else {
                    return Err(format!(
                        "messages[{n}]: role 'tool' must follow a message with 'tool_calls' ({id})"
                    ));
                };
                open.remove(at);
                openai_content(n, message)?;
            }
            other => return Err(format!("messages[{n}]: Invalid value: '{other}' for role")),
        }
    }
    if open.is_empty() { Ok(()) } else { Err(format!("tool calls without a result: {}", open.join(", "))) }
}

fn openai_call(n: usize, call: &Value) -> Verdict {
    let function = call.get("function").unwrap_or(&Value::Null);
    let id = text(call, "id");
    if id.is_empty() || id.len() > MAX_OPENAI_ID {
        return Err(format!("messages[{n}]: tool call ids have 1 to {MAX_OPENAI_ID} characters"));
    }
    if text(call, "type") != "function" || !function.get("arguments").is_some_and(Value::is_string) {
        return Err(format!("messages[{n}]: a tool call needs type `function` and arguments as a string"));
    }
    Ok(())
}

fn openai_content(n: usize, message: &Value) -> Verdict {
    match message.get("content") {
        Some(Value::String(_)) => Ok(()),
        Some(Value::Array(parts)) => match parts.iter().find(|part| !openai_part(part)) {
            None => Ok(()),
            Some(part) => Err(format!("messages[{n}]: invalid content part: {}", text(part, "type"))),
        },
        _ => Err(format!("messages[{n}]: content must be a string or an array")),
    }
}

fn openai_part(part: &Value) -> bool {
    match text(part, "type") {
        "text" => part.get("text").is_some_and(Value::is_string),
        "image_url" => part.pointer("/image_url/url").is_some_and(Value::is_string),
        "file" => part.pointer("/file/file_data").is_some_and(Value::is_string),
        _ => false,
    }
}

fn anthropic_frame(body: &Value, headers: &HeaderMap) -> Verdict {
    if !headers.contains_key("anthropic-version") {
        return Err("anthropic-version: header is required".to_owned());
    }
    anthropic_subscription(body, headers)?;
    let max_tokens = body.get("max_tokens").and_then(Value::as_u64).unwrap_or(0);
    if max_tokens == 0 {
        return Err("max_tokens: Field required".to_owned());
    }
    if let Some(budget) = body.pointer("/thinking/budget_tokens").and_then(Value::as_u64)
        && !(MIN_BUDGET..max_tokens).contains(&budget)
    {
        return Err("thinking.budget_tokens: must be at least 1024 and less than max_tokens".to_owned());
    }
    match list(body, "tools")
        .iter()
        .find(|tool| !is_name(text(tool, "name"), MAX_NAME) || !tool["input_schema"].is_object())
    {
        None => Ok(()),
        Some(tool) => Err(format!("tools: `{}` needs a valid name and an input_schema", text(tool, "name"))),
    }
}

/// A subscription pays only for its own program, which says who it is before anything else.
fn anthropic_subscription(body: &Value, headers: &HeaderMap) -> Verdict {
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if header("x-api-key").starts_with(SUBSCRIPTION) {
        return Err("invalid x-api-key".to_owned());
    }
    if !header("authorization").starts_with(&format!("Bearer {SUBSCRIPTION}")) {
        return Ok(());
    }
    if !header("anthropic-beta").split(',').any(|word| word.trim() == "oauth-2025-04-20") {
        return Err("OAuth authentication is currently not supported.".to_owned());
    }
    let first = body.pointer("/system/0/text").and_then(Value::as_str);
    if first != Some("You are Claude Code, Anthropic's official CLI for Claude.") {
        return Err(
            "This credential is only authorized for use with Claude Code and cannot be used for other API \
                    requests."
                .to_owned(),
        );
    }
    Ok(())
}

/// A turn that calls tools is thought through from its first answer or not at all, and marks are few.
fn anthropic_thinking(body: &Value, messages: &[Value]) -> Verdict {
    let marks = body.to_string().matches("\"cache_control\":").count();
    if marks > MAX_MARKS {
        return Err(format!(
            "A maximum of {MAX_MARKS} blocks with cache_control may be provided. Found {marks}."
        ));
    }
    let has = |message: &Value, kind: &str| {
        list(message, "content").iter().any(|block| text(block, "type") == kind)
    };
    let (mut rest, mut opening) = (messages, None);
    while let [before @ .., answer, results] = rest
        && has(results, "tool_result")
    {
        (rest, opening) = (before, Some(answer));
    }
    let first = opening.and_then(|answer| list(answer, "content").first()).map(|block| text(block, "type"));
    let thinks = body.pointer("/thinking/type").is_some_and(|kind| kind == "enabled");
    match first {
        Some(kind) if thinks && !matches!(kind, "thinking" | "redacted_thinking") => {
            Err(format!("Expected `thinking` or `redacted_thinking`, but found `{kind}`."))
        }
        _ => Ok(()),
    }
}

fn anthropic_messages(messages: &[Value]) -> Verdict {
    let mut open: Vec<&str> = Vec::new();
    for (n, message) in messages.iter().enumerate() {
        let role = text(message, "role");
        if !matches!(role, "user" | "assistant") {
            return Err(format!("messages.{n}.role: Input should be 'user' or 'assistant'"));
        }
        if n == 0 && role != "user" {
            return Err("messages: first message must use the \"user\" role".to_owned());
        }
        let blocks = list(message, "content");
        if blocks.is_empty() && text(message, "content").is_empty() {
            return Err(format!("messages.{n}: all messages must have non-empty content"));
        }
        for block in blocks {
            anthropic_block(n, role, block, &mut open)?;
        }
        if role == "user" && !open.is_empty() {
            return Err(format!(
                "messages.{n}: tool_use ids were found without tool_result blocks: {}",
                open.join(", ")
            ));
        }
    }
    if open.is_empty() { Ok(()) } else { Err(format!("tool_use without tool_result: {}", open.join(", "))) }
}

fn is_picture(kind: &Value) -> bool {
    kind.as_str().is_some_and(|kind| PICTURES.contains(&kind))
}

fn anthropic_block<'a>(n: usize, role: &str, block: &'a Value, open: &mut Vec<&'a str>) -> Verdict {
    match (text(block, "type"), role) {
        ("text", _) if text(block, "text").trim().is_empty() => {
            Err(format!("messages.{n}: text content blocks must be non-empty"))
        }
        ("image", _) if !block.pointer("/source/media_type").is_some_and(is_picture) => {
            Err(format!("messages.{n}: media_type: Input should be one of {PICTURES:?}"))
        }
        ("text" | "image" | "document", _) => Ok(()),
        ("thinking", "assistant") if text(block, "signature").is_empty() => {
            Err(format!("messages.{n}: thinking.signature: Field required"))
        }
        ("thinking" | "redacted_thinking", "assistant") => Ok(()),
        ("tool_use", "assistant") if !is_name(text(block, "id"), MAX_NAME) || !block["input"].is_object() => {
            Err(format!(
                "messages.{n}: tool_use needs an id of letters, digits, _ and -, and an input object"
            ))
        }
        ("tool_use", "assistant") => {
            open.push(text(block, "id"));
            Ok(())
        }
        ("tool_result", "user") => {
            let id = text(block, "tool_use_id");
            let at = open.iter().position(|call| *call == id);
            let at = at.ok_or_else(|| {
                format!("messages.{n}: unexpected tool_use_id found in tool_result blocks: {id}")
            })?;
            open.remove(at);
            Ok(())
        }
        (kind, role) => Err(format!("messages.{n}: block `{kind}` is not allowed for role `{role}`")),
    }
}

#[cfg(test)]
mod tests;
