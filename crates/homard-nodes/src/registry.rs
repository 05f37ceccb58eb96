//! The nodes that are here, what they say they offer, and the commands on their way to them. Nothing here is kept or
//! looked up; one connection per node counts, the newest.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, MutexGuard};
use std::time::Duration;

use homard_protocol::connect::ConnectParams;
use homard_protocol::{ConnId, DeviceId};
use homard_relay::{Audience, BusListener, EventHeading, Published};
use homard_runtime::Mutex;
use homard_store::NodeSurface;
use tokio::time::Instant;

use crate::activity::Activity;
use crate::invoke::Open;

/// Turns one node may begin within [`TURNS_WITHIN`].
const MAX_TURNS: usize = 30;
/// See [`MAX_TURNS`].
const TURNS_WITHIN: Duration = Duration::from_secs(60);
/// Conversations one node may listen to.
const MAX_SUBSCRIPTIONS: usize = 64;
/// Least time between two things of the same sort that a node has written down or told to everyone.
const TELL_INTERVAL: Duration = Duration::from_millis(500);
/// Events a node that listens to a conversation hears.
const HEARD: [&str; 2] = ["agent", "chat"];

/// The socket a node is spoken to by.
pub trait NodeSocket: std::fmt::Debug + Send + Sync + 'static {
    /// This connection.
    fn conn(&self) -> &ConnId;
    /// The node behind it, if it is one.
    fn node(&self) -> Option<&DeviceId>;
    /// Sends an event without waiting.
    fn tell(&self, name: &str, payload: &str);
}

/// What a node says of itself when it connects.
#[derive(Debug, Clone)]
pub(crate) struct NodeAbout {
    pub(crate) display_name: Option<String>,
    pub(crate) platform: String,
    pub(crate) version: String,
    pub(crate) client_id: String,
    pub(crate) client_mode: String,
    pub(crate) device_family: Option<String>,
    pub(crate) model_identifier: Option<String>,
    pub(crate) path_env: Option<String>,
    pub(crate) remote_ip: String,
}

impl NodeAbout {
    pub(crate) fn read(remote_ip: String, params: &ConnectParams) -> Self {
        let client = &params.client;
        Self {
            display_name: client.display_name.clone(),
            platform: client.platform.clone(),
            version: client.version.clone(),
            client_id: client.id.to_string(),
            client_mode: client.mode.to_string(),
            device_family: client.device_family.clone(),
            model_identifier: client.model_identifier.clone(),
            path_env: params.path_env.clone(),
            remote_ip,
        }
    }
}

/// A node that is connected.
#[derive(Debug, Clone)]
pub struct NodeSession {
    pub(crate) socket: Arc<dyn NodeSocket>,
    pub(crate) about: NodeAbout,
    /// Everything it says it can do; a claim, nothing more.
    pub(crate) declared: NodeSurface,
    pub(crate) connected_at: i64,
    pub(crate) activity: Activity,
    pub(crate) subscriptions: BTreeSet<String>,
    /// What it last heard a person say, and when.
    pub(crate) last_words: Option<(String, Instant)>,
    /// When it last had something written down or told, by what.
    pub(crate) told: BTreeMap<&'static str, Instant>,
}

/// The nodes that are here.
#[derive(Debug, Default)]
pub struct NodeRegistry {
    state: Mutex<State>,
    /// Subscriptions of all nodes: events are not even looked at while there are none.
    listening: AtomicUsize,
}

#[derive(Debug, Default)]
pub(crate) struct State {
    /// One connection per node; the newest counts.
    pub(crate) here: BTreeMap<DeviceId, NodeSession>,
    pub(crate) open: HashMap<String, Open>,
    /// When each node began its last turns, over all its connections.
    begun: HashMap<DeviceId, VecDeque<Instant>>,
}

impl BusListener for NodeRegistry {
    fn wants(&self, event: &EventHeading) -> bool {
        self.heard(event).is_some()
    }

    /// Hands an event to the nodes that listen to its conversation.
    fn hear(&self, event: &Published) {
        let Some(key) = self.heard(&event.heading) else { return };
        let state = self.state();
        for session in state.here.values().filter(|session| session.subscriptions.contains(key)) {
            session.socket.tell(event.heading.name, &event.payload);
        }
    }
}

impl NodeRegistry {
    /// A node has come. An older connection of the same node is not spoken to any more, and what it was asked has
    /// failed.
    pub(crate) fn arrive(&self, id: DeviceId, session: NodeSession) {
        let mut state = self.state();
        let older = state.here.insert(id, session);
        let lost = older.as_ref().map(|older| state.take_open_of(older.socket.conn())).unwrap_or_default();
        self.count(&state);
        drop(state);
        lost.into_iter().for_each(Open::disconnected);
    }

    /// A connection has ended: whoever waits for it learns so at once.
    pub fn leave(&self, socket: &dyn NodeSocket) {
        let Some(id) = socket.node() else { return };
        let mut state = self.state();
        if state.here.get(id).is_some_and(|session| session.socket.conn() == socket.conn()) {
            state.here.remove(id);
        }
        let lost = state.take_open_of(socket.conn());
        self.count(&state);
        drop(state);
        lost.into_iter().for_each(Open::disconnected);
    }

