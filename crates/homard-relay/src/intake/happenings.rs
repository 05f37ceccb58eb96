//! What is no message: reactions, members, pins, and groups that have a new id.

use homard_channel::{Conversation, Details, Inbound, InboundEvent, Notice, Sender, Threads};
use homard_policy::access::may_be_told;
use homard_policy::routing::destination;
use homard_protocol::{AccountId, ChannelId, PeerId};
use homard_runtime::{Clip, off_thread};
use homard_store::{InboxId, StoreError};
use homard_tools::{Label, Source};

use crate::parts::Intake;

/// Longest text of an event, in characters.
const MAX_TEXT: usize = 1_000;

impl Intake {
    /// Takes something that is no message to where it belongs, and closes its row.
    pub(super) async fn notice(&self, id: InboxId, heard: InboundEvent) {
        let noticed = match heard {
            InboundEvent::Event(event) => self.tell_event(id, event).await,
            InboundEvent::Moved { channel, account, from, to } => {
                self.follow_group(&channel, &account, &from, &to).await;
                Ok(Some("moved"))
            }
            InboundEvent::Message(_) => Ok(Some("a message")),
        };
        match noticed {
            Ok(None) => {}
            Ok(Some(why)) => self.close(vec![id], why).await,
            Err(error) => tracing::warn!(%error, "something that happened waits for the next start"),
        }
    }

    /// Keeps an event for the next turn, if whoever did it may speak.
    async fn tell_event(&self, id: InboxId, event: Notice) -> Result<Option<&'static str>, StoreError> {
        let rules = self.inner().company_rules();
        let account = rules.account(&event.channel, &event.account);
        let let_in = self.inner().store().pairing().allowed(&event.channel, &event.account).await?;
        if !may_be_told(&event, &account.rules, &let_in) {
            tracing::debug!(channel = %event.channel, "an event of somebody who may not speak is left out");
            return Ok(Some("not allowed"));
        }
        let there = self.channels().known(&event.channel, &event.account);
        let threads = there.map_or(Threads::None, |there| there.abilities().threads);
        let label = match &event.sender {
            Sender::Peer { id, .. } => Some(format!("{id} on {}", event.channel)),
            Sender::Operator => None,
        };
        let Notice { channel, account, conversation, sender, key, text, timestamp } = event;
        let text: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let mut text = text.clip_chars(MAX_TEXT).to_owned();
        self.inner().guards().secrets.hide_in(&mut text);
        let as_message = Inbound {
            channel,
            account,
            conversation,
            sender,
            message_id: key,
            text: text.clone(),
            images: Vec::new(),
            timestamp,
            details: Details::default(),
        };
        let place = destination(&rules.routes, &as_message, rules.speaker(&as_message), threads);
        let labels: Vec<Label> =
            label.into_iter().map(|who| Label::new(Source::Message, format!("done by {who}"))).collect();
        self.inner().store().inbox().tell(id, &place.session, text, Label::beside(None, &labels)).await?;
        Ok(None)
    }

    /// A group has a new id: what the owner wrote about the old one belongs to it.
    async fn follow_group(&self, channel: &ChannelId, account: &AccountId, from: &PeerId, to: &PeerId) {
        let accounts = self.inner().accounts();
        let account = accounts.get(channel, account);
        let rules = &account.rules;
        let conversation = Conversation::Group { id: from.clone(), thread: None };
        let is_known = rules.groups.place(&conversation, None).is_listed;
        tracing::warn!(%channel, %from, %to, "a group has a new id");
        if !rules.config_writes || !is_known {
            tracing::warn!(%channel, "write the new id where the old one stands in `channels.{channel}.groups`");
            return;
        }
        for (path, settings) in account.written_groups(from.as_str()) {
            let settings = settings.clone();
            let (new, old) = (format!("{path}[\"{to}\"]"), format!("{path}[\"{from}\"]"));
            let relay = self.clone();
            let written = off_thread(move || relay.inner().rename_in_config(&new, &old, settings));
            match written.await {
                Ok(Ok(())) => tracing::info!(path, "the group's settings have moved to its new id"),
                Ok(Err(error)) => tracing::warn!(%error, path, "the group's settings could not be moved"),
                Err(error) => tracing::warn!(%error, path, "the group's settings could not be moved"),
            }
        }
    }
}
