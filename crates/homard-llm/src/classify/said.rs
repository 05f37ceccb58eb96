//! What a provider said, found in whichever shape it said it.
//!
//! Bodies are JSON of a dozen shapes, JSON inside a string inside JSON, web pages, plain text or nothing.
//! This file only gathers; what it means is in `rules`.

use std::time::Duration;

use homard_runtime::Clip;
use serde_json::{Map, Value};

use super::looks_like_html;
use super::pause::{MAX_PAUSE, span};

/// How deep errors may be wrapped in each other: a router's in a proxy's in a library's.
const MAX_DEPTH: usize = 6;
/// How many of a list of details are looked at.
const MAX_LIST: usize = 16;
/// Longest title of a web page worth repeating, in characters.
const MAX_TITLE: usize = 80;

/// Fields that hold a sentence; the first that is there counts.
const SENTENCES: &[&str] =
    &["message", "Message", "error_msg", "status_msg", "msg", "detail", "error_description", "title"];
/// Fields that hold a machine word.
const CODES: &[&str] = &[
    "type",
    "code",
    "Code",
    "status",
    "__type",
    "error_type",
    "error_code",
    "reason",
    "quotaId",
    "notification_id",
];
/// Fields that hold another layer.
const LAYERS: &[&str] = &["error", "errors", "innererror", "inner_error", "error_details", "details"];
/// Fields that hold a pause in seconds.
const PAUSES: &[&str] = &["retryDelay", "resets_in_seconds", "retry_after", "retry_after_seconds"];

/// What was said.
#[derive(Debug, Default, PartialEq)]
pub(super) struct ErrorText {
    pub(super) sentence: String,
    /// More for people, worth searching and not worth repeating.
    pub(super) aside: String,
    codes: Vec<String>,
    /// An HTTP status repeated inside the body.
    pub(super) status: Option<u16>,
    /// How long to wait.
    pub(super) wait: Option<Duration>,
}

impl ErrorText {
    /// All machine words in lower case, each with a space on both sides.
    pub(super) fn codes(&self) -> String {
        format!(" {} ", self.codes.join(" "))
    }

    /// The machine word to repeat when there is no sentence.
    pub(super) fn first_code(&self) -> &str {
        self.codes.iter().map(String::as_str).find(|code| *code != "error").unwrap_or_default()
    }

    /// Adds a machine word. Some servers put a sentence where others put a word.
    pub(super) fn add_code(&mut self, code: &str) {
        let code = code.trim();
        if code.contains(char::is_whitespace) {
            self.aside.push_str(code);
            self.aside.push(' ');
        } else if !code.is_empty() {
            self.add_status(code.parse().ok());
            self.codes.push(code.to_lowercase());
        }
    }

    fn add_status(&mut self, number: Option<u64>) {
        let status = number.and_then(|n| u16::try_from(n).ok()).filter(|n| (400..600).contains(n));
        self.status = self.status.or(status);
    }

    fn add_sentence(&mut self, text: &str, depth: usize) {
        let text = text.trim();
        if matches!(text.as_bytes().first(), Some(b'{' | b'['))
            && let Ok(inner) = serde_json::from_str::<Value>(text)
        {
            return self.add(&inner, depth + 1);
        }
        if text.is_empty() || self.sentence.contains(text) {
            return;
        }
        if !self.sentence.is_empty() {
            self.sentence.push_str(": ");
        }
        self.sentence.push_str(text);
    }

    fn add(&mut self, value: &Value, depth: usize) {
        if depth > MAX_DEPTH {
            return;
        }
        match value {
            Value::String(text) => self.add_sentence(text, depth),
            Value::Array(list) => list.iter().take(MAX_LIST).for_each(|value| self.add(value, depth + 1)),
            Value::Object(fields) => self.add_object(fields, depth),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    fn add_object(&mut self, fields: &Map<String, Value>, depth: usize) {
        for value in CODES.iter().filter_map(|name| fields.get(*name)) {
            match value {
                Value::String(code) => self.add_code(code),
                Value::Number(number) => {
                    self.add_status(number.as_u64());
                    self.codes.push(number.to_string());
                }
                Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => {}
            }
        }
        for value in PAUSES.iter().filter_map(|name| fields.get(*name)) {
            self.wait = self.wait.or_else(|| pause(value));
        }
        if let Some(sentence) = SENTENCES.iter().find_map(|name| fields.get(*name).filter(|v| !is_empty(v))) {
            self.add(sentence, depth + 1);
        }
        for layer in LAYERS.iter().filter_map(|name| fields.get(*name)) {
            self.add(layer, depth + 1);
        }
        // A router's own sentence says only that somebody behind it failed; what they said is in here.
        if let Some(raw) = fields.get("metadata").and_then(|metadata| metadata.get("raw")) {
            self.add(raw, depth + 1);
        }
        if let Some(answer) = fields.get("base_resp") {
            // One vendor's numbers mean other things at the next, so they keep their field's name.
            if let Some(number) = answer.get("status_code").and_then(Value::as_u64) {
                self.codes.push(format!("base_resp_{number}"));
            }
            self.add(answer, depth + 1);
        }
    }
}

fn is_empty(value: &Value) -> bool {
    value.is_null() || value.as_str().is_some_and(|text| text.trim().is_empty())
}

fn pause(value: &Value) -> Option<Duration> {
    let wait = match value {
        Value::Number(seconds) => Duration::try_from_secs_f64(seconds.as_f64()?).ok()?,
        Value::String(text) => span(text)?,
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => return None,
    };
    Some(wait.min(MAX_PAUSE))
}

/// Reads a body of any shape.
pub(super) fn read(body: &[u8]) -> ErrorText {
    let mut said = ErrorText::default();
    match serde_json::from_slice::<Value>(body) {
        Ok(value) => said.add(&value, 0),
        Err(_) if looks_like_html(body) => said.sentence = title(body).unwrap_or_default(),
        Err(_) => said.add_sentence(&plain(body), MAX_DEPTH),
    }
    said
}

/// A text that is not JSON; one that is an event of a stream loses its field names.
fn plain(body: &[u8]) -> String {
    let text = String::from_utf8_lossy(body);
    text.trim().trim_start_matches("data:").trim().to_owned()
}

/// The title of a web page.
pub(super) fn title(body: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(body);
    let lower = text.to_ascii_lowercase();
    let from = lower.find("<title")?;
    let start = from + lower.get(from..)?.find('>')? + 1;
    let end = start + lower.get(start..)?.find("</title")?;
    let title: String = text.get(start..end)?.split_whitespace().collect::<Vec<_>>().join(" ");
    (!title.is_empty()).then(|| title.clip_chars(MAX_TITLE).to_owned())
}
