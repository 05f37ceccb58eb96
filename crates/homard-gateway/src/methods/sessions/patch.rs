//! `sessions.patch`: which settings of a conversation a client may change, and to what.

use homard_protocol::events::SessionChange;
use homard_protocol::methods::sessions::{MAX_LABEL_CHARS, SessionsPatchParams, SessionsPatchResult};
use homard_protocol::session_words::{
    ExecAsk, ExecSecurity, GroupActivation, SendAction, Thoughts, Verbosity,
};
use homard_protocol::{ModelRef, SessionKey, ThinkingLevel, Word};
use homard_store::{RestoreWhich, SessionEntry};
use serde_json::{Map, Value};

use super::{check_expected, entry_value, resolved};
use crate::error::RequestError;
use crate::gateway::Gateway;
use crate::methods::session_key;
use crate::table::Cx;

/// `sessions.patch`.
pub(crate) async fn patch(cx: Cx, params: SessionsPatchParams) -> Result<SessionsPatchResult, RequestError> {
    let gateway = &cx.gateway;
    let key = session_key(gateway, &params.key, params.agent_id.as_ref())?;
    check_expected(gateway, &key, params.settings.get("expectedSessionId").and_then(Value::as_str)).await?;
    let changes = Changes::read(gateway, &params.settings)?;
    if params.settings.get("archived") == Some(&Value::Bool(false)) {
        bring_back(gateway, &key).await?;
    }
    let now = gateway.clock().now_ms();
    // A mark that its reader did not know of stays: somebody set it meanwhile.
    let known_mark = params.settings.get("expectedMarkedUnreadAt").map(Value::as_i64);
    let change = move |entry: &mut SessionEntry| {
        if known_mark.is_none_or(|mark| mark == entry.marked_unread_at) {
            changes.apply(entry, now);
        }
    };
    let record = gateway.store().sessions().patch(&key, change).await?;
    gateway.relay().sessions().announce_change(&record, SessionChange::Patch);
    Ok(SessionsPatchResult {
        ok: true,
        path: gateway.config().source().paths.database().display().to_string(),
        entry: entry_value(&record),
        resolved: resolved(gateway, &record),
        key: record.key,
    })
}

/// Taking a session out of the archive brings it back even if it was deleted.
async fn bring_back(gateway: &Gateway, key: &SessionKey) -> Result<(), RequestError> {
    let store = gateway.store();
    if store.sessions().get(key).await?.is_none() {
        let which = RestoreWhich::Key(key.clone());
        store.sessions().restore(which).await?;
    }
    Ok(())
}

/// The text settings a client may change, and the words each may be; empty means any.
const TEXT_SETTINGS: [(&str, &[&str]); 17] = [
    ("label", &[]),
    ("autoLabel", &[]),
    ("category", &[]),
    ("color", &[]),
    ("icon", &[]),
    ("statusNote", &[]),
    ("thinkingLevel", ThinkingLevel::WORDS),
    ("verboseLevel", Verbosity::WORDS),
    ("reasoningLevel", Thoughts::WORDS),
    ("elevatedLevel", &["off"]),
    // `on` is another spelling of `tokens`.
    ("responseUsage", &["off", "tokens", "full", "on"]),
    // `auto` is a choice for agents: one conversation names the place, or nothing.
    ("execHost", &["sandbox", "gateway", "node"]),
    ("execSecurity", ExecSecurity::WORDS),
    ("execAsk", ExecAsk::WORDS),
    ("execNode", &[]),
    ("sendPolicy", SendAction::WORDS),
    ("groupActivation", GroupActivation::WORDS),
];

/// What a caller thinks is so; see [`check_expected`] and [`patch`].
const EXPECTATIONS: [&str; 2] = ["expectedSessionId", "expectedMarkedUnreadAt"];
/// The yes-or-no settings a client may change.
const FLAG_SETTINGS: [&str; 3] = ["archived", "pinned", "unread"];

/// Settings of other clients that Homard does not have. They are refused by name, so that nobody thinks they hold; to
/// have none of them is what holds.
const NOT_HAD: [&str; 16] = [
    "agentRuntime",
    "attention",
    "boardFace",
    "boardPresentation",
    "completionOwnerSessionKey",
    "contextWindow",
    "fastMode",
    "inheritedToolPolicyAllow",
    "inheritedToolPolicyDeny",
    "inheritedToolPolicyVersion",
    "nativeRuntimeConsent",
    "permissionMode",
    "sandboxMode",
    "toolOverrides",
    "traceLevel",
    "ttlMinutes",
];

/// Refuses settings that `sessions.patch` would refuse.
pub(crate) fn check_settings(gateway: &Gateway, settings: &Map<String, Value>) -> Result<(), RequestError> {
    Changes::read(gateway, settings).map(drop)
}

