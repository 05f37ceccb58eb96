//! The words that wake listening nodes: one list, kept here, told to every node when it comes and when it changes.

use homard_protocol::event::Event;
use homard_protocol::events::VoicewakeChangedEvent;
use homard_protocol::methods::voice::wake_words::{
    DEFAULT_WAKE_WORDS, MAX_WAKE_WORD, MAX_WAKE_WORDS, WakeWords,
};
use homard_store::StoreError;

use crate::Nodes;
use crate::registry::NodeSocket;

/// Where the words are kept.
const KEY: &str = "voicewake.triggers";

impl Nodes {
    /// The words in effect.
    ///
    /// # Errors
    /// When they cannot be looked up.
    pub async fn wake_words(&self) -> Result<WakeWords, StoreError> {
        let kept = self.store.kv().get(KEY).await?;
        let triggers: Vec<String> =
            kept.and_then(|kept| serde_json::from_str(&kept).ok()).unwrap_or_default();
        Ok(WakeWords { triggers: tidy(&triggers) })
    }

    /// Keeps other words and tells everybody.
    ///
    /// # Errors
    /// When they cannot be kept.
    pub async fn set_wake_words(&self, triggers: &[String]) -> Result<WakeWords, StoreError> {
        let words = WakeWords { triggers: tidy(triggers) };
        let kept = homard_runtime::json::to_text(&words.triggers);
        self.store.kv().set(KEY, &kept).await?;
        self.bus.publish(&VoicewakeChangedEvent(words.clone()));
        if let Ok(payload) = serde_json::to_string(&words) {
            self.registry.tell_all(VoicewakeChangedEvent::NAME, &payload);
        }
        Ok(words)
    }
}

/// Tells one node.
pub(crate) fn tell(socket: &dyn NodeSocket, words: &WakeWords) {
    if let Ok(payload) = serde_json::to_string(words) {
        socket.tell(VoicewakeChangedEvent::NAME, &payload);
    }
}

/// Words as nodes can use them; none at all means the usual ones.
fn tidy(triggers: &[String]) -> Vec<String> {
    let words = triggers.iter().map(|word| cut(word.trim())).filter(|word| !word.is_empty());
    let words: Vec<String> = words.take(MAX_WAKE_WORDS).collect();
    if words.is_empty() { DEFAULT_WAKE_WORDS.map(str::to_owned).to_vec() } else { words }
}

/// At most [`MAX_WAKE_WORD`] UTF-16 units, and no half character.
fn cut(word: &str) -> String {
    let mut units = 0;
    word.chars()
        .take_while(|c| {
            units += c.len_utf16();
            units <= MAX_WAKE_WORD
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::tidy;

    #[test]
    fn words_are_trimmed_counted_and_cut_and_none_means_the_usual_ones() {
        let tidy = |words: &[&str]| tidy(&words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>());
        assert_eq!(tidy(&[]), ["openclaw", "claude", "computer"]);
        assert_eq!(tidy(&[" ", ""]), ["openclaw", "claude", "computer"]);
        assert_eq!(tidy(&[" hey lobster ", ""]), ["hey lobster"]);
        assert_eq!(tidy(&["🦞".repeat(40).as_str()]), ["🦞".repeat(32)]);
        assert_eq!(tidy(&["x"; 50]).len(), 32);
    }
}
