//! From the house's errors to the one shape clients know.

use homard_config::WriteError;
use homard_memory::WorkspaceFileError;
use homard_nodes::{InvokeError, PairingError};
use homard_protocol::{DeviceId, ErrorShape, SessionKeyError};
use homard_relay::{AcceptError, Unroutable};
use homard_store::StoreError;
use serde_json::json;

/// What went wrong in the store.
pub(crate) fn store(error: &StoreError) -> ErrorShape {
    match error {
        StoreError::LabelTaken { .. } => ErrorShape::invalid(error.to_string()),
        StoreError::UnknownSession(_) | StoreError::UnknownRun(_) | StoreError::UnknownEntry(_) => {
            ErrorShape::invalid(error.to_string())
        }
        other => {
            tracing::error!(error = %chain(other), "the store could not answer a request");
            ErrorShape::unavailable(other.to_string())
        }
    }
}

/// Why a message was not taken.
pub(crate) fn submit(error: &AcceptError) -> ErrorShape {
    match error {
        AcceptError::Refused(_)
        | AcceptError::BadKey(_)
        | AcceptError::Repeated
        | AcceptError::HeldBack(_) => ErrorShape::invalid(error.to_string()),
        AcceptError::Unroutable(Unroutable::UnknownAgent(agent)) => ErrorShape::invalid(error.to_string())
            .with_details(json!({"code": "UNKNOWN_AGENT_ID", "agentId": agent})),
        AcceptError::Unroutable(Unroutable::NoRoute) => ErrorShape::invalid(error.to_string()),
        AcceptError::Full => ErrorShape::unavailable(error.to_string()).retry_after(1_000),
        AcceptError::Stopping => ErrorShape::unavailable(error.to_string())
            .with_details(json!({"reason": "gateway-restarting"}))
            .retry_after(1_000),
        AcceptError::Store(inner) => store(inner),
    }
}

/// Why a node's question was not answered.
pub(crate) fn node_pairing(error: &PairingError) -> ErrorShape {
    match error {
        PairingError::Store(inner) => store(inner),
        PairingError::UnknownRequest | PairingError::UnknownNode => ErrorShape::invalid(error.to_string()),
    }
}

/// Why a node did not do what was asked.
pub(crate) fn invoke(error: &InvokeError, node: &DeviceId, command: &str) -> ErrorShape {
    let details = |name: &str, more: serde_json::Value| {
        let mut details = json!({"code": error.code(), "nodeId": node, "command": command});
        if let Some(fields) = details.as_object_mut().filter(|_| !name.is_empty()) {
            fields.insert(name.to_owned(), more);
        }
        details
    };
    let unavailable = |details| ErrorShape::unavailable(error.to_string()).with_details(details);
    match error {
        InvokeError::Store(inner) => store(inner),
        InvokeError::NotAllowed(reason) => {
            ErrorShape::invalid(error.to_string()).with_details(details("reason", json!(reason.to_string())))
        }
        InvokeError::Failed(said) => unavailable(details("nodeError", json!(said))),
        InvokeError::TimedOut | InvokeError::Disconnected(_) => {
            let said = json!({"code": error.code(), "message": error.to_string()});
            unavailable(details("nodeError", said))
        }
        InvokeError::Unknown | InvokeError::NotConnected | InvokeError::Busy => {
            unavailable(details("", serde_json::Value::Null))
        }
    }
}

/// Why a file of a workspace is not told or not written.
pub(crate) fn workspace_file(error: &WorkspaceFileError) -> ErrorShape {
    match error {
        WorkspaceFileError::Unreadable { .. } | WorkspaceFileError::Unwritable { .. } => {
            ErrorShape::unavailable(chain(error))
        }
        _ => ErrorShape::invalid(error.to_string()),
    }
}

/// What is wrong with a session key.
pub(crate) fn session_key(error: &SessionKeyError) -> ErrorShape {
    ErrorShape::invalid(format!("invalid session key: {error}"))
}

/// Why the configuration was not written.
pub(crate) fn config_write(error: &WriteError) -> ErrorShape {
    match error {
        WriteError::Io { .. } => ErrorShape::unavailable(chain(error)),
        WriteError::Invalid(issues) => {
            let listed: Vec<_> =
                issues.iter().map(|issue| json!({"path": issue.path, "message": issue.message})).collect();
            ErrorShape::invalid(error.to_string()).with_details(json!({"issues": listed}))
        }
        _ => ErrorShape::invalid(error.to_string()),
    }
}

/// An error and what caused it, on one line.
pub(crate) fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        text.push_str(": ");
        text.push_str(&cause.to_string());
        next = cause.source();
    }
    text
}
