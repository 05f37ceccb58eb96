//! Going back in a conversation, the ways it went before, and copies that go another way.
//!
//! A transcript is a tree whose leaf is its last line. Going back therefore means appending a bookmark below an
//! earlier entry: nothing is deleted, and whatever was said after that entry stays in the file as a branch.

use std::collections::{HashMap, HashSet};

use homard_protocol::{EntryId, EntryKind, Message, SessionId, SessionKey};
use serde_json::json;

use super::files::{NewEntry, Under, append_under, ensure_begun, seq_of};
use super::{PageEntry, TranscriptStore, walk};
use crate::engine::writer::Batch;
use crate::sessions::{SessionEntry, SessionRecord, by_session_id, load_or_new, preview, save};
use crate::store::{StoreError, parse_column};
use crate::transcripts::tail_in_writer;

/// Whose bookkeeping a bookmark is.
const BOOKMARK: &str = "homard.branch";
/// Most branches that are listed; the newest stay.
const MAX_BRANCHES: usize = 50;

/// Where a conversation goes on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Turning {
    /// As if this entry had not been said yet.
    Before(EntryId),
    /// As if this entry had been said last.
    After(EntryId),
}

/// One way a conversation went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Branch {
    /// Its last entry that people are shown.
    pub leaf: EntryId,
    /// The beginning of what makes it different, or of what was asked last on the way in use.
    pub headline: String,
    /// How many messages it has, from the beginning.
    pub messages: u64,
    /// When its last entry was written, RFC 3339.
    pub updated_at: Option<String>,
    /// Whether the conversation goes on here.
    pub active: bool,
    /// The first entry only it has; `None` for the way in use.
    pub first_own: Option<EntryId>,
    /// What the way in use says in the place of [`first_own`](Self::first_own), if it says anything there.
    pub instead: Option<EntryId>,
}

impl TranscriptStore<'_> {
    /// Lets a conversation go on from an earlier place, or from the end of a branch. What it leaves stays in the
    /// transcript.
    ///
    /// # Errors
    /// [`StoreError::UnknownEntry`] when there is no such place, [`StoreError::UnknownSession`] when there is no
    /// such conversation.
    pub async fn turn_back(
        self,
        session_id: &SessionId,
        to: &Turning,
    ) -> Result<Option<SessionRecord>, StoreError> {
        let under = self.leaf_of(session_id, to).await?;
        let session_id = session_id.clone();
        self.store
            .write(move |batch| {
                let bookmark = EntryKind::Custom {
                    custom_type: BOOKMARK.to_owned(),
                    data: json!({"from": super::leaf(batch, &session_id).map(|leaf| leaf.entry_id)}),
                };
                append_under(batch, &session_id, Under::Entry(under), vec![NewEntry::Said(bookmark)])?;
                freshen(batch, &session_id)
            })
            .await
    }

    /// Makes a new conversation that begins as another one did. `change` gives it what else it should have.
    ///
    /// # Errors
    /// As [`turn_back`](Self::turn_back).
    pub async fn copy(
        self,
        from: &SessionId,
        to: &Turning,
        key: &SessionKey,
        change: impl FnOnce(&mut SessionEntry) + Send + 'static,
    ) -> Result<SessionRecord, StoreError> {
        let leaf = self.leaf_of(from, to).await?;
        let path = match leaf {
            Some(leaf) => self.path_to(from, leaf).await?,
            None => Vec::new(),
        };
        let (from, key) = (from.clone(), key.clone());
        self.store.write(move |batch| {
            let mut draft = load_or_new(batch, &key, None)?;
            change(&mut draft.record.entry);
            let texts = |role: fn(&Message) -> bool| {
                move |found: &&PageEntry| matches!(&found.entry.kind, EntryKind::Message { message } if role(message))
            };
            let first = path.iter().find(texts(|message| matches!(message, Message::User(_))));
            let last = path.iter().rev().find(texts(|_any| true));
            draft.record.derived_title = first.and_then(|found| text_of(&found.entry.kind));
            draft.record.last_message_preview = last.and_then(|found| text_of(&found.entry.kind));
            save(batch, &mut draft)?;
            let id = draft.record.session_id.clone();
            ensure_begun(batch, &id, "", Some(&from))?;
            let copies = path.into_iter().filter(|found| !is_bookmark(&found.entry.kind));
            let copies = copies.map(|found| NewEntry::Copied(found.entry)).collect();
            append_under(batch, &id, Under::Leaf, copies)?;
            Ok(draft.record)
        })
        .await
    }

    /// The ways a conversation went, oldest first; at most the newest fifty.
    ///
    /// # Errors
    /// As [`context`](Self::context).
    pub async fn branches(self, session_id: &SessionId) -> Result<Vec<Branch>, StoreError> {
        self.ask(session_id, branches).await
    }

    /// The entry after which a conversation goes on; `None` for its beginning.
    async fn leaf_of(self, session_id: &SessionId, to: &Turning) -> Result<Option<EntryId>, StoreError> {
        let (Turning::Before(wanted) | Turning::After(wanted)) = to.clone();
        let before = matches!(to, Turning::Before(_));
        let asked = wanted.clone();
        let found = self
            .ask(session_id, move |transcript| {
                let Some((seq, _messages)) = seq_of(transcript.conn, transcript.id, asked.as_str())? else {
                    return Ok(None);
                };
                if !before {
                    return Ok(Some(Some(asked.clone())));
                }
                let rows = rows(transcript)?;
                let parent = rows.get(&seq).and_then(|row| row.parent).and_then(|seq| rows.get(&seq));
                Ok(Some(parent.map(|row| row.id.clone())))
            })
            .await?;
        found.ok_or(StoreError::UnknownEntry(wanted))
    }

    async fn path_to(self, session_id: &SessionId, leaf: EntryId) -> Result<Vec<PageEntry>, StoreError> {
        self.ask(session_id, move |transcript| {
            let found = seq_of(transcript.conn, transcript.id, leaf.as_str())?;
            found.map_or(Ok(Vec::new()), |(seq, _messages)| walk::path_to(transcript, seq))
        })
        .await
    }
}

