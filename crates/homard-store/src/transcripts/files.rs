//! Open transcript files and appending to them; used by the writer thread only.
//!
//! A file in [`OpenFiles`] is known to agree with its index. Files are forgotten on any rollback and read
//! back from the tables, so memory never knows more than disk.

use std::collections::HashMap;
use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use homard_protocol::transcript::{HeaderTag, TRANSCRIPT_VERSION};
use homard_protocol::{AgentId, Entry, EntryId, EntryKind, Message, SessionHeader, SessionId};
use homard_runtime::create_private_dir;
use rusqlite::{Connection, OptionalExtension, params};

use super::{Appended, PageEntry, TranscriptError, scan};
use crate::effects::NewEntries;
use crate::engine::layout::{Layout, is_plain_name, open_private_file, transcript_file_name};
use crate::engine::writer::Batch;
use crate::search;
use crate::store::{StoreError, parse_column};

/// Most transcript files kept open.
const MAX_OPEN: usize = 256;
/// Index rows swept in one chore.
const SWEEP_ROWS: i64 = 500;
/// Tries to find an unused entry id; a file would need billions of entries to run out.
const ID_TRIES: usize = 16;

/// Left to itself SQLite prefers the primary key, whose order it likes, and walks the whole transcript.
pub(super) const SEQ_OF: &str =
    "SELECT seq, message_no FROM transcript_entries INDEXED BY transcript_entry_ids
     WHERE transcript = ?1 AND entry_id = ?2 ORDER BY seq DESC LIMIT 1";

/// The writer's open transcripts, least recently used forgotten first.
#[derive(Debug)]
pub(crate) struct OpenFiles {
    open: HashMap<SessionId, OpenTranscript>,
    tick: u64,
    garbage: bool,
    /// The session row behind which nobody has looked for transcripts since the start; `None` when all were.
    unlooked: Option<i64>,
}

impl Default for OpenFiles {
    fn default() -> Self {
        Self { open: HashMap::new(), tick: 0, garbage: false, unlooked: Some(0) }
    }
}

/// One open transcript and the place its next entry goes.
#[derive(Debug)]
pub(super) struct OpenTranscript {
    pub(super) id: i64,
    pub(super) path: PathBuf,
    pub(super) file: File,
    pub(super) end: u64,
    pub(super) last_seq: i64,
    pub(super) leaf: Option<EntryId>,
    pub(super) messages: i64,
    used: u64,
}

impl OpenFiles {
    /// Closes everything, after a rollback.
    pub(crate) fn forget_all(&mut self) {
        self.open.clear();
    }

    /// Whether rows were orphaned since this was last asked.
    pub(crate) fn take_garbage_hint(&mut self) -> bool {
        std::mem::take(&mut self.garbage)
    }

    /// Where to go on looking for transcripts that were never opened.
    pub(crate) fn unlooked(&self) -> Option<i64> {
        self.unlooked
    }

    /// Remembers how far that got.
    pub(crate) fn looked_to(&mut self, row: Option<i64>) {
        self.unlooked = row;
    }

    fn insert(&mut self, session_id: SessionId, transcript: OpenTranscript) {
        if self.open.len() >= MAX_OPEN {
            let oldest = self.open.iter().min_by_key(|(_, t)| t.used).map(|(id, _)| id.clone());
            if let Some(oldest) = oldest {
                self.open.remove(&oldest);
            }
        }
        self.open.insert(session_id, transcript);
    }

    /// The transcript, if it is open and nobody else changed its file.
    fn current(&mut self, session_id: &SessionId) -> Option<&mut OpenTranscript> {
        self.tick = self.tick.wrapping_add(1);
        let transcript = self.open.get_mut(session_id)?;
        transcript.used = self.tick;
        let same = transcript.file.metadata().is_ok_and(|meta| meta.len() == transcript.end);
        same.then_some(transcript)
    }
}

/// The transcript of a session that [`ensure_ready`] has opened.
pub(super) fn open<'a>(files: &'a mut OpenFiles, session_id: &SessionId) -> Option<&'a mut OpenTranscript> {
    files.open.get_mut(session_id)
}

/// Appends entries, all or none.
pub(crate) fn append(
    batch: &mut Batch<'_>,
    session_id: &SessionId,
    kinds: Vec<EntryKind>,
) -> Result<Vec<Appended>, StoreError> {
    append_under(batch, session_id, Under::Leaf, kinds.into_iter().map(NewEntry::Said).collect())
}

