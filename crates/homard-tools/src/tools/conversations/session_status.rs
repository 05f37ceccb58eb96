//! `session_status`: the time, and how a conversation stands.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::cx::ToolCx;
use crate::gate::Subject;
use crate::outcome::ToolOutcome;
use crate::ports::Ports;
use crate::registry::ToolEntry;
use crate::tool::Tool;

pub(crate) const ENTRY: ToolEntry = ToolEntry { build: |_options| Some(Arc::new(SessionStatus)) };

pub(crate) struct SessionStatus;

/// The current time and how a conversation stands: model, context, tokens, cost.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SessionStatusInput {
    /// Default: this one.
    #[serde(default, alias = "session_key")]
    session_key: Option<String>,
    /// Use this model from the next turn on; `default` takes that back.
    #[serde(default)]
    model: Option<String>,
}

impl Tool for SessionStatus {
    type Input = SessionStatusInput;
    const NAME: &'static str = "session_status";

    fn subject(input: &SessionStatusInput) -> Subject {
        if input.model.is_none() { Subject::looking() } else { Subject::default() }
    }

    fn is_open(&self, ports: &Ports) -> bool {
        ports.sessions.is_some()
    }

    async fn run(&self, input: SessionStatusInput, cx: &ToolCx) -> ToolOutcome {
        let said = |text: &Option<String>| {
            text.as_deref().map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned)
        };
        let (key, model) = (said(&input.session_key), said(&input.model));
        let status = match cx.scope.ports.sessions() {
            Ok(room) => room.status(cx, key.as_deref(), model.as_deref()).await,
            Err(error) => Err(error),
        };
        status.map(ToolOutcome::text).into()
    }
}
