//! `agents_list`: who can be given work.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::cx::ToolCx;
use crate::gate::Effect;
use crate::outcome::ToolOutcome;
use crate::ports::{Ports, told};
use crate::registry::ToolEntry;
use crate::tool::Tool;

pub(crate) const ENTRY: ToolEntry = ToolEntry { build: |_options| Some(Arc::new(AgentsList)) };

pub(crate) struct AgentsList;

/// List the agents that sessions_spawn may start.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct AgentsListInput {}

impl Tool for AgentsList {
    type Input = AgentsListInput;
    const NAME: &'static str = "agents_list";
    const EFFECT: Effect = Effect::Looks;
    const PARALLEL: bool = true;

    fn is_open(&self, ports: &Ports) -> bool {
        ports.agents.is_some()
    }

    async fn run(&self, _input: AgentsListInput, cx: &ToolCx) -> ToolOutcome {
        told(cx.scope.ports.agents().and_then(|room| room.agents(cx)))
    }
}
