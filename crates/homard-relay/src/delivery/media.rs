//! Files an answer names: which may be sent, and keeping them until they are.
//!
//! A model can be talked into naming any path, so only files below the agent's workspace are sent, those the
//! conversation was sent, and those its runs made. They are copied when the answer is kept, because the agent may change or delete them before
//! the platform has them.

use std::path::{Path, PathBuf};
use std::time::Duration;

use homard_channel::{Content, File, Outbound};
use homard_protocol::SessionKey;
use homard_runtime::{Arrange as _, OrLog, off_thread};
use homard_tools::Caller;

use crate::message_actions::{
    FileError, FileFolders, FileForm, FileWanted, SessionFiles, is_address, take_file,
};
use crate::parts::Outgoing;
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
    outgoing: &Outgoing,
    session: &SessionKey,
    workspace: &Path,
    caller: Caller,
    named: &str,
) -> Result<File, NotSendable> {
    if is_address(named) {
        return Err(NotSendable::Address);
    }
    let inner = outgoing.inner();
    let paths = &inner.paths();
    let folders = FileFolders {
        workspace: workspace.to_owned(),
        home: paths.home.clone(),
        media: media_dir(inner),
        records: paths.records(),
        session: Some(SessionFiles {
            key: session.clone(),
            store: inner.store().clone(),
            changes: outgoing.replaced_files().clone(),
        }),
        caller,
    };
    let wanted = || FileWanted::At(named.to_owned());
    match take_file(wanted(), FileForm::Plain, &folders).await {
        Err(FileError::TooLarge { .. }) => Ok(take_file(wanted(), FileForm::Document, &folders).await?),
        taken => Ok(taken?),
    }
}

/// Removes the oldest files of a folder until no more than `most` bytes are left.
fn sweep_received(folder: &Path, most: u64) -> std::io::Result<()> {
    let entries = match std::fs::read_dir(folder) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        entries => entries?,
    };
    let mut files = Vec::new();
    for entry in entries {
        let entry = entry?;
        let about = entry.metadata()?;
        if about.is_file() {
            files.push((about.modified()?, about.len(), entry.path()));
        }
    }
    files.arrange();
    let mut total: u64 = files.iter().map(|(_, size, _)| size).sum();
    for (_, size, path) in files {
        if total <= most {
            break;
        }
        std::fs::remove_file(&path)?;
        total = total.saturating_sub(size);
    }
    Ok(())
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

/// Bytes of what was received that are kept; beyond it the oldest go.
const MAX_RECEIVED: u64 = 8 << 30;

/// Forgets copies of what could not be sent long ago, and the oldest of what was received when it is too much.
pub(crate) async fn sweep(inner: &Inner) {
    let received = inner.media_dir();
    let swept = off_thread(move || sweep_received(&received, MAX_RECEIVED)).await;
    swept.map_err(std::io::Error::other).flatten().or_log("what was received could not be looked through");
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

#[cfg(test)]
mod tests {
    use super::sweep_received;

    #[test]
    fn the_oldest_of_what_was_received_goes_first() {
        let dir = tempfile::tempdir().unwrap();
        for (name, second) in [("old", 1), ("new", 2)] {
            let path = dir.path().join(name);
            std::fs::write(&path, "0123456789").unwrap();
            let time = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(second);
            std::fs::File::options().write(true).open(path).unwrap().set_modified(time).unwrap();
        }
        let left = || ["old", "new"].map(|name| dir.path().join(name).exists());
        sweep_received(dir.path(), 20).unwrap();
        assert_eq!(left(), [true, true]);
        sweep_received(dir.path(), 19).unwrap();
        assert_eq!(left(), [false, true]);
        sweep_received(&dir.path().join("gone"), 0).unwrap();
    }
}
