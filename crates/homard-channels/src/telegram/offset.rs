//! How far updates were heard, across restarts.

use std::path::{Path, PathBuf};

use homard_protocol::AccountId;
use homard_runtime::{OrLog as _, off_thread, replace_shared};
use serde::{Deserialize, Serialize};

const VERSION: u32 = 2;
/// After a week without updates the server may begin to count anywhere, so an older mark says nothing.
const TRUST_MS: i64 = 6 * 24 * 60 * 60 * 1_000;

/// The file of an account.
pub(super) fn file(state_dir: &Path, account: &AccountId) -> PathBuf {
    state_dir.join("telegram").join(format!("update-offset-{account}.json"))
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Kept {
    version: u32,
    last_update_id: Option<i64>,
    /// Another bot counts its own updates.
    #[serde(default)]
    bot_id: Option<String>,
    /// When, in milliseconds since 1970.
    #[serde(default)]
    updated_at: Option<i64>,
}

/// The last update that is kept by us, and when it came.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Offset {
    last: Option<i64>,
    at: i64,
}

impl Offset {
    /// What the file says about this bot; nothing when it is not there or not readable.
    pub(super) async fn load(file: &Path, bot_id: Option<i64>, now: i64) -> Self {
        let text = match tokio::fs::read(file).await {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Self::default(),
            Err(error) => {
                tracing::warn!(%error, "how far Telegram was heard cannot be read; it is asked from the start");
                return Self::default();
            }
        };
        let Some(kept) = serde_json::from_slice::<Kept>(&text)
            .or_log("how far Telegram was heard is not readable; it is asked from the start")
        else {
            return Self::default();
        };
        let is_ours = kept.bot_id.is_none() || kept.bot_id == bot_id.map(|id| id.to_string());
        match kept.last_update_id.filter(|id| is_ours && *id >= 0) {
            Some(last) => Self { last: Some(last), at: kept.updated_at.unwrap_or(now) },
            None => Self::default(),
        }
    }

    /// Notes an update as kept.
    pub(super) fn reached(&mut self, update_id: i64, now: i64) {
        let is_stale = now.saturating_sub(self.at) > TRUST_MS;
        self.last = Some(self.last.filter(|_| !is_stale).map_or(update_id, |last| last.max(update_id)));
        self.at = now;
    }

    /// What to ask the server for.
    pub(super) fn next(&self, now: i64) -> Option<i64> {
        self.last.filter(|_| now.saturating_sub(self.at) <= TRUST_MS).map(|last| last.saturating_add(1))
    }

    /// Writes it down, beside the old file first.
    pub(super) async fn save(&self, file: &Path, bot_id: Option<i64>) -> std::io::Result<()> {
        let kept = Kept {
            version: VERSION,
            last_update_id: self.last,
            bot_id: bot_id.map(|id| id.to_string()),
            updated_at: Some(self.at),
        };
        let text = serde_json::to_vec(&kept)?;
        let file = file.to_path_buf();
        // One visit to the file system: the messages heard are being answered meanwhile.
        off_thread(move || write_beside(&file, &text)).await?
    }
}

fn write_beside(file: &Path, text: &[u8]) -> std::io::Result<()> {
    match (replace_shared(file, text), file.parent()) {
        (Err(error), Some(folder)) if error.kind() == std::io::ErrorKind::NotFound => {
            std::fs::create_dir_all(folder)?;
            replace_shared(file, text)
        }
        (written, _) => written,
    }
}

#[cfg(test)]
mod tests;
