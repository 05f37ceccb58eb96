//! Files an answer names: which may be sent, and keeping them until they are.
//!
//! A model can be talked into naming any path, so only files below the agent's workspace and below what Homard itself
//! keeps of media are sent. They are copied when the answer is kept, because the agent may change or delete them before
//! the platform has them.

use std::path::{Path, PathBuf};
use std::time::Duration;

use homard_channel::{Content, File, Outbound};
use homard_runtime::OrLog;
use homard_tools::Caller;

use crate::acts::{FileError, FileWanted, Folders, Guise, is_address, take_file};
use crate::relay::Inner;

/// How long copies of what could not be sent are kept.
const KEEP: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// Why a file is not sent.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NotSendable {
    /// It is an address; people can open it themselves.
    #[error("it is an address")]
    Address,
    /// It may not, or cannot.
    #[error(transparent)]
    File(#[from] FileError),
}

/// Takes a file an answer of an agent names, and keeps a copy until it is sent. A picture or film that is too large for
/// its kind goes as a file.
pub(crate) async fn take(
    inner: &Inner,
    (workspace, caller): (&Path, Caller),
    named: &str,
) -> Result<File, NotSendable> {
    if is_address(named) {
        return Err(NotSendable::Address);
    }
    let paths = &inner.paths();
    let folders = Folders {
        workspace: workspace.to_owned(),
        home: paths.home.clone(),
        media: media_dir(inner),
        state: paths.state_dir.clone(),
        scratch: None,
        caller,
    };
    let wanted = || FileWanted::At(named.to_owned());
    match take_file(wanted(), Guise::Plain, &folders).await {
        Err(FileError::TooLarge { .. }) => Ok(take_file(wanted(), Guise::Document, &folders).await?),
        taken => Ok(taken?),
    }
}

/// What Homard keeps of media.
fn media_dir(inner: &Inner) -> PathBuf {
    inner.paths().state_dir.join("media")
}

/// Copies that wait to be sent.
fn outbound_dir(inner: &Inner) -> PathBuf {
    media_dir(inner).join("outbound")
}

/// The message was sent: its file is not needed any more.
pub(crate) async fn let_go(inner: &Inner, payload: &str) {
    let Ok(Outbound { content: Content::Media { file, .. }, .. }) = serde_json::from_str(payload) else {
        return;
    };
    if file.path.starts_with(outbound_dir(inner)) {
        tokio::fs::remove_file(&file.path).await.or_log("the copy of a sent file could not be removed");
    }
}

/// Forgets copies of what could not be sent long ago.
pub(crate) async fn sweep(inner: &Inner) {
    let Ok(mut copies) = tokio::fs::read_dir(outbound_dir(inner)).await else { return };
    let now = Duration::from_millis(u64::try_from(inner.clock().now_ms()).unwrap_or(0));
    while let Ok(Some(copy)) = copies.next_entry().await {
        let made = copy.metadata().await.ok().and_then(|about| about.modified().ok());
        let made = made.and_then(|made| made.duration_since(std::time::UNIX_EPOCH).ok());
        if made.is_some_and(|made| now.saturating_sub(made) > KEEP) {
            tokio::fs::remove_file(copy.path()).await.or_log("the old copy of a file could not be removed");
        }
    }
}
