//! What chat platforms told us, written down before the platform is told "received".
//!
//! A row is open until something came of it: a run that answers it (marked in the same commit as the run), an
//! event that was kept, or a reason why nothing comes of it. Open rows are taken up again after a restart. Done
//! rows stay for a while without their payload, so that hearing the same message again is harmless.

use homard_protocol::{AccountId, ChannelId, RunId, SessionKey};
use homard_runtime::Timestamp;
use rusqlite::{Connection, params};
use serde_json::Value;

use crate::engine::writer::Batch;
use crate::notes;
use crate::runs::NewRun;
use crate::store::{Store, StoreError};

/// How long a message that is done with is known again.
const KEEP_MS: i64 = 2 * 24 * 60 * 60 * 1000;
/// Most messages that are done with and known again; the oldest go first.
const KEEP_ROWS: i64 = 200_000;
/// Rows pruned in one chore.
const PRUNE_ROWS: i64 = 500;
/// Most open rows read at start; beyond it something is very wrong and the rest waits for the next start.
const MAX_OPEN: i64 = 100_000;
/// What became of a message that a run answers.
const ANSWERED: &str = "run";
/// What became of one that the next turn is told about.
const TOLD: &str = "event";

/// A row of the inbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct InboxId(i64);

impl InboxId {
    /// One that names nothing, for those who test what they do with ids.
    #[must_use]
    pub fn for_tests() -> Self {
        Self(0)
    }
}

/// Something a platform told us.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewHeard {
    pub channel: ChannelId,
    /// Which of our accounts heard it.
    pub account: AccountId,
    /// The platform's own key for it.
    pub key: String,
    /// All of it, as JSON text; the store does not look inside.
    pub payload: String,
}

/// What came of keeping it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeptHeard {
    /// It is new and kept.
    New(InboxId),
    /// It was heard before; somebody is at it, or was.
    Known,
}

/// A row that is still open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeardRow {
    pub id: InboxId,
    pub payload: String,
    /// When it was heard.
    pub received_at: Timestamp,
}

/// What was heard on the platforms: [`Store::inbox`].
#[derive(Debug, Clone, Copy)]
pub struct InboxStore<'a> {
    pub(crate) store: &'a Store,
}

impl InboxStore<'_> {
    /// The platform's keys of the messages a run answers.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn answered_in(
        self,
        channel: &ChannelId,
        account: &AccountId,
        run_id: &RunId,
    ) -> Result<Vec<String>, StoreError> {
        let (channel, account, run_id) = (channel.clone(), account.clone(), run_id.clone());
        self.store
            .read(move |cx| {
                let mut statement = cx.conn.prepare_cached(
                    "SELECT message_key FROM inbox WHERE channel = ?1 AND account_id = ?2 AND run_id = ?3",
                )?;
                let asked = params![channel.as_str(), account.as_str(), run_id.as_str()];
                let keys = statement.query_map(asked, |row| row.get(0))?;
                Ok(keys.collect::<Result<_, _>>()?)
            })
            .await
    }

    /// Hands something heard to the writer; the future it returns says, once it is committed, whether it was new.
    /// Only then may the platform be told "received".
    ///
    /// # Errors
    /// When the store is closed.
    pub async fn post(
        self,
        heard: NewHeard,
    ) -> Result<impl Future<Output = Result<KeptHeard, StoreError>> + Send + use<>, StoreError> {
        self.store.post(move |batch| keep(batch, &heard)).await
    }

    /// Keeps something heard, and waits for the commit.
    ///
    /// # Errors
    /// When the write is not committed: then the platform must not be told "received".
    pub async fn keep(self, heard: NewHeard) -> Result<KeptHeard, StoreError> {
        self.post(heard).await?.await
    }

    /// What was heard and has not come to anything yet, oldest first: what there is to take up at start.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn unfinished(self) -> Result<Vec<HeardRow>, StoreError> {
        self.store
            .read(|cx| {
                let sql = "SELECT id, payload, received_at FROM inbox WHERE done_at IS NULL
                       ORDER BY received_at, id LIMIT ?1";
                let mut statement = cx.conn.prepare(sql)?;
                let mut rows = statement.query([MAX_OPEN])?;
                let mut open = Vec::new();
                while let Some(row) = rows.next()? {
                    open.push(HeardRow {
                        id: InboxId(row.get(0)?),
                        payload: row.get(1)?,
                        received_at: row.get(2)?,
                    });
                }
                Ok(open)
            })
            .await
    }

    /// Nothing comes of these, for the reason given.
    ///
    /// # Errors
    /// When the write is not committed; they are then taken up again after the next start.
    pub async fn finish(self, ids: Vec<InboxId>, outcome: String) -> Result<(), StoreError> {
        if ids.is_empty() {
            return Ok(());
        }
        self.store.write(move |batch| close(batch, &ids, (&outcome, None, None))).await
    }

    /// Keeps an event for the next turn of a conversation and closes the row it came from, in one commit.
    ///
    /// # Errors
    /// When the write is not committed.
    pub async fn tell(
        self,
        id: InboxId,
        key: &SessionKey,
        text: String,
        details: Option<Value>,
    ) -> Result<(), StoreError> {
        let key = key.clone();
        self.store
            .write(move |batch| {
                notes::keep(batch, &key, &text, details)?;
                close(batch, &[id], (TOLD, None, Some(&key)))
            })
            .await
    }
}

