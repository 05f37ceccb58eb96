//! Setup codes: kept until a device came with one, and a day longer, so that whoever made it learns who came.
//!
//! The first device to use a code owns it; it may use it once per role. What a code is worth is decided by the
//! gateway.

use homard_protocol::{DeviceId, Role, Word};
use homard_runtime::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::store::{Store, StoreError, from_json, parse_column, to_json};

/// How long a code is remembered after it ended.
const REMEMBERED_MS: i64 = 24 * 60 * 60 * 1000;
/// Most codes kept at once; the oldest gives way.
const MAX_CODES: i64 = 256;

/// A code to be kept. `Debug` hides it.
#[derive(Clone)]
pub struct NewSetupCode {
    pub setup_id: String,
    /// What the device sends.
    pub token: String,
    /// Part of an address that hands it out once.
    pub join_code: Option<String>,
    /// What the device may do; `None` is full access.
    pub profile: Option<String>,
    /// Where the device connects.
    pub url: String,
    pub expires_at: Timestamp,
}

/// A code as it is kept. `Debug` hides it.
#[derive(Clone, PartialEq, Eq)]
pub struct SetupCode {
    pub setup_id: String,
    /// What the device sends.
    pub token: String,
    /// What the device may do; `None` is full access.
    pub profile: Option<String>,
    /// Where the device connects.
    pub url: String,
    pub expires_at: Timestamp,
    /// Who came with it.
    pub device_id: Option<DeviceId>,
    /// What that device calls itself.
    pub device_name: Option<String>,
    /// The roles it was used for.
    pub roles: Vec<Word<Role>>,
    /// When it was first used.
    pub completed_at: Option<Timestamp>,
}

/// A device that uses a code.
#[derive(Debug, Clone)]
pub struct SetupUse {
    pub device_id: DeviceId,
    /// What it calls itself.
    pub device_name: Option<String>,
    /// In which role it connects.
    pub role: Role,
}

impl std::fmt::Debug for NewSetupCode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NewSetupCode").field("setup_id", &self.setup_id).finish_non_exhaustive()
    }
}

impl std::fmt::Debug for SetupCode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SetupCode").field("setup_id", &self.setup_id).finish_non_exhaustive()
    }
}

const COLUMNS: &str =
    "setup_id, token, profile, url, expires_at, device_id, device_name, roles, completed_at";

/// Codes by which a new device pairs itself: [`Store::setup_codes`].
#[derive(Debug, Clone, Copy)]
pub struct SetupCodeStore<'a> {
    pub(crate) store: &'a Store,
}

impl SetupCodeStore<'_> {
    /// Keeps a code.
    ///
    /// # Errors
    /// When the write is not committed.
    pub async fn add(self, code: NewSetupCode) -> Result<(), StoreError> {
        self.store
            .write(move |batch| {
                let now = batch.now();
                batch.execute(
                    "DELETE FROM setup_codes WHERE expires_at < ?1",
                    [now.saturating_sub(REMEMBERED_MS)],
                )?;
                let sql =
                "INSERT INTO setup_codes (setup_id, token, join_code, profile, url, created_at, expires_at)
                       VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
                batch.execute(
                    sql,
                    params![
                        code.setup_id,
                        code.token,
                        code.join_code,
                        code.profile,
                        code.url,
                        now,
                        code.expires_at
                    ],
                )?;
                let sql = "DELETE FROM setup_codes WHERE setup_id NOT IN
                       (SELECT setup_id FROM setup_codes ORDER BY created_at DESC, rowid DESC LIMIT ?1)";
                batch.execute(sql, [MAX_CODES])?;
                Ok(())
            })
            .await
    }

    /// A code by its name, ended or not.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn get(self, setup_id: &str) -> Result<Option<SetupCode>, StoreError> {
        let setup_id = setup_id.to_owned();
        self.store.read(move |cx| one(cx.conn, "setup_id", &setup_id)).await
    }

    /// A code by what the device sends, ended or not.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn by_token(self, token: &str) -> Result<Option<SetupCode>, StoreError> {
        let token = token.to_owned();
        self.store.read(move |cx| one(cx.conn, "token", &token)).await
    }

    /// Uses a code: the first device that does owns it, and each role of that device can be had once. `None` when
    /// it ended, belongs to another device or was used in this role.
    ///
    /// # Errors
    /// When the write is not committed.
    pub async fn redeem(self, token: &str, by: SetupUse) -> Result<Option<SetupCode>, StoreError> {
        let token = token.to_owned();
        self.store
            .write(move |batch| {
                let now = batch.now();
                let Some(mut code) = one(batch.conn, "token", &token)? else { return Ok(None) };
                let role = Word::Known(by.role);
                let others = code.device_id.as_ref().is_some_and(|owner| *owner != by.device_id);
                if others || code.expires_at <= now || code.roles.contains(&role) {
                    return Ok(None);
                }
                code.roles.push(role);
                code.device_id = Some(by.device_id);
                code.device_name = by.device_name.or(code.device_name);
                code.completed_at = code.completed_at.or(Some(now));
                let sql =
                    "UPDATE setup_codes SET device_id = ?2, device_name = ?3, roles = ?4, completed_at = ?5,
                       join_code = NULL WHERE setup_id = ?1";
                batch.execute(
                    sql,
                    params![
                        code.setup_id,
                        code.device_id.as_ref().map(DeviceId::as_str),
                        code.device_name,
                        to_json("roles", &code.roles)?,
                        code.completed_at,
                    ],
                )?;
                Ok(Some(code))
            })
            .await
    }

    /// The code behind a joining address, once: the address is dead from then on.
    ///
    /// # Errors
    /// When the write is not committed.
    pub async fn take_join(self, join_code: &str) -> Result<Option<SetupCode>, StoreError> {
        let join_code = join_code.to_owned();
        self.store
            .write(move |batch| {
                let now = batch.now();
                let found = one(batch.conn, "join_code", &join_code)?;
                batch
                    .execute("UPDATE setup_codes SET join_code = NULL WHERE join_code = ?1", [&join_code])?;
                Ok(found.filter(|code| code.expires_at > now))
            })
            .await
    }
}

fn one(conn: &Connection, filter: &str, value: &str) -> Result<Option<SetupCode>, StoreError> {
    let sql = format!("SELECT {COLUMNS} FROM setup_codes WHERE {filter} = ?1");
    conn.prepare_cached(&sql)?.query_row([value], |row| Ok(read(row))).optional()?.transpose()
}

fn read(row: &Row<'_>) -> Result<SetupCode, StoreError> {
    let device: Option<String> = row.get(5)?;
    let roles: String = row.get(7)?;
    Ok(SetupCode {
        setup_id: row.get(0)?,
        token: row.get(1)?,
        profile: row.get(2)?,
        url: row.get(3)?,
        expires_at: row.get(4)?,
        device_id: device.map(|id| parse_column("device_id", &id)).transpose()?,
        device_name: row.get(6)?,
        roles: from_json("roles", &roles)?,
        completed_at: row.get(8)?,
    })
}

#[cfg(test)]
mod tests;
