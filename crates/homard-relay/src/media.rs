//! Files an answer names: which may be sent, and keeping them until they are.
//!
//! A model can be talked into naming any path, so only files below the agent's workspace and below what Homard itself
//! keeps of media are sent. They are copied when the answer is kept, because the agent may change or delete them before
//! the platform has them.

use std::path::{Path, PathBuf};
use std::time::Duration;

use homard_channel::{Content, File, MediaKind, Outbound};
use homard_runtime::OrLog;

use crate::acts::{Folders, is_of_the_house, is_sensitive};
use crate::relay::Inner;

const MEGABYTE: u64 = 1024 * 1024;
/// Largest picture.
const MAX_IMAGE: u64 = 6 * MEGABYTE;
/// Largest sound or film.
const MAX_SOUND_OR_FILM: u64 = 16 * MEGABYTE;
/// Largest file of any other kind.
const MAX_DOCUMENT: u64 = 100 * MEGABYTE;
/// Longest file name that is kept, in characters.
const MAX_NAME: usize = 120;
/// How long copies of what could not be sent are kept.
const KEEP: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// Endings, kinds and media types.
const ENDINGS: &[(&str, MediaKind, &str)] = &[
    ("aac", MediaKind::Audio, "audio/aac"),
    ("avi", MediaKind::Video, "video/x-msvideo"),
    ("bmp", MediaKind::Image, "image/bmp"),
    ("csv", MediaKind::Document, "text/csv"),
    ("flac", MediaKind::Audio, "audio/flac"),
    ("gif", MediaKind::Animation, "image/gif"),
    ("heic", MediaKind::Image, "image/heic"),
    ("html", MediaKind::Document, "text/html"),
    ("jpeg", MediaKind::Image, "image/jpeg"),
    ("jpg", MediaKind::Image, "image/jpeg"),
    ("json", MediaKind::Document, "application/json"),
    ("m4a", MediaKind::Audio, "audio/mp4"),
    ("md", MediaKind::Document, "text/markdown"),
    ("mov", MediaKind::Video, "video/quicktime"),
    ("mp3", MediaKind::Audio, "audio/mpeg"),
    ("mp4", MediaKind::Video, "video/mp4"),
    ("oga", MediaKind::Audio, "audio/ogg"),
    ("ogg", MediaKind::Audio, "audio/ogg"),
    ("opus", MediaKind::Audio, "audio/ogg"),
    ("pdf", MediaKind::Document, "application/pdf"),
    ("png", MediaKind::Image, "image/png"),
    ("svg", MediaKind::Document, "image/svg+xml"),
    ("txt", MediaKind::Document, "text/plain"),
    ("wav", MediaKind::Audio, "audio/wav"),
    ("webm", MediaKind::Video, "video/webm"),
    ("webp", MediaKind::Image, "image/webp"),
    ("zip", MediaKind::Document, "application/zip"),
];

/// Why a file is not sent.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NotSendable {
    /// It is an address; people can open it themselves.
    #[error("it is an address")]
    Address,
    /// It lies where nothing may be taken from.
    #[error("it lies outside the folders files may be sent from")]
    Outside,
    /// There is no such file.
    #[error("there is no such file")]
    Missing,
    /// It is too large.
    #[error("it has {} MB, more than the {} MB that may be sent", .size / MEGABYTE, .limit / MEGABYTE)]
    TooLarge {
        /// Its size.
        size: u64,
        /// The most.
        limit: u64,
    },
    /// It could not be copied.
    #[error("it could not be read")]
    Unreadable,
}

/// What a file name says about the kind of file.
pub(crate) fn kind_of(name: &str) -> (MediaKind, &'static str) {
    let ending = name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase()).unwrap_or_default();
    let known = ENDINGS.iter().find(|(known, ..)| *known == ending);
    known.map_or((MediaKind::Document, "application/octet-stream"), |(_, kind, mime)| (*kind, *mime))
}

fn limit_of(kind: MediaKind) -> u64 {
    match kind {
        MediaKind::Image | MediaKind::Animation | MediaKind::Sticker => MAX_IMAGE,
        MediaKind::Video | MediaKind::VideoNote | MediaKind::Audio | MediaKind::Voice => MAX_SOUND_OR_FILM,
        MediaKind::Document => MAX_DOCUMENT,
    }
}

/// Takes a file an answer of an agent names, and keeps a copy until it is sent.
pub(crate) async fn take(inner: &Inner, workspace: &Path, named: &str) -> Result<File, NotSendable> {
    if named.starts_with("http://") || named.starts_with("https://") {
        return Err(NotSendable::Address);
    }
    let paths = &inner.paths();
    let path = match named.strip_prefix("~/") {
        Some(rest) => paths.home.join(rest),
        None => workspace.join(named),
    };
    let path = tokio::fs::canonicalize(&path).await.map_err(|_gone| NotSendable::Missing)?;
    let mut allowed = false;
    for root in [workspace.to_owned(), media_dir(inner)] {
        // A folder that is not there holds nothing.
        allowed |= tokio::fs::canonicalize(&root).await.is_ok_and(|root| path.starts_with(root));
    }
    let folders = Folders {
        workspace: workspace.to_owned(),
        home: paths.home.clone(),
        media: media_dir(inner),
        state: paths.state_dir.clone(),
    };
    if !allowed || is_sensitive(&path) || is_of_the_house(&path, &folders) {
        return Err(NotSendable::Outside);
    }
    let about = tokio::fs::metadata(&path).await.map_err(|_gone| NotSendable::Missing)?;
    if !about.is_file() {
        return Err(NotSendable::Missing);
    }
    let name = file_name(&path);
    let (mut kind, mime) = kind_of(&name);
    // A picture or film that is too large for its kind may still go as a file.
    if about.len() > limit_of(kind) && matches!(kind, MediaKind::Image | MediaKind::Video | MediaKind::Audio)
    {
        kind = MediaKind::Document;
    }
    let limit = limit_of(kind);
    if about.len() > limit {
        return Err(NotSendable::TooLarge { size: about.len(), limit });
    }
    let kept = keep(inner, &path, &name).await.or_log("a file to be sent could not be kept");
    let kept = kept.ok_or(NotSendable::Unreadable)?;
    Ok(File { kind, path: kept, mime: mime.to_owned(), name })
}

async fn keep(inner: &Inner, path: &Path, name: &str) -> std::io::Result<PathBuf> {
    let dir = outbound_dir(inner);
    homard_config::create_private_dir(&dir)?;
    let kept = dir.join(format!("{}-{name}", uuid::Uuid::new_v4()));
    tokio::fs::copy(path, &kept).await?;
    Ok(kept)
}

fn file_name(path: &Path) -> String {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let start = name.chars().count().saturating_sub(MAX_NAME);
    name.chars().skip(start).map(|c| if c.is_control() || c == '/' || c == '\\' { '_' } else { c }).collect()
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

#[cfg(test)]
mod tests;
