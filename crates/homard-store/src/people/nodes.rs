//! Nodes: what the owner let each of them offer, what they ask to offer, and how they were when last heard of.
//!
//! A node is a paired device with that role; this file keeps what only nodes have. What a node *may* be asked is
//! decided by the gateway, from this and its lists.

mod work;

use std::collections::BTreeMap;

use homard_protocol::{DeviceId, Role, Word};
use homard_runtime::{Arrange as _, Timestamp};
use rusqlite::{Connection, OptionalExtension, Row, params};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::engine::writer::Batch;
use crate::people::devices;
use crate::store::{Store, StoreError, from_json, parse_column, to_json};

pub use work::{NewNodeWork, NodeAction, NodeWork};

/// The role of a device that is a node.
const NODE: Word<Role> = Word::Known(Role::Node);

/// What a node offers.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NodeSurface {
    /// Kinds of commands, sorted.
    pub caps: Vec<String>,
    pub commands: Vec<String>,
    /// What its operating system lets it do.
    pub permissions: BTreeMap<String, bool>,
}

impl NodeSurface {
    /// A surface in one spelling, whatever the order things were named in.
    #[must_use]
    pub fn new(
        mut caps: Vec<String>,
        mut commands: Vec<String>,
        permissions: BTreeMap<String, bool>,
    ) -> Self {
        caps.arrange();
        caps.dedup();
        commands.arrange();
        commands.dedup();
        Self { caps, commands, permissions }
    }

    /// Whether `other` offers nothing beyond this.
    #[must_use]
    pub fn covers(&self, other: &Self) -> bool {
        other.caps.iter().all(|cap| self.caps.contains(cap))
            && other.commands.iter().all(|command| self.commands.contains(command))
            && other
                .permissions
                .iter()
                .filter(|(_, granted)| **granted)
                .all(|(name, _)| self.permissions.get(name) == Some(&true))
    }
}

/// What is kept of a node beside its device.
#[derive(Debug, Clone, PartialEq)]
pub struct NodeRecord {
    pub device_id: DeviceId,
    /// What the owner said yes to, and when.
    pub approved: Option<(NodeSurface, Timestamp)>,
    /// When it last connected.
    pub last_connected_at: Option<Timestamp>,
    /// When it was last heard of.
    pub last_seen_at: Option<Timestamp>,
    pub last_seen_reason: Option<String>,
    /// What its machine last said of itself.
    pub host_stats: Option<serde_json::Value>,
}

/// What a node would like to offer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewNodeRequest {
    pub device_id: DeviceId,
    pub surface: NodeSurface,
    /// What it calls itself.
    pub display_name: Option<String>,
    pub platform: Option<String>,
    pub version: Option<String>,
    pub device_family: Option<String>,
    /// Where it connects from.
    pub remote_ip: Option<String>,
    /// Whether its device was let in without a question.
    pub silent: bool,
}

/// A question about a node that waits for the owner. It does not expire.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeRequest {
    pub request_id: String,
    pub about: NewNodeRequest,
    pub ts: Timestamp,
}

/// What came of asking.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeAsked {
    /// The question as it waits now.
    pub request: NodeRequest,
    /// Whether somebody should be told: it is new.
    pub created: bool,
    /// An earlier, different question that it replaced.
    pub superseded: Option<String>,
}

const COLUMNS: &str =
    "device_id, surface, approved_at, last_connected_at, last_seen_at, last_seen_reason, host_stats";
const REQUEST_COLUMNS: &str = "request_id, device_id, surface, display_name, platform, version, device_family, \
                               remote_ip, silent, ts";

/// Devices that do things for the assistant: [`Store::nodes`].
#[derive(Debug, Clone, Copy)]
pub struct NodeStore<'a> {
    pub(crate) store: &'a Store,
}

