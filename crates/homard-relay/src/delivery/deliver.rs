//! Recording what a turn came to and telling everyone, in that order: what was told is never lost.

use homard_agent::History;
use homard_models::auth::is_stored;
use homard_policy::reply::audible;
use homard_protocol::events::{ChatMessage, ChatState, FinalMessage, RunPhase, SessionChange, TerminalReply};
use homard_protocol::{
    AssistantBlock, AssistantMessage, ChoiceSource, EntryKind, INJECTED_MODEL, INJECTED_PROVIDER, Message,
    StopCause, StopReason, Word,
};
use homard_store::{FinishRun, RunStatus, SessionEntry, SessionKind};

use crate::delivery::look::{HeartbeatLook, LookVerdict};
use crate::delivery::reply_rows;
use crate::hook_points;
use crate::parts::Outgoing;
use crate::turns::outcome::{NotBegun, RunEnd, TurnFacts, TurnOutcome};
use crate::turns::runs::Run;

/// Records and tells.
pub(crate) async fn deliver(
    outgoing: &Outgoing,
    run: &Run,
    outcome: TurnOutcome,
    history: &mut Option<History>,
) {
    let inner = outgoing.inner();
    run.narrator.flush();
    let said = run.narrator.text();
    let look = match run.delivery.look() {
        Some(look) => Some(look.judge(inner, run, &outcome, &said).await),
        None => None,
    };
    let is_heard = look.is_none_or(|verdict| verdict == LookVerdict::News);
    let reply = audible(&said, None).filter(|_| is_heard).map(str::to_owned);
    // Nobody is shown that a child has nothing to report, but whoever follows it wants to know.
    let is_child = SessionKind::of(&run.session_key) == SessionKind::Subagent;
    let unshown = || Some(said.trim().to_owned()).filter(|said| is_child && !said.is_empty());
    let mut finish = finish(run, &outcome);
    // A turn that was never recorded as begun has no transcript to write to.
    let entry = outcome.session_id().and_then(|_| recorded(&outcome, inner.clock().now_ms()));
    finish.entries =
        entry.into_iter().map(|entry| EntryKind::Message { message: Message::Assistant(entry) }).collect();
    finish.reply = reply.clone().or_else(unshown);
    if is_heard {
        finish.outbox = reply_rows::rows(outgoing, run, &outcome, &said).await;
    }
    let changes = SessionChanges {
        facts: outcome.facts().cloned(),
        is_aborted: matches!(outcome.status(), RunStatus::Aborted | RunStatus::TimedOut),
        now: inner.clock().now_ms(),
        is_look: look.is_some(),
        news: look.and(finish.reply.clone()),
    };
    finish.patch = Some(Box::new(move |session| changes.apply(session)));
    let outcome = match write_down(outgoing, run, finish, look, history).await {
        Ok(()) => outcome,
        Err(lost) => outcome.lost(lost),
    };
    let end = RunEnd { outcome, reply, ended_at: inner.clock().now_ms(), look };
    tell_programs(run, &end);
    run.narrator.end(last_word(&end));
    let reply = end.outcome.facts().map(|_| end.reply.clone());
    inner.run_ended(run, end);
    if let Some(reply) = reply {
        hook_points::agent_ended(inner, run, reply.as_deref()).await;
    }
}

/// The transcript line of the last answer.
fn recorded(outcome: &TurnOutcome, now: i64) -> Option<AssistantMessage> {
    match outcome {
        TurnOutcome::Answered { answer, .. } => answer.clone(),
        TurnOutcome::Stopped { answer, by, .. } => partial(answer.as_ref()?, *by),
        TurnOutcome::Failed { facts, answer, failure, .. } => {
            let nothing = || AssistantMessage {
                content: Vec::new(),
                provider: facts.used.provider.clone(),
                model: facts.used.model.clone(),
                ..AssistantMessage::injected(String::new(), StopReason::Error, now)
            };
            Some(failed(answer.clone().unwrap_or_else(nothing), &failure.error))
        }
        TurnOutcome::NotBegun(NotBegun::Failed { error, .. }) => {
            let nothing = AssistantMessage {
                content: Vec::new(),
                provider: String::new(),
                model: String::new(),
                ..AssistantMessage::injected(String::new(), StopReason::Error, now)
            };
            Some(failed(nothing, error))
        }
        TurnOutcome::NotBegun(_) => None,
    }
}

