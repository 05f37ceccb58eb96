//! The channel seam.

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use homard_protocol::ChannelId;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use crate::abilities::Abilities;
use crate::inbound::Inbound;
use crate::outbound::{Outbound, Receipt};

/// A place people write from. An adapter translates; it decides nothing.
///
/// Implementors: `listen` hands every message to the inbox and tells its platform "received" only after
/// [`Inbox::put`] returned, because only then is the message kept; it returns when `cancel` fires. `deliver`
/// is called for one conversation at a time, in order.
pub trait Channel: Send + Sync + 'static {
    /// Its name in configuration and session keys.
    fn id(&self) -> ChannelId;
    /// What the platform can do.
    fn abilities(&self) -> Abilities;
    /// Hears until cancelled or broken.
    fn listen(
        &self,
        inbox: Inbox,
        cancel: CancellationToken,
    ) -> impl Future<Output = Result<(), ChannelError>> + Send;
    /// Says one thing.
    fn deliver(&self, outbound: Outbound) -> impl Future<Output = Result<Receipt, ChannelError>> + Send;
}

/// Why a platform could not be heard or spoken to.
#[derive(Debug, thiserror::Error)]
pub enum ChannelError {
    /// Credentials are wrong; trying again is useless until the owner acts.
    #[error("the platform refused our credentials: {0}")]
    Refused(String),
    /// The platform asks to wait.
    #[error("the platform asks to wait {} s", .0.as_secs())]
    Wait(Duration),
    /// This message will never be taken.
    #[error("the platform will not take this message: {0}")]
    Permanent(String),
    /// The connection broke; it may work later.
    #[error("could not reach the platform: {0}")]
    Unreachable(String),
}

/// Where an adapter puts what it heard.
#[derive(Debug, Clone)]
pub struct Inbox {
    to_relay: mpsc::Sender<(Inbound, oneshot::Sender<()>)>,
}

/// Nobody takes messages any more; the gateway is stopping. The platform must not be told "received".
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the gateway is stopping and takes no more messages")]
pub struct InboxClosed;

impl Inbox {
    /// An inbox and the end the relay reads: each message comes with the acknowledgement to send once it is
    /// kept. When `capacity` messages wait, adapters wait, which is how a platform learns to slow down.
    #[must_use]
    pub fn new(capacity: usize) -> (Self, mpsc::Receiver<(Inbound, oneshot::Sender<()>)>) {
        let (to_relay, from_adapters) = mpsc::channel(capacity);
        (Self { to_relay }, from_adapters)
    }

    /// Hands over one message and waits until it is kept.
    ///
    /// # Errors
    /// When the relay is gone.
    pub async fn put(&self, message: Inbound) -> Result<(), InboxClosed> {
        let (kept, is_kept) = oneshot::channel();
        if self.to_relay.send((message, kept)).await.is_err() {
            return Err(InboxClosed);
        }
        is_kept.await.or(Err(InboxClosed))
    }
}

type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// [`Channel`] behind a pointer: what the relay holds.
pub trait DynChannel: Send + Sync {
    /// See [`Channel::id`].
    fn id(&self) -> ChannelId;
    /// See [`Channel::abilities`].
    fn abilities(&self) -> Abilities;
    /// See [`Channel::listen`].
    fn listen(&self, inbox: Inbox, cancel: CancellationToken) -> BoxFuture<'_, Result<(), ChannelError>>;
    /// See [`Channel::deliver`].
    fn deliver(&self, outbound: Outbound) -> BoxFuture<'_, Result<Receipt, ChannelError>>;
}

impl<C: Channel> DynChannel for C {
    fn id(&self) -> ChannelId {
        Channel::id(self)
    }

    fn abilities(&self) -> Abilities {
        Channel::abilities(self)
    }

    fn listen(&self, inbox: Inbox, cancel: CancellationToken) -> BoxFuture<'_, Result<(), ChannelError>> {
        Box::pin(Channel::listen(self, inbox, cancel))
    }

    fn deliver(&self, outbound: Outbound) -> BoxFuture<'_, Result<Receipt, ChannelError>> {
        Box::pin(Channel::deliver(self, outbound))
    }
}
