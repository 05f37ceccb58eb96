//! Device tokens: a few per device and role, kept as hashes.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use homard_protocol::{DeviceId, Role, Word};
use homard_runtime::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row, params};
use subtle::ConstantTimeEq;

use super::{DeviceStore, load};
use crate::engine::database::sha256;
use crate::engine::writer::Batch;
use crate::store::{StoreError, from_json, to_json};

/// Random bytes in a token.
const TOKEN_BYTES: usize = 32;

/// Tokens of one device and role that are good at a time: programs that share a device each hold one. One more, and the
/// one that was not used for longest is forgotten.
const MAX_TOKENS: i64 = 8;

/// What is known of a device's tokens for one role; the bearers themselves are kept by nobody but the device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceToken {
    pub role: Word<Role>,
    /// What they may do, all together.
    pub scopes: Vec<String>,
    /// When the first was issued.
    pub created_at: Timestamp,
    /// When they were last replaced.
    pub rotated_at: Option<Timestamp>,
    /// When they stopped being valid.
    pub revoked_at: Option<Timestamp>,
    /// When the device last connected in this role.
    pub last_used_at: Option<Timestamp>,
}

/// A token that was presented and is good.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldToken {
    /// What it may do.
    pub scopes: Vec<String>,
    /// When it was issued.
    pub created_at: Timestamp,
}

impl DeviceStore<'_> {
    /// Issues one more bearer for a device and role; earlier ones stay valid, up to [`MAX_TOKENS`]. It lives as long as
    /// the shared secret that `generation` names.
    ///
    /// # Errors
    /// [`StoreError::UnknownDevice`] when the device is not paired.
    pub async fn issue_token(
        self,
        device_id: &DeviceId,
        role: Role,
        scopes: &[String],
        generation: &str,
    ) -> Result<String, StoreError> {
        let new = NewToken::of(device_id, role, scopes, generation);
        self.store
            .write(move |batch| {
                make_room(batch, &new)?;
                let token = issue(batch, &new)?;
                sum_up(batch, &new)?;
                Ok(token)
            })
            .await
    }

    /// Issues a bearer in place of all that a device has for a role.
    ///
    /// # Errors
    /// [`StoreError::UnknownDevice`] when the device is not paired.
    pub async fn rotate_token(
        self,
        device_id: &DeviceId,
        role: Role,
        scopes: &[String],
        generation: &str,
    ) -> Result<String, StoreError> {
        let new = NewToken::of(device_id, role, scopes, generation);
        self.store.write(move |batch| {
            forget(batch, &new.device_id, new.role)?;
            let token = issue(batch, &new)?;
            sum_up(batch, &new)?;
            let sql = "UPDATE device_tokens SET rotated_at = ?3, last_used_at = NULL WHERE device_id = ?1 AND role = ?2";
            batch.execute(sql, params![new.device_id.as_str(), new.role.as_str(), batch.now()])?;
            Ok(token)
        })
        .await
    }

    /// The tokens of a device and role as they stand, revoked or not.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn token(self, device_id: &DeviceId, role: Role) -> Result<Option<DeviceToken>, StoreError> {
        let device_id = device_id.clone();
        self.store.read(move |cx| find(cx.conn, &device_id, role.as_str())).await
    }

    /// All tokens of a device.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn tokens(self, device_id: &DeviceId) -> Result<Vec<DeviceToken>, StoreError> {
        let device_id = device_id.clone();
        self.store
            .read(move |cx| {
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

    /// The token, if `presented` is a good one of this device and role and the shared secret is still its own. Takes the
    /// same time however wrong the guess is.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn check_token(
        self,
        device_id: &DeviceId,
        role: Role,
        presented: &str,
        generation: &str,
    ) -> Result<Option<HeldToken>, StoreError> {
        let (device_id, generation) = (device_id.clone(), generation.to_owned());
        let presented = sha256(presented);
        self.store
            .read(move |cx| {
                let sql = "SELECT hash, scopes, created_at FROM device_token_hashes
                       WHERE device_id = ?1 AND role = ?2 AND generation = ?3";
                let mut statement = cx.conn.prepare_cached(sql)?;
                let mut rows = statement.query([device_id.as_str(), role.as_str(), &generation])?;
                let mut held = None;
                while let Some(row) = rows.next()? {
                    if bool::from(row.get::<_, Vec<u8>>(0)?.ct_eq(&presented)) {
                        let scopes = from_json("scopes", &row.get::<_, String>(1)?)?;
                        held = Some(HeldToken { scopes, created_at: row.get(2)? });
                    }
                }
                Ok(held)
            })
            .await
    }

    /// Binds tokens of earlier versions to the shared secret that `generation` names.
    ///
    /// # Errors
    /// When the write is not committed.
    pub async fn bind_tokens(self, generation: &str) -> Result<(), StoreError> {
        let generation = generation.to_owned();
        self.store
            .write(move |batch| {
                batch.execute(
                    "UPDATE device_token_hashes SET generation = ?1 WHERE generation IS NULL",
                    [generation],
                )?;
                Ok(())
            })
            .await
    }

    /// Makes all tokens of a role invalid; tells when, or `None` when there are none.
    ///
    /// # Errors
    /// When the write is not committed.
    pub async fn revoke_token(
        self,
        device_id: &DeviceId,
        role: Role,
    ) -> Result<Option<Timestamp>, StoreError> {
        let device_id = device_id.clone();
        self.store.write(move |batch| {
            let now = batch.now();
            forget(batch, &device_id, role)?;
            let sql = "UPDATE device_tokens SET revoked_at = coalesce(revoked_at, ?3) WHERE device_id = ?1 AND role = ?2";
            let changed = batch.execute(sql, params![device_id.as_str(), role.as_str(), now])?;
            Ok((changed > 0).then_some(now))
        })
        .await
    }
}

