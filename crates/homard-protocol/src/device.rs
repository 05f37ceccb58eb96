//! What a device signs to prove that it holds its key.

use crate::connect::{ConnectParams, DeviceProof};
use crate::scope::Role;
use crate::word::Word;

/// The two payload spellings a gateway accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PayloadVersion {
    /// With platform and device family.
    V3,
    V2,
}

/// The text a client signs with its Ed25519 key: every fact the gateway will act on, joined by `|`.
#[must_use]
pub fn signed_payload(version: PayloadVersion, params: &ConnectParams, device: &DeviceProof) -> String {
    let token = params.auth.as_ref().map_or("", |auth| {
        auth.token
            .as_deref()
            .or(auth.device_token.as_deref())
            .or(auth.bootstrap_token.as_deref())
            .unwrap_or("")
    });
    let role = params.role.as_ref().map_or(Role::Operator.as_str(), Word::as_str);
    let scopes = params.scopes.join(",");
    let name = match version {
        PayloadVersion::V3 => "v3",
        PayloadVersion::V2 => "v2",
    };
    let client = &params.client;
    let base = format!(
        "{name}|{}|{}|{}|{role}|{scopes}|{}|{token}|{}",
        device.id, client.id, client.mode, device.signed_at, device.nonce
    );
    match version {
        PayloadVersion::V2 => base,
        PayloadVersion::V3 => {
            let plain = |text: Option<&str>| text.unwrap_or("").trim().to_ascii_lowercase();
            format!("{base}|{}|{}", plain(Some(&client.platform)), plain(client.device_family.as_deref()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{PayloadVersion, signed_payload};
    use crate::connect::ConnectParams;
    use serde_json::json;

    #[test]
    fn the_payload_names_every_fact_in_order() {
        let params: ConnectParams = serde_json::from_value(json!({
            "minProtocol":4,"maxProtocol":4,
            "client":{"id":"cli","mode":"cli","version":"1","platform":" Linux ","deviceFamily":"PC"},
            "scopes":["operator.read","operator.write"],
            "auth":{"token":"T","deviceToken":"D"},
            "device":{"id":"dev","publicKey":"k","signature":"s","signedAt":5,"nonce":"n"}
        }))
        .unwrap();
        let device = params.device.clone().unwrap();
        assert_eq!(
            signed_payload(PayloadVersion::V3, &params, &device),
            "v3|dev|cli|cli|operator|operator.read,operator.write|5|T|n|linux|pc"
        );
        assert_eq!(
            signed_payload(PayloadVersion::V2, &params, &device),
            "v2|dev|cli|cli|operator|operator.read,operator.write|5|T|n"
        );
    }
}
