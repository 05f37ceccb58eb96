//! What servers of one's own really keep: their lists name what a model could hold, other questions what it has.

use homard_protocol::ModelId;
use serde_json::Value;

use super::FoundModel;
use super::ask::Question;
use super::listing::count;

/// How llama.cpp signs its list.
const LLAMA_CPP: &str = "llamacpp";
/// How LM Studio signs its list.
const LM_STUDIO: &str = "organization_owner";

/// Asks for what the list does not say, where the server is of a kind that can be asked.
pub(super) async fn windows(
    question: &Question<'_>,
    list: &Value,
    mut models: Vec<FoundModel>,
) -> Vec<FoundModel> {
    let provider = question.target.provider.as_str();
    if provider == "llama-cpp" || is_signed(list, LLAMA_CPP) {
        let props = question.get(&format!("{}/props", root(&question.target.base_url))).await;
        let only = models.len() == 1;
        for model in &mut models {
            model.any_name = only;
            model.context_window = props.as_ref().ok().and_then(props_window).or(model.context_window);
        }
    } else if provider == "lmstudio" || is_signed(list, LM_STUDIO) {
        let told = question.get(&format!("{}/api/v0/models", root(&question.target.base_url))).await;
        if let Ok(told) = told {
            models.retain_mut(|model| describe(model, &told));
        }
    }
    models
}

/// The context of one slot of a llama.cpp server.
fn props_window(props: &Value) -> Option<u32> {
    let kept = props.get("default_generation_settings").and_then(|settings| settings.get("n_ctx"));
    count(kept.or_else(|| props.get("n_ctx"))?.as_u64()?)
}

/// Adds what LM Studio says about a model that is loaded; answers whether it converses.
fn describe(model: &mut FoundModel, told: &Value) -> bool {
    let rows = told.get("data").and_then(Value::as_array).into_iter().flatten();
    let named = |row: &&Value| row.get("id").and_then(Value::as_str) == Some(ModelId::as_str(&model.id));
    let Some(row) = rows.into_iter().find(named) else { return true };
    model.context_window = row.get("loaded_context_length").and_then(Value::as_u64).and_then(count);
    model.sees |= row.get("type").and_then(Value::as_str) == Some("vlm");
    row.get("type").and_then(Value::as_str) != Some("embeddings")
}

fn is_signed(list: &Value, name: &str) -> bool {
    let items = list.get("data").and_then(Value::as_array).into_iter().flatten();
    items.into_iter().any(|item| item.get("owned_by").and_then(Value::as_str) == Some(name))
}

/// The server itself, without the imitation of another API.
fn root(base_url: &str) -> &str {
    let base = base_url.trim_end_matches('/');
    base.strip_suffix("/v1").unwrap_or(base)
}
