//! `/v1/models`: the agents, as models.

use homard_runtime::Clip;
use http::StatusCode;
use serde_json::{Value, json};

use super::MODELS;
use super::refusal::ApiError;
use super::wanted::Asker;
use homard_http::answers::{Answer, json_answer};

/// What the list begins with: the default agent by two names.
const DEFAULTS: [&str; 2] = ["openclaw", "openclaw/default"];

/// The list, or one of it.
pub(super) fn answer(asker: &Asker<'_>, path: &str) -> Result<Answer, ApiError> {
    let config = asker.api.config.current();
    let agents = config.agents.list.iter().map(|agent| format!("openclaw/{}", agent.id));
    let ids: Vec<String> = DEFAULTS.iter().map(|&id| id.to_owned()).chain(agents).collect();
    let Some(wanted) = path.strip_prefix(MODELS).and_then(|rest| rest.strip_prefix('/')) else {
        let data: Vec<Value> = ids.iter().map(|id| model(id)).collect();
        return Ok(json_answer(StatusCode::OK, &json!({"object": "list", "data": data})));
    };
    let wanted = decoded(wanted).filter(|id| !id.is_empty());
    let wanted = wanted.ok_or_else(|| ApiError::at("model", "Invalid model id."))?;
    match ids.iter().find(|id| **id == wanted) {
        Some(id) => Ok(json_answer(StatusCode::OK, &model(id))),
        None => Err(ApiError::NotFound(format!("Model '{}' not found.", wanted.clip_chars(100)))),
    }
}

fn model(id: &str) -> Value {
    json!({"id": id, "object": "model", "created": 0, "owned_by": "openclaw", "permission": []})
}

/// A part of a path in plain text; `None` when it is spelled wrongly.
fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let (byte, after) = match (first, after) {
            (b'%', [high, low, after @ ..]) => {
                let digits = [*high, *low];
                let digits = std::str::from_utf8(&digits).ok()?;
                (u8::from_str_radix(digits, 16).ok()?, after)
            }
            (b'%', _) => return None,
            (plain, after) => (plain, after),
        };
        bytes.push(byte);
        rest = after;
    }
    String::from_utf8(bytes).ok().filter(|text| !text.contains(char::is_control))
}