/// What had been said when somebody stopped it, if anything.
fn partial(answer: &AssistantMessage, by: Option<StopCause>) -> Option<AssistantMessage> {
    let mut partial = answer.clone();
    partial.content.retain(|block| matches!(block, AssistantBlock::Text { text, .. } if !text.is_empty()));
    if partial.content.is_empty() {
        return None;
    }
    INJECTED_PROVIDER.clone_into(&mut partial.provider);
    INJECTED_MODEL.clone_into(&mut partial.model);
    partial.stop_reason = StopReason::Aborted;
    partial.error_message = by.map(|by| format!("stopped: {}", by.as_str()));
    Some(partial)
}

fn failed(mut answer: AssistantMessage, error: &str) -> AssistantMessage {
    // A call nobody will answer would make the conversation invalid.
    answer.content.retain(|block| !matches!(block, AssistantBlock::ToolCall(_)));
    answer.stop_reason = StopReason::Error;
    answer.error_message = Some(error.to_owned());
    answer
}

/// The end of a run as its outcome tells it.
fn finish(run: &Run, outcome: &TurnOutcome) -> FinishRun {
    FinishRun {
        stop_reason: outcome.model_stopped(),
        error: outcome.error().map(str::to_owned),
        usage: Some(outcome.usage()),
        attempts: outcome.attempts().iter().filter_map(|a| serde_json::to_value(a).ok()).collect(),
        provider: outcome.model().map(|used| used.provider.clone()),
        model: outcome.model().map(|used| used.model.clone()),
        ..FinishRun::new(run.id.clone(), outcome.status())
    }
}

/// Writes the end of the run; the error is what to tell people if that was impossible.
async fn write_down(
    outgoing: &Outgoing,
    run: &Run,
    finish: FinishRun,
    look: Option<LookVerdict>,
    history: &mut Option<History>,
) -> Result<(), String> {
    let inner = outgoing.inner();
    let (said, outbox) = (finish.entries.first().cloned(), finish.outbox.clone());
    let unheard =
        run.delivery.look().and_then(HeartbeatLook::from).filter(|_| look != Some(LookVerdict::News));
    let finished = match unheard {
        Some(from) => inner.store().runs().finish_unheard(finish, from).await,
        None => inner.store().runs().finish(finish).await,
    };
    match finished {
        Ok(finished) => {
            outgoing.kick_all(&outbox);
            if let (Some(EntryKind::Message { message }), Some(place), Some(history)) =
                (said, finished.appended.first(), history.as_mut())
            {
                history.record(message, place.seq);
            }
            if unheard.is_some() {
                // What was said is not in the transcript any more.
                *history = None;
            }
            if let Some(session) = &finished.session {
                inner.session_changed(session, SessionChange::None, Vec::new());
            }
            Ok(())
        }
        Err(error) => {
            tracing::error!(%error, run = %run.id, "the end of a run could not be recorded");
            *history = None;
            Err(format!("The answer could not be saved: {error}"))
        }
    }
}

/// What a turn changes in its session's row.
struct SessionChanges {
    /// Of the turn, where a model was asked.
    facts: Option<TurnFacts>,
    is_aborted: bool,
    now: i64,
    /// Whether the agent only looked around.
    is_look: bool,
    /// What people were told unasked.
    news: Option<String>,
}

