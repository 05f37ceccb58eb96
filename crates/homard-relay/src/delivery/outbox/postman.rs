//! One account's postman: one message at a time per conversation, in order; several conversations at once.
//!
//! A conversation in which something waits has a task; it goes away when nothing does. What it knows is in the store,
//! so it may be cut off at any point.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures_util::FutureExt;
use homard_channel::{ChannelError, Content, Outbound, Receipt, SharedChannel};
use homard_protocol::{AccountId, ChannelId};
use homard_runtime::{KeyedWorkers, OrCancel, OrLog, Tasks, Worker, chance, millis_i64};
use homard_store::{OutboundRecord, OutboundRetry};
use tokio::sync::Semaphore;
use tokio::time::Instant;

use super::lookup::{LookupOutcome, look_for};
use super::pace::Pace;
use super::verdict::{Verdict, verdict};
use super::{MAX_AGE, bounced};
use crate::delivery::media;
use crate::events::DomainEvent;
use crate::parts::Outgoing;
use crate::platforms::channels::Name;
use crate::trail;

/// Conversations of one account that are spoken in at once.
const AT_ONCE: usize = 8;
/// How long a platform may take to say whether it took a message; films take their time.
const DELIVER_LIMIT: Duration = Duration::from_secs(5 * 60);
/// How long to wait when the store does not answer.
const STORE_WAIT: Duration = Duration::from_secs(2);
/// The longest wait that is believed: the clock may have been turned.
const LONGEST_WAIT: Duration = Duration::from_secs(60 * 60);

/// One account's postman.
pub(super) struct Postman {
    name: Name,
    /// The conversations in which something waits; what is put says only that there is something new.
    ways: KeyedWorkers<String, ()>,
    /// Whether the platform refuses our credentials.
    refused: AtomicBool,
    pace: Pace,
    places: Semaphore,
}

/// What to do next in a conversation.
enum Next {
    Look,
    /// Look again after this time, or when something new comes.
    Wait(Duration),
    Nothing,
    /// The account is not to be used.
    Shut,
}

impl Postman {
    pub(super) fn new(name: Name, tasks: Tasks) -> Self {
        Self {
            name,
            ways: KeyedWorkers::new(tasks, 1, Duration::ZERO),
            refused: AtomicBool::new(false),
            pace: Pace::default(),
            places: Semaphore::new(AT_ONCE),
        }
    }

    pub(super) fn name(&self) -> (&ChannelId, &AccountId) {
        (&self.name.0, &self.name.1)
    }

    /// The account is (again) one the platform may take.
    pub(super) fn is_welcome(&self) {
        self.refused.store(false, Ordering::SeqCst);
    }

    /// Whether nothing is to be done.
    pub(super) fn is_idle(&self) -> bool {
        self.ways.awake() == 0
    }

    /// There is something new for a conversation.
    pub(super) fn kick(self: &Arc<Self>, outgoing: &Outgoing, conversation: String) {
        if outgoing.outbox().closing.is_cancelled() {
            return;
        }
        let work = |way| drive(outgoing.clone(), Arc::clone(self), way);
        // Whoever was told already and has not looked yet finds this, too.
        let _told_already = self.ways.put(conversation, (), work);
    }
}

/// The task of a conversation: looks for what waits whenever it is told that there is something.
async fn drive(outgoing: Outgoing, postman: Arc<Postman>, way: Worker<String, ()>) {
    let closing = &outgoing.outbox().closing;
    let mut told = way.next(closing).await;
    while told.is_some() && !closing.is_cancelled() {
        match postman.step(&outgoing, way.key()).await {
            Next::Look => {}
            Next::Wait(time) => {
                way.more_until(Instant::now() + time, closing).await;
                // It looks now anyway.
                let _told = way.pop();
            }
            // Also when the account is shut: it may have been opened again meanwhile.
            Next::Nothing | Next::Shut => told = way.next(closing).await,
        }
    }
}

