//! Who is here.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

use homard_protocol::connect::{ClientMode, ConnectParams};
use homard_protocol::presence::PresenceEntry;
use homard_protocol::{ConnId, Role};
use homard_runtime::Mutex;

use crate::access::caller::Caller;

/// Everybody connected who is worth showing, and the gateway itself.
#[derive(Debug)]
pub(crate) struct Presence {
    own: PresenceEntry,
    others: Mutex<BTreeMap<String, PresenceEntry>>,
    version: AtomicU64,
}

impl Presence {
    /// A list with only the gateway in it.
    pub(crate) fn new(mut own: PresenceEntry) -> Self {
        own.mode = Some("gateway".to_owned());
        own.reason = Some("self".to_owned());
        Self { own, others: Mutex::default(), version: AtomicU64::new(1) }
    }

    /// Grows with every change.
    pub(crate) fn version(&self) -> u64 {
        self.version.load(Ordering::Relaxed)
    }

    /// The whole list, the gateway first.
    pub(crate) fn list(&self, now: i64) -> Vec<PresenceEntry> {
        let mut own = self.own.clone();
        own.ts = now;
        let others = self.others.lock();
        std::iter::once(own).chain(others.values().cloned()).collect()
    }

    /// Adds a client, if clients of its kind are shown; commands and probes come and go too fast to be.
    pub(crate) fn arrive(&self, caller: &Caller, params: &ConnectParams, now: i64) {
        if !is_shown(caller.mode) {
            return;
        }
        let described = &params.client;
        let entry = PresenceEntry {
            ts: now,
            host: Some(described.display_name.clone().unwrap_or_else(|| described.id.to_string())),
            client_id: Some(described.id.to_string()),
            ip: Some(caller.peer.ip.to_string()),
            version: Some(described.version.clone()),
            platform: Some(described.platform.clone()),
            device_family: described.device_family.clone(),
            model_identifier: described.model_identifier.clone(),
            time_zone: described.time_zone.clone(),
            mode: Some(described.mode.to_string()),
            reason: Some("connect".to_owned()),
            text: Some(format!("{} · {}", described.id, described.mode)),
            online_since: Some(now),
            device_id: caller.client.device.as_ref().map(ToString::to_string),
            roles: vec![caller.client.role.into()],
            scopes: caller.client.scopes.to_strings(),
            instance_id: described.instance_id.clone(),
            last_input_seconds: None,
        };
        self.others.lock().insert(key(caller), entry);
        self.version.fetch_add(1, Ordering::Relaxed);
    }

    /// Takes a client off the list; tells whether it was on it.
    pub(crate) fn leave(&self, caller: &Caller) -> bool {
        let gone = self.others.lock().remove(&key(caller)).is_some();
        if gone {
            self.version.fetch_add(1, Ordering::Relaxed);
        }
        gone
    }
}

/// Whether clients of this kind are shown.
pub(crate) fn is_shown(mode: ClientMode) -> bool {
    !matches!(mode, ClientMode::Cli | ClientMode::Backend | ClientMode::Probe)
}

/// Nodes are one entry each, operators one per connection.
fn key(caller: &Caller) -> String {
    match (&caller.client.role, &caller.client.device) {
        (Role::Node, Some(device)) => format!("node:{device}"),
        _ => conn_key(&caller.client.conn),
    }
}

fn conn_key(conn: &ConnId) -> String {
    format!("conn:{conn}")
}
