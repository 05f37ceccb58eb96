//! The outbox: what goes out to chat platforms, kept before it is sent and until it is known what became of it.
//!
//! Rows of one conversation are sent in the order of their ids. A row that is being sent is marked so before the
//! platform is called: one that is found marked after a crash may or may not have arrived, and is counted as
//! ambiguous. `moving` moves a row along. What is sent is JSON the store does not look into.

mod moving;

pub use moving::OutboundRetry;

use homard_protocol::{AccountId, ChannelId, RunId, SessionKey};
use homard_runtime::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::engine::writer::Batch;
use crate::store::{Store, StoreError, parse_column};

/// How long a row that was sent is remembered, and with it its key and receipt.
const KEEP_SENT_MS: i64 = 7 * 24 * 60 * 60 * 1000;
/// How long a row that failed is remembered.
const KEEP_FAILED_MS: i64 = 30 * 24 * 60 * 60 * 1000;
/// Rows pruned in one chore.
const PRUNE_ROWS: i64 = 500;
/// Most conversations with waiting rows that are looked up at once; the rest follow when these are done.
const MAX_CONVERSATIONS: i64 = 100_000;
/// How far around a row is looked for what went to the same place, in rows.
const NEAR: i64 = 1_000;
/// Most rows in one look at a run or at what failed.
const MAX_LISTED: i64 = 1_000;

const COLUMNS: &str = "id, message_key, channel, account_id, conversation, session_key, run_id, payload, repeatable, \
                       created_at, next_try_at, tries, ambiguous, last_error, sending_at, sent_at, failed_at, receipt";

/// Something to be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewOutbound {
    /// The key under which keeping it twice keeps it once.
    pub key: String,
    pub channel: ChannelId,
    /// Which of our accounts sends it.
    pub account: AccountId,
    /// What is kept in order.
    pub conversation: String,
    /// The conversation that is told when it cannot be sent.
    pub session_key: Option<SessionKey>,
    /// The run it comes from.
    pub run_id: Option<RunId>,
    /// What is sent, as JSON.
    pub payload: String,
    /// Whether sending it twice is harmless.
    pub repeatable: bool,
}

/// A row of the outbox.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutboundRecord {
    /// Its place: rows of a conversation go out in this order.
    pub id: i64,
    /// What was to be sent.
    pub new: NewOutbound,
    /// When it was kept.
    pub created_at: Timestamp,
    /// When it may be tried next.
    pub next_try_at: Timestamp,
    /// How often it was tried in vain.
    pub tries: u32,
    /// How often nobody knew whether the platform took it.
    pub ambiguous: u32,
    /// Why the last try failed.
    pub last_error: Option<String>,
    /// When the try under way began.
    pub sending_at: Option<Timestamp>,
    /// When the platform took it.
    pub sent_at: Option<Timestamp>,
    /// When it was given up.
    pub failed_at: Option<Timestamp>,
    /// What the platform said, as JSON.
    pub receipt: Option<String>,
}

/// What came of keeping something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Posted {
    /// It is new and kept.
    New,
    /// It was kept before; this is how far it got.
    Known(Box<OutboundRecord>),
}

/// How one account's outbox is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutboxCount {
    pub channel: ChannelId,
    pub account: AccountId,
    /// Rows that wait or are being sent.
    pub waiting: u64,
    /// When the oldest of them was kept.
    pub oldest_at: Option<Timestamp>,
    /// Rows the platform took, of those that are remembered.
    pub sent: u64,
    /// Rows that were given up.
    pub failed: u64,
    /// How often nobody knew whether the platform took a row.
    pub ambiguous: u64,
}

/// What is to be sent, and what became of it: [`Store::outbox`].
#[derive(Debug, Clone, Copy)]
pub struct OutboxStore<'a> {
    pub(crate) store: &'a Store,
}

