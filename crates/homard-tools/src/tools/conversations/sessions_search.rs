//! `sessions_search`: what was said in any conversation, by its words.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::cx::ToolCx;
use crate::gate::Effect;
use crate::outcome::ToolOutcome;
use crate::ports::{PortError, Ports, SessionsQuestion};
use crate::registry::ToolEntry;
use crate::tool::Tool;
use crate::tools::conversations::sessions_history::from_others;

const DEFAULT_RESULTS: usize = 10;
const MAX_RESULTS: usize = 50;
/// Longest question, in characters.
const MAX_QUESTION: usize = 1_000;

pub(crate) const ENTRY: ToolEntry = ToolEntry { build: |_options| Some(Arc::new(SessionsSearch)) };

pub(crate) struct SessionsSearch;

/// Find what was said in earlier conversations, by its words. sessions_history shows what was said around it.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct SessionsSearchInput {
    /// Words that were probably used; some are enough.
    query: String,
    #[serde(default)]
    limit: Option<usize>,
}

impl Tool for SessionsSearch {
    type Input = SessionsSearchInput;
    const NAME: &'static str = "sessions_search";
    const EFFECT: Effect = Effect::Looks;
    const PARALLEL: bool = true;

    fn is_open(&self, ports: &Ports) -> bool {
        ports.sessions.is_some()
    }

    async fn run(&self, input: SessionsSearchInput, cx: &ToolCx) -> ToolOutcome {
        search(input, cx).await.into()
    }
}

async fn search(input: SessionsSearchInput, cx: &ToolCx) -> Result<ToolOutcome, PortError> {
    if !input.query.chars().any(char::is_alphanumeric) || input.query.chars().count() > MAX_QUESTION {
        let wrong = format!("query must hold words, and at most {MAX_QUESTION} characters");
        return Err(PortError::Invalid(wrong));
    }
    let limit = input.limit.unwrap_or(DEFAULT_RESULTS).clamp(1, MAX_RESULTS);
    let question = SessionsQuestion { text: input.query, limit };
    let found = cx.scope.ports.sessions()?.search(cx, question).await?;
    let text = serde_json::to_string(&found).map_err(|error| PortError::Failed(error.to_string()))?;
    Ok(from_others(&text, "other conversations", found.labels))
}
