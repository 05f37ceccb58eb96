//! From whatever a provider said when it failed to one [`FailReason`].
//!
//! Providers agree on little: the same trouble is a status here, a code there and a sentence elsewhere. Codes
//! are the most exact and are read first, then sentences, then the status. All three are tables; a new
//! provider's spelling is a row, with a recorded body in the tests.

use serde_json::Value;

use crate::error::{FailReason, LlmError, scrub};

/// Machine words in `code` and `type` fields, matched as parts, first match wins.
const CODES: &[(&str, FailReason)] = &[
    ("insufficient_quota", FailReason::Billing),
    ("billing", FailReason::Billing),
    ("context_length_exceeded", FailReason::ContextOverflow),
    ("request_too_large", FailReason::ContextOverflow),
    ("content_filter", FailReason::ContentFilter),
    ("content_policy", FailReason::ContentFilter),
    ("model_not_found", FailReason::ModelNotFound),
    ("invalid_api_key", FailReason::Auth),
    ("authentication_error", FailReason::Auth),
    ("permission_error", FailReason::Auth),
    ("rate_limit", FailReason::RateLimit),
    ("resource_exhausted", FailReason::RateLimit),
    ("overloaded", FailReason::Overloaded),
    ("timeout", FailReason::Timeout),
    ("server_error", FailReason::Overloaded),
    ("api_error", FailReason::Overloaded),
];

/// Parts of sentences, in lower case, first match wins.
const SENTENCES: &[(&str, FailReason)] = &[
    ("maximum context length", FailReason::ContextOverflow),
    ("context length", FailReason::ContextOverflow),
    ("context window", FailReason::ContextOverflow),
    ("context size", FailReason::ContextOverflow),
    ("prompt is too long", FailReason::ContextOverflow),
    ("too many tokens in the prompt", FailReason::ContextOverflow),
    ("input is too long", FailReason::ContextOverflow),
    ("credit balance", FailReason::Billing),
    ("insufficient credit", FailReason::Billing),
    ("insufficient balance", FailReason::Billing),
    ("more credits", FailReason::Billing),
    ("payment required", FailReason::Billing),
    ("plan and billing", FailReason::Billing),
    ("plans & billing", FailReason::Billing),
    ("rate limit", FailReason::RateLimit),
    ("rate-limit", FailReason::RateLimit),
    ("too many requests", FailReason::RateLimit),
    ("quota exceeded", FailReason::RateLimit),
    ("usage limit", FailReason::RateLimit),
    ("overloaded", FailReason::Overloaded),
    ("at capacity", FailReason::Overloaded),
    ("no endpoints found", FailReason::ModelNotFound),
    ("not a valid model", FailReason::ModelNotFound),
    ("unknown model", FailReason::ModelNotFound),
    ("flagged", FailReason::ContentFilter),
    ("content policy", FailReason::ContentFilter),
    ("api key", FailReason::Auth),
    ("authentication", FailReason::Auth),
    ("unauthorized", FailReason::Auth),
    ("credentials", FailReason::Auth),
    ("expired token", FailReason::Auth),
    ("timed out", FailReason::Timeout),
    ("deadline exceeded", FailReason::Timeout),
];

/// What a provider said, found in whichever shape it said it.
#[derive(Debug, Default, PartialEq, Eq)]
struct Said {
    sentence: String,
    code: String,
}

/// Turns a failed response, or an error inside a stream (no status), into an error. `secrets` never appear
/// in it.
pub(crate) fn classify(status: Option<u16>, body: &[u8], secrets: &[&str]) -> LlmError {
    let said = read(body);
    let sentence = said.sentence.to_lowercase();
    let reason = find(CODES, &said.code)
        .or_else(|| find(SENTENCES, &sentence))
        .or_else(|| {
            mentions_missing_model(&sentence, &said.code, status).then_some(FailReason::ModelNotFound)
        })
        .unwrap_or_else(|| status.map_or(FailReason::Unknown, by_status));
    let what = if said.sentence.is_empty() { said.code } else { said.sentence };
    let what = scrub(&what, secrets);
    let message = match (status, what.is_empty()) {
        (Some(status), true) => format!("the provider answered {status} without a reason"),
        (Some(status), false) => format!("the provider answered {status}: {what}"),
        (None, true) => "the provider reported an error without a reason".to_owned(),
        (None, false) => format!("the provider reported an error: {what}"),
    };
    LlmError { status, ..LlmError::new(reason, message) }
}