impl NodeStore<'_> {
    /// What is kept of one node.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn get(self, device_id: &DeviceId) -> Result<Option<NodeRecord>, StoreError> {
        let device_id = device_id.clone();
        self.store.read(move |cx| load(cx.conn, &device_id)).await
    }

    /// What is kept of all nodes.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn list(self) -> Result<Vec<NodeRecord>, StoreError> {
        self.store
            .read(move |cx| {
                let mut statement = cx.conn.prepare(&format!("SELECT {COLUMNS} FROM nodes"))?;
                let mut rows = statement.query([])?;
                let mut found = Vec::new();
                while let Some(row) = rows.next()? {
                    found.push(read(row)?);
                }
                Ok(found)
            })
            .await
    }

    /// Notes that a node is connected now.
    ///
    /// # Errors
    /// When the write is not committed.
    pub async fn mark_connected(self, device_id: &DeviceId) -> Result<(), StoreError> {
        let device_id = device_id.clone();
        self.store
            .write(move |batch| {
                let sql = "INSERT INTO nodes (device_id, last_connected_at, last_seen_at, last_seen_reason)
                       VALUES (?1, ?2, ?2, 'connect') ON CONFLICT (device_id) DO UPDATE SET
                       last_connected_at = ?2, last_seen_at = ?2, last_seen_reason = 'connect'";
                batch.execute(sql, params![device_id.as_str(), batch.now()])?;
                Ok(())
            })
            .await
    }

    /// Notes that a node was awake for a moment; tells whether it is one.
    ///
    /// # Errors
    /// When the write is not committed.
    pub async fn mark_seen(self, device_id: &DeviceId, reason: &str) -> Result<bool, StoreError> {
        let (device_id, reason) = (device_id.clone(), reason.to_owned());
        self.store
            .write(move |batch| {
                let sql = "UPDATE nodes SET last_seen_at = ?2, last_seen_reason = ?3 WHERE device_id = ?1";
                Ok(batch.execute(sql, params![device_id.as_str(), batch.now(), reason])? > 0)
            })
            .await
    }

    /// Keeps what a node's machine said of itself.
    ///
    /// # Errors
    /// When the write is not committed.
    pub async fn keep_host_stats(
        self,
        device_id: &DeviceId,
        stats: &serde_json::Value,
    ) -> Result<(), StoreError> {
        let (device_id, stats) = (device_id.clone(), stats.to_string());
        self.store
            .write(move |batch| {
                let sql = "UPDATE nodes SET host_stats = ?2 WHERE device_id = ?1";
                batch.execute(sql, params![device_id.as_str(), stats])?;
                Ok(())
            })
            .await
    }

    /// Keeps a question about a node. Asking the same again changes nothing but what it says of itself; asking
    /// for something else replaces it.
    ///
    /// # Errors
    /// When the write is not committed.
    pub async fn ask(self, new: NewNodeRequest) -> Result<NodeAsked, StoreError> {
        self.store.write(move |batch| ask(batch, new)).await
    }

    /// The questions that wait, oldest first.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn requests(self) -> Result<Vec<NodeRequest>, StoreError> {
        self.store
            .read(move |cx| {
                let sql = format!("SELECT {REQUEST_COLUMNS} FROM node_requests ORDER BY ts, request_id");
                let mut statement = cx.conn.prepare(&sql)?;
                let mut rows = statement.query([])?;
                let mut found = Vec::new();
                while let Some(row) = rows.next()? {
                    found.push(read_request(row)?);
                }
                Ok(found)
            })
            .await
    }

    /// One question that waits.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn request(self, request_id: &str) -> Result<Option<NodeRequest>, StoreError> {
        let request_id = request_id.to_owned();
        self.store.read(move |cx| one_request(cx.conn, "request_id", &request_id)).await
    }

    /// The owner says yes: what was asked is what may be offered from now on. `None` when nothing such waits.
    ///
    /// # Errors
    /// When the write is not committed.
    pub async fn approve(self, request_id: &str) -> Result<Option<(NodeRequest, Timestamp)>, StoreError> {
        let request_id = request_id.to_owned();
        self.store
            .write(move |batch| {
                let Some(request) = take(batch, "request_id", &request_id)? else { return Ok(None) };
                let now = batch.now();
                let sql = "INSERT INTO nodes (device_id, surface, approved_at) VALUES (?1, ?2, ?3)
                       ON CONFLICT (device_id) DO UPDATE SET surface = ?2, approved_at = ?3";
                let surface = to_json("surface", &request.about.surface)?;
                batch.execute(sql, params![request.about.device_id.as_str(), surface, now])?;
                Ok(Some((request, now)))
            })
            .await
    }

    /// The owner says no; returns what was asked.
    ///
    /// # Errors
    /// When the write is not committed.
    pub async fn reject(self, request_id: &str) -> Result<Option<NodeRequest>, StoreError> {
        let request_id = request_id.to_owned();
        self.store.write(move |batch| take(batch, "request_id", &request_id)).await
    }

    /// A node asks for nothing beyond what it has; returns what it had asked.
    ///
    /// # Errors
    /// When the write is not committed.
    pub async fn withdraw_request(self, device_id: &DeviceId) -> Result<Option<NodeRequest>, StoreError> {
        let device_id = device_id.clone();
        self.store.write(move |batch| take(batch, "device_id", device_id.as_str())).await
    }

    /// A device is no node any more: what it offered, asked and had waiting is forgotten, and a device that was
    /// nothing else is forgotten as a whole. Tells whether it was one.
    ///
    /// # Errors
    /// When the write is not committed.
    pub async fn remove(self, device_id: &DeviceId) -> Result<bool, StoreError> {
        let device_id = device_id.clone();
        self.store
            .write(move |batch| {
                let Some(mut device) = devices::load(batch.conn, &device_id)? else { return Ok(false) };
                if !device.roles.contains(&NODE) {
                    return Ok(false);
                }
                device.roles.retain(|role| *role != NODE);
                let id = [device_id.as_str()];
                if device.roles.is_empty() {
                    batch.execute("DELETE FROM device_pending WHERE device_id = ?1", id)?;
                    batch.execute("DELETE FROM devices WHERE device_id = ?1", id)?;
                    return Ok(true);
                }
                let roles = to_json("roles", &device.roles)?;
                batch.execute(
                    "UPDATE devices SET roles = ?2 WHERE device_id = ?1",
                    params![device_id.as_str(), roles],
                )?;
                batch.execute("DELETE FROM device_tokens WHERE device_id = ?1 AND role = 'node'", id)?;
                for table in ["nodes", "node_requests", "node_work"] {
                    batch.execute(&format!("DELETE FROM {table} WHERE device_id = ?1"), id)?;
                }
                Ok(true)
            })
            .await
    }
}

