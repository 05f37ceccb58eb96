//! Reading lines the index does not know yet, and mending a file that has bad ones.
//!
//! A line is bad when it is neither a header nor an entry: torn by a crash, or damaged. The original is kept
//! beside the file before anything is rewritten. Only the part behind the index is looked at.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use homard_protocol::EntryId;
use homard_runtime::FileDraft;
use serde::Deserialize;

use super::TranscriptError;
use super::files::{IndexRow, OpenTranscript, seq_of};
use crate::engine::layout::open_private_file;
use crate::engine::writer::Batch;
use crate::runs::USER_KEY_END;
use crate::store::StoreError;

/// Longest line that is taken for an entry.
const MAX_LINE_BYTES: u64 = 64 * 1024 * 1024;

/// Whether the byte before the indexed end is a line's end, as it must be if the file is still the same one.
pub(super) fn begins_a_line(transcript: &mut OpenTranscript) -> Result<bool, StoreError> {
    let Some(last) = transcript.end.checked_sub(1) else { return Ok(true) };
    let mut byte = [0u8; 1];
    let read =
        transcript.file.seek(SeekFrom::Start(last)).and_then(|_| transcript.file.read_exact(&mut byte));
    read.map_err(|source| TranscriptError::Read { path: transcript.path.clone(), source })?;
    Ok(byte == *b"\n")
}

/// Indexes everything behind the indexed end, mending the file first when lines are bad.
pub(super) fn catch_up(batch: &Batch<'_>, transcript: &mut OpenTranscript) -> Result<(), StoreError> {
    let path = transcript.path.clone();
    let from = transcript.end;
    let mut tail = read_tail(&mut transcript.file, from)
        .map_err(|source| TranscriptError::Read { path: path.clone(), source })?;
    let write_error = |source| TranscriptError::Write { path: path.clone(), source };
    let unsaid = first_unsaid(batch, &tail)?;
    if let Some(offset) = unsaid {
        tail.lines.retain(|line| line.offset < offset);
        (tail.unended, tail.end) = (false, offset);
    }
    if tail.bad > 0 {
        let kept = backup_path(&path, batch.now());
        tracing::warn!(
            path = %path.display(), lines = tail.bad, original = %kept.display(),
            "a transcript had unreadable lines; they were left out and the original was kept"
        );
        transcript.file = rewrite(&path, &kept, from, &mut tail).map_err(write_error)?;
    } else if tail.unended {
        transcript
            .file
            .seek(SeekFrom::End(0))
            .and_then(|_| transcript.file.write_all(b"\n"))
            .map_err(write_error)?;
        tail.end += 1;
    } else if let Some(offset) = unsaid {
        transcript.file.set_len(offset).map_err(write_error)?;
    }
    for line in &tail.lines {
        index_line(batch, transcript, line)?;
    }
    transcript.end = tail.end;
    Ok(())
}

/// Where a message begins that a crash kept from being said: its line reached the file, the beginning of its turn did
/// not reach the database. The run waits still, and its message may by now be told together with others or alone; so
/// the line goes, with the notes written just before it, and nothing is told twice.
fn first_unsaid(batch: &Batch<'_>, tail: &Tail) -> Result<Option<u64>, StoreError> {
    let mut lines = tail.lines.iter().rev();
    let Some(last) = lines.next() else { return Ok(None) };
    let Some(run) = last.head.as_ref().and_then(|head| head.said_in.as_deref()) else { return Ok(None) };
    let waits: bool = batch
        .conn
        .prepare_cached("SELECT EXISTS (SELECT 1 FROM runs WHERE run_id = ?1 AND status = 'queued')")?
        .query_row([run], |row| row.get(0))?;
    if !waits {
        return Ok(None);
    }
    let notes = lines.take_while(|line| line.head.as_ref().is_some_and(|head| head.kind != "message"));
    Ok(Some(notes.last().unwrap_or(last).offset))
}

fn index_line(batch: &Batch<'_>, transcript: &mut OpenTranscript, line: &GoodLine) -> Result<(), StoreError> {
    let Some(head) = &line.head else { return Ok(()) };
    let previous = (transcript.last_seq > 0).then_some((transcript.last_seq, transcript.messages));
    let parent = match &head.parent {
        None => None,
        Some(id) if transcript.leaf.as_ref() == Some(id) => previous,
        // A parent that was lost with a bad line must not cut off everything before it.
        Some(id) => seq_of(batch.conn, transcript.id, id.as_str())?.or(previous),
    };
    let row = IndexRow {
        entry_id: head.id.as_str(),
        parent_seq: parent.map(|(seq, _messages)| seq),
        parent_messages: parent.map_or(0, |(_seq, messages)| messages),
        kind: &head.kind,
        role: head.role.as_deref(),
        first_kept: head.first_kept.as_deref(),
        offset: line.offset,
        len: line.len,
    };
    transcript.index(batch.conn, &row)?;
    transcript.leaf = Some(head.id.clone());
    Ok(())
}

/// What was found behind the index.
struct Tail {
    lines: Vec<GoodLine>,
    bad: usize,
    /// Whether the last line is good but has no line end.
    unended: bool,
    end: u64,
}

