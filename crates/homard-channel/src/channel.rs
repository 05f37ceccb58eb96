//! The channel seam.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::time::Duration;

use homard_protocol::{AccountId, ChannelId};
use homard_runtime::Clock;
use serde_json::Value;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use crate::abilities::Abilities;
use crate::inbound::{Attachment, Fetched, InboundEvent};
use crate::outbound::{KnownNearby, Outbound, Receipt};

/// One of our accounts at a place people write from. An adapter translates; it decides nothing.
///
/// Implementors: `listen` hands everything to the inbox and tells its platform "received" only after [`Inbox::put`]
/// returned, because only then is it kept; it calls [`Inbox::alive`] whenever the platform gave any sign of life, and
/// returns when `cancel` fires. `deliver` is called for one conversation at a time, in order; it never tries again by
/// itself, and never says [`ChannelError::Unreachable`] when the platform may have taken the message.
pub trait Channel: Send + Sync + 'static {
    /// Its name in configuration and session keys.
    fn id(&self) -> ChannelId;
    /// Which of our accounts.
    fn account(&self) -> AccountId;
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
    /// Looks for a message that may have been taken, before it is said again. `None` when it is not there or the
    /// platform cannot tell; then nothing may have changed that people see.
    fn find_sent(
        &self,
        outbound: Outbound,
        known: KnownNearby,
    ) -> impl Future<Output = Result<Option<Receipt>, ChannelError>> + Send {
        // Named only here: an adapter that cannot look leaves this as it is.
        let _nothing_to_look_for = (outbound, known);
        std::future::ready(Ok(None))
    }
    /// Fetches a file that came with a message, unless it is larger than `limit` bytes.
    fn fetch(
        &self,
        file: Attachment,
        limit: u64,
    ) -> impl Future<Output = Result<Fetched, ChannelError>> + Send;
    /// Asks the platform who we are there.
    fn probe(&self) -> impl Future<Output = Result<Probe, ChannelError>> + Send;
}

/// Who we are on a platform.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Probe {
    pub id: Option<String>,
    /// Our name there, without `@`; the one people mention.
    pub username: Option<String>,
    /// What else the platform says that helps a person, for `channels.status`.
    pub facts: Value,
    /// What the owner should change there, in sentences.
    pub advice: Vec<String>,
}

/// Why a platform could not be heard or spoken to.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ChannelError {
    /// Credentials are wrong; trying again is useless until the owner acts.
    #[error("the platform refused our credentials: {0}")]
    Refused(String),
    /// The platform asks to wait. The message was not taken.
    #[error("the platform asks to wait {} s", .0.as_secs())]
    Wait(Duration),
    /// This will never be taken.
    #[error("the platform will not take this message: {0}")]
    Permanent(String),
    /// The connection broke before anything was taken; it may work later.
    #[error("could not reach the platform: {0}")]
    Unreachable(String),
    /// The connection broke when the platform may have taken it already.
    #[error("nobody knows whether the platform took it: {0}")]
    Unknown(String),
    /// A file is larger than the limit.
    #[error("the file has {size} bytes, more than the {limit} that are fetched")]
    TooLarge { size: u64, limit: u64 },
}

/// What the relay reads: a thing heard, and the acknowledgement to send once it is kept.
pub type InboxItem = (InboundEvent, oneshot::Sender<()>);

/// Where an adapter puts what it heard.
#[derive(Debug, Clone)]
pub struct Inbox {
    to_relay: mpsc::Sender<InboxItem>,
    last_sign: Arc<AtomicI64>,
    has_sign: Arc<AtomicBool>,
    clock: Clock,
}

/// Nobody takes messages any more; the gateway is stopping. The platform must not be told "received".
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the gateway is stopping and takes no more messages")]
pub struct InboxClosed;

impl Inbox {
    /// An inbox over the end that writes to the relay. When as many wait as that end holds, adapters wait, which is
    /// how a platform learns to slow down.
    #[must_use]
    pub fn new(to_relay: mpsc::Sender<InboxItem>, clock: Clock) -> Self {
        let last_sign = Arc::new(AtomicI64::new(clock.now_ms()));
        Self { to_relay, last_sign, has_sign: Arc::default(), clock }
    }

    /// Hands over one thing and waits until it is kept.
    ///
    /// # Errors
    /// When the relay is gone.
    pub async fn put(&self, heard: InboundEvent) -> Result<(), InboxClosed> {
        self.alive();
        let (kept, is_kept) = oneshot::channel();
        if self.to_relay.send((heard, kept)).await.is_err() {
            return Err(InboxClosed);
        }
        is_kept.await.or(Err(InboxClosed))
    }

    /// The platform gave a sign of life.
    pub fn alive(&self) {
        self.last_sign.store(self.clock.now_ms(), Ordering::Relaxed);
        self.has_sign.store(true, Ordering::Relaxed);
    }

    /// Whether the platform has given any sign of life: whether one is connected.
    #[must_use]
    pub fn has_sign(&self) -> bool {
        self.has_sign.load(Ordering::Relaxed)
    }

    /// When the platform last gave a sign of life, in milliseconds since 1970.
    #[must_use]
    pub fn last_sign(&self) -> i64 {
        self.last_sign.load(Ordering::Relaxed)
    }
}

/// What is returned where a trait object is needed.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// [`Channel`] behind a pointer: what the relay holds.
pub trait DynChannel: Send + Sync {
    /// See [`Channel::id`].
    fn id(&self) -> ChannelId;
    /// See [`Channel::account`].
    fn account(&self) -> AccountId;
    /// See [`Channel::abilities`].
    fn abilities(&self) -> Abilities;
    /// See [`Channel::listen`].
    fn listen(&self, inbox: Inbox, cancel: CancellationToken) -> BoxFuture<'_, Result<(), ChannelError>>;
    /// See [`Channel::deliver`].
    fn deliver(&self, outbound: Outbound) -> BoxFuture<'_, Result<Receipt, ChannelError>>;
    /// See [`Channel::find_sent`].
    fn find_sent(
        &self,
        outbound: Outbound,
        known: KnownNearby,
    ) -> BoxFuture<'_, Result<Option<Receipt>, ChannelError>>;
    /// See [`Channel::fetch`].
    fn fetch(&self, file: Attachment, limit: u64) -> BoxFuture<'_, Result<Fetched, ChannelError>>;
    /// See [`Channel::probe`].
    fn probe(&self) -> BoxFuture<'_, Result<Probe, ChannelError>>;
}

impl<C: Channel> DynChannel for C {
    fn id(&self) -> ChannelId {
        Channel::id(self)
    }

    fn account(&self) -> AccountId {
        Channel::account(self)
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

    fn find_sent(
        &self,
        outbound: Outbound,
        known: KnownNearby,
    ) -> BoxFuture<'_, Result<Option<Receipt>, ChannelError>> {
        Box::pin(Channel::find_sent(self, outbound, known))
    }

    fn fetch(&self, file: Attachment, limit: u64) -> BoxFuture<'_, Result<Fetched, ChannelError>> {
        Box::pin(Channel::fetch(self, file, limit))
    }

    fn probe(&self) -> BoxFuture<'_, Result<Probe, ChannelError>> {
        Box::pin(Channel::probe(self))
    }
}

/// A channel that can be held by many.
pub type SharedChannel = Arc<dyn DynChannel>;