/// What appended entries follow.
pub(super) enum Under {
    /// What was appended last.
    Leaf,
    /// Another entry, so that a branch begins; `None` for the very beginning.
    Entry(Option<EntryId>),
}

/// Something to append.
pub(super) enum NewEntry {
    Said(EntryKind),
    /// Said before, elsewhere: it keeps its id and its time, and nobody is told of it.
    Copied(Entry),
}

/// The entry that the next one follows.
struct Parent {
    id: Option<EntryId>,
    seq: Option<i64>,
    messages: i64,
}

impl Parent {
    fn find(conn: &Connection, transcript: &mut OpenTranscript, under: Under) -> Result<Self, StoreError> {
        let seq = (transcript.last_seq > 0).then_some(transcript.last_seq);
        match under {
            Under::Leaf => Ok(Self { id: transcript.leaf.take(), seq, messages: transcript.messages }),
            Under::Entry(None) => Ok(Self { id: None, seq: None, messages: 0 }),
            Under::Entry(Some(id)) => match seq_of(conn, transcript.id, id.as_str())? {
                Some((seq, messages)) => Ok(Self { id: Some(id), seq: Some(seq), messages }),
                None => Err(StoreError::UnknownEntry(id)),
            },
        }
    }
}

/// Appends entries below another than the last, or copies of others.
pub(super) fn append_under(
    batch: &mut Batch<'_>,
    session_id: &SessionId,
    under: Under,
    entries: Vec<NewEntry>,
) -> Result<Vec<Appended>, StoreError> {
    ensure_ready(batch, session_id, "")?;
    let timestamp = batch.clock.now_rfc3339();
    let Some(transcript) = batch.files.open.get_mut(session_id) else {
        return Err(StoreError::UnknownSession(session_id.clone()));
    };
    let mut bytes = Vec::with_capacity(512);
    let mut appended = Vec::with_capacity(entries.len());
    let mut told = batch.effects.is_watched().then(Vec::new);
    let mut parent = Parent::find(batch.conn, transcript, under)?;
    for new in entries {
        let is_said = matches!(new, NewEntry::Said(_));
        let entry = match new {
            NewEntry::Said(kind) => {
                let id = fresh_id(batch.conn, transcript.id)?;
                Entry { id, parent_id: parent.id.take(), timestamp: timestamp.clone(), kind }
            }
            NewEntry::Copied(entry) => Entry { parent_id: parent.id.take(), ..entry },
        };
        let start = bytes.len();
        serde_json::to_writer(&mut bytes, &entry)
            .map_err(|source| StoreError::Encode { what: "entry", source })?;
        bytes.push(b'\n');
        let row = IndexRow {
            entry_id: entry.id.as_str(),
            parent_seq: parent.seq,
            parent_messages: parent.messages,
            kind: entry.kind.tag(),
            role: role(&entry.kind),
            first_kept: first_kept(&entry.kind),
            offset: transcript.end + start as u64,
            len: (bytes.len() - start) as u64,
        };
        transcript.index(batch.conn, &row)?;
        appended.push(Appended { entry_id: entry.id.clone(), seq: transcript.last_seq });
        transcript.leaf = Some(entry.id.clone());
        parent = Parent {
            id: Some(entry.id.clone()),
            seq: Some(transcript.last_seq),
            messages: transcript.messages,
        };
        if let Some(told) = told.as_mut().filter(|_| is_said) {
            told.push(PageEntry { seq: transcript.last_seq, entry });
        }
    }
    batch.effects.appended(transcript.path.clone(), transcript.end);
    transcript.write(&bytes)?;
    transcript.save(batch.conn)?;
    if let Some(entries) = told.filter(|told| !told.is_empty()) {
        batch.effects.tell_after(NewEntries { session_id: session_id.clone(), entries });
    }
    Ok(appended)
}

/// One line of the index, before it has a place.
pub(super) struct IndexRow<'a> {
    pub(super) entry_id: &'a str,
    pub(super) parent_seq: Option<i64>,
    pub(super) parent_messages: i64,
    pub(super) kind: &'a str,
    pub(super) role: Option<&'a str>,
    pub(super) first_kept: Option<&'a str>,
    pub(super) offset: u64,
    pub(super) len: u64,
}

