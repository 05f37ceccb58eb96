//! Reading a conversation: the path from the leaf towards the root, by the index, and then only its bytes.
//!
//! Pure reading; when index and file disagree the answer is [`Answer::NotIndexed`] and the writer mends it.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::PathBuf;

use homard_protocol::{AgentId, Entry, EntryId, EntryKind, Message, SessionId};
use rusqlite::{Connection, OptionalExtension, params};

use super::{Context, Page, PageEntry, PageQuery, TranscriptError};
use crate::engine::layout::Layout;
use crate::engine::reader::ReadCx;
use crate::engine::writer::Batch;
use crate::store::{StoreError, parse_column};

/// Entries closer together than this are fetched in one read.
const MAX_GAP: u64 = 4096;
/// Most bytes fetched in one read, unless a single entry is larger.
const MAX_READ: u64 = 4 * 1024 * 1024;

pub(super) const TOWARDS_ROOT: &str = "SELECT seq, parent_seq, kind, message_no, first_kept_seq, offset, len
     FROM transcript_entries WHERE transcript = ?1 AND seq <= ?2 ORDER BY seq DESC";

/// How far the index is trusted.
#[derive(Debug, Clone, Copy)]
pub(super) enum Check {
    /// Only if it ends where the file ends.
    Length,
    /// Wholly: the writer has just looked.
    Nothing,
}

/// What came of a question.
pub(super) enum Answer<T> {
    Here(T),
    NotIndexed,
}

/// A transcript as the index knows it.
pub(super) struct Transcript<'a> {
    pub(super) conn: &'a Connection,
    pub(super) id: i64,
    path: PathBuf,
    pub(super) last_seq: i64,
    leaf: Option<EntryId>,
    messages: i64,
}

/// Finds a session's transcript and asks it something.
pub(super) fn with_transcript<T>(
    cx: &ReadCx<'_>,
    session_id: &SessionId,
    check: Check,
    ask: impl FnOnce(&Transcript<'_>) -> Result<T, StoreError>,
) -> Result<Answer<T>, StoreError> {
    let Some((transcript, end)) = find(cx.conn, cx.layout, session_id)? else {
        return Ok(Answer::NotIndexed);
    };
    if matches!(check, Check::Length)
        && !std::fs::metadata(&transcript.path).is_ok_and(|meta| meta.len() == end)
    {
        return Ok(Answer::NotIndexed);
    }
    ask(&transcript).map(Answer::Here)
}

/// The last `n` messages as the writer sees them, uncommitted ones included; newest first.
pub(crate) fn tail_in_writer(
    batch: &Batch<'_>,
    session_id: &SessionId,
    n: usize,
) -> Result<Vec<Message>, StoreError> {
    let Some((transcript, _end)) = find(batch.conn, batch.layout, session_id)? else { return Ok(Vec::new()) };
    let query = PageQuery { limit: n, ..PageQuery::default() };
    let page = page(&transcript, &query, is_message)?;
    let messages = page.entries.into_iter().rev().filter_map(|found| match found.entry.kind {
        EntryKind::Message { message } => Some(message),
        _ => None,
    });
    Ok(messages.collect())
}

fn find<'a>(
    conn: &'a Connection,
    layout: &Layout,
    session_id: &SessionId,
) -> Result<Option<(Transcript<'a>, u64)>, StoreError> {
    type Columns = (i64, String, String, i64, i64, Option<String>, i64);
    let columns: Option<Columns> = conn
        .prepare_cached(
            "SELECT id, agent_id, file, end_offset, last_seq, leaf_id, messages FROM transcripts WHERE session_id = ?1",
        )?
        .query_row([session_id.as_str()], |row| row.try_into())
        .optional()?;
    let Some((id, agent, file, end, last_seq, leaf, messages)) = columns else { return Ok(None) };
    let agent: AgentId = parse_column("agent_id", &agent)?;
    let leaf = leaf.map(|leaf| parse_column("leaf_id", &leaf)).transpose()?;
    let path = layout.transcript(&agent, &file);
    Ok(Some((Transcript { conn, id, path, last_seq, leaf, messages }, end.unsigned_abs())))
}

/// One entry by its id.
pub(super) fn entry(transcript: &Transcript<'_>, id: &EntryId) -> Result<Option<PageEntry>, StoreError> {
    let Some((seq, _messages)) = super::files::seq_of(transcript.conn, transcript.id, id.as_str())? else {
        return Ok(None);
    };
    at(transcript, seq)
}

