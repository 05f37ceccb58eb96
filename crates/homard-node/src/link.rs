//! One connection to a gateway: hears what is asked, does it, answers.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use homard_client::{Client, ClientEvent};
use homard_protocol::events::{NODE_INVOKE_CANCEL, NODE_INVOKE_REQUEST};
use homard_protocol::method::NoParams;
use homard_protocol::methods::nodes::invoke::{
    NodeError, NodeEvent, NodeEventParams, NodeInvokeCancel, NodeInvokeProgress, NodeInvokeProgressParams,
    NodeInvokeRequest, NodeInvokeResult, NodeInvokeResultParams, NodePendingAck, NodePendingAckParams,
    NodePendingPull,
};
use homard_protocol::{DeviceId, EventFrame};
use homard_runtime::{Mutex, Tasks};
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::sync::mpsc;
use tokio::time::{Instant, MissedTickBehavior, interval_at};
use tokio_util::sync::CancellationToken;

use crate::commands::{self, CommandAnswer, CommandCall, Failure};
use crate::machine::Machine;
use crate::platform;

/// Commands that run at the same time.
const MAX_AT_ONCE: usize = 16;
/// Pieces a command may be ahead of the network.
const SAID_AHEAD: usize = 256;
/// How often the machine tells how it is.
const STATS_EVERY: Duration = Duration::from_secs(60);
/// How long commands may take to end when the connection has.
const STOP_GRACE: Duration = Duration::from_secs(3);

/// A connection that is being served.
pub(crate) struct Link {
    client: Arc<Client>,
    machine: Arc<Machine>,
    node_id: DeviceId,
    running: Arc<Mutex<HashMap<String, CancellationToken>>>,
    tasks: Tasks,
}

impl Link {
    /// Serves `client` as the node `node_id`.
    pub(crate) fn new(
        client: Client,
        machine: Arc<Machine>,
        node_id: DeviceId,
        parent: &CancellationToken,
    ) -> Self {
        Self {
            client: Arc::new(client),
            machine,
            node_id,
            running: Arc::default(),
            tasks: Tasks::under(parent),
        }
    }

    /// Serves until the connection ends or `cancel` fires, and says how it ended. What was running then is stopped:
    /// nobody would hear of it.
    pub(crate) async fn serve(self, cancel: &CancellationToken) -> String {
        let mut events = self.client.events();
        self.catch_up();
        let mut stats = interval_at(Instant::now(), STATS_EVERY);
        stats.set_missed_tick_behavior(MissedTickBehavior::Skip);
        let ended = loop {
            tokio::select! {
                heard = events.next() => match heard {
                    Some(ClientEvent::Event(frame)) => self.hear(&frame),
                    Some(ClientEvent::Missed(count)) => tracing::warn!(count, "requests were lost on the way"),
                    None => break self.client.closed().map_or_else(String::new, |closed| closed.to_string()),
                },
                _tick = stats.tick() => self.tell_stats(),
                () = cancel.cancelled() => break "stopped".to_owned(),
            }
        };
        self.tasks.token().cancel();
        self.tasks.finish(STOP_GRACE).await;
        if let Some(client) = Arc::into_inner(self.client) {
            client.close().await;
        }
        ended
    }

    fn hear(&self, frame: &EventFrame) {
        match frame.event.as_str() {
            NODE_INVOKE_REQUEST => {
                if let Some(request) = payload::<NodeInvokeRequest>(frame) {
                    self.begin(request);
                }
            }
            NODE_INVOKE_CANCEL => {
                let Some(cancel) = payload::<NodeInvokeCancel>(frame) else { return };
                if let Some(token) = self.running.lock().get(&cancel.invoke_id) {
                    token.cancel();
                }
            }
            _other => {}
        }
    }

    fn begin(&self, request: NodeInvokeRequest) {
        let cancel = self.tasks.token().child_token();
        let has_room = {
            let mut running = self.running.lock();
            if running.contains_key(&request.id) {
                return;
            }
            let has_room = running.len() < MAX_AT_ONCE;
            if has_room {
                running.insert(request.id.clone(), cancel.clone());
            }
            has_room
        };
        let (client, running) = (Arc::clone(&self.client), Arc::clone(&self.running));
        let (machine, node_id) = (Arc::clone(&self.machine), self.node_id.clone());
        self.tasks.spawn(async move {
            let reply = if has_room {
                let work = Work { client: &client, machine, node_id: &node_id, cancel };
                work.run(&request).await
            } else {
                Err(Failure::unavailable("this node is busy; try again when one of its commands is done"))
            };
            running.lock().remove(&request.id);
            answer(&client, &node_id, &request.id, reply).await;
        });
    }

