//! `models.json`: the providers of this house, written down for people and for programs that read the file.
//!
//! It never holds a key that came from elsewhere: where one lies in a variable the file names the variable,
//! otherwise it says nothing. A key somebody wrote into the file stays there. Headers are left out, because
//! they often are keys.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use homard_llm::{ApiKey, ModelSpec, ProviderSpec};
use homard_protocol::ProviderId;
use homard_runtime::replace_private;
use serde_json::{Map, Value, json};

use super::Inputs;
use super::kept::{KeptModels, WRITTEN};
use crate::auth::ProviderAuth;

/// Largest file worth reading, in bytes.
const MAX_FILE: u64 = 5 * 1024 * 1024;

/// What the file is to say.
pub(super) fn compose(
    providers: &[ProviderSpec],
    auth: &BTreeMap<ProviderId, ProviderAuth>,
    kept: &KeptModels<'_>,
    inputs: &Inputs<'_>,
) -> Value {
    let mut listed = Map::new();
    let mut written = Map::new();
    for spec in providers {
        let is_foreign = kept.is_theirs(&spec.id);
        let kept_key = kept.word_for_word(&spec.id, "apiKey");
        let key = kept_key.map(str::to_owned).or_else(|| variable(auth.get(&spec.id)?, inputs));
        let mut row = Map::new();
        row.insert("baseUrl".to_owned(), json!(spec.base_url));
        if let Some(key) = &key {
            row.insert("apiKey".to_owned(), json!(key));
        }
        row.insert("api".to_owned(), json!(spec.api));
        if auth.get(&spec.id).is_some_and(|auth| auth.aws) {
            row.insert("auth".to_owned(), json!("aws-sdk"));
        }
        if spec.auth_header {
            row.insert("authHeader".to_owned(), json!(true));
        }
        row.insert(
            "models".to_owned(),
            spec.models.iter().map(|model| described(model, &spec.api)).collect(),
        );
        if !is_foreign {
            written
                .insert(spec.id.to_string(), ours(kept, spec, kept_key.is_none().then_some(key).flatten()));
        }
        listed.insert(spec.id.to_string(), Value::Object(row));
    }
    json!({ "providers": listed, WRITTEN: written })
}

/// What we wrote ourselves and may therefore write anew next time.
fn ours(kept: &KeptModels<'_>, spec: &ProviderSpec, key: Option<String>) -> Value {
    let mut ours = Map::new();
    if kept.word_for_word(&spec.id, "baseUrl").is_none() {
        ours.insert("baseUrl".to_owned(), json!(spec.base_url));
    }
    if let Some(key) = key {
        ours.insert("apiKey".to_owned(), json!(key));
    }
    Value::Object(ours)
}

/// The name of the variable a provider's key lies in, if it lies in one.
fn variable(auth: &ProviderAuth, inputs: &Inputs<'_>) -> Option<String> {
    let by_value = |key: &ApiKey| {
        let mut variables = inputs.env.iter();
        variables.find(|(_, value)| value.trim() == key.expose()).map(|(name, _)| name.to_owned())
    };
    let from_config = auth.config_key.as_ref().and_then(by_value);
    from_config.or_else(|| auth.env.first().map(|(name, _)| name.clone()))
}

fn described(model: &ModelSpec, api: &str) -> Value {
    let mut row = json!({
        "id": model.id,
        "name": model.name,
        "reasoning": model.reasoning,
        "input": model.input.iter().map(|kind| kind.as_str()).collect::<Vec<_>>(),
        "cost": {
            "input": model.price.input,
            "output": model.price.output,
            "cacheRead": model.price.cache_read,
            "cacheWrite": model.price.cache_write,
        },
        "contextWindow": model.context_window,
        "maxTokens": model.max_tokens,
    });
    if let Some(map) = row.as_object_mut().filter(|_| model.api != api) {
        map.insert("api".to_owned(), json!(model.api));
    }
    row
}

/// Reads the file of before. A missing, huge or unreadable file counts as none; the last is told about, because
/// writing a new one replaces it.
#[must_use]
pub fn read_models_json(path: &Path) -> Option<Value> {
    let size = std::fs::metadata(path).ok()?.len();
    if size > MAX_FILE {
        tracing::warn!(path = %path.display(), size, "models.json is too large and is not read");
        return None;
    }
    let text = std::fs::read_to_string(path).ok()?;
    let unreadable = |error: &serde_json::Error| {
        tracing::warn!(path = %path.display(), line = error.line(), "models.json is not JSON and is not read");
    };
    serde_json::from_str(&text).inspect_err(unreadable).ok()
}

/// Writes the file when it would say something else than now; tells whether it did. A file that is there but
/// cannot be read as JSON is first put aside as `models.json.broken`.
///
/// # Errors
/// When the file system refuses.
#[expect(clippy::disallowed_methods, reason = "moves a broken file; nothing is written")]
pub fn write_models_json(path: &Path, value: &Value) -> io::Result<bool> {
    let mut text = serde_json::to_string_pretty(value)?;
    text.push('\n');
    match std::fs::read(path) {
        Ok(old) if old == text.as_bytes() => return Ok(false),
        Ok(old) if serde_json::from_slice::<Value>(&old).is_err() => {
            std::fs::rename(path, path.with_extension("json.broken"))?;
        }
        Ok(_) | Err(_) => {}
    }
    replace_private(path, text.as_bytes())?;
    Ok(true)
}
