//! What goes out to chat platforms: written down, then sent, in order for every conversation.
//!
//! A row is kept in the commit that ends its run (or in one of its own, for [`Outgoing::say`] and [`Outgoing::send`]). Each
//! account has a [`postman`](Postman) that sends one message at a time per conversation and several conversations at
//! once; `verdict` says what becomes of a message the platform did not take, `bounced` tells people about one that
//! was given up. Where the platform cannot drop a message it has already, one that may have arrived is sent again and
//! counted as ambiguous: twice is better than never.

mod bounced;
mod lookup;
mod pace;
mod postman;
mod verdict;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use homard_channel::{Ability, Address, Button, ChannelError, Content, Outbound, Receipt};
use homard_protocol::{AccountId, ChannelId, RunId, SessionKey};
use homard_runtime::{Mutex, OrCancel, OrLog, Tasks, millis_i64};
use homard_store::{NewOutbound, OutboundRecord, Posted, StoreError};
use homard_tools::HookAbout;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use crate::delivery::media;
use crate::delivery::reply_style::ReplyStyle;
use crate::hook_points::message_out_or_nothing;
use crate::parts::Outgoing;
use crate::platforms::channels::Name;
use postman::Postman;

/// How long what waits may still be sent when the gateway stops.
const DRAIN: Duration = Duration::from_secs(2);
/// How long a message that is being sent then may take.
const FINISH: Duration = Duration::from_secs(5);
/// How often to look whether everything was sent.
const DRAIN_LOOK: Duration = Duration::from_millis(20);
/// How long a message waits to be sent before it is given up.
const MAX_AGE: Duration = Duration::from_secs(24 * 60 * 60);
/// How often to look for such messages, beside when their turn comes.
const AGE_LOOK: Duration = Duration::from_secs(60 * 60);

/// Something to say in a conversation, in Markdown; it is written in the platform's dialect and cut to its size.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutgoingText {
    pub address: Address,
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
    NotConnected { channel: String, account: String },
    /// The platform would not have it.
    #[error(transparent)]
    Channel(#[from] ChannelError),
    /// It could not be written down, so it is not sent.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// It is written down and will be sent, but nobody waits that long.
    #[error("the message is kept and goes out later: {0}")]
    Later(String),
}

/// What became of a message somebody waits for.
type Outcome = Result<Receipt, ChannelError>;

/// The outbox of all accounts.
#[derive(Default)]
pub(crate) struct Outbox {
    postmen: Mutex<HashMap<Name, Arc<Postman>>>,
    waiting: Mutex<HashMap<String, Vec<oneshot::Sender<Outcome>>>>,
    recovered: AtomicBool,
    /// Runs whose preview was given up and may stand on the platform all the same.
    stray_previews: Mutex<HashSet<RunId>>,
    /// Cancelled when nothing more is begun to be sent.
    closing: CancellationToken,
    tasks: Tasks,
}

impl Outbox {
    /// Waits for what becomes of a message. To be called before it can be sent.
    fn watch(&self, key: &str) -> oneshot::Receiver<Outcome> {
        let (tell, told) = oneshot::channel();
        self.waiting.lock().entry(key.to_owned()).or_default().push(tell);
        told
    }

    /// Nobody waits any more.
    fn unwatch(&self, key: &str) {
        let mut waiting = self.waiting.lock();
        if let Some(list) = waiting.get_mut(key) {
            list.retain(|tell| !tell.is_closed());
            if list.is_empty() {
                waiting.remove(key);
            }
        }
    }

    /// Tells whoever waits what became of a message.
    fn tell(&self, key: &str, outcome: &Outcome) {
        for tell in self.waiting.lock().remove(key).unwrap_or_default() {
            // Whoever gave up waiting finds it in the store.
            drop(tell.send(outcome.clone()));
        }
    }

    /// A run's preview may stand on the platform, nobody knows where.
    pub(crate) fn note_stray_preview(&self, run: &RunId) {
        self.stray_previews.lock().insert(run.clone());
    }

    fn has_stray_preview(&self, run: &RunId) -> bool {
        self.stray_previews.lock().contains(run)
    }

    fn settle_stray_preview(&self, run: &RunId) {
        self.stray_previews.lock().remove(run);
    }

    fn is_idle(&self) -> bool {
        self.postmen.lock().values().all(|postman| postman.is_idle())
    }

    /// Lets what waits go out for a moment, then ends. What is still being sent after that counts as ambiguous.
    pub(crate) async fn close(&self) {
        let drained = async {
            let mut looks = tokio::time::interval(DRAIN_LOOK);
            while !self.is_idle() {
                looks.tick().await;
            }
        };
        let _some_waits = tokio::time::timeout(DRAIN, drained).await;
        self.closing.cancel();
        self.tasks.finish(FINISH).await;
    }
}

