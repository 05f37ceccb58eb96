//! Files that come with a message: what models are shown goes into the message, everything else is kept beside the
//! files of chat platforms and named in the message, so that tools can be used on it.

use crate::error::RequestError;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use homard_policy::envelope::{AttachedFile, media_note};
use homard_protocol::UserBlock;
use homard_protocol::limits::MAX_ATTACHMENT_BYTES;
use homard_protocol::methods::chat::Attachment;

use crate::gateway::Gateway;
use crate::methods::chat::{is_for_models, mime_and_data, read_images};

/// Most files of one message.
const MAX_FILES: usize = 32;
/// What a file is when nobody says.
const UNKNOWN: &str = "application/octet-stream";

/// What came with a message.
pub(crate) struct ChatFiles {
    /// What the model is shown.
    pub(crate) blocks: Vec<UserBlock>,
    /// The files that were kept, in the words models know; empty when there are none.
    note: String,
}

impl ChatFiles {
    /// Whether nothing came.
    pub(crate) fn is_empty(&self) -> bool {
        self.blocks.is_empty() && self.note.is_empty()
    }

    /// The message's text with the files named before it.
    pub(crate) fn told(&self, text: String) -> String {
        match (self.note.is_empty(), text.trim().is_empty()) {
            (true, _) => text,
            (false, true) => self.note.clone(),
            (false, false) => format!("{}\n\n{text}", self.note),
        }
    }
}

/// Takes what came with a message; all of it or nothing.
pub(crate) async fn take(gateway: &Gateway, files: &[Attachment]) -> Result<ChatFiles, RequestError> {
    if files.len() > MAX_FILES {
        return Err(RequestError::invalid(format!("at most {MAX_FILES} files can be sent with one message")));
    }
    let (shown, kept): (Vec<&Attachment>, Vec<&Attachment>) =
        files.iter().partition(|file| is_for_models(mime_and_data(file).0));
    let shown: Vec<Attachment> = shown.into_iter().cloned().collect();
    let blocks = read_images(&shown)?;
    let read = kept.into_iter().map(decode).collect::<Result<Vec<_>, _>>()?;
    let mut saved = Vec::with_capacity(read.len());
    for (name, mime, bytes) in read {
        let Some((path, mime)) = gateway.relay().turns().keep_file(name, mime, bytes).await else {
            return Err(RequestError::unavailable("a file could not be kept; the gateway's log says why"));
        };
        saved.push(AttachedFile { path, mime: Some(mime), url: None });
    }
    Ok(ChatFiles { blocks, note: media_note(&saved) })
}

fn decode(file: &Attachment) -> Result<(Option<&str>, &str, Vec<u8>), RequestError> {
    let name = file.file_name.as_deref();
    let called = name.unwrap_or("attachment");
    let (mime, data) = mime_and_data(file);
    let bytes = u64::try_from(data.len()).unwrap_or(u64::MAX) / 4 * 3;
    if data.is_empty() || bytes > MAX_ATTACHMENT_BYTES {
        return Err(RequestError::invalid(format!(
            "`{called}` is empty or larger than {MAX_ATTACHMENT_BYTES} bytes"
        )));
    }
    let bytes = STANDARD.decode(data);
    let bytes = bytes.map_err(|_bad| RequestError::invalid(format!("`{called}` is not valid base64")))?;
    Ok((name, if mime.is_empty() { UNKNOWN } else { mime }, bytes))
}