/// Everything from the root to the entry at `seq`, oldest first.
pub(super) fn path_to(transcript: &Transcript<'_>, seq: i64) -> Result<Vec<PageEntry>, StoreError> {
    let mut rows = Vec::new();
    transcript.walk(Some(seq), |row| {
        rows.push(row);
        Step::On
    })?;
    rows.reverse();
    transcript.entries(&rows)
}

/// The entry at `seq`.
pub(super) fn at(transcript: &Transcript<'_>, seq: i64) -> Result<Option<PageEntry>, StoreError> {
    let mut row = None;
    transcript.walk(Some(seq), |found| {
        row = Some(found);
        Step::Stop
    })?;
    Ok(transcript.entries(row.as_slice())?.into_iter().next())
}

/// One row of the index.
pub(super) struct Row {
    seq: i64,
    parent_seq: Option<i64>,
    kind: String,
    message_no: i64,
    first_kept_seq: Option<i64>,
    offset: u64,
    len: u64,
}

/// Whether to go on towards the root.
enum Step {
    On,
    Stop,
}

impl Transcript<'_> {
    /// Visits the entries from `from` towards the root.
    fn walk(&self, from: Option<i64>, mut visit: impl FnMut(Row) -> Step) -> Result<(), StoreError> {
        let Some(mut wanted) = from else { return Ok(()) };
        let mut statement = self.conn.prepare_cached(TOWARDS_ROOT)?;
        let mut rows = statement.query(params![self.id, wanted])?;
        while let Some(row) = rows.next()? {
            // Entries of branches that were left lie between.
            if row.get::<_, i64>(0)? != wanted {
                continue;
            }
            let row = Row {
                seq: wanted,
                parent_seq: row.get(1)?,
                kind: row.get(2)?,
                message_no: row.get(3)?,
                first_kept_seq: row.get(4)?,
                offset: row.get::<_, i64>(5)?.unsigned_abs(),
                len: row.get::<_, i64>(6)?.unsigned_abs(),
            };
            let parent = row.parent_seq;
            match (visit(row), parent) {
                (Step::On, Some(parent)) => wanted = parent,
                _ => return Ok(()),
            }
        }
        Ok(())
    }

    fn leaf_seq(&self) -> Option<i64> {
        (self.last_seq > 0).then_some(self.last_seq)
    }

    /// Reads the entries of `rows`, which must be in file order. One that is damaged is left out.
    fn entries(&self, rows: &[Row]) -> Result<Vec<PageEntry>, StoreError> {
        let mut entries = Vec::with_capacity(rows.len());
        if rows.is_empty() {
            return Ok(entries);
        }
        let read_error = |source| TranscriptError::Read { path: self.path.clone(), source };
        let mut file = File::open(&self.path).map_err(read_error)?;
        let mut rest = rows;
        let mut bytes = Vec::new();
        while let Some(first) = rest.first() {
            let (run, end) = contiguous(rest);
            let (now, later) = rest.split_at(run);
            bytes.resize(usize::try_from(end - first.offset).unwrap_or(0), 0);
            let fetched = file.seek(SeekFrom::Start(first.offset)).and_then(|_| file.read_exact(&mut bytes));
            fetched.map_err(read_error)?;
            entries.extend(now.iter().filter_map(|row| self.entry(row, &bytes, first.offset)));
            rest = later;
        }
        Ok(entries)
    }

    fn entry(&self, row: &Row, bytes: &[u8], base: u64) -> Option<PageEntry> {
        let start = usize::try_from(row.offset.checked_sub(base)?).ok()?;
        let end = start.checked_add(usize::try_from(row.len).ok()?)?;
        match serde_json::from_slice::<Entry>(bytes.get(start..end)?) {
            Ok(entry) => Some(PageEntry { seq: row.seq, entry }),
            Err(error) => {
                tracing::warn!(path = %self.path.display(), offset = row.offset, %error, "an entry is damaged");
                None
            }
        }
    }
}

/// How many of the first rows one read should fetch, and where it ends.
fn contiguous(rows: &[Row]) -> (usize, u64) {
    let Some(first) = rows.first() else { return (0, 0) };
    let mut end = first.offset + first.len;
    let mut run = 1;
    for row in rows.iter().skip(1) {
        let row_end = row.offset + row.len;
        if row.offset < end || row.offset - end > MAX_GAP || row_end - first.offset > MAX_READ {
            break;
        }
        end = row_end;
        run += 1;
    }
    (run, end)
}

