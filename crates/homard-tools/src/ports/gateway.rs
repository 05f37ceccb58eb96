//! What the `gateway` tool asks of the gateway.

use futures_util::future::BoxFuture;
use serde_json::Value;

use super::PortError;
use crate::cx::ToolCx;

/// A change of the configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigWrite {
    /// JSON5: what changes, or the whole file.
    pub raw: String,
    /// The hash `config.get` gave, so that nobody else's change is lost.
    pub base_hash: Option<String>,
    /// Whether `raw` is the whole file.
    pub is_whole: bool,
    /// What to tell the conversation after a restart.
    pub note: Option<String>,
}

/// The gateway itself: its configuration, the same way clients change it, and its life.
pub trait GatewayPort: Send + Sync {
    /// The configuration with secrets hidden, from `path` down, and the hash a change is based on.
    fn config<'a>(&'a self, path: Option<&'a str>) -> BoxFuture<'a, Result<Value, PortError>>;

    /// The schema, from `path` down.
    fn schema<'a>(&'a self, path: Option<&'a str>) -> BoxFuture<'a, Result<Value, PortError>>;

    /// Changes the configuration.
    fn write<'a>(&'a self, cx: &'a ToolCx, write: ConfigWrite) -> BoxFuture<'a, Result<Value, PortError>>;

    /// Starts the gateway afresh once this turn is over; the conversation is told `note` afterwards.
    fn restart<'a>(&'a self, cx: &'a ToolCx, note: Option<String>)
    -> BoxFuture<'a, Result<Value, PortError>>;
}
