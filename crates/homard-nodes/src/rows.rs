//! Nodes as clients see them. What a node says of itself is shown with nothing hidden in it.

use std::collections::BTreeMap;

use homard_protocol::methods::nodes::{Node, NodeApproval, PairedNodeRow, PendingNodeRow};
use homard_protocol::{DeviceId, Role};
use homard_runtime::{Arrange as _, CollectOrdered as _, brief, visible};
use homard_store::{NodeRecord, NodeRequest, NodeSurface, PairedDevice, StoreError};

use crate::registry::NodeSession;
use crate::{Nodes, activity, commands};

/// Most characters shown of what a device says of itself: a stranger must not fill the owner's screen.
const MAX_CLAIM: usize = 64;

/// What a device claims, with nothing hidden in it.
#[must_use]
pub fn claim(text: Option<String>) -> Option<String> {
    text.map(|text| brief(&visible(&text), MAX_CLAIM)).filter(|text| !text.is_empty())
}

/// Whether a device may connect as a node.
#[must_use]
pub fn is_node(device: &PairedDevice) -> bool {
    device.roles.contains(&Role::Node.into())
}

/// What is known of a node beside its device.
struct Known {
    kept: Option<NodeRecord>,
    asked: Option<NodeRequest>,
    here: Option<NodeSession>,
}

impl Nodes {
    /// Everything that was paired as a node, connected ones first, and which of them was used last.
    ///
    /// # Errors
    /// When what is known of them cannot be looked up.
    pub async fn all(&self) -> Result<(Vec<Node>, Option<DeviceId>), StoreError> {
        let store = &self.store;
        let devices = store.devices().paired().await?;
        let mut kept: BTreeMap<DeviceId, NodeRecord> =
            store.nodes().list().await?.into_iter().map(|node| (node.device_id.clone(), node)).collect_map();
        let mut asked: BTreeMap<DeviceId, NodeRequest> = store
            .nodes()
            .requests()
            .await?
            .into_iter()
            .map(|asked| (asked.about.device_id.clone(), asked))
            .collect_map();
        let mut here = self.registry.all();
        let active = activity::most_recent(&here).cloned();
        let mut nodes: Vec<Node> = devices
            .into_iter()
            .filter(is_node)
            .map(|device| {
                let id = device.device_id.clone();
                let known =
                    Known { kept: kept.remove(&id), asked: asked.remove(&id), here: here.remove(&id) };
                self.row(device, known, active.as_ref())
            })
            .collect();
        nodes.arrange_by_key(|node| !node.connected);
        Ok((nodes, active))
    }

    fn row(&self, device: PairedDevice, known: Known, active: Option<&DeviceId>) -> Node {
        let Known { kept, asked, here } = known;
        let config = self.config.current();
        let (approved, approved_at) = kept.as_ref().and_then(|node| node.approved.clone()).unzip();
        let usable = match (&here, &approved) {
            (Some(session), Some(approved)) => commands::effective(
                &session.about.platform,
                &session.declared,
                approved,
                &config.gateway.nodes,
            ),
            (None, Some(approved)) => {
                // What could be used if it were here.
                let platform = device.platform.as_deref().unwrap_or_default();
                commands::askable(platform, approved, &config.gateway.nodes)
            }
            (_, None) => NodeSurface::default(),
        };
        let state = match (&asked, &approved) {
            (Some(_), Some(_)) => NodeApproval::PendingReapproval,
            (Some(_), None) => NodeApproval::PendingApproval,
            (None, Some(_)) => NodeApproval::Approved,
            (None, None) => NodeApproval::Unapproved,
        };
        let about = here.as_ref().map(|session| session.about.clone());
        let (request_id, pending) = asked.map(|asked| (asked.request_id, asked.about.surface)).unzip();
        let activity = here.as_ref().map(|session| session.activity.clone()).unwrap_or_default();
        let name = |of: Option<String>| claim(of);
        Node {
            active: (active == Some(&device.device_id)).then_some(true),
            display_name: display_name(&device, about.as_ref().and_then(|about| about.display_name.clone())),
            node_id: device.device_id,
            platform: name(device.platform),
            version: name(about.as_ref().map(|about| about.version.clone())),
            client_id: about.as_ref().map(|about| about.client_id.clone()).or(device.client_id),
            client_mode: about.as_ref().map(|about| about.client_mode.clone()).or(device.client_mode),
            device_family: name(device.device_family),
            model_identifier: name(about.as_ref().and_then(|about| about.model_identifier.clone())),
            remote_ip: about.as_ref().map(|about| about.remote_ip.clone()).or(device.remote_ip),
            path_env: about.and_then(|about| about.path_env),
            caps: usable.caps,
            commands: usable.commands,
            permissions: usable.permissions,
            paired: true,
            connected: here.is_some(),
            approval_state: state,
            pending_request_id: request_id,
            pending_declared_caps: pending.as_ref().map(|surface| surface.caps.clone()),
            pending_declared_commands: pending.as_ref().map(|surface| surface.commands.clone()),
            pending_declared_permissions: pending.map(|surface| surface.permissions),
            approved_at_ms: approved_at,
            connected_at_ms: here.as_ref().map(|session| session.connected_at),
            last_connected_at_ms: kept.as_ref().and_then(|node| node.last_connected_at),
            last_seen_at_ms: kept.as_ref().and_then(|node| node.last_seen_at).or(device.last_seen_at),
            last_seen_reason: kept.as_ref().and_then(|node| node.last_seen_reason.clone()),
            host_stats: activity.host_stats.or_else(|| kept.and_then(|node| node.host_stats)),
            last_active_at_ms: activity.last_active_at,
            presence_updated_at_ms: activity.updated_at,
        }
    }
}

/// What its owner calls a node, else it itself.
fn display_name(device: &PairedDevice, says: Option<String>) -> Option<String> {
    device.operator_label.clone().or_else(|| claim(says.or_else(|| device.display_name.clone())))
}

/// A question as clients see it.
pub(crate) fn pending(request: NodeRequest, label: Option<String>) -> PendingNodeRow {
    let NodeRequest { request_id, about, ts } = request;
    let scopes = commands::approve_scopes(&about.surface.commands);
    PendingNodeRow {
        request_id,
        node_id: about.device_id,
        display_name: label.or_else(|| claim(about.display_name)),
        platform: claim(about.platform),
        version: claim(about.version),
        device_family: claim(about.device_family),
        caps: about.surface.caps,
        commands: about.surface.commands,
        permissions: about.surface.permissions,
        remote_ip: about.remote_ip,
        silent: about.silent,
        required_approve_scopes: scopes.iter().map(|scope| scope.as_str().to_owned()).collect(),
        ts,
    }
}

/// A node that was approved, as clients see it.
pub(crate) fn paired(device: PairedDevice, node: Option<NodeRecord>) -> PairedNodeRow {
    let last_connected_at_ms = node.as_ref().and_then(|node| node.last_connected_at);
    let (surface, approved_at_ms) = node.and_then(|node| node.approved).unzip();
    let surface: NodeSurface = surface.unwrap_or_default();
    PairedNodeRow {
        display_name: display_name(&device, None),
        node_id: device.device_id,
        platform: claim(device.platform),
        device_family: claim(device.device_family),
        caps: surface.caps,
        commands: surface.commands,
        permissions: surface.permissions,
        remote_ip: device.remote_ip,
        created_at_ms: device.created_at,
        approved_at_ms,
        last_connected_at_ms,
    }
}
