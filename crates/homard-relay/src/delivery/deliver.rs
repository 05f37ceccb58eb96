//! Recording a reply and telling everyone, in that order: what was told is never lost.

use std::sync::Arc;

use homard_agent::History;
use homard_llm::{Attempt, FailReason};
use homard_models::auth::is_stored;
use homard_protocol::events::{ChatMessage, ChatState, ErrorKind, FinalMessage};
use homard_protocol::{
    AssistantBlock, AssistantMessage, EntryKind, INJECTED_MODEL, INJECTED_PROVIDER, Message, SessionId,
    StopReason, ToolCall, Usage,
};
use homard_store::{FinishRun, NewOutbound, RawJson, RunStatus, SessionKind};
use serde_json::json;

use crate::delivery::reply_rows;
use crate::delivery::shape::{Shaped, shape};
use crate::relay::Inner;
use crate::turns::runs::{Run, RunEnd};
use crate::turns::source::StopCause;

/// What a turn came to.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: RunStatus,
    /// The last answer, whole or partial.
    pub(crate) answer: Option<AssistantMessage>,
    pub(crate) error: Option<String>,
    pub(crate) error_kind: ErrorKind,
    pub(crate) started_at: Option<i64>,
    pub(crate) session_id: Option<SessionId>,
    pub(crate) provider: String,
    pub(crate) model: String,
    pub(crate) context_window: Option<u64>,
    /// What was tried in vain on the way.
    pub(crate) attempts: Vec<Attempt>,
    /// The credential that worked.
    pub(crate) profile: Option<String>,
    pub(crate) usage: Usage,
    pub(crate) last_call: Usage,
    /// How often the conversation was summarised.
    pub(crate) compactions: u32,
    /// Whether notes were written before.
    pub(crate) flushed: bool,
    /// Calls that are the asking program's to run.
    pub(crate) handed: Vec<ToolCall>,
    /// Whether the transcript is no longer what the lane believes.
    pub(crate) changed_elsewhere: bool,
    /// Where the prompt's tokens went, when that is news to the session.
    pub(crate) prompt_report: Option<RawJson>,
}

impl Reply {
    fn without_a_model(status: RunStatus, error: Option<String>, started_at: Option<i64>) -> Self {
        Self {
            status,
            answer: None,
            error,
            error_kind: ErrorKind::Unknown,
            started_at,
            session_id: None,
            provider: String::new(),
            model: String::new(),
            context_window: None,
            attempts: Vec::new(),
            profile: None,
            usage: Usage::default(),
            last_call: Usage::default(),
            compactions: 0,
            flushed: false,
            handed: Vec::new(),
            changed_elsewhere: true,
            prompt_report: None,
        }
    }

    /// Stopped while it waited for its turn.
    pub(crate) fn stopped_before_it_began() -> Self {
        Self::without_a_model(RunStatus::Aborted, None, None)
    }

    /// The model could not be asked at all.
    pub(crate) fn failed_to_begin(error: String, started_at: i64, session_id: Option<SessionId>) -> Self {
        Self { session_id, ..Self::without_a_model(RunStatus::Error, Some(error), Some(started_at)) }
    }
}

/// What programs decide on, from the model layer's own reason.
pub(crate) fn error_kind(reason: FailReason) -> ErrorKind {
    match reason {
        FailReason::Refusal | FailReason::ContentFilter => ErrorKind::Refusal,
        FailReason::Timeout => ErrorKind::Timeout,
        FailReason::RateLimit => ErrorKind::RateLimit,
        FailReason::ContextOverflow => ErrorKind::ContextLength,
        FailReason::Auth
        | FailReason::Billing
        | FailReason::Format
        | FailReason::ModelNotFound
        | FailReason::Overloaded
        | FailReason::Budget
        | FailReason::Aborted
        | FailReason::Unknown => ErrorKind::Unknown,
    }
}

