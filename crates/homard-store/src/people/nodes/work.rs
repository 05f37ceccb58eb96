//! What waits for a node: commands it could not do in the background, and questions for when it wakes.

use homard_protocol::DeviceId;
use homard_runtime::Timestamp;
use rusqlite::{Connection, params};
use uuid::Uuid;

use super::NodeStore;
use crate::engine::writer::Batch;
use crate::store::StoreError;

/// Most things of each sort that wait for one node; the oldest gives way.
const MAX_WAITING: i64 = 64;
/// How long a command for the foreground is of interest.
const ACTION_TTL_MS: i64 = 10 * 60 * 1000;
/// The sort of commands for the foreground.
const ACTION: &str = "action";

/// A command that waits for its node to come to the foreground.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeAction {
    pub id: String,
    pub command: String,
    /// What it is given, as JSON text.
    pub params: Option<String>,
    pub created_at: Timestamp,
}

/// A question for a sleeping node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewNodeWork {
    pub device_id: DeviceId,
    /// The wire's word for it.
    pub kind: String,
    pub priority: i64,
    /// For how long it is of interest.
    pub expires_in_ms: Option<i64>,
}

/// A question that waits for a sleeping node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeWork {
    pub id: String,
    /// The wire's word for it.
    pub kind: String,
    pub priority: i64,
    pub created_at: Timestamp,
    pub expires_at: Option<Timestamp>,
}

impl NodeStore<'_> {
    /// Keeps a command for a node's foreground; returns its name.
    ///
    /// # Errors
    /// When the write is not committed, for example because there is no such device.
    pub async fn queue_action(
        self,
        device_id: &DeviceId,
        command: &str,
        given: Option<String>,
    ) -> Result<String, StoreError> {
        let (device_id, command) = (device_id.clone(), command.to_owned());
        self.store.write(move |batch| {
            let id = Uuid::new_v4().to_string();
            let now = batch.now();
            let sql = "INSERT INTO node_work (id, device_id, kind, command, params, priority, created_at, expires_at)
                       VALUES (?1, ?2, ?3, ?4, ?5, 0, ?6, ?7)";
            let until = now.saturating_add(ACTION_TTL_MS);
            batch.execute(sql, params![id, device_id.as_str(), ACTION, command, given, now, until])?;
            tidy(batch, &device_id)?;
            Ok(id)
        })
        .await
    }

    /// The commands that wait for a node's foreground, oldest first.
    ///
    /// # Errors
    /// When the write is not committed; looking also forgets what is too old.
    pub async fn actions(self, device_id: &DeviceId) -> Result<Vec<NodeAction>, StoreError> {
        let device_id = device_id.clone();
        self.store
            .write(move |batch| {
                tidy(batch, &device_id)?;
                let sql = "SELECT id, command, params, created_at FROM node_work
                       WHERE device_id = ?1 AND kind = ?2 ORDER BY created_at, id";
                let mut statement = batch.conn.prepare_cached(sql)?;
                let rows = statement.query_map(params![device_id.as_str(), ACTION], |row| {
                    Ok(NodeAction {
                        id: row.get(0)?,
                        command: row.get(1)?,
                        params: row.get(2)?,
                        created_at: row.get(3)?,
                    })
                })?;
                Ok(rows.collect::<Result<_, _>>()?)
            })
            .await
    }

    /// Commands that were taken care of; returns those that waited and how many still do.
    ///
    /// # Errors
    /// When the write is not committed.
    pub async fn ack_actions(
        self,
        device_id: &DeviceId,
        ids: Vec<String>,
    ) -> Result<(Vec<String>, u64), StoreError> {
        let device_id = device_id.clone();
        self.store
            .write(move |batch| {
                tidy(batch, &device_id)?;
                let sql = "DELETE FROM node_work WHERE id = ?1 AND device_id = ?2 AND kind = ?3";
                let mut acked = Vec::new();
                for id in ids {
                    if batch.execute(sql, params![id, device_id.as_str(), ACTION])? > 0 {
                        acked.push(id);
                    }
                }
                Ok((acked, count(batch.conn, &device_id, true)?))
            })
            .await
    }

    /// Keeps a question for a sleeping node. One of the same kind that waits already is replaced.
    ///
    /// # Errors
    /// When the write is not committed, for example because there is no such device.
    pub async fn queue_work(self, new: NewNodeWork) -> Result<NodeWork, StoreError> {
        self.store
            .write(move |batch| {
                let now = batch.now();
                let device = new.device_id.as_str();
                batch.execute(
                    "DELETE FROM node_work WHERE device_id = ?1 AND kind = ?2",
                    params![device, new.kind],
                )?;
                let work = NodeWork {
                    id: Uuid::new_v4().to_string(),
                    expires_at: new.expires_in_ms.map(|ms| now.saturating_add(ms)),
                    created_at: now,
                    priority: new.priority,
                    kind: new.kind,
                };
                let sql = "INSERT INTO node_work (id, device_id, kind, priority, created_at, expires_at)
                       VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
                batch.execute(
                    sql,
                    params![work.id, device, work.kind, work.priority, work.created_at, work.expires_at],
                )?;
                Ok(work)
            })
            .await
    }

    /// Takes at most `most` questions that wait for a node, urgent ones first; tells whether more wait.
    ///
    /// # Errors
    /// When the write is not committed.
    pub async fn drain_work(
        self,
        device_id: &DeviceId,
        most: u32,
    ) -> Result<(Vec<NodeWork>, bool), StoreError> {
        let device_id = device_id.clone();
        self.store
            .write(move |batch| {
                tidy(batch, &device_id)?;
                let sql = "SELECT id, kind, priority, created_at, expires_at FROM node_work
                       WHERE device_id = ?1 AND kind <> ?2 ORDER BY priority DESC, created_at, id LIMIT ?3";
                let mut statement = batch.conn.prepare_cached(sql)?;
                let rows = statement.query_map(params![device_id.as_str(), ACTION, most], |row| {
                    Ok(NodeWork {
                        id: row.get(0)?,
                        kind: row.get(1)?,
                        priority: row.get(2)?,
                        created_at: row.get(3)?,
                        expires_at: row.get(4)?,
                    })
                })?;
                let taken: Vec<NodeWork> = rows.collect::<Result<_, _>>()?;
                for work in &taken {
                    batch.execute("DELETE FROM node_work WHERE id = ?1", [work.id.as_str()])?;
                }
                Ok((taken, count(batch.conn, &device_id, false)? > 0))
            })
            .await
    }
}

fn count(conn: &Connection, device_id: &DeviceId, actions: bool) -> Result<u64, StoreError> {
    let sql = "SELECT count(*) FROM node_work WHERE device_id = ?1 AND (kind = ?2) = ?3";
    let found: i64 = conn
        .prepare_cached(sql)?
        .query_row(params![device_id.as_str(), ACTION, actions], |row| row.get(0))?;
    Ok(u64::try_from(found).unwrap_or(0))
}

/// Forgets what is too old, and what is too much.
fn tidy(batch: &Batch<'_>, device_id: &DeviceId) -> Result<(), StoreError> {
    let now = batch.now();
    batch.execute("DELETE FROM node_work WHERE expires_at IS NOT NULL AND expires_at <= ?1", [now])?;
    let sql = "DELETE FROM node_work WHERE id IN (SELECT id FROM node_work WHERE device_id = ?1 AND kind = ?2
               ORDER BY created_at DESC, id LIMIT -1 OFFSET ?3)";
    batch.execute(sql, params![device_id.as_str(), ACTION, MAX_WAITING])?;
    Ok(())
}