impl OpenTranscript {
    /// Adds a row to the index and moves the leaf's numbers to it.
    pub(super) fn index(&mut self, conn: &Connection, row: &IndexRow<'_>) -> Result<(), StoreError> {
        let first_kept_seq = match row.first_kept {
            Some(id) => seq_of(conn, self.id, id)?.map(|(seq, _messages)| seq),
            None => None,
        };
        self.last_seq += 1;
        self.messages = row.parent_messages + i64::from(row.kind == "message");
        conn.prepare_cached(
            "INSERT INTO transcript_entries VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
        )?
        .execute(params![
            self.id,
            self.last_seq,
            row.entry_id,
            row.parent_seq,
            row.kind,
            row.role,
            self.messages,
            first_kept_seq,
            signed(row.offset),
            signed(row.len),
        ])?;
        Ok(())
    }

    /// Writes at the end and remembers the new end; a failed write leaves the file as it was.
    pub(super) fn write(&mut self, bytes: &[u8]) -> Result<(), StoreError> {
        let end = self.end;
        let written = self.file.seek(SeekFrom::Start(end)).and_then(|_| self.file.write_all(bytes));
        if let Err(source) = written {
            return Err(TranscriptError::Write { path: self.path.clone(), source }.into());
        }
        self.end = end + bytes.len() as u64;
        Ok(())
    }

    /// Writes the summary row.
    pub(super) fn save(&self, conn: &Connection) -> Result<(), StoreError> {
        conn.prepare_cached(
            "UPDATE transcripts SET end_offset = ?2, last_seq = ?3, leaf_id = ?4, messages = ?5 WHERE id = ?1",
        )?
        .execute(params![
            self.id,
            signed(self.end),
            self.last_seq,
            self.leaf.as_ref().map(EntryId::as_str),
            self.messages
        ])?;
        // Named only where it changes: the index over it would be written with every entry.
        conn.prepare_cached("UPDATE transcripts SET unread = 1 WHERE id = ?1 AND unread = 0")?
            .execute([self.id])?;
        Ok(())
    }
}

/// Makes sure the session's transcript is open and agrees with its index, making the file if there is none.
pub(crate) fn ensure_ready(
    batch: &mut Batch<'_>,
    session_id: &SessionId,
    cwd: &str,
) -> Result<(), StoreError> {
    ensure_begun(batch, session_id, cwd, None)
}

/// The same; a file that is made says which transcript it was copied from.
pub(super) fn ensure_begun(
    batch: &mut Batch<'_>,
    session_id: &SessionId,
    cwd: &str,
    copied_from: Option<&SessionId>,
) -> Result<(), StoreError> {
    if batch.files.current(session_id).is_some() {
        return Ok(());
    }
    batch.files.open.remove(session_id);
    let row = match load(batch.conn, session_id)? {
        Some(row) => row,
        None => {
            let home = from_session_row(batch.conn, batch.layout, session_id)?
                .ok_or_else(|| StoreError::UnknownSession(session_id.clone()))?;
            insert_row(batch.conn, session_id, home)?
        }
    };
    let mut transcript = open_row(batch, row)?;
    if transcript.end == 0 && file_len(&transcript)? == 0 {
        batch.effects.created(transcript.path.clone());
        let header = SessionHeader {
            kind: HeaderTag::Session,
            version: TRANSCRIPT_VERSION,
            id: session_id.clone(),
            timestamp: batch.clock.now_rfc3339(),
            cwd: cwd.to_owned(),
            parent_session: copied_from.map(ToString::to_string),
        };
        transcript.write(&header_line(&header)?)?;
        transcript.save(batch.conn)?;
    }
    batch.files.insert(session_id.clone(), transcript);
    Ok(())
}

/// Indexes a transcript for reading: unlike [`ensure_ready`] it makes no file, and finds files that no session
/// row names (other software, or a copied folder).
pub(crate) fn ensure_indexed(batch: &mut Batch<'_>, session_id: &SessionId) -> Result<(), StoreError> {
    if batch.files.current(session_id).is_some() {
        return Ok(());
    }
    batch.files.open.remove(session_id);
    let row = match load(batch.conn, session_id)? {
        Some(row) => row,
        None => {
            let home = match from_session_row(batch.conn, batch.layout, session_id)? {
                Some(home) => Some(home),
                None => from_folders(batch.layout, session_id)?,
            };
            match home {
                Some(home) if batch.layout.transcript(&home.agent, &home.file).is_file() => {
                    insert_row(batch.conn, session_id, home)?
                }
                _ => return Ok(()),
            }
        }
    };
    if !batch.layout.transcript(&row.home.agent, &row.home.file).is_file() {
        return orphan(batch, row.id);
    }
    let transcript = open_row(batch, row)?;
    batch.files.insert(session_id.clone(), transcript);
    Ok(())
}

