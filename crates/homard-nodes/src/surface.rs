//! The second gate: what a paired node offers counts only after the owner said yes to it.
//!
//! A node that connects is compared with what was approved. If it offers more, the owner is asked; until then the
//! rest keeps working. The question survives restarts and does not expire.

use std::sync::Arc;

use homard_protocol::DeviceId;
use homard_protocol::connect::ConnectParams;
use homard_protocol::events::{NodeDecision, NodePairRequestedEvent, NodePairResolvedEvent};
use homard_protocol::methods::devices::ApprovedVia;
use homard_store::{NewNodeRequest, StoreError};

use crate::activity::Activity;
use crate::registry::{NodeAbout, NodeSession, NodeSocket};
use crate::{Nodes, commands, rows, wake_words};

impl Nodes {
    /// Takes a node in that has proved itself: compares, asks if need be, and lists it.
    ///
    /// # Errors
    /// When what is known of it cannot be looked up.
    pub async fn take_in(
        &self,
        socket: Arc<dyn NodeSocket>,
        remote_ip: String,
        params: &ConnectParams,
    ) -> Result<(), StoreError> {
        let Some(id) = socket.node().cloned() else { return Ok(()) };
        let declared =
            commands::claims(&params.caps, params.commands.as_deref(), params.permissions.as_ref());
        let session = NodeSession {
            socket,
            about: NodeAbout::read(remote_ip, params),
            declared,
            connected_at: self.clock.now_ms(),
            activity: Activity::default(),
            subscriptions: std::collections::BTreeSet::new(),
            last_words: None,
            told: std::collections::BTreeMap::new(),
        };
        self.store.nodes().mark_connected(&id).await?;
        self.compare(&id, &session).await?;
        wake_words::tell(session.socket.as_ref(), &self.wake_words().await?);
        self.registry.arrive(id, session);
        Ok(())
    }

    /// Asks the owner about what a node offers beyond what was approved.
    async fn compare(&self, id: &DeviceId, session: &NodeSession) -> Result<(), StoreError> {
        let store = &self.store;
        let (config, about) = (self.config.current(), &session.about);
        let wanted = commands::askable(&about.platform, &session.declared, &config.gateway.nodes);
        let left_out = session.declared.commands.len().saturating_sub(wanted.commands.len());
        if left_out > 0 {
            tracing::info!(node = %id, left_out, "a node offers commands that no list allows");
        }
        let approved =
            store.nodes().get(id).await?.and_then(|node| node.approved).map(|(surface, _)| surface);
        if approved.as_ref().is_some_and(|approved| approved.covers(&wanted)) {
            if let Some(old) = store.nodes().withdraw_request(id).await? {
                self.tell_resolved(&old.request_id, id, NodeDecision::Rejected);
            }
            return Ok(());
        }
        let device = store.devices().get(id).await?;
        let let_in_silently =
            device.as_ref().is_some_and(|device| device.approved_via == Some(ApprovedVia::Silent.into()));
        let asked = store
            .nodes()
            .ask(NewNodeRequest {
                device_id: id.clone(),
                surface: wanted,
                display_name: about.display_name.clone(),
                platform: Some(about.platform.clone()),
                version: Some(about.version.clone()),
                device_family: about.device_family.clone(),
                remote_ip: Some(about.remote_ip.clone()),
                silent: let_in_silently && approved.is_none(),
            })
            .await?;
        if let Some(old) = &asked.superseded {
            self.tell_resolved(old, id, NodeDecision::Rejected);
        }
        if asked.created {
            tracing::warn!(
                node = %id, request = %asked.request.request_id,
                "a node waits for approval of its commands; look with `homard nodes pending`, answer with `homard nodes approve`"
            );
            let label = device.and_then(|device| device.operator_label);
            self.bus.publish(&NodePairRequestedEvent(rows::pending(asked.request, label)));
        }
        Ok(())
    }

    /// Tells those who may decide what was decided.
    pub fn tell_resolved(&self, request_id: &str, id: &DeviceId, decision: NodeDecision) {
        tracing::info!(node = %id, request = %request_id, ?decision, "a node's request ended");
        self.bus.publish(&NodePairResolvedEvent {
            request_id: request_id.to_owned(),
            node_id: id.clone(),
            decision,
            ts: self.clock.now_ms(),
        });
    }
}
