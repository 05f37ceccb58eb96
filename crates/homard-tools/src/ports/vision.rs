//! What the `image` tool asks of models that see.

use futures_util::future::BoxFuture;
use homard_protocol::UserBlock;
use serde::Serialize;

use super::PortError;
use crate::cx::ToolCx;

/// What a model saw.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Described {
    pub text: String,
    /// Which model, as `provider/model`.
    pub model: String,
}

/// Models that see.
pub trait VisionPort: Send + Sync {
    /// Whether any model here sees; without one the tool is not offered.
    fn sees(&self) -> bool;

    /// Asks about pictures: `model` if it is named, else the owner's model for pictures, else the
    /// conversation's own if it sees, else the first of the owner's that does.
    fn look<'a>(
        &'a self,
        cx: &'a ToolCx,
        prompt: String,
        pictures: Vec<UserBlock>,
        model: Option<String>,
    ) -> BoxFuture<'a, Result<Described, PortError>>;
}
