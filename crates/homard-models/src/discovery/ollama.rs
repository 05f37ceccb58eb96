//! Ollama: `/api/tags` names the models, `/api/show` describes each, `/api/ps` says how those that run were loaded.
//!
//! How much a model could hold is no news: a server keeps what it was told, by the model's own file or by its
//! setting, and only a model that runs shows which.

use futures_util::{StreamExt as _, stream};
use homard_llm::{FailReason, LlmError};
use homard_protocol::ModelId;
use serde_json::{Value, json};

use super::FoundModel;
use super::ask::Question;
use super::listing::{count, distinct};

/// How many models are described at once.
const AT_ONCE: usize = 4;
/// Most models that are described; further ones are only named.
const MAX_SHOWN: usize = 100;
/// The longest answer assumed, in tokens: Ollama has no limit of its own.
const MAX_ANSWER: u32 = 8_192;
/// Parts of names of models that think, for servers that do not say.
const THINKERS: [&str; 6] = ["deepseek-r1", "gpt-oss", "magistral", "qwq", "reasoning", "thinking"];

pub(super) async fn models(question: &Question<'_>) -> Result<Vec<FoundModel>, LlmError> {
    let base = base(&question.target.base_url);
    let tags = question.get(&format!("{base}/api/tags")).await?;
    let named = names(&tags)?;
    let running = question.get(&format!("{base}/api/ps")).await.unwrap_or(Value::Null);
    let running = &running;
    let described = stream::iter(named.into_iter().enumerate()).map(|(at, model)| async move {
        if at >= MAX_SHOWN {
            return model;
        }
        let body = json!({ "model": model.id, "name": model.id });
        match question.post(&format!("{base}/api/show"), &body).await {
            Ok(shown) => describe(model, &shown, running),
            Err(_) => model,
        }
    });
    Ok(described.buffered(AT_ONCE).collect().await)
}

/// People paste the address of the imitation of another API.
fn base(base_url: &str) -> &str {
    let base = base_url.trim_end_matches('/');
    base.strip_suffix("/v1").or_else(|| base.strip_suffix("/api")).unwrap_or(base)
}

pub(super) fn names(tags: &Value) -> Result<Vec<FoundModel>, LlmError> {
    let Some(listed) = tags.get("models").and_then(Value::as_array) else {
        return Err(LlmError::new(FailReason::Format, "the server's answer is not Ollama's list of models"));
    };
    let named = listed.iter().filter_map(|item| {
        let name = item.get("model").or_else(|| item.get("name"))?.as_str()?;
        let mut found = FoundModel::named(ModelId::parse(name.trim()).ok()?);
        found.reasoning = THINKERS.iter().any(|part| name.to_lowercase().contains(part));
        found.max_tokens = Some(MAX_ANSWER);
        Some(found)
    });
    Ok(distinct(named))
}

/// The context a running model was loaded with.
fn loaded(model: &FoundModel, running: &Value) -> Option<u32> {
    let rows = running.get("models").and_then(Value::as_array)?;
    let name =
        |row: &Value| row.get("model").or_else(|| row.get("name")).and_then(Value::as_str).map(str::to_owned);
    let row = rows.iter().find(|row| name(row).as_deref() == Some(model.id.as_str()))?;
    count(row.get("context_length")?.as_u64()?)
}

/// A number the model's own file sets, from lines such as `num_ctx    8192`.
fn parameter(shown: &Value, name: &str) -> Option<u64> {
    let lines = shown.get("parameters")?.as_str()?.lines();
    let value = |line: &str| line.trim().strip_prefix(name)?.trim().parse().ok();
    lines.into_iter().find_map(value)
}

/// Adds what the server says about one model.
pub(super) fn describe(mut model: FoundModel, shown: &Value, running: &Value) -> FoundModel {
    model.context_window = loaded(&model, running).or_else(|| count(parameter(shown, "num_ctx")?));
    let abilities = shown.get("capabilities").and_then(Value::as_array);
    if let Some(abilities) = abilities {
        let has = |word: &str| abilities.iter().any(|ability| ability.as_str() == Some(word));
        model.sees = has("vision");
        model.reasoning = has("thinking");
    }
    model
}
