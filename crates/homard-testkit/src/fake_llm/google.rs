//! How Gemini's API spells an answer, and what it refuses.

use bytes::Bytes;
use http::HeaderMap;
use serde_json::{Value, json};

use super::dialect::{Api, Dialect, pieces};
use super::script::Speech;

/// What a real server would sign a thought with.
const SIGNATURE: &str = "c2lnX2Zha2U=";
const FIELDS: &[&str] = &[
    "cachedContent",
    "contents",
    "generationConfig",
    "labels",
    "safetySettings",
    "systemInstruction",
    "toolConfig",
    "tools",
];
const ENVELOPE_FIELDS: &[&str] = &["model", "project", "request", "user_prompt_id"];
const SCHEMA_FIELDS: &[&str] = &[
    "type",
    "format",
    "title",
    "description",
    "nullable",
    "enum",
    "items",
    "properties",
    "required",
    "anyOf",
];
const PART_FIELDS: &[&str] = &["text", "inlineData", "functionCall", "functionResponse"];

type Verdict = Result<(), String>;

fn chunk(dialect: &Dialect<'_>, parts: &Value, finish: Option<&str>, words: usize) -> Bytes {
    Bytes::from(format!("data: {}\r\n\r\n", document(dialect, parts, finish, words)))
}

fn document(dialect: &Dialect<'_>, parts: &Value, finish: Option<&str>, words: usize) -> Value {
    let mut candidate = json!({"content": {"parts": parts, "role": "model"}, "index": 0});
    if let (Some(candidate), Some(finish)) = (candidate.as_object_mut(), finish) {
        candidate.insert("finishReason".to_owned(), json!(finish));
    }
    let prompt = dialect.prompt_tokens;
    let whole = json!({"candidates": [candidate], "modelVersion": dialect.model, "responseId": "fake",
           "usageMetadata": {"promptTokenCount": prompt, "candidatesTokenCount": words,
                             "totalTokenCount": prompt + words}});
    if dialect.api == Api::CodeAssist { json!({"response": whole, "traceId": "fake"}) } else { whole }
}

pub(super) fn head(dialect: &Dialect<'_>) -> Bytes {
    chunk(dialect, &json!([{"text": ""}]), None, 0)
}

pub(super) fn content(dialect: &Dialect<'_>, speech: &Speech) -> Vec<Bytes> {
    parts(speech).iter().map(|part| chunk(dialect, &json!([part]), None, 0)).collect()
}

fn parts(speech: &Speech) -> Vec<Value> {
    let mut out = Vec::new();
    if let Some(thinking) = &speech.thinking {
        out.extend(pieces(thinking).into_iter().map(|piece| json!({"text": piece, "thought": true})));
        sign(out.last_mut());
    }
    out.extend(speech.words.iter().map(|word| json!({"text": word})));
    let calls = out.len();
    // Calls come whole and without an id; of those made at once the first is signed.
    out.extend(speech.calls.iter().map(|(name, args)| json!({"functionCall": {"name": name, "args": args}})));
    sign(out.get_mut(calls));
    out
}

fn sign(part: Option<&mut Value>) {
    if let Some(part) = part.and_then(Value::as_object_mut) {
        part.insert("thoughtSignature".to_owned(), json!(SIGNATURE));
    }
}

pub(super) fn tail(dialect: &Dialect<'_>, words: usize) -> Bytes {
    chunk(dialect, &json!([{"text": ""}]), Some("STOP"), words)
}

pub(super) fn whole(dialect: &Dialect<'_>, speech: &Speech) -> Value {
    document(dialect, &Value::Array(parts(speech)), Some("STOP"), speech.words.len())
}

pub(super) fn error(status: u16, message: &str) -> Value {
    let word = match status {
        400 => "INVALID_ARGUMENT",
        401 => "UNAUTHENTICATED",
        403 => "PERMISSION_DENIED",
        404 => "NOT_FOUND",
        429 => "RESOURCE_EXHAUSTED",
        503 => "UNAVAILABLE",
        504 => "DEADLINE_EXCEEDED",
        _ => "INTERNAL",
    };
    json!({"error": {"code": status, "message": message, "status": word}})
}

fn list<'a>(value: &'a Value, pointer: &str) -> &'a [Value] {
    value.pointer(pointer).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// Judges a request; the error is what the provider would say.
pub(super) fn check(body: &Value, headers: &HeaderMap) -> Verdict {
    if !headers.contains_key("x-goog-api-key") && !headers.contains_key("authorization") {
        return Err("Method doesn't allow unregistered callers. Please use API Key".to_owned());
    }
    let object = body.as_object().ok_or("the body must be an object")?;
    if let Some(unknown) = object.keys().find(|key| !FIELDS.contains(&key.as_str())) {
        return Err(format!("Invalid JSON payload received. Unknown name \"{unknown}\": Cannot find field."));
    }
    for declaration in list(body, "/tools").iter().flat_map(|tool| list(tool, "/functionDeclarations")) {
        declared(declaration)?;
    }
    contents(list(body, "/contents"))
}