/// Records and tells.
pub(crate) async fn deliver(inner: &Arc<Inner>, run: &Run, mut reply: Reply, history: &mut Option<History>) {
    run.narrator.flush();
    let said = run.narrator.text();
    let shaped = shape(&said);
    let stop_reason = reply.answer.as_ref().map(|answer| answer.stop_reason);
    let entry = recorded(&reply, run, inner.clock().now_ms());
    let reply_text = match &shaped {
        Shaped::Text(text) => Some(text.clone()),
        Shaped::Silence => None,
    };
    // Nobody is shown that a child has nothing to report, but whoever follows it wants to know.
    let is_child = SessionKind::of(&run.session_key) == SessionKind::Subagent;
    let kept_text = reply_text
        .clone()
        .or_else(|| Some(said.trim().to_owned()).filter(|said| is_child && !said.is_empty()));
    let outbox = reply_rows::rows(inner, run, &reply, &said).await;
    let lost = record(inner, run, &reply, (entry, stop_reason, kept_text, outbox), history).await;
    if lost.is_some() {
        reply.status = RunStatus::Error;
        reply.error.clone_from(&lost);
    }
    let ended_at = inner.clock().now_ms();
    tell_programs(run, &reply, &shaped, stop_reason, ended_at);
    let end = RunEnd {
        status: reply.status,
        reply: reply_text,
        error: reply.error.clone(),
        stop_reason: Some(stop_word(&reply, run, stop_reason)),
        started_at: reply.started_at,
        ended_at,
        session_id: reply.session_id.as_ref().map(ToString::to_string),
        provider: reply.provider.clone(),
        model: reply.model.clone(),
        usage: reply.usage,
        attempts: reply.attempts.clone(),
        wishes: run.narrator.wishes(),
        calls: reply.handed.clone(),
    };
    run.narrator.end(last_word(&reply, run, shaped, (lost, stop_reason), ended_at));
    inner.run_ended(&end);
    run.ended(end);
}

/// The transcript line of the last answer.
fn recorded(reply: &Reply, run: &Run, now: i64) -> Option<AssistantMessage> {
    let mut answer = reply.answer.clone();
    match reply.status {
        RunStatus::Aborted | RunStatus::TimedOut | RunStatus::Interrupted => {
            let partial = answer.as_mut()?;
            partial
                .content
                .retain(|block| matches!(block, AssistantBlock::Text { text, .. } if !text.is_empty()));
            if partial.content.is_empty() {
                return None;
            }
            INJECTED_PROVIDER.clone_into(&mut partial.provider);
            INJECTED_MODEL.clone_into(&mut partial.model);
            partial.stop_reason = StopReason::Aborted;
            partial.error_message = run.stopped_by().map(|by| format!("stopped: {}", by.as_str()));
            answer
        }
        RunStatus::Error => {
            let mut failed = answer.unwrap_or_else(|| AssistantMessage {
                content: Vec::new(),
                provider: reply.provider.clone(),
                model: reply.model.clone(),
                ..AssistantMessage::injected(String::new(), StopReason::Error, now)
            });
            // A call nobody will answer would make the conversation invalid.
            failed.content.retain(|block| !matches!(block, AssistantBlock::ToolCall(_)));
            failed.stop_reason = StopReason::Error;
            failed.error_message.clone_from(&reply.error);
            Some(failed)
        }
        RunStatus::Ok | RunStatus::Queued | RunStatus::Running => answer,
    }
}

type Record = (Option<AssistantMessage>, Option<StopReason>, Option<String>, Vec<NewOutbound>);

/// Writes the end of the run; answers with what to tell people if that was impossible.
async fn record(
    inner: &Arc<Inner>,
    run: &Run,
    reply: &Reply,
    (entry, stop_reason, text, outbox): Record,
    history: &mut Option<History>,
) -> Option<String> {
    let mut finish = FinishRun::new(run.id.clone(), reply.status);
    // A turn that was never recorded as begun has no transcript to write to.
    let entry = entry.filter(|_| reply.session_id.is_some());
    finish.entries =
        entry.iter().map(|e| EntryKind::Message { message: Message::Assistant(e.clone()) }).collect();
    finish.stop_reason = stop_reason;
    finish.error.clone_from(&reply.error);
    finish.reply = text;
    finish.outbox.clone_from(&outbox);
    finish.usage = Some(reply.usage);
    finish.attempts = reply.attempts.iter().filter_map(|a| serde_json::to_value(a).ok()).collect();
    if !reply.model.is_empty() {
        finish.provider = Some(reply.provider.clone());
        finish.model = Some(reply.model.clone());
    }
    let (usage, last, window) = (reply.usage, reply.last_call, reply.context_window);
    let (provider, model) = (finish.provider.clone(), finish.model.clone());
    let aborted = matches!(reply.status, RunStatus::Aborted | RunStatus::TimedOut);
    let compactions = u64::from(reply.compactions);
    let flushed_at = reply.flushed.then(|| inner.clock().now_ms());
    let profile = reply.profile.clone().filter(|id| is_stored(id));
    let prompt_report = reply.prompt_report.clone();
    finish.patch = Some(Box::new(move |session| {
        if prompt_report.is_some() {
            session.system_prompt_report = prompt_report;
        }
        session.aborted_last_run = Some(aborted);
        if flushed_at.is_some() {
            session.memory_flush_at = flushed_at;
            session.memory_flush_compaction_count = Some(session.compaction_count.unwrap_or(0));
        }
        if compactions > 0 {
            session.compaction_count =
                Some(session.compaction_count.unwrap_or(0).saturating_add(compactions));
        }
        if provider.is_some() {
            session.system_sent = Some(true);
            session.model_provider = provider;
            session.model = model;
            session.context_tokens = window;
        }
        // A person's own choice of credential stays theirs.
        if let (Some(profile), None | Some("auto")) =
            (profile, session.auth_profile_override_source.as_deref())
        {
            session.auth_profile_override = Some(profile);
            session.auth_profile_override_source = Some("auto".to_owned());
            session.auth_profile_override_compaction_count = session.compaction_count;
        }
        if last.prompt_tokens() > 0 {
            session.input_tokens = Some(usage.input);
            session.output_tokens = Some(usage.output);
            session.total_tokens = Some(last.prompt_tokens());
            session.total_tokens_fresh = Some(true);
        }
    }));
    match inner.store().runs().finish(finish).await {
        Ok(finished) => {
            inner.outbox().kick_all(inner, &outbox);
            if let (Some(entry), Some(place), Some(history)) =
                (entry, finished.appended.first(), history.as_mut())
            {
                history.record(Message::Assistant(entry), place.seq);
            }
            if let Some(session) = &finished.session {
                inner.session_changed(session, "none", false);
            }
            None
        }
        Err(error) => {
            tracing::error!(%error, run = %run.id, "the end of a run could not be recorded");
            *history = None;
            Some(format!("The answer could not be saved: {error}"))
        }
    }
}

