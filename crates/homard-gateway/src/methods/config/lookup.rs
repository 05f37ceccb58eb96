//! `config.schema.lookup` and `config.openFile`.

use crate::error::RequestError;
use std::process::Stdio;

use homard_config::config::gateway::ReloadMode;
use homard_config::{ReloadAction, action_for, is_sensitive_key};
use homard_protocol::method::NoParams;
use homard_protocol::methods::config::lookup::{
    ConfigChild, ConfigHint, ConfigOpenFileResult, ConfigSchemaLookupParams, ConfigSchemaLookupResult,
    MAX_LOOKUP_CHARS, ReloadKind,
};
use serde_json::Value;
use tokio::process::Command;

use crate::methods::check_range;
use crate::ports::{parts, resolved};
use crate::table::Cx;

/// Any name, or any place in a list.
const ANY: &str = "*";
/// What a program needs to find the screen; nothing else of ours is handed on.
const SCREEN: [&str; 8] = [
    "DBUS_SESSION_BUS_ADDRESS",
    "DISPLAY",
    "HOME",
    "PATH",
    "WAYLAND_DISPLAY",
    "XAUTHORITY",
    "XDG_CURRENT_DESKTOP",
    "XDG_RUNTIME_DIR",
];

/// `config.schema.lookup`.
pub(crate) async fn lookup(
    _cx: Cx,
    params: ConfigSchemaLookupParams,
) -> Result<ConfigSchemaLookupResult, RequestError> {
    let name = "config.schema.lookup";
    check_range(name, "path", Some(params.path.chars().count()), 1..=MAX_LOOKUP_CHARS)?;
    let allowed = |c: char| c.is_ascii_alphanumeric() || "_./[]-*".contains(c);
    if !params.path.chars().all(allowed) {
        return Err(RequestError::invalid(format!(
            "invalid {name} params: at /path: letters, digits and _ . / [ ] - * only"
        )));
    }
    let path = params.path.replace('/', ".");
    found(homard_config::schema(), &path)
        .ok_or_else(|| RequestError::invalid(format!("config schema path not found: {}", params.path)))
}

/// What the schema says of one path.
fn found(root: &Value, path: &str) -> Option<ConfigSchemaLookupResult> {
    let (mut schema, mut words) = (resolved(root, root), None);
    let mut walked: Vec<&str> = Vec::new();
    for part in parts(Some(path)) {
        let next = beneath(schema, part)?;
        words = next.get("description").or_else(|| resolved(root, next).get("description"));
        schema = resolved(root, next);
        walked.push(part);
    }
    let path = walked.join(".");
    let mut own = schema.as_object().cloned().unwrap_or_default();
    own.retain(|key, _| !matches!(key.as_str(), "properties" | "$defs" | "items" | "$schema"));
    if own.get("additionalProperties").is_some_and(Value::is_object) {
        own.shift_remove("additionalProperties");
    }
    if let Some(words) = words {
        own.insert("description".to_owned(), words.clone());
    }
    Some(ConfigSchemaLookupResult {
        schema: Value::Object(own),
        reload_kind: (!path.is_empty()).then(|| reload_kind(&path)),
        hint: hint(walked.last().copied().unwrap_or_default(), words),
        hint_path: (!path.is_empty()).then(|| path.clone()),
        children: children(root, schema, &path),
        path,
    })
}

/// The schema of a key, of any key, or of an element.
fn beneath<'s>(schema: &'s Value, part: &str) -> Option<&'s Value> {
    let named = schema.get("properties").and_then(|keys| keys.get(part));
    let any = || schema.get("additionalProperties").filter(|any| any.is_object());
    let element = || (part == ANY || part.parse::<usize>().is_ok()).then(|| schema.get("items")).flatten();
    named.or_else(any).or_else(element)
}

fn children(root: &Value, schema: &Value, path: &str) -> Vec<ConfigChild> {
    let required: Vec<&str> = schema
        .get("required")
        .and_then(Value::as_array)
        .map(|keys| keys.iter().filter_map(Value::as_str).collect())
        .unwrap_or_default();
    let named = schema.get("properties").and_then(Value::as_object);
    let named = named.into_iter().flatten().map(|(key, value)| (key.as_str(), value));
    let any = schema.get("additionalProperties").filter(|any| any.is_object());
    let any = any.or_else(|| schema.get("items")).map(|value| (ANY, value));
    let child = |(key, value): (&str, &Value)| {
        let whole = resolved(root, value);
        let path = if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
        let has = |name: &str| whole.get(name).is_some_and(Value::is_object);
        let words = value.get("description").or_else(|| whole.get("description"));
        ConfigChild {
            key: key.to_owned(),
            kind: whole.get("type").cloned(),
            required: required.contains(&key),
            has_children: has("properties") || has("additionalProperties") || has("items"),
            reload_kind: Some(reload_kind(&path)),
            hint: hint(key, words),
            hint_path: Some(path.clone()),
            path,
        }
    };
    named.chain(any).map(child).collect()
}

fn hint(key: &str, words: Option<&Value>) -> Option<ConfigHint> {
    let help = words.and_then(Value::as_str).map(str::to_owned);
    let sensitive = is_sensitive_key(key).then_some(true);
    let label = (!key.is_empty() && key != ANY).then(|| spoken(key));
    (label.is_some() || help.is_some()).then_some(ConfigHint { label, help, sensitive })
}

/// `maxConcurrent` as people say it.
fn spoken(key: &str) -> String {
    let mut out = String::with_capacity(key.len() + 4);
    for c in key.chars() {
        if out.is_empty() {
            out.extend(c.to_uppercase());
        } else if c.is_uppercase() && !out.ends_with(char::is_uppercase) {
            out.push(' ');
            out.push(c);
        } else {
            out.push(c);
        }
    }
    out
}

fn reload_kind(path: &str) -> ReloadKind {
    match action_for(&[path.to_owned()], ReloadMode::Hybrid) {
        ReloadAction::None => ReloadKind::None,
        ReloadAction::Hot(_) => ReloadKind::Hot,
        ReloadAction::Restart => ReloadKind::Restart,
    }
}

/// `config.openFile`: hands the file to the desktop's own opener and does not wait for it.
pub(crate) async fn open_file(cx: Cx, _params: NoParams) -> Result<ConfigOpenFileResult, RequestError> {
    let source = cx.gateway.config().source();
    let path = source.paths.config_path.clone();
    let shown = path.display().to_string();
    let not = |error: String| ConfigOpenFileResult { ok: false, path: shown.clone(), error: Some(error) };
    let env = &source.environment;
    let is_mac = cfg!(target_os = "macos");
    if !is_mac && env.get("DISPLAY").is_none() && env.get("WAYLAND_DISPLAY").is_none() {
        return Ok(not(
            "the machine the gateway runs on has no screen; open the file there by hand".to_owned()
        ));
    }
    let kept = SCREEN.iter().filter_map(|name| Some((*name, env.get(name)?.to_owned())));
    let opened = Command::new(if is_mac { "open" } else { "xdg-open" })
        .arg(&path)
        .env_clear()
        .envs(kept)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    Ok(match opened {
        Ok(_child) => ConfigOpenFileResult { ok: true, path: shown.clone(), error: None },
        Err(error) => not(format!("nothing could be started to show it: {error}")),
    })
}

#[cfg(test)]
mod tests;
