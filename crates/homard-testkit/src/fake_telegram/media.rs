//! Files: what the bot sends and what people send.

use serde_json::{Value, json};

use super::desk::State;
use super::methods::Call;
use super::refusal::Refusal;

/// Largest picture and largest other file the bot may send.
const MAX_PHOTO: usize = 10 * 1024 * 1024;
const MAX_FILE: usize = 50 * 1024 * 1024;

/// A kind of file people send.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sending {
    Photo,
    Video,
    VideoNote,
    /// A picture that moves.
    Animation,
    Audio,
    Voice,
    Document,
    Sticker,
    /// A sticker that moves.
    AnimatedSticker,
}

impl Sending {
    /// The field in a message.
    pub(super) fn field(self) -> &'static str {
        match self {
            Self::Photo => "photo",
            Self::Video => "video",
            Self::VideoNote => "video_note",
            Self::Animation => "animation",
            Self::Audio => "audio",
            Self::Voice => "voice",
            Self::Document => "document",
            Self::Sticker | Self::AnimatedSticker => "sticker",
        }
    }

    /// The object a message carries for a file.
    pub(super) fn object(self, id: &str, name: &str, size: usize) -> Value {
        let base = |more: Value| {
            let mut all = json!({"file_id": id, "file_unique_id": format!("u{id}"), "file_size": size});
            if let (Some(all), Value::Object(more)) = (all.as_object_mut(), more) {
                all.extend(more);
            }
            all
        };
        match self {
            Self::Photo => json!([
                {"file_id": format!("{id}-small"), "file_unique_id": "small", "width": 90, "height": 60, "file_size": 900},
                base(json!({"width": 1280, "height": 853})),
            ]),
            Self::Video => base(
                json!({"width": 640, "height": 480, "duration": 5, "mime_type": "video/mp4", "file_name": name}),
            ),
            Self::VideoNote => base(json!({"length": 240, "duration": 3})),
            Self::Animation => base(
                json!({"width": 320, "height": 240, "duration": 2, "mime_type": "video/mp4", "file_name": name}),
            ),
            Self::Audio => {
                base(json!({"duration": 60, "mime_type": "audio/mpeg", "file_name": name, "title": "Song"}))
            }
            Self::Voice => base(json!({"duration": 4, "mime_type": "audio/ogg"})),
            Self::Document => base(json!({"file_name": name, "mime_type": "application/pdf"})),
            Self::Sticker | Self::AnimatedSticker => base(json!({
                "type": "regular", "width": 512, "height": 512, "is_animated": self == Self::AnimatedSticker,
                "is_video": false, "emoji": "🦞", "set_name": "lobsters",
            })),
        }
    }
}

/// Keeps the file of a call and returns its field in the message.
pub(super) fn kept(state: &mut State, call: &Call<'_>) -> Result<(&'static str, Value), Refusal> {
    let kind = match call.method {
        "sendPhoto" => Sending::Photo,
        "sendVideo" => Sending::Video,
        "sendVideoNote" => Sending::VideoNote,
        "sendAnimation" => Sending::Animation,
        "sendAudio" => Sending::Audio,
        "sendVoice" => Sending::Voice,
        "sendDocument" => Sending::Document,
        "sendSticker" => Sending::Sticker,
        other => return Err(Refusal::bad(format!("the fake cannot do {other}"))),
    };
    let field = kind.field();
    if let Some(upload) = call.asked.uploads.iter().find(|upload| upload.field == field) {
        if upload.bytes.is_empty() {
            return Err(Refusal::bad("file must be non-empty"));
        }
        let limit = if kind == Sending::Photo { MAX_PHOTO } else { MAX_FILE };
        if upload.bytes.len() > limit {
            return Err(Refusal::new(413, "Request Entity Too Large"));
        }
        let (name, bytes) = (upload.file_name.clone(), upload.bytes.clone());
        let id = state.store_file(field, &name, bytes);
        return Ok((field, kind.object(&id, &name, upload.bytes.len())));
    }
    let id = call.text(field).unwrap_or_default();
    match state.files.get(id) {
        Some(file) => Ok((field, kind.object(id, "file", file.bytes.len()))),
        None => Err(Refusal::bad("wrong file identifier/HTTP URL specified")),
    }
}