/// A line worth keeping; `head` is missing for headers and blank lines.
struct GoodLine {
    offset: u64,
    len: u64,
    head: Option<Head>,
}

/// What the index wants to know of an entry.
struct Head {
    id: EntryId,
    parent: Option<EntryId>,
    kind: String,
    role: Option<String>,
    /// The run in which a person said it, where it is what the run began with.
    said_in: Option<String>,
    first_kept: Option<String>,
}

fn read_tail(file: &mut File, from: u64) -> io::Result<Tail> {
    file.seek(SeekFrom::Start(from))?;
    let mut reader = BufReader::with_capacity(64 * 1024, file);
    let mut tail = Tail { lines: Vec::new(), bad: 0, unended: false, end: from };
    let mut line = Vec::new();
    loop {
        line.clear();
        let mut len = reader.by_ref().take(MAX_LINE_BYTES).read_until(b'\n', &mut line)? as u64;
        if len == 0 {
            return Ok(tail);
        }
        let too_long = len == MAX_LINE_BYTES && !line.ends_with(b"\n");
        if too_long {
            len += skip_line(&mut reader)?;
        }
        let parsed = if too_long { Parsed::Bad } else { parse(&line) };
        tail.unended = !line.ends_with(b"\n") && !matches!(parsed, Parsed::Bad);
        match parsed {
            Parsed::Bad => tail.bad += 1,
            Parsed::Other => tail.lines.push(GoodLine { offset: tail.end, len, head: None }),
            Parsed::Entry(head) => tail.lines.push(GoodLine { offset: tail.end, len, head: Some(head) }),
        }
        tail.end += len;
    }
}

fn skip_line(reader: &mut impl BufRead) -> io::Result<u64> {
    let mut skipped = 0u64;
    loop {
        let buffer = reader.fill_buf()?;
        let (used, done) = match buffer.iter().position(|&b| b == b'\n') {
            Some(at) => (at + 1, true),
            None => (buffer.len(), buffer.is_empty()),
        };
        reader.consume(used);
        skipped += used as u64;
        if done {
            return Ok(skipped);
        }
    }
}

enum Parsed {
    Entry(Head),
    /// A header or a blank line.
    Other,
    Bad,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct LineHead<'a> {
    #[serde(rename = "type", borrow)]
    kind: Cow<'a, str>,
    #[serde(borrow)]
    id: Option<Cow<'a, str>>,
    #[serde(borrow)]
    parent_id: Option<Cow<'a, str>>,
    #[serde(borrow)]
    timestamp: Option<Cow<'a, str>>,
}

#[derive(Deserialize)]
struct MessageLine {
    message: RoleOnly,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RoleOnly {
    role: String,
    #[serde(default)]
    idempotency_key: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct CompactionLine {
    first_kept_entry_id: String,
}

fn parse(line: &[u8]) -> Parsed {
    if line.iter().all(u8::is_ascii_whitespace) {
        return Parsed::Other;
    }
    let Ok(head) = serde_json::from_slice::<LineHead<'_>>(line) else { return Parsed::Bad };
    if head.kind == "session" {
        return Parsed::Other;
    }
    let (Some(id), Some(_timestamp)) = (head.id, head.timestamp) else { return Parsed::Bad };
    let Ok(id) = EntryId::parse(&id) else { return Parsed::Bad };
    let parent = match head.parent_id.map(|id| EntryId::parse(&id)) {
        None => None,
        Some(Ok(parent)) => Some(parent),
        Some(Err(_)) => return Parsed::Bad,
    };
    let message = match &*head.kind {
        "message" => serde_json::from_slice::<MessageLine>(line).ok().map(|m| m.message),
        _ => None,
    };
    let (role, key) = message.map(|message| (message.role, message.idempotency_key)).unzip();
    let said_in = key.flatten().and_then(|key| Some(key.strip_suffix(USER_KEY_END)?.to_owned()));
    let first_kept = match &*head.kind {
        "compaction" => serde_json::from_slice::<CompactionLine>(line).ok().map(|c| c.first_kept_entry_id),
        _ => None,
    };
    Parsed::Entry(Head { id, parent, kind: head.kind.into_owned(), role, said_in, first_kept })
}

fn backup_path(path: &Path, now: i64) -> PathBuf {
    suffixed(path, &format!(".bak-{}-{now}", std::process::id()))
}

fn suffixed(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// Keeps the original at `kept` and puts a copy without bad lines in its place; moves the lines' offsets.
fn rewrite(path: &Path, kept: &Path, from: u64, tail: &mut Tail) -> io::Result<File> {
    std::fs::copy(path, kept)?;
    let mut original = File::open(kept)?;
    let mut out = BufWriter::new(FileDraft::private(path)?);
    io::copy(&mut Read::by_ref(&mut original).take(from), &mut out)?;
    let mut end = from;
    for line in &mut tail.lines {
        original.seek(SeekFrom::Start(line.offset))?;
        line.offset = end;
        end += io::copy(&mut Read::by_ref(&mut original).take(line.len), &mut out)?;
    }
    if tail.unended {
        out.write_all(b"\n")?;
        end += 1;
    }
    tail.end = end;
    out.into_inner().map_err(io::IntoInnerError::into_error)?.commit()?;
    open_private_file(path)
}
