//! What a question says on a chat platform, and what is said when it is over.

use homard_channel::{RichText, Shape};
use homard_protocol::methods::approvals::{APPROVAL_SLUG_CHARS, ApprovalDecision};
use homard_runtime::{Clip, brief, visible};
use homard_tools::{ApprovalOutcome, Question};

/// How much of a reason is shown, in characters.
const REASON_CHARS: usize = 300;
/// How much of what is to be done is shown, in characters.
const ACTION_CHARS: usize = 2_000;
/// How much of that is its end.
const TAIL_CHARS: usize = 600;
/// How much of the name of whoever answered is shown.
const NAME_CHARS: usize = 60;
/// Between the question and how it is answered.
const PARAGRAPH: &str = "\n\n";

/// What, where, why, and how to answer; the last paragraph is how.
pub(super) fn asked(question: &Question, is_elsewhere: bool, now: i64) -> String {
    let request = &question.request;
    let action = both_ends(&visible(&request.action));
    let fence = fence_for(&action);
    let mut text = format!("⚠️ May I use {}?\n{fence}\n{action}\n{fence}", visible(&request.tool));
    if let Some(cwd) = &request.cwd {
        text = format!("{text}\nin {}", brief(&visible(cwd), REASON_CHARS));
    }
    if let Some(key) = request.session_key.as_ref().filter(|_| is_elsewhere) {
        text = format!("{text}\nfor the conversation {}", visible(&key.to_string()));
    }
    for reason in &request.reasons {
        text = format!("{text}\n• {}", brief(&visible(reason), REASON_CHARS));
    }
    let always = if request.can_always { "|allow-always" } else { "" };
    let left = time_left(question.expires_at.saturating_sub(now));
    let slug = question.id.clip_chars(APPROVAL_SLUG_CHARS);
    format!("{text}{PARAGRAPH}Answer within {left}: /approve {slug} allow-once{always}|deny")
}

/// The beginning and the end of a long text, and how much is between them: what matters may stand last.
fn both_ends(text: &str) -> String {
    let left_out = text.chars().count().saturating_sub(ACTION_CHARS);
    if left_out == 0 {
        return text.to_owned();
    }
    let tail: String = text.chars().skip(ACTION_CHARS - TAIL_CHARS + left_out).collect();
    let head = text.clip_chars(ACTION_CHARS - TAIL_CHARS);
    format!("{head}\n[… {left_out} characters more, which the page shows …]\n{tail}")
}

/// Marks that nothing in a text closes.
fn fence_for(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    "`".repeat((longest + 1).max(3))
}

fn time_left(milliseconds: i64) -> String {
    match milliseconds.max(0) / 1_000 {
        seconds @ ..120 => format!("{seconds} s"),
        seconds => format!("{} min", seconds / 60),
    }
}

/// What became of it.
pub(super) fn ended(question: &Question) -> String {
    let by = question.answered_by.as_deref().map(|by| format!(", by {}", brief(&visible(by), NAME_CHARS)));
    let by = by.unwrap_or_default();
    match question.outcome {
        Some(ApprovalOutcome::Said(ApprovalDecision::AllowOnce)) => format!("✅ Allowed once{by}."),
        Some(ApprovalOutcome::Said(ApprovalDecision::AllowAlways)) => format!("✅ Allowed from now on{by}."),
        Some(ApprovalOutcome::Said(ApprovalDecision::Deny)) => format!("⛔ Denied{by}."),
        Some(ApprovalOutcome::Expired) => "⌛ Nobody answered in time.".to_owned(),
        Some(ApprovalOutcome::Withdrawn | ApprovalOutcome::NoRoute) | None => {
            "⏹ Stopped before anybody answered.".to_owned()
        }
    }
}

/// A question as it was written, with its end in place of how to answer it; the end alone where both are too long.
pub(super) fn with_end(asked: &RichText, end: RichText, shape: Shape) -> RichText {
    let join = |asked: &str, end: &str| match asked.rsplit_once(PARAGRAPH) {
        Some((question, _how)) => format!("{question}{PARAGRAPH}{end}"),
        None => end.to_owned(),
    };
    let both =
        RichText { formatted: join(&asked.formatted, &end.formatted), plain: join(&asked.plain, &end.plain) };
    let fits = |text: &String| shape.unit.len_of(text) <= shape.limit;
    if fits(&both.formatted) && fits(&both.plain) { both } else { end }
}
