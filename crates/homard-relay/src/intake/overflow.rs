//! Room for one more message in a conversation: who has to go, and what is remembered of them.

use homard_policy::queue::{MakeRoom, Overflow, QueuePolicy, make_room};
use homard_protocol::SessionKey;

use crate::parts::Dispatch;
use crate::turns::lane::Waiting;
use crate::turns::request::TurnOptions;
use crate::turns::source::StopCause;
use crate::turns::turn;

impl Dispatch {
    /// Takes out of the lane who has to go for one more message; what is to be remembered of them goes with that
    /// message. `None` when it is the new one that has to go.
    pub(super) fn make_room(
        &self,
        key: &SessionKey,
        policy: &QueuePolicy,
        options: &mut TurnOptions,
    ) -> Option<Vec<Waiting>> {
        let lanes = self.lanes();
        let (count, noted) = match make_room(policy, lanes.waiting(key)) {
            MakeRoom::Enough => return Some(Vec::new()),
            MakeRoom::RefuseNew => return None,
            MakeRoom::GiveUpOldest { count, noted } => (count, noted),
        };
        let mut given_up = Vec::with_capacity(count);
        let mut overflow = Overflow::default();
        for _one in 0..count {
            let Some(waiting) = lanes.take_oldest_heard(key) else { break };
            if noted {
                if let Some(earlier) = &waiting.request.options.overflow {
                    overflow.dropped = overflow.dropped.saturating_add(earlier.dropped);
                    overflow.lines.extend(earlier.lines.iter().cloned());
                }
                let said = waiting.request.options.origin.as_ref().map_or("", |origin| origin.said());
                overflow.note(said, policy.cap);
                // Their words come along, so whose they are does too.
                for label in &waiting.request.options.labels {
                    if !options.labels.contains(label) {
                        options.labels.push(label.clone());
                    }
                }
            }
            given_up.push(waiting);
        }
        options.overflow = (overflow.dropped > 0).then(|| Box::new(overflow));
        Some(given_up)
    }

    /// Ends those who had to go, once the one they went for is kept.
    pub(super) async fn let_go(&self, given_up: Vec<Waiting>) {
        for waiting in given_up {
            tracing::info!(run = %waiting.run.id, "a waiting message is given up: too many wait");
            waiting.run.stop(StopCause::QueueOverflow);
            turn::stop_waiting(&self.turns(), waiting).await;
        }
    }

    /// Puts them back.
    pub(super) fn take_back(&self, given_up: Vec<Waiting>) {
        for waiting in given_up.into_iter().rev() {
            self.lanes().put_back(&self.turns(), 0, waiting);
        }
    }
}
