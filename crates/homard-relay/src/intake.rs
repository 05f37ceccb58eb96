//! From what a platform told us to a message that waits for its turn.
//!
//! ```text
//! heard ─► kept (the inbox) ─► "received" ─► gathered ─► judged ─► admitted ─► obeyed, or told to a model
//! ```
//!
//! `listen_to` keeps and acknowledges; every conversation has a worker (`conversation_worker`) in which its messages are gathered
//! and taken one after the other; `inbound` takes them. What is closed in the inbox never comes back; what is not is
//! taken up again after a restart.

pub(crate) mod admit;
pub(crate) mod call_quota;
mod chat_place;
mod conversation_worker;
mod directives;
mod dispatch;
mod gather;
mod happenings;
mod inbound;
mod meaning;
mod media;
mod media_quota;
pub(crate) mod origin;
mod prompt;
pub(crate) mod route;
pub(crate) mod rules;
mod stop_fast_path;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, MutexGuard};

use homard_channel::{Conversation, Inbound, InboundEvent, InboxItem, Sender};
use homard_policy::access::{BotLoops, GroupHistory};
use homard_protocol::RunId;
use homard_runtime::{Mutex, OrLog, Tasks, hex};
use homard_store::{InboxId, KeptHeard, NewHeard, StoreError};
use sha2::{Digest, Sha256};
use tokio::sync::{Semaphore, mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use crate::events::DomainEvent;
use crate::intake::conversation_worker::ConversationWorkers;
use crate::intake::gather::KeptEvent;
use crate::intake::media_quota::MediaQuota;
use crate::intake::stop_fast_path::StopFastPath;
use crate::parts::Intake;
use crate::trail;

/// Messages that are kept in one go.
const BATCH: usize = 64;
/// Messages between being kept and being taken, of all conversations; when as many are under way, platforms wait.
const MAX_UNDER_WAY: usize = 4_096;
/// Longest message that is kept, in bytes of its JSON; no platform has longer ones.
const MAX_PAYLOAD: usize = 4 << 20;
/// Bytes of a hash that name a run.
const NAME_BYTES: usize = 16;

/// What the intake remembers between messages.
pub(crate) struct IntakeState {
    workers: ConversationWorkers,
    stops: StopFastPath,
    under_way: Arc<Semaphore>,
    has_taken_up: AtomicBool,
    company: Mutex<Company>,
}

/// What was overheard and who answers whom; gone after a restart.
#[derive(Default)]
struct Company {
    history: GroupHistory,
    bots: BotLoops,
    media: MediaQuota,
}

impl IntakeState {
    pub(crate) fn new(tasks: Tasks) -> Self {
        Self {
            workers: ConversationWorkers::new(tasks),
            stops: StopFastPath::default(),
            under_way: Arc::new(Semaphore::new(MAX_UNDER_WAY)),
            has_taken_up: AtomicBool::new(false),
            company: Mutex::default(),
        }
    }

    fn company(&self) -> MutexGuard<'_, Company> {
        self.company.lock()
    }
}

impl Intake {
    /// Takes what adapters hear until `cancel` fires or nobody speaks any more. Each thing is acknowledged once it is
    /// kept. The first call also takes up what an earlier process kept and did not come to.
    pub(crate) async fn listen_to(self, mut heard: mpsc::Receiver<InboxItem>, cancel: CancellationToken) {
        if !self.state().has_taken_up.swap(true, Ordering::SeqCst) {
            self.take_up_again().await.or_log("what was heard before the restart could not be read");
        }
        let mut batch = Vec::with_capacity(BATCH);
        loop {
            let came = tokio::select! {
                biased;
                () = cancel.cancelled() => 0,
                came = heard.recv_many(&mut batch, BATCH) => came,
            };
            if came == 0 {
                return;
            }
            self.keep_all(batch.drain(..)).await;
        }
    }