fn ask(batch: &Batch<'_>, new: NewNodeRequest) -> Result<NodeAsked, StoreError> {
    let before = take(batch, "device_id", new.device_id.as_str())?;
    let same = before.as_ref().filter(|before| before.about.surface == new.surface);
    let request = NodeRequest {
        request_id: same.map_or_else(|| Uuid::new_v4().to_string(), |same| same.request_id.clone()),
        ts: same.map_or_else(|| batch.now(), |same| same.ts),
        about: new,
    };
    let created = same.is_none();
    let superseded = before.filter(|_| created).map(|before| before.request_id);
    let sql = format!(
        "INSERT INTO node_requests ({REQUEST_COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)"
    );
    let about = &request.about;
    batch.conn.prepare_cached(&sql)?.execute(params![
        request.request_id,
        about.device_id.as_str(),
        to_json("surface", &about.surface)?,
        about.display_name,
        about.platform,
        about.version,
        about.device_family,
        about.remote_ip,
        about.silent,
        request.ts,
    ])?;
    Ok(NodeAsked { request, created, superseded })
}

fn take(batch: &Batch<'_>, filter: &str, value: &str) -> Result<Option<NodeRequest>, StoreError> {
    let request = one_request(batch.conn, filter, value)?;
    if let Some(request) = &request {
        batch.execute("DELETE FROM node_requests WHERE request_id = ?1", [request.request_id.as_str()])?;
    }
    Ok(request)
}

fn one_request(conn: &Connection, filter: &str, value: &str) -> Result<Option<NodeRequest>, StoreError> {
    let sql = format!("SELECT {REQUEST_COLUMNS} FROM node_requests WHERE {filter} = ?1");
    conn.prepare_cached(&sql)?.query_row([value], |row| Ok(read_request(row))).optional()?.transpose()
}

fn load(conn: &Connection, device_id: &DeviceId) -> Result<Option<NodeRecord>, StoreError> {
    let sql = format!("SELECT {COLUMNS} FROM nodes WHERE device_id = ?1");
    conn.prepare_cached(&sql)?.query_row([device_id.as_str()], |row| Ok(read(row))).optional()?.transpose()
}

fn read(row: &Row<'_>) -> Result<NodeRecord, StoreError> {
    let (id, surface): (String, Option<String>) = (row.get(0)?, row.get(1)?);
    let (approved_at, stats): (Option<Timestamp>, Option<String>) = (row.get(2)?, row.get(6)?);
    let surface = surface.map(|text| from_json("surface", &text)).transpose()?;
    Ok(NodeRecord {
        device_id: parse_column("device_id", &id)?,
        approved: surface.zip(approved_at),
        last_connected_at: row.get(3)?,
        last_seen_at: row.get(4)?,
        last_seen_reason: row.get(5)?,
        host_stats: stats.map(|text| from_json("host_stats", &text)).transpose()?,
    })
}

fn read_request(row: &Row<'_>) -> Result<NodeRequest, StoreError> {
    let (id, surface): (String, String) = (row.get(1)?, row.get(2)?);
    Ok(NodeRequest {
        request_id: row.get(0)?,
        about: NewNodeRequest {
            device_id: parse_column("device_id", &id)?,
            surface: from_json("surface", &surface)?,
            display_name: row.get(3)?,
            platform: row.get(4)?,
            version: row.get(5)?,
            device_family: row.get(6)?,
            remote_ip: row.get(7)?,
            silent: row.get(8)?,
        },
        ts: row.get(9)?,
    })
}

#[cfg(test)]
mod tests;
