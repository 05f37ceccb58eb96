//! `subagents`: looking after the agents this conversation started.

use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::cx::ToolCx;
use crate::gate::Subject;
use crate::outcome::ToolOutcome;
use crate::ports::{PortError, Ports, told};
use crate::registry::ToolEntry;
use crate::tool::Tool;

const DEFAULT_RECENT_MINUTES: u64 = 30;
const MAX_RECENT_MINUTES: u64 = 1_440;
/// Longest message to a subagent.
const MAX_MESSAGE: usize = 4_000;

pub(crate) const ENTRY: ToolEntry = ToolEntry { build: |_options| Some(Arc::new(Subagents)) };

pub(crate) struct Subagents;

/// List, stop or message the subagents you started. Their results come by themselves; use this when asked or to
/// intervene.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SubagentsInput {
    #[serde(default)]
    action: Action,
    /// Session key, run id or label; `all` for kill.
    #[serde(default)]
    target: Option<String>,
    /// For steer.
    #[serde(default)]
    message: Option<String>,
    #[serde(default, alias = "recent_minutes")]
    recent_minutes: Option<u64>,
}

#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Action {
    #[default]
    List,
    Kill,
    Steer,
}

impl Tool for Subagents {
    type Input = SubagentsInput;
    const NAME: &'static str = "subagents";

    fn subject(input: &SubagentsInput) -> Subject {
        match input.action {
            // Ending one does nothing to anybody else.
            Action::List | Action::Kill => Subject::looking(),
            Action::Steer => Subject::default(),
        }
    }

    fn is_open(&self, ports: &Ports) -> bool {
        ports.sessions.is_some()
    }

    async fn run(&self, input: SubagentsInput, cx: &ToolCx) -> ToolOutcome {
        act(input, cx).await.into()
    }
}

async fn act(input: SubagentsInput, cx: &ToolCx) -> Result<ToolOutcome, PortError> {
    let room = cx.scope.ports.sessions()?;
    let target = input.target.as_deref().map(str::trim).filter(|target| !target.is_empty());
    let target = target
        .ok_or_else(|| PortError::Invalid("target is needed: a session key, run id or label".to_owned()));
    Ok(match input.action {
        Action::List => {
            let minutes = input.recent_minutes.unwrap_or(DEFAULT_RECENT_MINUTES).min(MAX_RECENT_MINUTES);
            told(room.children(cx, Duration::from_secs(minutes * 60)).await)
        }
        Action::Kill => told(room.kill(cx, target?).await),
        Action::Steer => {
            let message = input.message.unwrap_or_default();
            if message.trim().is_empty() || message.chars().count() > MAX_MESSAGE {
                return Err(PortError::Invalid(format!("message must have 1 to {MAX_MESSAGE} characters")));
            }
            told(room.steer(cx, target?, message).await)
        }
    })
}
