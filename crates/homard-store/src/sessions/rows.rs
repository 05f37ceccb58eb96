//! Reading and writing single session rows.
//!
//! The queried columns are derived from the entry in [`save`] and [`insert`] and nowhere else, so they cannot
//! disagree with it.

use homard_protocol::{AgentId, SessionId, SessionKey};
use homard_runtime::json::object_from_text;
use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, Row, params, params_from_iter};
use uuid::Uuid;

use super::{SessionEntry, SessionKind, SessionRecord, SessionStore};
use crate::engine::writer::Batch;
use crate::store::{StoreError, parse_column, to_json};

/// The columns [`read`] expects, in order.
pub(super) const COLUMNS: &str = "key, agent_id, session_id, entry, last_message_preview, derived_title";

/// What is queried, beside what never changes.
const CHANGING: [&str; 12] = [
    "session_id",
    "channel",
    "label",
    "archived",
    "updated_at",
    "last_message_preview",
    "derived_title",
    "interacted_at",
    "activity_at",
    "pinned",
    "category",
    "spawned_by",
];

/// A row about to be written back.
pub(crate) struct Draft {
    pub(crate) record: SessionRecord,
    /// What the row holds of [`CHANGING`]; `None` when there is none yet.
    held: Option<[Value; CHANGING.len()]>,
}

impl Draft {
    /// A row as it is.
    pub(crate) fn of(record: SessionRecord) -> Self {
        Self { held: Some(queried(&record)), record }
    }

    /// Whether it was there before.
    pub(crate) fn exists(&self) -> bool {
        self.held.is_some()
    }
}

impl SessionStore<'_> {
    /// The session of a key.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn get(self, key: &SessionKey) -> Result<Option<SessionRecord>, StoreError> {
        if let Some(record) = self.store.recent_sessions().get(key) {
            return Ok(Some(record));
        }
        let key = key.clone();
        self.store.read(move |cx| load(cx.conn, &key)).await
    }

    /// The session whose current transcript has this id.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn by_id(self, session_id: &SessionId) -> Result<Option<SessionRecord>, StoreError> {
        let session_id = session_id.clone();
        self.store.read(move |cx| by_session_id(cx.conn, &session_id)).await
    }

    /// The session of an agent with this label; labels are unique per agent.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn by_label(self, agent: &AgentId, label: &str) -> Result<Option<SessionRecord>, StoreError> {
        let (agent, label) = (agent.clone(), label.to_owned());
        self.store
            .read(move |cx| {
                let sql = "WHERE agent_id = ?1 AND label = ?2 ORDER BY updated_at DESC LIMIT 1";
                one(cx.conn, sql, params![agent.as_str(), label])
            })
            .await
    }

    /// Changes a session, making it with a fresh id if there is none; `updatedAt` moves to now.
    ///
    /// # Errors
    /// [`StoreError::LabelTaken`] when the change gives it another session's label.
    pub async fn patch(
        self,
        key: &SessionKey,
        change: impl FnOnce(&mut SessionEntry) + Send + 'static,
    ) -> Result<SessionRecord, StoreError> {
        let key = key.clone();
        self.store
            .write(move |batch| {
                let mut draft = load_or_new(batch, &key, None)?;
                let label = draft.record.entry.label.clone();
                change(&mut draft.record.entry);
                if draft.record.entry.label != label {
                    refuse_taken_label(batch.conn, &draft.record)?;
                }
                save(batch, &mut draft)?;
                Ok(draft.record)
            })
            .await
    }
}

pub(super) fn refuse_taken_label(conn: &Connection, record: &SessionRecord) -> Result<(), StoreError> {
    let Some(label) = &record.entry.label else { return Ok(()) };
    let sql = "WHERE agent_id = ?1 AND label = ?2 AND key <> ?3 LIMIT 1";
    match one(conn, sql, params![record.agent_id.as_str(), label, record.key.to_string()])? {
        Some(_) => Err(StoreError::LabelTaken { label: label.clone() }),
        None => Ok(()),
    }
}

/// The session of a key.
pub(crate) fn load(conn: &Connection, key: &SessionKey) -> Result<Option<SessionRecord>, StoreError> {
    one(conn, "WHERE key = ?1", [key.to_string()])
}

/// The session of a key as the batch has it so far.
pub(crate) fn current(batch: &Batch<'_>, key: &SessionKey) -> Result<Option<SessionRecord>, StoreError> {
    match batch.effects.session(key) {
        Some(record) => Ok(Some(record)),
        None => load(batch.conn, key),
    }
}

/// The session whose current transcript has this id.
pub(crate) fn by_session_id(
    conn: &Connection,
    session_id: &SessionId,
) -> Result<Option<SessionRecord>, StoreError> {
    one(conn, "WHERE session_id = ?1 LIMIT 1", [session_id.as_str()])
}

/// The session of a key, or a new one that [`save`] will insert. `agent` is who gets keys that name nobody.
pub(crate) fn load_or_new(
    batch: &Batch<'_>,
    key: &SessionKey,
    agent: Option<&AgentId>,
) -> Result<Draft, StoreError> {
    if let Some(record) = current(batch, key)? {
        return Ok(Draft::of(record));
    }
    let now = batch.now();
    let session_id = SessionId::from(Uuid::new_v4());
    let agent_id = key.agent_id().or(agent).cloned().unwrap_or_else(AgentId::main);
    let entry = SessionEntry {
        session_id: Some(session_id.clone()),
        updated_at: now,
        created_at: Some(now),
        session_started_at: Some(now),
        channel: key.channel().map(ToString::to_string),
        ..SessionEntry::default()
    };
    let record = SessionRecord {
        key: key.clone(),
        agent_id,
        session_id,
        entry,
        last_message_preview: None,
        derived_title: None,
    };
    Ok(Draft { record, held: None })
}

