//! A command on its way: sent to a node, waited for, and given up when nobody waits any more.
//!
//! Whoever stops waiting, for whatever reason, drops the future; the node is then told to stop.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use homard_protocol::events::{NODE_INVOKE_CANCEL, NODE_INVOKE_REQUEST};
use homard_protocol::methods::nodes::invoke::{
    NodeError, NodeInvokeCancel, NodeInvokeRequest, NodeInvokeResultParams,
};
use homard_protocol::{ConnId, DeviceId};
use homard_runtime::{Clip, millis};
use homard_store::StoreError;
use serde_json::Value;
use tokio::sync::oneshot;

use crate::commands::{self, NotAllowed};
use crate::registry::{NodeRegistry, NodeSession, NodeSocket};
use crate::{Nodes, rows};

/// How long a command may take when nobody says.
pub const DEFAULT_TIMEOUT: Duration = Duration::from_secs(30);
/// How long a command may take at most.
pub const MAX_TIMEOUT: Duration = Duration::from_secs(2 * 60 * 60);
/// Commands that may be under way on one node.
const MAX_OPEN: usize = 64;
/// Pieces of progress that may have overtaken others; one more and the missing ones are given up.
const MAX_EARLY: usize = 64;
/// Most characters of a node's own words in an error.
const MAX_WORDS: usize = 2_000;
/// What a phone in a pocket answers.
pub const IN_BACKGROUND: &str = "NODE_BACKGROUND_UNAVAILABLE";

/// Hears pieces of progress, in order. Must not wait.
pub type OnProgress = Arc<dyn Fn(&str) + Send + Sync>;

/// A command somebody wants run.
#[derive(Clone)]
pub struct InvokeRequest {
    pub node: DeviceId,
    pub command: String,
    pub params: Option<Value>,
    /// How long it may take, from now on.
    pub timeout: Duration,
    /// The asker's own name for it.
    pub idempotency_key: Option<String>,
    /// The conversation it is asked in.
    pub session_key: Option<String>,
    /// Hears of its progress.
    pub on_progress: Option<OnProgress>,
}

/// What a node answered.
#[derive(Debug, Clone, PartialEq)]
pub struct Done {
    pub payload: Value,
    /// What came, as the node wrote it.
    pub payload_json: Option<String>,
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum InvokeError {
    /// No node is paired by this name, or not any more.
    #[error("unknown nodeId")]
    Unknown,
    /// It is not here.
    #[error("node not connected")]
    NotConnected,
    /// It may not be asked that.
    #[error("node command not allowed: {0}")]
    NotAllowed(NotAllowed),
    /// It has too much to do.
    #[error("node is busy with {MAX_OPEN} commands; wait for one to end")]
    Busy,
    /// It took too long.
    #[error("node invoke timed out")]
    TimedOut,
    #[error("node disconnected ({0})")]
    Disconnected(String),
    #[error("{}", words(.0))]
    Failed(NodeError),
    /// What is known of it cannot be looked up.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl InvokeError {
    /// Whether the node may have begun: then the same request must not be made again blindly.
    pub fn may_have_run(&self) -> bool {
        matches!(self, Self::TimedOut | Self::Disconnected(_) | Self::Failed(_))
    }

    /// The word programs know it by.
    pub fn code(&self) -> &str {
        match self {
            Self::Unknown => "PAIRING_CHANGED",
            Self::NotConnected => "NOT_CONNECTED",
            Self::NotAllowed(_) => "COMMAND_NOT_ALLOWED",
            Self::Busy | Self::Store(_) => "UNAVAILABLE",
            Self::TimedOut => "TIMEOUT",
            Self::Disconnected(_) => "DISCONNECTED",
            Self::Failed(error) => error.code.as_deref().unwrap_or("UNAVAILABLE"),
        }
    }
}

/// A node's words about its failure, cut.
fn words(error: &NodeError) -> String {
    let code = error.code.as_deref().unwrap_or_default();
    let message = error.message.as_deref().unwrap_or("node invoke failed");
    let text = if code.is_empty() || message.starts_with(code) {
        message.to_owned()
    } else {
        format!("{code}: {message}")
    };
    text.clip_chars(MAX_WORDS).to_owned()
}

/// Where the result of a command comes.
type Outcome = oneshot::Receiver<Result<Done, InvokeError>>;

/// A command somebody waits for.
#[derive(Debug)]
pub(crate) struct Open {
    pub(crate) conn: ConnId,
    command: String,
    done: oneshot::Sender<Result<Done, InvokeError>>,
    progress: Option<Progress>,
}

struct Progress {
    next: u64,
    early: BTreeMap<u64, String>,
    tell: OnProgress,
}

impl std::fmt::Debug for Progress {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Progress").field("next", &self.next).finish_non_exhaustive()
    }
}

impl Progress {
    /// Takes a piece and returns those whose turn has come.
    fn take(&mut self, seq: u64, chunk: String) -> Vec<String> {
        if seq >= self.next {
            self.early.insert(seq, chunk);
        }
        if self.early.len() > MAX_EARLY {
            self.next = self.early.keys().next().copied().unwrap_or(self.next);
        }
        let mut ready = Vec::new();
        while let Some(chunk) = self.early.remove(&self.next) {
            ready.push(chunk);
            self.next = self.next.saturating_add(1);
        }
        ready
    }
}

impl Open {
    /// The node is gone.
    pub(crate) fn disconnected(self) {
        let error = InvokeError::Disconnected(self.command);
        // Nobody waits: nothing is lost.
        drop(self.done.send(Err(error)));
    }
}

