//! One conversation of a database as the lines of a transcript.

use std::io::Read as _;
use std::path::Path;

use rusqlite::Connection;
use serde_json::{Value, json};

use super::{DatabaseError, has_column, open};

/// Longest line that is unpacked, in bytes.
const MAX_LINE: u64 = 64 * 1024 * 1024;
/// The version of transcripts that Homard writes, too.
const VERSION: u64 = 3;

/// The lines of a conversation. Kinds of lines that only the later era has are left out: Homard has no use for them.
pub(crate) fn transcript(database: &Path, session_id: &str) -> Result<Vec<u8>, DatabaseError> {
    let connection = open(database)?;
    let mut lines: Vec<Value> = Vec::new();
    for event in events(&connection, session_id)? {
        let Ok(mut event) = serde_json::from_str::<Value>(&event) else { continue };
        match event.get("type").and_then(Value::as_str) {
            Some("session") => {
                drop(event.as_object_mut().map(|head| head.insert("version".to_owned(), json!(VERSION))));
            }
            // What was before a reset is no longer a part of the conversation.
            Some("reset") => {
                lines.truncate(1);
                continue;
            }
            Some("leaf") | None => continue,
            Some(_) => {}
        }
        lines.push(event);
    }
    mend_parents(&mut lines);
    if lines.first().and_then(|line| line.get("type")) != Some(&json!("session")) {
        let header =
            json!({"type": "session", "version": VERSION, "id": session_id, "timestamp": first_time(&lines)});
        lines.insert(0, header);
    }
    let mut text = Vec::new();
    for line in lines {
        text.extend_from_slice(line.to_string().as_bytes());
        text.push(b'\n');
    }
    Ok(text)
}

fn first_time(lines: &[Value]) -> Value {
    lines
        .iter()
        .find_map(|line| line.get("timestamp").cloned())
        .unwrap_or_else(|| json!("1970-01-01T00:00:00Z"))
}

/// A line whose parent was left out follows the line before it.
fn mend_parents(lines: &mut [Value]) {
    let mut known = std::collections::HashSet::new();
    let mut last: Option<Value> = None;
    let lines = lines.iter_mut().filter_map(Value::as_object_mut);
    for line in lines.filter(|line| line.get("type").is_some_and(|kind| kind != "session")) {
        let parent = line.get("parentId").and_then(Value::as_str).map(str::to_owned);
        if parent.is_some_and(|parent| !known.contains(&parent)) {
            line.insert("parentId".to_owned(), last.clone().unwrap_or(Value::Null));
        }
        known.extend(line.get("id").and_then(Value::as_str).map(str::to_owned));
        last = line.get("id").cloned().or(last);
    }
}

/// The rows of a conversation in their order, unpacked.
fn events(connection: &Connection, session_id: &str) -> Result<Vec<String>, DatabaseError> {
    let is_packed = has_column(connection, "transcript_events", "event_zstd")?;
    let packed = if is_packed { "event_zstd" } else { "NULL" };
    let sql =
        format!("SELECT seq, event_json, {packed} FROM transcript_events WHERE session_id = ?1 ORDER BY seq");
    let mut statement = connection.prepare(&sql)?;
    let mut rows = statement.query([session_id])?;
    let mut events = Vec::new();
    while let Some(row) = rows.next()? {
        let (line, text, packed): (i64, Option<String>, Option<Vec<u8>>) =
            (row.get(0)?, row.get(1)?, row.get(2)?);
        match (text, packed) {
            (Some(text), _) => events.push(text),
            (None, Some(packed)) => events.push(unpacked(&packed).ok_or(DatabaseError::Packed { line })?),
            (None, None) => {}
        }
    }
    Ok(events)
}

fn unpacked(packed: &[u8]) -> Option<String> {
    let decoder = ruzstd::decoding::StreamingDecoder::new(packed).ok()?;
    let mut text = String::new();
    decoder.take(MAX_LINE).read_to_string(&mut text).ok()?;
    Some(text)
}
