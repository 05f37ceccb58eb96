//! `sessions_send`: writing to another conversation and hearing what it answers.

use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::cx::ToolCx;
use crate::outcome::ToolOutcome;
use crate::ports::{PortError, Ports, SessionMessage, SessionMessageStatus, SessionTarget};
use crate::registry::ToolEntry;
use crate::tool::Tool;
use crate::tools::conversations::sessions_history::from_others;

const DEFAULT_WAIT: u64 = 30;
/// Longest wait anybody may ask for: a turn must not hang on another for ever.
const MAX_WAIT: u64 = 600;
/// Longest message.
const MAX_CHARS: usize = 50_000;

pub(crate) const ENTRY: ToolEntry = ToolEntry { build: |_options| Some(Arc::new(SessionsSend)) };

pub(crate) struct SessionsSend;

/// Send a message to another conversation and wait for its agent's reply. Name it by sessionKey or label.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SessionsSendInput {
    #[serde(default, alias = "session_key")]
    session_key: Option<String>,
    #[serde(default)]
    label: Option<String>,
    /// Whose label.
    #[serde(default, alias = "agent_id")]
    agent_id: Option<String>,
    message: String,
    /// Default 30; 0 does not wait.
    #[serde(default, alias = "timeout_seconds")]
    timeout_seconds: Option<u64>,
}

impl Tool for SessionsSend {
    type Input = SessionsSendInput;
    const NAME: &'static str = "sessions_send";

    fn is_open(&self, ports: &Ports) -> bool {
        ports.sessions.is_some()
    }

    async fn run(&self, input: SessionsSendInput, cx: &ToolCx) -> ToolOutcome {
        send(input, cx).await.into()
    }
}

async fn send(input: SessionsSendInput, cx: &ToolCx) -> Result<ToolOutcome, PortError> {
    if input.message.trim().is_empty() || input.message.chars().count() > MAX_CHARS {
        return Err(PortError::Invalid(format!("message must have 1 to {MAX_CHARS} characters")));
    }
    let letter = SessionMessage {
        to: SessionTarget { key: input.session_key, label: input.label, agent: input.agent_id },
        message: input.message,
        wait: Duration::from_secs(input.timeout_seconds.unwrap_or(DEFAULT_WAIT).min(MAX_WAIT)),
    };
    let answer = cx.scope.ports.sessions()?.send(cx, letter).await?;
    let text = serde_json::to_string(&answer).map_err(|error| PortError::Failed(error.to_string()))?;
    let details = json!({
        "sessionKey": answer.session_key, "runId": answer.run_id, "status": answer.status,
    });
    let labels = answer.labels.clone();
    let outcome = from_others(&text, &answer.session_key.to_string(), labels).with_details(details);
    Ok(ToolOutcome { is_error: answer.status == SessionMessageStatus::Error, ..outcome })
}
