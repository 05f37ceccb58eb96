//! Which files outside the workspace are a conversation's own: those it was told of, and those its runs made.

use std::path::{Path, PathBuf};

use homard_protocol::{EntryKind, Message, SessionKey};
use homard_runtime::{OrLog, off_thread};
use homard_store::{PageQuery, Store, StoreError};
use homard_tools::Undo;

/// A conversation, as far as its files are asked about.
#[derive(Debug, Clone)]
pub(crate) struct SessionFiles {
    pub(crate) key: SessionKey,
    pub(crate) store: Store,
    /// What its runs did to files.
    pub(crate) changes: Undo,
}

impl SessionFiles {
    /// Whether runs of the conversation made a file, and nobody else has touched it since.
    pub(super) async fn has_made(&self, path: &Path) -> bool {
        let (changes, key, path): (_, _, PathBuf) = (self.changes.clone(), self.key.clone(), path.to_owned());
        let made = off_thread(move || changes.was_made_in(&key, &path)).await;
        made.or_log("who made a file could not be looked up").unwrap_or(false)
    }

    /// Whether somebody sent the conversation a file, or a tool brought it: its name is unlike any other's. What the model
    /// itself says counts for nothing.
    pub(super) async fn was_told_of(&self, path: &Path) -> bool {
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else { return false };
        self.tells_of(name).await.or_log("a conversation could not be looked through").unwrap_or(false)
    }

    async fn tells_of(&self, name: &str) -> Result<bool, StoreError> {
        let Some(session) = self.store.sessions().get(&self.key).await? else { return Ok(false) };
        let mut query = PageQuery::default();
        loop {
            let page = self.store.transcripts().page(&session.session_id, query).await?;
            let tells = |kind: &EntryKind| match kind {
                EntryKind::Message { message: told @ (Message::User(_) | Message::ToolResult(_)) } => {
                    serde_json::to_string(told).is_ok_and(|told| told.contains(name))
                }
                _ => false,
            };
            if page.entries.iter().any(|entry| tells(&entry.entry.kind)) {
                return Ok(true);
            }
            match page.entries.first() {
                Some(oldest) if page.has_more => query.before_seq = Some(oldest.seq),
                _ => return Ok(false),
            }
        }
    }
}