fn is_bookmark(kind: &EntryKind) -> bool {
    matches!(kind, EntryKind::Custom { custom_type, .. } if custom_type == BOOKMARK)
}

fn text_of(kind: &EntryKind) -> Option<String> {
    match kind {
        EntryKind::Message { message } => preview(&message.text()),
        _ => None,
    }
}

/// What a session's row says of its conversation, after that became another one.
fn freshen(batch: &mut Batch<'_>, session_id: &SessionId) -> Result<Option<SessionRecord>, StoreError> {
    let Some(record) = by_session_id(batch.conn, session_id)? else { return Ok(None) };
    let mut draft = load_or_new(batch, &record.key, None)?;
    let last = tail_in_writer(batch, session_id, 1)?;
    draft.record.last_message_preview = last.first().and_then(|message| preview(&message.text()));
    draft.record.entry.total_tokens_fresh = Some(false);
    draft.record.entry.aborted_last_run = None;
    save(batch, &mut draft)?;
    Ok(Some(draft.record))
}

/// What the tree needs to know of an entry.
struct Node {
    id: EntryId,
    parent: Option<i64>,
    messages: i64,
    shown: bool,
}

fn rows(transcript: &walk::Transcript<'_>) -> Result<HashMap<i64, Node>, StoreError> {
    let sql =
        "SELECT seq, entry_id, parent_seq, message_no, kind FROM transcript_entries WHERE transcript = ?1";
    let mut statement = transcript.conn.prepare_cached(sql)?;
    let mut found = statement.query([transcript.id])?;
    let mut rows = HashMap::new();
    while let Some(row) = found.next()? {
        let id: String = row.get(1)?;
        let kind: String = row.get(4)?;
        let node = Node {
            id: parse_column("entry_id", &id)?,
            parent: row.get(2)?,
            messages: row.get(3)?,
            shown: walk::is_shown_kind(&kind),
        };
        rows.insert(row.get(0)?, node);
    }
    Ok(rows)
}

/// The entries from the root to `seq` that people are shown.
fn shown_path(rows: &HashMap<i64, Node>, seq: i64) -> Vec<i64> {
    let mut path = Vec::new();
    let mut next = Some(seq);
    while let Some((seq, node)) = next.and_then(|seq| Some((seq, rows.get(&seq)?))) {
        if node.shown {
            path.push(seq);
        }
        // A parent always stands before its child, so this ends.
        next = node.parent.filter(|&parent| parent < seq);
    }
    path.reverse();
    path
}

fn branches(transcript: &walk::Transcript<'_>) -> Result<Vec<Branch>, StoreError> {
    let rows = rows(transcript)?;
    let in_use = shown_path(&rows, transcript.last_seq);
    let mut continued: HashSet<i64> = HashSet::new();
    let mut tips = Vec::new();
    let mut newest_first: Vec<i64> = rows.keys().copied().collect();
    newest_first.sort_unstable_by(|a, b| b.cmp(a));
    for seq in newest_first {
        let Some(node) = rows.get(&seq) else { continue };
        if node.shown && !continued.contains(&seq) {
            tips.push(seq);
        }
        if let Some(parent) = node.parent.filter(|_| node.shown || continued.contains(&seq)) {
            continued.insert(parent);
        }
    }
    let active = in_use.last().copied();
    // The way in use may end above everything that was ever said after it.
    tips.extend(active.filter(|seq| !tips.contains(seq)));
    tips.truncate(MAX_BRANCHES);
    let mut found = Vec::with_capacity(tips.len());
    for tip in tips.into_iter().rev() {
        found.extend(branch(transcript, &rows, &in_use, tip)?);
    }
    Ok(found)
}

fn branch(
    transcript: &walk::Transcript<'_>,
    rows: &HashMap<i64, Node>,
    in_use: &[i64],
    tip: i64,
) -> Result<Option<Branch>, StoreError> {
    let Some(node) = rows.get(&tip) else { return Ok(None) };
    let active = in_use.last() == Some(&tip);
    let own = shown_path(rows, tip);
    let shared = own.iter().zip(in_use).take_while(|(one, other)| one == other).count();
    let id_at =
        |path: &[i64], at: usize| path.get(at).and_then(|seq| rows.get(seq)).map(|row| row.id.clone());
    let first_own = id_at(&own, shared).filter(|_| !active);
    let told = if active { own.last() } else { own.get(shared) };
    let headline = match told {
        Some(&seq) => walk::at(transcript, seq)?.and_then(|found| text_of(&found.entry.kind)),
        None => None,
    };
    let updated_at = walk::at(transcript, tip)?.map(|found| found.entry.timestamp);
    Ok(Some(Branch {
        leaf: node.id.clone(),
        headline: headline.unwrap_or_default(),
        messages: node.messages.unsigned_abs(),
        updated_at,
        active,
        instead: id_at(in_use, shared).filter(|_| first_own.is_some()),
        first_own,
    }))
}

#[cfg(test)]
mod tests;
