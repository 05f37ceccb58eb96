//! Device tokens: one per device and role.

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use homard_protocol::DeviceId;
use homard_runtime::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row, params};
use subtle::ConstantTimeEq;

use super::load;
use crate::store::{Store, StoreError, from_json, to_json};
use crate::writer::Batch;

/// Random bytes in a token.
const TOKEN_BYTES: usize = 32;

/// A device's proof that it was paired.
#[derive(Clone, PartialEq, Eq)]
pub struct DeviceToken {
    /// For which role.
    pub role: String,
    /// The bearer itself; never logged.
    pub token: String,
    /// What it may do.
    pub scopes: Vec<String>,
    /// When it was first issued.
    pub created_at: Timestamp,
    /// When the bearer was last replaced.
    pub rotated_at: Option<Timestamp>,
    /// When it stopped being valid.
    pub revoked_at: Option<Timestamp>,
    /// When it was last presented.
    pub last_used_at: Option<Timestamp>,
    /// Which shared secret it was made under, as the gateway names secrets; none when an earlier version made it.
    pub generation: Option<String>,
}

impl fmt::Debug for DeviceToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { role, scopes, created_at, rotated_at, revoked_at, last_used_at, .. } = self;
        f.debug_struct("DeviceToken")
            .field("role", role)
            .field("scopes", scopes)
            .field("created_at", created_at)
            .field("rotated_at", rotated_at)
            .field("revoked_at", revoked_at)
            .field("last_used_at", last_used_at)
            .finish_non_exhaustive()
    }
}

impl Store {
    /// Issues a new bearer for a device and role; an earlier one stops being valid. It lives as long as the shared
    /// secret that `generation` names.
    ///
    /// # Errors
    /// [`StoreError::UnknownDevice`] when the device is not paired.
    pub async fn issue_device_token(
        &self,
        device_id: &DeviceId,
        role: &str,
        scopes: &[String],
        generation: &str,
    ) -> Result<String, StoreError> {
        let (device_id, role, scopes) = (device_id.clone(), role.to_owned(), scopes.to_vec());
        let generation = generation.to_owned();
        self.write(move |batch| {
            if load(batch.conn, &device_id)?.is_none() {
                return Err(StoreError::UnknownDevice(device_id));
            }
            let token = random_token()?;
            let sql = "INSERT INTO device_tokens (device_id, role, token, scopes, created_at, generation)
                       VALUES (?1, ?2, ?3, ?4, ?5, ?6)
                       ON CONFLICT (device_id, role) DO UPDATE SET token = excluded.token, scopes = excluded.scopes,
                       rotated_at = excluded.created_at, revoked_at = NULL, last_used_at = NULL,
                       generation = excluded.generation";
            let scopes = to_json("scopes", &scopes)?;
            batch.execute(sql, params![device_id.as_str(), role, token, scopes, batch.now(), generation])?;
            Ok(token)
        })
        .await
    }

    /// The token of a device and role as it stands, revoked or not.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn device_token(
        &self,
        device_id: &DeviceId,
        role: &str,
    ) -> Result<Option<DeviceToken>, StoreError> {
        let (device_id, role) = (device_id.clone(), role.to_owned());
        self.read(move |cx| find(cx.conn, &device_id, &role)).await
    }

    /// All tokens of a device.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn device_tokens(&self, device_id: &DeviceId) -> Result<Vec<DeviceToken>, StoreError> {
        let device_id = device_id.clone();
        self.read(move |cx| {
            let mut statement = cx.conn.prepare_cached(&select("device_id = ?1 ORDER BY role"))?;
            let mut rows = statement.query([device_id.as_str()])?;
            let mut tokens = Vec::new();
            while let Some(row) = rows.next()? {
                tokens.push(read(row)?);
            }
            Ok(tokens)
        })
        .await
    }

    /// The token, if `presented` is it, it was not revoked and the shared secret is still its own. Takes the same time however wrong the guess is.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn check_device_token(
        &self,
        device_id: &DeviceId,
        role: &str,
        presented: &str,
        generation: &str,
    ) -> Result<Option<DeviceToken>, StoreError> {
        let token = self.device_token(device_id, role).await?;
        let valid = |token: &DeviceToken| {
            token.revoked_at.is_none()
                && token.generation.as_deref() == Some(generation)
                && bool::from(token.token.as_bytes().ct_eq(presented.as_bytes()))
        };
        Ok(token.filter(valid))
    }

    /// Binds tokens of earlier versions to the shared secret that `generation` names.
    ///
    /// # Errors
    /// When the write is not committed.
    pub async fn bind_device_tokens(&self, generation: &str) -> Result<(), StoreError> {
        let generation = generation.to_owned();
        self.write(move |batch| {
            batch
                .execute("UPDATE device_tokens SET generation = ?1 WHERE generation IS NULL", [generation])?;
            Ok(())
        })
        .await
    }

    /// Makes a token invalid; tells when, or `None` when there is none.
    ///
    /// # Errors
    /// When the write is not committed.
    pub async fn revoke_device_token(
        &self,
        device_id: &DeviceId,
        role: &str,
    ) -> Result<Option<Timestamp>, StoreError> {
        let (device_id, role) = (device_id.clone(), role.to_owned());
        self.write(move |batch| {
            let now = batch.now();
            let sql = "UPDATE device_tokens SET revoked_at = coalesce(revoked_at, ?3) WHERE device_id = ?1 AND role = ?2";
            let changed = batch.execute(sql, params![device_id.as_str(), role, now])?;
            Ok((changed > 0).then_some(now))
        })
        .await
    }
}

/// Lets the token of a role do more; one that was revoked stays so.
pub(super) fn widen(
    batch: &Batch<'_>,
    device_id: &DeviceId,
    role: &str,
    more: &[String],
) -> Result<(), StoreError> {
    let Some(token) = find(batch.conn, device_id, role)? else { return Ok(()) };
    let mut scopes = token.scopes;
    scopes.extend(more.iter().filter(|&scope| !scopes.contains(scope)).cloned().collect::<Vec<_>>());
    let sql = "UPDATE device_tokens SET scopes = ?3 WHERE device_id = ?1 AND role = ?2";
    batch.execute(sql, params![device_id.as_str(), role, to_json("scopes", &scopes)?])?;
    Ok(())
}

fn random_token() -> Result<String, StoreError> {
    let mut bytes = [0u8; TOKEN_BYTES];
    getrandom::fill(&mut bytes).map_err(StoreError::NoRandomness)?;
    Ok(URL_SAFE_NO_PAD.encode(bytes))
}

fn select(filter: &str) -> String {
    format!(
        "SELECT role, token, scopes, created_at, rotated_at, revoked_at, last_used_at, generation
         FROM device_tokens WHERE {filter}"
    )
}

fn find(conn: &Connection, device_id: &DeviceId, role: &str) -> Result<Option<DeviceToken>, StoreError> {
    let mut statement = conn.prepare_cached(&select("device_id = ?1 AND role = ?2"))?;
    statement.query_row([device_id.as_str(), role], |row| Ok(read(row))).optional()?.transpose()
}

fn read(row: &Row<'_>) -> Result<DeviceToken, StoreError> {
    Ok(DeviceToken {
        role: row.get(0)?,
        token: row.get(1)?,
        scopes: from_json("scopes", &row.get::<_, String>(2)?)?,
        created_at: row.get(3)?,
        rotated_at: row.get(4)?,
        revoked_at: row.get(5)?,
        last_used_at: row.get(6)?,
        generation: row.get(7)?,
    })
}
