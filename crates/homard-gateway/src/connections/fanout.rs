//! Telling every client that may hear it, without waiting for any of them.
//!
//! An event's payload is serialised once. Each client has its own bounded queue; a client that does not read
//! loses what may be lost and is disconnected for what may not, and nobody else notices.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use homard_nodes::NodeSocket;
use homard_protocol::event::Guard;
use homard_protocol::limits::MAX_BUFFERED_BYTES;
use homard_protocol::{ConnId, DeviceId, Role, RunId, ScopeSet, StateVersion};
use homard_relay::{Audience, BusListener, EventHeading, Published};
use homard_runtime::{Mutex, RwLock};
use tokio::sync::Notify;

/// Runs remembered per connection as "mine", for tool events; the oldest is forgotten first.
const MAX_OWN_RUNS: usize = 256;

/// Conversations one connection may listen to at once.
const MAX_HEARD: usize = 512;

/// What a client understands beyond the basics, as far as it decides what it hears.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ClientCaps {
    /// It wants tool events.
    pub(crate) tool_events: bool,
    /// Of the stories of sessions it wants only those it asked for with `sessions.messages.subscribe`.
    pub(crate) session_scoped: bool,
}

impl ClientCaps {
    pub(crate) fn read(caps: &[String]) -> Self {
        let has = |name: &str| caps.iter().any(|cap| cap == name);
        Self { tool_events: has("tool-events"), session_scoped: has("session-scoped-events") }
    }
}

/// Why and how a socket is closed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Close {
    pub(crate) code: u16,
    pub(crate) reason: String,
}

impl Close {
    pub(crate) fn new(code: u16, reason: impl Into<String>) -> Self {
        Self { code, reason: reason.into() }
    }
}

/// What leaves a connection's queue.
#[derive(Debug)]
pub(crate) enum Batch {
    Frames(Vec<String>),
    /// Nothing more; say goodbye.
    Close(Close),
}

/// One authenticated socket, as the rest of the gateway sees it.
#[derive(Debug)]
pub(crate) struct Client {
    pub(crate) conn: ConnId,
    pub(crate) role: Role,
    /// What it may do.
    pub(crate) scopes: ScopeSet,
    /// Its key, if it has one.
    pub(crate) device: Option<DeviceId>,
    caps: ClientCaps,
    /// Whether it called `sessions.subscribe`.
    pub(crate) sessions_subscribed: AtomicBool,
    messages: Mutex<BTreeSet<String>>,
    runs: Mutex<VecDeque<RunId>>,
    queue: Mutex<Queue>,
    wake: Notify,
}

#[derive(Debug, Default)]
struct Queue {
    frames: VecDeque<String>,
    bytes: usize,
    /// Bytes handed to the socket and perhaps not yet taken by it.
    in_flight: usize,
    seq: u64,
    close: Option<Close>,
    /// Becomes `close` with the next response.
    close_after_answer: Option<Close>,
}

impl Client {
    pub(crate) fn new(
        conn: ConnId,
        role: Role,
        scopes: ScopeSet,
        device: Option<DeviceId>,
        caps: ClientCaps,
    ) -> Self {
        Self {
            conn,
            role,
            scopes,
            device,
            caps,
            sessions_subscribed: AtomicBool::new(false),
            messages: Mutex::default(),
            runs: Mutex::default(),
            queue: Mutex::default(),
            wake: Notify::new(),
        }
    }

    /// Queues a response. One that does not fit means the client has stopped reading.
    pub(crate) fn respond(&self, frame: String) {
        let mut queue = self.queue.lock();
        if queue.has_room(frame.len()) {
            queue.push(frame);
            if let Some(close) = queue.close_after_answer.take() {
                queue.close.get_or_insert(close);
            }
        } else {
            queue.close.get_or_insert_with(slow_consumer);
        }
        drop(queue);
        self.wake.notify_one();
    }

    /// Queues an event that is for this client alone; such events are not counted. One that does not fit means the
    /// client has stopped reading.
    pub(crate) fn tell(&self, name: &str, payload: &str) {
        let frame = event_frame(name, payload, None, None);
        let mut queue = self.queue.lock();
        if queue.has_room(frame.len()) {
            queue.push(frame);
        } else {
            queue.close.get_or_insert_with(slow_consumer);
        }
        drop(queue);
        self.wake.notify_one();
    }