/// Lets go of a session's transcript: its index rows are swept later. Returns the file, if there is one.
pub(crate) fn discard(batch: &mut Batch<'_>, session_id: &SessionId) -> Result<Option<PathBuf>, StoreError> {
    batch.files.open.remove(session_id);
    let home = match load(batch.conn, session_id)? {
        Some(row) => {
            orphan(batch, row.id)?;
            Some(row.home)
        }
        None => from_session_row(batch.conn, batch.layout, session_id)?,
    };
    let path = home.map(|home| batch.layout.transcript(&home.agent, &home.file));
    Ok(path.filter(|path| path.is_file()))
}

/// The leaf, when there is one.
pub(crate) fn leaf(batch: &Batch<'_>, session_id: &SessionId) -> Option<Appended> {
    let transcript = batch.files.open.get(session_id)?;
    Some(Appended { entry_id: transcript.leaf.clone()?, seq: transcript.last_seq })
}

/// Deletes a slice of what [`discard`] left; `true` when there may be more.
pub(crate) fn sweep_garbage(conn: &Connection) -> Result<bool, StoreError> {
    let mut find = conn.prepare_cached("SELECT id FROM transcripts WHERE session_id IS NULL LIMIT 1")?;
    let Some(id) = find.query_row([], |row| row.get::<_, i64>(0)).optional()? else { return Ok(false) };
    search::forget_swept(conn, id, SWEEP_ROWS)?;
    let deleted = conn
        .prepare_cached(
            "DELETE FROM transcript_entries WHERE transcript = ?1 AND seq IN
             (SELECT seq FROM transcript_entries WHERE transcript = ?1 ORDER BY seq LIMIT ?2)",
        )?
        .execute([id, SWEEP_ROWS])?;
    if deleted == 0 {
        conn.prepare_cached("DELETE FROM transcripts WHERE id = ?1")?.execute([id])?;
    }
    Ok(true)
}

/// Where a transcript lies.
struct Home {
    agent: AgentId,
    file: String,
}

struct Row {
    id: i64,
    home: Home,
    end: u64,
    last_seq: i64,
    leaf: Option<EntryId>,
    messages: i64,
}

fn load(conn: &Connection, session_id: &SessionId) -> Result<Option<Row>, StoreError> {
    type Columns = (i64, String, String, i64, i64, Option<String>, i64);
    let columns: Option<Columns> = conn
        .prepare_cached(
            "SELECT id, agent_id, file, end_offset, last_seq, leaf_id, messages FROM transcripts WHERE session_id = ?1",
        )?
        .query_row([session_id.as_str()], |row| row.try_into())
        .optional()?;
    let Some((id, agent, file, end, last_seq, leaf, messages)) = columns else { return Ok(None) };
    let leaf = leaf.map(|leaf| parse_column("leaf_id", &leaf)).transpose()?;
    let home = Home { agent: parse_column("agent_id", &agent)?, file };
    Ok(Some(Row { id, home, end: end.unsigned_abs(), last_seq, leaf, messages }))
}

fn insert_row(conn: &Connection, session_id: &SessionId, home: Home) -> Result<Row, StoreError> {
    conn.prepare_cached(
        "INSERT INTO transcripts (session_id, agent_id, file, end_offset, last_seq, messages) VALUES (?1, ?2, ?3, 0, 0, 0)",
    )?
    .execute(params![session_id.as_str(), home.agent.as_str(), home.file])?;
    Ok(Row { id: conn.last_insert_rowid(), home, end: 0, last_seq: 0, leaf: None, messages: 0 })
}

/// Opens a row's file and brings the index up to it.
fn open_row(batch: &mut Batch<'_>, row: Row) -> Result<OpenTranscript, StoreError> {
    let path = batch.layout.transcript(&row.home.agent, &row.home.file);
    let wrong = |source| StoreError::from_io(&path, source);
    if let Some(parent) = path.parent() {
        create_private_dir(parent).map_err(wrong)?;
    }
    let file = open_private_file(&path).map_err(wrong)?;
    let mut transcript = OpenTranscript {
        id: row.id,
        path: path.clone(),
        file,
        end: row.end,
        last_seq: row.last_seq,
        leaf: row.leaf,
        messages: row.messages,
        used: batch.files.tick,
    };
    let len = file_len(&transcript)?;
    if len == transcript.end {
        return Ok(transcript);
    }
    if len < transcript.end || !scan::begins_a_line(&mut transcript)? {
        // Somebody shortened or replaced the file: the index says nothing about it any more.
        tracing::warn!(path = %path.display(), "a transcript was changed from outside and is indexed anew");
        start_over(batch, &mut transcript)?;
    }
    scan::catch_up(batch, &mut transcript)?;
    transcript.save(batch.conn)?;
    Ok(transcript)
}

