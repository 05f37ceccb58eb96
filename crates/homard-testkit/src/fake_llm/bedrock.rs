//! How Bedrock's converse API spells an answer, what it refuses, and how it checks a signature.

use bytes::Bytes;
use homard_runtime::hex;
use http::HeaderMap;
use http::request::Parts;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::dialect::{Dialect, pieces};
use super::script::Speech;

/// The access key the fake knows.
pub const AWS_ACCESS_KEY_ID: &str = "AKIDEXAMPLE";
/// Its secret.
pub const AWS_SECRET_ACCESS_KEY: &str = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";

/// What a real server would sign thinking with.
const SIGNATURE: &str = "sig_fake";
const FIELDS: &[&str] = &[
    "additionalModelRequestFields",
    "additionalModelResponseFieldPaths",
    "guardrailConfig",
    "inferenceConfig",
    "messages",
    "performanceConfig",
    "promptVariables",
    "requestMetadata",
    "serviceTier",
    "system",
    "toolConfig",
];
/// Longest tool-call id and tool name.
const MAX_NAME: usize = 64;

type Verdict = Result<(), String>;

/// One frame: lengths, checksum, headers, payload, checksum.
fn frame(kind: &str, payload: &Value) -> Vec<u8> {
    let mut headers = Vec::new();
    for (name, value) in
        [(":event-type", kind), (":content-type", "application/json"), (":message-type", "event")]
    {
        headers.push(u8::try_from(name.len()).unwrap_or(u8::MAX));
        headers.extend_from_slice(name.as_bytes());
        headers.push(7);
        headers.extend_from_slice(&u16::try_from(value.len()).unwrap_or(u16::MAX).to_be_bytes());
        headers.extend_from_slice(value.as_bytes());
    }
    let payload = payload.to_string();
    let length = |n: usize| u32::try_from(n).unwrap_or(u32::MAX).to_be_bytes();
    let mut out = Vec::new();
    out.extend_from_slice(&length(headers.len() + payload.len() + 16));
    out.extend_from_slice(&length(headers.len()));
    out.extend_from_slice(&crc32fast::hash(&out).to_be_bytes());
    out.extend_from_slice(&headers);
    out.extend_from_slice(payload.as_bytes());
    out.extend_from_slice(&crc32fast::hash(&out).to_be_bytes());
    out
}

fn delta(index: usize, delta: &Value) -> Vec<u8> {
    frame("contentBlockDelta", &json!({"contentBlockIndex": index, "delta": delta, "p": "abcdef"}))
}

fn stop(index: usize) -> Vec<u8> {
    frame("contentBlockStop", &json!({"contentBlockIndex": index, "p": "abc"}))
}

pub(super) fn head() -> Bytes {
    Bytes::from(frame("messageStart", &json!({"p": "abcd", "role": "assistant"})))
}

pub(super) fn content(dialect: &Dialect<'_>, speech: &Speech) -> Vec<Bytes> {
    let mut out = open_content(speech);
    let mut index = usize::from(speech.thinking.is_some());
    if !speech.words.is_empty() {
        append(&mut out, &stop(index));
        index += 1;
    }
    for (n, (name, arguments)) in speech.calls.iter().enumerate() {
        let text = arguments.to_string();
        let opening = json!({"toolUse": {"toolUseId": dialect.call_id(n), "name": name}});
        let start = json!({"contentBlockIndex": index, "start": opening});
        out.push(Bytes::from(frame("contentBlockStart", &start)));
        let piece = |piece| delta(index, &json!({"toolUse": {"input": piece}}));
        out.extend(pieces(&text).into_iter().map(piece).map(Bytes::from));
        append(&mut out, &stop(index));
        index += 1;
    }
    out
}

/// Thinking, closed, and text, still open. Text has no event of its own for its beginning.
pub(super) fn open_content(speech: &Speech) -> Vec<Bytes> {
    let mut out = Vec::new();
    let mut index = 0;
    if let Some(thinking) = &speech.thinking {
        let piece = |piece| delta(index, &json!({"reasoningContent": {"text": piece}}));
        out.extend(pieces(thinking).into_iter().map(piece).map(Bytes::from));
        append(&mut out, &delta(index, &json!({"reasoningContent": {"signature": SIGNATURE}})));
        append(&mut out, &stop(index));
        index += 1;
    }
    out.extend(speech.words.iter().map(|word| Bytes::from(delta(index, &json!({"text": word})))));
    out
}

/// Adds to the last piece, so that closing a block is no piece of its own.
fn append(out: &mut [Bytes], more: &[u8]) {
    if let Some(last) = out.last_mut() {
        *last = Bytes::from([last, more].concat());
    }
}

fn usage(dialect: &Dialect<'_>, words: usize) -> Value {
    let prompt = dialect.prompt_tokens;
    json!({"inputTokens": prompt, "outputTokens": words, "totalTokens": prompt + words,
           "cacheReadInputTokens": 0, "cacheWriteInputTokens": 0})
}