    /// Keeps what was heard, acknowledges it, and passes it on in the same order.
    async fn keep_all(&self, batch: impl Iterator<Item = InboxItem>) {
        let mut posted = Vec::with_capacity(BATCH);
        for (heard, ack) in batch {
            let (channel, account) = heard.our_account();
            self.channels().note_heard(channel, account, self.inner().clock().now_ms());
            let Some(new) = to_keep(&heard) else {
                acknowledge(ack);
                continue;
            };
            match self.inner().store().inbox().post(new).await {
                Ok(kept) => posted.push((heard, ack, kept)),
                // Not acknowledged: the platform tells us again.
                Err(error) => tracing::error!(%error, "a message could not be kept"),
            }
        }
        for (heard, ack, kept) in posted {
            match kept.await {
                Ok(KeptHeard::New(id)) => {
                    acknowledge(ack);
                    if let InboundEvent::Message(message) = &heard {
                        trail::received(message);
                    }
                    self.inner().events().publish_with(|| {
                        let (channel, account) = heard.our_account();
                        DomainEvent::MessageReceived { channel: channel.clone(), account: account.clone() }
                    });
                    self.pass_on(id, heard).await;
                }
                Ok(KeptHeard::Known) => {
                    tracing::debug!(key = heard.key(), "heard before");
                    acknowledge(ack);
                }
                Err(error) => tracing::error!(%error, "a message could not be kept"),
            }
        }
    }

    async fn take_up_again(&self) -> Result<(), StoreError> {
        let rows = self.inner().store().inbox().unfinished().await?;
        if !rows.is_empty() {
            tracing::info!(messages = rows.len(), "taking up messages that were heard before the restart");
        }
        for row in rows {
            match serde_json::from_str::<InboundEvent>(&row.payload) {
                Ok(heard) => self.pass_on(row.id, heard).await,
                Err(error) => {
                    tracing::warn!(%error, "a kept message cannot be read any more");
                    self.close(vec![row.id], "unreadable").await;
                }
            }
        }
        Ok(())
    }

    /// Puts something into its conversation's worker.
    async fn pass_on(&self, id: InboxId, heard: InboundEvent) {
        let intake = self.state();
        let Ok(permit) = Arc::clone(&intake.under_way).acquire_owned().await else { return };
        self.note_stop(id, &heard);
        let kept = KeptEvent { id, event: heard, permit: Some(permit) };
        if let Err(full) = intake.workers.put(self, kept) {
            tracing::warn!(?id, "too many messages in one conversation; one was left out");
            if let InboundEvent::Message(message) = &full.event {
                self.reached(message, &[id]);
            }
            self.close(vec![id], "too many at once").await;
        }
    }

    /// Nothing comes of these, for a reason.
    async fn close(&self, ids: Vec<InboxId>, reason: &str) {
        let closed = self.inner().store().inbox().finish(ids, reason.to_owned()).await;
        closed.or_log("a message that came to nothing could not be closed; it is looked at again");
    }
}

/// What is written down of something heard; `None` when nothing should be.
fn to_keep(heard: &InboundEvent) -> Option<NewHeard> {
    let (channel, account) = heard.our_account();
    // An adapter has no operators, and does not choose conversations.
    if let InboundEvent::Message(message) = heard
        && (message.sender == Sender::Operator || matches!(message.conversation, Conversation::Session(_)))
    {
        tracing::warn!(%channel, "an adapter handed in a message that is not from its platform; it is left out");
        return None;
    }
    let payload = serde_json::to_string(heard).or_log("something heard could not be written down")?;
    if payload.len() > MAX_PAYLOAD {
        tracing::warn!(%channel, bytes = payload.len(), "a message is too long; it is left out");
        return None;
    }
    Some(NewHeard { channel: channel.clone(), account: account.clone(), key: heard.key(), payload })
}

fn acknowledge(ack: oneshot::Sender<()>) {
    if ack.send(()).is_err() {
        tracing::debug!("nobody waits for an acknowledgement any more");
    }
}

/// The run of a platform's message: the same message always makes the same run.
fn run_name(message: &Inbound) -> Option<RunId> {
    let mut hash = Sha256::new();
    let place = message.conversation.peer().map_or("", |peer| peer.as_str());
    for part in [message.channel.as_str(), message.account.as_str(), place, &message.message_id] {
        hash.update(part.len().to_le_bytes());
        hash.update(part.as_bytes());
    }
    let hex = hex(hash.finalize().iter().take(NAME_BYTES));
    RunId::parse(&format!("{}-{hex}", message.channel)).ok()
}

#[cfg(test)]
mod tests;
