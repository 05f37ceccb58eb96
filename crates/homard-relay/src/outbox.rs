//! What goes out to chat platforms: written down, then sent, in order for every conversation.

use std::time::Duration;

use homard_channel::{Address, Outbound, Receipt};
use homard_store::StoreError;

use crate::relay::Relay;

/// Something to say in a conversation, in Markdown; it is written in the platform's dialect and cut to its size.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Saying {
    /// Where.
    pub address: Address,
    /// What, in Markdown.
    pub text: String,
    /// The message it answers to.
    pub reply_to: Option<String>,
    /// The key under which saying it twice is harmless; its parts are numbered behind it.
    pub key: String,
}

/// Why something could not be sent.
#[derive(Debug, thiserror::Error)]
pub enum SendError {
    /// No such account is connected.
    #[error("{channel} account `{account}` is not connected; see `homard channels status`")]
    NotConnected {
        /// The platform.
        channel: String,
        /// The account.
        account: String,
    },
    /// The platform would not have it.
    #[error(transparent)]
    Channel(#[from] homard_channel::ChannelError),
    /// It could not be written down, so it is not sent.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// It is written down and will be sent, but nobody waits that long.
    #[error("the message is kept and goes out later: {0}")]
    Later(String),
}

impl Relay {
    /// Keeps something to be said and returns; it goes out as soon as it can.
    ///
    /// # Errors
    /// When it cannot be written down.
    #[expect(clippy::unused_async, reason = "keeping is not built yet")]
    pub async fn say(&self, saying: Saying) -> Result<(), StoreError> {
        tracing::warn!(key = saying.key, "there is no outbox yet");
        Ok(())
    }

    /// Keeps a message, sends it in its conversation's order, and waits for the receipt, at most for `limit`.
    ///
    /// # Errors
    /// When it cannot be kept, or the platform will not take it, or `limit` passes first.
    pub async fn send(&self, outbound: Outbound, limit: Duration) -> Result<Receipt, SendError> {
        let Address { channel, account, .. } = &outbound.address;
        let Some(there) = self.inner().channels().get(channel, account) else {
            let (channel, account) = (channel.to_string(), account.to_string());
            return Err(SendError::NotConnected { channel, account });
        };
        match tokio::time::timeout(limit, there.deliver(outbound)).await {
            Ok(sent) => Ok(sent?),
            Err(_late) => Err(SendError::Later("the platform has not answered yet".to_owned())),
        }
    }
}