impl Postman {
    /// Sends the next message of a conversation, if it is time.
    async fn step(&self, outgoing: &Outgoing, conversation: &str) -> Next {
        let inner = outgoing.inner();
        let (channel, account) = self.name();
        let row = match inner.store().outbox().next(channel, account, conversation).await {
            Ok(Some(row)) => row,
            Ok(None) => return Next::Nothing,
            Err(error) => {
                tracing::error!(%error, %channel, "what is to be sent could not be read");
                return Next::Wait(STORE_WAIT);
            }
        };
        let now = inner.clock().now_ms();
        if now.saturating_sub(row.created_at) > millis_i64(MAX_AGE) {
            let why = row.last_error.clone().unwrap_or_else(|| "it waited too long".to_owned());
            return give_up(outgoing, &row, ChannelError::Permanent(why)).await;
        }
        let early = u64::try_from(row.next_try_at.saturating_sub(now)).unwrap_or(0);
        if early > 0 {
            return Next::Wait(Duration::from_millis(early).min(LONGEST_WAIT));
        }
        let Some(there) = outgoing.channels().get(channel, account) else { return Next::Shut };
        if self.refused.load(Ordering::SeqCst) {
            return Next::Shut;
        }
        let Ok(outbound) = serde_json::from_str::<Outbound>(&row.new.payload) else {
            let why = ChannelError::Permanent("what was kept cannot be read any more".to_owned());
            return give_up(outgoing, &row, why).await;
        };
        let closing = &outgoing.outbox().closing;
        let Ok(Ok(_place)) = self.places.acquire().or_cancel(closing).await else { return Next::Look };
        if tokio::time::sleep(self.pace.take(Instant::now())).or_cancel(closing).await.is_err() {
            return Next::Look;
        }
        // Nothing is being sent meanwhile, so nobody waits for it who stops.
        let looked = look_for(outgoing, &there, &row, &outbound).or_cancel(closing).await;
        let Ok(looked) = looked else { return Next::Look };
        match looked {
            Ok(LookupOutcome::Arrived(receipt)) => return self.sent(outgoing, &row, &receipt).await,
            Ok(LookupOutcome::IntoPreview) => return Next::Look,
            Ok(LookupOutcome::Nothing) => {}
            Err(error) => return self.not_sent(outgoing, &row, &outbound, error).await,
        }
        match inner.store().outbox().mark_sending(&row).await {
            Ok(true) => {}
            Ok(false) => return Next::Look,
            Err(error) => {
                tracing::error!(%error, key = row.new.key, "a message is not sent, because that could not be noted");
                return Next::Wait(STORE_WAIT);
            }
        }
        let Some(sent) = deliver(outgoing, &there, outbound.clone()).await else { return Next::Look };
        match sent {
            Ok(receipt) => self.sent(outgoing, &row, &receipt).await,
            Err(error) => self.not_sent(outgoing, &row, &outbound, error).await,
        }
    }

    async fn sent(&self, outgoing: &Outgoing, row: &OutboundRecord, receipt: &Receipt) -> Next {
        let inner = outgoing.inner();
        let text = homard_runtime::json::to_text(receipt);
        let noted = || async {
            let noted = inner.store().outbox().mark_sent(row, text.clone()).await;
            noted.or_log("it could not be noted that a message was sent").is_some()
        };
        // Without the note it would be sent again, so nothing else is sent here before.
        while !noted().await {
            if tokio::time::sleep(STORE_WAIT).or_cancel(&outgoing.outbox().closing).await.is_err() {
                break;
            }
        }
        trail::delivered(row);
        let (channel, account) = self.name();
        outgoing.channels().note_sent(channel, account, inner.clock().now_ms());
        inner
            .events()
            .publish_with(|| DomainEvent::MessageSent { channel: channel.clone(), account: account.clone() });
        outgoing.outbox().tell(&row.new.key, &Ok(receipt.clone()));
        media::let_go(inner, &row.new.payload).await;
        Next::Look
    }

