//! Before something that may have arrived is said again: whether it did, where the platform lets one look.

use homard_channel::{ChannelError, Content, KnownNearby, Outbound, Receipt, SharedChannel};
use homard_store::OutboundRecord;

use super::receipt_of;
use crate::delivery::answer::preview_key;
use crate::parts::Outgoing;

/// The receipt of a message that may have arrived, when it is found; `None` when it is to be sent.
pub(super) async fn look_for(
    outgoing: &Outgoing,
    there: &SharedChannel,
    row: &OutboundRecord,
    outbound: &Outbound,
) -> Result<Option<Receipt>, ChannelError> {
    if row.ambiguous == 0 || !matches!(outbound.content, Content::Text { .. }) {
        return Ok(None);
    }
    let near = outgoing.inner().store().outbox().near(row, outbound.address.to.as_str()).await;
    let near = near.map_err(|error| ChannelError::Unreachable(error.to_string()))?;
    if near.iter().any(|other| is_mistakable(other, row)) {
        return Ok(None);
    }
    let id = |other: &OutboundRecord| Some(receipt_of(other).message_id).filter(|id| !id.is_empty());
    let before =
        |other: &&OutboundRecord| other.new.conversation == row.new.conversation && other.id < row.id;
    let known = KnownNearby {
        older: near.iter().filter(before).filter_map(id).collect(),
        others: near.iter().filter_map(id).collect(),
    };
    there.find_sent(outbound.clone(), known).await
}

/// Whether another message lies nobody knows where, so that it could be taken for this one. Copies of what was sent
/// before in the same conversation stand before its receipt, where nobody looks; and a preview may well become the answer.
fn is_mistakable(other: &OutboundRecord, row: &OutboundRecord) -> bool {
    if row.new.run_id.as_ref().is_some_and(|run| other.new.key == preview_key(run)) {
        return false;
    }
    let is_settled = other.sent_at.is_some() && other.new.conversation == row.new.conversation;
    other.sending_at.is_some() || (other.ambiguous > 0 && !is_settled)
}
