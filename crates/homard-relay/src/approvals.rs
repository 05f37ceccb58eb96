//! Questions to the owner on chat platforms: shown where they are to be answered, changed when they have an end.
//!
//! A question is a message of the outbox like any other. What became of it is written into it where the platform can
//! change messages, and said after it where it cannot; so nobody answers what is over. `places` decides where it is
//! shown, `words` what it says, `press` takes the answers.

mod places;
mod press;
mod words;

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use homard_channel::{Act, Content, Outbound, Receipt, shape_text};
use homard_protocol::{AccountId, ChannelId};
use homard_runtime::{OrCancel, OrLog};
use homard_store::{NewOutbound, StoreError};
use homard_tools::{ApprovalOutcome, Question};
use tokio::sync::watch;

use crate::delivery::outbox::{OutgoingText, receipt_of, row_of};
use crate::delivery::reply_style::ReplyStyle;
use crate::parts::ChatApprovals;
use places::QuestionPlace;
pub(crate) use places::read_place;
pub(crate) use press::{PREFIX as BUTTON_PREFIX, answer_of, name_of};

/// What the keys of questions begin with in the outbox.
const KEY: &str = "question:";
/// What follows the key of a question in the key of its end.
const END: &str = ":end";
/// How long the end waits for the receipt of a question that is on its way.
const RECEIPT_WAIT: Duration = Duration::from_secs(30);
/// What a question says that a restart has ended.
const RESTARTED: &str = "⏹ The gateway restarted; this question is over.";

impl ChatApprovals {
    /// Shows a question on chat platforms until it has an end.
    pub(crate) fn show(self, question: &Question) {
        let Some(ended) = self.approvals().watch(&question.id) else { return };
        let (question, inner) = (question.clone(), Arc::clone(self.inner()));
        let stopped = inner.tasks().token().clone();
        inner.tasks().spawn(async move {
            let places = self.places(&question).await;
            let places =
                places.or_log("where a question is to be shown could not be read").unwrap_or_default();
            let shows = places.iter().enumerate().map(|(nth, place)| {
                let key = format!("{KEY}{}:{nth}", question.id);
                self.show_at(&question, place, key, ended.clone())
            });
            // One that is cut off is ended after the next start.
            let _cut_off = futures_util::future::join_all(shows).or_cancel(&stopped).await;
        });
    }

    async fn show_at(
        &self,
        question: &Question,
        place: &QuestionPlace,
        key: String,
        mut ended: watch::Receiver<Option<ApprovalOutcome>>,
    ) {
        let address = place.address.clone();
        let style = ReplyStyle::of(&self.outgoing(), &address);
        let buttons = if style.can(Act::Buttons) { press::buttons(question) } else { Vec::new() };
        let text = words::asked(question, place.is_elsewhere, self.inner().clock().now_ms());
        let saying = OutgoingText { address, text, reply_to: None, key };
        let rows = self.outgoing().rows(saying, None, buttons).await;
        let Some(last) = rows.last().cloned() else { return };
        if self.outgoing().post(rows).await.or_log("a question could not be shown on the platform").is_none()
        {
            return;
        }
        if ended.wait_for(Option::is_some).await.is_err() {
            return;
        }
        let withdrawn = self.inner().store().outbox().withdraw(&last.key).await;
        if withdrawn.or_log("a question could not be taken back") == Some(true) {
            return;
        }
        let Ok(receipt) = self.outgoing().send_row(last.clone(), RECEIPT_WAIT).await else { return };
        let question = self.approvals().get(&question.id).unwrap_or_else(|| question.clone());
        self.end(&last, &receipt, &words::ended(&question)).await;
    }

    /// Says at a question that was shown what became of it.
    async fn end(&self, asked: &NewOutbound, receipt: &Receipt, said: &str) {
        let Ok(Outbound { address, content: Content::Text { words, .. }, .. }) =
            serde_json::from_str(&asked.payload)
        else {
            return;
        };
        let address = receipt.went_to.clone().unwrap_or(address);
        let outgoing = self.outgoing();
        let style = ReplyStyle::of(&outgoing, &address);
        let Some(said) = shape_text(said, style.shape).into_iter().next() else { return };
        let content = if style.can(Act::Edit) && !receipt.message_id.is_empty() {
            let words = words::with_end(&words, said, style.shape);
            Content::Edit { message_id: receipt.message_id.clone(), words, buttons: Vec::new() }
        } else {
            Content::Text { words: said, buttons: Vec::new() }
        };
        let key = format!("{}{END}", asked.key);
        let outbound = Outbound { address, key, reply_to: None, silent: true, no_previews: false, content };
        let posted = outgoing.post(vec![row_of(&outgoing, &outbound, None, None)]).await;
        posted.or_log("the end of a question could not be shown on the platform");
    }

    /// Once after a start, before anything is sent: a question nobody waits for any more is not asked.
    pub(crate) async fn take_back_unsent(&self) -> Result<(), StoreError> {
        let outbox = self.inner().store().outbox();
        for row in outbox.beginning_with(KEY).await? {
            if !row.new.key.ends_with(END) && row.sent_at.is_none() && row.failed_at.is_none() {
                outbox.withdraw(&row.new.key).await?;
            }
        }
        Ok(())
    }

    /// Ends what was asked on an account before a restart.
    pub(crate) fn end_those_of_before(self, channel: ChannelId, account: AccountId) {
        let inner = Arc::clone(self.inner());
        inner.tasks().spawn(async move {
            let rows = self.inner().store().outbox().beginning_with(KEY).await;
            let rows = rows.or_log("questions of before could not be read").unwrap_or_default();
            let ends: HashSet<&str> = rows.iter().filter_map(|row| row.new.key.strip_suffix(END)).collect();
            for row in &rows {
                let is_here = row.new.channel == channel && row.new.account == account;
                let is_question = !row.new.key.ends_with(END) && row.sent_at.is_some();
                if is_here
                    && is_question
                    && !ends.contains(row.new.key.as_str())
                    && !self.is_live(&row.new.key)
                {
                    self.end(&row.new, &receipt_of(row), RESTARTED).await;
                }
            }
        });
    }

    /// Whether the question a row shows waits, or ended a moment ago.
    fn is_live(&self, key: &str) -> bool {
        let id = key.strip_prefix(KEY).and_then(|rest| rest.rsplitn(3, ':').nth(2));
        id.is_some_and(|id| self.approvals().get(id).is_some())
    }
}

#[cfg(test)]
mod tests;
