//! A connection at work: hears, speaks, and notices when nobody is at the other end any more.

use std::collections::VecDeque;
use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use homard_channel::{BoxFuture, ChannelError, InboundEvent, Inbox, InboxClosed};
use homard_client::ByteStream;
use homard_runtime::Mutex;
use tokio::io::{ReadHalf, WriteHalf};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

use super::dial::{OpenConnection, Writer, ended, lost};
use super::hearing::BotContext;
use super::pace::Pace;
use super::queue::{Next, SendQueue, Ticket};
use super::settings::Settings;
use super::state::{ConnectionState, State};
use super::wire::{Incoming, Lines};

/// Deliveries that wait to be taken over; more wait at their end.
const ASKS: usize = 64;
/// Messages heard and not yet kept; beyond it the server is not read, which is how it learns to wait.
const BACKLOG: usize = 256;
/// After so long without a line we ask whether somebody is there.
const QUIET: Duration = Duration::from_secs(60);
/// And after so long without an answer nobody is.
const ANSWER_WITHIN: Duration = Duration::from_secs(30);
/// How long what is under way may take when we leave.
const LEAVE_WITHIN: Duration = Duration::from_secs(3);

/// Something to be said; without text it only asks whether the server is there.
#[derive(Debug)]
pub(super) struct Ask {
    pub(super) to: String,
    pub(super) text: String,
    pub(super) ticket: Ticket,
}

/// Where others find the connection while there is one.
#[derive(Debug, Clone, Default)]
pub(super) struct Presence(Arc<Mutex<Option<Present>>>);

#[derive(Debug, Clone)]
struct Present {
    asks: mpsc::Sender<Ask>,
    standing: ConnectionState,
}

impl Presence {
    /// Where to put what is to be said; `None` while there is no connection.
    pub(super) fn asks(&self) -> Option<mpsc::Sender<Ask>> {
        self.with(|present| present.as_ref().map(|present| present.asks.clone()))
    }

    /// Who and where we are; `None` while there is no connection.
    pub(super) fn standing(&self) -> Option<ConnectionState> {
        self.with(|present| present.as_ref().map(|present| present.standing.clone()))
    }

    fn with<T>(&self, look: impl FnOnce(&mut Option<Present>) -> T) -> T {
        look(&mut self.0.lock())
    }

    /// We are here until the returned value is dropped.
    fn open(&self, asks: mpsc::Sender<Ask>, standing: ConnectionState) -> PresenceGuard {
        self.with(|present| *present = Some(Present { asks: asks.clone(), standing }));
        PresenceGuard { presence: self.clone(), asks }
    }
}

/// Takes the connection away from others when it ends, however it ends.
#[derive(Debug)]
struct PresenceGuard {
    presence: Presence,
    asks: mpsc::Sender<Ask>,
}

impl PresenceGuard {
    fn update(&self, standing: ConnectionState) {
        self.presence.with(|present| {
            if let Some(present) = present.as_mut().filter(|present| present.asks.same_channel(&self.asks)) {
                present.standing = standing;
            }
        });
    }
}

impl Drop for PresenceGuard {
    fn drop(&mut self) {
        self.presence.with(|present| {
            // Another connection may have come in its place already.
            if present.as_ref().is_some_and(|present| present.asks.same_channel(&self.asks)) {
                *present = None;
            }
        });
    }
}

/// What a connection is for.
#[derive(Debug)]
pub(super) struct Purpose {
    pub(super) settings: Arc<Settings>,
    pub(super) cx: BotContext,
    pub(super) inbox: Inbox,
    pub(super) presence: Presence,
    /// How fast this connection speaks.
    pub(super) pace: Pace,
}

/// A connection at work.
pub(super) struct IrcSession {
    lines: Lines<ReadHalf<Box<dyn ByteStream>>>,
    writer: Writer<WriteHalf<Box<dyn ByteStream>>>,
    state: State,
    queue: SendQueue,
    asks: mpsc::Receiver<Ask>,
    here: PresenceGuard,
    inbox: Inbox,
    backlog: VecDeque<InboundEvent>,
    keeping: Option<BoxFuture<'static, Result<(), InboxClosed>>>,
    last_line: Instant,
    /// Whether we asked if somebody is there since the last line.
    asked: bool,
    leave_at: Option<Instant>,
}

enum Event {
    ByteStream(std::io::Result<Option<Incoming>>),
    Kept(Result<(), InboxClosed>),
    Ask(Ask),
    Leave,
    Time,
}

impl IrcSession {
    pub(super) fn new(entered: OpenConnection, purpose: Purpose) -> Self {
        let now = Instant::now();
        let mut queue = SendQueue::new(purpose.pace, now);
        let mut state = State::new(purpose.settings, purpose.cx, entered.welcome);
        state.begin(&mut queue, now);
        let (to_us, asks) = mpsc::channel(ASKS);
        let here = purpose.presence.open(to_us, state.standing());
        Self {
            lines: entered.lines,
            writer: entered.writer,
            state,
            queue,
            asks,
            here,
            inbox: purpose.inbox,
            backlog: VecDeque::new(),
            keeping: None,
            last_line: now,
            asked: false,
            leave_at: None,
        }
    }