fn keep(batch: &Batch<'_>, heard: &NewHeard) -> Result<KeptHeard, StoreError> {
    let inserted = batch.execute(
        "INSERT OR IGNORE INTO inbox (channel, account_id, message_key, payload, received_at)
         VALUES (?1, ?2, ?3, ?4, ?5)",
        params![heard.channel.as_str(), heard.account.as_str(), heard.key, heard.payload, batch.now()],
    )?;
    Ok(match inserted {
        0 => KeptHeard::Known,
        _ => KeptHeard::New(InboxId(batch.conn.last_insert_rowid())),
    })
}

/// Closes the rows that a run answers.
pub(crate) fn answered_by(batch: &Batch<'_>, ids: &[InboxId], run: &NewRun) -> Result<(), StoreError> {
    close(batch, ids, (ANSWERED, Some(run.run_id.as_str()), Some(&run.session_key)))
}

type Outcome<'a> = (&'a str, Option<&'a str>, Option<&'a SessionKey>);

fn close(batch: &Batch<'_>, ids: &[InboxId], (outcome, run, session): Outcome<'_>) -> Result<(), StoreError> {
    let session = session.map(ToString::to_string);
    for id in ids {
        batch.execute(
            "UPDATE inbox SET done_at = ?2, outcome = ?3, run_id = ?4, session_key = ?5, payload = ''
             WHERE id = ?1 AND done_at IS NULL",
            params![id.0, batch.now(), outcome, run, session],
        )?;
    }
    Ok(())
}

/// Forgets a slice of messages that were done with long ago, or of too many; `true` when there may be more.
pub(crate) fn prune(conn: &Connection, now: Timestamp) -> Result<bool, StoreError> {
    let old = conn
        .prepare_cached(
            "DELETE FROM inbox WHERE id IN
             (SELECT id FROM inbox WHERE done_at IS NOT NULL AND done_at < ?1 ORDER BY done_at LIMIT ?2)",
        )?
        .execute(params![now.saturating_sub(KEEP_MS), PRUNE_ROWS])?;
    let surplus = conn
        .prepare_cached(
            "DELETE FROM inbox WHERE id IN (SELECT id FROM inbox
             WHERE id <= (SELECT max(id) FROM inbox) - ?1 AND done_at IS NOT NULL ORDER BY id LIMIT ?2)",
        )?
        .execute(params![KEEP_ROWS, PRUNE_ROWS])?;
    Ok(old + surplus > 0)
}

#[cfg(test)]
mod tests;
