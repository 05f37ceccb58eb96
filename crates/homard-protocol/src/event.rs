//! What an event is: a name, who may hear it, and whether it may be dropped.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;

use crate::scope::Scope;

/// Who may hear an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Guard {
    /// Every authenticated socket, nodes included.
    Everyone,
    /// Operators with this scope.
    Operator(Scope),
    /// Operators with this scope, or with its narrow form that covers sessions only.
    Sessions(Scope),
    /// Operators with this scope, and every node.
    OperatorOrNode(Scope),
    Node,
}

/// One kind of event, implemented by its payload.
pub trait Event: Serialize + JsonSchema {
    /// The wire name.
    const NAME: &'static str;
    /// Who may hear it.
    const GUARD: Guard;

    /// Whether a client that is too slow misses it instead of being disconnected.
    fn droppable(&self) -> bool {
        false
    }

    /// The session whose story it tells; clients may ask for those of some sessions only.
    fn session(&self) -> Option<&Arc<str>> {
        None
    }
}
