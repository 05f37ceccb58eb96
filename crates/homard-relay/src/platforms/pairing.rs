//! A stranger writes: they are told once how to be let in, and the owner is told that they ask.

use std::collections::BTreeMap;

use homard_channel::{Address, ChatKind, Inbound, Sender};
use homard_policy::access::{AccountRules, owner_ids, pairing_reply, plain_name};
use homard_protocol::events::ChannelsPairingRequestedEvent;
use homard_protocol::{AccountId, ChannelId, PeerId};
use homard_runtime::{CollectOrdered as _, OrLog};
use homard_store::{PairingAsked, PairingRequest, StoreError};

use crate::delivery::outbox::OutgoingText;
use crate::parts::Intake;
use crate::platforms::pairing_row::{pairing_account, pairing_row};

/// Most people who are told that somebody asks.
const MAX_OWNERS: usize = 3;
/// The fact that names the message somebody first wrote.
const FIRST_MESSAGE: &str = "messageId";

impl Intake {
    /// Notes that a stranger wrote. The first time they are told their code, and the owner, where one of ours reaches
    /// them, is told that somebody asks. `id_label` is what the platform calls its ids.
    ///
    /// # Errors
    /// When it cannot be written down; nobody is told anything then.
    pub(crate) async fn stranger_asks(
        &self,
        message: &Inbound,
        rules: &AccountRules,
        id_label: &str,
    ) -> Result<PairingAsked, StoreError> {
        let Sender::Peer { id, name } = &message.sender else { return Ok(PairingAsked::Full) };
        let facts = [("name", name.as_ref()), ("username", message.details.username.as_ref())];
        let facts = facts.into_iter().filter_map(|(fact, value)| Some((fact.to_owned(), plain_name(value?))));
        let mut meta: BTreeMap<String, String> = facts.collect_map();
        meta.insert(FIRST_MESSAGE.to_owned(), message.message_id.clone());
        let store = self.inner().store();
        let asked = store.pairing().request(&message.channel, &message.account, id, meta).await?;
        let code = match &asked {
            PairingAsked::Created(code) => code,
            // The same message again: a crash came before they were told, or after. Saying it twice is harmless.
            PairingAsked::Known { code, meta } if meta.get(FIRST_MESSAGE) == Some(&message.message_id) => {
                code
            }
            PairingAsked::Known { .. } | PairingAsked::Full | PairingAsked::LetIn => return Ok(asked),
        };
        tracing::info!(channel = %message.channel, account = %message.account, sender = %id, "a stranger asks to be let in");
        if let PairingAsked::Created(code) = &asked {
            self.tell_clients(message, rules, code).await;
        }
        self.outgoing()
            .say(OutgoingText {
                address: Address {
                    channel: message.channel.clone(),
                    account: message.account.clone(),
                    chat: ChatKind::Direct,
                    to: message.conversation.peer().unwrap_or(id).clone(),
                    thread: message.conversation.thread().cloned(),
                },
                text: pairing_reply(&message.channel, id_label, id.as_str(), code),
                reply_to: None,
                key: format!("pairing:{}:{code}", message.channel),
            })
            .await?;
        self.tell_owners(message, rules, id, code).await;
        Ok(asked)
    }

    /// Tells those clients who may decide.
    async fn tell_clients(&self, message: &Inbound, rules: &AccountRules, code: &str) {
        let waiting = self.inner().store().pairing().waiting().await.unwrap_or_else(|error| {
            tracing::warn!(%error, "clients could not be told that a stranger asks");
            Vec::new()
        });
        let is_meant = |request: &PairingRequest| request.channel == message.channel && request.code == code;
        let Some(request) = waiting.into_iter().find(is_meant) else { return };
        let account = pairing_account(&request.channel, &request.account, rules.name.clone());
        self.inner().bus().publish(&ChannelsPairingRequestedEvent(pairing_row(account, request)));
    }

    /// Tells the owner, on every platform where they are named and we are connected.
    async fn tell_owners(&self, message: &Inbound, rules: &AccountRules, who: &PeerId, code: &str) {
        let called = match &message.sender {
            Sender::Peer { name: Some(name), .. } => {
                format!(", who calls themselves “{}”,", plain_name(name))
            }
            Sender::Peer { .. } | Sender::Operator => String::new(),
        };
        let channel = &message.channel;
        let text = format!(
            "`{}`{called} wrote to me on {channel} and I do not know them. Let them in with \
             `homard pairing approve {channel} {code}`, or do nothing.",
            plain_name(who.as_str()),
        );
        for (channel, id) in owner_ids(&self.inner().company_rules().commands, rules, &message.channel)
            .into_iter()
            .take(MAX_OWNERS)
        {
            let Some(address) = self.reach(&channel, &id, message) else { continue };
            let key = format!("pairing-asked:{}:{channel}:{id}:{code}", message.channel);
            let saying = OutgoingText { address, text: text.clone(), reply_to: None, key };
            self.outgoing().say(saying).await.or_log("the owner could not be told that a stranger asks");
        }
    }

    /// Where somebody can be reached: on the same account, else on the default one, if that is connected.
    fn reach(&self, channel: &ChannelId, id: &str, message: &Inbound) -> Option<Address> {
        let account =
            if *channel == message.channel { message.account.clone() } else { AccountId::default_account() };
        self.channels().get(channel, &account)?;
        let to = PeerId::parse(id).ok()?;
        Some(Address { channel: channel.clone(), account, chat: ChatKind::Direct, to, thread: None })
    }
}
