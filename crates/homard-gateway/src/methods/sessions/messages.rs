//! `session.message`: what is said, told to those who listen to a conversation, once it is kept.

use std::sync::Arc;

use homard_protocol::EntryKind;
use homard_protocol::events::SessionMessageEvent;
use homard_relay::Audience;
use homard_runtime::OrLog;
use homard_store::NewEntries;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::gateway::Gateway;
use crate::methods::chat::shown;
use crate::session_rows;

/// Appends waiting to be told; when full, the store goes on without telling.
const QUEUE: usize = 1024;
/// Longest text of one message in an event; all of it is in `chat.message.get`.
const MAX_CHARS: usize = 200_000;

/// Tells until the gateway stops.
pub(crate) async fn tell(gateway: Arc<Gateway>, cancel: CancellationToken) {
    let (listener, mut appends) = mpsc::channel(QUEUE);
    gateway.store().listen_to_appends(listener);
    gateway.listen_as_wanted();
    loop {
        tokio::select! {
            () = cancel.cancelled() => return,
            entries = appends.recv() => match entries {
                Some(entries) => tell_one(&gateway, entries).await,
                None => return,
            },
        }
    }
}

async fn tell_one(gateway: &Gateway, new: NewEntries) {
    let found = gateway.store().sessions().by_id(&new.session_id).await;
    let Some(record) = found.or_log("those who listen miss a message").flatten() else { return };
    let key = record.key.to_string();
    if !gateway.connections().clients.someone_listens(Some(&key)) {
        return;
    }
    let row = session_rows::row(gateway, &record);
    let said = new.entries.into_iter().filter(|place| matches!(place.entry.kind, EntryKind::Message { .. }));
    for place in said {
        let (message_id, message_seq) = (place.entry.id.to_string(), place.seq);
        let Some(message) = shown(place, MAX_CHARS) else { continue };
        let event = SessionMessageEvent {
            session_key: key.clone(),
            agent_id: Some(record.agent_id.to_string()),
            message,
            message_id,
            message_seq,
            session: row.clone(),
        };
        gateway.bus().publish_to(&event, Audience::SessionWatchers { key: key.clone() });
    }
}
