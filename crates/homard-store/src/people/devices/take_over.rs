//! Taking over the paired devices of an OpenClaw installation, once: `devices/paired.json`. The file stays where it is.
//!
//! Their tokens go on working while the gateway keeps its shared secret: like those of an earlier version, they are bound
//! to the secret of the next start.

use std::collections::BTreeMap;
use std::path::Path;

use homard_protocol::{DeviceId, Role, Word};
use homard_runtime::{Clock, OrLog, Timestamp};
use rusqlite::{Connection, OptionalExtension, params};
use serde::Deserialize;
use serde_json::Value;

use super::{PairedDevice, load, save};
use crate::engine::database::sha256;
use crate::store::{StoreError, to_json};

/// Largest file that is read.
const MAX_BYTES: u64 = 16 * 1024 * 1024;
/// That it was done.
const MARKER: &str = "imported.devices";

/// A device as the other software kept it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ForeignDevice {
    device_id: DeviceId,
    public_key: String,
    display_name: Option<String>,
    platform: Option<String>,
    client_id: Option<String>,
    client_mode: Option<String>,
    role: Option<Word<Role>>,
    #[serde(default)]
    roles: Vec<Word<Role>>,
    #[serde(default)]
    scopes: Vec<String>,
    #[serde(default)]
    tokens: BTreeMap<String, KeptToken>,
    approved_at_ms: Option<Timestamp>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct KeptToken {
    token: String,
    #[serde(default)]
    scopes: Vec<String>,
    created_at_ms: Option<Timestamp>,
    revoked_at_ms: Option<Timestamp>,
}

/// Takes over what has not been taken over yet. A device that is paired here already stays as it is.
pub(crate) fn take_over(conn: &mut Connection, path: &Path, clock: &Clock) -> Result<(), StoreError> {
    let Ok(about) = std::fs::metadata(path) else { return Ok(()) };
    let done = conn.query_row("SELECT 1 FROM meta WHERE key = ?1", [MARKER], |_| Ok(())).optional()?;
    if done.is_some() || about.len() > MAX_BYTES {
        return Ok(());
    }
    // One that cannot be read now is tried again at the next start.
    let Some(bytes) = std::fs::read(path).or_log("the list of paired devices could not be read") else {
        return Ok(());
    };
    let read = serde_json::from_slice::<BTreeMap<String, Value>>(&bytes);
    let Some(file) = read.or_log("the list of paired devices is not readable JSON") else { return Ok(()) };
    let devices =
        file.into_values().filter_map(|one| homard_runtime::json::from_value::<ForeignDevice>(one).ok());
    let tx = conn.transaction()?;
    let mut taken: usize = 0;
    for device in devices {
        if load(&tx, &device.device_id)?.is_none() {
            add(&tx, device, clock.now_ms())?;
            taken += 1;
        }
    }
    tx.execute("INSERT INTO meta VALUES (?1, ?2)", [MARKER, &clock.now_rfc3339()])?;
    tx.commit()?;
    tracing::info!(devices = taken, "took over paired devices");
    Ok(())
}

fn add(conn: &Connection, kept: ForeignDevice, now: Timestamp) -> Result<(), StoreError> {
    let mut roles = kept.roles;
    roles.extend(kept.role.filter(|role| !roles.contains(role)));
    let approved_at = kept.approved_at_ms.unwrap_or(now);
    save(
        conn,
        &PairedDevice {
            device_id: kept.device_id.clone(),
            public_key: kept.public_key,
            display_name: kept.display_name,
            operator_label: None,
            platform: kept.platform,
            device_family: None,
            client_id: kept.client_id,
            client_mode: kept.client_mode,
            roles,
            scopes: kept.scopes,
            remote_ip: None,
            approved_via: None,
            created_at: approved_at,
            approved_at,
            last_seen_at: None,
        },
    )?;
    let id = kept.device_id.as_str();
    for (role, token) in kept.tokens.into_iter().filter(|(_, token)| token.revoked_at_ms.is_none()) {
        let (scopes, created) = (to_json("scopes", &token.scopes)?, token.created_at_ms.unwrap_or(now));
        let shown = "INSERT INTO device_tokens (device_id, role, scopes, created_at) VALUES (?1, ?2, ?3, ?4)";
        conn.execute(shown, params![id, role, scopes, created])?;
        let hashed = "INSERT INTO device_token_hashes (device_id, role, hash, scopes, created_at)
                      VALUES (?1, ?2, ?3, ?4, ?5)";
        conn.execute(hashed, params![id, role, sha256(&token.token), scopes, created])?;
    }
    Ok(())
}