pub(super) fn tail(dialect: &Dialect<'_>, has_calls: bool, words: usize) -> Bytes {
    let reason = if has_calls { "tool_use" } else { "end_turn" };
    let mut out = frame("messageStop", &json!({"p": "abcdefgh", "stopReason": reason}));
    let told = json!({"metrics": {"latencyMs": 1}, "p": "ab", "usage": usage(dialect, words)});
    out.extend(frame("metadata", &told));
    Bytes::from(out)
}

pub(super) fn whole(dialect: &Dialect<'_>, speech: &Speech) -> Value {
    let mut content = vec![json!({"text": speech.words.concat()})];
    content.extend(speech.calls.iter().enumerate().map(|(n, (name, input))| {
        json!({"toolUse": {"toolUseId": dialect.call_id(n), "name": name, "input": input}})
    }));
    let reason = if speech.calls.is_empty() { "end_turn" } else { "tool_use" };
    json!({"output": {"message": {"role": "assistant", "content": content}}, "stopReason": reason,
           "usage": usage(dialect, speech.words.len())})
}

pub(super) fn error(message: &str) -> Value {
    json!({ "message": message })
}

fn list<'a>(value: &'a Value, pointer: &str) -> &'a [Value] {
    value.pointer(pointer).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn text<'a>(value: &'a Value, pointer: &str) -> &'a str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

fn is_name(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    !name.is_empty() && name.len() <= MAX_NAME && name.chars().all(plain)
}

/// Judges a request; the error is what the provider would say.
pub(super) fn check(body: &Value, headers: &HeaderMap) -> Verdict {
    if !headers.contains_key("authorization") {
        return Err("Missing Authentication Token".to_owned());
    }
    let object = body.as_object().ok_or("the body must be an object")?;
    if let Some(unknown) = object.keys().find(|key| !FIELDS.contains(&key.as_str())) {
        return Err(format!("extraneous key [{unknown}] is not permitted"));
    }
    let tools = list(body, "/toolConfig/tools");
    for tool in tools.iter().filter_map(|tool| tool.get("toolSpec")) {
        declared(tool)?;
    }
    let budget = body.pointer("/additionalModelRequestFields/thinking/budget_tokens").and_then(Value::as_u64);
    let max_tokens = body.pointer("/inferenceConfig/maxTokens").and_then(Value::as_u64);
    if budget.is_some_and(|budget| budget < 1_024 || max_tokens.is_none_or(|max| budget >= max)) {
        return Err("thinking.budget_tokens: at least 1024 and less than max_tokens".to_owned());
    }
    if body.to_string().matches("\"cachePoint\":").count() > 4 {
        return Err("You have exceeded the maximum number of cache checkpoints".to_owned());
    }
    let messages = list(body, "/messages");
    let uses = messages.iter().flat_map(|message| list(message, "/content"));
    if tools.is_empty() && uses.clone().any(|block| block.get("toolUse").is_some()) {
        return Err("The toolConfig field must be defined when using toolUse and toolResult content blocks."
            .to_owned());
    }
    let mut names: Vec<&str> =
        uses.map(|block| text(block, "/document/name")).filter(|name| !name.is_empty()).collect();
    names.sort_unstable();
    if names.windows(2).any(|pair| pair.first() == pair.last()) {
        return Err("Messages contain duplicate document names".to_owned());
    }
    conversation(messages)
}

fn declared(tool: &Value) -> Verdict {
    if !is_name(text(tool, "/name")) {
        return Err(format!("toolSpec.name: `{}` is not a valid name", text(tool, "/name")));
    }
    if tool.get("description").is_some_and(|description| description == "") {
        return Err("toolSpec.description: valid min length: 1".to_owned());
    }
    let schema = tool.pointer("/inputSchema/json").unwrap_or(&Value::Null);
    let union = ["anyOf", "oneOf", "allOf"].iter().any(|key| schema.get(key).is_some());
    if text(schema, "/type") != "object" || union {
        return Err(
            "toolSpec.inputSchema.json.type must be object, without anyOf, oneOf and allOf".to_owned()
        );
    }
    Ok(())
}