    /// Does what waited while the node was away.
    fn catch_up(&self) {
        let (client, machine) = (Arc::clone(&self.client), Arc::clone(&self.machine));
        let (node_id, cancel) = (self.node_id.clone(), self.tasks.token().child_token());
        self.tasks.spawn(async move {
            let Ok(waiting) = client.call::<NodePendingPull>(&NoParams {}).await else { return };
            for action in waiting.actions {
                let request = NodeInvokeRequest {
                    id: action.id.clone(),
                    node_id: node_id.clone(),
                    command: action.command,
                    params_json: action.params_json,
                    timeout_ms: None,
                    idempotency_key: None,
                    session_key: None,
                };
                let work =
                    Work { client: &client, machine: Arc::clone(&machine), node_id: &node_id, cancel: cancel.clone() };
                if let Err(failure) = work.run(&request).await {
                    tracing::warn!(command = %request.command, reason = %failure.message, "what waited failed");
                }
                let done = NodePendingAckParams { ids: vec![action.id] };
                if let Err(error) = client.call::<NodePendingAck>(&done).await {
                    tracing::warn!(%error, "what waited is done, but the gateway does not know");
                    return;
                }
            }
        });
    }

    fn tell_stats(&self) {
        let stats = platform::stats(&self.machine.home, self.machine.clock.now_ms());
        let client = Arc::clone(&self.client);
        self.tasks.spawn(async move { tell(&client, "node.host.stats", stats).await });
    }
}

/// One command under way.
struct Work<'a> {
    client: &'a Client,
    machine: Arc<Machine>,
    node_id: &'a DeviceId,
    cancel: CancellationToken,
}

impl Work<'_> {
    async fn run(self, request: &NodeInvokeRequest) -> commands::Reply {
        let params = match request.params_json.as_deref() {
            Some(text) => serde_json::from_str(text)
                .map_err(|error| Failure::invalid(format!("the parameters are not JSON: {error}")))?,
            None => Value::Null,
        };
        let (said, heard) = mpsc::channel(SAID_AHEAD);
        let call = CommandCall {
            machine: self.machine,
            params,
            session_key: request.session_key.clone(),
            timeout_ms: request.timeout_ms,
            cancel: self.cancel,
            said,
        };
        let work = commands::call(&request.command, call);
        let (reply, ()) = tokio::join!(work, pass_on(self.client, self.node_id, &request.id, heard));
        reply
    }
}

/// Passes on what a command says until it is done.
async fn pass_on(client: &Client, node_id: &DeviceId, id: &str, mut heard: mpsc::Receiver<CommandAnswer>) {
    let mut seq = 0;
    while let Some(said) = heard.recv().await {
        match said {
            CommandAnswer::Event(event, facts) => tell(client, event, facts).await,
            CommandAnswer::Output(chunk) => {
                let piece = NodeInvokeProgressParams {
                    invoke_id: id.to_owned(),
                    node_id: node_id.clone(),
                    seq,
                    chunk,
                };
                seq += 1;
                if let Err(error) = client.call::<NodeInvokeProgress>(&piece).await {
                    tracing::debug!(%error, "a piece of output was not taken");
                }
            }
        }
    }
}

async fn tell(client: &Client, event: &str, facts: Value) {
    let params = NodeEventParams { event: event.to_owned(), payload: Some(facts), payload_json: None };
    if let Err(error) = client.call::<NodeEvent>(&params).await {
        tracing::debug!(%error, event, "the gateway did not hear an event");
    }
}

async fn answer(client: &Client, node_id: &DeviceId, id: &str, reply: commands::Reply) {
    let (ok, payload, error) = match reply {
        Ok(payload) => (true, Some(payload), None),
        Err(Failure { code, message }) => {
            (false, None, Some(NodeError { code: Some(code.to_owned()), message: Some(message) }))
        }
    };
    let params = NodeInvokeResultParams {
        id: id.to_owned(),
        node_id: node_id.clone(),
        ok,
        payload_json: payload.map(|payload| payload.to_string()),
        payload: None,
        error,
    };
    if let Err(error) = client.call::<NodeInvokeResult>(&params).await {
        tracing::warn!(%error, "a command is done, but the gateway does not know");
    }
}

fn payload<T: DeserializeOwned>(frame: &EventFrame) -> Option<T> {
    match homard_runtime::json::from_value(frame.payload.clone()) {
        Ok(read) => Some(read),
        Err(error) => {
            tracing::warn!(%error, event = %frame.event, "the gateway asked in a way this node does not understand");
            None
        }
    }
}
