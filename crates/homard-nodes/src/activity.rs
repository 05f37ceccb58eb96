//! What nodes say of themselves while they are here: when a person used them, and how their machine is.
//!
//! Times are the gateway's own: a node says how long ago, never when.

use std::collections::BTreeMap;

use homard_protocol::DeviceId;
use homard_protocol::events::{NodeHostStatsEvent, NodePresenceEvent};
use homard_runtime::OrLog;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::Nodes;
use crate::registry::{NodeSession, NodeSocket};

/// Longest idle time a node may report.
const MAX_IDLE_SECONDS: i64 = 30 * 24 * 60 * 60;
const MAX_CPUS: u64 = 4096;
const MAX_LOAD: f64 = 100_000.0;
/// The permission without which a Mac knows only its own window.
const ACCESSIBILITY: &str = "accessibility";

/// What a node said of itself since it connected.
#[derive(Debug, Clone, Default)]
pub(crate) struct Activity {
    /// When a person used it.
    pub(crate) last_active_at: Option<i64>,
    /// When it said so.
    pub(crate) updated_at: Option<i64>,
    /// Processors, load, memory, disk.
    pub(crate) host_stats: Option<Value>,
}

/// The node a person used last.
pub(crate) fn most_recent(here: &BTreeMap<DeviceId, NodeSession>) -> Option<&DeviceId> {
    let used = here.iter().filter_map(|(id, session)| {
        let activity = &session.activity;
        Some(((activity.last_active_at?, activity.updated_at?), id))
    });
    used.max_by_key(|(when, _)| *when).map(|(_, id)| id)
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Used {
    action: Option<String>,
    idle_seconds: Option<i64>,
    source: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Stats {
    cpu_count: u64,
    load_average: Option<[f64; 3]>,
    memory_total_bytes: u64,
    memory_free_bytes: u64,
    disk_total_bytes: Option<u64>,
    disk_available_bytes: Option<u64>,
}

/// What a node says of its machine, if it can be true, stamped with our time.
pub(crate) fn believable(payload: &Value, now: i64) -> Option<Value> {
    let stats: Stats = homard_runtime::json::from_value(payload.clone()).ok()?;
    let load_is_good =
        stats.load_average.iter().flatten().all(|load| load.is_finite() && (0.0..=MAX_LOAD).contains(load));
    let disk_is_good = match (stats.disk_total_bytes, stats.disk_available_bytes) {
        (Some(total), Some(free)) => free <= total,
        (None, None) => true,
        _ => false,
    };
    let is_good = (1..=MAX_CPUS).contains(&stats.cpu_count)
        && stats.memory_free_bytes <= stats.memory_total_bytes
        && load_is_good
        && disk_is_good;
    if !is_good {
        return None;
    }
    let mut kept = json!({
        "cpuCount": stats.cpu_count,
        "memoryTotalBytes": stats.memory_total_bytes,
        "memoryFreeBytes": stats.memory_free_bytes,
        "updatedAtMs": now,
    });
    let fields = kept.as_object_mut()?;
    if let Some(load) = stats.load_average {
        fields.insert("loadAverage".to_owned(), json!(load));
    }
    if let (Some(total), Some(free)) = (stats.disk_total_bytes, stats.disk_available_bytes) {
        fields.insert("diskTotalBytes".to_owned(), json!(total));
        fields.insert("diskAvailableBytes".to_owned(), json!(free));
    }
    Some(kept)
}

impl Nodes {
    /// `node.presence.activity`: a person used the node, or it does not know any more.
    ///
    /// # Errors
    /// When it cannot be true; in a word the wire knows.
    pub fn used(&self, socket: &dyn NodeSocket, payload: &Value) -> Result<&'static str, &'static str> {
        let Ok(said) = homard_runtime::json::from_value::<Used>(payload.clone()) else {
            return Err("invalid_payload");
        };
        let now = self.clock.now_ms();
        let clears = said.action.as_deref() == Some("clear");
        let idle = said.idle_seconds.filter(|idle| (0..=MAX_IDLE_SECONDS).contains(idle));
        if !clears && (idle.is_none() || said.action.is_some()) {
            return Err("invalid_payload");
        }
        let changed = self.registry.change(socket, |session| {
            let own_window = said.source.as_deref() == Some("app");
            if !clears && !own_window && session.declared.permissions.get(ACCESSIBILITY) != Some(&true) {
                return Err("permission_required");
            }
            session.activity.last_active_at =
                idle.filter(|_| !clears).map(|idle| now.saturating_sub(idle.saturating_mul(1000)));
            session.activity.updated_at = (!clears).then_some(now);
            Ok(session.activity.clone())
        });
        let activity = changed.ok_or("stale_connection")??;
        if self.registry.may_tell(socket, "activity") == Some(false) {
            return Ok("updated");
        }
        let node_id = socket.node().cloned().ok_or("stale_connection")?;
        let active_node_id = most_recent(&self.registry.all()).cloned();
        self.bus.publish(&NodePresenceEvent {
            node_id,
            last_active_at_ms: activity.last_active_at,
            presence_updated_at_ms: activity.updated_at,
            active_node_id,
        });
        Ok("updated")
    }

    /// `node.host.stats`: how the node's machine is.
    ///
    /// # Errors
    /// When it cannot be true; in a word the wire knows.
    pub async fn machine(
        &self,
        socket: &dyn NodeSocket,
        payload: &Value,
    ) -> Result<&'static str, &'static str> {
        let stats = believable(payload, self.clock.now_ms()).ok_or("invalid_payload")?;
        self.registry
            .change(socket, |session| session.activity.host_stats = Some(stats.clone()))
            .ok_or("stale_connection")?;
        let id = socket.node().cloned().ok_or("stale_connection")?;
        if self.registry.may_tell(socket, "stats") == Some(false) {
            return Ok("updated");
        }
        self.store
            .nodes()
            .keep_host_stats(&id, &stats)
            .await
            .or_log("what a node says of its machine was not kept");
        self.bus.publish(&NodeHostStatsEvent { node_id: id, host_stats: stats });
        Ok("updated")
    }
}