/// A bearer that is going to be issued.
struct NewToken {
    device_id: DeviceId,
    role: Role,
    scopes: Vec<String>,
    generation: String,
}

impl NewToken {
    fn of(device_id: &DeviceId, role: Role, scopes: &[String], generation: &str) -> Self {
        Self {
            device_id: device_id.clone(),
            role,
            scopes: scopes.to_vec(),
            generation: generation.to_owned(),
        }
    }
}

/// Makes a bearer and keeps its hash.
fn issue(batch: &Batch<'_>, new: &NewToken) -> Result<String, StoreError> {
    if load(batch.conn, &new.device_id)?.is_none() {
        return Err(StoreError::UnknownDevice(new.device_id.clone()));
    }
    let (id, scopes, now) = (new.device_id.as_str(), to_json("scopes", &new.scopes)?, batch.now());
    let known = "INSERT INTO device_tokens (device_id, role, scopes, created_at) VALUES (?1, ?2, ?3, ?4)
                 ON CONFLICT (device_id, role) DO UPDATE SET revoked_at = NULL";
    batch.execute(known, params![id, new.role.as_str(), scopes, now])?;
    let token = random_token()?;
    let sql = "INSERT INTO device_token_hashes (device_id, role, hash, scopes, generation, created_at)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    batch.execute(sql, params![id, new.role.as_str(), sha256(&token), scopes, new.generation, now])?;
    Ok(token)
}

/// Forgets tokens of shared secrets that are no more, and so many that one more is not too many.
fn make_room(batch: &Batch<'_>, new: &NewToken) -> Result<(), StoreError> {
    let (id, role) = (new.device_id.as_str(), new.role.as_str());
    let dead = "DELETE FROM device_token_hashes WHERE device_id = ?1 AND role = ?2 AND generation IS NOT ?3";
    batch.execute(dead, params![id, role, new.generation])?;
    let surplus = "DELETE FROM device_token_hashes WHERE device_id = ?1 AND role = ?2 AND hash IN (
                     SELECT hash FROM device_token_hashes WHERE device_id = ?1 AND role = ?2
                     ORDER BY max(created_at, coalesce(last_used_at, 0)) DESC LIMIT -1 OFFSET ?3)";
    batch.execute(surplus, params![id, role, MAX_TOKENS - 1])?;
    Ok(())
}