/// Writes a row back; `updatedAt` never goes backwards. Columns that stay as they are, are not named: every index over
/// a named one is written anew.
pub(crate) fn save(batch: &mut Batch<'_>, draft: &mut Draft) -> Result<(), StoreError> {
    draft.record.entry.updated_at = draft.record.entry.updated_at.max(batch.now());
    save_unseen(batch, draft)
}

/// The same without making the session any younger: nobody said anything in it.
pub(crate) fn save_unseen(batch: &mut Batch<'_>, draft: &mut Draft) -> Result<(), StoreError> {
    let record = &mut draft.record;
    // A change may not move a conversation to another transcript; resetting does that.
    record.entry.session_id = Some(record.session_id.clone());
    let values = queried(record);
    let Some(held) = draft.held.replace(values.clone()) else { return insert_new(batch, record) };
    let mut sql = "UPDATE sessions SET entry = ?2".to_owned();
    let mut params = vec![Value::Text(record.key.to_string()), Value::Text(to_json("entry", &record.entry)?)];
    for ((name, value), held) in CHANGING.into_iter().zip(values).zip(held) {
        if value != held {
            params.push(value);
            sql.push_str(&format!(", {name} = ?{}", params.len()));
        }
    }
    sql.push_str(" WHERE key = ?1");
    batch.execute(&sql, params_from_iter(params))?;
    batch.effects.session_changed(&record.key, Some(record));
    Ok(())
}

/// Takes a row away.
pub(super) fn remove(batch: &mut Batch<'_>, key: &SessionKey) -> Result<(), StoreError> {
    batch.execute("DELETE FROM sessions WHERE key = ?1", [key.to_string()])?;
    batch.effects.session_changed(key, None);
    Ok(())
}

/// Adds a row of which the batch knows that there is none.
pub(super) fn insert_new(batch: &mut Batch<'_>, record: &SessionRecord) -> Result<(), StoreError> {
    insert(batch.conn, record)?;
    batch.effects.session_changed(&record.key, Some(record));
    Ok(())
}

/// The values of [`CHANGING`].
fn queried(record: &SessionRecord) -> [Value; CHANGING.len()] {
    let SessionRecord { session_id, entry, last_message_preview, derived_title, .. } = record;
    [
        session_id.as_str().to_owned().into(),
        entry.channel.clone().into(),
        entry.label.clone().into(),
        entry.archived_at.is_some().into(),
        changed(entry).into(),
        last_message_preview.clone().into(),
        derived_title.clone().into(),
        entry.last_interaction_at.into(),
        activity(entry).into(),
        entry.pinned_at.is_some().into(),
        entry.category.clone().into(),
        entry.spawned_by.clone().into(),
    ]
}

/// Adds a row; one that exists already is left as it is.
pub(crate) fn insert(conn: &Connection, record: &SessionRecord) -> Result<(), StoreError> {
    let created = record.entry.created_at.unwrap_or(record.entry.updated_at);
    conn.prepare_cached(
        "INSERT OR IGNORE INTO sessions (key, agent_id, session_id, kind, channel, label, archived, created_at,
         updated_at, last_message_preview, derived_title, entry, interacted_at, activity_at, pinned, category,
         spawned_by)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)",
    )?
    .execute(params![
        record.key.to_string(),
        record.agent_id.as_str(),
        record.session_id.as_str(),
        SessionKind::of(&record.key).as_str(),
        record.entry.channel,
        record.entry.label,
        record.entry.archived_at.is_some(),
        created,
        changed(&record.entry),
        record.last_message_preview,
        record.derived_title,
        to_json("entry", &record.entry)?,
        record.entry.last_interaction_at,
        activity(&record.entry),
        record.entry.pinned_at.is_some(),
        record.entry.category,
        record.entry.spawned_by,
    ])?;
    Ok(())
}

/// When it last changed, as lists sort by it. What another program kept may say that something happened later.
pub(super) fn changed(entry: &SessionEntry) -> homard_runtime::Timestamp {
    activity(entry).map_or(entry.updated_at, |at| at.max(entry.updated_at))
}

/// When anything last happened, as lists sort by it.
pub(super) fn activity(entry: &SessionEntry) -> Option<homard_runtime::Timestamp> {
    entry.last_activity_at.max(entry.last_interaction_at)
}

fn one(
    conn: &Connection,
    filter: &str,
    params: impl rusqlite::Params,
) -> Result<Option<SessionRecord>, StoreError> {
    let sql = format!("SELECT {COLUMNS} FROM sessions {filter}");
    let mut statement = conn.prepare_cached(&sql)?;
    statement.query_row(params, |row| Ok(read(row))).optional()?.transpose()
}

/// Reads a row selected with [`COLUMNS`].
pub(super) fn read(row: &Row<'_>) -> Result<SessionRecord, StoreError> {
    let text = |at: usize| row.get_ref(at).and_then(|value| Ok(value.as_str()?));
    Ok(SessionRecord {
        key: parse_column("key", text(0)?)?,
        agent_id: parse_column("agent_id", text(1)?)?,
        session_id: parse_column("session_id", text(2)?)?,
        entry: object_from_text(text(3)?)
            .map_err(|source| StoreError::Unreadable { what: "entry", source: source.into() })?,
        last_message_preview: row.get(4)?,
        derived_title: row.get(5)?,
    })
}
