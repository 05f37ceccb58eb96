//! Requests to be paired: kept for a few minutes, one per device.

use homard_protocol::methods::devices::ApprovedVia;
use homard_protocol::{DeviceId, Role, Word};
use homard_runtime::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row, params};
use uuid::Uuid;

use super::{DeviceStore, PairedDevice, load, save, tokens};
use crate::engine::writer::Batch;
use crate::store::{StoreError, from_json, parse_column, to_json};

/// How long a request waits for an answer; asking again starts it anew.
pub const PENDING_TTL_MS: i64 = 5 * 60 * 1000;
/// Most requests kept at once, so that strangers cannot fill the disk; the oldest gives way.
const MAX_PENDING: i64 = 256;

/// A device asking to be paired.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewDeviceRequest {
    /// Hex SHA-256 of its public key.
    pub device_id: DeviceId,
    /// Its Ed25519 public key.
    pub public_key: String,
    /// What it calls itself.
    pub display_name: Option<String>,
    pub platform: Option<String>,
    pub device_family: Option<String>,
    /// Which program it runs.
    pub client_id: Option<String>,
    /// How that program uses the gateway.
    pub client_mode: Option<String>,
    /// The role it wants.
    pub role: Word<Role>,
    /// The scopes it wants.
    pub scopes: Vec<String>,
    /// Where it connects from.
    pub remote_ip: Option<String>,
    /// The page it connects from, when it is one.
    pub browser_origin: Option<String>,
    /// Whether nobody is to be asked.
    pub silent: bool,
}

/// A request that waits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PendingDevice {
    pub request_id: String,
    pub asked: NewDeviceRequest,
    /// Whether the device was paired before.
    pub is_repair: bool,
    /// When it last asked.
    pub ts: Timestamp,
}

/// What came of a request to be paired.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PendingOutcome {
    /// The request as it waits now.
    pub request: PendingDevice,
    /// Whether it has a new id: somebody should be asked.
    pub created: bool,
    /// The id of an earlier, different request that it replaced: that one is rejected.
    pub superseded: Option<String>,
}

const COLUMNS: &str = "request_id, device_id, public_key, display_name, platform, device_family, client_id, \
                       client_mode, role, scopes, remote_ip, silent, is_repair, ts, browser_origin";

impl DeviceStore<'_> {
    /// Keeps a request. Asking for the same again refreshes it; asking for something else replaces it.
    ///
    /// # Errors
    /// When the write is not committed.
    pub async fn request_pairing(self, request: NewDeviceRequest) -> Result<PendingOutcome, StoreError> {
        self.store.write(move |batch| request_pairing(batch, request)).await
    }

    /// The requests that wait, oldest first.
    ///
    /// # Errors
    /// When the write is not committed; looking also forgets what is too old.
    pub async fn pending(self) -> Result<Vec<PendingDevice>, StoreError> {
        self.store
            .write(move |batch| {
                forget_old(batch)?;
                let sql = format!("SELECT {COLUMNS} FROM device_pending ORDER BY ts, request_id");
                let mut statement = batch.conn.prepare_cached(&sql)?;
                let mut rows = statement.query([])?;
                let mut requests = Vec::new();
                while let Some(row) = rows.next()? {
                    requests.push(read(row)?);
                }
                Ok(requests)
            })
            .await
    }

    /// One request that waits.
    ///
    /// # Errors
    /// When the write is not committed; looking also forgets what is too old.
    pub async fn pending_request(self, request_id: &str) -> Result<Option<PendingDevice>, StoreError> {
        let request_id = request_id.to_owned();
        self.store
            .write(move |batch| {
                forget_old(batch)?;
                one(batch.conn, "request_id", &request_id)
            })
            .await
    }

    /// Pairs the device of a waiting request, adding its role and scopes to those it had and to those of its
    /// token. `None` when no such request waits.
    ///
    /// # Errors
    /// When the write is not committed.
    pub async fn approve(
        self,
        request_id: &str,
        approved_via: ApprovedVia,
    ) -> Result<Option<PairedDevice>, StoreError> {
        let request_id = request_id.to_owned();
        self.store
            .write(move |batch| {
                let Some(request) = take(batch, &request_id)? else { return Ok(None) };
                let request = request.asked;
                let before = load(batch.conn, &request.device_id)?;
                let (role, scopes) = (request.role.clone(), request.scopes.clone());
                let device = approved(request, before, batch.now(), approved_via);
                save(batch.conn, &device)?;
                tokens::widen(batch, &device.device_id, role.as_str(), &scopes)?;
                Ok(Some(device))
            })
            .await
    }

    /// Turns a waiting request away and returns it. `None` when no such request waits.
    ///
    /// # Errors
    /// When the write is not committed.
    pub async fn reject(self, request_id: &str) -> Result<Option<PendingDevice>, StoreError> {
        let request_id = request_id.to_owned();
        self.store.write(move |batch| take(batch, &request_id)).await
    }
}

