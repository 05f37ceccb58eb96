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
        if !self.has_role_for(access) {
            return Err(self.wrong_role());
        }
        match access {
            Access::Open | Access::AnyOperator | Access::Node => Ok(()),
            Access::Operator(scope) => self.check_scope(scope),
            Access::Sessions(scope) => {
                let narrow = scope.for_sessions().is_some_and(|narrow| self.client.scopes.grants(narrow));
                if narrow { Ok(()) } else { self.check_scope(scope) }
            }
        }
    }

    /// Whether what `access` is about is for callers of this role at all.
    pub(crate) fn has_role_for(&self, access: Access) -> bool {
        match access {
            Access::Open => true,
            Access::Node => self.client.role == Role::Node,
            Access::AnyOperator | Access::Operator(_) | Access::Sessions(_) => {
                self.client.role == Role::Operator
            }
        }
    }

    /// What callers of another role are told.
    pub(crate) fn wrong_role(&self) -> RequestError {
        RequestError::invalid(format!("unauthorized role: {}", self.client.role))
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