    /// Queues an event with the next sequence number; nodes do not count.
    fn event(&self, name: &str, event: &Published) {
        let mut queue = self.queue.lock();
        queue.seq = queue.seq.saturating_add(1);
        if queue.close.is_some() {
            return;
        }
        let seq = (self.role == Role::Operator).then_some(queue.seq);
        let frame = event_frame(name, &event.payload, seq, event.heading.state_version);
        if queue.has_room(frame.len()) {
            queue.push(frame);
        } else if !event.heading.droppable {
            queue.close = Some(slow_consumer());
        }
        drop(queue);
        self.wake.notify_one();
    }

    /// Asks the socket's task to say goodbye after what is queued.
    pub(crate) fn close(&self, close: Close) {
        self.queue.lock().close.get_or_insert(close);
        self.wake.notify_one();
    }

    /// The same after the next response: the client learns what became of the request that ends it.
    pub(crate) fn close_after_answer(&self, close: Close) {
        self.queue.lock().close_after_answer.get_or_insert(close);
    }

    /// Waits for something to send. Asking again means that the last batch was written.
    pub(crate) async fn next_batch(&self) -> Batch {
        loop {
            {
                let mut queue = self.queue.lock();
                queue.in_flight = 0;
                if !queue.frames.is_empty() {
                    queue.in_flight = std::mem::take(&mut queue.bytes);
                    return Batch::Frames(queue.frames.drain(..).collect());
                }
                if let Some(close) = queue.close.clone() {
                    return Batch::Close(close);
                }
            }
            self.wake.notified().await;
        }
    }

    /// Resolves when the socket must end even though a write is stuck.
    pub(crate) async fn must_close(&self) -> Close {
        loop {
            if let Some(close) = self.queue.lock().close.clone() {
                return close;
            }
            self.wake.notified().await;
        }
    }

    /// Remembers that this client asked for `run`.
    pub(crate) fn owns(&self, run: RunId) {
        let mut runs = self.runs.lock();
        if runs.len() >= MAX_OWN_RUNS {
            runs.pop_front();
        }
        runs.push_back(run);
    }

    fn is_own(&self, run: &RunId) -> bool {
        self.runs.lock().contains(run)
    }

    /// Listens to a conversation; `false` when that would be one too many.
    pub(crate) fn hear(&self, key: String) -> bool {
        let mut heard = self.messages.lock();
        let has_room = heard.len() < MAX_HEARD || heard.contains(&key);
        if has_room {
            heard.insert(key);
        }
        has_room
    }

    /// No longer listens to it.
    pub(crate) fn unhear(&self, key: &str) {
        self.messages.lock().remove(key);
    }

    /// Whether it hears what is said in a conversation; in any, for `None`.
    fn hears(&self, key: Option<&str>) -> bool {
        let heard = self.messages.lock();
        self.sessions_subscribed.load(Ordering::Relaxed)
            || key.map_or(!heard.is_empty(), |key| heard.contains(key))
    }

    /// The name under which it hears an event; `None` when it does not.
    fn hears_as(&self, event: &EventHeading) -> Option<&'static str> {
        let is_elsewhere =
            |key: &Arc<str>| self.caps.session_scoped && !self.messages.lock().contains(&**key);
        if !self.may_hear(event.guard) || event.session.as_ref().is_some_and(is_elsewhere) {
            return None;
        }
        let watches = self.sessions_subscribed.load(Ordering::Relaxed);
        match &event.audience {
            Audience::All => Some(event.name),
            Audience::SessionSubscribers => watches.then_some(event.name),
            Audience::SessionWatchers { key } => self.hears(Some(key)).then_some(event.name),
            Audience::ToolWatchers { run, .. } if self.caps.tool_events && self.is_own(run) => {
                Some(event.name)
            }
            Audience::ToolWatchers { elsewhere, .. } => elsewhere.filter(|_| watches),
        }
    }

    fn may_hear(&self, guard: Guard) -> bool {
        let operator = |scope| self.role == Role::Operator && self.scopes.grants(scope);
        match guard {
            Guard::Everyone => true,
            Guard::Node => self.role == Role::Node,
            Guard::Operator(scope) => operator(scope),
            Guard::OperatorOrNode(scope) => self.role == Role::Node || operator(scope),
            Guard::Sessions(scope) => operator(scope) || scope.for_sessions().is_some_and(operator),
        }
    }
}

