//! An answer that was written into the conversation in the very moment the process died: the transcript has it, the
//! tables do not. It is not asked for again; it is sent.

use homard_policy::reply::normalise;
use homard_protocol::{EntryKind, Message, StopReason};
use homard_store::{FinishRun, RunRecord, RunStatus, StoreError};

use crate::delivery::outbox::OutgoingText;
use crate::delivery::run_delivery::ReplyRoute;
use crate::parts::Turns;

/// How the key of what the person said in a run ends.
const KEY_END: &str = ":user";

/// Sends the answer that stands in the conversation and ends the run; `false` when there is none.
pub(super) async fn send(relay: &Turns, record: &RunRecord, route: &ReplyRoute) -> Result<bool, StoreError> {
    let Some(text) = answer(relay, record).await? else { return Ok(false) };
    if let Some(reply) = normalise(&text) {
        // Its key is the answer's own: however often the process dies here, it is kept once.
        let (address, key) = (route.address.clone(), record.run_id.to_string());
        relay.outgoing().say(OutgoingText { address, text: reply.text, reply_to: None, key }).await?;
    }
    let mut finish = FinishRun::new(record.run_id.clone(), RunStatus::Ok);
    finish.stop_reason = Some(StopReason::Stop);
    finish.reply = Some(text);
    relay.inner().store().runs().finish(finish).await?;
    tracing::info!(run = %record.run_id, "an answer that was written when the gateway ended is sent");
    Ok(true)
}

/// The whole answer of a run, when it is the last thing in its conversation but for what was said beside it, and nobody
/// has read any of it.
async fn answer(relay: &Turns, record: &RunRecord) -> Result<Option<String>, StoreError> {
    let Some(session) = &record.session_id else { return Ok(None) };
    if !relay.read_so_far(record).await?.is_empty() {
        return Ok(None);
    }
    let context = relay.inner().store().transcripts().context(session).await?;
    let mut messages = context.entries.iter().rev().filter_map(|entry| match &entry.kind {
        EntryKind::Message { message: Message::Assistant(said) } if said.is_said_beside() => None,
        EntryKind::Message { message } => Some(message),
        _ => None,
    });
    let Some(Message::Assistant(last)) = messages.next() else { return Ok(None) };
    let is_whole = last.stop_reason == StopReason::Stop && last.tool_calls().next().is_none();
    let asked = messages.find_map(|message| match message {
        Message::User(user) => Some(user.idempotency_key.as_deref()),
        _ => None,
    });
    let name = asked.flatten().and_then(|key| key.strip_suffix(KEY_END));
    let is_ours = name == Some(record.run_id.as_str());
    Ok(Some(last.text()).filter(|text| is_whole && is_ours && !text.trim().is_empty()))
}
