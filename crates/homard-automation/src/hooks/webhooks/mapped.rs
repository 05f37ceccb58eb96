//! What a call with a name of its own does: the first of the owner's mappings that takes it says so.

use futures_util::future::BoxFuture;
use homard_config::config::hooks::{HookAction, HookMapping, HookTransform};
use homard_protocol::WakeMode;
use serde_json::{Map, Value, json};

use super::WebhookError;
use super::call::{AgentCall, HookCall, NamedKey, WakeCall};
use super::template::{TemplateValues, list, render, render_name, replace_list};
use crate::hooks::TransformedCall;

/// Items of one call that are looked at; one with more is refused whole.
pub const MAX_ITEMS: usize = 200;

/// The mapping that takes a call.
pub fn find<'m>(mappings: &'m [HookMapping], path: &str, payload: &Value) -> Option<&'m HookMapping> {
    let source = payload.get("source").and_then(Value::as_str);
    mappings.iter().find(|mapping| {
        mapping.path.as_deref().is_none_or(|wanted| wanted == path)
            && mapping.source.as_deref().is_none_or(|wanted| Some(wanted) == source)
    })
}

/// Asks the program of a mapping what it makes of a call.
pub type Rewrite<'r> =
    dyn Fn(HookTransform, Value) -> BoxFuture<'r, Result<TransformedCall, WebhookError>> + Send + Sync + 'r;

/// What a mapping makes of a call; nothing when there is nothing to do. `rewrite` asks the mapping's program, if it has
/// one.
pub async fn calls(
    mapping: &HookMapping,
    given: &TemplateValues<'_>,
    rewrite: &Rewrite<'_>,
) -> Result<Vec<HookCall>, WebhookError> {
    let Some(expression) = &mapping.for_each else {
        return Ok(one(mapping, given, rewrite).await?.into_iter().collect());
    };
    let Some(items) = list(expression, given.payload) else { return Ok(Vec::new()) };
    if items.len() > MAX_ITEMS {
        return Err(WebhookError::Invalid(format!(
            "the call has {} items; at most {MAX_ITEMS} are taken",
            items.len()
        )));
    }
    let without = replace_list(expression, given.payload.clone(), Vec::new());
    let mut all = Vec::new();
    for (at, item) in items.iter().enumerate() {
        let payload = replace_list(expression, without.clone(), vec![item.clone()]);
        let given = TemplateValues { payload: &payload, item: Some((item, at)), ..*given };
        all.extend(one(mapping, &given, rewrite).await?);
    }
    Ok(all)
}

async fn one(
    mapping: &HookMapping,
    given: &TemplateValues<'_>,
    rewrite: &Rewrite<'_>,
) -> Result<Option<HookCall>, WebhookError> {
    let changes = match &mapping.transform {
        None => Map::new(),
        Some(program) => match rewrite(program.clone(), given.told(&mapping.id)).await? {
            TransformedCall::Skip => return Ok(None),
            TransformedCall::Changes(changes) => changes,
        },
    };
    made(mapping, given, changes).map(Some)
}

/// The call a mapping stands for, with `changes` in place of what it says. It is read as if a caller had written it.
fn made(
    mapping: &HookMapping,
    given: &TemplateValues<'_>,
    mut changes: Map<String, Value>,
) -> Result<HookCall, WebhookError> {
    let is_wake = match changes.get("kind").or_else(|| changes.get("action")).and_then(Value::as_str) {
        Some(kind) => kind == "wake",
        None => mapping.action == HookAction::Wake,
    };
    let vouched = changes.remove("allowUnsafeExternalContent").as_ref().and_then(Value::as_bool);
    let is_trusted = vouched.unwrap_or(mapping.trusts_content);
    // The program is the owner's, and so is what it says.
    let key = match changes.remove("sessionKey") {
        Some(Value::String(key)) => Some(NamedKey::Owners(key)),
        _ => mapping.turn.session_key.as_ref().map(|key| key_of(key, given)),
    };
    let mut body = said(mapping, given, is_wake);
    if let Some(mode) = changes.get("wakeMode").filter(|_| is_wake).cloned() {
        body.insert("mode".to_owned(), mode);
    }
    body.extend(changes);
    let (what, text) = if is_wake { ("text", body.get("text")) } else { ("message", body.get("message")) };
    if text.and_then(Value::as_str).is_some_and(|text| text.trim().is_empty()) {
        return Err(WebhookError::Invalid(format!("mapping `{}` came to an empty {what}", mapping.id)));
    }
    if is_wake {
        let mut call = WakeCall::read(&body)?;
        (call.target.key, call.is_trusted) = (key, is_trusted);
        return Ok(HookCall::Wake(call));
    }
    let mut call = AgentCall::read(&body)?;
    (call.target.key, call.is_trusted) = (key, is_trusted);
    Ok(HookCall::Agent(Box::new(call)))
}

/// What a mapping says, as the body of a call.
fn said(mapping: &HookMapping, given: &TemplateValues<'_>, is_wake: bool) -> Map<String, Value> {
    let text = match &mapping.template {
        Some(template) => render(template, given),
        None => own_text(is_wake, given.payload),
    };
    let (turn, delivery) = (&mapping.turn, &mapping.delivery);
    let filled = |template: &Option<String>| {
        let filled = template.as_ref().map(|template| render(template, given));
        filled.filter(|text| !text.trim().is_empty())
    };
    let agent = turn.agent.as_ref().map(|agent| render_name(agent, given));
    let wake_mode = mapping.wake_mode.map(WakeMode::as_str);
    let body = if is_wake {
        json!({"text": text, "mode": wake_mode, "agentId": agent})
    } else {
        json!({
            "message": text,
            "name": filled(&turn.name).unwrap_or_else(|| mapping.id.clone()),
            "agentId": agent,
            "sessionMode": mapping.session_mode.as_str(),
            "wakeMode": wake_mode,
            "deliver": delivery.deliver,
            "channel": filled(&delivery.channel),
            "to": filled(&delivery.to),
            "model": filled(&turn.model),
            "thinking": filled(&turn.thinking),
            "timeoutSeconds": turn.timeout_seconds,
        })
    };
    body.as_object().cloned().unwrap_or_default()
}

/// The conversation a mapping names. One that begins with what the caller sends is the caller's choice.
fn key_of(template: &str, given: &TemplateValues<'_>) -> NamedKey {
    let key = render_name(template, given);
    if template.trim_start().starts_with("{{") { NamedKey::Callers(key) } else { NamedKey::Owners(key) }
}

/// What a call says itself, for mappings without a template.
fn own_text(is_wake: bool, payload: &Value) -> String {
    let field = |name: &str| payload.get(name).and_then(Value::as_str).map(str::to_owned);
    let (first, second) = if is_wake { ("text", "message") } else { ("message", "text") };
    field(first).or_else(|| field(second)).unwrap_or_default()
}

#[cfg(test)]
mod tests;
