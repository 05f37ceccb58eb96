//! What nodes ask to offer, and the owner's answers.

use homard_protocol::DeviceId;
use homard_protocol::events::NodeDecision;
use homard_protocol::methods::nodes::{NodePairApproved, NodePairListResult, NodePairRejected};
use homard_store::{NodeRecord, StoreError};

use crate::{Nodes, rows};

/// Why a question was not answered.
#[derive(Debug, thiserror::Error)]
pub enum PairingError {
    /// There is none of this name.
    #[error("unknown requestId")]
    UnknownRequest,
    /// Nobody is paired by this name, or not as a node.
    #[error("unknown nodeId")]
    UnknownNode,
    /// What is known of it cannot be looked up.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Nodes {
    /// What waits, and what the owner said yes to.
    ///
    /// # Errors
    /// When it cannot be looked up.
    pub async fn pairings(&self) -> Result<NodePairListResult, StoreError> {
        let store = &self.store;
        let devices = store.devices().paired().await?;
        let label = |id: &DeviceId| {
            devices
                .iter()
                .find(|device| device.device_id == *id)
                .and_then(|device| device.operator_label.clone())
        };
        let pending = store.nodes().requests().await?.into_iter();
        let pending = pending.map(|asked| {
            let label = label(&asked.about.device_id);
            rows::pending(asked, label)
        });
        let pending = pending.collect();
        let mut kept: Vec<NodeRecord> = store.nodes().list().await?;
        let paired = devices.into_iter().filter(rows::is_node).map(|device| {
            let at = kept.iter().position(|node| node.device_id == device.device_id);
            let node = at.map(|at| kept.swap_remove(at));
            rows::paired(device, node)
        });
        Ok(NodePairListResult { paired: paired.collect(), pending })
    }

    /// Says yes to a question. Who may is checked before.
    ///
    /// # Errors
    /// When there is no such question.
    pub async fn approve(&self, request_id: &str) -> Result<NodePairApproved, PairingError> {
        let store = &self.store;
        // A question never changes what it asks: asking for something else is another one.
        let done = store.nodes().approve(request_id).await?;
        let (asked, _at) = done.ok_or(PairingError::UnknownRequest)?;
        let id = asked.about.device_id;
        self.tell_resolved(request_id, &id, NodeDecision::Approved);
        let device = store.devices().get(&id).await?.ok_or(PairingError::UnknownNode)?;
        let node = store.nodes().get(&id).await?;
        Ok(NodePairApproved { request_id: request_id.to_owned(), node: rows::paired(device, node) })
    }

    /// Says no to a question.
    ///
    /// # Errors
    /// When there is no such question.
    pub async fn reject(&self, request_id: &str) -> Result<NodePairRejected, PairingError> {
        let asked = self.store.nodes().reject(request_id).await?;
        let id = asked.ok_or(PairingError::UnknownRequest)?.about.device_id;
        self.tell_resolved(request_id, &id, NodeDecision::Rejected);
        Ok(NodePairRejected { request_id: request_id.to_owned(), node_id: id })
    }
}