/// Checked changes to a session.
#[derive(Default)]
struct Changes {
    texts: Vec<(&'static str, Option<String>)>,
    flags: Vec<(&'static str, bool)>,
    model: Option<ModelChange>,
}

enum ModelChange {
    Clear,
    Set(ModelRef),
}

impl Changes {
    fn read(gateway: &Gateway, settings: &Map<String, Value>) -> Result<Self, RequestError> {
        let mut changes = Self::default();
        for (name, value) in settings {
            changes.add(gateway, name, value)?;
        }
        Ok(changes)
    }

    fn add(&mut self, gateway: &Gateway, name: &str, value: &Value) -> Result<(), RequestError> {
        let bad = |what: String| RequestError::invalid(format!("invalid sessions.patch params: {what}"));
        if let Some((name, allowed)) = TEXT_SETTINGS.into_iter().find(|(known, _)| *known == name) {
            let text = match value {
                Value::Null => None,
                Value::String(text) if allowed.is_empty() || allowed.contains(&text.as_str()) => {
                    Some(text.clone())
                }
                _ if allowed.is_empty() => return Err(bad(format!("at {name}: must be text or null"))),
                _ if name == "elevatedLevel" => {
                    return Err(bad(format!(
                        "at {name}: there is no sandbox yet, so there is nothing to leave"
                    )));
                }
                _ => return Err(bad(format!("at {name}: must be null or one of {}", allowed.join(", ")))),
            };
            if text.as_ref().is_some_and(|text| text.chars().count() > MAX_LABEL_CHARS) {
                return Err(bad(format!("at {name}: longer than {MAX_LABEL_CHARS} characters")));
            }
            self.texts.push((name, text));
        } else if let Some(name) = FLAG_SETTINGS.into_iter().find(|known| *known == name) {
            let flag = value.as_bool().ok_or_else(|| bad(format!("at {name}: must be true or false")))?;
            self.flags.push((name, flag));
        } else if name == "model" {
            self.model = Some(match value {
                Value::Null => ModelChange::Clear,
                Value::String(text) => ModelChange::Set(usable_model(gateway, text)?),
                _ => return Err(bad("at model: must be provider/model or null".to_owned())),
            });
        } else if NOT_HAD.contains(&name) {
            if !value.is_null() {
                return Err(bad(format!("at {name}: Homard has no such setting")));
            }
        } else if !EXPECTATIONS.contains(&name) {
            return Err(bad(format!("at root: unexpected property '{name}'")));
        }
        Ok(())
    }

    fn apply(self, entry: &mut SessionEntry, now: i64) {
        for (name, value) in self.texts {
            match name {
                "label" => entry.label = value,
                "autoLabel" => entry.auto_label = value,
                "category" => entry.category = value,
                "color" => entry.color = value,
                "icon" => entry.icon = value,
                "statusNote" => entry.status_note = value,
                "thinkingLevel" => entry.thinking_level = value.map(Word::of),
                "verboseLevel" => entry.verbose_level = value.map(Word::of),
                "reasoningLevel" => entry.reasoning_level = value.map(Word::of),
                "elevatedLevel" => entry.elevated_level = value.map(Word::of),
                "responseUsage" => entry.response_usage = value.map(Word::of),
                "execHost" => entry.exec_host = value.map(Word::of),
                "execSecurity" => entry.exec_security = value.map(Word::of),
                "execAsk" => entry.exec_ask = value.map(Word::of),
                "execNode" => entry.exec_node = value,
                "sendPolicy" => entry.send_policy = value.map(Word::of),
                _ => entry.group_activation = value.map(Word::of),
            }
        }
        for (name, on) in self.flags {
            if name == "unread" && !on {
                entry.last_read_at = Some(now);
            }
            let field = match name {
                "archived" => &mut entry.archived_at,
                "pinned" => &mut entry.pinned_at,
                _ => &mut entry.marked_unread_at,
            };
            *field = on.then_some(now);
        }
        match self.model {
            None => {}
            Some(ModelChange::Clear) => entry.choose_model(None),
            Some(ModelChange::Set(model)) => entry.choose_model(Some(&model)),
        }
    }
}

pub(crate) fn usable_model(gateway: &Gateway, text: &str) -> Result<ModelRef, RequestError> {
    let router = gateway.relay().router();
    let model = router.selector().parse(text).map_err(|e| RequestError::invalid(e.to_string()))?.model;
    router.models().resolve(&model).map_err(|e| RequestError::invalid(e.to_string()))?;
    if !router.selector().allows(&model) {
        return Err(RequestError::invalid(format!(
            "model not allowed: {model}; add it to agents.defaults.models, or choose another"
        )));
    }
    Ok(model)
}
