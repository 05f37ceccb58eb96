//! Strangers who ask to be let in, and those who were.
//!
//! A stranger's first message gets them a code; the owner lets them in by it. Whether somebody *is* a stranger is
//! decided above. A code tells who is meant and opens no door by itself, so it is kept as it is.

mod take_over;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use homard_protocol::{AccountId, ChannelId, PeerId};
use homard_runtime::{Clip, CollectOrdered as _, Mutex, Timestamp};
use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::engine::writer::Batch;
use crate::store::{Store, StoreError, from_json, parse_column, to_json};

pub(crate) use take_over::take_over;

/// How long a request waits.
pub const PAIRING_TTL_MS: i64 = 60 * 60 * 1000;
/// Most requests that wait for one account; who comes after them is not answered.
pub const MAX_PAIRING_PENDING: u32 = 3;
/// Letters of a code; those that look alike are left out.
const ALPHABET: &[u8; 32] = b"ABCDEFGHJKLMNPQRSTUVWXYZ23456789";
/// Letters in a code.
const CODE_LEN: usize = 8;
/// How often another code is tried when one is taken.
const MAX_TRIES: usize = 8;
/// Most facts kept of a stranger, and the longest, in characters.
const MAX_FACTS: usize = 8;
const MAX_FACT_CHARS: usize = 200;

/// A request that waits for the owner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PairingRequest {
    pub channel: ChannelId,
    /// Which of our accounts they wrote to.
    pub account: AccountId,
    pub sender: PeerId,
    pub code: String,
    /// What they say of themselves, such as their name.
    pub meta: BTreeMap<String, String>,
    pub created_at: Timestamp,
    /// When they last wrote.
    pub last_seen_at: Timestamp,
}

/// What came of a stranger's message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PairingAsked {
    /// They are new: tell them this code, once.
    Created(String),
    /// They have been told already.
    Known {
        code: String,
        /// What was known of them when they first wrote.
        meta: BTreeMap<String, String>,
    },
    /// Too many wait; they learn nothing.
    Full,
    /// They were let in since their message was looked at: nobody is asked.
    LetIn,
}

/// Who was let in, by account; read from the database when it is first asked for.
#[derive(Debug, Default)]
pub(crate) struct LetIn {
    state: Mutex<LetInState>,
}

#[derive(Debug, Default)]
struct LetInState {
    /// Grows with every change, so that what was read before one is not kept after it.
    changes: u64,
    known: HashMap<(ChannelId, AccountId), Arc<[String]>>,
}

impl LetIn {
    fn with<T>(&self, act: impl FnOnce(&mut LetInState) -> T) -> T {
        act(&mut self.state.lock())
    }

    fn forget(&self) {
        self.with(|state| {
            state.changes += 1;
            state.known.clear();
        });
    }
}

const COLUMNS: &str = "channel, account_id, sender_id, code, meta, created_at, last_seen_at";

/// Strangers who ask, and people who were let in: [`Store::pairing`].
#[derive(Debug, Clone, Copy)]
pub struct PairingStore<'a> {
    pub(crate) store: &'a Store,
}

