//! How a message waits: for its turn, for the turn under way, or to be obeyed instead.

use std::sync::Arc;
use std::time::Duration;

use homard_channel::Inbound;
use homard_config::Config;
use homard_policy::queue::{QueueMode, QueueOptions, QueuePolicy};
use homard_policy::sending::{self, SendAction, send_policy};
use homard_protocol::events::{OperationPhase, SessionOperation, SessionOperationEvent};
use homard_protocol::{ChannelId, RunId, SessionKey, StopCause, TurnSource, Word};
use homard_runtime::millis;
use homard_store::SessionEntry;

use crate::bus::Audience;
use crate::intake::admit::Admitted;
use crate::parts::Turns;
use crate::relay::Inner;
use crate::turns::accept::{AcceptError, Accepted, run_id};
use crate::turns::compact::{CompactOptions, CompactReport, ReportSlot};
use crate::turns::lane::Kind;
use crate::turns::overflow;
use crate::turns::request::TurnOptions;

/// How long somebody waits for a compaction that was asked for; it goes on if they do not.
const COMPACT_WAIT: Duration = Duration::from_secs(60 * 60);

/// How a message waits.
pub enum Queue {
    Wait,
    /// For its turn, or until the turn under way takes it.
    Steer,
    /// For its turn, and the turn under way is told as well.
    SteerToo,
    /// As whoever sent it says, else as the session wants it, else the owner.
    Told(Option<QueueMode>),
    /// Once nothing has come in for so long, together with others like it.
    Collect(Duration),
    /// For its turn, in which the conversation is shortened.
    Compact(CompactOptions, Option<ReportSlot>),
}

impl Queue {
    /// As whoever sends a message says, or the session where they say nothing. A word nobody knows lets it wait.
    #[must_use]
    pub fn by_word(queue_mode: Option<&Word<QueueMode>>) -> Self {
        Self::Told(queue_mode.map(|word| word.read(QueueMode::parse).unwrap_or(QueueMode::Followup)))
    }

    /// Where the report of a compaction goes, if anybody waits for it.
    pub(crate) fn report(self) -> Option<ReportSlot> {
        match self {
            Self::Compact(_, report) => report,
            Self::Wait | Self::Steer | Self::SteerToo | Self::Told(_) | Self::Collect(_) => None,
        }
    }

    /// The same, except that it does not go to the turn under way.
    pub(crate) fn waiting(self) -> Self {
        match self {
            Self::Steer | Self::SteerToo | Self::Told(_) => Self::Wait,
            other @ (Self::Wait | Self::Collect(_) | Self::Compact(..)) => other,
        }
    }
}

/// How messages wait in a session, as it keeps it.
pub(crate) fn kept_wish(entry: &SessionEntry) -> QueueOptions {
    QueueOptions::kept(
        entry.queue_mode.as_ref(),
        entry.queue_debounce_ms,
        entry.queue_cap,
        entry.queue_drop.as_ref(),
    )
}

/// How an operator's messages wait. Who watches a conversation wants each of them answered: unless somebody says
/// otherwise they wait for a turn of their own.
fn operators_policy(config: &Config, session: Option<&SessionEntry>, inline: QueueOptions) -> QueuePolicy {
    let (here, settings) = (ChannelId::operator(), &config.messages.queue);
    let kept = session.map(kept_wish).unwrap_or_default();
    let configured = settings.by_channel.get(&here).copied().or(settings.mode);
    let mode = inline.mode.or(kept.mode).or(configured).or(Some(QueueMode::Followup));
    QueuePolicy::decide(settings, Some(&here), &kept, &QueueOptions { mode, ..inline })
}

/// A turn under way cannot be asked differently any more: a message that asks waits for a turn of its own, unless whoever
/// sent it wants it there all the same (`wish`).
pub(crate) fn unless_asking(
    policy: QueuePolicy,
    options: &TurnOptions,
    wish: Option<QueueMode>,
) -> QueuePolicy {
    let asks = options.settings.is_asking() || options.extra_system.is_some();
    match policy.mode {
        QueueMode::Interrupt => policy,
        _ if asks && wish.is_none() => QueuePolicy { mode: QueueMode::Followup, ..policy },
        _ => policy,
    }
}

impl Turns {
    /// Shortens a conversation when its turn has come, and waits for that. The message names the run and the
    /// session; its text is not used.
    ///
    /// # Errors
    /// As [`accept`](Self::accept).
    pub async fn compact(
        &self,
        message: Inbound,
        wish: CompactOptions,
    ) -> Result<CompactReport, AcceptError> {
        let slot = ReportSlot::default();
        let queue = Queue::Compact(wish, Some(Arc::clone(&slot)));
        match self.accept(message, TurnOptions::of(TurnSource::Compact), queue).await? {
            Accepted::Started { run_id, session_key } => {
                tell_compaction(self.inner(), &run_id, &session_key, None);
                self.wait(&run_id, COMPACT_WAIT).await;
                let done = matches!(slot.get(), Some(CompactReport::Done(_)));
                tell_compaction(self.inner(), &run_id, &session_key, Some(done));
            }
            Accepted::InFlight { .. } | Accepted::Finished(_) | Accepted::Answered { .. } => {}
        }
        let gone = || CompactReport::Not("it was stopped before it began.".to_owned());
        Ok(slot.get().cloned().unwrap_or_else(gone))
    }