fn conversation(messages: &[Value]) -> Verdict {
    if messages.is_empty() {
        return Err("A conversation must start with a user message".to_owned());
    }
    let mut open: Vec<&str> = Vec::new();
    for (n, message) in messages.iter().enumerate() {
        let role = text(message, "/role");
        if role != if n % 2 == 0 { "user" } else { "assistant" } {
            return Err(format!(
                "messages.{n}: roles must alternate between user and assistant, got `{role}`"
            ));
        }
        let blocks = list(message, "/content");
        if blocks.is_empty() {
            return Err(format!("messages.{n}: the content field is empty"));
        }
        let has = |key: &str| blocks.iter().any(|block| block.get(key).is_some());
        if has("document") && !has("text") {
            return Err(format!("messages.{n}: a document needs a text block beside it"));
        }
        for block in blocks {
            judged(n, role, block)?;
            if let Some(answered) = block.pointer("/toolResult/toolUseId").and_then(Value::as_str) {
                let at = open.iter().position(|id| *id == answered);
                open.remove(
                    at.ok_or_else(|| format!("messages.{n}: toolResult without toolUse: {answered}"))?,
                );
            }
        }
        if role == "user" && !open.is_empty() {
            return Err(format!("messages.{n}: Expected toolResult blocks for the ids: {}", open.join(", ")));
        }
        let called = blocks.iter().map(|block| text(block, "/toolUse/toolUseId"));
        open.extend(called.filter(|id| !id.is_empty()));
    }
    if open.is_empty() { Ok(()) } else { Err(format!("toolUse without toolResult: {}", open.join(", "))) }
}

fn judged(n: usize, role: &str, block: &Value) -> Verdict {
    let Some((kind, value)) =
        block.as_object().filter(|block| block.len() == 1).and_then(|block| block.iter().next())
    else {
        return Err(format!("messages.{n}: a content block has exactly one kind"));
    };
    let fine = match (kind.as_str(), role) {
        ("text", _) => value.as_str().is_some_and(|text| !text.trim().is_empty()),
        ("image" | "document", "user") => {
            !text(value, "/format").is_empty() && !text(value, "/source/bytes").is_empty()
        }
        ("cachePoint", _) => text(value, "/type") == "default",
        ("toolUse", "assistant") => is_name(text(value, "/toolUseId")) && value["input"].is_object(),
        ("toolResult", "user") => !list(value, "/content").is_empty(),
        ("reasoningContent", "assistant") => {
            !text(value, "/reasoningText/signature").is_empty() || !text(value, "/redactedContent").is_empty()
        }
        _ => false,
    };
    if fine {
        Ok(())
    } else {
        Err(format!("messages.{n}: the `{kind}` block is blank or invalid for role `{role}`"))
    }
}

/// Computes the signature anew from what arrived, as the service does. Tokens and keys are not signed.
pub(super) fn signature(head: &Parts, body: &[u8]) -> Verdict {
    let header =
        |name: &str| head.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let authorization = header("authorization");
    let Some(claims) = authorization.strip_prefix("AWS4-HMAC-SHA256 ") else { return Ok(()) };
    let claim = |key: &str| claims.split(", ").find_map(|part| part.strip_prefix(key)).unwrap_or_default();
    let scope: Vec<&str> = claim("Credential=").split('/').collect();
    let &[AWS_ACCESS_KEY_ID, day, region, "bedrock", "aws4_request"] = scope.as_slice() else {
        return Err("The security token included in the request is invalid.".to_owned());
    };
    let names = claim("SignedHeaders=");
    for needed in ["host", "x-amz-date"] {
        if !names.split(';').any(|name| name == needed) {
            return Err(format!("'{needed}' must be a 'SignedHeader' in the AWS Authorization."));
        }
    }
    let covered: String = names.split(';').map(|name| format!("{name}:{}\n", header(name).trim())).collect();
    let path = head.uri.path().replace('%', "%25");
    let query = head.uri.query().unwrap_or_default();
    let request =
        format!("{}\n{path}\n{query}\n{covered}\n{names}\n{}", head.method, hex(&Sha256::digest(body)));
    let stamp = header("x-amz-date");
    let sealed = hex(&Sha256::digest(request.as_bytes()));
    let signed = format!("AWS4-HMAC-SHA256\n{stamp}\n{day}/{region}/bedrock/aws4_request\n{sealed}");
    let mut key = format!("AWS4{AWS_SECRET_ACCESS_KEY}").into_bytes();
    for part in [day, region, "bedrock", "aws4_request"] {
        key = hmac(&key, part.as_bytes());
    }
    if hex(&hmac(&key, signed.as_bytes())) == claim("Signature=") && stamp.starts_with(day) {
        return Ok(());
    }
    Err("The request signature we calculated does not match the signature you provided.".to_owned())
}

/// HMAC-SHA-256 for keys of up to one block, written out so that the fake shares no code with the caller.
fn hmac(key: &[u8], message: &[u8]) -> Vec<u8> {
    const BLOCK: usize = 64;
    let padded = |pad: u8| -> Vec<u8> {
        let bytes = key.iter().copied().chain(std::iter::repeat(0)).take(BLOCK);
        bytes.map(|byte| byte ^ pad).collect()
    };
    let inner = Sha256::digest([padded(0x36).as_slice(), message].concat());
    Sha256::digest([padded(0x5c).as_slice(), inner.as_slice()].concat()).to_vec()
}

#[cfg(test)]
mod tests;
