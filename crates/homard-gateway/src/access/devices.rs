//! Devices as clients see them: rows, events, and the sockets that end when a device loses its right to them.

use homard_nodes::claim;
use homard_protocol::events::{DevicePairRequestedEvent, DevicePairResolvedEvent, PairDecision};
use homard_protocol::methods::devices::{DeviceTokenRow, PairedDeviceRow, PendingDeviceRow};
use homard_protocol::{DeviceId, Role};
use homard_store::{DeviceToken, PENDING_TTL_MS, PairedDevice, PendingDevice, PendingOutcome, StoreError};

use crate::connections::fanout::{Client, Close};
use crate::gateway::Gateway;

/// The close code of a client that lost its right to be here.
const AUTH_CHANGED: u16 = 4001;

/// A request as clients see it.
pub(crate) fn pending(request: PendingDevice) -> PendingDeviceRow {
    let PendingDevice { request_id, asked, is_repair, ts } = request;
    PendingDeviceRow {
        request_id,
        device_id: asked.device_id,
        public_key: asked.public_key,
        display_name: claim(asked.display_name),
        platform: claim(asked.platform),
        device_family: claim(asked.device_family),
        client_id: asked.client_id,
        client_mode: asked.client_mode,
        browser_origin: claim(asked.browser_origin),
        roles: vec![asked.role.clone()],
        role: asked.role,
        scopes: asked.scopes,
        remote_ip: asked.remote_ip,
        silent: asked.silent,
        is_repair,
        ts,
        expires_at_ms: ts.saturating_add(PENDING_TTL_MS),
    }
}

/// A paired device as clients see it, with its tokens but not their bearers.
pub(crate) async fn paired(gateway: &Gateway, device: PairedDevice) -> Result<PairedDeviceRow, StoreError> {
    let tokens = gateway.store().devices().tokens(&device.device_id).await?;
    Ok(PairedDeviceRow {
        connected: gateway.connections().clients.is_here(&device.device_id),
        device_id: device.device_id,
        public_key: device.public_key,
        display_name: claim(device.display_name),
        operator_label: device.operator_label,
        platform: claim(device.platform),
        device_family: claim(device.device_family),
        client_id: device.client_id,
        client_mode: device.client_mode,
        role: device.roles.first().cloned(),
        roles: device.roles,
        scopes: device.scopes,
        remote_ip: device.remote_ip,
        approved_via: device.approved_via,
        created_at_ms: device.created_at,
        approved_at_ms: device.approved_at,
        last_seen_at_ms: device.last_seen_at,
        last_seen_reason: device.last_seen_at.map(|_seen| "connect".to_owned()),
        tokens: tokens.into_iter().map(token).collect(),
    })
}

fn token(token: DeviceToken) -> DeviceTokenRow {
    DeviceTokenRow {
        role: token.role,
        scopes: token.scopes,
        created_at_ms: token.created_at,
        rotated_at_ms: token.rotated_at,
        revoked_at_ms: token.revoked_at,
        last_used_at_ms: token.last_used_at,
    }
}

/// Tells those who may decide that a device asks, unless they know; one that it asked before is over.
pub(crate) fn tell_asked(gateway: &Gateway, outcome: &PendingOutcome) {
    if let Some(old) = &outcome.superseded {
        let device = &outcome.request.asked.device_id;
        if gateway.access().noise.allows("device asked for something else") {
            tracing::info!(%device, request = %old, "a device asks for something else than before");
        }
        publish_resolved(gateway, old, device, PairDecision::Rejected);
    }
    if outcome.created {
        gateway.bus().publish(&DevicePairRequestedEvent(pending(outcome.request.clone())));
    }
}

/// Tells those who may decide what was decided.
pub(crate) fn tell_resolved(
    gateway: &Gateway,
    request_id: &str,
    device_id: &DeviceId,
    decision: PairDecision,
) {
    tracing::info!(device = %device_id, request = %request_id, ?decision, "a device's request ended");
    publish_resolved(gateway, request_id, device_id, decision);
}

fn publish_resolved(gateway: &Gateway, request_id: &str, device_id: &DeviceId, decision: PairDecision) {
    gateway.access().upgrades.decided(request_id, decision);
    gateway.bus().publish(&DevicePairResolvedEvent {
        request_id: request_id.to_owned(),
        device_id: device_id.clone(),
        decision,
        ts: gateway.clock().now_ms(),
    });
}

/// Ends a device's sockets, in one role or in all. The one that asked for it is answered first.
pub(crate) fn hang_up(
    gateway: &Gateway,
    device_id: &DeviceId,
    role: Option<Role>,
    asker: &Client,
    reason: &str,
) {
    let close = Close::new(AUTH_CHANGED, reason);
    for client in gateway.connections().clients.of_device(device_id) {
        if role.is_some_and(|role| role != client.role) {
            continue;
        }
        if client.conn == asker.conn {
            client.close_after_answer(close.clone());
        } else {
            client.close(close.clone());
        }
    }
}
