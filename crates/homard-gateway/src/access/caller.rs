//! Who is calling: established by the handshake, handed to every handler, never part of client JSON.

use crate::error::RequestError;
use std::sync::Arc;

use homard_config::Secret;
use homard_protocol::connect::{ClientId, ClientMode};
use homard_protocol::method::Access;
use homard_protocol::{ErrorCode, Role, Scope};
use serde_json::json;

use crate::access::auth::AuthMethod;
use crate::access::origin::Peer;
use crate::connections::fanout::Client;

/// Who is calling.
#[derive(Debug)]
pub(crate) struct Caller {
    /// The socket, its role and scopes.
    pub(crate) client: Arc<Client>,
    pub(crate) id: ClientId,
    pub(crate) mode: ClientMode,
    pub(crate) peer: Peer,
    /// How it proved itself.
    pub(crate) via: AuthMethod,
    /// The device token it was handed; only its hash is kept anywhere else.
    pub(crate) token: Option<Secret>,
}

impl Caller {
    /// Whether this caller may do what `access` asks.
    pub(crate) fn check(&self, access: Access) -> Result<(), RequestError> {
        let role = self.client.role;
        match access {
            Access::Open => Ok(()),
            Access::Node if role == Role::Node => Ok(()),
            Access::AnyOperator if role == Role::Operator => Ok(()),
            Access::Operator(scope) if role == Role::Operator => self.check_scope(scope),
            Access::Sessions(scope) if role == Role::Operator => {
                let narrow = scope.for_sessions().is_some_and(|narrow| self.client.scopes.grants(narrow));
                if narrow { Ok(()) } else { self.check_scope(scope) }
            }
            Access::AnyOperator | Access::Node | Access::Operator(_) | Access::Sessions(_) => {
                Err(RequestError::invalid(format!("unauthorized role: {role}")))
            }
        }
    }

    /// Whether this caller holds `scope`.
    pub(crate) fn check_scope(&self, scope: Scope) -> Result<(), RequestError> {
        if self.client.scopes.grants(scope) {
            return Ok(());
        }
        Err(RequestError::new(ErrorCode::Forbidden, format!("missing scope: {scope}")).with_details(json!({
            "code": "MISSING_SCOPE",
            "missingScope": scope.as_str(),
            "requiredScopes": [scope.as_str()],
        })))
    }

    /// Whether the caller may see paths and other particulars of the machine.
    pub(crate) fn is_admin(&self) -> bool {
        self.client.role == Role::Operator && self.client.scopes.grants(Scope::Admin)
    }

    /// Who shares the control-plane write limit: the device, or the address.
    pub(crate) fn limit_key(&self) -> String {
        let device = self.client.device.as_ref().map_or("", |id| id.as_str());
        format!("{device}|{}", self.peer.ip)
    }
}

/// Tells whether an error came from calling with the wrong role, which is counted.
pub(crate) fn is_wrong_role(error: &RequestError) -> bool {
    error.code() == ErrorCode::InvalidRequest && error.message().starts_with("unauthorized role:")
}
