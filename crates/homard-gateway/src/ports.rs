//! The gateway as its own assistant sees it: configuration the way clients change it, and starting afresh.

use std::sync::{Arc, Weak};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use homard_protocol::ErrorShape;
use homard_tools::{ConfigWrite, GatewayPort, PortError, Ports, ToolCx};
use serde_json::{Map, Value, json};

use crate::gateway::Gateway;
use crate::lifecycle::restart_note::Note;
use crate::methods::config;

/// Most references followed on the way to one key of the schema.
const MAX_REFERENCES: usize = 16;

/// Holds the gateway weakly: the gateway holds the relay, and that the tools.
struct Room {
    gateway: Weak<Gateway>,
}

impl Gateway {
    /// What tools may ask of the rooms above the relay: jobs, nodes and the gateway itself.
    pub(crate) fn ports(self: &Arc<Self>) -> Ports {
        Ports {
            cron: Some(self.automation().port()),
            gateway: Some(Arc::new(Room { gateway: Arc::downgrade(self) })),
            nodes: Some(self.nodes().port()),
            ..Ports::default()
        }
    }
}

impl Room {
    fn gateway(&self) -> Result<Arc<Gateway>, PortError> {
        self.gateway.upgrade().ok_or(PortError::Closed)
    }

    async fn write_config(&self, cx: &ToolCx, write: ConfigWrite) -> Result<Value, PortError> {
        let gateway = self.gateway()?;
        let ConfigWrite { raw, base_hash, is_whole, note } = write;
        let note = Note::new(cx.session_key.clone(), note, cx.clock.now_ms());
        let write = async {
            if is_whole {
                config::replace(&gateway, raw, base_hash).await
            } else {
                config::merge(&gateway, raw, base_hash, Vec::new()).await
            }
        };
        let written = gateway.with_note(note, write).await.map_err(refused)?;
        Ok(json!({
            "ok": true, "hash": written.hash, "changed": written.changed_paths,
            "restarts": written.restart.is_some(),
        }))
    }
}

impl GatewayPort for Room {
    fn config<'a>(&'a self, path: Option<&'a str>) -> BoxFuture<'a, Result<Value, PortError>> {
        async move {
            let snapshot = config::snapshot(&*self.gateway()?).await.map_err(refused)?;
            let part = parts(path).try_fold(&snapshot.parsed, |value, part| match value {
                Value::Array(list) => part.parse::<usize>().ok().and_then(|at| list.get(at)),
                other => other.get(part),
            });
            Ok(json!({
                "path": path.unwrap_or_default(), "config": part, "hash": snapshot.hash,
                "valid": snapshot.valid, "issues": snapshot.issues,
            }))
        }
        .boxed()
    }

    fn schema<'a>(&'a self, path: Option<&'a str>) -> BoxFuture<'a, Result<Value, PortError>> {
        let found = described(homard_config::schema(), path);
        let unknown = || PortError::Invalid(format!("there is no key `{}`", path.unwrap_or_default()));
        std::future::ready(found.ok_or_else(unknown)).boxed()
    }

    fn write<'a>(&'a self, cx: &'a ToolCx, write: ConfigWrite) -> BoxFuture<'a, Result<Value, PortError>> {
        self.write_config(cx, write).boxed()
    }

    fn restart<'a>(
        &'a self,
        cx: &'a ToolCx,
        note: Option<String>,
    ) -> BoxFuture<'a, Result<Value, PortError>> {
        async move {
            let gateway = self.gateway()?;
            let note = Note::new(cx.session_key.clone(), note, cx.clock.now_ms());
            gateway.keep_note(&note).await.map_err(refused)?;
            gateway.ask_for_restart();
            Ok(json!({"ok": true, "note": "The gateway restarts when this turn is over. Finish it now."}))
        }
        .boxed()
    }
}

/// What the model reads of a refusal.
fn refused(error: ErrorShape) -> PortError {
    let details = error.details.map(|details| format!(" {details}")).unwrap_or_default();
    PortError::Invalid(format!("{}{details}", error.message))
}

pub(crate) fn parts(path: Option<&str>) -> impl Iterator<Item = &str> {
    path.unwrap_or_default().split(['.', '[', ']']).map(str::trim).filter(|part| !part.is_empty())
}

/// One key of the schema: what it is, and the keys beneath it by name, type and meaning. The whole schema is
/// more than a model can read.
fn described(root: &Value, path: Option<&str>) -> Option<Value> {
    let mut schema = resolved(root, root);
    for part in parts(path) {
        let next = schema
            .get("properties")
            .and_then(|keys| keys.get(part))
            .or_else(|| schema.get("additionalProperties").filter(|any| any.is_object()))
            .or_else(|| schema.get("items"))?;
        schema = resolved(root, next);
    }
    let mut told = brief(schema);
    if let Some(keys) = schema.get("properties").and_then(Value::as_object) {
        let line = |(name, key): (&String, &Value)| {
            let mut line = brief(resolved(root, key));
            // What a key means here is said where it is used.
            if let Some(words) = key.get("description") {
                line.insert("description".to_owned(), words.clone());
            }
            (name.clone(), Value::Object(line))
        };
        told.insert("properties".to_owned(), Value::Object(keys.iter().map(line).collect()));
    }
    Some(Value::Object(told))
}

/// The schema a place refers to, `null` left out.
pub(crate) fn resolved<'s>(root: &'s Value, mut schema: &'s Value) -> &'s Value {
    for _ in 0..MAX_REFERENCES {
        let is_null = |choice: &&Value| choice.get("type") == Some(&Value::from("null"));
        let choices = schema.get("anyOf").and_then(Value::as_array);
        let only = choices.filter(|choices| choices.iter().filter(|c| !is_null(c)).count() == 1);
        let target = schema.get("$ref").and_then(Value::as_str).and_then(|at| at.strip_prefix('#'));
        schema = match (target, only) {
            (Some(target), _) => match root.pointer(target) {
                Some(found) => found,
                None => return schema,
            },
            (None, Some(choices)) => choices.iter().find(|choice| !is_null(choice)).unwrap_or(schema),
            (None, None) => return schema,
        };
    }
    schema
}

fn brief(schema: &Value) -> Map<String, Value> {
    let kept = ["type", "description", "enum", "minimum", "maximum"];
    let found = kept.into_iter().filter_map(|name| Some((name.to_owned(), schema.get(name)?.clone())));
    found.collect()
}

#[cfg(test)]
mod tests;
