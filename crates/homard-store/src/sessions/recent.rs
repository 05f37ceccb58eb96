//! The rows that were written last, as they are committed.
//!
//! Only the writer puts rows here, after its commit and before it answers, so what is found here is what a reader would
//! find in the database; a turn asks for its session several times and need not wait for another thread for it. What
//! is not found is asked of the database and not put here: it may be about to change.

use std::collections::HashMap;

use homard_protocol::SessionKey;
use homard_runtime::Mutex;

use super::SessionRecord;

/// How many are kept: conversations at work at the same time, on a busy gateway.
const MOST: usize = 256;

/// Rows by their keys.
#[derive(Debug, Default)]
pub(crate) struct RecentSessions {
    rows: Mutex<Rows>,
}

#[derive(Debug, Default)]
struct Rows {
    /// Each with the number of its write. Boxed: a row is two thousand bytes, and a map has twice as many places for rows
    /// as it holds, or four times when many came and went.
    kept: HashMap<SessionKey, (u64, Box<SessionRecord>)>,
    writes: u64,
}

impl RecentSessions {
    /// The row of a key, if it was written lately.
    pub(crate) fn get(&self, key: &SessionKey) -> Option<SessionRecord> {
        self.rows.lock().kept.get(key).map(|(_, record)| SessionRecord::clone(record))
    }

    /// Forgets everything; the database has it.
    pub(crate) fn forget_all(&self) {
        self.rows.lock().kept.clear();
    }

    /// Takes what a commit made of rows; `None` for one that only the database knows.
    pub(crate) fn committed(&self, changes: impl Iterator<Item = (SessionKey, Option<SessionRecord>)>) {
        let rows = &mut *self.rows.lock();
        for (key, record) in changes {
            let Some(record) = record else {
                rows.kept.remove(&key);
                continue;
            };
            rows.writes += 1;
            if let Some((write, held)) = rows.kept.get_mut(&key) {
                *write = rows.writes;
                **held = record;
                continue;
            }
            rows.kept.insert(key, (rows.writes, Box::new(record)));
            if rows.kept.len() > MOST {
                let oldest = rows.kept.iter().min_by_key(|(_, (write, _))| *write);
                let oldest = oldest.map(|(key, _)| key.clone());
                oldest.and_then(|key| rows.kept.remove(&key));
            }
        }
    }
}

#[cfg(test)]
mod tests;
