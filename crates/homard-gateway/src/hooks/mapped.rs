//! What a call with a name of its own does: the first of the owner's mappings that takes it says so.

use homard_config::config::hooks::{HookAction, HookMapping};
use homard_protocol::Word;
use serde_json::Value;

use super::HookError;
use super::call::{AgentCall, Delivery, HookCall, HookTarget, Key, WakeCall, limit, name};
use super::template::{Given, list, render, render_name, replace_list};

/// Items of one call that are looked at; one with more is refused whole.
pub(crate) const MAX_ITEMS: usize = 200;

/// The mapping that takes a call.
pub(crate) fn find<'m>(mappings: &'m [HookMapping], path: &str, payload: &Value) -> Option<&'m HookMapping> {
    let source = payload.get("source").and_then(Value::as_str);
    mappings.iter().find(|mapping| {
        mapping.path.as_deref().is_none_or(|wanted| wanted == path)
            && mapping.source.as_deref().is_none_or(|wanted| Some(wanted) == source)
    })
}

/// What a mapping makes of a call; nothing when there is nothing to do.
pub(crate) fn calls(mapping: &HookMapping, given: &Given<'_>) -> Result<Vec<HookCall>, HookError> {
    if mapping.transform.is_some() {
        return Err(HookError::NoScripts(mapping.id.clone()));
    }
    let Some(expression) = &mapping.for_each else { return Ok(vec![one(mapping, given)?]) };
    let Some(items) = list(expression, given.payload) else { return Ok(Vec::new()) };
    if items.len() > MAX_ITEMS {
        return Err(HookError::Invalid(format!(
            "the call has {} items; at most {MAX_ITEMS} are taken",
            items.len()
        )));
    }
    let without = replace_list(expression, given.payload.clone(), Vec::new());
    let each = items.iter().enumerate().map(|(at, item)| {
        let payload = replace_list(expression, without.clone(), vec![item.clone()]);
        one(mapping, &Given { payload: &payload, item: Some((item, at)), ..*given })
    });
    each.collect()
}

fn one(mapping: &HookMapping, given: &Given<'_>) -> Result<HookCall, HookError> {
    let text = match &mapping.template {
        Some(template) => render(template, given),
        None => own_text(mapping.action, given.payload),
    };
    let text = text.trim().to_owned();
    if text.is_empty() {
        let what = if mapping.action == HookAction::Wake { "text" } else { "message" };
        return Err(HookError::Invalid(format!("mapping `{}` came to an empty {what}", mapping.id)));
    }
    let turn = &mapping.turn;
    let filled = |template: &Option<String>| {
        template.as_ref().map(|template| render(template, given)).filter(|text| !text.trim().is_empty())
    };
    let target = HookTarget {
        agent: turn.agent.as_ref().map(|agent| render_name(agent, given)).filter(|agent| !agent.is_empty()),
        key: turn.session_key.as_ref().map(|key| key_of(key, given)),
    };
    if mapping.action == HookAction::Wake {
        let (mode, is_trusted) = (mapping.wake_mode.unwrap_or_default(), mapping.trusts_content);
        return Ok(HookCall::Wake(WakeCall { text, mode, target, is_trusted }));
    }
    let call = AgentCall {
        message: text,
        name: name(filled(&turn.name).or_else(|| Some(mapping.id.clone()))),
        target,
        session_mode: mapping.session_mode,
        idempotency_key: None,
        waits: false,
        wake_mode: mapping.wake_mode,
        delivery: Delivery {
            deliver: mapping.delivery.deliver,
            channel: filled(&mapping.delivery.channel),
            to: filled(&mapping.delivery.to),
            account: None,
        },
        model: filled(&turn.model),
        thinking: filled(&turn.thinking).map(Word::of),
        timeout: turn.timeout_seconds.map(|seconds| limit(Some(seconds))).transpose()?.flatten(),
        is_trusted: mapping.trusts_content,
    };
    Ok(HookCall::Agent(Box::new(call.check()?)))
}

/// The conversation a mapping names. One that begins with what the caller sends is the caller's choice.
fn key_of(template: &str, given: &Given<'_>) -> Key {
    let key = render_name(template, given);
    if template.trim_start().starts_with("{{") { Key::Callers(key) } else { Key::Owners(key) }
}

/// What a call says itself, for mappings without a template.
fn own_text(action: HookAction, payload: &Value) -> String {
    let field = |name: &str| payload.get(name).and_then(Value::as_str).map(str::to_owned);
    let found = match action {
        HookAction::Wake => field("text").or_else(|| field("message")),
        HookAction::Agent => field("message").or_else(|| field("text")),
    };
    found.unwrap_or_default()
}

#[cfg(test)]
mod tests;
