//! From an update to the inbox, however it came.

use std::time::Duration;

use homard_channel::{InboundEvent, Inbox, InboxClosed};
use homard_runtime::{Mutex, Tasks};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::Telegram;
use super::fragments::Fragments;
use super::hear::{BotContext, SkippedUpdate, hear};
use super::wire::Params;

/// How long the answer to a pressed button may take; people see a spinner until it is there.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(10);

/// What listens.
pub(super) struct UpdateReceiver<'t> {
    telegram: &'t Telegram,
    inbox: Inbox,
    fragments: Mutex<Fragments>,
    /// Answers to pressed buttons.
    answers: Tasks,
}

impl<'t> UpdateReceiver<'t> {
    pub(super) fn new(telegram: &'t Telegram, inbox: Inbox, cancel: &CancellationToken) -> Self {
        Self { telegram, inbox, fragments: Mutex::default(), answers: Tasks::under(cancel) }
    }

    pub(super) fn inbox(&self) -> &Inbox {
        &self.inbox
    }

    /// What an update means; one that means nothing is logged and no more.
    pub(super) fn understand(&self, update: &Value) -> Vec<InboundEvent> {
        let telegram = self.telegram;
        let username = telegram.username();
        let cx = BotContext {
            channel: &telegram.id,
            account: &telegram.account,
            bot_id: telegram.settings.bot_id(),
            username: username.as_deref(),
            commands: &telegram.commands,
            reactions: telegram.settings.reactions,
            recent: &telegram.recent,
            now: telegram.clock.now_ms(),
        };
        let update_id = update.get("update_id").and_then(Value::as_i64);
        match hear(update, &cx) {
            Ok(meaning) => {
                if let Some(id) = meaning.callback {
                    self.answer(id);
                }
                meaning.heard.into_iter().map(|heard| self.joined(heard)).collect()
            }
            Err(SkippedUpdate::Malformed(why)) => {
                tracing::warn!(account = %telegram.account, update_id, why, "an update from Telegram is skipped");
                Vec::new()
            }
            Err(SkippedUpdate::Ignored(why)) => {
                tracing::debug!(account = %telegram.account, update_id, why, "an update from Telegram is of no interest");
                Vec::new()
            }
        }
    }

    /// Hands over what was heard, in order, and waits until it is kept.
    pub(super) async fn keep(&self, heard: Vec<InboundEvent>) -> Result<(), InboxClosed> {
        for one in heard {
            self.inbox.put(one).await?;
        }
        Ok(())
    }

    /// Lets the answers under way end.
    pub(super) async fn finish(&self) {
        self.answers.finish(Duration::from_secs(1)).await;
    }

    /// Marks pieces of a long text.
    fn joined(&self, heard: InboundEvent) -> InboundEvent {
        let InboundEvent::Message(mut message) = heard else { return heard };
        let number = |text: &str| text.parse::<i64>().unwrap_or_default();
        let is_text = message.details.files.is_empty() && message.details.part_of.is_none();
        if let Ok(id) = message.message_id.parse::<i64>()
            && is_text
        {
            let chat = message.conversation.peer().map_or(0, |peer| number(peer.as_str()));
            let topic = message.conversation.thread().map_or(0, |thread| number(thread.as_str()));
            let sender = match &message.sender {
                homard_channel::Sender::Peer { id, .. } => number(id.as_str()),
                homard_channel::Sender::Operator => 0,
            };
            let chars = message.text.chars().count();
            let mut fragments = self.fragments.lock();
            let now = self.telegram.clock.now_ms();
            message.details.part_of = fragments.part_of((chat, sender, topic), id, chars, now);
        }
        InboundEvent::Message(message)
    }

    /// The spinner on a pressed button goes away at once, whatever comes of the press.
    fn answer(&self, id: String) {
        let api = self.telegram.api.clone();
        self.answers.spawn(async move {
            let params = Params::new().with("callback_query_id", id);
            if let Err(error) = api.call_within("answerCallbackQuery", &params, ANSWER_TIMEOUT).await {
                tracing::debug!(%error, "a pressed button was not answered");
            }
        });
    }
}
