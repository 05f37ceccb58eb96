//! Moving a row along: it is being sent, was sent, is tried again, is given up. Each step is one commit.

use homard_runtime::Timestamp;
use rusqlite::params;

use super::{COLUMNS, MAX_LISTED, OutboundRecord, OutboxStore, list};
use crate::engine::writer::Batch;
use crate::store::StoreError;

/// A try that failed and is to be made again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutboundRetry {
    pub at: Timestamp,
    pub error: String,
    /// Whether it counts as a try.
    pub counts: bool,
    /// Whether the platform may have taken it all the same.
    pub ambiguous: bool,
}

impl OutboxStore<'_> {
    /// Marks a row as being sent. `false` when it is over or gone, and must not be sent.
    ///
    /// # Errors
    /// When the write is not committed: then it must not be sent.
    pub async fn mark_sending(self, row: &OutboundRecord) -> Result<bool, StoreError> {
        let (id, key) = mark(row);
        self.store
            .write(move |batch| {
                let sql = "UPDATE outbox SET sending_at = ?3
                           WHERE id = ?1 AND message_key = ?2 AND sent_at IS NULL AND failed_at IS NULL";
                Ok(batch.execute(sql, params![id, key, batch.now()])? > 0)
            })
            .await
    }

    /// The platform took it.
    ///
    /// # Errors
    /// When the write is not committed.
    pub async fn mark_sent(self, row: &OutboundRecord, receipt: String) -> Result<(), StoreError> {
        let row = mark(row);
        self.store.write(move |batch| note_sent(batch, &row, &receipt)).await
    }

    /// It is to be tried again.
    ///
    /// # Errors
    /// When the write is not committed.
    pub async fn mark_retry(self, row: &OutboundRecord, retry: OutboundRetry) -> Result<(), StoreError> {
        let (id, key) = mark(row);
        self.store
            .write(move |batch| {
                batch.execute(
                    "UPDATE outbox SET sending_at = NULL, next_try_at = ?3, last_error = ?4,
                     tries = tries + ?5, ambiguous = ambiguous + ?6
                     WHERE id = ?1 AND message_key = ?2 AND sent_at IS NULL AND failed_at IS NULL",
                    params![id, key, retry.at, retry.error, retry.counts, retry.ambiguous],
                )?;
                Ok(())
            })
            .await
    }

    /// It is given up.
    ///
    /// # Errors
    /// When the write is not committed.
    pub async fn mark_failed(self, row: &OutboundRecord, error: String) -> Result<(), StoreError> {
        let (id, key) = mark(row);
        self.store
            .write(move |batch| {
                batch.execute(
                    "UPDATE outbox SET sending_at = NULL, failed_at = ?3, last_error = ?4
                     WHERE id = ?1 AND message_key = ?2 AND sent_at IS NULL",
                    params![id, key, batch.now(), error],
                )?;
                Ok(())
            })
            .await
    }

    /// Something else is sent in its place, now.
    ///
    /// # Errors
    /// When the write is not committed.
    pub async fn replace(self, row: &OutboundRecord, payload: String) -> Result<(), StoreError> {
        let row = mark(row);
        self.store.write(move |batch| put_in_place(batch, &row, &payload)).await
    }

    /// The same where what is sent goes into an earlier message that was found: that one was sent.
    ///
    /// # Errors
    /// When the write is not committed.
    pub async fn replace_into(
        self,
        row: &OutboundRecord,
        payload: String,
        earlier: &OutboundRecord,
        receipt: String,
    ) -> Result<(), StoreError> {
        let (row, earlier) = (mark(row), mark(earlier));
        self.store
            .write(move |batch| {
                note_sent(batch, &earlier, &receipt)?;
                put_in_place(batch, &row, &payload)
            })
            .await
    }

    /// Takes back what was not sent yet; `false` when it is being sent or over. What may have arrived all the same
    /// stays, as given up: what people see has its record.
    ///
    /// # Errors
    /// When the write is not committed.
    pub async fn withdraw(self, key: &str) -> Result<bool, StoreError> {
        let key = key.to_owned();
        self.store
            .write(move |batch| {
                let kept = batch.execute(
                    "UPDATE outbox SET failed_at = ?2, last_error = 'something else came in its place'
                     WHERE message_key = ?1 AND sending_at IS NULL AND sent_at IS NULL AND failed_at IS NULL
                       AND ambiguous > 0",
                    params![key, batch.now()],
                )?;
                let gone = batch.execute(
                    "DELETE FROM outbox WHERE message_key = ?1 AND sending_at IS NULL AND sent_at IS NULL
                       AND failed_at IS NULL",
                    [key],
                )?;
                Ok(kept + gone > 0)
            })
            .await
    }

    /// After a start: what was being sent may have arrived. It is counted as ambiguous, unless sending it twice is
    /// harmless, and waits again. Answers with how many there were.
    ///
    /// # Errors
    /// When the write is not committed.
    pub async fn recover(self) -> Result<usize, StoreError> {
        self.store.write(move |batch| {
            batch.execute(
                "UPDATE outbox SET sending_at = NULL, next_try_at = ?1, ambiguous = ambiguous + (1 - repeatable),
                 last_error = 'the gateway ended while it was being sent' WHERE sending_at IS NOT NULL",
                [batch.now()],
            )
        })
        .await
    }

    /// Gives up what has waited since before `before`, and answers with it.
    ///
    /// # Errors
    /// When the write is not committed.
    pub async fn expire(self, before: Timestamp) -> Result<Vec<OutboundRecord>, StoreError> {
        self.store.write(move |batch| {
            let sql = format!(
                "SELECT {COLUMNS} FROM outbox WHERE sent_at IS NULL AND failed_at IS NULL AND sending_at IS NULL \
                 AND created_at < ?1 ORDER BY id LIMIT {MAX_LISTED}"
            );
            let old = list(batch.conn, &sql, [before])?;
            for row in &old {
                let sql = "UPDATE outbox SET failed_at = ?2, last_error = COALESCE(last_error, 'it waited too long')
                           WHERE id = ?1";
                batch.execute(sql, params![row.id, batch.now()])?;
            }
            Ok(old)
        })
        .await
    }
}

/// By what a row is found again. Its number is not enough: a row that was taken back leaves it to the next one, which may
/// be of another conversation.
type Mark = (i64, String);

fn mark(row: &OutboundRecord) -> Mark {
    (row.id, row.new.key.clone())
}

fn note_sent(batch: &Batch<'_>, (id, key): &Mark, receipt: &str) -> Result<(), StoreError> {
    let sql =
        "UPDATE outbox SET sending_at = NULL, sent_at = ?3, receipt = ?4 WHERE id = ?1 AND message_key = ?2";
    batch.execute(sql, params![id, key, batch.now(), receipt])?;
    Ok(())
}

fn put_in_place(batch: &Batch<'_>, (id, key): &Mark, payload: &str) -> Result<(), StoreError> {
    batch.execute(
        "UPDATE outbox SET sending_at = NULL, next_try_at = ?3, payload = ?4, repeatable = 0
         WHERE id = ?1 AND message_key = ?2 AND sent_at IS NULL AND failed_at IS NULL",
        params![id, key, batch.now(), payload],
    )?;
    Ok(())
}
