//! The health snapshot: looked at every minute and on demand, answered from memory.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use homard_config::config::agents::Agent;
use homard_protocol::events::HealthEvent;
use homard_runtime::{RwLock, millis};
use homard_store::{SessionRecord, StoreError};
use serde_json::{Map, Value, json};

use crate::gateway::Gateway;
use crate::methods::channels;

/// Sessions shown in the snapshot.
const RECENT: usize = 5;

/// The last snapshot.
#[derive(Debug)]
pub(crate) struct Health {
    last: RwLock<Arc<Value>>,
    version: AtomicU64,
}

impl Default for Health {
    fn default() -> Self {
        Self { last: RwLock::new(Arc::new(json!({}))), version: AtomicU64::new(0) }
    }
}

impl Health {
    /// Grows with every look.
    pub(crate) fn version(&self) -> u64 {
        self.version.load(Ordering::Relaxed)
    }

    /// The last snapshot.
    pub(crate) fn shared(&self) -> Arc<Value> {
        Arc::clone(&self.last.read())
    }

    /// The last snapshot, as a value of one's own.
    pub(crate) fn value(&self) -> Value {
        Value::clone(&self.shared())
    }

    fn replace(&self, snapshot: Value) {
        *self.last.write() = Arc::new(snapshot);
        self.version.fetch_add(1, Ordering::Relaxed);
    }
}

/// Looks, remembers and tells everyone.
pub(crate) async fn refresh(gateway: &Gateway) -> Result<(), StoreError> {
    let snapshot = look(gateway).await?;
    gateway.diagnostics().health.replace(snapshot);
    let event = HealthEvent(gateway.diagnostics().health.value());
    gateway.bus().publish_state(&event, gateway.state_version());
    Ok(())
}

async fn look(gateway: &Gateway) -> Result<Value, StoreError> {
    let began = Instant::now();
    let now = gateway.clock().now_ms();
    let config = gateway.config().current();
    let default = config.agents.default_agent().id.clone();
    let recent = gateway.store().sessions().recent(RECENT).await?;
    let total = gateway.store().sessions().count(None).await?;
    let path = gateway.config().source().paths.database().display().to_string();
    let channels = channels::known(gateway);
    let mut agents = Vec::with_capacity(config.agents.list.len());
    for agent in &config.agents.list {
        let count = gateway.store().sessions().count(Some(&agent.id)).await?;
        let own = recent.iter().filter(|session| session.agent_id == agent.id);
        agents.push(json!({
            "agentId": agent.id,
            "name": agent.name,
            "isDefault": agent.id == default,
            "heartbeat": heartbeat(agent),
            "sessions": {"path": path, "count": count, "recent": own.map(|s| brief(s, now)).collect::<Vec<_>>()},
        }));
    }
    Ok(json!({
        "ok": true,
        "ts": now,
        "durationMs": millis(began.elapsed()),
        "channels": channels.channel_accounts.iter().map(|(id, rows)| (id.clone(), platform(rows))).collect::<Map<_, _>>(),
        "channelOrder": channels.channel_order,
        "channelLabels": channels.channel_labels,
        "heartbeatSeconds": interval(config.agents.default_agent()).map_or(0, |every| every.as_secs()),
        "defaultAgentId": default,
        "agents": agents,
        "sessions": {"path": path, "count": total, "recent": recent.iter().map(|s| brief(s, now)).collect::<Vec<_>>()},
        "plugins": {"loaded": [], "errors": [], "unavailable": []},
        "configReload": {"hotReloadStatus": "active"},
    }))
}

fn interval(agent: &Agent) -> Option<Duration> {
    agent.heartbeat.as_ref().and_then(|beat| beat.every)
}

/// When an agent looks around by itself, and where it tells what it finds.
pub(crate) fn heartbeat(agent: &Agent) -> Value {
    let Some(beat) = &agent.heartbeat else {
        return json!({"enabled": false, "every": "disabled", "everyMs": null, "prompt": "", "target": "none", "ackMaxChars": 0});
    };
    let mut told = json!({
        "enabled": beat.every.is_some(),
        "every": beat.every.map_or("disabled", |_| beat.every_text.as_str()),
        "everyMs": beat.every.map(millis),
        "prompt": beat.prompt,
        "target": beat.target.as_str(),
        "ackMaxChars": beat.ack_max_chars,
    });
    if let Some(fields) = told.as_object_mut() {
        fields.extend(beat.model.as_ref().map(|model| ("model".to_owned(), json!(model))));
        let elsewhere = (!beat.session.is_main()).then_some(&beat.session);
        fields.extend(elsewhere.map(|session| ("session".to_owned(), json!(session))));
    }
    told
}

/// How a platform is: everybody who is connected reads it, so it names nobody.
fn platform(rows: &[Value]) -> Value {
    let one = |row: &Value| {
        let told =
            ["enabled", "configured", "running", "connected", "healthState", "lastStartAt", "lastStopAt"];
        let fields = told.iter().filter_map(|name| Some(((*name).to_owned(), row.get(name)?.clone())));
        fields.collect::<Map<_, _>>()
    };
    let is_on = |row: &&Value| row.get("enabled") == Some(&json!(true));
    let mut told = rows.iter().find(is_on).or(rows.first()).map(one).unwrap_or_default();
    let name = |row: &Value| row.get("accountId").and_then(Value::as_str).map(str::to_owned);
    let accounts: Map<_, _> =
        rows.iter().filter_map(|row| Some((name(row)?, Value::Object(one(row))))).collect();
    told.insert("accounts".to_owned(), Value::Object(accounts));
    Value::Object(told)
}

fn brief(session: &SessionRecord, now: i64) -> Value {
    let updated = session.entry.updated_at;
    json!({"key": session.key, "updatedAt": updated, "age": now.saturating_sub(updated)})
}
