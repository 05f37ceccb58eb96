//! `sessions_list`: which conversations there are.

use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::cx::ToolCx;
use crate::gate::Effect;
use crate::outcome::ToolOutcome;
use crate::ports::{PortError, Ports, SessionFilter};
use crate::registry::ToolEntry;
use crate::tool::Tool;
use crate::tools::conversations::sessions_history::from_others;

const DEFAULT_ROWS: usize = 50;
const MAX_ROWS: usize = 200;
/// Newest messages shown of each conversation.
const MAX_MESSAGES: usize = 20;

pub(crate) const ENTRY: ToolEntry = ToolEntry { build: |_options| Some(Arc::new(SessionsList)) };

pub(crate) struct SessionsList;

/// List the conversations you can see, newest first.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SessionsListInput {
    /// Of main, group, cron, hook, node, other.
    #[serde(default)]
    kinds: Vec<String>,
    #[serde(default)]
    limit: Option<usize>,
    #[serde(default, alias = "active_minutes")]
    active_minutes: Option<u64>,
    /// Newest messages to include of each, up to 20.
    #[serde(default, alias = "message_limit")]
    message_limit: Option<usize>,
}

impl Tool for SessionsList {
    type Input = SessionsListInput;
    const NAME: &'static str = "sessions_list";
    const EFFECT: Effect = Effect::Looks;
    const PARALLEL: bool = true;

    fn is_open(&self, ports: &Ports) -> bool {
        ports.sessions.is_some()
    }

    async fn run(&self, input: SessionsListInput, cx: &ToolCx) -> ToolOutcome {
        let filter = SessionFilter {
            kinds: input.kinds.iter().map(|kind| kind.trim().to_lowercase()).collect(),
            limit: input.limit.unwrap_or(DEFAULT_ROWS).clamp(1, MAX_ROWS),
            active_within: input
                .active_minutes
                .map(|minutes| Duration::from_secs(minutes.saturating_mul(60))),
            messages: input.message_limit.unwrap_or(0).min(MAX_MESSAGES),
        };
        list(filter, cx).await.into()
    }
}

async fn list(filter: SessionFilter, cx: &ToolCx) -> Result<ToolOutcome, PortError> {
    let page = cx.scope.ports.sessions()?.list(cx, filter).await?;
    let text = serde_json::to_string(&page.sessions).map_err(|error| PortError::Failed(error.to_string()))?;
    Ok(from_others(&text, "other conversations", page.labels))
}