/// The place of one command among those under way. Dropped before the end, the node is told to stop.
struct Ticket<'n> {
    registry: &'n NodeRegistry,
    id: String,
    node: DeviceId,
    socket: Arc<dyn NodeSocket>,
}

impl Drop for Ticket<'_> {
    fn drop(&mut self) {
        if self.registry.state().open.remove(&self.id).is_none() {
            return;
        }
        let cancel = NodeInvokeCancel { invoke_id: self.id.clone(), node_id: self.node.clone() };
        if let Ok(payload) = serde_json::to_string(&cancel) {
            self.socket.tell(NODE_INVOKE_CANCEL, &payload);
        }
    }
}

impl Nodes {
    /// Has a node run a command, if it may be asked to, and waits for the end. Dropping the future stops it.
    pub async fn invoke(&self, wanted: InvokeRequest) -> Result<Done, InvokeError> {
        let deadline = wanted.timeout;
        match tokio::time::timeout(deadline, self.invoke_unhurried(wanted)).await {
            Ok(answer) => answer,
            Err(_elapsed) => Err(InvokeError::TimedOut),
        }
    }

    async fn invoke_unhurried(&self, wanted: InvokeRequest) -> Result<Done, InvokeError> {
        let session = self.reachable(&wanted.node, &wanted.command).await?;
        let command = wanted.command.clone();
        let (_ticket, answer) = self.registry.send(&session, wanted)?;
        answer.await.unwrap_or_else(|_nobody_left| Err(InvokeError::Disconnected(command)))
    }

    /// The node, if it is here and may be asked this.
    pub async fn reachable(&self, id: &DeviceId, command: &str) -> Result<NodeSession, InvokeError> {
        let store = &self.store;
        let device = store.devices().get(id).await?.filter(rows::is_node);
        if device.is_none() {
            return Err(InvokeError::Unknown);
        }
        let session = self.registry.get(id).ok_or(InvokeError::NotConnected)?;
        let approved =
            store.nodes().get(id).await?.and_then(|node| node.approved).map(|(surface, _)| surface);
        let config = self.config.current();
        let (platform, declared) = (&session.about.platform, &session.declared);
        commands::check(platform, declared, approved.as_ref(), &config.gateway.nodes, command)
            .map_err(InvokeError::NotAllowed)?;
        Ok(session)
    }
}

impl NodeRegistry {
    /// Sends a command and makes a place for its result.
    fn send(
        &self,
        session: &NodeSession,
        wanted: InvokeRequest,
    ) -> Result<(Ticket<'_>, Outcome), InvokeError> {
        let id = uuid::Uuid::new_v4().to_string();
        let (done, answer) = oneshot::channel();
        let conn = session.socket.conn().clone();
        let open = Open {
            conn: conn.clone(),
            command: wanted.command.clone(),
            done,
            progress: wanted.on_progress.map(|tell| Progress { next: 0, early: BTreeMap::new(), tell }),
        };
        let request = NodeInvokeRequest {
            id: id.clone(),
            node_id: wanted.node.clone(),
            command: wanted.command,
            params_json: wanted.params.map(|params| params.to_string()),
            timeout_ms: Some(millis(wanted.timeout)),
            idempotency_key: wanted.idempotency_key,
            session_key: wanted.session_key,
        };
        let payload = homard_runtime::json::to_text(&request);
        {
            let mut state = self.state();
            // It may have gone while we looked.
            let still = state.here.get(&wanted.node).is_some_and(|session| *session.socket.conn() == conn);
            if !still {
                return Err(InvokeError::NotConnected);
            }
            if state.open.values().filter(|open| open.conn == conn).count() >= MAX_OPEN {
                return Err(InvokeError::Busy);
            }
            state.open.insert(id.clone(), open);
        }
        session.socket.tell(NODE_INVOKE_REQUEST, &payload);
        let socket = Arc::clone(&session.socket);
        Ok((Ticket { registry: self, id, node: wanted.node, socket }, answer))
    }

    /// A node answers; `false` when nobody waits for it, or not from this socket.
    pub fn result(&self, socket: &dyn NodeSocket, result: NodeInvokeResultParams) -> bool {
        let mut state = self.state();
        if state.open.get(&result.id).is_none_or(|open| open.conn != *socket.conn()) {
            return false;
        }
        let Some(open) = state.open.remove(&result.id) else { return false };
        drop(state);
        open.done.send(read_result(result)).is_ok()
    }

    /// A node reports progress; `false` when nobody waits for it, or not from this socket.
    pub fn progress(&self, socket: &dyn NodeSocket, id: &str, seq: u64, chunk: String) -> bool {
        let mut state = self.state();
        let Some(open) = state.open.get_mut(id).filter(|open| open.conn == *socket.conn()) else {
            return false;
        };
        let Some(progress) = &mut open.progress else { return true };
        let (ready, tell) = (progress.take(seq, chunk), Arc::clone(&progress.tell));
        drop(state);
        ready.iter().for_each(|chunk| tell(chunk));
        true
    }
}

fn read_result(result: NodeInvokeResultParams) -> Result<Done, InvokeError> {
    if !result.ok {
        return Err(InvokeError::Failed(result.error.unwrap_or_default()));
    }
    let written = result.payload_json.as_deref().map(|text| {
        // A node that writes no JSON has its words passed on as they are.
        serde_json::from_str(text).unwrap_or_else(|_not_json| Value::String(text.to_owned()))
    });
    let payload = written.or(result.payload).unwrap_or(Value::Null);
    Ok(Done { payload, payload_json: result.payload_json })
}

#[cfg(test)]
mod tests;