impl PairingStore<'_> {
    /// Notes that a stranger wrote. Who waits already keeps their code.
    ///
    /// # Errors
    /// When the write is not committed.
    pub async fn request(
        self,
        channel: &ChannelId,
        account: &AccountId,
        sender: &PeerId,
        meta: BTreeMap<String, String>,
    ) -> Result<PairingAsked, StoreError> {
        let (channel, account, sender) = (channel.clone(), account.clone(), sender.clone());
        self.store.write(move |batch| {
            let now = batch.now();
            forget_expired(batch)?;
            let meta = to_json("meta", &short(meta))?;
            if let Some(PairingRequest { code, meta, .. }) = seen_again(batch, &channel, &account, &sender)? {
                return Ok(PairingAsked::Known { code, meta });
            }
            let is_in = listed(batch.conn, &(channel.clone(), account.clone()))?;
            if is_in.iter().any(|known| known == sender.as_str()) {
                return Ok(PairingAsked::LetIn);
            }
            let sql = "SELECT count(*) FROM dm_pairing WHERE channel = ?1 AND account_id = ?2";
            let here = params![channel.as_str(), account.as_str()];
            let waiting: u32 = batch.conn.prepare_cached(sql)?.query_row(here, |row| row.get(0))?;
            if waiting >= MAX_PAIRING_PENDING {
                return Ok(PairingAsked::Full);
            }
            let sql = "INSERT INTO dm_pairing (channel, account_id, sender_id, code, meta, created_at, last_seen_at)
                       VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6) ON CONFLICT (channel, code) DO NOTHING";
            for _try in 0..MAX_TRIES {
                let code = new_code()?;
                let row = params![channel.as_str(), account.as_str(), sender.as_str(), code, meta, now];
                if batch.execute(sql, row)? > 0 {
                    return Ok(PairingAsked::Created(code));
                }
            }
            Ok(PairingAsked::Full)
        })
        .await
    }

    /// Who waits, oldest first.
    ///
    /// # Errors
    /// When the write that forgets those who waited too long is not committed.
    pub async fn waiting(self) -> Result<Vec<PairingRequest>, StoreError> {
        self.store
            .write(|batch| {
                forget_expired(batch)?;
                let sql = format!("SELECT {COLUMNS} FROM dm_pairing ORDER BY created_at, channel, sender_id");
                let mut statement = batch.conn.prepare_cached(&sql)?;
                let mut rows = statement.query([])?;
                let mut waiting = Vec::new();
                while let Some(row) = rows.next()? {
                    waiting.push(read(row)?);
                }
                Ok(waiting)
            })
            .await
    }

    /// Lets in who has this code. `None` when nobody has it, or they waited too long.
    ///
    /// # Errors
    /// When the write is not committed.
    pub async fn approve(
        self,
        channel: &ChannelId,
        code: &str,
    ) -> Result<Option<PairingRequest>, StoreError> {
        let (channel, code) = (channel.clone(), code.trim().to_ascii_uppercase());
        let approved = self
            .store
            .write(move |batch| {
                let Some(request) = take(batch, &channel, &code)? else { return Ok(None) };
                let PairingRequest { channel, account, sender, .. } = &request;
                add(batch.conn, channel, account, sender.as_str(), batch.now())?;
                Ok(Some(request))
            })
            .await;
        self.store.let_in_cache().forget();
        approved
    }

    /// Forgets who has this code; they may ask again.
    ///
    /// # Errors
    /// When the write is not committed.
    pub async fn dismiss(
        self,
        channel: &ChannelId,
        code: &str,
    ) -> Result<Option<PairingRequest>, StoreError> {
        let (channel, code) = (channel.clone(), code.trim().to_ascii_uppercase());
        self.store.write(move |batch| take(batch, &channel, &code)).await
    }

    /// Who was let in to an account. Asked for every message, so it is kept at hand.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn allowed(
        self,
        channel: &ChannelId,
        account: &AccountId,
    ) -> Result<Arc<[String]>, StoreError> {
        let key = (channel.clone(), account.clone());
        let cache = self.store.let_in_cache();
        let (changes, known) = cache.with(|state| (state.changes, state.known.get(&key).map(Arc::clone)));
        if let Some(known) = known {
            return Ok(known);
        }
        let asked = key.clone();
        let found: Arc<[String]> = self.store.read(move |cx| listed(cx.conn, &asked)).await?.into();
        cache.with(|state| {
            if state.changes == changes {
                state.known.insert(key, Arc::clone(&found));
            }
        });
        Ok(found)
    }

    /// Lets somebody in whom the owner names, without a code; tells whether they were not in yet. `*` is nobody.
    ///
    /// # Errors
    /// When the write is not committed.
    pub async fn allow(
        self,
        channel: &ChannelId,
        account: &AccountId,
        sender: &str,
    ) -> Result<bool, StoreError> {
        let (channel, account, sender) = (channel.clone(), account.clone(), sender.trim().to_owned());
        let added =
            self.store.write(move |batch| add(batch.conn, &channel, &account, &sender, batch.now())).await;
        self.store.let_in_cache().forget();
        added
    }

    /// Shuts the door again; tells whether they had been let in.
    ///
    /// # Errors
    /// When the write is not committed.
    pub async fn revoke(
        self,
        channel: &ChannelId,
        account: &AccountId,
        sender: &str,
    ) -> Result<bool, StoreError> {
        let (channel, account, sender) = (channel.clone(), account.clone(), sender.to_owned());
        let gone = self
            .store
            .write(move |batch| {
                let sql = "DELETE FROM allow_from WHERE channel = ?1 AND account_id = ?2 AND sender_id = ?3";
                Ok(batch.execute(sql, params![channel.as_str(), account.as_str(), sender])? > 0)
            })
            .await;
        self.store.let_in_cache().forget();
        gone
    }
}

