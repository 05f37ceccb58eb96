//! `agents_list`: who can be given work.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::cx::ToolCx;
use crate::doors::{AgentsDoor, Door, told};
use crate::gate::Reach;
use crate::outcome::ToolOutcome;
use crate::registry::ToolEntry;
use crate::tool::Tool;

pub(crate) const ENTRY: ToolEntry =
    ToolEntry { build: |options| Some(Arc::new(AgentsList { door: options.doors.agents.clone() })) };

pub(crate) struct AgentsList {
    door: Door<dyn AgentsDoor>,
}

/// List the agents that sessions_spawn may start.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct AgentsListInput {}

impl Tool for AgentsList {
    type Input = AgentsListInput;
    const NAME: &'static str = "agents_list";
    const REACH: Reach = Reach::Looks;
    const PARALLEL: bool = true;

    fn is_open(&self) -> bool {
        self.door.is_open()
    }

    async fn run(&self, _input: AgentsListInput, cx: &ToolCx) -> ToolOutcome {
        told(self.door.room().and_then(|room| room.agents(cx)))
    }
}