impl OutboxStore<'_> {
    /// Keeps things to be sent, all or none.
    ///
    /// # Errors
    /// When the write is not committed: then they must not be sent.
    pub async fn post(self, rows: Vec<NewOutbound>) -> Result<Vec<Posted>, StoreError> {
        self.store.write(move |batch| rows.iter().map(|row| insert(batch, row)).collect()).await
    }

    /// The next row of a conversation.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn next(
        self,
        channel: &ChannelId,
        account: &AccountId,
        conversation: &str,
    ) -> Result<Option<OutboundRecord>, StoreError> {
        let (channel, account) = (channel.clone(), account.clone());
        let conversation = conversation.to_owned();
        self.store.read(move |cx| {
            let sql = format!(
                "SELECT {COLUMNS} FROM outbox WHERE channel = ?1 AND account_id = ?2 AND conversation = ?3 \
                 AND sent_at IS NULL AND failed_at IS NULL ORDER BY id LIMIT 1"
            );
            let mut statement = cx.conn.prepare_cached(&sql)?;
            let found = statement
                .query_row(params![channel.as_str(), account.as_str(), conversation], |row| Ok(read(row)));
            found.optional()?.transpose()
        })
        .await
    }

    /// The conversations of an account in which something waits.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn waiting_conversations(
        self,
        channel: &ChannelId,
        account: &AccountId,
    ) -> Result<Vec<String>, StoreError> {
        let (channel, account) = (channel.clone(), account.clone());
        self.store
            .read(move |cx| {
                let mut statement = cx.conn.prepare_cached(
                    "SELECT conversation FROM outbox WHERE channel = ?1 AND account_id = ?2 \
                     AND sent_at IS NULL AND failed_at IS NULL \
                     GROUP BY conversation ORDER BY MIN(id) LIMIT ?3",
                )?;
                let rows = statement
                    .query_map(params![channel.as_str(), account.as_str(), MAX_CONVERSATIONS], |row| {
                        row.get(0)
                    })?;
                Ok(rows.collect::<Result<_, _>>()?)
            })
            .await
    }

    /// A row by its key.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn get(self, key: &str) -> Result<Option<OutboundRecord>, StoreError> {
        let key = key.to_owned();
        self.store.read(move |cx| load(cx.conn, &key)).await
    }

    /// Rows whose keys begin so, newest first.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn beginning_with(self, prefix: &str) -> Result<Vec<OutboundRecord>, StoreError> {
        let (from, to) = (prefix.to_owned(), format!("{prefix}\u{10ffff}"));
        self.store
            .read(move |cx| {
                let sql = format!(
                    "SELECT {COLUMNS} FROM outbox WHERE message_key >= ?1 AND message_key < ?2 \
                     ORDER BY id DESC LIMIT {MAX_LISTED}"
                );
                list(cx.conn, &sql, [from, to])
            })
            .await
    }

    /// What a run has kept to be sent so far, in order.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn of_run(self, run_id: &RunId) -> Result<Vec<OutboundRecord>, StoreError> {
        let run_id = run_id.clone();
        self.store
            .read(move |cx| {
                let sql =
                    format!("SELECT {COLUMNS} FROM outbox WHERE run_id = ?1 ORDER BY id LIMIT {MAX_LISTED}");
                list(cx.conn, &sql, [run_id.as_str()])
            })
            .await
    }

    /// What else was or is to be sent to the place `to` about the time of a row, newest first; its threads included.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn near(self, row: &OutboundRecord, to: &str) -> Result<Vec<OutboundRecord>, StoreError> {
        let (id, to) = (row.id, to.to_owned());
        let (channel, account) = (row.new.channel.clone(), row.new.account.clone());
        self.store
            .read(move |cx| {
                let sql = format!(
                    "SELECT {COLUMNS} FROM outbox WHERE id > ?1 - {NEAR} AND id <> ?1 AND channel = ?2 \
                     AND account_id = ?3 AND (conversation = ?4 OR substr(conversation, 1, length(?4) + 1) = ?4 || '/') \
                     ORDER BY id DESC LIMIT {NEAR}"
                );
                list(cx.conn, &sql, params![id, channel.as_str(), account.as_str(), to])
            })
            .await
    }

    /// Runs whose answer waits and whose preview was given up, though it may have arrived.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn stray_previews(self) -> Result<Vec<RunId>, StoreError> {
        self.store
            .read(move |cx| {
                let mut statement = cx.conn.prepare_cached(
                    "SELECT DISTINCT w.run_id FROM outbox w JOIN outbox p ON p.message_key = w.run_id || ':preview'
                     WHERE w.sent_at IS NULL AND w.failed_at IS NULL
                       AND p.sent_at IS NULL AND p.failed_at IS NOT NULL AND p.ambiguous > 0",
                )?;
                let mut rows = statement.query([])?;
                let mut runs = Vec::new();
                while let Some(row) = rows.next()? {
                    runs.push(parse_column("run_id", row.get_ref(0)?.as_str().map_err(rusqlite::Error::from)?)?);
                }
                Ok(runs)
            })
            .await
    }

    /// What was given up, newest first.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn dead_letters(self, limit: usize) -> Result<Vec<OutboundRecord>, StoreError> {
        let limit = i64::try_from(limit).unwrap_or(MAX_LISTED).min(MAX_LISTED);
        self.store.read(move |cx| {
            let sql = format!(
                "SELECT {COLUMNS} FROM outbox WHERE failed_at IS NOT NULL ORDER BY failed_at DESC, id DESC LIMIT ?1"
            );
            list(cx.conn, &sql, [limit])
        })
        .await
    }

    /// How every account's outbox is.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn counts(self) -> Result<Vec<OutboxCount>, StoreError> {
        self.store
            .read(move |cx| {
                let mut statement = cx.conn.prepare_cached(
                    "SELECT channel, account_id, SUM(sent_at IS NULL AND failed_at IS NULL), \
                 MIN(CASE WHEN sent_at IS NULL AND failed_at IS NULL THEN created_at END), \
                 SUM(sent_at IS NOT NULL), SUM(failed_at IS NOT NULL), SUM(ambiguous) \
                 FROM outbox GROUP BY channel, account_id ORDER BY channel, account_id",
                )?;
                let mut rows = statement.query([])?;
                let mut counts = Vec::new();
                while let Some(row) = rows.next()? {
                    let number = |at: usize| row.get::<_, i64>(at).map(|n| u64::try_from(n).unwrap_or(0));
                    counts.push(OutboxCount {
                        channel: parse_column(
                            "channel",
                            row.get_ref(0)?.as_str().map_err(rusqlite::Error::from)?,
                        )?,
                        account: parse_column(
                            "account_id",
                            row.get_ref(1)?.as_str().map_err(rusqlite::Error::from)?,
                        )?,
                        waiting: number(2)?,
                        oldest_at: row.get(3)?,
                        sent: number(4)?,
                        failed: number(5)?,
                        ambiguous: number(6)?,
                    });
                }
                Ok(counts)
            })
            .await
    }
}

