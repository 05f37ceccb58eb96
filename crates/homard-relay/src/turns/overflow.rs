//! Room for one more message in a conversation: who has to go, and what is remembered of them.

use homard_policy::queue::{self, MakeRoom, Overflow, QueuePolicy};
use homard_protocol::{SessionKey, StopCause};

use crate::parts::Turns;
use crate::turns::lane::WaitingTurn;
use crate::turns::request::TurnOptions;
use crate::turns::turn;

/// Takes out of the lane who has to go for one more message; what is to be remembered of them goes with that
/// message. `None` when it is the new one that has to go.
pub(super) fn make_room(
    turns: &Turns,
    key: &SessionKey,
    policy: &QueuePolicy,
    options: &mut TurnOptions,
) -> Option<Vec<WaitingTurn>> {
    let lanes = turns.lanes();
    let (count, noted) = match queue::make_room(policy, lanes.waiting(key)) {
        MakeRoom::Enough => return Some(Vec::new()),
        MakeRoom::RefuseNew => return None,
        MakeRoom::GiveUpOldest { count, noted } => (count, noted),
    };
    let mut given_up = Vec::with_capacity(count);
    let mut overflow = Overflow::default();
    for _one in 0..count {
        let Some(waiting) = lanes.take_oldest_said(key) else { break };
        if noted {
            if let Some(earlier) = &waiting.request.options.overflow {
                overflow.join(earlier, policy.cap);
            }
            let message = waiting.admitted.message();
            let said = waiting.request.options.origin.as_ref().map_or("", |origin| origin.said());
            let said = if said.is_empty() { message.text.as_str() } else { said };
            overflow.note(said, message.timestamp, policy.cap);
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
pub(super) async fn let_go(turns: &Turns, given_up: Vec<WaitingTurn>) {
    for waiting in given_up {
        tracing::info!(run = %waiting.run.id, "a waiting message is given up: too many wait");
        waiting.run.stop(StopCause::QueueOverflow);
        turn::stop_waiting(turns, waiting).await;
    }
}

/// Puts them back.
pub(super) fn take_back(turns: &Turns, given_up: Vec<WaitingTurn>) {
    for waiting in given_up.into_iter().rev() {
        turns.lanes().put_back(turns, 0, waiting);
    }
}
