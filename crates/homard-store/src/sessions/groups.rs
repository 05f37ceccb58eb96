//! The drawers people sort conversations into. A drawer may be empty; which one a session lies in is its
//! `category`.

use rusqlite::{Connection, params};

use super::Draft;
use super::rows::{load, save};
use crate::engine::writer::Batch;
use crate::store::{Store, StoreError, parse_column};

/// A drawer and its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionGroup {
    pub name: String,
    /// Its place in the list, from 0.
    pub position: i64,
}

/// What a new conversation in a drawer begins with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupDefaults {
    pub name: String,
    /// The folder it works in.
    pub cwd: Option<String>,
    /// Whether it gets a working copy of its own.
    pub worktree: bool,
}

/// The groups people sort their conversations into: [`Store::groups`].
#[derive(Debug, Clone, Copy)]
pub struct GroupStore<'a> {
    pub(crate) store: &'a Store,
}

impl GroupStore<'_> {
    /// The drawers, in their order.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn list(self) -> Result<Vec<SessionGroup>, StoreError> {
        self.store.read(|cx| groups(cx.conn)).await
    }

    /// What new conversations in the drawers begin with.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn defaults(self) -> Result<Vec<GroupDefaults>, StoreError> {
        self.store
            .read(|cx| {
                let sql = "SELECT name, cwd, worktree FROM session_groups ORDER BY position, name";
                let mut statement = cx.conn.prepare_cached(sql)?;
                let read = |row: &rusqlite::Row<'_>| {
                    Ok(GroupDefaults { name: row.get(0)?, cwd: row.get(1)?, worktree: row.get(2)? })
                };
                Ok(statement.query_map([], read)?.collect::<Result<_, _>>()?)
            })
            .await
    }

    /// Makes the list of drawers be this one. Those left out go; conversations in them lie open again.
    /// Answers with the list and how many conversations that touched.
    ///
    /// # Errors
    /// When the write is not committed.
    pub async fn put(self, names: Vec<String>) -> Result<(Vec<SessionGroup>, u64), StoreError> {
        self.store
            .write(move |batch| {
                let mut touched = 0;
                for gone in groups(batch.conn)?.iter().filter(|group| !names.contains(&group.name)) {
                    touched += forget(batch, &gone.name)?;
                }
                for (position, name) in (0i64..).zip(&names) {
                    batch.execute(
                        "INSERT INTO session_groups (name, position) VALUES (?1, ?2)
                     ON CONFLICT (name) DO UPDATE SET position = ?2",
                        params![name, position],
                    )?;
                }
                Ok((groups(batch.conn)?, touched))
            })
            .await
    }

    /// Gives a drawer another name, and its conversations with it; `None` when there is no such drawer. One
    /// that has the new name already takes the conversations in.
    ///
    /// # Errors
    /// When the write is not committed.
    pub async fn rename(self, name: &str, to: &str) -> Result<Option<(Vec<SessionGroup>, u64)>, StoreError> {
        let (name, to) = (name.to_owned(), to.to_owned());
        self.store
            .write(move |batch| {
                if !groups(batch.conn)?.iter().any(|group| group.name == name) {
                    return Ok(None);
                }
                let mut touched = 0;
                if name != to {
                    batch.execute(
                        "UPDATE OR IGNORE session_groups SET name = ?2 WHERE name = ?1",
                        [&name, &to],
                    )?;
                    batch.execute("DELETE FROM session_groups WHERE name = ?1", [&name])?;
                    touched = move_sessions(batch, &name, Some(&to))?;
                }
                Ok(Some((groups(batch.conn)?, touched)))
            })
            .await
    }

    /// Says what new conversations in a drawer begin with; `false` when there is no such drawer.
    ///
    /// # Errors
    /// When the write is not committed.
    pub async fn update(self, defaults: GroupDefaults) -> Result<bool, StoreError> {
        self.store
            .write(move |batch| {
                let changed = batch.execute(
                    "UPDATE session_groups SET cwd = ?2, worktree = ?3 WHERE name = ?1",
                    params![defaults.name, defaults.cwd, defaults.worktree],
                )?;
                Ok(changed > 0)
            })
            .await
    }

    /// Takes a drawer away; its conversations lie open again.
    ///
    /// # Errors
    /// When the write is not committed.
    pub async fn delete(self, name: &str) -> Result<(Vec<SessionGroup>, u64), StoreError> {
        let name = name.to_owned();
        self.store
            .write(move |batch| {
                let touched = forget(batch, &name)?;
                Ok((groups(batch.conn)?, touched))
            })
            .await
    }
}

fn groups(conn: &Connection) -> Result<Vec<SessionGroup>, StoreError> {
    let sql = "SELECT name, position FROM session_groups ORDER BY position, name";
    let mut statement = conn.prepare_cached(sql)?;
    let read = |row: &rusqlite::Row<'_>| Ok(SessionGroup { name: row.get(0)?, position: row.get(1)? });
    Ok(statement.query_map([], read)?.collect::<Result<_, _>>()?)
}

fn forget(batch: &mut Batch<'_>, name: &str) -> Result<u64, StoreError> {
    batch.execute("DELETE FROM session_groups WHERE name = ?1", [name])?;
    move_sessions(batch, name, None)
}

/// Moves every conversation of a drawer, which counts as a change of each.
fn move_sessions(batch: &mut Batch<'_>, from: &str, to: Option<&str>) -> Result<u64, StoreError> {
    let keys: Vec<String> = batch
        .conn
        .prepare_cached("SELECT key FROM sessions WHERE category = ?1")?
        .query_map([from], |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    let mut moved = 0;
    for key in keys {
        let Some(record) = load(batch.conn, &parse_column("key", &key)?)? else { continue };
        let mut draft = Draft::of(record);
        draft.record.entry.category = to.map(str::to_owned);
        save(batch, &mut draft)?;
        moved += 1;
    }
    Ok(moved)
}

#[cfg(test)]
mod tests;
