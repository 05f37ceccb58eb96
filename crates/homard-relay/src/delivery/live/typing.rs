//! "Somebody is typing", as long as something happens.

use std::time::Duration;

use homard_channel::{ChatKind, Content};
use homard_config::config::messages::delivery::TypingMode;
use homard_runtime::OrCancel;
use tokio::time::Instant;

use super::{TurnActivity, WatchedTurn};

/// How long it is said while nothing happens.
const TTL: Duration = Duration::from_secs(2 * 60);

impl WatchedTurn {
    /// Says so until the turn is sealed.
    pub(super) async fn type_along(&self) {
        let sealed = self.run.delivery.sealed();
        let Some(every) = self.style.abilities.and_then(|abilities| abilities.typing) else { return };
        let every =
            self.outgoing.inner().config().delivery.typing_interval.map_or(every, |wanted| wanted.min(every));
        // Whatever is under way when the turn is sealed is let go.
        let _sealed = self.keep_typing(every).or_cancel(sealed).await;
    }

    async fn keep_typing(&self, every: Duration) {
        let mode = self.outgoing.inner().config().delivery.typing;
        let mode = mode.unwrap_or_else(|| usual(self.route.address.chat, self.route.was_mentioned));
        let mut pulse = self.run.narrator.pulse();
        let begins = |pulse: &TurnActivity| match mode {
            TypingMode::Never => false,
            TypingMode::Instant => true,
            TypingMode::Thinking => pulse.thought || pulse.spoke,
            TypingMode::Message => pulse.spoke,
        };
        if mode == TypingMode::Never || pulse.wait_for(begins).await.is_err() {
            return;
        }
        let mut last_beat = Instant::now();
        loop {
            if pulse.has_changed().unwrap_or(false) {
                pulse.mark_unchanged();
                last_beat = Instant::now();
            }
            if last_beat.elapsed() > TTL {
                // It is said again when something happens again.
                if pulse.changed().await.is_err() {
                    return;
                }
                last_beat = Instant::now();
            }
            if let Err(error) = self.say_aside(Content::Typing { voice: false }).await {
                tracing::debug!(%error, "that somebody types could not be said");
            }
            tokio::time::sleep(every).await;
        }
    }
}

/// When typing is shown where the owner says nothing.
fn usual(chat: ChatKind, was_mentioned: bool) -> TypingMode {
    if chat == ChatKind::Direct || was_mentioned { TypingMode::Instant } else { TypingMode::Message }
}
