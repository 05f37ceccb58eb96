//! After a start, for messages of people who wait on a chat platform: a turn that was cut off before anything came of
//! it begins again; of one that had done something they are told.

use homard_protocol::UserMessage;
use homard_runtime::OrLog;
use homard_store::{RunRecord, StoreError};

use crate::answer::preview_key;
use crate::lane::Request;
use crate::narrate::{Narrator, Subject};
use crate::outbox::receipt_of;
use crate::relay::Relay;
use crate::runs::Run;
use crate::spoken;

/// How often a turn begins again: one that brings the gateway down does so only this often.
const MAX_RESTARTS: u32 = 3;

impl Relay {
    /// Lets a turn that was cut off wait again; `false` when it is to be marked interrupted. Whoever asked on a chat
    /// platform is then told.
    pub(crate) async fn begin_again(&self, record: &RunRecord) -> Result<bool, StoreError> {
        let request = record.message.as_deref().and_then(|text| serde_json::from_str::<Request>(text).ok());
        let Some(mut request) = request else { return Ok(false) };
        let Some(route) = request.overrides.reply.clone() else { return Ok(false) };
        let preview = self.settle_preview(record).await?;
        request.overrides.restarts += 1;
        if request.overrides.restarts <= MAX_RESTARTS
            && self.inner().store().requeue_run(&record.run_id, request.to_json()).await?
        {
            tracing::info!(run = %record.run_id, "a turn that was cut off before anything came of it begins again");
            return Ok(true);
        }
        let run = self.past_run(record, &request.message);
        run.delivery.aim(Some(&route));
        // Kept before the run is marked: a crash in between finds the row and keeps it once.
        let rows = spoken::interrupted(self.inner(), &run, preview.as_deref()).await;
        self.post(rows).await?;
        Ok(false)
    }

    /// The message that shows a part of the answer. One of which nobody knows whether it arrived is not sent again.
    async fn settle_preview(&self, record: &RunRecord) -> Result<Option<String>, StoreError> {
        let (store, key) = (self.inner().store(), preview_key(&record.run_id));
        let Some(row) = store.outbound(&key).await? else { return Ok(None) };
        if row.sent_at.is_some() {
            return Ok(Some(receipt_of(&row).message_id).filter(|id| !id.is_empty()));
        }
        if row.failed_at.is_none() && row.ambiguous > 0 {
            store.mark_failed(row.id, "the answer came in its place".to_owned()).await?;
        } else if row.failed_at.is_none() {
            store.withdraw_outbound(&key).await.or_log("a preview could not be taken back");
        }
        Ok(None)
    }

    /// A run that is no longer under way, to speak in its name.
    fn past_run(&self, record: &RunRecord, message: &UserMessage) -> Run {
        let inner = self.inner();
        let subject = Subject {
            run: record.run_id.clone(),
            run_text: record.run_id.as_str().into(),
            session_key: record.session_key.to_string().into(),
            agent: Some(record.agent_id.as_str().into()),
        };
        let narrator = Narrator::new(subject, inner.bus().clone(), inner.clock().clone());
        let cancel = inner.tasks().token().child_token();
        Run::new(record.run_id.clone(), record.session_key.clone(), message.content.text(), narrator, cancel)
    }
}