/// Builds what a model is told.
pub(super) fn context(transcript: &Transcript<'_>) -> Result<Context, StoreError> {
    let mut kept = Vec::new();
    let mut compaction: Option<Row> = None;
    transcript.walk(transcript.leaf_seq(), |row| match row.kind.as_str() {
        "compaction" => {
            compaction = Some(row);
            Step::Stop
        }
        // Later versions draw a line here: what is above it is no longer told.
        "reset" => Step::Stop,
        _ => {
            kept.push(row);
            Step::On
        }
    })?;
    if let Some(compaction) = &compaction {
        kept.extend(kept_verbatim(transcript, compaction)?);
    }
    kept.reverse();
    let (summary, summary_details) = match &compaction {
        Some(row) => {
            let found = transcript.entries(std::slice::from_ref(row))?.pop();
            match found.map(|found| found.entry.kind) {
                Some(EntryKind::Compaction { summary, details, .. }) => (Some(summary), details),
                _ => (None, None),
            }
        }
        None => (None, None),
    };
    let entries = transcript.entries(&kept)?.into_iter().map(|found| found.entry).collect();
    Ok(Context {
        summary,
        summary_details,
        entries,
        leaf: transcript.leaf.clone(),
        last_seq: transcript.last_seq,
    })
}

/// What stands between a compaction's first kept entry and the compaction, newest first.
fn kept_verbatim(transcript: &Transcript<'_>, compaction: &Row) -> Result<Vec<Row>, StoreError> {
    let Some(first) = compaction.first_kept_seq else { return Ok(Vec::new()) };
    let mut kept = Vec::new();
    let mut reached = false;
    transcript.walk(compaction.parent_seq.filter(|&seq| seq >= first), |row| {
        let (seq, parent) = (row.seq, row.parent_seq);
        reached |= seq == first;
        // An older compaction's summary is part of the newer one.
        if row.kind != "compaction" {
            kept.push(row);
        }
        if parent.is_some_and(|parent| parent >= first) { Step::On } else { Step::Stop }
    })?;
    // The first kept entry is on a branch that was left: nothing is verbatim.
    Ok(if reached { kept } else { Vec::new() })
}

/// Whether people are shown this kind of entry.
pub(super) fn is_shown(row: &Row) -> bool {
    is_shown_kind(&row.kind)
}

/// The same of a word in the index.
pub(super) fn is_shown_kind(kind: &str) -> bool {
    matches!(kind, "message" | "aside" | "custom_message" | "compaction" | "branch_summary")
}

/// Whether it is something that was said.
pub(super) fn is_message(row: &Row) -> bool {
    row.kind == "message"
}

/// Collects a page of the entries `wanted` picks.
pub(super) fn page(
    transcript: &Transcript<'_>,
    query: &PageQuery,
    wanted: fn(&Row) -> bool,
) -> Result<Page, StoreError> {
    let from = match query.before_seq {
        Some(seq) => before(transcript, seq)?,
        None => transcript.leaf_seq(),
    };
    let mut rows: Vec<Row> = Vec::new();
    let mut to_skip = query.offset;
    let mut has_more = false;
    transcript.walk(from, |row| {
        if !wanted(&row) {
            // With no message above, nothing older is worth walking for.
            return if row.message_no == 0 && rows.len() >= query.limit { Step::Stop } else { Step::On };
        }
        if to_skip > 0 {
            to_skip -= 1;
            return Step::On;
        }
        if rows.len() >= query.limit {
            has_more = true;
            return Step::Stop;
        }
        rows.push(row);
        Step::On
    })?;
    rows.reverse();
    let entries = transcript.entries(&rows)?;
    Ok(Page { entries, total_messages: transcript.messages.unsigned_abs(), has_more })
}

/// The entry a page that ends before `seq` begins with.
fn before(transcript: &Transcript<'_>, seq: i64) -> Result<Option<i64>, StoreError> {
    let parent: Option<Option<i64>> = transcript
        .conn
        .prepare_cached("SELECT parent_seq FROM transcript_entries WHERE transcript = ?1 AND seq = ?2")?
        .query_row([transcript.id, seq], |row| row.get(0))
        .optional()?;
    // A place beyond the end means the newest.
    Ok(parent.unwrap_or_else(|| transcript.leaf_seq().filter(|&last| last < seq)))
}
