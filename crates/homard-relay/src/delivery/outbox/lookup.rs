//! Before something that may have arrived is said again: whether it did, where the platform lets one look. And an answer
//! whose beginning may have arrived as a preview is written into that, where it is found.

use std::panic::AssertUnwindSafe;

use futures_util::FutureExt as _;
use homard_channel::{ChannelError, Content, KnownNearby, Outbound, Receipt, SharedChannel};
use homard_protocol::RunId;
use homard_runtime::Timestamp;
use homard_store::{OutboundRecord, StoreError};

use super::receipt_of;
use crate::delivery::answer::preview_key;
use crate::parts::Outgoing;

/// What is to be done with a row.
pub(super) enum LookupOutcome {
    Arrived(Receipt),
    /// Its preview did: the row says now that it is written into that.
    IntoPreview,
    /// So it is to be sent.
    Nothing,
}

/// Looks for what a row may have left on the platform.
pub(super) async fn look_for(
    outgoing: &Outgoing,
    there: &SharedChannel,
    row: &OutboundRecord,
    outbound: &Outbound,
) -> Result<LookupOutcome, ChannelError> {
    if row.ambiguous > 0 && matches!(outbound.content, Content::Text { .. } | Content::Media { .. }) {
        let found = find(outgoing, there, row, outbound).await?;
        return Ok(found.map_or(LookupOutcome::Nothing, LookupOutcome::Arrived));
    }
    let Some(run) = row.new.run_id.as_ref().filter(|run| outgoing.outbox().has_stray_preview(run)) else {
        return Ok(LookupOutcome::Nothing);
    };
    let Content::Text { words, buttons } = &outbound.content else { return Ok(LookupOutcome::Nothing) };
    let Some((preview, shown)) = stray_preview(outgoing, run).await.map_err(|error| unread(&error))? else {
        outgoing.outbox().settle_stray_preview(run);
        return Ok(LookupOutcome::Nothing);
    };
    let found = find(outgoing, there, &preview, &shown).await?;
    if let Some(Receipt { message_id, .. }) = &found {
        let (words, buttons) = (words.clone(), buttons.clone());
        let content = Content::Edit { message_id: message_id.clone(), words, buttons };
        let edit = serde_json::to_string(&Outbound { content, ..outbound.clone() });
        let receipt = homard_runtime::json::to_text(&found);
        let edit = edit.map_err(|error| ChannelError::Permanent(error.to_string()))?;
        // In one commit: an answer that forgot its preview would stand beside it.
        let kept = outgoing.inner().store().outbox().replace_into(row, edit, &preview, receipt).await;
        kept.map_err(|error| unread(&error))?;
    }
    outgoing.outbox().settle_stray_preview(run);
    Ok(found.map_or(LookupOutcome::Nothing, |_preview| LookupOutcome::IntoPreview))
}

/// A preview that was given up and may have arrived all the same, and what it showed.
async fn stray_preview(
    outgoing: &Outgoing,
    run: &RunId,
) -> Result<Option<(OutboundRecord, Outbound)>, StoreError> {
    let row = outgoing.inner().store().outbox().get(&preview_key(run)).await?;
    let row = row.filter(|row| row.sent_at.is_none() && row.failed_at.is_some() && row.ambiguous > 0);
    Ok(row
        .and_then(|row| Some((serde_json::from_str(&row.new.payload).ok()?, row)))
        .map(|(shown, row)| (row, shown)))
}

async fn find(
    outgoing: &Outgoing,
    there: &SharedChannel,
    row: &OutboundRecord,
    outbound: &Outbound,
) -> Result<Option<Receipt>, ChannelError> {
    let store = outgoing.inner().store();
    let near =
        store.outbox().near(row, outbound.address.to.as_str()).await.map_err(|error| unread(&error))?;
    // What an older version kept is sent for each thread by itself: one could be taken for another.
    let is_beside = |other: &OutboundRecord| {
        other.new.conversation != row.new.conversation && other.sent_at.is_none() && other.failed_at.is_none()
    };
    if near.iter().any(is_beside) {
        return Ok(None);
    }
    let before = |other: &&OutboundRecord| other.id < row.id && other.sent_at.is_some();
    let since = near.iter().filter(before).map(|other| other.created_at).max().unwrap_or_default();
    if near.iter().any(|other| is_mistakable(other, row, since)) {
        return Ok(None);
    }
    let id = |other: &OutboundRecord| Some(receipt_of(other).message_id).filter(|id| !id.is_empty());
    let answers = match &row.new.run_id {
        Some(run) => store
            .inbox()
            .answered_in(&row.new.channel, &row.new.account, run)
            .await
            .map_err(|error| unread(&error))?,
        None => Vec::new(),
    };
    let known = KnownNearby {
        older: near.iter().filter(before).filter_map(id).collect(),
        answers,
        others: near.iter().filter_map(id).collect(),
    };
    // A bug in an adapter must not leave the conversation without a postman.
    let looking = AssertUnwindSafe(there.find_sent(outbound.clone(), known)).catch_unwind();
    looking.await.unwrap_or_else(|_panic| {
        tracing::error!(channel = %there.id(), "looking for a message ended unexpectedly; this is a bug in Homard");
        Ok(None)
    })
}

/// Whether another message lies nobody knows where, so that it could be taken for this one. Copies of what was sent, and
/// what was over before the last known message was made (`since`), stand before that, where nobody looks. And a preview
/// may well become the answer.
fn is_mistakable(other: &OutboundRecord, row: &OutboundRecord, since: Timestamp) -> bool {
    let is_own_preview = row.new.run_id.as_ref().is_some_and(|run| other.new.key == preview_key(run));
    let is_before = other.failed_at.is_some_and(|over| over < since);
    other.ambiguous > 0 && other.sent_at.is_none() && !is_before && !is_own_preview
}

fn unread(error: &StoreError) -> ChannelError {
    ChannelError::Unreachable(error.to_string())
}