impl SessionChanges {
    fn apply(self, session: &mut SessionEntry) {
        if let Some(news) = self.news {
            session.last_heartbeat_text = Some(news);
            session.last_heartbeat_sent_at = Some(self.now);
        }
        if !self.is_look {
            session.aborted_last_run = Some(self.is_aborted);
        }
        let Some(facts) = self.facts else { return };
        if facts.spent.flushed {
            session.memory_flush_at = Some(self.now);
            session.memory_flush_compaction_count = Some(session.compaction_count.unwrap_or(0));
        }
        if facts.spent.compactions > 0 {
            let before = session.compaction_count.unwrap_or(0);
            session.compaction_count = Some(before.saturating_add(u64::from(facts.spent.compactions)));
        }
        if self.is_look {
            // A look may use another model; people go on with theirs.
            return;
        }
        session.system_sent = Some(true);
        session.model_provider = Some(facts.used.provider);
        session.model = Some(facts.used.model);
        session.context_tokens = facts.used.context_window;
        // A person's own choice of credential stays theirs.
        let ours = Word::from(ChoiceSource::Auto);
        let is_ours = session.auth_profile_override_source.as_ref().is_none_or(|source| *source == ours);
        if let Some(profile) = facts.used.profile.filter(|id| is_ours && is_stored(id)) {
            session.auth_profile_override = Some(profile);
            session.auth_profile_override_source = Some(ours);
            session.auth_profile_override_compaction_count = session.compaction_count;
        }
        if facts.spent.last_call.prompt_tokens() > 0 {
            session.input_tokens = Some(facts.spent.usage.input);
            session.output_tokens = Some(facts.spent.usage.output);
            session.total_tokens = Some(facts.spent.last_call.prompt_tokens());
            session.total_tokens_fresh = Some(true);
        }
    }
}

fn tell_programs(run: &Run, RunEnd { outcome, reply, ended_at, .. }: &RunEnd) {
    let narrator = &run.narrator;
    let Some(started_at) = outcome.started_at() else { return };
    let status = outcome.status();
    if status == RunStatus::Ok {
        let stop = outcome.stop_word().unwrap_or_default();
        narrator.usage(outcome.usage().output);
        let ended_at = *ended_at;
        narrator.lifecycle(RunPhase::Finishing { stop_reason: stop.clone(), aborted: false, ended_at });
        let terminal_reply = match reply {
            Some(text) => TerminalReply::Visible { text: text.clone() },
            None => TerminalReply::Silent,
        };
        narrator.lifecycle(RunPhase::End {
            started_at,
            ended_at,
            stop_reason: stop,
            aborted: false,
            terminal_reply,
        });
        return;
    }
    let aborted = matches!(status, RunStatus::Aborted | RunStatus::TimedOut);
    let error = outcome.error().unwrap_or("This operation was aborted").to_owned();
    let stop_reason = if aborted { "aborted" } else { "error" };
    narrator.lifecycle(RunPhase::Error { started_at, ended_at: *ended_at, error, aborted, stop_reason });
}

/// The event that ends the run for people.
pub(crate) fn last_word(RunEnd { outcome, reply, ended_at, .. }: &RunEnd) -> ChatState {
    let message = reply.clone().map(|text| ChatMessage::new(text, *ended_at));
    match outcome.status() {
        RunStatus::Ok => ChatState::Final {
            message: message.map(FinalMessage::Text),
            usage: outcome.facts().map(|facts| facts.spent.usage),
            stop_reason: outcome.stop_word(),
        },
        RunStatus::Aborted | RunStatus::Interrupted => {
            ChatState::Aborted { message, stop_reason: outcome.stop_word().unwrap_or_default() }
        }
        RunStatus::TimedOut | RunStatus::Error | RunStatus::Queued | RunStatus::Running => ChatState::Error {
            error_message: outcome.error().unwrap_or("The run failed.").to_owned(),
            error_kind: outcome.error_kind(),
            message,
        },
    }
}
