//! Who may look: the page's own reads take the shared secret or the token of a paired device.

use http::HeaderMap;

use homard_protocol::{Role, Scope, ScopeSet};

use super::auth;
use crate::access::origin::Peer;
use crate::gateway::Gateway;
use homard_http::answers::Answer;

/// Asks for the shared secret, or for a paired device's token that may read.
pub(super) async fn check(gateway: &Gateway, headers: &HeaderMap, peer: &Peer) -> Result<(), Box<Answer>> {
    if let Some(token) = auth::bearer(headers)
        && is_device(gateway, token).await
    {
        return Ok(());
    }
    auth::check(gateway, headers, peer, Scope::Read).map(|_sender| ())
}

async fn is_device(gateway: &Gateway, presented: &str) -> bool {
    let generation = gateway.access().rules().generation.clone();
    let store = gateway.store();
    let devices = store.devices().paired().await;
    let devices = gateway.access().noise.or_log(devices, "paired devices could not be looked up");
    for device in devices.unwrap_or_default() {
        let found =
            store.devices().check_token(&device.device_id, Role::Operator, presented, &generation).await;
        let found = gateway.access().noise.or_log(found, "a device's token could not be looked up").flatten();
        if found.is_some_and(|token| ScopeSet::parse(&token.scopes).grants(Scope::Read)) {
            return true;
        }
    }
    false
}
