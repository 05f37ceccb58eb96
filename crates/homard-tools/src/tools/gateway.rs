//! `gateway`: the assistant's own configuration, and starting afresh. Only for the owner.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::cx::ToolCx;
use crate::gate::Subject;
use crate::outcome::ToolOutcome;
use crate::ports::{ConfigWrite, PortError, Ports, told};
use crate::registry::ToolEntry;
use crate::tool::Tool;
use crate::words_of_others::taint::Source;

pub(crate) const ENTRY: ToolEntry = ToolEntry { build: |_options| Some(Arc::new(GatewayTool)) };

pub(crate) struct GatewayTool;

/// Read or change your own configuration, or restart the gateway. Only when the owner asks. Before a change read
/// config.get and the schema of what you change; config.patch merges (null deletes), config.apply replaces the
/// whole file.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct GatewayInput {
    action: Action,
    /// For get and schema: dotted, such as agents.defaults.
    #[serde(default)]
    path: Option<String>,
    /// For patch and apply: JSON5 text.
    #[serde(default)]
    raw: Option<String>,
    /// From config.get.
    #[serde(default, alias = "base_hash")]
    base_hash: Option<String>,
    /// What to tell the user after a restart.
    #[serde(default)]
    note: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
enum Action {
    #[serde(rename = "config.get")]
    Get,
    #[serde(rename = "config.schema")]
    Schema,
    #[serde(rename = "config.patch")]
    Patch,
    #[serde(rename = "config.apply")]
    Apply,
    #[serde(rename = "restart")]
    Restart,
}

impl Tool for GatewayTool {
    type Input = GatewayInput;
    const NAME: &'static str = "gateway";

    fn subject(input: &GatewayInput) -> Subject {
        match input.action {
            Action::Get | Action::Schema => Subject::looking(),
            Action::Patch | Action::Apply | Action::Restart => Subject::default(),
        }
    }

    fn is_open(&self, ports: &Ports) -> bool {
        ports.gateway.is_some()
    }

    async fn run(&self, input: GatewayInput, cx: &ToolCx) -> ToolOutcome {
        act(input, cx).await.into()
    }
}

async fn act(input: GatewayInput, cx: &ToolCx) -> Result<ToolOutcome, PortError> {
    only_owner(cx)?;
    let room = cx.scope.ports.gateway()?;
    let GatewayInput { action, path, raw, base_hash, note } = input;
    let write = |is_whole| {
        let raw =
            raw.ok_or_else(|| PortError::Invalid("raw is needed: the change as JSON5 text".to_owned()))?;
        Ok::<_, PortError>(ConfigWrite { raw, base_hash, is_whole, note: note.clone() })
    };
    Ok(told(match action {
        Action::Get => room.config(path.as_deref()).await,
        Action::Schema => room.schema(path.as_deref()).await,
        Action::Patch => room.write(cx, write(false)?).await,
        Action::Apply => room.write(cx, write(true)?).await,
        Action::Restart => room.restart(cx, note).await,
    }))
}

/// Nobody but the owner may have a say in this turn. Pages the owner asked for are another matter: whether a
/// turn that read one may still act is the gate's to decide.
fn only_owner(cx: &ToolCx) -> Result<(), PortError> {
    let others = cx.scope.taint.labels();
    let other = others.iter().find(|label| matches!(label.source, Source::Message | Source::Hook));
    match other {
        Some(label) => Err(PortError::NotAllowed(format!(
            "only the owner may do this, and this turn holds words of others ({label})"
        ))),
        None => Ok(()),
    }
}
