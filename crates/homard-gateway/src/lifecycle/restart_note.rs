//! Who is told after a restart: the conversation that asked for it, once, also when it came to nothing.
//!
//! The note is kept before the configuration is written, because the restart may begin the moment it is.

use std::future::Future;

use homard_channel::Inbound;
use homard_protocol::methods::config::ConfigWriteResult;
use homard_protocol::{SessionKey, TurnSource};
use homard_relay::{Queue, TurnOptions};
use homard_runtime::{Clip, OrLog};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::error::RequestError;
use crate::gateway::Gateway;

/// Where the note for after a restart is kept.
const NOTE_KEY: &str = "restart.note";
/// Longest note, in characters.
const MAX_NOTE: usize = 2_000;

/// Who is told what after a restart.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Note {
    session_key: SessionKey,
    text: Option<String>,
    at: i64,
}

impl Note {
    pub(crate) fn new(session_key: SessionKey, text: Option<String>, at: i64) -> Self {
        Self { session_key, text: text.map(|text| text.clip_chars(MAX_NOTE).to_owned()), at }
    }
}

impl Gateway {
    /// Keeps a note for after the restart.
    pub(crate) async fn keep_note(&self, note: &Note) -> Result<(), RequestError> {
        let kept =
            serde_json::to_string(note).map_err(|error| RequestError::unavailable(error.to_string()))?;
        self.store().kv().set(NOTE_KEY, &kept).await.map_err(RequestError::from)
    }

    /// Writes the configuration with a note for after the restart, if one comes of it.
    pub(crate) async fn with_note(
        &self,
        note: Note,
        write: impl Future<Output = Result<ConfigWriteResult, RequestError>>,
    ) -> Result<ConfigWriteResult, RequestError> {
        self.keep_note(&note).await?;
        let written = write.await;
        if !matches!(&written, Ok(written) if written.restart.is_some()) {
            self.forget_note().await;
        }
        written
    }

    async fn forget_note(&self) {
        self.store().kv().set(NOTE_KEY, "").await.or_log("the note of a restart may be told again");
    }

    /// Tells the conversation that asked for a restart that it happened; once. `put_back` says why the
    /// configuration it asked for is not the one in effect.
    pub(crate) async fn deliver_restart_note(&self, put_back: Option<&str>) {
        let what = match put_back {
            Some(words) => format!("[Homard restarted; {words}]"),
            None => "[Homard restarted]".to_owned(),
        };
        self.tell_noted(&what).await;
    }

    /// Tells the conversation that asked for a change that no gateway could start with it.
    pub(crate) async fn tell_refused_restart(&self, reason: &str) {
        self.tell_noted(&format!("[Homard did not restart: {reason}]")).await;
    }

    async fn tell_noted(&self, what: &str) {
        let kept = self.store().kv().get(NOTE_KEY).await.or_log("the note of a restart could not be read");
        let Some(kept) = kept.flatten().filter(|kept| !kept.is_empty()) else { return };
        if let Ok(Note { session_key, text, at }) = serde_json::from_str(&kept) {
            let note = text.map(|text| format!(" Your note from before: {text}")).unwrap_or_default();
            let text = format!(
                "{what}{note}\n\nThis note is from Homard, not from the user. Tell the user briefly what \
                 happened, or answer NO_REPLY if they need not hear it."
            );
            // Where whoever asked for the restart is, they are told of it.
            let to = self
                .relay()
                .messages()
                .route_of(&session_key)
                .await
                .or_log("nobody knows where to say it")
                .flatten();
            let options = TurnOptions::of(TurnSource::Restart).speaking_up(&session_key, to);
            let message =
                Inbound::from_operator(session_key, format!("restart-{at}"), text, self.clock().now_ms());
            if let Err(error) = self.relay().accept(message, options, Queue::Wait).await {
                tracing::warn!(%error, "nobody could be told about the restart");
            }
        }
        self.forget_note().await;
    }
}

/// What a client that asked for a restart is shown of the note.
pub(crate) fn sentinel(kind: &str, note: Option<&Note>, at: i64) -> Value {
    json!({
        "persisted": note.is_some(),
        "payload": {
            "kind": kind,
            "status": "ok",
            "ts": note.map_or(at, |note| note.at),
            "sessionKey": note.map(|note| &note.session_key),
            "message": note.and_then(|note| note.text.as_deref()),
            "doctorHint": null,
            "stats": {"mode": kind},
        },
    })
}
