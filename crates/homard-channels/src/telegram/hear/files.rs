//! Files that come with a message.

use homard_channel::{Attachment, MediaKind};

use crate::telegram::wire::{Message, PhotoSize};

/// What a sticker is when it stands still.
const STILL_STICKER: &str = "image/webp";

/// The files of a message; a moving picture also comes as a document, which is not counted again. Stickers that move
/// cannot be shown to a model and are left out.
pub(super) fn files(message: &Message) -> Vec<Attachment> {
    let mut all = Vec::new();
    if let Some(photo) = message.photo.as_deref().and_then(largest) {
        all.push(
            attachment(MediaKind::Image, &photo.file_id, photo.file_size).mime(Some("image/jpeg".to_owned())),
        );
    }
    if let Some(file) = &message.animation {
        let found = attachment(MediaKind::Animation, &file.file_id, file.file_size);
        all.push(found.mime(file.mime_type.clone()).name(file.file_name.clone()));
    } else if let Some(file) = &message.document {
        let found = attachment(MediaKind::Document, &file.file_id, file.file_size);
        all.push(found.mime(file.mime_type.clone()).name(file.file_name.clone()));
    }
    if let Some(file) = &message.video {
        let found = attachment(MediaKind::Video, &file.file_id, file.file_size);
        all.push(found.mime(file.mime_type.clone()).name(file.file_name.clone()));
    }
    if let Some(file) = &message.video_note {
        let found = attachment(MediaKind::VideoNote, &file.file_id, file.file_size);
        all.push(found.mime(Some("video/mp4".to_owned())));
    }
    if let Some(file) = &message.audio {
        let found = attachment(MediaKind::Audio, &file.file_id, file.file_size);
        all.push(found.mime(file.mime_type.clone()).name(file.file_name.clone()));
    }
    if let Some(file) = &message.voice {
        let found = attachment(MediaKind::Voice, &file.file_id, file.file_size);
        all.push(found.mime(file.mime_type.clone().or_else(|| Some("audio/ogg".to_owned()))));
    }
    if let Some(file) = message.sticker.as_ref().filter(|sticker| !sticker.is_animated && !sticker.is_video) {
        let found = attachment(MediaKind::Sticker, &file.file_id, file.file_size);
        all.push(found.mime(Some(STILL_STICKER.to_owned())));
    }
    all.into_iter().map(|found| found.0).collect()
}

fn largest(sizes: &[PhotoSize]) -> Option<&PhotoSize> {
    sizes.iter().max_by_key(|size| u64::from(size.width) * u64::from(size.height))
}

struct Found(Attachment);

fn attachment(kind: MediaKind, handle: &str, size: Option<u64>) -> Found {
    Found(Attachment { kind, handle: handle.to_owned(), mime: None, name: None, size })
}

impl Found {
    fn mime(mut self, mime: Option<String>) -> Self {
        self.0.mime = mime;
        self
    }

    fn name(mut self, name: Option<String>) -> Self {
        self.0.name = name;
        self
    }
}