fn forget_old(batch: &Batch<'_>) -> Result<(), StoreError> {
    batch
        .execute("DELETE FROM device_pending WHERE ts < ?1", [batch.now().saturating_sub(PENDING_TTL_MS)])?;
    Ok(())
}

fn one(conn: &Connection, filter: &str, value: &str) -> Result<Option<PendingDevice>, StoreError> {
    let sql = format!("SELECT {COLUMNS} FROM device_pending WHERE {filter} = ?1");
    conn.prepare_cached(&sql)?.query_row([value], |row| Ok(read(row))).optional()?.transpose()
}

fn take(batch: &Batch<'_>, request_id: &str) -> Result<Option<PendingDevice>, StoreError> {
    forget_old(batch)?;
    let request = one(batch.conn, "request_id", request_id)?;
    batch.execute("DELETE FROM device_pending WHERE request_id = ?1", [request_id])?;
    Ok(request)
}

fn request_pairing(batch: &Batch<'_>, new: NewDeviceRequest) -> Result<PendingOutcome, StoreError> {
    forget_old(batch)?;
    let waiting = one(batch.conn, "device_id", new.device_id.as_str())?;
    let same = waiting.as_ref().is_some_and(|PendingDevice { asked: old, .. }| {
        old.role == new.role && old.scopes == new.scopes && old.public_key == new.public_key
    });
    let is_repair = load(batch.conn, &new.device_id)?.is_some();
    let old_id = waiting.map(|old| old.request_id);
    let (request_id, superseded) = match old_id {
        Some(id) if same => (id, None),
        other => (Uuid::new_v4().to_string(), other),
    };
    let request = PendingDevice { request_id, asked: new, is_repair, ts: batch.now() };
    write(batch, &request)?;
    Ok(PendingOutcome { request, created: !same, superseded })
}

fn write(batch: &Batch<'_>, request: &PendingDevice) -> Result<(), StoreError> {
    let sql = format!(
        "INSERT OR REPLACE INTO device_pending ({COLUMNS})
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)"
    );
    let asked = &request.asked;
    batch.execute(
        &sql,
        params![
            request.request_id,
            asked.device_id.as_str(),
            asked.public_key,
            asked.display_name,
            asked.platform,
            asked.device_family,
            asked.client_id,
            asked.client_mode,
            asked.role.as_str(),
            to_json("scopes", &asked.scopes)?,
            asked.remote_ip,
            asked.silent,
            request.is_repair,
            request.ts,
            asked.browser_origin,
        ],
    )?;
    batch.execute(
        "DELETE FROM device_pending WHERE request_id IN
         (SELECT request_id FROM device_pending ORDER BY ts DESC LIMIT -1 OFFSET ?1)",
        [MAX_PENDING],
    )?;
    Ok(())
}

/// The device as it is after approval. A new key starts from nothing: what the old key was granted is gone.
fn approved(
    request: NewDeviceRequest,
    before: Option<PairedDevice>,
    now: Timestamp,
    approved_via: ApprovedVia,
) -> PairedDevice {
    let before = before.filter(|device| device.public_key == request.public_key);
    let created_at = before.as_ref().map_or(now, |device| device.created_at);
    let last_seen_at = before.as_ref().and_then(|device| device.last_seen_at);
    let (mut roles, mut scopes) = before.map(|device| (device.roles, device.scopes)).unwrap_or_default();
    if !roles.contains(&request.role) {
        roles.push(request.role);
    }
    tokens::add_missing(&mut scopes, &request.scopes);
    PairedDevice {
        device_id: request.device_id,
        public_key: request.public_key,
        display_name: request.display_name,
        platform: request.platform,
        device_family: request.device_family,
        client_id: request.client_id,
        client_mode: request.client_mode,
        roles,
        scopes,
        remote_ip: request.remote_ip,
        approved_via: Some(approved_via.into()),
        created_at,
        approved_at: now,
        last_seen_at,
        operator_label: None,
    }
}

fn read(row: &Row<'_>) -> Result<PendingDevice, StoreError> {
    let text = |at: usize| row.get_ref(at).and_then(|value| Ok(value.as_str()?));
    let asked = NewDeviceRequest {
        device_id: parse_column("device_id", text(1)?)?,
        public_key: row.get(2)?,
        display_name: row.get(3)?,
        platform: row.get(4)?,
        device_family: row.get(5)?,
        client_id: row.get(6)?,
        client_mode: row.get(7)?,
        role: Word::of(row.get::<_, String>(8)?),
        scopes: from_json("scopes", text(9)?)?,
        remote_ip: row.get(10)?,
        browser_origin: row.get(14)?,
        silent: row.get(11)?,
    };
    Ok(PendingDevice { request_id: row.get(0)?, asked, is_repair: row.get(12)?, ts: row.get(13)? })
}
