//! A node that speaks raw frames: it declares what a test wants it to, and answers what a test wants it to.

use anyhow::{Context, Result};
use serde_json::{Value, json};

use crate::client::{Refusal, TestClient, operator_params};
use crate::device::{ProofVersion, TestDevice};

/// A node of the test's own.
pub struct TestNode {
    pub client: TestClient,
    id: String,
}

impl TestNode {
    /// Connects as a node on this machine with a device of the test's choosing. `changes` replaces fields of the
    /// usual `connect`: `commands`, `caps`, `permissions`, `client`.
    ///
    /// # Errors
    /// How it was refused.
    pub async fn join(url: &str, token: &str, device: &TestDevice, changes: Value) -> Result<Self, Refusal> {
        let silent = |error: &dyn std::fmt::Display| Refusal {
            error: Value::Null,
            code: 0,
            reason: error.to_string(),
        };
        let mut client = TestClient::connect(url).await.map_err(|error| silent(&error))?;
        let params = node_params(token, changes);
        let proof = device.proof(ProofVersion::V3, &params, client.challenge());
        let mut params = params;
        if let Some(fields) = params.as_object_mut() {
            fields.insert("device".to_owned(), proof);
        }
        client.handshake(params).await?;
        Ok(Self { client, id: device.id() })
    }

    /// Its name on the wire.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The next command it is to run.
    ///
    /// # Errors
    /// When none comes.
    pub async fn next_command(&mut self) -> Result<Value> {
        let mut event = self.client.next_event("node.invoke.request").await?;
        event.get_mut("payload").map(Value::take).context("the event has no payload")
    }

    /// Answers a command.
    ///
    /// # Errors
    /// When the socket closes or nothing comes.
    pub async fn answer(&mut self, command: &Value, payload: Value) -> Result<Value> {
        self.result(command, json!({"ok": true, "payload": payload})).await
    }

    /// Answers a command with exactly these fields, beside its name and the node's.
    ///
    /// # Errors
    /// When the socket closes or nothing comes.
    pub async fn result(&mut self, command: &Value, mut result: Value) -> Result<Value> {
        let id = command.get("id").cloned().unwrap_or_default();
        if let Some(fields) = result.as_object_mut() {
            fields.insert("id".to_owned(), id);
            fields.insert("nodeId".to_owned(), json!(self.id));
        }
        self.client.request("node.invoke.result", result).await
    }

    /// Says that something happened, and returns what the gateway made of it.
    ///
    /// # Errors
    /// When the gateway refuses or nothing comes.
    pub async fn says(&mut self, event: &str, payload: Value) -> Result<Value> {
        self.client.call("node.event", json!({"event": event, "payload": payload})).await
    }
}

/// The `connect` of a headless node on Linux, with fields replaced.
#[must_use]
pub fn node_params(token: &str, changes: Value) -> Value {
    let mut params = operator_params(token);
    let usual = json!({
        "client": {"id": "node-host", "mode": "node", "version": "1", "platform": "linux", "displayName": "shed"},
        "role": "node", "scopes": [], "caps": ["system"], "commands": ["system.notify"],
    });
    for more in [usual, changes] {
        if let (Some(fields), Value::Object(more)) = (params.as_object_mut(), more) {
            fields.extend(more);
        }
    }
    params
}
