//! Why a request is refused: from the house's errors to the one shape clients know.
//!
//! A handler ends with `?`; which code and which words an error has on the wire is said here, or beside the one
//! family of methods that meets it.

use homard_config::WriteError;
use homard_memory::WorkspaceFileError;
use homard_nodes::{InvokeError, PairingError};
use homard_protocol::{DeviceId, ErrorCode, ErrorShape, IdError, SessionKeyError};
use homard_relay::{AcceptError, Unroutable};
use homard_store::StoreError;
use serde_json::{Value, json};

/// Why a request is refused.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RequestError(ErrorShape);

impl RequestError {
    /// A refusal without particulars.
    pub(crate) fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self(ErrorShape::new(code, message))
    }

    /// The request itself is wrong.
    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        Self(ErrorShape::invalid(message))
    }

    /// The gateway cannot do it now.
    pub(crate) fn unavailable(message: impl Into<String>) -> Self {
        Self(ErrorShape::unavailable(message))
    }

    /// Adds particulars.
    #[must_use]
    pub(crate) fn with_details(self, details: Value) -> Self {
        Self(self.0.with_details(details))
    }

    /// Says that and when to try again.
    #[must_use]
    pub(crate) fn retry_after(self, ms: u64) -> Self {
        Self(self.0.retry_after(ms))
    }

    /// What a program decides on.
    pub(crate) fn code(&self) -> ErrorCode {
        self.0.code
    }

    /// What a person reads.
    pub(crate) fn message(&self) -> &str {
        &self.0.message
    }

    /// As it goes over the wire.
    pub(crate) fn into_shape(self) -> ErrorShape {
        self.0
    }
}

impl From<&StoreError> for RequestError {
    fn from(error: &StoreError) -> Self {
        match error {
            StoreError::LabelTaken { .. }
            | StoreError::UnknownSession(_)
            | StoreError::UnknownRun(_)
            | StoreError::UnknownEntry(_) => Self::invalid(error.to_string()),
            other => {
                tracing::error!(error = %chain(other), "the store could not answer a request");
                Self::unavailable(other.to_string())
            }
        }
    }
}

impl From<StoreError> for RequestError {
    fn from(error: StoreError) -> Self {
        Self::from(&error)
    }
}

impl From<IdError> for RequestError {
    fn from(error: IdError) -> Self {
        Self::invalid(error.to_string())
    }
}

impl From<AcceptError> for RequestError {
    fn from(error: AcceptError) -> Self {
        match &error {
            AcceptError::Refused(_)
            | AcceptError::BadKey(_)
            | AcceptError::Repeated
            | AcceptError::NotAnswered
            | AcceptError::HeldBack(_) => Self::invalid(error.to_string()),
            AcceptError::Unroutable(Unroutable::UnknownAgent(agent)) => Self::invalid(error.to_string())
                .with_details(json!({"code": "UNKNOWN_AGENT_ID", "agentId": agent})),
            AcceptError::Unroutable(Unroutable::NoRoute) => Self::invalid(error.to_string()),
            AcceptError::Full(_) => Self::unavailable(error.to_string()).retry_after(1_000),
            AcceptError::Stopping => Self::unavailable(error.to_string())
                .with_details(json!({"reason": "gateway-restarting"}))
                .retry_after(1_000),
            AcceptError::Store(inner) => inner.into(),
        }
    }
}

impl From<PairingError> for RequestError {
    fn from(error: PairingError) -> Self {
        match &error {
            PairingError::Store(inner) => inner.into(),
            PairingError::UnknownRequest | PairingError::UnknownNode => Self::invalid(error.to_string()),
        }
    }
}

/// Why a node did not do what was asked.
pub(crate) fn invoke(error: &InvokeError, node: &DeviceId, command: &str) -> RequestError {
    let details = |name: &str, more: Value| {
        let mut details = json!({"code": error.code(), "nodeId": node, "command": command});
        if let Some(fields) = details.as_object_mut().filter(|_| !name.is_empty()) {
            fields.insert(name.to_owned(), more);
        }
        details
    };
    let unavailable = |details| RequestError::unavailable(error.to_string()).with_details(details);
    match error {
        InvokeError::Store(inner) => inner.into(),
        InvokeError::NotAllowed(reason) => RequestError::invalid(error.to_string())
            .with_details(details("reason", json!(reason.to_string()))),
        InvokeError::Failed(said) => unavailable(details("nodeError", json!(said))),
        InvokeError::TimedOut | InvokeError::Disconnected(_) => {
            let said = json!({"code": error.code(), "message": error.to_string()});
            unavailable(details("nodeError", said))
        }
        InvokeError::Unknown | InvokeError::NotConnected | InvokeError::Busy => {
            unavailable(details("", Value::Null))
        }
    }
}

impl From<WorkspaceFileError> for RequestError {
    fn from(error: WorkspaceFileError) -> Self {
        match &error {
            WorkspaceFileError::Unreadable { .. } | WorkspaceFileError::Unwritable { .. } => {
                Self::unavailable(chain(&error))
            }
            _ => Self::invalid(error.to_string()),
        }
    }
}

impl From<SessionKeyError> for RequestError {
    fn from(error: SessionKeyError) -> Self {
        Self::invalid(format!("invalid session key: {error}"))
    }
}

impl From<WriteError> for RequestError {
    fn from(error: WriteError) -> Self {
        match &error {
            WriteError::Io { .. } => Self::unavailable(chain(&error)),
            WriteError::Invalid(issues) => {
                let listed: Vec<_> = issues
                    .iter()
                    .map(|issue| json!({"path": issue.path, "message": issue.message}))
                    .collect();
                Self::invalid(error.to_string()).with_details(json!({"issues": listed}))
            }
            _ => Self::invalid(error.to_string()),
        }
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