    /// A node that is here.
    pub(crate) fn get(&self, id: &DeviceId) -> Option<NodeSession> {
        self.state().here.get(id).cloned()
    }

    /// Whether any is here.
    #[must_use]
    pub fn any(&self) -> bool {
        !self.state().here.is_empty()
    }

    /// Whether the node behind a socket is here, by this socket or a newer one.
    #[must_use]
    pub fn is_here(&self, socket: &dyn NodeSocket) -> bool {
        socket.node().is_some_and(|id| self.state().here.contains_key(id))
    }

    /// Whether a node may have something written down or told again already; a node that says the same all the
    /// time must cost nobody else anything. `None` when another socket took its place.
    pub fn may_tell(&self, socket: &dyn NodeSocket, what: &'static str) -> Option<bool> {
        let now = Instant::now();
        self.change(socket, |session| {
            let last = session.told.get(what).copied();
            let may = last.is_none_or(|last| now.duration_since(last) >= TELL_INTERVAL);
            if may {
                session.told.insert(what, now);
            }
            may
        })
    }

    /// Whether a node may begin one more turn now; what costs money is not begun as fast as a program can ask.
    #[must_use]
    pub fn may_begin(&self, node: &DeviceId) -> bool {
        let now = Instant::now();
        let mut state = self.state();
        let begun = state.begun.entry(node.clone()).or_default();
        begun.retain(|at| now.duration_since(*at) < TURNS_WITHIN);
        let may = begun.len() < MAX_TURNS;
        if may {
            begun.push_back(now);
        }
        may
    }

    /// All that are here.
    pub(crate) fn all(&self) -> BTreeMap<DeviceId, NodeSession> {
        self.state().here.clone()
    }

    /// Whether a socket is the one its node is spoken to by.
    #[must_use]
    pub fn is_current(&self, socket: &dyn NodeSocket) -> bool {
        let Some(id) = socket.node() else { return false };
        self.state().here.get(id).is_some_and(|session| session.socket.conn() == socket.conn())
    }

    /// Changes what is known of the node behind a socket; `None` when another socket took its place.
    pub(crate) fn change<T>(
        &self,
        socket: &dyn NodeSocket,
        change: impl FnOnce(&mut NodeSession) -> T,
    ) -> Option<T> {
        let id = socket.node()?;
        let mut state = self.state();
        let session = state.here.get_mut(id).filter(|session| session.socket.conn() == socket.conn())?;
        let changed = change(session);
        self.count(&state);
        Some(changed)
    }

    /// A node listens to a conversation from now on; `false` when it listens to too many.
    pub fn subscribe(&self, socket: &dyn NodeSocket, key: &str) -> Option<bool> {
        self.change(socket, |session| {
            let has_room = session.subscriptions.len() < MAX_SUBSCRIPTIONS;
            if has_room {
                session.subscriptions.insert(key.to_owned());
            }
            has_room || session.subscriptions.contains(key)
        })
    }

    /// A node listens to a conversation no more.
    pub fn unsubscribe(&self, socket: &dyn NodeSocket, key: &str) -> Option<()> {
        self.change(socket, |session| {
            session.subscriptions.remove(key);
        })
    }

    /// Whether a node heard the same words a moment ago; microphones report twice.
    pub fn repeats(&self, socket: &dyn NodeSocket, words: &str, within: Duration) -> bool {
        let now = Instant::now();
        let heard = self.change(socket, |session| {
            let same = |(last, at): &(String, Instant)| last == words && now.duration_since(*at) < within;
            let repeats = session.last_words.as_ref().is_some_and(same);
            session.last_words = Some((words.to_owned(), now));
            repeats
        });
        heard.unwrap_or(false)
    }

    /// The conversation an event is about, if nodes listen to any and may hear such events.
    fn heard<'e>(&self, event: &'e EventHeading) -> Option<&'e str> {
        let wanted = HEARD.contains(&event.name) && matches!(event.audience, Audience::All);
        let wanted = wanted && self.listening.load(Ordering::Relaxed) > 0;
        event.session.as_deref().filter(|_| wanted)
    }

    /// Tells every node.
    pub fn tell_all(&self, name: &str, payload: &str) {
        for session in self.state().here.values() {
            session.socket.tell(name, payload);
        }
    }

    fn count(&self, state: &State) {
        let listening = state.here.values().map(|session| session.subscriptions.len()).sum();
        self.listening.store(listening, Ordering::Relaxed);
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }
}

impl State {
    /// The commands that were sent by a connection.
    fn take_open_of(&mut self, conn: &ConnId) -> Vec<Open> {
        let ids: Vec<String> =
            self.open.iter().filter(|(_, open)| open.conn == *conn).map(|(id, _)| id.clone()).collect();
        ids.iter().filter_map(|id| self.open.remove(id)).collect()
    }
}

#[cfg(test)]
mod tests;
