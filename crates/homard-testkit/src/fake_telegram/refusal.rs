//! How the Bot API says no.

use serde_json::{Value, json};

/// A refusal: a code, words, and sometimes what to do.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Refusal {
    pub(super) code: u16,
    pub(super) description: String,
    pub(super) parameters: Option<Value>,
}

impl Refusal {
    pub(super) fn new(code: u16, description: impl Into<String>) -> Self {
        Self { code, description: description.into(), parameters: None }
    }

    pub(super) fn bad(why: impl AsRef<str>) -> Self {
        Self::new(400, format!("Bad Request: {}", why.as_ref()))
    }

    pub(super) fn forbidden(why: impl AsRef<str>) -> Self {
        Self::new(403, format!("Forbidden: {}", why.as_ref()))
    }

    pub(super) fn wait(seconds: u64) -> Self {
        Self {
            parameters: Some(json!({"retry_after": seconds})),
            ..Self::new(429, format!("Too Many Requests: retry after {seconds}"))
        }
    }

    pub(super) fn moved(to: i64) -> Self {
        Self {
            parameters: Some(json!({"migrate_to_chat_id": to})),
            ..Self::bad("group chat was upgraded to a supergroup chat")
        }
    }

    pub(super) fn document(&self) -> Value {
        let mut document = json!({"ok": false, "error_code": self.code, "description": self.description});
        if let (Some(parameters), Some(map)) = (&self.parameters, document.as_object_mut()) {
            map.insert("parameters".to_owned(), parameters.clone());
        }
        document
    }
}
