//! Listening to what happens, without ever holding up the connection.

use std::sync::Arc;

use homard_protocol::EventFrame;
use tokio::sync::broadcast;

/// Events kept for a listener that is slower than the gateway. When it is full the oldest are lost and the
/// listener is told how many, exactly as when the gateway itself had to skip some.
pub const EVENT_BUFFER: usize = 1_024;

/// What a listener hears.
#[derive(Debug, Clone)]
pub enum ClientEvent {
    Event(Arc<EventFrame>),
    /// So many events were lost on the way; whoever shows state should ask for it anew.
    Missed(u64),
}

/// The events of a connection from the moment of [`Client::events`](crate::Client::events) on. Every listener
/// has its own place in the stream.
#[derive(Debug)]
pub struct Events {
    heard: broadcast::Receiver<ClientEvent>,
}

impl Events {
    pub(crate) fn of(sender: Option<&broadcast::Sender<ClientEvent>>) -> Self {
        let heard = match sender {
            Some(sender) => sender.subscribe(),
            // The connection is gone: a listener that hears the end at once.
            None => broadcast::channel(1).1,
        };
        Self { heard }
    }

    /// Waits for the next; `None` when the connection has ended.
    pub async fn next(&mut self) -> Option<ClientEvent> {
        match self.heard.recv().await {
            Ok(heard) => Some(heard),
            Err(broadcast::error::RecvError::Lagged(count)) => Some(ClientEvent::Missed(count)),
            Err(broadcast::error::RecvError::Closed) => None,
        }
    }
}