impl NodeSocket for Client {
    fn conn(&self) -> &ConnId {
        &self.conn
    }

    fn node(&self) -> Option<&DeviceId> {
        self.device.as_ref().filter(|_| self.role == Role::Node)
    }

    fn tell(&self, name: &str, payload: &str) {
        self.tell(name, payload);
    }
}

impl Queue {
    fn has_room(&self, more: usize) -> bool {
        self.bytes.saturating_add(self.in_flight).saturating_add(more) <= MAX_BUFFERED_BYTES
    }

    fn push(&mut self, frame: String) {
        self.bytes = self.bytes.saturating_add(frame.len());
        self.frames.push_back(frame);
    }
}

fn slow_consumer() -> Close {
    Close::new(1008, "slow consumer")
}

/// Puts an event frame together around a payload that is already JSON.
pub(crate) fn event_frame(
    name: &str,
    payload: &str,
    seq: Option<u64>,
    version: Option<StateVersion>,
) -> String {
    use std::fmt::Write;
    let mut frame = String::with_capacity(payload.len() + name.len() + 96);
    frame.push_str(r#"{"type":"event","event":""#);
    frame.push_str(name);
    frame.push_str(r#"","payload":"#);
    frame.push_str(payload);
    // Writing to a String cannot fail.
    if let Some(seq) = seq {
        let _infallible = write!(frame, r#","seq":{seq}"#);
    }
    if let Some(version) = version {
        let _infallible = write!(
            frame,
            r#","stateVersion":{{"presence":{},"health":{}}}"#,
            version.presence, version.health
        );
    }
    frame.push('}');
    frame
}

impl BusListener for Clients {
    fn wants(&self, event: &EventHeading) -> bool {
        self.all.read().iter().any(|client| client.hears_as(event).is_some())
    }

    fn hear(&self, event: &Published) {
        for client in self.all.read().iter() {
            if let Some(name) = client.hears_as(&event.heading) {
                client.event(name, event);
            }
        }
    }
}

/// Everybody who is connected.
#[derive(Debug, Default)]
pub(crate) struct Clients {
    all: RwLock<Vec<Arc<Client>>>,
}

impl Clients {
    pub(crate) fn add(&self, client: Arc<Client>) {
        self.all.write().push(client);
    }

    pub(crate) fn remove(&self, conn: &ConnId) {
        self.all.write().retain(|client| client.conn != *conn);
    }

    pub(crate) fn count(&self) -> usize {
        self.all.read().len()
    }

    /// Whether anybody but `except` may hear events under this guard.
    pub(crate) fn someone_hears(&self, guard: Guard, except: Option<&ConnId>) -> bool {
        let all = self.all.read();
        all.iter().any(|client| except != Some(&client.conn) && client.may_hear(guard))
    }

    /// Whether anybody hears what is said in a conversation; in any, for `None`.
    pub(crate) fn someone_listens(&self, key: Option<&str>) -> bool {
        self.all.read().iter().any(|client| client.hears(key))
    }

    /// Whether a connection is open.
    pub(crate) fn has(&self, conn: &ConnId) -> bool {
        self.all.read().iter().any(|client| client.conn == *conn)
    }

    /// The sockets of one device.
    pub(crate) fn of_device(&self, device: &DeviceId) -> Vec<Arc<Client>> {
        let all = self.all.read();
        all.iter().filter(|client| client.device.as_ref() == Some(device)).cloned().collect()
    }

    /// Whether a device is connected.
    pub(crate) fn is_here(&self, device: &DeviceId) -> bool {
        let all = self.all.read();
        all.iter().any(|client| client.device.as_ref() == Some(device))
    }

    /// Closes every socket.
    pub(crate) fn close_all(&self, close: &Close) {
        for client in self.all.read().iter() {
            client.close(close.clone());
        }
    }
}

#[cfg(test)]
mod tests;
