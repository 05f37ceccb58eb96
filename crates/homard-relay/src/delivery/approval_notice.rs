//! A question that waits for the owner, shown where they asked for what needs it.

use homard_channel::ChatKind;
use homard_runtime::{Clip, OrLog, brief, visible};
use homard_tools::Question;

use crate::delivery::outbox::OutgoingText;
use crate::parts::Outgoing;

/// How much of a question's name is written.
const ID_CHARS: usize = 8;
/// How much of a reason is shown, in characters.
const REASON_CHARS: usize = 300;
/// How much of what is to be done is shown, in characters.
const ACTION_CHARS: usize = 2_000;

impl Outgoing {
    /// Says on a platform that a run there waits, if the owner asked for it in a direct chat: nobody else may answer,
    /// and what is asked may be private.
    pub(crate) fn show_approval(self, question: &Question) {
        let run = question.request.run_id.as_ref().and_then(|id| self.runs().get(id));
        let route = run.as_ref().and_then(|run| run.delivery.route());
        let Some(route) = route.filter(|route| route.is_owner && route.address.chat == ChatKind::Direct)
        else {
            return;
        };
        let notice = OutgoingText {
            address: route.address.clone(),
            text: words(question),
            reply_to: None,
            key: format!("approval:{}", question.id),
        };
        let inner = std::sync::Arc::clone(self.inner());
        inner.tasks().spawn(async move {
            self.say(notice).await.or_log("a question could not be shown on the platform");
        });
    }
}

fn words(question: &Question) -> String {
    let request = &question.request;
    let shown = |text: &str, most: usize| visible(text.clip_chars(most));
    let mut text =
        format!("⚠️ May I use {}?\n```\n{}\n```", request.tool, shown(&request.action, ACTION_CHARS));
    if let Some(cwd) = &request.cwd {
        text = format!("{text}\nin {}", shown(cwd, REASON_CHARS));
    }
    for reason in &request.reasons {
        text = format!("{text}\n• {}", brief(&visible(reason), REASON_CHARS));
    }
    // As much of its name as tells it from others.
    let id = question.id.clip_chars(ID_CHARS).to_owned();
    let minutes = question.expires_at.saturating_sub(question.created_at) / 60_000;
    let always = if request.can_always { "|allow-always" } else { "" };
    format!("{text}\n\nAnswer within {minutes} min: /approve {id} allow-once{always}|deny")
}