/// Judges a request in the envelope that a login's calls have.
pub(super) fn check_enveloped(body: &Value, headers: &HeaderMap) -> Verdict {
    let bearer = headers.get("authorization").and_then(|value| value.to_str().ok()).unwrap_or_default();
    if !bearer.starts_with("Bearer ") || headers.contains_key("x-goog-api-key") {
        return Err(
            "Request is missing required authentication credential. Expected OAuth 2 access token".to_owned()
        );
    }
    let object = body.as_object().ok_or("the body must be an object")?;
    if let Some(unknown) = object.keys().find(|key| !ENVELOPE_FIELDS.contains(&key.as_str())) {
        return Err(format!("Invalid JSON payload received. Unknown name \"{unknown}\": Cannot find field."));
    }
    let has = |name: &str| body.get(name).and_then(Value::as_str).is_some_and(|text| !text.is_empty());
    if !has("model") || !has("project") {
        return Err("Request contains an invalid argument.".to_owned());
    }
    check(body.get("request").unwrap_or(&Value::Null), headers)
}

fn declared(declaration: &Value) -> Verdict {
    let name = declaration.get("name").and_then(Value::as_str).unwrap_or_default();
    let plain = |c: char| c.is_ascii_alphanumeric() || "_.-:".contains(c);
    if name.is_empty()
        || name.len() > 64
        || name.starts_with(|c: char| c.is_ascii_digit())
        || !name.chars().all(plain)
    {
        return Err(format!("function_declarations[0].name: Invalid function name `{name}`"));
    }
    declaration.get("parameters").map_or(Ok(()), |schema| {
        let named = schema.get("properties").and_then(Value::as_object).is_some_and(|all| !all.is_empty());
        if !named {
            return Err(format!("{name}.parameters.properties: should be non-empty for OBJECT type"));
        }
        described(name, schema)
    })
}

fn described(path: &str, schema: &Value) -> Verdict {
    let map = schema.as_object().ok_or_else(|| format!("{path}: must be an object"))?;
    if let Some(unknown) = map.keys().find(|key| !SCHEMA_FIELDS.contains(&key.as_str())) {
        return Err(format!("Unknown name \"{unknown}\" at '{path}': Cannot find field."));
    }
    let kind = map.get("type").and_then(Value::as_str).unwrap_or_default();
    if kind.is_empty() && !map.contains_key("anyOf") {
        return Err(format!("{path}.type: must be specified"));
    }
    if kind == "array" && !map.contains_key("items") {
        return Err(format!("{path}.items: missing field"));
    }
    if map.contains_key("enum") && kind != "string" {
        return Err(format!("{path}.enum: only allowed for STRING type"));
    }
    let properties = map.get("properties").and_then(Value::as_object);
    for required in list(schema, "/required") {
        let name = required.as_str().unwrap_or_default();
        if !properties.is_some_and(|all| all.contains_key(name)) {
            return Err(format!("{path}.required: property is not defined: {name}"));
        }
    }
    let named = properties.into_iter().flatten().map(|(name, one)| (format!("{path}.{name}"), one));
    let items = map.get("items").map(|one| (format!("{path}.items"), one));
    named.chain(items).try_for_each(|(path, one)| described(&path, one))
}

fn contents(contents: &[Value]) -> Verdict {
    if contents.is_empty() {
        return Err("contents is not specified".to_owned());
    }
    let mut calls: Vec<&str> = Vec::new();
    for (n, content) in contents.iter().enumerate() {
        let role = content.get("role").and_then(Value::as_str).unwrap_or_default();
        let expected = if n % 2 == 0 { "user" } else { "model" };
        if role != expected {
            return Err(format!("contents[{n}]: roles must alternate between user and model, got `{role}`"));
        }
        let parts = list(content, "/parts");
        if parts.is_empty() {
            return Err(format!("contents[{n}].parts must not be empty"));
        }
        for part in parts {
            judged(n, role, part)?;
        }
        let names = |key: &str| -> Vec<&str> {
            let path = format!("/{key}/name");
            parts.iter().filter_map(|part| part.pointer(&path).and_then(Value::as_str)).collect()
        };
        if role == "user" && names("functionResponse") != calls {
            return Err(format!(
                "contents[{n}]: Please ensure that the number of function response parts is equal to the number of \
                 function call parts of the function call turn"
            ));
        }
        calls = if role == "model" { names("functionCall") } else { Vec::new() };
    }
    if calls.is_empty() { Ok(()) } else { Err("the last turn calls functions nobody answered".to_owned()) }
}

fn judged(n: usize, role: &str, part: &Value) -> Verdict {
    let has = |key: &str| part.get(key).is_some();
    if PART_FIELDS.iter().filter(|key| has(key)).count() != 1 {
        return Err(format!("contents[{n}].parts: each has exactly one of {PART_FIELDS:?}"));
    }
    let text = part.get("text").and_then(Value::as_str);
    if text.is_some_and(|text| text.trim().is_empty()) {
        return Err(format!("contents[{n}].parts: text must not be empty"));
    }
    if part.get("functionCall").is_some_and(|call| !call["args"].is_object()) {
        return Err(format!("contents[{n}].parts.function_call.args: must be an object"));
    }
    if part.get("functionResponse").is_some_and(|answer| !answer["response"].is_object()) {
        return Err(format!("contents[{n}].parts.function_response.response: must be an object"));
    }
    let own = has("functionCall") || has("thought") || has("thoughtSignature");
    if (own && role != "model") || (has("functionResponse") && role != "user") {
        return Err(format!("contents[{n}].parts: not allowed for role `{role}`"));
    }
    Ok(())
}

#[cfg(test)]
mod tests;