    /// What happens to messages of a session while a run is under way.
    #[must_use]
    pub fn queue_mode(&self, key: &SessionKey, session: Option<&SessionEntry>) -> QueueMode {
        let config = self.inner().config();
        match key.channel() {
            Some(channel) => {
                let kept = session.map(kept_wish).unwrap_or_default();
                QueuePolicy::decide(&config.messages.queue, Some(channel), &kept, &QueueOptions::default())
                    .mode
            }
            None => self.operators_queue_mode(session),
        }
    }

    /// The same for what operators write.
    #[must_use]
    pub fn operators_queue_mode(&self, session: Option<&SessionEntry>) -> QueueMode {
        operators_policy(&self.inner().config(), session, QueueOptions::default()).mode
    }

    /// Lets an operator's message wait as it says, else its session, else the owner.
    pub(crate) async fn queue_told(
        &self,
        admitted: Admitted,
        options: TurnOptions,
        asked: Option<QueueMode>,
    ) -> Result<Accepted, AcceptError> {
        let key = admitted.session_key();
        let session = self.inner().store().sessions().get(key).await?;
        let entry = session.as_ref().map(|session| &session.entry);
        let config = self.inner().config();
        let own = entry.and_then(|entry| entry.send_policy.as_ref());
        let place = sending::SendPlace { own, session: key, channel: None, chat: None };
        if send_policy(&config.session.send_policy, &place) == SendAction::Deny {
            return Err(AcceptError::NotAnswered);
        }
        let inline = QueueOptions { mode: options.queue.mode.or(asked), ..options.queue };
        let policy = unless_asking(operators_policy(&config, entry, inline), &options, inline.mode);
        self.queue_by(admitted, options, &policy).await
    }

    /// Lets a message wait as a policy says.
    ///
    /// # Errors
    /// As [`accept`](Self::accept); [`AcceptError::Full`] when too many wait already and the new one has to go.
    pub(crate) async fn queue_by(
        &self,
        admitted: Admitted,
        mut options: TurnOptions,
        policy: &QueuePolicy,
    ) -> Result<Accepted, AcceptError> {
        let key = admitted.session_key().clone();
        let id = run_id(&admitted)?;
        let mut is_known = self.runs().get(&id).is_some();
        if policy.mode == QueueMode::Interrupt && !is_known {
            // Nor does one that was answered before stop what is under way now.
            is_known = self.inner().store().runs().get(&id).await?.is_some();
        }
        let queue = match policy.mode {
            QueueMode::Collect => Queue::Collect(policy.debounce),
            QueueMode::Followup => Queue::Wait,
            QueueMode::Steer => Queue::Steer,
            QueueMode::SteerBacklog => Queue::SteerToo,
            QueueMode::Interrupt => {
                if !is_known {
                    self.stop_runs(&key, None, StopCause::Interrupt).await;
                }
                Queue::Wait
            }
        };
        let given_up = match is_known {
            // A repeated message is not one more.
            true => Some(Vec::new()),
            false => overflow::make_room(self, &key, policy, &mut options),
        };
        let Some(given_up) = given_up else { return Err(AcceptError::Full(policy.cap)) };
        let taken = self.enqueue(admitted, options, queue, None).await;
        match &taken {
            Ok(Accepted::Started { .. }) => overflow::let_go(self, given_up).await,
            _ => overflow::take_back(self, given_up),
        }
        taken
    }

    /// What is to be done with a message of this session.
    pub(crate) fn kind_of(&self, queue: &Queue, key: &SessionKey) -> Kind {
        match queue {
            Queue::Steer => Kind::Steer,
            Queue::SteerToo => Kind::SteerToo,
            Queue::Compact(wish, _) => Kind::Compact(wish.clone()),
            Queue::Collect(quiet) if !self.runs().of_session(key).is_empty() => {
                Kind::Collect { quiet_ms: millis(*quiet) }
            }
            // Without a run under way there is nothing to steer or to wait for, and nothing needs to be looked up.
            Queue::Wait | Queue::Told(_) | Queue::Collect(_) => Kind::Turn,
        }
    }
}

/// Tells that a conversation is being summarised, or no longer is and whether something came of it.
fn tell_compaction(inner: &Inner, run: &RunId, session: &SessionKey, completed: Option<bool>) {
    let event = SessionOperationEvent {
        operation_id: run.clone(),
        operation: SessionOperation::Compact,
        phase: completed.map_or(OperationPhase::Start, |_| OperationPhase::End),
        session_key: session.clone(),
        agent_id: session.agent_id().cloned(),
        ts: inner.clock().now_ms(),
        completed,
    };
    inner.bus().publish_to(&event, Audience::SessionSubscribers);
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use homard_policy::queue::{QueueDrop, QueueMode, QueuePolicy};
    use homard_protocol::Word;

    use super::unless_asking;
    use crate::turns::inline::InlineSettings;
    use crate::turns::request::TurnOptions;

    #[test]
    fn a_message_that_asks_for_something_gets_a_turn_that_can_do_it() {
        let policy =
            |mode| QueuePolicy { mode, debounce: Duration::ZERO, cap: 20, drop: QueueDrop::Summarize };
        let settings = InlineSettings::asking(None, Some(Word::of("high")));
        let asking = TurnOptions { settings, ..TurnOptions::default() };
        let mode = |mode, options, wish| unless_asking(policy(mode), options, wish).mode;
        assert_eq!(mode(QueueMode::Steer, &asking, None), QueueMode::Followup);
        assert_eq!(mode(QueueMode::Steer, &asking, Some(QueueMode::Steer)), QueueMode::Steer);
        assert_eq!(mode(QueueMode::Interrupt, &asking, None), QueueMode::Interrupt);
        assert_eq!(mode(QueueMode::Steer, &TurnOptions::default(), None), QueueMode::Steer);
    }
}
