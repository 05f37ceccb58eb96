//! `sessions_spawn`: handing work to an agent in a conversation of its own.

use std::sync::Arc;
use std::time::Duration;

use homard_runtime::Clip;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::cx::ToolCx;
use crate::outcome::ToolOutcome;
use crate::ports::{ChildTask, PortError, Ports};
use crate::registry::ToolEntry;
use crate::tool::Tool;

/// Longest task.
const MAX_TASK: usize = 50_000;
/// Longest label.
const MAX_LABEL: usize = 64;

pub(crate) const ENTRY: ToolEntry = ToolEntry { build: |_options| Some(Arc::new(SessionsSpawn)) };

pub(crate) struct SessionsSpawn;

/// Hand a task to a subagent that works in the background in a conversation of its own. It knows only the task
/// text. Returns at once; its result comes to you as a message, so do not poll or wait.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SessionsSpawnInput {
    /// Everything it must know.
    task: String,
    #[serde(default)]
    label: Option<String>,
    /// Default: your own.
    #[serde(default, alias = "agent_id")]
    agent_id: Option<String>,
    #[serde(default)]
    model: Option<String>,
    #[serde(default)]
    thinking: Option<String>,
    #[serde(default, alias = "run_timeout_seconds", alias = "timeoutSeconds")]
    run_timeout_seconds: Option<u64>,
    /// Whether its conversation stays; default keep.
    #[serde(default)]
    cleanup: Cleanup,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Cleanup {
    #[default]
    Keep,
    Delete,
}

impl Tool for SessionsSpawn {
    type Input = SessionsSpawnInput;
    const NAME: &'static str = "sessions_spawn";

    fn is_open(&self, ports: &Ports) -> bool {
        ports.sessions.is_some()
    }

    async fn run(&self, input: SessionsSpawnInput, cx: &ToolCx) -> ToolOutcome {
        spawn(input, cx).await.into()
    }
}

async fn spawn(input: SessionsSpawnInput, cx: &ToolCx) -> Result<ToolOutcome, PortError> {
    if input.task.trim().is_empty() || input.task.chars().count() > MAX_TASK {
        return Err(PortError::Invalid(format!("task must have 1 to {MAX_TASK} characters")));
    }
    let said = |text: Option<String>| text.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
    let task = ChildTask {
        task: input.task,
        label: said(input.label).map(|label| label.clip_chars(MAX_LABEL).to_owned()),
        agent: said(input.agent_id),
        model: said(input.model),
        thinking: said(input.thinking),
        timeout: input.run_timeout_seconds.filter(|&seconds| seconds > 0).map(Duration::from_secs),
        delete_after: input.cleanup == Cleanup::Delete,
    };
    let spawned = cx.scope.ports.sessions()?.spawn(cx, task).await?;
    let text = serde_json::to_string(&spawned).map_err(|error| PortError::Failed(error.to_string()))?;
    let details = json!({"runId": spawned.run_id, "childSessionKey": spawned.child_session_key});
    Ok(ToolOutcome::text(text).with_details(details))
}