fn find(table: &[(&str, FailReason)], text: &str) -> Option<FailReason> {
    if text.is_empty() {
        return None;
    }
    table.iter().find(|(part, _)| text.contains(part)).map(|&(_, reason)| reason)
}

fn mentions_missing_model(sentence: &str, code: &str, status: Option<u16>) -> bool {
    let missing = status == Some(404)
        || code.contains("not_found")
        || ["does not exist", "not found", "not supported"].iter().any(|part| sentence.contains(part));
    missing && sentence.contains("model")
}

fn by_status(status: u16) -> FailReason {
    match status {
        402 => FailReason::Billing,
        401 | 403 => FailReason::Auth,
        413 => FailReason::ContextOverflow,
        429 => FailReason::RateLimit,
        408 | 504 | 524 => FailReason::Timeout,
        300..=499 => FailReason::Format,
        500..=599 => FailReason::Overloaded,
        _ => FailReason::Unknown,
    }
}

/// Whether bytes begin like a web page.
pub(crate) fn looks_like_html(bytes: &[u8]) -> bool {
    let text = bytes.trim_ascii_start();
    let begins = |with: &[u8]| text.get(..with.len()).is_some_and(|start| start.eq_ignore_ascii_case(with));
    begins(b"<!doctype") || begins(b"<html") || begins(b"<head") || begins(b"<body")
}

/// A web page where an API should be: a login portal, a proxy's error page, or simply the wrong address.
pub(crate) fn web_page(status: u16, body: &[u8]) -> LlmError {
    let reason = if status >= 400 { by_status(status) } else { FailReason::Format };
    let title = title(body).map_or_else(String::new, |title| format!(" titled \"{title}\""));
    let message =
        format!("the provider answered {status} with a web page{title} instead of its API; check baseUrl");
    LlmError::new(reason, message).with_status(status)
}

fn title(body: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(body);
    let lower = text.to_ascii_lowercase();
    let from = lower.find("<title")?;
    let start = from + lower.get(from..)?.find('>')? + 1;
    let end = start + lower.get(start..)?.find("</title")?;
    let title: String = text.get(start..end)?.split_whitespace().collect::<Vec<_>>().join(" ");
    (!title.is_empty()).then(|| title.chars().take(80).collect())
}

fn read(body: &[u8]) -> Said {
    match serde_json::from_slice::<Value>(body) {
        Ok(value) => read_value(&value),
        Err(_) if looks_like_html(body) => {
            Said { sentence: title(body).unwrap_or_default(), code: String::new() }
        }
        Err(_) => Said { sentence: String::from_utf8_lossy(body).trim().to_owned(), code: String::new() },
    }
}

/// Reads `{error: {message, type, code, metadata: {raw}}}`, `{error: "…"}`, `{message}`, `{detail}` and any
/// of them as the first element of an array.
fn read_value(value: &Value) -> Said {
    let value = value.get(0).unwrap_or(value);
    let error = value.get("error").unwrap_or(value);
    if let Some(sentence) = error.as_str() {
        return Said { sentence: sentence.to_owned(), code: String::new() };
    }
    let text = |key: &str| error.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
    let mut sentence = text("message").or_else(|| text("detail")).unwrap_or_default().to_owned();
    let raw = error.pointer("/metadata/raw").and_then(Value::as_str);
    if let Some(raw) = raw.filter(|raw| !raw.is_empty()) {
        // A router's own sentence says only that somebody behind it failed; what they said is in here.
        let inner = read(raw.as_bytes());
        sentence = format!("{sentence}: {}", inner.sentence);
    }
    let codes = ["type", "code", "status"].iter().filter_map(|key| text(key)).map(str::to_lowercase);
    Said { sentence, code: codes.collect::<Vec<_>>().join(" ") }
}

#[cfg(test)]
mod tests;
