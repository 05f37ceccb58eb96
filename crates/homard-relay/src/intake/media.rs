//! Files that come with a message: fetched, put where only the owner may read them, and shown to the model if they are
//! pictures. A file that cannot be had is a note; the message goes on without it.

use std::path::{Path, PathBuf};
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use homard_channel::{Attachment, ChannelError, Fetched, Inbound, MediaKind, Sender, SharedChannel};
use homard_media::file_type::image_type;
use homard_media::staging;
use homard_policy::routing::Speaker;
use homard_protocol::UserBlock;
use homard_protocol::limits::MAX_IMAGE_BYTES;
use homard_runtime::off_thread;
use tokio::time::timeout;

use crate::parts::{Dispatch, Turns};
use crate::relay::Inner;

/// How long one file may take.
const FETCH_LIMIT: Duration = Duration::from_secs(60);

/// A file that is here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SavedFile {
    pub(super) path: PathBuf,
    pub(super) mime: String,
}

/// What came with a message.
#[derive(Debug, Default)]
pub(super) struct Media {
    /// Files that are here.
    pub(super) saved: Vec<SavedFile>,
    /// Pictures for the model.
    pub(super) pictures: Vec<UserBlock>,
    /// What could not be had, and why.
    pub(super) missing: Vec<String>,
}

impl Dispatch {
    /// Fetches what came with a message; `limit` is the largest file, in bytes.
    pub(super) async fn fetch_files(
        &self,
        there: Option<&SharedChannel>,
        message: &Inbound,
        limit: Option<u64>,
    ) -> Media {
        let mut media = Media { pictures: message.images.clone(), ..Media::default() };
        let guest = self.guest_of(message);
        for file in &message.details.files {
            let kind = file.kind.placeholder();
            let left = guest.as_deref().map(|guest| self.media_left(guest));
            let limit = left.map_or(limit, |left| Some(limit.unwrap_or(left).min(left)));
            let why = match there {
                None => "the account is not connected".to_owned(),
                Some(_) if left == Some(0) => "they have sent as much as fits in a day".to_owned(),
                Some(there) => match fetch(there, file, limit).await {
                    Ok(fetched) => {
                        if let Some(guest) = &guest {
                            let bytes = u64::try_from(fetched.bytes.len()).unwrap_or(u64::MAX);
                            self.state().company().media.sent(guest, bytes);
                        }
                        let found = save_file(self.inner(), file, fetched).await;
                        let Some((saved, picture)) = found else {
                            media.missing.push(format!("{kind}: it could not be saved"));
                            continue;
                        };
                        media.saved.push(saved);
                        media.pictures.extend(picture);
                        continue;
                    }
                    Err(why) => why,
                },
            };
            tracing::info!(channel = %message.channel, kind, why, "a file that came with a message is left out");
            media.missing.push(format!("{kind}: {why}"));
        }
        media
    }

    /// Who sent a message, when it was not the owner.
    fn guest_of(&self, message: &Inbound) -> Option<String> {
        let Sender::Peer { id, .. } = &message.sender else { return None };
        let is_guest = self.inner().company_rules().speaker(message) == Speaker::Guest;
        is_guest.then(|| format!("{}:{id}", message.channel))
    }

    fn media_left(&self, guest: &str) -> u64 {
        let now = self.inner().clock().now_ms();
        self.state().company().media.left(guest, now)
    }
}

impl Turns {
    /// Keeps a file that an operator sent where files of messages are kept; `None` when it could not be written.
    /// Answers with where it is and what it is.
    pub async fn keep_file(
        &self,
        name: Option<&str>,
        mime: &str,
        bytes: Vec<u8>,
    ) -> Option<(PathBuf, String)> {
        let file = Attachment {
            kind: MediaKind::Document,
            handle: String::new(),
            mime: Some(mime.to_owned()),
            name: None,
            size: None,
        };
        let fetched = Fetched { bytes, mime: None, name: name.map(str::to_owned) };
        let (saved, _picture) = save_file(self.inner(), &file, fetched).await?;
        Some((saved.path, saved.mime))
    }
}

async fn save_file(
    inner: &Inner,
    file: &Attachment,
    fetched: Fetched,
) -> Option<(SavedFile, Option<UserBlock>)> {
    let folder = inner.media_dir();
    let file = file.clone();
    let files = inner.guards().files.clone();
    let saved = off_thread(move || {
        let saved = save(&folder, &file, &fetched)?;
        // Whoever attaches it, somebody else may have written it.
        files.mark_attached(&saved.0.path);
        Ok::<_, std::io::Error>(saved)
    });
    let saved = saved.await;
    match saved {
        Ok(Ok(saved)) => Some(saved),
        Ok(Err(error)) => {
            tracing::warn!(%error, "a file that came with a message could not be saved");
            None
        }
        Err(error) => {
            tracing::warn!(%error, "a file that came with a message could not be saved");
            None
        }
    }
}

async fn fetch(there: &SharedChannel, file: &Attachment, limit: Option<u64>) -> Result<Fetched, String> {
    let limit = limit.unwrap_or_else(|| there.abilities().media_in_limit);
    if let Some(size) = file.size.filter(|size| *size > limit) {
        return Err(ChannelError::TooLarge { size, limit }.to_string());
    }
    let fetched = match timeout(FETCH_LIMIT, there.fetch(file.clone(), limit)).await {
        Ok(fetched) => fetched.map_err(|error| error.to_string())?,
        Err(_late) => return Err("the platform took too long".to_owned()),
    };
    let size = u64::try_from(fetched.bytes.len()).unwrap_or(u64::MAX);
    if size > limit {
        return Err(ChannelError::TooLarge { size, limit }.to_string());
    }
    Ok(fetched)
}

fn save(
    folder: &Path,
    file: &Attachment,
    fetched: &Fetched,
) -> std::io::Result<(SavedFile, Option<UserBlock>)> {
    let picture = image_type(&fetched.bytes);
    let said = fetched.mime.as_deref().or(file.mime.as_deref()).map(staging::plain_type);
    let mime = picture.map(str::to_owned).or(said).unwrap_or_else(|| default_mime(file.kind).to_owned());
    let name = fetched.name.as_deref().or(file.name.as_deref()).unwrap_or_default();
    let path = staging::keep_by_content(folder, name, &mime, &fetched.bytes)?;
    let is_small = u64::try_from(fetched.bytes.len()).is_ok_and(|size| size <= MAX_IMAGE_BYTES);
    let shown = picture.filter(|_| is_small).map(|mime_type| UserBlock::Image {
        data: STANDARD.encode(&fetched.bytes),
        mime_type: mime_type.to_owned(),
    });
    Ok((SavedFile { path, mime }, shown))
}

fn default_mime(kind: MediaKind) -> &'static str {
    match kind {
        MediaKind::Image => "image/jpeg",
        MediaKind::Animation | MediaKind::Video | MediaKind::VideoNote => "video/mp4",
        MediaKind::Audio => "audio/mpeg",
        MediaKind::Voice => "audio/ogg",
        MediaKind::Sticker => "image/webp",
        MediaKind::Document => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests;
