//! Paired devices, their tokens, and requests to be paired.
//!
//! Keeps what was decided; whether a device *may* be paired, with which scopes, is decided by the gateway.
//! Of a token only its hash is kept: whoever reads the database, or a copy of it, cannot connect with it.

mod pairing;
mod take_over;
mod tokens;

use homard_protocol::methods::devices::ApprovedVia;
use homard_protocol::{DeviceId, Role, Word};
use homard_runtime::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row, params};
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use crate::engine::database::sha256;
use crate::store::{Store, StoreError, from_json, parse_column, to_json};

pub use pairing::{NewDeviceRequest, PENDING_TTL_MS, PendingDevice, PendingOutcome};
pub(crate) use take_over::take_over;
pub use tokens::{DeviceToken, HeldToken};

/// A device that may connect.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PairedDevice {
    /// Hex SHA-256 of its public key.
    pub device_id: DeviceId,
    /// Its Ed25519 public key.
    pub public_key: String,
    /// What it calls itself.
    pub display_name: Option<String>,
    /// What the owner of the gateway calls it; kept when it describes itself anew.
    pub operator_label: Option<String>,
    pub platform: Option<String>,
    pub device_family: Option<String>,
    /// Which program it runs.
    pub client_id: Option<String>,
    /// How that program uses the gateway.
    pub client_mode: Option<String>,
    /// The roles it was approved for.
    pub roles: Vec<Word<Role>>,
    /// The scopes it was approved for.
    pub scopes: Vec<String>,
    /// Where it connected from when it was approved.
    pub remote_ip: Option<String>,
    /// How it was approved: `owner`, `silent` and so on.
    pub approved_via: Option<Word<ApprovedVia>>,
    /// When it was first paired.
    #[serde(rename = "createdAtMs")]
    pub created_at: Timestamp,
    /// When it was last approved.
    #[serde(rename = "approvedAtMs")]
    pub approved_at: Timestamp,
    /// When it was last connected.
    #[serde(rename = "lastSeenAtMs")]
    pub last_seen_at: Option<Timestamp>,
}

const COLUMNS: &str = "device_id, public_key, display_name, platform, device_family, client_id, client_mode, roles, \
                       scopes, remote_ip, approved_via, created_at, approved_at, last_seen_at, operator_label";

/// Paired devices, those that ask to be, and their tokens: [`Store::devices`].
#[derive(Debug, Clone, Copy)]
pub struct DeviceStore<'a> {
    pub(crate) store: &'a Store,
}

impl DeviceStore<'_> {
    /// A paired device.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn get(self, device_id: &DeviceId) -> Result<Option<PairedDevice>, StoreError> {
        let device_id = device_id.clone();
        self.store.read(move |cx| load(cx.conn, &device_id)).await
    }

    /// All paired devices, newest approval first.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn paired(self) -> Result<Vec<PairedDevice>, StoreError> {
        self.store
            .read(move |cx| {
                let sql = format!("SELECT {COLUMNS} FROM devices ORDER BY approved_at DESC");
                let mut statement = cx.conn.prepare(&sql)?;
                let mut rows = statement.query([])?;
                let mut devices = Vec::new();
                while let Some(row) = rows.next()? {
                    devices.push(read(row)?);
                }
                Ok(devices)
            })
            .await
    }

    /// Keeps a paired device, in place of what was known of it; its request, if one waits, is settled.
    ///
    /// # Errors
    /// When the write is not committed.
    pub async fn pair(self, device: PairedDevice) -> Result<(), StoreError> {
        self.store
            .write(move |batch| {
                batch.execute(
                    "DELETE FROM device_pending WHERE device_id = ?1",
                    [device.device_id.as_str()],
                )?;
                save(batch.conn, &device)
            })
            .await
    }

    /// Notes that a device is connected now, in this role, and by which token if by one.
    ///
    /// # Errors
    /// When the write is not committed.
    pub async fn touch(
        self,
        device_id: &DeviceId,
        role: Role,
        presented: Option<&str>,
    ) -> Result<(), StoreError> {
        let device_id = device_id.clone();
        let hash = presented.map(sha256);
        self.store
            .write(move |batch| {
                let (role, now) = (role.as_str(), batch.now());
                let seen = "UPDATE devices SET last_seen_at = ?2 WHERE device_id = ?1";
                batch.execute(seen, params![device_id.as_str(), now])?;
                let used = "UPDATE device_tokens SET last_used_at = ?3 WHERE device_id = ?1 AND role = ?2";
                batch.execute(used, params![device_id.as_str(), role, now])?;
                let which = "UPDATE device_token_hashes SET last_used_at = ?4
                         WHERE device_id = ?1 AND role = ?2 AND hash = ?3";
                batch.execute(which, params![device_id.as_str(), role, hash, now])?;
                Ok(())
            })
            .await
    }

    /// Gives a device the owner's name for it; tells whether there is such a device.
    ///
    /// # Errors
    /// When the write is not committed.
    pub async fn label(self, device_id: &DeviceId, label: &str) -> Result<bool, StoreError> {
        let (device_id, label) = (device_id.clone(), label.to_owned());
        self.store
            .write(move |batch| {
                let sql = "UPDATE devices SET operator_label = ?2 WHERE device_id = ?1";
                Ok(batch.execute(sql, params![device_id.as_str(), label])? > 0)
            })
            .await
    }

    /// Forgets a device, its tokens and its request; tells whether it was paired.
    ///
    /// # Errors
    /// When the write is not committed.
    pub async fn remove(self, device_id: &DeviceId) -> Result<bool, StoreError> {
        let device_id = device_id.clone();
        self.store
            .write(move |batch| {
                batch.execute("DELETE FROM device_pending WHERE device_id = ?1", [device_id.as_str()])?;
                Ok(batch.execute("DELETE FROM devices WHERE device_id = ?1", [device_id.as_str()])? > 0)
            })
            .await
    }
}