    async fn not_sent(
        &self,
        outgoing: &Outgoing,
        row: &OutboundRecord,
        outbound: &Outbound,
        error: ChannelError,
    ) -> Next {
        let inner = outgoing.inner();
        let (channel, account) = self.name();
        let words = error.to_string();
        let retry = |after: Duration, counts: bool, ambiguous: bool| OutboundRetry {
            at: inner.clock().now_ms().saturating_add(millis_i64(after)),
            error: words.clone(),
            counts,
            ambiguous,
        };
        let (retry, next) = match verdict(row, &error, chance()) {
            Verdict::Again { after, ambiguous } => {
                tracing::warn!(%channel, %account, key = row.new.key, ambiguous, %error, "a message is sent again");
                (retry(after, true, ambiguous), Next::Look)
            }
            Verdict::Wait(time) => {
                tracing::info!(%channel, %account, seconds = time.as_secs(), "the platform asks to wait in a conversation");
                (retry(time, false, false), Next::Look)
            }
            Verdict::Shut => {
                tracing::error!(%channel, %account, %error, "nothing is sent until the account is put right");
                self.refused.store(true, Ordering::SeqCst);
                (retry(Duration::ZERO, false, false), Next::Shut)
            }
            Verdict::GiveUp => {
                return match said_anew(row, outbound) {
                    Some(anew) => {
                        inner
                            .store()
                            .outbox()
                            .replace(row, anew)
                            .await
                            .or_log("an answer could not be sent anew");
                        Next::Look
                    }
                    None => give_up(outgoing, row, error).await,
                };
            }
        };
        if inner
            .store()
            .outbox()
            .mark_retry(row, retry)
            .await
            .or_log("a failed try could not be noted")
            .is_none()
        {
            return Next::Wait(STORE_WAIT);
        }
        next
    }
}

/// Hands a message to the platform; `None` when the gateway ends first: then nobody knows whether it arrived.
async fn deliver(
    outgoing: &Outgoing,
    there: &SharedChannel,
    outbound: Outbound,
) -> Option<Result<Receipt, ChannelError>> {
    // A bug in an adapter must not leave the conversation without a postman.
    let delivering = AssertUnwindSafe(there.deliver(outbound)).catch_unwind();
    let sending = tokio::time::timeout(DELIVER_LIMIT, delivering);
    match sending.or_cancel(outgoing.outbox().tasks.token()).await {
        Ok(Ok(Ok(sent))) => Some(sent),
        Ok(Ok(Err(_panic))) => {
            tracing::error!(channel = %there.id(), "sending a message ended unexpectedly");
            Some(Err(ChannelError::Permanent(
                "sending it ended unexpectedly; this is a bug in Homard".to_owned(),
            )))
        }
        Ok(Err(_late)) => {
            Some(Err(ChannelError::Unknown(format!("no answer within {} s", DELIVER_LIMIT.as_secs()))))
        }
        Err(_cancelled) => None,
    }
}

/// An answer that was to be written into its preview, as a message of its own: somebody deleted the preview.
fn said_anew(row: &OutboundRecord, outbound: &Outbound) -> Option<String> {
    row.new.run_id.as_ref()?;
    let Content::Edit { words, buttons, .. } = &outbound.content else { return None };
    let content = Content::Text { words: words.clone(), buttons: buttons.clone() };
    serde_json::to_string(&Outbound { content, ..outbound.clone() }).ok()
}

async fn give_up(outgoing: &Outgoing, row: &OutboundRecord, error: ChannelError) -> Next {
    let inner = outgoing.inner();
    let words = error.to_string();
    if inner
        .store()
        .outbox()
        .mark_failed(row, words.clone())
        .await
        .or_log("a message could not be given up")
        .is_none()
    {
        return Next::Wait(STORE_WAIT);
    }
    outgoing.outbox().tell(&row.new.key, &Err(error));
    bounced::tell(outgoing, row, &words).await;
    Next::Look
}
