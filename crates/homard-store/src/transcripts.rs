//! Conversations: append-only JSONL files, and what can be asked of them.
//!
//! The file is the truth. The index in the database says where each entry lies, so that a question costs what
//! it returns and not the age of the transcript. `files` writes, `scan` indexes and repairs what we did not
//! write (or did not finish writing), `walk` reads, `branches` goes back and copies.

mod branches;
mod cut;
mod files;
mod scan;
mod walk;

use std::io;
use std::path::PathBuf;

use homard_protocol::{Entry, EntryId, EntryKind, SessionId};

use crate::store::{Store, StoreError};

pub use branches::{Branch, Turning};
pub(crate) use cut::cut_exchange;
pub(crate) use files::{OpenFiles, append, discard, ensure_indexed, ensure_ready, leaf, sweep_garbage};
pub(crate) use walk::tail_in_writer;

/// Most entries one page may hold.
const MAX_PAGE: usize = 1000;

/// What can go wrong with a transcript file.
#[derive(Debug, thiserror::Error)]
pub enum TranscriptError {
    /// The session id cannot be a file name.
    #[error("session id `{session_id}` cannot name a file: use letters, digits, `-`, `_` and `.`")]
    BadName { session_id: SessionId },
    /// The file could not be written; what was there before is untouched.
    #[error("could not write transcript `{path}`")]
    Write {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    /// The file could not be read.
    #[error("could not read transcript `{path}`")]
    Read {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
}

/// Where an appended entry landed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Appended {
    /// Its id in the file.
    pub entry_id: EntryId,
    /// Its place in the file; the first entry is 1.
    pub seq: i64,
}

/// What a model should be told of a conversation.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Context {
    /// What the last compaction says of everything before [`entries`](Self::entries).
    pub summary: Option<String>,
    /// What was noted beside it.
    pub summary_details: Option<serde_json::Value>,
    /// What is verbatim, oldest first.
    pub entries: Vec<Entry>,
    /// The last entry, whose child the next one will be.
    pub leaf: Option<EntryId>,
    /// The place of the last entry; 0 when there is none. A cached context is fresh while this stands.
    pub last_seq: i64,
}

/// Which part of a conversation to show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageQuery {
    pub limit: usize,
    /// Only what stands before this place; `None` for the newest.
    pub before_seq: Option<i64>,
    /// How many entries to pass over first, counted from the newest.
    pub offset: usize,
}

impl Default for PageQuery {
    fn default() -> Self {
        Self { limit: 200, before_seq: None, offset: 0 }
    }
}

/// One entry and its place.
#[derive(Debug, Clone, PartialEq)]
pub struct PageEntry {
    /// Its place in the file.
    pub seq: i64,
    pub entry: Entry,
}

/// Part of a conversation, oldest first: messages, compactions and the other things people are shown.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Page {
    pub entries: Vec<PageEntry>,
    /// How many messages the whole conversation has.
    pub total_messages: u64,
    /// Whether something older exists.
    pub has_more: bool,
}

/// What was said: [`Store::transcripts`].
#[derive(Debug, Clone, Copy)]
pub struct TranscriptStore<'a> {
    pub(crate) store: &'a Store,
}

impl TranscriptStore<'_> {
    /// Appends entries to a conversation, in order and all or none.
    ///
    /// # Errors
    /// [`StoreError::UnknownSession`] when the session was never made, or was reset or deleted meanwhile.
    pub async fn append(
        self,
        session_id: &SessionId,
        entries: Vec<EntryKind>,
    ) -> Result<Vec<Appended>, StoreError> {
        let session_id = session_id.clone();
        self.store.write(move |batch| append(batch, &session_id, entries)).await
    }

    /// What a model should be told: the last compaction's summary and what is verbatim since. Costs what it
    /// returns, whatever came before.
    ///
    /// # Errors
    /// When the file or the database cannot be read. An unknown session is an empty conversation.
    pub async fn context(self, session_id: &SessionId) -> Result<Context, StoreError> {
        self.ask(session_id, walk::context).await
    }

    /// A page of the conversation, newest page first, each page oldest first.
    ///
    /// # Errors
    /// As [`context`](Self::context).
    pub async fn page(self, session_id: &SessionId, query: PageQuery) -> Result<Page, StoreError> {
        let query = PageQuery { limit: query.limit.clamp(1, MAX_PAGE), ..query };
        self.ask(session_id, move |transcript| walk::page(transcript, &query, walk::is_shown)).await
    }

    /// One entry by its id; `None` when the conversation has none such. Entries of branches that were left are
    /// found, too.
    ///
    /// # Errors
    /// As [`context`](Self::context).
    pub async fn entry(
        self,
        session_id: &SessionId,
        entry_id: &EntryId,
    ) -> Result<Option<PageEntry>, StoreError> {
        let entry_id = entry_id.clone();
        self.ask(session_id, move |transcript| walk::entry(transcript, &entry_id)).await
    }

    /// The last `n` messages, oldest first, other kinds of entries left out.
    ///
    /// # Errors
    /// As [`context`](Self::context).
    pub async fn last_messages(self, session_id: &SessionId, n: usize) -> Result<Vec<PageEntry>, StoreError> {
        let query = PageQuery { limit: n.clamp(1, MAX_PAGE), ..PageQuery::default() };
        let page =
            self.ask(session_id, move |transcript| walk::page(transcript, &query, walk::is_message)).await?;
        Ok(page.entries)
    }

    /// Asks a reader; when the index does not fit the file, has the writer mend it and asks once more.
    async fn ask<T, F>(self, session_id: &SessionId, question: F) -> Result<T, StoreError>
    where
        T: Default + Send + 'static,
        F: Fn(&walk::Transcript<'_>) -> Result<T, StoreError> + Clone + Send + 'static,
    {
        for check in [walk::Check::Length, walk::Check::Nothing] {
            let (id, ask) = (session_id.clone(), question.clone());
            match self.store.read(move |cx| walk::with_transcript(cx, &id, check, ask)).await? {
                walk::Answer::Here(answer) => return Ok(answer),
                walk::Answer::NotIndexed if matches!(check, walk::Check::Length) => {
                    let id = session_id.clone();
                    self.store.write(move |batch| files::ensure_indexed(batch, &id)).await?;
                }
                walk::Answer::NotIndexed => {}
            }
        }
        Ok(T::default())
    }
}

#[cfg(test)]
mod tests;
