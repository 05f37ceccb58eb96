//! The buttons below a question, and those who press them.

use homard_channel::{Act, Button, Content, Inbound, Outbound, Press, RichText, Sender};
use homard_protocol::methods::approvals::ApprovalDecision;
use homard_runtime::OrLog;
use homard_tools::{NotTaken, Question};

use super::KEY;
use crate::delivery::outbox::{OutgoingText, row_of};
use crate::delivery::reply_style::ReplyStyle;
use crate::parts::ChatApprovals;

/// What the values of these buttons begin with; nobody else's may.
pub(crate) const PREFIX: &str = "approval:";
/// The longest value every platform carries, in bytes.
const MAX_VALUE: usize = 64;
/// Whoever may not answer reads this.
const NOT_YOURS: &str = "Only the owner may answer this.";
/// What stands in place of a question that is over.
const OVER: &str = "⌛ This question is over.";

/// One row: yes, always, no. None where its name is too long to come back.
pub(super) fn buttons(question: &Question) -> Vec<Vec<Button>> {
    let always = question.request.can_always.then_some(("Always", ApprovalDecision::AllowAlways));
    let all = [("Allow once", ApprovalDecision::AllowOnce)]
        .into_iter()
        .chain(always)
        .chain([("Deny", ApprovalDecision::Deny)]);
    let row: Vec<Button> = all
        .map(|(text, verdict)| Button {
            text: text.to_owned(),
            value: format!("{PREFIX}{}:{}", question.id, verdict.as_str()),
        })
        .collect();
    if row.iter().any(|button| button.value.len() > MAX_VALUE) { Vec::new() } else { vec![row] }
}

/// An answer to a question, given by a button.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PressedAnswer {
    id: String,
    verdict: ApprovalDecision,
    press: Press,
}

/// Which answer a message is, if it is the press of such a button.
pub(crate) fn answer_of(message: &Inbound) -> Option<PressedAnswer> {
    let press = message.details.pressed.clone()?;
    let (id, word) = press.value.strip_prefix(PREFIX)?.rsplit_once(':')?;
    Some(PressedAnswer { id: id.to_owned(), verdict: ApprovalDecision::parse(word)?, press })
}

impl ChatApprovals {
    /// Takes an answer from whoever may give it. Says in a word what came of it.
    pub(crate) async fn take(&self, message: &Inbound, answer: &PressedAnswer) -> &'static str {
        let question = self.approvals().get(&answer.id);
        let is_asked = question.as_ref().is_some_and(|question| self.is_asked(question, message));
        if !is_asked && !self.inner().is_owner(message) {
            // What a press says is up to whoever sends it; only what was asked is worth a word.
            if question.is_some() {
                self.say_no(message, answer).await;
            }
            return "whoever pressed the button may not answer";
        }
        let by = name_of(message);
        match self.approvals().resolve(&answer.id, answer.verdict, &by) {
            Ok(_question) => "an answer to a question",
            // What is below it changes by itself.
            Err(NotTaken::Answered | NotTaken::OnceOnly) => "its question was answered",
            Err(NotTaken::Unknown) => {
                self.is_over(message, answer).await;
                "its question is over"
            }
        }
    }

    /// Tells somebody once that it is not theirs to answer.
    async fn say_no(&self, message: &Inbound, answer: &PressedAnswer) {
        let Some(address) = message.address() else { return };
        let key = format!("question-not-yours:{}:{}", answer.id, name_of(message));
        let saying = OutgoingText { address, text: NOT_YOURS.to_owned(), reply_to: None, key };
        self.outgoing().say(saying).await.or_log("somebody could not be told that they may not answer");
    }

    /// Takes the buttons away from a question whose end was never shown: its receipt was lost.
    async fn is_over(&self, message: &Inbound, answer: &PressedAnswer) {
        let Some(address) = message.address() else { return };
        let known = self.inner().store().outbox().beginning_with(&format!("{KEY}{}:", answer.id)).await;
        let known = known.or_log("a question of before could not be read").unwrap_or_default();
        let can_change = ReplyStyle::of(&self.outgoing(), &address).can(Act::Edit);
        if !can_change || known.iter().any(|row| row.new.key.ends_with(super::END)) {
            return;
        }
        let message_id = answer.press.message_id.clone();
        let key = format!("question-over:{}:{message_id}", answer.id);
        let content = Content::Edit { message_id, words: RichText::plain(OVER), buttons: Vec::new() };
        let outbound = Outbound { address, key, reply_to: None, silent: true, no_previews: false, content };
        let outgoing = self.outgoing();
        let posted = outgoing.post(vec![row_of(&outgoing, &outbound, None, None)]).await;
        posted.or_log("a question of before could not be ended");
    }
}

/// Whoever wrote, as records name them.
pub(crate) fn name_of(message: &Inbound) -> String {
    match &message.sender {
        Sender::Operator => "operator".to_owned(),
        Sender::Peer { id, .. } => format!("{}:{id}", message.channel),
    }
}
