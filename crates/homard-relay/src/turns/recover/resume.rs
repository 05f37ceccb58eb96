//! Another turn for a message from a chat platform whose turn was cut short by a restart.
//!
//! The new turn has a name of its own that follows from the old one's, so however often the process dies between the
//! two, there is one. It is told what happened and sees what was done already. After [`MAX_TURNS`] the person is told
//! instead: a turn that ends the process must not be repeated for ever.

use homard_protocol::{RunId, UserContent, UserMessage};
use homard_store::{NewRun, RunRecord, StoreError};

use crate::delivery::outbox::OutgoingText;
use crate::parts::Turns;
use crate::turns::lane::Kind;
use crate::turns::request::TurnRequest;

/// Turns one message may get, the first included.
const MAX_TURNS: u32 = 4;
/// What stands between the name of the first turn and the number of another.
const AGAIN: &str = "~";
/// What the model is told.
const CUT_SHORT: &str = "System: the gateway was restarted while you were answering the message before this one, and \
    nobody has heard anything of your answer. What you had done until then stands above. Answer now; do not repeat \
    what is done.";
/// The same when people have read a part of the answer; that part follows.
const CUT_OFF: &str = "System: the gateway was restarted while you were answering the message before this one. What you \
    had done until then stands above. Of your answer people have read only what follows; go on from there, and do not \
    repeat it.";
/// What a person is told when nothing is left to try.
const GIVEN_UP: &str = "⚠️ The gateway was restarted again and again while I was working on your message, so I have \
    stopped. Please send it once more.";

/// Keeps another turn for a run that was cut short, or tells the person, where its answer goes to a platform.
pub(super) async fn ask_again(relay: &Turns, record: &RunRecord) -> Result<(), StoreError> {
    let Some(TurnRequest { mut options, kind, .. }) = TurnRequest::of_record(record) else { return Ok(()) };
    let Some(reply) = options.reply.clone().filter(|_| kind.is_turn()) else {
        return Ok(());
    };
    let (first, turn) = turn_of(&record.run_id);
    let Some(next) =
        (turn < MAX_TURNS).then(|| RunId::parse(&format!("{first}{AGAIN}{}", turn + 1)).ok()).flatten()
    else {
        let (address, reply_to) = (reply.address, reply.message_id);
        let key = format!("{}:given-up", record.run_id);
        return relay
            .outgoing()
            .say(OutgoingText { address, text: GIVEN_UP.to_owned(), reply_to, key })
            .await;
    };
    let read = relay.read_so_far(record).await?;
    let words = if read.is_empty() { CUT_SHORT.to_owned() } else { format!("{CUT_OFF}\n\n{read}") };
    let message = UserMessage {
        content: UserContent::Text(words),
        timestamp: relay.inner().clock().now_ms(),
        idempotency_key: Some(format!("{next}:user")),
    };
    // Whatever the first turn was asked for besides holds for this one; its words stay whose they were.
    options.program = None;
    let new = NewRun {
        run_id: next,
        session_key: record.session_key.clone(),
        agent_id: record.agent_id.clone(),
        source: record.source.clone(),
        inbox: Vec::new(),
        message: TurnRequest { message, options, kind: Kind::Turn }.to_json(),
    };
    // Known already when the process died right here before.
    let _new_or_known = relay.inner().store().runs().post(new).await?.await?;
    Ok(())
}

/// Whether a run is another turn for a message.
pub(super) fn is_another(run: &RunId) -> bool {
    turn_of(run).1 > 1
}

/// The name of a message's first turn, and which one this is.
fn turn_of(run: &RunId) -> (&str, u32) {
    let name = run.as_str();
    name.rsplit_once(AGAIN).and_then(|(first, turn)| Some((first, turn.parse().ok()?))).unwrap_or((name, 1))
}

#[cfg(test)]
mod tests {
    use homard_protocol::RunId;

    use super::turn_of;

    #[test]
    fn turns_are_counted_in_their_names() {
        let turn = |name: &str| {
            let run = RunId::parse(name).unwrap();
            let (first, turn) = turn_of(&run);
            (first.to_owned(), turn)
        };
        assert_eq!(turn("in-7"), ("in-7".to_owned(), 1));
        assert_eq!(turn("in-7~2"), ("in-7".to_owned(), 2));
        assert_eq!(turn("in~x"), ("in~x".to_owned(), 1));
        assert_eq!(turn("in~7~4"), ("in~7".to_owned(), 4));
    }
}
