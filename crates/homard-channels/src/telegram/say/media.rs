//! Files on their way out: which method, which field.

use super::compose::{ApiCall, Composition, Form};
use homard_channel::{File, MediaKind, RichText};

/// Makes the call for a file with a text.
pub(super) fn compose<'o>(saying: &Composition<'o, '_>, file: &'o File, caption: &RichText) -> ApiCall<'o> {
    let (text, parse_mode) = saying.words(caption);
    let (method, field) = method(file, saying.forms, !text.is_empty());
    let mut params = saying.params();
    if !text.is_empty() {
        params = params.with("caption", text).maybe("parse_mode", parse_mode);
    }
    ApiCall { method, params: params.into_map(), file: Some((field, file)) }
}

/// The kind that is wanted, where the server takes this file as one; else the nearest that loses nothing.
fn method(file: &File, forms: &[Form], has_caption: bool) -> (&'static str, &'static str) {
    const DOCUMENT: (&str, &str) = ("sendDocument", "document");
    let mime = file.mime.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    if forms.contains(&Form::AsDocument) {
        return DOCUMENT;
    }
    match file.kind {
        MediaKind::Image if mime == "image/gif" => ("sendAnimation", "animation"),
        MediaKind::Image
            if matches!(mime.as_str(), "image/jpeg" | "image/jpg" | "image/png" | "image/webp") =>
        {
            ("sendPhoto", "photo")
        }
        MediaKind::Animation => ("sendAnimation", "animation"),
        MediaKind::VideoNote if !has_caption => ("sendVideoNote", "video_note"),
        MediaKind::Video | MediaKind::VideoNote => ("sendVideo", "video"),
        MediaKind::Voice if is_speech(&mime) => ("sendVoice", "voice"),
        MediaKind::Audio | MediaKind::Voice if is_music(&mime) => ("sendAudio", "audio"),
        MediaKind::Sticker if !has_caption => ("sendSticker", "sticker"),
        MediaKind::Image | MediaKind::Audio | MediaKind::Voice | MediaKind::Document | MediaKind::Sticker => {
            DOCUMENT
        }
    }
}

/// What is played as a voice message.
fn is_speech(mime: &str) -> bool {
    matches!(
        mime,
        "audio/ogg" | "audio/opus" | "audio/mpeg" | "audio/mp3" | "audio/mp4" | "audio/m4a" | "audio/x-m4a"
    )
}

/// What is played as music.
fn is_music(mime: &str) -> bool {
    matches!(mime, "audio/mpeg" | "audio/mp3" | "audio/mp4" | "audio/m4a" | "audio/x-m4a")
}
