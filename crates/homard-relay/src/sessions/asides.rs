//! What stands in a conversation for people to read, beside what its model is told.

use homard_protocol::events::{ChatEvent, ChatState, FinalMessage, InjectedMessage, SessionChange};
use homard_protocol::{AssistantMessage, EntryKind, Message, RunId, SessionKey, StopReason};
use homard_store::{SessionRecord, StoreError};

use crate::parts::Sessions;
use crate::relay::Inner;

impl Sessions {
    /// Says something to whoever reads a conversation, as news. Its model hears of it otherwise, or not at all.
    ///
    /// # Errors
    /// When it is not kept.
    pub async fn tell_readers(&self, key: &SessionKey, text: String) -> Result<(), StoreError> {
        tell_readers(self.inner(), key, text, self.runs().active_ids(key)).await
    }

    /// Says something in a conversation as if its model had; answers with the entry's id.
    ///
    /// # Errors
    /// When it is not kept.
    pub async fn inject(&self, session: &SessionRecord, text: String) -> Result<String, StoreError> {
        let inner = self.inner();
        let message = AssistantMessage::injected(text, StopReason::Stop, inner.clock().now_ms());
        let entry = EntryKind::Message { message: Message::Assistant(message.clone()) };
        let appended = inner.store().transcripts().append(&session.session_id, vec![entry]).await?;
        let id = appended.first().map(|place| place.entry_id.to_string()).unwrap_or_default();
        tell_injected(inner, &session.key, &id, message);
        Ok(id)
    }
}

/// The same for parts that are below conversations; `active` are the runs under way there.
pub(crate) async fn tell_readers(
    inner: &Inner,
    key: &SessionKey,
    text: String,
    active: Vec<RunId>,
) -> Result<(), StoreError> {
    let now = inner.clock().now_ms();
    let message = AssistantMessage::injected(text, StopReason::Stop, now);
    let said = vec![Message::Assistant(message.clone())];
    let (session, id) = append(inner, key, said).await?;
    let news = inner.store().sessions().patch(&session.key, move |entry| entry.last_activity_at = Some(now));
    let session = news.await?;
    tell_injected(inner, key, &id, message);
    inner.session_changed(&session, SessionChange::Send, active);
    Ok(())
}

/// Tells who watches a conversation of a message that is no run's answer.
fn tell_injected(inner: &Inner, key: &SessionKey, id: &str, message: AssistantMessage) {
    inner.bus().publish(&ChatEvent {
        run_id: format!("inject-{id}").into(),
        session_key: key.to_string().into(),
        agent_id: key.agent_id().map(|id| id.as_str().into()),
        seq: 0,
        state: ChatState::Final {
            message: Some(FinalMessage::Injected(Box::new(InjectedMessage { role: "assistant", message }))),
            usage: None,
            stop_reason: None,
        },
    });
}

/// Appends messages that no model is told; a conversation that is not there yet begins with them. Answers with the id
/// of the last.
pub(crate) async fn append(
    inner: &Inner,
    key: &SessionKey,
    messages: Vec<Message>,
) -> Result<(SessionRecord, String), StoreError> {
    let session = match inner.store().sessions().get(key).await? {
        Some(session) => session,
        None => inner.store().sessions().patch(key, |_| {}).await?,
    };
    let entries = messages.into_iter().map(|message| EntryKind::Aside { message }).collect();
    let appended = inner.store().transcripts().append(&session.session_id, entries).await?;
    let id = appended.last().map(|place| place.entry_id.to_string()).unwrap_or_default();
    Ok((session, id))
}