/// Notes that somebody who waits wrote again.
fn seen_again(
    batch: &Batch<'_>,
    channel: &ChannelId,
    account: &AccountId,
    sender: &PeerId,
) -> Result<Option<PairingRequest>, StoreError> {
    let sql = format!(
        "UPDATE dm_pairing SET last_seen_at = ?4 WHERE channel = ?1 AND account_id = ?2 AND sender_id = ?3
         RETURNING {COLUMNS}"
    );
    let who = params![channel.as_str(), account.as_str(), sender.as_str(), batch.now()];
    let mut statement = batch.conn.prepare_cached(&sql)?;
    let found = statement.query_row(who, |row| Ok(read(row))).optional()?;
    found.transpose()
}

fn forget_expired(batch: &Batch<'_>) -> Result<(), StoreError> {
    let before = batch.now().saturating_sub(PAIRING_TTL_MS);
    batch.execute("DELETE FROM dm_pairing WHERE created_at <= ?1", [before])?;
    Ok(())
}

fn take(batch: &Batch<'_>, channel: &ChannelId, code: &str) -> Result<Option<PairingRequest>, StoreError> {
    forget_expired(batch)?;
    let sql = format!("DELETE FROM dm_pairing WHERE channel = ?1 AND code = ?2 RETURNING {COLUMNS}");
    let mut statement = batch.conn.prepare_cached(&sql)?;
    let found = statement.query_row([channel.as_str(), code], |row| Ok(read(row))).optional()?;
    found.transpose()
}

/// Adds somebody to those who were let in. `*` would be everybody and is never kept.
fn add(
    conn: &Connection,
    channel: &ChannelId,
    account: &AccountId,
    sender: &str,
    now: Timestamp,
) -> Result<bool, StoreError> {
    if sender.is_empty() || sender == "*" {
        return Ok(false);
    }
    let sql = "INSERT INTO allow_from (channel, account_id, sender_id, added_at) VALUES (?1, ?2, ?3, ?4)
               ON CONFLICT DO NOTHING";
    Ok(conn.prepare_cached(sql)?.execute(params![channel.as_str(), account.as_str(), sender, now])? > 0)
}

fn listed(conn: &Connection, (channel, account): &(ChannelId, AccountId)) -> Result<Vec<String>, StoreError> {
    let sql = "SELECT sender_id FROM allow_from WHERE channel = ?1 AND account_id = ?2 ORDER BY added_at, sender_id";
    let mut statement = conn.prepare_cached(sql)?;
    let rows = statement.query_map([channel.as_str(), account.as_str()], |row| row.get(0))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn read(row: &Row<'_>) -> Result<PairingRequest, StoreError> {
    let text = |at: usize| row.get::<_, String>(at);
    let meta: Option<String> = row.get(4)?;
    Ok(PairingRequest {
        channel: parse_column("channel", &text(0)?)?,
        account: parse_column("account_id", &text(1)?)?,
        sender: parse_column("sender_id", &text(2)?)?,
        code: text(3)?,
        meta: meta.map(|meta| from_json("meta", &meta)).transpose()?.unwrap_or_default(),
        created_at: row.get(5)?,
        last_seen_at: row.get(6)?,
    })
}

/// What strangers say of themselves, cut to what is worth keeping.
fn short(meta: BTreeMap<String, String>) -> BTreeMap<String, String> {
    let cut = |text: String| text.clip_chars(MAX_FACT_CHARS).to_owned();
    let told = meta.into_iter().filter(|(_, fact)| !fact.trim().is_empty());
    told.take(MAX_FACTS).map(|(name, fact)| (cut(name), cut(fact))).collect_map()
}

/// A code nobody can guess. 32 letters, so a byte's low bits choose all of them alike.
fn new_code() -> Result<String, StoreError> {
    let mut bytes = [0_u8; CODE_LEN];
    getrandom::fill(&mut bytes).map_err(|source| StoreError::unreadable("random numbers")(source.into()))?;
    let letter = |byte: &u8| ALPHABET.get(usize::from(byte % 32)).copied().map_or('A', char::from);
    Ok(bytes.iter().map(letter).collect())
}

#[cfg(test)]
mod tests;