    /// Works until cancelled or until the connection ends.
    ///
    /// # Errors
    /// When the connection ends.
    pub(super) async fn run(mut self, cancel: CancellationToken) -> Result<(), ChannelError> {
        loop {
            let next_line = self.flush().await?;
            self.keep_next();
            if self.may_leave() {
                self.writer.quit().await;
                return Ok(());
            }
            match self.event(next_line, &cancel).await {
                Event::ByteStream(line) => {
                    let line = line.map_err(|error| lost(&error))?.ok_or_else(ended)?;
                    self.heard(&line)?;
                }
                Event::Kept(Ok(())) => self.keeping = None,
                Event::Kept(Err(InboxClosed)) => {
                    self.keeping = None;
                    self.backlog.clear();
                    self.leave();
                }
                Event::Ask(ask) => self.queue.push(self.state.job(&ask.to, &ask.text, ask.ticket)),
                Event::Leave => self.leave(),
                Event::Time => self.tick()?,
            }
        }
    }

    async fn event(&mut self, next_line: Option<Instant>, cancel: &CancellationToken) -> Event {
        let wake = self.wake_at(next_line);
        let reads = self.backlog.len() < BACKLOG;
        tokio::select! {
            biased;
            () = cancel.cancelled(), if self.leave_at.is_none() => Event::Leave,
            kept = kept(&mut self.keeping) => Event::Kept(kept),
            Some(ask) = self.asks.recv() => Event::Ask(ask),
            line = self.lines.next(), if reads => Event::ByteStream(line),
            () = sleep_until(wake) => Event::Time,
        }
    }

    /// Writes what may be written now; returns when the next line may go.
    async fn flush(&mut self) -> Result<Option<Instant>, ChannelError> {
        let mut lines = Vec::new();
        let next = loop {
            match self.queue.next(Instant::now()) {
                Next::Write(line) => lines.push(line),
                Next::At(at) => break Some(at),
                Next::Nothing => break None,
            }
        };
        self.writer.write(&lines).await?;
        Ok(next)
    }

    fn heard(&mut self, line: &Incoming) -> Result<(), ChannelError> {
        let now = Instant::now();
        self.last_line = now;
        self.asked = false;
        self.inbox.alive();
        if let Some(message) = self.state.hear(line, &mut self.queue, now)? {
            self.backlog.push_back(InboundEvent::Message(Box::new(message)));
        } else {
            self.here.update(self.state.standing());
        }
        Ok(())
    }

    /// Hands over the next message when the one before is kept.
    fn keep_next(&mut self) {
        if self.keeping.is_none()
            && let Some(heard) = self.backlog.pop_front()
        {
            let inbox = self.inbox.clone();
            self.keeping = Some(Box::pin(async move { inbox.put(heard).await }));
        }
    }

    /// No new work; what is under way may end.
    fn leave(&mut self) {
        self.leave_at.get_or_insert_with(|| Instant::now() + LEAVE_WITHIN);
        self.asks.close();
    }

    fn may_leave(&self) -> bool {
        let is_done = self.queue.is_empty()
            && self.keeping.is_none()
            && self.backlog.is_empty()
            && self.asks.is_empty();
        self.leave_at.is_some_and(|at| is_done || at <= Instant::now())
    }

    fn wake_at(&self, next_line: Option<Instant>) -> Instant {
        let quiet = if self.asked { QUIET + ANSWER_WITHIN } else { QUIET };
        let times = [next_line, self.leave_at, self.state.next_errand()];
        times.into_iter().flatten().fold(self.last_line + quiet, Instant::min)
    }

    fn tick(&mut self) -> Result<(), ChannelError> {
        let now = Instant::now();
        self.state.run_errands(&mut self.queue, now);
        if self.backlog.len() >= BACKLOG {
            // We are the silent ones.
            self.last_line = now;
        }
        let silence = now.duration_since(self.last_line);
        if silence >= QUIET + ANSWER_WITHIN {
            let seconds = silence.as_secs();
            return Err(ChannelError::Unreachable(format!("the IRC server said nothing for {seconds} s")));
        }
        if silence >= QUIET && !self.asked {
            self.asked = true;
            self.queue.urgent("PING :are-you-there".to_owned());
        }
        Ok(())
    }
}

async fn kept(keeping: &mut Option<BoxFuture<'static, Result<(), InboxClosed>>>) -> Result<(), InboxClosed> {
    match keeping {
        Some(keeping) => keeping.await,
        None => pending().await,
    }
}

#[cfg(test)]
mod tests;
