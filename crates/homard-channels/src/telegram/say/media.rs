//! Files on their way out: which method, which field.

use homard_channel::{File, MediaKind, Words};
use serde_json::{Map, Value};

use super::compose::{Call, Form, Saying};
use crate::telegram::errors::ApiError;

/// Makes the call for a file with a text.
pub(super) fn compose<'o>(
    saying: &Saying<'o, '_>,
    file: &'o File,
    caption: &Words,
) -> Result<Call<'o>, ApiError> {
    let (text, parse_mode) = saying.words(caption);
    let (method, field) = method(file, saying.forms, !text.is_empty());
    let mut params = Map::new();
    put(&mut params, "chat_id", &saying.target.chat)?;
    put(&mut params, "message_thread_id", &saying.target.topic(saying.forms))?;
    if !text.is_empty() {
        put(&mut params, "caption", &text)?;
        put(&mut params, "parse_mode", &parse_mode)?;
    }
    put(&mut params, "disable_notification", &saying.silent())?;
    put(&mut params, "reply_parameters", &saying.reply())?;
    Ok(Call { method, params, file: Some((field, file)) })
}

fn put<T: serde::Serialize>(params: &mut Map<String, Value>, name: &str, value: &T) -> Result<(), ApiError> {
    let value = serde_json::to_value(value).map_err(|error| ApiError::NotSendable(error.to_string()))?;
    if !value.is_null() {
        params.insert(name.to_owned(), value);
    }
    Ok(())
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
