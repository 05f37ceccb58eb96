//! `sessions_history`: what was said in another conversation.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::cx::ToolCx;
use crate::gate::Effect;
use crate::outcome::ToolOutcome;
use crate::ports::{HistoryWanted, PortError, Ports};
use crate::registry::ToolEntry;
use crate::tool::Tool;
use crate::words_of_others::taint::Label;
use crate::words_of_others::untrusted;

const DEFAULT_MESSAGES: usize = 30;
const MAX_MESSAGES: usize = 200;

pub(crate) const ENTRY: ToolEntry = ToolEntry { build: |_options| Some(Arc::new(SessionsHistory)) };

pub(crate) struct SessionsHistory;

/// Read the newest messages of another conversation, oldest first.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SessionsHistoryInput {
    #[serde(alias = "session_key")]
    session_key: String,
    #[serde(default)]
    limit: Option<usize>,
    /// Also tool results.
    #[serde(default, alias = "include_tools")]
    include_tools: bool,
}

impl Tool for SessionsHistory {
    type Input = SessionsHistoryInput;
    const NAME: &'static str = "sessions_history";
    const EFFECT: Effect = Effect::Looks;
    const PARALLEL: bool = true;

    fn is_open(&self, ports: &Ports) -> bool {
        ports.sessions.is_some()
    }

    async fn run(&self, input: SessionsHistoryInput, cx: &ToolCx) -> ToolOutcome {
        read(input, cx).await.into()
    }
}

async fn read(input: SessionsHistoryInput, cx: &ToolCx) -> Result<ToolOutcome, PortError> {
    let limit = input.limit.unwrap_or(DEFAULT_MESSAGES).clamp(1, MAX_MESSAGES);
    let wanted = HistoryWanted { key: input.session_key, limit, tools: input.include_tools };
    let page = cx.scope.ports.sessions()?.history(cx, wanted).await?;
    let text = serde_json::to_string(&page).map_err(|error| PortError::Failed(error.to_string()))?;
    let details = json!({"sessionKey": page.session_key});
    Ok(from_others(&text, &page.session_key.to_string(), page.labels).with_details(details))
}

/// Words of a conversation with words of others in it are theirs.
pub(crate) fn from_others(text: &str, key: &str, labels: Vec<Label>) -> ToolOutcome {
    if labels.is_empty() {
        return ToolOutcome::text(text);
    }
    labels.into_iter().fold(ToolOutcome::text(untrusted::wrap(key, text)), ToolOutcome::from_others)
}
