//! After a start, for messages of people who wait on a chat platform: a turn that was cut off before anything came of
//! it begins again under its own name, so that nobody notices. Of one that had done something, what it had shown is
//! settled here; the turn that goes on from there is `recover/again`'s.

mod standing;

use homard_channel::{Content, Outbound};
use homard_store::{RunRecord, StoreError};

use crate::delivery::answer::preview_key;
use crate::delivery::outbox::{receipt_of, row_of};
use crate::delivery::run_delivery::ReplyRoute;
use crate::parts::Turns;
use crate::turns::lane::Kind;
use crate::turns::request::TurnRequest;

/// How often a turn begins again: one that brings the gateway down does so only this often.
const MAX_RESTARTS: u32 = 3;

impl Turns {
    /// Lets a turn that was cut off wait again; `false` when it is to be marked interrupted. Then what it had shown of
    /// its answer is taken back.
    pub(crate) async fn begin_again(&self, record: &RunRecord) -> Result<bool, StoreError> {
        let Some(mut request) = TurnRequest::of_record(record).filter(|request| request.kind.is_turn())
        else {
            return Ok(false);
        };
        // What was said stands in the conversation already: it is neither told together with others nor steered.
        request.kind = Kind::Turn;
        let Some(route) = request.options.reply.clone() else { return Ok(false) };
        let preview = self.settle_preview(record).await?;
        request.options.restarts += 1;
        if request.options.restarts <= MAX_RESTARTS
            && self.inner().store().runs().requeue(&record.run_id, request.to_json()).await?
        {
            tracing::info!(run = %record.run_id, "a turn that was cut off before anything came of it begins again");
            return Ok(true);
        }
        if let Some(message_id) = preview {
            self.hide_preview(record, &route, message_id).await?;
        }
        standing::send(self, record, &route).await
    }

    /// What people have read of a run's answer in pieces; empty when nothing.
    pub(crate) async fn read_so_far(&self, record: &RunRecord) -> Result<String, StoreError> {
        let rows = self.inner().store().outbox().of_run(&record.run_id).await?;
        let own = preview_key(&record.run_id);
        let texts =
            rows.iter().filter(|row| row.new.key != own && row.failed_at.is_none()).filter_map(|row| {
                match serde_json::from_str::<Outbound>(&row.new.payload).ok()?.content {
                    Content::Text { words, .. } => Some(words.plain),
                    Content::Media { caption, .. } => Some(caption.plain),
                    _ => None,
                }
            });
        Ok(texts.collect::<Vec<_>>().join("\n\n"))
    }

    /// The message that shows a part of the answer. One of which nobody knows whether it arrived is not sent again.
    async fn settle_preview(&self, record: &RunRecord) -> Result<Option<String>, StoreError> {
        let (store, key) = (self.inner().store(), preview_key(&record.run_id));
        let Some(row) = store.outbox().get(&key).await? else { return Ok(None) };
        if row.sent_at.is_some() {
            return Ok(Some(receipt_of(&row).message_id).filter(|id| !id.is_empty()));
        }
        store.outbox().withdraw(&key).await?;
        if row.ambiguous > 0 {
            self.outgoing().outbox().note_stray_preview(&record.run_id);
        }
        Ok(None)
    }

    async fn hide_preview(
        &self,
        record: &RunRecord,
        route: &ReplyRoute,
        message_id: String,
    ) -> Result<(), StoreError> {
        let gone = Outbound {
            address: route.address.clone(),
            key: format!("{}:preview-gone", record.run_id),
            reply_to: None,
            silent: true,
            no_previews: false,
            content: Content::Delete { message_id },
        };
        let row =
            row_of(&self.outgoing(), &gone, Some(record.session_key.clone()), Some(record.run_id.clone()));
        self.outgoing().post(vec![row]).await.map(drop)
    }
}
