//! The one road by which anything that happened reaches whoever listens.
//!
//! A payload is serialised once, here, and only if somebody wants it. Listeners are called in place and must not wait:
//! the gateway's only puts frames into queues.

use std::sync::Arc;

use homard_protocol::event::{Event, Guard};
use homard_protocol::events::rules;
use homard_protocol::{RunId, StateVersion};
use homard_runtime::RwLock;

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

/// What is known of an event before it is written.
#[derive(Debug, Clone)]
pub struct EventHeading {
    pub name: &'static str,
    /// Who may hear it.
    pub guard: Guard,
    /// Whether slow clients miss it.
    pub droppable: bool,
    /// Who should hear it.
    pub audience: Audience,
    /// The session whose events it belongs to: sockets may ask for those of some sessions only.
    pub session: Option<Arc<str>>,
    /// Versions of presence and health, for events about them.
    pub state_version: Option<StateVersion>,
}

/// One event, ready to be put into frames.
#[derive(Debug, Clone)]
pub struct Published {
    pub heading: EventHeading,
    /// Its payload as JSON.
    pub payload: Arc<str>,
}

/// Who hears events. Called in place, so neither may wait.
pub trait BusListener: Send + Sync {
    /// Whether the event is of any interest; one that nobody wants is not written.
    fn wants(&self, event: &EventHeading) -> bool;
    /// Takes an event; also one only others wanted.
    fn hear(&self, event: &Published);
}

/// Where events are published. Clone-cheap.
#[derive(Clone, Default)]
pub struct Bus {
    listeners: Arc<RwLock<Vec<Arc<dyn BusListener>>>>,
}

impl Bus {
    /// Adds a listener.
    pub fn listen(&self, listener: Arc<dyn BusListener>) {
        self.listeners.write().push(listener);
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
        // The table decides who may hear it, not the payload; what is not in it never goes out.
        let Some(rule) = rules::rule(E::NAME) else {
            tracing::error!(event = E::NAME, "an event that is not in the table was not sent; this is a bug");
            return;
        };
        let (name, guard, droppable) = (rule.name, rule.guard, event.droppable());
        let session = event.session().cloned();
        let heading = EventHeading { name, guard, droppable, audience, session, state_version };
        let listeners = self.listeners.read();
        if !listeners.iter().any(|listener| listener.wants(&heading)) {
            return;
        }
        let payload = match serde_json::to_string(event) {
            Ok(payload) => Arc::from(payload),
            Err(error) => {
                tracing::error!(%error, event = E::NAME, "an event could not be written as JSON");
                return;
            }
        };
        let published = Published { heading, payload };
        listeners.iter().for_each(|listener| listener.hear(&published));
    }
}

impl std::fmt::Debug for Bus {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Bus")
    }
}
