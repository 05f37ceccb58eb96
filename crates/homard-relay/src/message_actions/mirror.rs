//! What was said to somebody stands in their conversation, so that their answer finds it there.

use homard_channel::{Address, ChatKind, Conversation, Details, Inbound, Sender, Threads};
use homard_policy::routing::destination;
use homard_protocol::SessionKey;
use homard_protocol::events::SessionChange;
use homard_runtime::OrLog;
use homard_store::{DeliveryContext, StoreError};

use super::ActingFor;
use crate::parts::MessageActions;

impl MessageActions {
    /// Writes what was said into the conversation it was said in. Failing is logged: it has been said.
    pub(super) async fn mirror(&self, address: &Address, threads: Threads, acting: &ActingFor, said: String) {
        let key = self.session_at(address, threads);
        if acting.session.as_ref() == Some(&key) {
            return;
        }
        self.inject(&key, address, said).await.or_log("what was sent is not in its conversation");
    }

    /// The conversation an address belongs to.
    pub(crate) fn session_at(&self, address: &Address, threads: Threads) -> SessionKey {
        let Address { channel, account, chat, to, thread } = address.clone();
        let conversation = match chat {
            ChatKind::Direct => Conversation::Direct { peer: to.clone(), thread },
            ChatKind::Group => Conversation::Group { id: to.clone(), thread },
            ChatKind::Channel => Conversation::Room { id: to.clone(), thread },
        };
        let heard = Inbound {
            channel,
            account,
            conversation,
            sender: Sender::Peer { id: to, name: None },
            message_id: String::new(),
            text: String::new(),
            images: Vec::new(),
            timestamp: self.inner().clock().now_ms(),
            details: Details::default(),
        };
        let rules = self.inner().company_rules();
        destination(&rules.routes, &heard, rules.speaker(&heard), threads).session
    }

    async fn inject(&self, key: &SessionKey, address: &Address, said: String) -> Result<(), StoreError> {
        let inner = self.inner();
        let there = DeliveryContext {
            channel: Some(address.channel.to_string()),
            to: Some(address.to.to_string()),
            account_id: Some(address.account.to_string()),
            thread_id: address.thread.as_ref().map(ToString::to_string),
        };
        let chat = address.chat;
        let is_main = key.is_main();
        // The main conversation goes on where the owner was last; any other is where it always is.
        let session = inner.store().sessions().patch(key, move |entry| {
            if !is_main && entry.delivery_context.is_none() {
                entry.delivery_context = Some(there);
                entry.chat_type.get_or_insert_with(|| chat.into());
            }
        });
        let session = session.await?;
        self.sessions().inject(&session, said).await?;
        self.sessions().announce_change(&session, SessionChange::Send);
        Ok(())
    }
}
