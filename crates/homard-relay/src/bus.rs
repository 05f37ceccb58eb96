//! The one road by which anything that happened reaches whoever listens.
//!
//! A payload is serialised once, here. Listeners are called in place and must not wait: the gateway's only
//! puts frames into queues.

use std::sync::Arc;

use homard_protocol::event::{Event, Guard};
use homard_protocol::events::rules;
use homard_protocol::{RunId, StateVersion};
use homard_runtime::Subscribers;

/// Who should hear an event, among those who may.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Audience {
    All,
    /// Sockets that asked for session changes.
    SessionSubscribers,
    /// Sockets that asked for what is said in this session, or for session changes.
    SessionWatchers {
        key: String,
    },
    /// Sockets that asked for tool events and for this run; others that watch sessions hear it under another
    /// name.
    ToolWatchers {
        run: RunId,
        /// That name, if they hear it at all.
        elsewhere: Option<&'static str>,
    },
}

/// One event, ready to be put into frames.
#[derive(Debug, Clone)]
pub struct Published {
    pub name: &'static str,
    /// Who may hear it.
    pub guard: Guard,
    /// Whether slow clients miss it.
    pub droppable: bool,
    /// Its payload as JSON.
    pub payload: Arc<str>,
    /// Who should hear it.
    pub audience: Audience,
    /// Versions of presence and health, for events about them.
    pub state_version: Option<StateVersion>,
}

/// Where events are published. Clone-cheap.
#[derive(Clone, Default)]
pub struct Bus {
    listeners: Arc<Subscribers<Published>>,
}

impl Bus {
    /// Adds a listener; it is called for every event, in place, and must not wait.
    pub fn listen(&self, listener: impl Fn(&Published) + Send + Sync + 'static) {
        self.listeners.subscribe(listener);
    }

    /// Tells everyone.
    pub fn publish<E: Event>(&self, event: &E) {
        self.send(event, Audience::All, None);
    }

    /// Tells some.
    pub fn publish_to<E: Event>(&self, event: &E, audience: Audience) {
        self.send(event, audience, None);
    }

    /// Tells everyone about presence or health.
    pub fn publish_state<E: Event>(&self, event: &E, version: StateVersion) {
        self.send(event, Audience::All, Some(version));
    }

    fn send<E: Event>(&self, event: &E, audience: Audience, state_version: Option<StateVersion>) {
        if self.listeners.is_empty() {
            return;
        }
        // The table decides who may hear it, not the payload; what is not in it never goes out.
        let Some(rule) = rules::rule(E::NAME) else {
            tracing::error!(event = E::NAME, "an event that is not in the table was not sent; this is a bug");
            return;
        };
        let payload = match serde_json::to_string(event) {
            Ok(payload) => Arc::from(payload),
            Err(error) => {
                tracing::error!(%error, event = E::NAME, "an event could not be written as JSON");
                return;
            }
        };
        let droppable = event.droppable();
        let published =
            Published { name: rule.name, guard: rule.guard, droppable, payload, audience, state_version };
        self.listeners.publish(&published);
    }
}

impl std::fmt::Debug for Bus {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Bus")
    }
}
