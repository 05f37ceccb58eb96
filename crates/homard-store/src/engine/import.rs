//! Taking over the session store of an OpenClaw installation, once per agent.
//!
//! Reads `<agents>/<agent>/sessions/sessions.json` the first time it is seen and leaves it where it is. The
//! transcripts beside it are indexed when they are first used.

use std::path::Path;

use homard_protocol::{AgentId, SessionKey};
use homard_runtime::{Clock, OrLog};
use rusqlite::{Connection, OptionalExtension};
use serde_json::{Map, Value};

use crate::engine::layout::Layout;
use crate::sessions::{SessionEntry, SessionRecord, insert};
use crate::store::{StoreError, from_json};

/// Largest `sessions.json` that is read; other software rotates it at 10 MB.
const MAX_BYTES: u64 = 256 * 1024 * 1024;

/// Imports what has not been imported yet.
pub(crate) fn session_stores(
    conn: &mut Connection,
    layout: &Layout,
    clock: &Clock,
) -> Result<(), StoreError> {
    for agent in layout.agents() {
        let path = layout.sessions_dir(&agent).join("sessions.json");
        let marker = format!("imported.sessions.{agent}");
        if path.is_file() && !is_marked(conn, &marker)? {
            // One that cannot be read now is tried again at the next start.
            let Some(store) = read(&path) else { continue };
            let tx = conn.transaction()?;
            let imported = import(&tx, &agent, store);
            tx.execute("INSERT INTO meta VALUES (?1, ?2)", [&marker, &clock.now_rfc3339()])?;
            tx.commit()?;
            tracing::info!(%agent, sessions = imported, "took over an existing session store");
        }
    }
    Ok(())
}

fn is_marked(conn: &Connection, marker: &str) -> Result<bool, StoreError> {
    let found = conn.query_row("SELECT 1 FROM meta WHERE key = ?1", [marker], |_| Ok(())).optional()?;
    Ok(found.is_some())
}

fn read(path: &Path) -> Option<Map<String, Value>> {
    let len = std::fs::metadata(path).or_log("a session store could not be looked at")?.len();
    if len > MAX_BYTES {
        tracing::warn!(path = %path.display(), len, "a session store is too large to take over");
        return None;
    }
    let bytes = std::fs::read(path).or_log("a session store could not be read")?;
    serde_json::from_slice(&bytes).or_log("a session store is not readable JSON")
}

fn import(conn: &Connection, agent: &AgentId, store: Map<String, Value>) -> usize {
    let rows = store.into_iter().filter_map(|(key, value)| record(agent, &key, value));
    rows.filter(|record| insert(conn, record).or_log("a session was not taken over").is_some()).count()
}

fn record(agent: &AgentId, key: &str, value: Value) -> Option<SessionRecord> {
    let key = SessionKey::parse_for(key, agent).or_log("a session's key was not understood")?;
    let Value::Object(fields) = value else { return None };
    let mut entry = lenient(fields);
    // A cache of the other software's own, often larger than everything else together.
    entry.skills_snapshot = None;
    let session_id = entry.session_id.clone()?;
    Some(SessionRecord {
        agent_id: key.agent_id().unwrap_or(agent).clone(),
        key,
        session_id,
        entry,
        last_message_preview: None,
        derived_title: None,
    })
}

/// Reads an entry field by field when it does not read as a whole, leaving out the fields that do not fit.
fn lenient(fields: Map<String, Value>) -> SessionEntry {
    // By way of the text, so that these many fields have one reader: the one of rows.
    let fits =
        |fields: Map<String, Value>| from_json::<SessionEntry>("session", &Value::Object(fields).to_string());
    if let Ok(entry) = fits(fields.clone()) {
        return entry;
    }
    let good = fields
        .into_iter()
        .filter(|(name, value)| fits(std::iter::once((name.clone(), value.clone())).collect()).is_ok())
        .collect();
    fits(good).unwrap_or_default()
}
