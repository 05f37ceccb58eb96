//! One message that grows with the answer, where the platform can change messages.
//!
//! The first text is kept like any message, so that its id survives a crash; the changes are not, because the answer
//! itself is the last of them.

use std::time::Duration;

use homard_channel::{Act, ChannelError, Content, RichText, shape_text};
use homard_policy::reply::{PrefixFacts, may_be_silent, split_media, with_prefix};
use homard_runtime::{OrCancel, OrLog};
use tokio::time::Instant;

use super::WatchedTurn;
use crate::delivery::answer::{FinalReply, preview_key, preview_of};
use crate::delivery::run_delivery::ShownAnswer;

/// The shortest text that is shown, in characters.
const SHORTEST: usize = 30;
/// Time between two changes.
const EVERY: Duration = Duration::from_secs(1);
/// How long the platform may take for the first text.
const FIRST_LIMIT: Duration = Duration::from_secs(60);
/// How long the end of a turn waits for a first text that is on its way.
const LAST_WAIT: Duration = Duration::from_secs(10);

impl WatchedTurn {
    /// Shows the answer until the turn is sealed.
    pub(super) async fn show_preview(&self) -> ShownAnswer {
        let sealed = self.run.delivery.sealed().clone();
        let mut preview = match self.first_text().or_cancel(&sealed).await {
            Ok(words) => self.send_first(words).await,
            Err(_sealed) => None,
        };
        if let Some(message_id) = &preview {
            self.keep_changing(message_id).await;
        }
        sealed.cancelled().await;
        if preview.is_none() {
            // One that the platform has not taken by now would come right before the whole answer.
            let withdrawn = self.outgoing.inner().store().outbox().withdraw(&preview_key(&self.run.id)).await;
            withdrawn.or_log("a preview could not be taken back");
            // It may have been taken late; and a turn that a restart cut off may have shown something before.
            preview = preview_of(&self.outgoing, &self.run.id).await;
        }
        ShownAnswer { preview, ..ShownAnswer::default() }
    }

    /// Waits until there is enough to show.
    async fn first_text(&self) -> RichText {
        let mut pulse = self.run.narrator.pulse();
        loop {
            if let Some(words) = self.words().filter(|words| words.plain.chars().count() >= SHORTEST) {
                return words;
            }
            if pulse.changed().await.is_err() {
                std::future::pending::<()>().await;
            }
        }
    }

    /// What can be shown now.
    fn words(&self) -> Option<RichText> {
        let text = self.run.narrator.text();
        if may_be_silent(&text) {
            return None;
        }
        let (mut text, _media) = split_media(&text);
        if let Some(template) = &self.style.prefix {
            text = with_prefix(template, &PrefixFacts::default(), &text);
        }
        shape_text(&text, self.style.shape).into_iter().next()
    }

    async fn send_first(&self, words: RichText) -> Option<String> {
        let speech = FinalReply {
            outgoing: &self.outgoing,
            run: &self.run,
            route: &self.route,
            style: &self.style,
            wishes: &[],
            facts: PrefixFacts::default(),
            before: 0,
        };
        let key = preview_key(&self.run.id);
        let reply_to =
            self.route.message_id.clone().filter(|_| self.style.replies_to(0) && self.is_threaded());
        let row = speech.row(key.clone(), reply_to, Content::Text { words, buttons: Vec::new() });
        let sending = self.outgoing.send_row(row, FIRST_LIMIT);
        tokio::pin!(sending);
        let sealed = self.run.delivery.sealed();
        let sent = match (&mut sending).or_cancel(sealed).await {
            Ok(sent) => sent.ok(),
            Err(_sealed) => {
                let withdrawn = self.outgoing.inner().store().outbox().withdraw(&key).await;
                match withdrawn.or_log("a preview could not be taken back") {
                    Some(true) => None,
                    Some(false) | None => {
                        tokio::time::timeout(LAST_WAIT, sending).await.ok().and_then(Result::ok)
                    }
                }
            }
        };
        sent.map(|receipt| receipt.message_id).filter(|id| !id.is_empty())
    }

    /// Whether answers are shown as replies by themselves.
    fn is_threaded(&self) -> bool {
        use homard_policy::reply::ReplyToMode;
        match self.style.reply_mode {
            ReplyToMode::First | ReplyToMode::All => true,
            ReplyToMode::Off | ReplyToMode::Batched => false,
        }
    }

    /// Changes the message as the answer grows.
    async fn keep_changing(&self, message_id: &str) {
        let sealed = self.run.delivery.sealed();
        let mut pulse = self.run.narrator.pulse();
        let mut shown: Option<RichText> = None;
        let mut next = Instant::now() + EVERY;
        if !self.style.can(Act::Edit) {
            return;
        }
        loop {
            let ready = async {
                tokio::time::sleep_until(next).await;
                pulse.changed().await
            };
            match ready.or_cancel(sealed).await {
                Ok(Ok(())) => {}
                Ok(Err(_)) | Err(_) => return,
            }
            let Some(words) = self.words().filter(|words| shown.as_ref() != Some(words)) else { continue };
            let edit = Content::Edit {
                message_id: message_id.to_owned(),
                words: words.clone(),
                buttons: Vec::new(),
            };
            // Not let go of when the turn is sealed: it would arrive after the answer.
            match self.say_aside(edit).await {
                Ok(_) => shown = Some(words),
                Err(ChannelError::Wait(time)) => next = Instant::now() + time.max(EVERY),
                Err(ChannelError::Permanent(_) | ChannelError::Refused(_)) => return,
                Err(error) => tracing::debug!(%error, "a preview could not be changed"),
            }
            next = next.max(Instant::now() + EVERY);
        }
    }
}
