//! Small values other rooms keep under a name: the gateway's instance id, the last heartbeat.
//!
//! Not for anything that is listed or searched; that deserves a table.

use rusqlite::{OptionalExtension, params};

use crate::store::{Store, StoreError};

/// Small values under a name: [`Store::kv`].
#[derive(Debug, Clone, Copy)]
pub struct KvStore<'a> {
    pub(crate) store: &'a Store,
}

impl KvStore<'_> {
    /// The value kept under a name.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn get(self, key: &str) -> Result<Option<String>, StoreError> {
        let key = key.to_owned();
        self.store
            .read(move |cx| {
                let mut statement = cx.conn.prepare_cached("SELECT value FROM kv WHERE key = ?1")?;
                Ok(statement.query_row([key], |row| row.get(0)).optional()?)
            })
            .await
    }

    /// Keeps a value under a name, in place of any earlier one.
    ///
    /// # Errors
    /// When the write is not committed.
    pub async fn set(self, key: &str, value: &str) -> Result<(), StoreError> {
        let (key, value) = (key.to_owned(), value.to_owned());
        self.store.write(move |batch| {
            let sql = "INSERT INTO kv VALUES (?1, ?2, ?3)
                       ON CONFLICT (key) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at";
            batch.execute(sql, params![key, value, batch.now()])?;
            Ok(())
        })
        .await
    }
}
