//! The models of this machine without a gateway: the same room the gateway has, for one command.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use homard_config::config::agents::Agent;
use homard_config::{Config, ConfigHandle};
use homard_llm::Http;
use homard_models::cli_backend::SessionIdsInMemory;
use homard_models::router::ModelRouter;
use homard_protocol::AgentId;
use homard_runtime::Tasks;

use crate::commands::Cx;
use crate::compose::models::{ModelRoom, RoomParts};
use crate::report::Advice;

/// How long work in the background may take when the command is done.
const GRACE: Duration = Duration::from_secs(30);

/// A room for one command.
pub(crate) struct Local {
    pub(crate) config: Arc<Config>,
    pub(crate) room: ModelRoom,
    pub(crate) router: ModelRouter,
    agent: AgentId,
    tasks: Tasks,
}

impl Local {
    /// Opens it for an agent, the default one when none is named.
    ///
    /// # Errors
    /// When the configuration cannot be used or has no such agent.
    pub(crate) async fn open(cx: &Cx, agent: Option<&str>) -> anyhow::Result<Self> {
        let handle = ConfigHandle::open(cx.source.clone())?;
        let config = handle.current();
        let agent = match agent {
            None => config.agents.default_agent().id.clone(),
            Some(text) => {
                let id = AgentId::parse(text)?;
                let known = config.agents.agent(&id).map(|agent| agent.id.clone());
                known.ok_or_else(|| {
                    let all: Vec<&str> = config.agents.list.iter().map(|agent| agent.id.as_str()).collect();
                    Advice::error(
                        format!("there is no agent `{text}`"),
                        format!("there are: {}", all.join(", ")),
                    )
                })?
            }
        };
        let tasks = Tasks::new();
        let room = ModelRoom::open(RoomParts {
            config: &handle,
            paths: &cx.source.paths,
            http: Http::default(),
            clock: cx.source.clock.clone(),
            tasks: tasks.clone(),
            secrets: homard_runtime::Redactor::default(),
            sessions: Arc::new(SessionIdsInMemory::default()),
            asks: false,
        });
        let router = room.router(&config).await;
        Ok(Self { config, room, router, agent, tasks })
    }

    /// Whose models they are.
    ///
    /// # Errors
    /// Never, once opened: the agent was found then.
    pub(crate) fn agent(&self) -> anyhow::Result<&Agent> {
        self.config.agents.agent(&self.agent).context("the agent is gone")
    }

    /// Writes what is left to write.
    pub(crate) async fn close(self) {
        self.room.flush().await;
        self.tasks.token().cancel();
        self.tasks.finish(GRACE).await;
    }
}
