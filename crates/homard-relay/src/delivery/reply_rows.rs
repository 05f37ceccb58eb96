//! What people on a chat platform hear of a turn that ended: its answer, or one sentence about what went wrong.

use homard_policy::reply::{PrefixFacts, normalise};
use homard_protocol::StopCause;
use homard_runtime::Clip;
use homard_store::NewOutbound;

use crate::delivery::answer::{FinalReply, preview_of};
use crate::delivery::live::taken_away;
use crate::delivery::reply_style::ReplyStyle;
use crate::delivery::run_delivery::{ReplyRoute, ShownAnswer};
use crate::parts::Outgoing;
use crate::relay::Inner;
use crate::sessions::access::agent_of;
use crate::turns::outcome::TurnOutcome;
use crate::turns::runs::Run;

/// What is said of a turn that a restart cut off.
pub(crate) const INTERRUPTED: &str =
    "⚠️ I was restarted while I was answering. Please send your message again.";
/// What others than the owner are told of a failure.
const FAILED: &str = "⚠️ Something went wrong and I could not answer. Please try again later.";
/// Longest reason that is told, in characters.
const MAX_REASON: usize = 400;

/// The messages that tell the end of a run; none when it did not come from a chat platform.
pub(crate) async fn rows(
    outgoing: &Outgoing,
    run: &Run,
    outcome: &TurnOutcome,
    said: &str,
) -> Vec<NewOutbound> {
    let inner = outgoing.inner();
    let streamed = run.delivery.seal().await;
    let Some(route) = run.delivery.route() else { return Vec::new() };
    let style = ReplyStyle::of(outgoing, &route.address);
    let wishes = run.narrator.wishes();
    let facts = facts(inner, run, outcome);
    let speech =
        FinalReply { outgoing, run, route, style: &style, wishes: &wishes, facts, before: streamed.pieces };
    let shown_before = match run.delivery.was_shown() {
        true => None,
        // The account was not known yet when the turn began.
        false => preview_of(outgoing, &run.id).await,
    };
    let preview = streamed.preview.as_deref().or(shown_before.as_deref());
    let text = text(route, outcome, said, &streamed);
    // A message of its own, before the one it is about.
    let mut before = match run.narrator.kept_reasoning() {
        Some(reasoning) => speech.rows(&reasoning, None, "reasoning:").await,
        None => Vec::new(),
    };
    let mut rows = match with_usage(run, outcome, text, &streamed) {
        Some(text) => speech.rows(&text, preview, "").await,
        // What was shown of a turn that was stopped stays as it is.
        None if preview.is_some() && !matches!(outcome, TurnOutcome::Answered { .. }) => Vec::new(),
        None => speech.rows("", preview, "").await,
    };
    if let Some(content) = taken_away(outgoing, run) {
        rows.push(speech.row(format!("{}:ack", run.id), None, content));
    }
    before.extend(rows);
    before
}

/// The same with what it cost below it, where the conversation wants to know.
fn with_usage(
    run: &Run,
    outcome: &TurnOutcome,
    text: Option<String>,
    streamed: &ShownAnswer,
) -> Option<String> {
    let TurnOutcome::Answered { facts, .. } = outcome else { return text };
    let is_said = text.is_some() || streamed.pieces > 0;
    let line = run.delivery.work.usage_line(&facts.spent.usage, &run.session_key);
    let Some(line) = line.filter(|_| is_said) else { return text };
    Some(text.map_or_else(|| line.clone(), |text| format!("{text}\n\n{line}")))
}

/// What is said; `None` for nothing.
fn text(route: &ReplyRoute, outcome: &TurnOutcome, said: &str, streamed: &ShownAnswer) -> Option<String> {
    let left = if streamed.pieces > 0 { streamed.rest.as_str() } else { said };
    let is_silent = normalise(said).is_none();
    let shown = streamed.preview.is_some().then_some(left).filter(|_| !is_silent);
    let sentence = match (outcome, outcome.error()) {
        (TurnOutcome::Answered { .. }, _) => {
            return (!is_silent && !left.trim().is_empty()).then(|| left.to_owned());
        }
        (_, Some(error)) => why(route, error),
        (_, None) if outcome.stopped_by() == Some(StopCause::Restart) => INTERRUPTED.to_owned(),
        (_, None) => return shown.map(str::to_owned),
    };
    Some(match shown {
        Some(shown) => format!("{shown}\n\n{sentence}"),
        None => sentence,
    })
}

/// One plain sentence about what went wrong; only the owner learns the reason.
fn why(route: &ReplyRoute, error: &str) -> String {
    if !route.is_owner {
        return FAILED.to_owned();
    }
    let line = error.split_whitespace().collect::<Vec<_>>().join(" ");
    format!("⚠️ {}", line.ellipsis_after(MAX_REASON))
}

fn facts(inner: &Inner, run: &Run, outcome: &TurnOutcome) -> PrefixFacts {
    let config = inner.config();
    let agent =
        config.agents.agent(agent_of(&config, &run.session_key)).unwrap_or(config.agents.default_agent());
    PrefixFacts {
        provider: outcome.model().map(|used| used.provider.clone()),
        model: outcome.model().map(|used| used.model.clone()),
        thinking: agent.thinking.map(|level| format!("{level:?}").to_lowercase()),
        name: agent.identity.name.clone().or_else(|| agent.name.clone()),
    }
}

#[cfg(test)]
mod tests;
