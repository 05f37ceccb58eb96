//! Finding what was said: a full-text index over what people and models wrote.
//!
//! The index follows the transcripts at leisure: the writer reads a little whenever it has nothing else to do,
//! and a search has it read what is still missing. It holds words only; what is shown of a hit is read from the
//! file. `index` fills it, `words` knows what a word is.

mod index;
mod words;

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};

use homard_protocol::{AgentId, Entry, EntryId, EntryKind, Message, SessionId, SessionKey};
use homard_runtime::Timestamp;
use rusqlite::types::Value;
use rusqlite::{OptionalExtension, params, params_from_iter};

use crate::engine::reader::ReadCx;
use crate::sessions::{ArchivedFilter, Filter, SessionQuery};
use crate::store::{Store, StoreError, parse_column};

pub(crate) use index::{forget_from, forget_swept, read_some};

/// How many bits of an index row are the entry's place; the rest is the transcript.
const SEQ_BITS: u32 = 24;
/// Slices of missing transcripts one search has the writer read; more is told as still being read.
const SLICES: usize = 40;
/// Most hits of one search.
const MAX_HITS: usize = 200;

/// What is looked for.
#[derive(Debug, Clone, Default)]
pub struct SearchQuery {
    /// Words, some of which are enough, as in a question; `"in quotes"` in this order. What has more and rarer ones is told
    /// first.
    pub text: String,
    /// Most hits wanted; 0 means 20.
    pub limit: usize,
    /// In which sessions; paging and sorting are left alone.
    pub within: SessionQuery,
}

/// One message that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchHit {
    pub session_key: SessionKey,
    pub session_id: SessionId,
    /// Which entry of it.
    pub entry_id: EntryId,
    pub role: String,
    /// When it was said.
    pub timestamp: Timestamp,
    /// The words around the first one found.
    pub snippet: String,
    /// How well it fits; more is better.
    pub score: f64,
}

/// What was found.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SearchPage {
    /// The hits, the best first.
    pub hits: Vec<SearchHit>,
    /// Whether there are more than were wanted.
    pub truncated: bool,
    /// Whether transcripts are still being read, so that something may be missing.
    pub indexing: bool,
}

/// The index over what was said: [`Store::search`].
#[derive(Debug, Clone, Copy)]
pub struct SearchStore<'a> {
    pub(crate) store: &'a Store,
}

impl SearchStore<'_> {
    /// Looks for words in what was said. Conversations that were deleted or reset are not looked at.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn find(self, query: SearchQuery) -> Result<SearchPage, StoreError> {
        let Some(expression) = words::expression(&query.text) else {
            return Ok(SearchPage::default());
        };
        let mut indexing = true;
        for _slice in 0..SLICES {
            indexing = self.store.write(read_some).await?;
            if !indexing {
                break;
            }
        }
        let mut page = self.store.read(move |cx| find(cx, &query, expression)).await?;
        page.indexing = indexing;
        Ok(page)
    }

    /// Throws the index away; it is read anew.
    ///
    /// # Errors
    /// When the write is not committed.
    pub async fn rebuild(self) -> Result<(), StoreError> {
        self.store.write(index::start_over).await
    }
}

/// A row the index points at.
struct Place {
    row: i64,
    rank: f64,
    agent: AgentId,
    file: String,
    session_id: SessionId,
    key: SessionKey,
}

fn find(cx: &ReadCx<'_>, query: &SearchQuery, expression: String) -> Result<SearchPage, StoreError> {
    let limit = if query.limit == 0 { 20 } else { query.limit.min(MAX_HITS) };
    let needles = words::needles(&query.text);
    let mut page = SearchPage::default();
    for place in places(cx, query, expression, limit + 1)? {
        if page.hits.len() == limit {
            page.truncated = true;
            break;
        }
        if let Some(hit) = hit(cx, place, &needles)? {
            page.hits.push(hit);
        }
    }
    Ok(page)
}

fn places(
    cx: &ReadCx<'_>,
    query: &SearchQuery,
    expression: String,
    limit: usize,
) -> Result<Vec<Place>, StoreError> {
    let mut filter = Filter::all(&query.within);
    filter.values.push(Value::Text(expression));
    let archived = match query.within.archived {
        ArchivedFilter::Active => "archived = 0",
        ArchivedFilter::Archived => "archived = 1",
        ArchivedFilter::All => "1",
    };
    let sql = format!(
        "SELECT transcript_words.rowid, rank, t.agent_id, t.file, t.session_id, s.key
         FROM transcript_words
         JOIN transcripts t ON t.id = transcript_words.rowid >> {SEQ_BITS}
         JOIN sessions s ON s.session_id = t.session_id
         WHERE transcript_words MATCH ?{}
           AND s.id IN (SELECT id FROM sessions WHERE {archived}{})
         ORDER BY rank LIMIT {limit}",
        filter.values.len(),
        filter.sql,
    );
    // Without conditions the inner question would only cost time.
    let sql = if filter.sql.is_empty() {
        sql.replace(" AND s.id IN (SELECT id FROM sessions WHERE 1)", "")
    } else {
        sql
    };
    let mut statement = cx.conn.prepare(&sql)?;
    let mut rows = statement.query(params_from_iter(filter.values))?;
    let mut places = Vec::new();
    while let Some(row) = rows.next()? {
        places.push(Place {
            row: row.get(0)?,
            rank: row.get(1)?,
            agent: parse_column("agent_id", &row.get::<_, String>(2)?)?,
            file: row.get(3)?,
            session_id: parse_column("session_id", &row.get::<_, String>(4)?)?,
            key: parse_column("key", &row.get::<_, String>(5)?)?,
        });
    }
    Ok(places)
}

/// Reads a hit from its file; `None` when the file is no longer what the index knows.
fn hit(cx: &ReadCx<'_>, place: Place, needles: &[String]) -> Result<Option<SearchHit>, StoreError> {
    let (transcript, seq) = (place.row >> SEQ_BITS, place.row & ((1 << SEQ_BITS) - 1));
    let found: Option<(i64, i64)> = cx
        .conn
        .prepare_cached("SELECT offset, len FROM transcript_entries WHERE transcript = ?1 AND seq = ?2")?
        .query_row(params![transcript, seq], |row| row.try_into())
        .optional()?;
    let Some((offset, len)) = found else { return Ok(None) };
    let path = cx.layout.transcript(&place.agent, &place.file);
    let read = || -> std::io::Result<Vec<u8>> {
        let mut file = File::open(&path)?;
        file.seek(SeekFrom::Start(offset.unsigned_abs()))?;
        let mut bytes = vec![0; usize::try_from(len).unwrap_or(0)];
        file.read_exact(&mut bytes)?;
        Ok(bytes)
    };
    let Ok(bytes) = read() else { return Ok(None) };
    let Ok(Entry { id, kind: EntryKind::Message { message }, .. }) = serde_json::from_slice(&bytes) else {
        return Ok(None);
    };
    let (role, timestamp) = match &message {
        Message::User(said) => ("user", said.timestamp),
        Message::Assistant(said) => ("assistant", said.timestamp),
        Message::ToolResult(_) | Message::Other(_) => return Ok(None),
    };
    Ok(Some(SearchHit {
        session_key: place.key,
        session_id: place.session_id,
        entry_id: id,
        role: role.to_owned(),
        timestamp,
        snippet: words::snippet(&message.text(), needles),
        score: -place.rank,
    }))
}

#[cfg(test)]
mod tests;