/// Somebody who waits for what becomes of a message, and may stop doing so at any point.
struct Watching<'a> {
    outbox: &'a Outbox,
    key: &'a str,
}

impl Drop for Watching<'_> {
    fn drop(&mut self) {
        self.outbox.unwatch(self.key);
    }
}

impl Outgoing {
    /// There is something new for their conversations.
    pub(crate) fn kick_all(&self, rows: &[NewOutbound]) {
        for row in rows {
            let postman =
                self.outbox().postmen.lock().get(&(row.channel.clone(), row.account.clone())).cloned();
            if let Some(postman) = postman {
                postman.kick(self, row.conversation.clone());
            }
        }
    }

    /// Keeps something to be said and returns; it goes out as soon as it can.
    ///
    /// # Errors
    /// When it cannot be written down.
    pub(crate) async fn say(&self, saying: OutgoingText) -> Result<(), StoreError> {
        self.say_in(saying, None).await
    }

    /// The same, with the conversation that is told when it cannot be sent.
    pub(crate) async fn say_in(
        &self,
        saying: OutgoingText,
        session: Option<SessionKey>,
    ) -> Result<(), StoreError> {
        self.post(self.rows(saying, session, Vec::new()).await).await.map(drop)
    }

    /// The rows of something to be said, cut to the platform's size; buttons stand below the last.
    pub(crate) async fn rows(
        &self,
        saying: OutgoingText,
        session: Option<SessionKey>,
        buttons: Vec<Vec<Button>>,
    ) -> Vec<NewOutbound> {
        let OutgoingText { address, text, reply_to, key } = saying;
        let subject = Some(address.channel.as_str());
        let about = HookAbout { session: session.as_ref(), subject, ..HookAbout::default() };
        let text = message_out_or_nothing(self.inner(), about, text).await;
        let style = ReplyStyle::of(self, &address);
        let parts = homard_channel::shape_text(&text, style.shape);
        let last = parts.len().saturating_sub(1);
        let rows = parts.into_iter().enumerate().map(|(part, words)| {
            let reply_to = reply_to.clone().filter(|_| style.replies_to(part));
            let content =
                Content::Text { words, buttons: if part == last { buttons.clone() } else { Vec::new() } };
            let outbound = Outbound {
                address: address.clone(),
                key: format!("{key}:{part}"),
                reply_to,
                silent: false,
                no_previews: false,
                content,
            };
            row_of(self, &outbound, session.clone(), None)
        });
        rows.collect()
    }

    /// Keeps a message, sends it in its conversation's order, and waits for the receipt, at most for `limit`. A
    /// message with a key that is known is not sent again: what became of it is the answer.
    ///
    /// # Errors
    /// When it cannot be kept, or the platform will not take it, or `limit` passes first.
    pub(crate) async fn send(&self, outbound: Outbound, limit: Duration) -> Result<Receipt, SendError> {
        let Address { channel, account, .. } = &outbound.address;
        if self.channels().get(channel, account).is_none() {
            let (channel, account) = (channel.to_string(), account.to_string());
            return Err(SendError::NotConnected { channel, account });
        }
        self.send_row(row_of(self, &outbound, None, None), limit).await
    }

    /// Keeps a row and waits for what becomes of it.
    pub(crate) async fn send_row(&self, row: NewOutbound, limit: Duration) -> Result<Receipt, SendError> {
        let outbox = self.outbox();
        let key = row.key.clone();
        // Before what it watches, so that it is let go of after.
        let _watching = Watching { outbox, key: &key };
        let told = outbox.watch(&key);
        let posted = self.post(vec![row]).await?;
        if let Some(outcome) = posted.into_iter().find_map(|posted| known_outcome(&posted)) {
            return Ok(outcome?);
        }
        match tokio::time::timeout(limit, told).await {
            Ok(Ok(outcome)) => Ok(outcome?),
            Ok(Err(_gone)) => Err(SendError::Later("the gateway is stopping".to_owned())),
            Err(_late) => {
                let row = self
                    .inner()
                    .store()
                    .outbox()
                    .get(&key)
                    .await
                    .or_log("the outbox could not be read")
                    .flatten();
                let why = row.and_then(|row| row.last_error);
                Err(SendError::Later(why.unwrap_or_else(|| "the platform has not answered yet".to_owned())))
            }
        }
    }