/// Keeps a row unless its key is known.
pub(crate) fn insert(batch: &Batch<'_>, new: &NewOutbound) -> Result<Posted, StoreError> {
    let inserted = batch.execute(
        "INSERT OR IGNORE INTO outbox (message_key, channel, account_id, conversation, session_key, run_id, payload,
         repeatable, created_at, next_try_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?9)",
        params![
            new.key,
            new.channel.as_str(),
            new.account.as_str(),
            new.conversation,
            new.session_key.as_ref().map(ToString::to_string),
            new.run_id.as_ref().map(RunId::as_str),
            new.payload,
            new.repeatable,
            batch.now(),
        ],
    )?;
    if inserted > 0 {
        return Ok(Posted::New);
    }
    Ok(load(batch.conn, &new.key)?.map_or(Posted::New, |known| Posted::Known(Box::new(known))))
}

/// Forgets a slice of rows that were over long ago; `true` when there may be more.
pub(crate) fn prune(conn: &Connection, now: Timestamp) -> Result<bool, StoreError> {
    let forget = |column: &str, before: Timestamp| {
        let sql = format!(
            "DELETE FROM outbox WHERE id IN (SELECT id FROM outbox WHERE {column} < ?1 ORDER BY {column} LIMIT ?2)"
        );
        Ok::<usize, StoreError>(conn.prepare_cached(&sql)?.execute(params![before, PRUNE_ROWS])?)
    };
    let sent = forget("sent_at", now.saturating_sub(KEEP_SENT_MS))?;
    let failed = forget("failed_at", now.saturating_sub(KEEP_FAILED_MS))?;
    Ok(sent + failed > 0)
}

pub(super) fn load(conn: &Connection, key: &str) -> Result<Option<OutboundRecord>, StoreError> {
    let sql = format!("SELECT {COLUMNS} FROM outbox WHERE message_key = ?1");
    conn.prepare_cached(&sql)?.query_row([key], |row| Ok(read(row))).optional()?.transpose()
}

pub(super) fn list(
    conn: &Connection,
    sql: &str,
    params: impl rusqlite::Params,
) -> Result<Vec<OutboundRecord>, StoreError> {
    let mut statement = conn.prepare_cached(sql)?;
    let mut rows = statement.query(params)?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        found.push(read(row)?);
    }
    Ok(found)
}

fn read(row: &Row<'_>) -> Result<OutboundRecord, StoreError> {
    let text = |at: usize| row.get_ref(at).and_then(|value| Ok(value.as_str()?));
    let optional = |at: usize| row.get_ref(at).and_then(|value| Ok(value.as_str_or_null()?));
    Ok(OutboundRecord {
        id: row.get(0)?,
        new: NewOutbound {
            key: row.get(1)?,
            channel: parse_column("channel", text(2)?)?,
            account: parse_column("account_id", text(3)?)?,
            conversation: row.get(4)?,
            session_key: optional(5)?.map(|key| parse_column("session_key", key)).transpose()?,
            run_id: optional(6)?.map(|id| parse_column("run_id", id)).transpose()?,
            payload: row.get(7)?,
            repeatable: row.get(8)?,
        },
        created_at: row.get(9)?,
        next_try_at: row.get(10)?,
        tries: row.get(11)?,
        ambiguous: row.get(12)?,
        last_error: row.get(13)?,
        sending_at: row.get(14)?,
        sent_at: row.get(15)?,
        failed_at: row.get(16)?,
        receipt: row.get(17)?,
    })
}

#[cfg(test)]
mod tests;