fn tell_programs(run: &Run, reply: &Reply, shaped: &Shaped, stop: Option<StopReason>, ended_at: i64) {
    let narrator = &run.narrator;
    if reply.started_at.is_none() {
        return;
    }
    let stop = stop_word(reply, run, stop);
    if reply.status == RunStatus::Ok {
        narrator.usage(reply.usage.output);
        narrator.lifecycle(
            json!({"phase": "finishing", "stopReason": stop, "aborted": false, "endedAt": ended_at}),
        );
        let terminal = match shaped {
            Shaped::Text(text) => json!({"disposition": "visible", "text": text}),
            Shaped::Silence => json!({"disposition": "silent"}),
        };
        narrator.lifecycle(json!({"phase": "end", "startedAt": reply.started_at, "endedAt": ended_at,
            "stopReason": stop, "aborted": false, "terminalReply": terminal}));
        return;
    }
    let aborted = matches!(reply.status, RunStatus::Aborted | RunStatus::TimedOut);
    let error = reply.error.clone().unwrap_or_else(|| "This operation was aborted".to_owned());
    narrator.lifecycle(json!({"phase": "error", "startedAt": reply.started_at, "endedAt": ended_at,
        "error": error, "aborted": aborted, "stopReason": if aborted { "aborted" } else { "error" }}));
}

fn stop_word(reply: &Reply, run: &Run, stop: Option<StopReason>) -> String {
    match reply.status {
        RunStatus::Aborted | RunStatus::TimedOut => {
            run.stopped_by().unwrap_or(StopCause::Rpc).as_str().to_owned()
        }
        _ => stop.unwrap_or_default().as_str().to_owned(),
    }
}

/// The event that ends the run for people.
fn last_word(
    reply: &Reply,
    run: &Run,
    shaped: Shaped,
    (lost, stop): (Option<String>, Option<StopReason>),
    now: i64,
) -> ChatState {
    let message = match shaped {
        Shaped::Text(text) => Some(ChatMessage::new(text, now)),
        Shaped::Silence => None,
    };
    if let Some(lost) = lost {
        return ChatState::Error { error_message: lost, error_kind: ErrorKind::Unknown, message };
    }
    match reply.status {
        RunStatus::Ok => ChatState::Final {
            message: message.map(FinalMessage::Text),
            usage: Some(reply.usage),
            stop_reason: Some(stop_word(reply, run, stop)),
        },
        RunStatus::Aborted | RunStatus::Interrupted => {
            ChatState::Aborted { message, stop_reason: stop_word(reply, run, stop) }
        }
        RunStatus::TimedOut | RunStatus::Error | RunStatus::Queued | RunStatus::Running => ChatState::Error {
            error_message: reply.error.clone().unwrap_or_else(|| "The run failed.".to_owned()),
            error_kind: reply.error_kind,
            message,
        },
    }
}