    /// Keeps rows and has them sent.
    pub(crate) async fn post(&self, rows: Vec<NewOutbound>) -> Result<Vec<Posted>, StoreError> {
        if rows.is_empty() {
            return Ok(Vec::new());
        }
        let posted = self.inner().store().outbox().post(rows.clone()).await?;
        self.kick_all(&rows);
        Ok(posted)
    }

    /// Begins to send what waits for an account; does it again after the account was replaced.
    pub(crate) fn open_outbox(&self, channel: &ChannelId, account: &AccountId) {
        let outbox = self.outbox();
        let name = (channel.clone(), account.clone());
        let postman = {
            let mut postmen = outbox.postmen.lock();
            let new = || Arc::new(Postman::new(name.clone(), outbox.tasks.clone()));
            let postman = postmen.entry(name.clone()).or_insert_with(new);
            postman.is_welcome();
            Arc::clone(postman)
        };
        let outgoing = self.clone();
        outbox.tasks.spawn(async move {
            let (channel, account) = postman.name();
            let waiting = outgoing.inner().store().outbox().waiting_conversations(channel, account).await;
            for conversation in waiting.or_log("what waits to be sent could not be read").unwrap_or_default()
            {
                postman.kick(&outgoing, conversation);
            }
        });
    }

    /// Once after a start: what was being sent may have arrived.
    pub(crate) async fn recover_outbox(&self) -> Result<(), StoreError> {
        let outbox = self.outbox();
        if outbox.recovered.swap(true, Ordering::SeqCst) {
            return Ok(());
        }
        let found = self.inner().store().outbox().recover().await?;
        for run in self.inner().store().outbox().stray_previews().await? {
            outbox.note_stray_preview(&run);
        }
        if found > 0 {
            tracing::warn!(
                messages = found,
                "messages were being sent when the gateway ended; they are sent again"
            );
        }
        let (relay, closing) = (self.clone(), outbox.closing.clone());
        outbox.tasks.spawn(async move {
            let mut looks = tokio::time::interval(AGE_LOOK);
            while looks.tick().or_cancel(&closing).await.is_ok() {
                relay.give_up_old().await;
            }
        });
        Ok(())
    }

    /// Gives up what has waited too long, also for accounts that are not connected.
    async fn give_up_old(&self) {
        let before = self.inner().clock().now_ms().saturating_sub(millis_i64(MAX_AGE));
        let expired = self.inner().store().outbox().expire(before).await;
        media::sweep(self.inner()).await;
        for row in expired.or_log("old messages could not be given up").unwrap_or_default() {
            let why = row.last_error.clone().unwrap_or_else(|| "it waited too long".to_owned());
            bounced::tell(self, &row, &why).await;
        }
    }
}

/// What is known of a message that was kept before, when it is over.
fn known_outcome(posted: &Posted) -> Option<Outcome> {
    let Posted::Known(row) = posted else { return None };
    if row.sent_at.is_some() {
        return Some(Ok(receipt_of(row)));
    }
    let why = row.last_error.clone().unwrap_or_default();
    row.failed_at.map(|_| Err(ChannelError::Permanent(why)))
}

/// What the platform said of a row.
pub(crate) fn receipt_of(row: &OutboundRecord) -> Receipt {
    row.receipt.as_deref().and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default()
}

/// A row that keeps a message.
pub(crate) fn row_of(
    outgoing: &Outgoing,
    outbound: &Outbound,
    session_key: Option<SessionKey>,
    run_id: Option<RunId>,
) -> NewOutbound {
    let Address { channel, account, .. } = &outbound.address;
    let dedupes = outgoing
        .channels()
        .known(channel, account)
        .is_some_and(|channel| channel.abilities().dedupes_sends == Ability::Has);
    NewOutbound {
        key: outbound.key.clone(),
        channel: channel.clone(),
        account: account.clone(),
        // The threads of a place share its numbers: in one row of them each message can be found again.
        conversation: outbound.address.to.to_string(),
        session_key,
        run_id,
        payload: homard_runtime::json::to_text(outbound),
        repeatable: dedupes || is_repeatable(&outbound.content),
    }
}

/// Whether doing it twice leaves the same as doing it once.
fn is_repeatable(content: &Content) -> bool {
    match content {
        Content::Edit { .. }
        | Content::Delete { .. }
        | Content::React { .. }
        | Content::Pin { .. }
        | Content::Typing { .. } => true,
        Content::Text { .. } | Content::Media { .. } | Content::Poll { .. } | Content::NewThread { .. } => {
            false
        }
    }
}

impl std::fmt::Debug for Outbox {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Outbox").field("tasks", &self.tasks.running()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
