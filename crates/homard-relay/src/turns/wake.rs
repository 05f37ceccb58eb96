//! Telling a conversation that something happened, and waking it for that if it is wanted.
//!
//! An event that wakes is a message of its own: it is kept before it is answered, named so that a repeated request
//! wakes once, and waits its turn in the lane. One that does not wake waits in the store and is told with the next
//! turn, whoever asks for that.

use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use homard_channel::Inbound;
use homard_policy::envelope::waking_event;
use homard_protocol::events::{HeartbeatEvent, HeartbeatStatus};
use homard_protocol::{RunId, SessionKey, TurnSource, WakeMode};
use homard_runtime::{Clip, Mutex};
use homard_store::RunStatus;
use homard_tools::Label;

use crate::intake::route::Unroutable;
use crate::parts::Turns;
use crate::turns::accept::{AcceptError, Accepted};
use crate::turns::outcome::RunEnd;
use crate::turns::queue::Queue;
use crate::turns::request::TurnOptions;

/// How much of an answer the last look shows, in characters.
const PREVIEW_CHARS: usize = 200;

/// An event for a conversation.
#[derive(Debug, Clone)]
pub struct Wake {
    pub session: SessionKey,
    /// What happened, in words.
    pub text: String,
    /// Whether it starts a turn.
    pub mode: WakeMode,
    pub source: TurnSource,
    /// The name of the turn, where the same event may be told twice; a new one otherwise.
    pub run_id: Option<RunId>,
    /// Whose words the text is, where they are not the owner's.
    pub labels: Vec<Label>,
}

/// What came of an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WakeOutcome {
    /// This turn is about it.
    Turn(RunId),
    /// It waits for the next turn.
    Waits,
}

/// Whether anybody is woken, and what came of it the last time.
#[derive(Debug)]
pub(crate) struct Wakes {
    enabled: AtomicBool,
    last: Mutex<Option<HeartbeatEvent>>,
}

impl Default for Wakes {
    fn default() -> Self {
        Self { enabled: AtomicBool::new(true), last: Mutex::new(None) }
    }
}

impl Turns {
    /// Tells a conversation that something happened. Returns once that is kept.
    ///
    /// # Errors
    /// When it cannot be kept, or too many messages wait in the conversation.
    pub fn wake(&self, wake: Wake) -> BoxFuture<'_, Result<WakeOutcome, AcceptError>> {
        async move {
            let inner = self.inner();
            let Wake { session, mut text, mode, source, run_id, labels } = wake;
            if let Some(agent) = session.agent_id()
                && inner.config().agents.agent(agent).is_none()
            {
                return Err(Unroutable::UnknownAgent(agent.clone()).into());
            }
            inner.guards().secrets.hide_in(&mut text);
            if mode == WakeMode::NextHeartbeat || !self.heartbeats_enabled() {
                inner.store().notes().keep_event(&session, text, Label::beside(None, &labels)).await?;
                return Ok(WakeOutcome::Waits);
            }
            let name = run_id.map_or_else(|| format!("wake-{}", uuid::Uuid::new_v4()), |id| id.to_string());
            let text = waking_event(&inner.clock().now_rfc3339(), &text);
            // Nobody typed it, so it is answered where the conversation was last spoken to.
            let to = self.messages().route_of(&session).await?;
            let options = TurnOptions { labels, ..TurnOptions::of(source) };
            let options = options.speaking_up(&session, to);
            let message = Inbound::from_operator(session, name, text, inner.clock().now_ms());
            let run_id = match self.accept(message, options, Queue::Wait).await? {
                Accepted::Started { run_id, .. } => {
                    self.look_back_at(&run_id, source);
                    run_id
                }
                Accepted::InFlight { run_id, .. } | Accepted::Answered { run_id, .. } => run_id,
                Accepted::Finished(record) => record.run_id,
            };
            Ok(WakeOutcome::Turn(run_id))
        }
        .boxed()
    }

    /// Whether events may start turns; while they may not, they wait for the next one.
    #[must_use]
    pub fn heartbeats_enabled(&self) -> bool {
        self.wakes().enabled.load(Ordering::SeqCst)
    }

    /// Decides it, until the gateway ends.
    pub fn set_heartbeats(&self, enabled: bool) {
        self.wakes().enabled.store(enabled, Ordering::SeqCst);
    }

    /// What came of the last turn that an event started; `None` when there was none since the start.
    #[must_use]
    pub fn last_heartbeat(&self) -> Option<HeartbeatEvent> {
        self.wakes().last.lock().clone()
    }

    /// Remembers how a turn ends.
    fn look_back_at(&self, run_id: &RunId, source: TurnSource) {
        let Some(mut ending) = self.runs().get(run_id).map(|run| run.watch()) else { return };
        let turns = self.downgrade();
        self.inner().tasks().spawn(async move {
            let end = ending.wait_for(Option::is_some).await.ok().and_then(|end| end.clone());
            if let (Some(end), Some(turns)) = (end, turns.upgrade().map(Self::of)) {
                tell_heartbeat(&turns, seen(&end, source));
            }
        });
    }
}

/// Remembers what came of a look around, or of an event, and tells those who watch; not what was said and to whom.
pub fn tell_heartbeat(turns: &Turns, seen: HeartbeatEvent) {
    *turns.wakes().last.lock() = Some(seen.clone());
    turns.inner().bus().publish(&HeartbeatEvent {
        preview: None,
        message: None,
        to: None,
        account_id: None,
        ..seen
    });
}

/// The end of a turn as a look at it.
fn seen(end: &RunEnd, source: TurnSource) -> HeartbeatEvent {
    let status = match (end.outcome.status(), &end.reply) {
        (RunStatus::Ok, Some(_)) => HeartbeatStatus::Sent,
        (RunStatus::Ok, None) => HeartbeatStatus::OkToken,
        _ => HeartbeatStatus::Failed,
    };
    HeartbeatEvent {
        reason: Some(source.to_string()),
        has_media: Some(false),
        preview: end.reply.as_ref().map(|reply| reply.clip_chars(PREVIEW_CHARS).to_owned()),
        duration_ms: end.outcome.started_at().map(|began| end.ended_at.saturating_sub(began)),
        message: end.outcome.error().map(str::to_owned),
        ..HeartbeatEvent::of(end.ended_at, status)
    }
}