/// Forgets the tokens of a role.
fn forget(batch: &Batch<'_>, device_id: &DeviceId, role: Role) -> Result<(), StoreError> {
    let sql = "DELETE FROM device_token_hashes WHERE device_id = ?1 AND role = ?2";
    batch.execute(sql, params![device_id.as_str(), role.as_str()])?;
    Ok(())
}

/// Notes what the tokens of a role may do, all together.
fn sum_up(batch: &Batch<'_>, new: &NewToken) -> Result<(), StoreError> {
    let mut all = new.scopes.clone();
    for token in kept(batch.conn, &new.device_id, new.role.as_str())? {
        add_missing(&mut all, &token.scopes);
    }
    let sql = "UPDATE device_tokens SET scopes = ?3 WHERE device_id = ?1 AND role = ?2";
    batch.execute(sql, params![new.device_id.as_str(), new.role.as_str(), to_json("scopes", &all)?])?;
    Ok(())
}

/// Lets the tokens of a role do more; ones that were revoked stay so.
pub(super) fn widen(
    batch: &Batch<'_>,
    device_id: &DeviceId,
    role: &str,
    more: &[String],
) -> Result<(), StoreError> {
    let Some(mut known) = find(batch.conn, device_id, role)? else { return Ok(()) };
    let id = device_id.as_str();
    for KeptToken { hash, mut scopes } in kept(batch.conn, device_id, role)? {
        add_missing(&mut scopes, more);
        let sql =
            "UPDATE device_token_hashes SET scopes = ?4 WHERE device_id = ?1 AND role = ?2 AND hash = ?3";
        batch.execute(sql, params![id, role, hash, to_json("scopes", &scopes)?])?;
    }
    add_missing(&mut known.scopes, more);
    let sql = "UPDATE device_tokens SET scopes = ?3 WHERE device_id = ?1 AND role = ?2";
    batch.execute(sql, params![id, role, to_json("scopes", &known.scopes)?])?;
    Ok(())
}

pub(super) fn add_missing(scopes: &mut Vec<String>, more: &[String]) {
    for scope in more {
        if !scopes.contains(scope) {
            scopes.push(scope.clone());
        }
    }
}

/// A token as it is kept.
struct KeptToken {
    hash: Vec<u8>,
    scopes: Vec<String>,
}

/// The tokens of a role as they are kept.
fn kept(conn: &Connection, device_id: &DeviceId, role: &str) -> Result<Vec<KeptToken>, StoreError> {
    let sql = "SELECT hash, scopes FROM device_token_hashes WHERE device_id = ?1 AND role = ?2";
    let mut statement = conn.prepare_cached(sql)?;
    let mut rows = statement.query([device_id.as_str(), role])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let scopes = from_json("scopes", &row.get::<_, String>(1)?)?;
        found.push(KeptToken { hash: row.get(0)?, scopes });
    }
    Ok(found)
}

fn random_token() -> Result<String, StoreError> {
    let mut bytes = [0u8; TOKEN_BYTES];
    getrandom::fill(&mut bytes).map_err(StoreError::NoRandomness)?;
    Ok(URL_SAFE_NO_PAD.encode(bytes))
}

fn select(filter: &str) -> String {
    format!(
        "SELECT role, scopes, created_at, rotated_at, revoked_at, last_used_at FROM device_tokens WHERE {filter}"
    )
}

fn find(conn: &Connection, device_id: &DeviceId, role: &str) -> Result<Option<DeviceToken>, StoreError> {
    let mut statement = conn.prepare_cached(&select("device_id = ?1 AND role = ?2"))?;
    statement.query_row([device_id.as_str(), role], |row| Ok(read(row))).optional()?.transpose()
}

fn read(row: &Row<'_>) -> Result<DeviceToken, StoreError> {
    Ok(DeviceToken {
        role: Word::of(row.get::<_, String>(0)?),
        scopes: from_json("scopes", &row.get::<_, String>(1)?)?,
        created_at: row.get(2)?,
        rotated_at: row.get(3)?,
        revoked_at: row.get(4)?,
        last_used_at: row.get(5)?,
    })
}
