//! Nodes as the assistant sees them: behind the `nodes` tool, and behind `exec` where commands run on a node.

use std::sync::{Arc, Weak};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use homard_protocol::methods::nodes::Node;
use homard_runtime::Clip;
use homard_tools::{NodeAnswer, NodeCall, NodesPort, PortError, ToolCx};
use serde_json::{Value, json};

use crate::Nodes;
use crate::invoke::{DEFAULT_TIMEOUT, InvokeError, InvokeRequest, MAX_TIMEOUT};
use crate::pairing::PairingError;

/// Fewest characters of an id that name a node.
const MIN_PREFIX: usize = 6;
/// The command for which the owner can choose a node in the settings.
const RUN: &str = "system.run";

/// Holds the nodes weakly: who holds them holds the relay, and that the tools.
struct Room {
    nodes: Weak<Nodes>,
}

impl Nodes {
    /// By which tools ask nodes.
    #[must_use]
    pub fn port(self: &Arc<Self>) -> Arc<dyn NodesPort> {
        Arc::new(Room { nodes: Arc::downgrade(self) })
    }
}

impl Room {
    fn open(&self) -> Result<Arc<Nodes>, PortError> {
        self.nodes.upgrade().ok_or(PortError::Closed)
    }

    async fn listed(&self) -> Result<Vec<Node>, PortError> {
        let listed = self.open()?.all().await;
        listed.map(|(nodes, _)| nodes).map_err(|error| PortError::Failed(error.to_string()))
    }

    async fn send(&self, cx: &ToolCx, call: NodeCall) -> Result<NodeAnswer, PortError> {
        let room = self.open()?;
        let nodes = self.listed().await?;
        let config = room.config.current();
        let chosen = call.node.or_else(|| config.tools.exec.node.clone().filter(|_| call.command == RUN));
        let node = match &chosen {
            Some(name) => meant(&nodes, name)?,
            None => only(&nodes, &call.command)?,
        };
        let watcher = cx.clone();
        let wanted = InvokeRequest {
            node: node.node_id.clone(),
            command: call.command.clone(),
            params: Some(call.params),
            timeout: call.timeout.unwrap_or(DEFAULT_TIMEOUT).min(MAX_TIMEOUT),
            idempotency_key: Some(format!("{}:{}", cx.run_id, cx.call_id)),
            session_key: Some(cx.session_key.to_string()),
            on_progress: Some(Arc::new(move |text: &str| watcher.report(text))),
        };
        let done = tokio::select! {
            done = room.invoke(wanted) => done,
            () = cx.cancel.cancelled() => return Err(PortError::Stopped),
        };
        let name = name_of(node);
        let done = done.map_err(|error| told(&error, &name, &call.command))?;
        Ok(NodeAnswer { node_id: node.node_id.to_string(), name, payload: done.payload })
    }
}

impl NodesPort for Room {
    fn has_any(&self) -> bool {
        self.nodes.upgrade().is_some_and(|nodes| nodes.registry.any())
    }

    fn list<'a>(&'a self, node: Option<&'a str>) -> BoxFuture<'a, Result<Value, PortError>> {
        async move {
            let nodes = self.listed().await?;
            match node {
                Some(name) => Ok(json!({"node": meant(&nodes, name)?})),
                None => Ok(json!({"nodes": nodes})),
            }
        }
        .boxed()
    }

    fn pending(&self) -> BoxFuture<'_, Result<Value, PortError>> {
        async move {
            let listed = self.open()?.pairings().await;
            let listed = listed.map_err(|error| PortError::Failed(error.to_string()))?;
            Ok(json!({"pending": listed.pending}))
        }
        .boxed()
    }

    fn decide<'a>(&'a self, request: &'a str, allow: bool) -> BoxFuture<'a, Result<Value, PortError>> {
        async move {
            let nodes = self.open()?;
            let refused = |error: PairingError| PortError::Invalid(error.to_string());
            if allow {
                let approved = nodes.approve(request).await.map_err(refused)?;
                Ok(json!({"approved": approved}))
            } else {
                let rejected = nodes.reject(request).await.map_err(refused)?;
                Ok(json!({"rejected": rejected}))
            }
        }
        .boxed()
    }

    fn invoke<'a>(&'a self, cx: &'a ToolCx, call: NodeCall) -> BoxFuture<'a, Result<NodeAnswer, PortError>> {
        self.send(cx, call).boxed()
    }
}

fn name_of(node: &Node) -> String {
    node.display_name.clone().unwrap_or_else(|| node.node_id.as_str().clip_chars(12).to_owned())
}

/// The node a person or a model means: by id, address or name, or the beginning of its id. One that is connected
/// is meant before one that is not.
fn meant<'n>(nodes: &'n [Node], name: &str) -> Result<&'n Node, PortError> {
    let name = name.trim();
    let by_id = |node: &&Node| node.node_id.as_str() == name || node.remote_ip.as_deref() == Some(name);
    let by_name = |node: &&Node| {
        node.display_name.as_deref().is_some_and(|known| known.eq_ignore_ascii_case(name))
            || (name.len() >= MIN_PREFIX && node.node_id.as_str().starts_with(name))
    };
    let exact: Vec<&Node> = nodes.iter().filter(by_id).collect();
    let found = if exact.is_empty() { nodes.iter().filter(by_name).collect() } else { exact };
    let here: Vec<&Node> = found.iter().copied().filter(|node| node.connected).collect();
    match (here.as_slice(), found.as_slice()) {
        ([one], _) | ([], [one]) => Ok(one),
        ([], []) => Err(PortError::Invalid(format!(
            "there is no node `{}`; there are: {}",
            name.clip_chars(64).to_owned(),
            names(nodes)
        ))),
        _ => Err(PortError::Invalid(format!("several nodes are called that; use an id: {}", names(nodes)))),
    }
}

/// The only node that can do this.
fn only<'n>(nodes: &'n [Node], command: &str) -> Result<&'n Node, PortError> {
    let can = |node: &&Node| node.connected && node.commands.iter().any(|known| known == command);
    match nodes.iter().filter(can).collect::<Vec<_>>().as_slice() {
        [one] => Ok(one),
        [] => Err(PortError::Invalid(format!(
            "no connected node may be asked `{command}`; nodes with action status shows what each offers"
        ))),
        several => {
            let names: Vec<String> = several.iter().map(|node| name_of(node)).collect();
            Err(PortError::Invalid(format!("several nodes can do that; name one: {}", names.join(", "))))
        }
    }
}

fn names(nodes: &[Node]) -> String {
    if nodes.is_empty() {
        return "none".to_owned();
    }
    let named = nodes.iter().map(|node| format!("{} ({})", name_of(node), node.node_id));
    named.collect::<Vec<_>>().join(", ")
}

/// What the model reads.
fn told(error: &InvokeError, node: &str, command: &str) -> PortError {
    let words = format!("`{command}` on {node}: {error}");
    match error {
        InvokeError::NotAllowed(_) => PortError::NotAllowed(words),
        _ => PortError::Failed(words),
    }
}

#[cfg(test)]
mod tests;
