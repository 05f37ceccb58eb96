//! Where the relay asks the filters of [`HookPoints`](homard_tools::HookPoints): one function for each place.
//!
//! What filters there are is nobody's business here. The points inside a turn are asked by the loop and the tools.

use std::sync::Arc;

use homard_channel::{Inbound, Sender};
use homard_protocol::{EntryKind, Message, SessionKey};
use homard_runtime::OrLog;
use homard_store::{PageEntry, ResetReason};
use homard_tools::{HookAbout, HookPoint, HookRefusal, HookValue, Label, ToldTo};
use serde_json::{Map, Value, json};

use crate::intake::admit::Admitted;
use crate::relay::Inner;
use crate::turns::runs::Run;

/// How many messages of a conversation that is over are told.
const LAST_SAID: usize = 100;

/// A message whose sender may speak, as filters let it in.
pub(crate) async fn message_in(inner: &Inner, admitted: Admitted) -> Result<Admitted, HookRefusal> {
    if inner.hooks().is_quiet(HookPoint::MessageIn) {
        return Ok(admitted);
    }
    let message = admitted.message();
    let about = HookAbout {
        session: Some(admitted.session_key()),
        subject: Some(message.channel.as_str()),
        ..HookAbout::default()
    };
    let text = inner.hooks().filter_text(HookPoint::MessageIn, about, message.text.clone()).await?;
    Ok(admitted.with_text(text))
}

/// A text that is about to be kept for a platform, as filters let it out.
pub(crate) async fn message_out(
    inner: &Inner,
    about: HookAbout<'_>,
    text: String,
) -> Result<String, HookRefusal> {
    if text.is_empty() {
        return Ok(text);
    }
    inner.hooks().filter_text(HookPoint::MessageOut, about, text).await
}

/// The same for what nobody waits for: a text that is held back is nothing.
pub(crate) async fn message_out_or_nothing(inner: &Inner, about: HookAbout<'_>, text: String) -> String {
    let had_words = !text.trim().is_empty();
    match message_out(inner, about, text).await {
        Ok(text) => {
            if had_words && text.trim().is_empty() {
                tracing::info!("a filter left nothing of a message");
            }
            text
        }
        Err(HookRefusal { by, words }) => {
            tracing::info!(filter = by, why = words, "a message is held back");
            String::new()
        }
    }
}

/// What filters add to what the model is told first. They are told who hears of it.
pub(crate) async fn prompt_addition(inner: &Inner, run: &Run, told_to: ToldTo) -> String {
    let about = HookAbout { subject: Some(told_to.as_str()), ..about_run(run) };
    let asked = inner.hooks().filter_text(HookPoint::BeforePrompt, about, String::new());
    // Nobody may refuse here.
    asked.await.unwrap_or_default()
}

/// Shows filters what the model is told first.
pub(crate) async fn prompt_made(inner: &Inner, run: &Run, system: &Arc<str>) {
    let prompt = || HookValue::Text(system.to_string());
    inner.hooks().watch(HookPoint::AfterPrompt, about_run(run), prompt).await;
}

/// A turn begins.
pub(crate) async fn agent_started(inner: &Inner, run: &Run) {
    inner.hooks().watch(HookPoint::AgentStart, about_run(run), || HookValue::Nothing).await;
}

/// A turn is over, with what people are told of it.
pub(crate) async fn agent_ended(inner: &Inner, run: &Run, reply: Option<&str>) {
    let text = || HookValue::Text(reply.unwrap_or_default().to_owned());
    inner.hooks().watch(HookPoint::AgentEnd, about_run(run), text).await;
}

/// Who said a command, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Speaker {
    sender: String,
    source: String,
}

impl Speaker {
    pub(crate) fn of(message: &Inbound) -> Self {
        let sender = match &message.sender {
            Sender::Operator => "operator".to_owned(),
            Sender::Peer { id, .. } => id.to_string(),
        };
        Self { sender, source: message.channel.to_string() }
    }

    fn told(&self) -> Map<String, Value> {
        let fields = [("senderId", &self.sender), ("commandSource", &self.source)];
        fields.into_iter().map(|(name, value)| (name.to_owned(), json!(value))).collect()
    }
}

/// Somebody said stop.
pub(crate) async fn stopped(inner: &Inner, key: &SessionKey, by: &Speaker) {
    let about = HookAbout { session: Some(key), ..HookAbout::default() };
    let value = || HookValue::Arguments(Value::Object(by.told()));
    inner.hooks().watch(HookPoint::Stop, about, value).await;
}

/// What was said last in a conversation that is about to begin anew, if anybody wants to know.
pub(crate) async fn last_said(inner: &Inner, key: &SessionKey, labels: Vec<Label>) -> HookValue {
    let session = inner.store().sessions().get(key).await;
    let Some(session) = session.or_log("what was said last could not be read").flatten() else {
        return HookValue::Arguments(json!({}));
    };
    let last = inner.store().transcripts().last_messages(&session.session_id, LAST_SAID).await;
    let last = last.or_log("what was said last could not be read").unwrap_or_default();
    let line = |entry: &PageEntry| match &entry.entry.kind {
        EntryKind::Message { message: Message::User(user) } => {
            Some(json!({"role": "user", "text": homard_policy::envelope::shown(&user.content.text())}))
        }
        EntryKind::Message { message: Message::Assistant(answer) } => {
            Some(json!({"role": "assistant", "text": answer.text()}))
        }
        _ => None,
    };
    let messages: Vec<Value> = last.iter().filter_map(line).collect();
    HookValue::Arguments(json!({"sessionId": session.session_id, "messages": messages, "labels": labels}))
}

/// A conversation begins.
pub(crate) async fn session_started(inner: &Inner, run: &Run) {
    inner.hooks().watch(HookPoint::SessionStart, about_run(run), || HookValue::Nothing).await;
}

/// A conversation began anew: what it was is over. `by` is whoever asked for it with a command.
pub(crate) async fn session_reset(
    inner: &Inner,
    key: &SessionKey,
    reason: ResetReason,
    mut said: HookValue,
    by: Option<Speaker>,
) {
    let reason = match reason {
        ResetReason::New => "new",
        ResetReason::Reset => "reset",
        ResetReason::Idle => "idle",
        ResetReason::Daily => "daily",
    };
    session_ended(inner, key, reason).await;
    let about = HookAbout { session: Some(key), subject: Some(reason), ..HookAbout::default() };
    if let (HookValue::Arguments(Value::Object(fields)), Some(by)) = (&mut said, by) {
        fields.extend(by.told());
    }
    inner.hooks().watch(HookPoint::SessionReset, about, || said).await;
}

/// A conversation is over.
pub(crate) async fn session_ended(inner: &Inner, key: &SessionKey, reason: &str) {
    let about = HookAbout { session: Some(key), subject: Some(reason), ..HookAbout::default() };
    inner.hooks().watch(HookPoint::SessionEnd, about, || HookValue::Nothing).await;
}

fn about_run(run: &Run) -> HookAbout<'_> {
    HookAbout { session: Some(&run.session_key), run: Some(&run.id), subject: None }
}

#[cfg(test)]
mod tests;