pub(crate) fn load(conn: &Connection, device_id: &DeviceId) -> Result<Option<PairedDevice>, StoreError> {
    let sql = format!("SELECT {COLUMNS} FROM devices WHERE device_id = ?1");
    conn.prepare_cached(&sql)?.query_row([device_id.as_str()], |row| Ok(read(row))).optional()?.transpose()
}

/// Writes a device; an update and not a replacement, so that its tokens and its label stay.
fn save(conn: &Connection, device: &PairedDevice) -> Result<(), StoreError> {
    let sql = format!(
        "INSERT INTO devices ({COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)
         ON CONFLICT (device_id) DO UPDATE SET public_key = excluded.public_key, display_name = excluded.display_name,
         platform = excluded.platform, device_family = excluded.device_family, client_id = excluded.client_id,
         client_mode = excluded.client_mode, roles = excluded.roles, scopes = excluded.scopes,
         remote_ip = excluded.remote_ip, approved_via = excluded.approved_via, approved_at = excluded.approved_at,
         last_seen_at = excluded.last_seen_at"
    );
    conn.prepare_cached(&sql)?.execute(params![
        device.device_id.as_str(),
        device.public_key,
        device.display_name,
        device.platform,
        device.device_family,
        device.client_id,
        device.client_mode,
        to_json("roles", &device.roles)?,
        to_json("scopes", &device.scopes)?,
        device.remote_ip,
        device.approved_via.as_ref().map(Word::as_str),
        device.created_at,
        device.approved_at,
        device.last_seen_at,
        device.operator_label,
    ])?;
    Ok(())
}

fn read(row: &Row<'_>) -> Result<PairedDevice, StoreError> {
    let text = |at: usize| row.get_ref(at).and_then(|value| Ok(value.as_str()?));
    Ok(PairedDevice {
        device_id: parse_column("device_id", text(0)?)?,
        public_key: row.get(1)?,
        display_name: row.get(2)?,
        platform: row.get(3)?,
        device_family: row.get(4)?,
        client_id: row.get(5)?,
        client_mode: row.get(6)?,
        roles: from_json("roles", text(7)?)?,
        scopes: from_json("scopes", text(8)?)?,
        remote_ip: row.get(9)?,
        approved_via: row.get::<_, Option<String>>(10)?.map(Word::of),
        created_at: row.get(11)?,
        approved_at: row.get(12)?,
        last_seen_at: row.get(13)?,
        operator_label: row.get(14)?,
    })
}

#[cfg(test)]
mod tests;