/// Gives a transcript a fresh index; the old rows are swept later.
fn start_over(batch: &mut Batch<'_>, transcript: &mut OpenTranscript) -> Result<(), StoreError> {
    let old = transcript.id;
    let sql = "SELECT session_id, agent_id, file FROM transcripts WHERE id = ?1";
    let (session_id, agent, file): (String, String, String) =
        batch.conn.prepare_cached(sql)?.query_row([old], |row| row.try_into())?;
    orphan(batch, old)?;
    let home = Home { agent: parse_column("agent_id", &agent)?, file };
    let row = insert_row(batch.conn, &parse_column("session_id", &session_id)?, home)?;
    (transcript.id, transcript.end, transcript.last_seq) = (row.id, 0, 0);
    (transcript.leaf, transcript.messages) = (None, 0);
    Ok(())
}

fn orphan(batch: &mut Batch<'_>, id: i64) -> Result<(), StoreError> {
    batch.files.garbage = true;
    batch.execute("UPDATE transcripts SET session_id = NULL WHERE id = ?1", [id])?;
    Ok(())
}

/// Where a session's row says its transcript is. Only names inside the agent's own folder are followed.
fn from_session_row(
    conn: &Connection,
    layout: &Layout,
    session_id: &SessionId,
) -> Result<Option<Home>, StoreError> {
    let found: Option<(String, Option<String>)> = conn
        .prepare_cached(
            "SELECT agent_id, json_extract(entry, '$.sessionFile') FROM sessions WHERE session_id = ?1",
        )?
        .query_row([session_id.as_str()], |row| row.try_into())
        .optional()?;
    let Some((agent, named)) = found else { return Ok(None) };
    let agent: AgentId = parse_column("agent_id", &agent)?;
    let named = named.as_deref().and_then(|path| Path::new(path).file_name()?.to_str().map(str::to_owned));
    let file = match named.filter(|name| is_plain_name(name) && layout.transcript(&agent, name).is_file()) {
        Some(name) => name,
        None => transcript_file_name(session_id)?,
    };
    Ok(Some(Home { agent, file }))
}

fn from_folders(layout: &Layout, session_id: &SessionId) -> Result<Option<Home>, StoreError> {
    let file = transcript_file_name(session_id)?;
    let agent = layout.agents().into_iter().find(|agent| layout.transcript(agent, &file).is_file());
    Ok(agent.map(|agent| Home { agent, file }))
}

fn header_line(header: &SessionHeader) -> Result<Vec<u8>, StoreError> {
    let mut line =
        serde_json::to_vec(header).map_err(|source| StoreError::Encode { what: "header", source })?;
    line.push(b'\n');
    Ok(line)
}

fn file_len(transcript: &OpenTranscript) -> Result<u64, StoreError> {
    let read = |source| TranscriptError::Read { path: transcript.path.clone(), source };
    Ok(transcript.file.metadata().map_err(read)?.len())
}

/// The place of an entry and the messages up to it; the last one when a foreign file repeats an id.
pub(super) fn seq_of(
    conn: &Connection,
    transcript: i64,
    entry_id: &str,
) -> Result<Option<(i64, i64)>, StoreError> {
    Ok(conn
        .prepare_cached(SEQ_OF)?
        .query_row(params![transcript, entry_id], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?)
}

/// Eight hex digits that no entry of the file has.
fn fresh_id(conn: &Connection, transcript: i64) -> Result<EntryId, StoreError> {
    let mut text = String::new();
    for _try in 0..ID_TRIES {
        text = format!("{:08x}", getrandom::u32().map_err(StoreError::NoRandomness)?);
        if seq_of(conn, transcript, &text)?.is_none() {
            break;
        }
    }
    parse_column("entry_id", &text)
}

fn role(kind: &EntryKind) -> Option<&str> {
    let EntryKind::Message { message } = kind else { return None };
    match message {
        Message::User(_) => Some("user"),
        Message::Assistant(_) => Some("assistant"),
        Message::ToolResult(_) => Some("toolResult"),
        Message::Other(value) => value.get("role")?.as_str(),
    }
}

fn first_kept(kind: &EntryKind) -> Option<&str> {
    match kind {
        EntryKind::Compaction { first_kept_entry_id, .. } => Some(first_kept_entry_id.as_str()),
        _ => None,
    }
}

/// SQLite integers are signed; a file of 2^63 bytes does not exist.
pub(super) fn signed(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}
