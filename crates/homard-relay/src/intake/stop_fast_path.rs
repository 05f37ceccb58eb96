//! Somebody says stop while files of what they said before are still on their way: those are let go of, so that the
//! word does not wait behind them.

use std::collections::{BTreeSet, HashMap};

use homard_channel::{ChatKind, Inbound, InboundEvent, Sender};
use homard_protocol::PeerId;
use homard_runtime::{Mutex, OrCancel};
use homard_store::InboxId;
use tokio_util::sync::CancellationToken;

use super::chat_place::ChatPlace;
use super::meaning;
use crate::parts::{Dispatch, Intake};

/// Who, and where.
type StopPlace = (ChatPlace, PeerId);

/// Those who fetch files or have said stop; others are not in it.
#[derive(Default)]
pub(super) struct StopFastPath {
    known: Mutex<HashMap<StopPlace, Voice>>,
}

#[derive(Default)]
struct Voice {
    stop: CancellationToken,
    /// Where they said stop, until it is that message's turn.
    said: BTreeSet<InboxId>,
}

impl StopFastPath {
    fn stop(&self, who: StopPlace, id: InboxId) {
        let mut known = self.known.lock();
        let voice = known.entry(who).or_default();
        voice.said.insert(id);
        voice.stop.cancel();
    }

    /// It is the turn of these, or they are left out.
    fn come_to(&self, who: &StopPlace, ids: &[InboxId]) {
        let mut known = self.known.lock();
        if let Some(voice) = known.get_mut(who) {
            voice.said.retain(|id| !ids.contains(id));
            if voice.said.is_empty() {
                known.remove(who);
            }
        }
    }

    fn token(&self, who: &StopPlace) -> CancellationToken {
        self.known.lock().entry(who.clone()).or_default().stop.clone()
    }
}

impl Intake {
    /// Notes that somebody says stop, if they do.
    pub(super) fn note_stop(&self, id: InboxId, heard: &InboundEvent) {
        if let InboundEvent::Message(message) = heard
            && self.says_stop(message)
            && let Some(who) = who(message)
        {
            self.state().stops.stop(who, id);
        }
    }

    /// It is the turn of these.
    pub(super) fn reached(&self, message: &Inbound, ids: &[InboxId]) {
        if let Some(who) = who(message) {
            self.state().stops.come_to(&who, ids);
        }
    }

    /// In a group only who surely means us.
    fn says_stop(&self, message: &Inbound) -> bool {
        let details = &message.details;
        let is_meant = message.conversation.kind() == ChatKind::Direct
            || details.native_command
            || details.mentions_us == Some(true);
        if !is_meant || details.part_of.is_some() || !details.files.is_empty() {
            return false;
        }
        let name = self.our_name(message);
        meaning::read(message, &self.inner().company_rules().words.reading(name.as_deref(), &[])).stop
    }
}

impl Dispatch {
    /// Does something for a message; `None` when its sender says stop first.
    pub(super) async fn unless_stopped<T>(
        &self,
        message: &Inbound,
        work: impl Future<Output = T>,
    ) -> Option<T> {
        let Some(who) = who(message) else { return Some(work.await) };
        let stops = &self.state().stops;
        let done = work.or_cancel(&stops.token(&who)).await.ok();
        stops.come_to(&who, &[]);
        done
    }
}

fn who(message: &Inbound) -> Option<StopPlace> {
    let Sender::Peer { id, .. } = &message.sender else { return None };
    Some((ChatPlace::of(message), id.clone()))
}

#[cfg(test)]
mod tests {
    use homard_channel::Inbound;
    use homard_protocol::{AgentId, PeerId, SessionKey};
    use homard_store::InboxId;

    use super::{ChatPlace, StopFastPath, StopPlace};

    #[test]
    fn a_stop_holds_for_what_was_said_before_it_and_for_nothing_after() {
        let (stops, id) = (StopFastPath::default(), InboxId::for_tests());
        let message =
            Inbound::from_operator(SessionKey::main(AgentId::main()), "1".to_owned(), String::new(), 1);
        let who: StopPlace = (ChatPlace::of(&message), PeerId::parse("7").unwrap());
        let fetching = stops.token(&who);
        assert!(!fetching.is_cancelled());
        stops.stop(who.clone(), id);
        assert!(fetching.is_cancelled(), "what is under way ends");
        stops.come_to(&who, &[]);
        assert!(stops.token(&who).is_cancelled(), "so does what comes before the stop's own turn");
        stops.come_to(&who, &[id]);
        assert!(!stops.token(&who).is_cancelled());
        stops.come_to(&who, &[]);
        assert!(stops.known.lock().is_empty(), "nothing is remembered");
    }
}
