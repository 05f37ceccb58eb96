//! Writing notes before the conversation is summarised, so that what should outlast it is in a file.
//!
//! A call of the model of its own, and therefore only where the owner has it on: near the limit, once between two
//! compactions. It sees the conversation as it is, may read and write files and nothing else, and leaves nothing
//! of itself in the conversation. What it costs counts as the run's.

use homard_llm::{FailReason, LlmError};
use homard_protocol::{Message, ToolCall, UserContent, UserMessage};

use crate::ask::Asker;
use crate::history::History;
use crate::loop_guard::LoopGuard;
use crate::tool_calls::Runner;
use crate::turn::{Step, Tally};

/// Calls of the model one flush may take.
const MAX_CALLS: usize = 6;
/// What may be used in it.
const TOOLS: [&str; 5] = ["edit", "memory_get", "memory_search", "read", "write"];
/// What other calls are answered.
const NOT_NOW: &str = "not run: only notes are written now; use read, write or edit, or answer NO_REPLY";
/// What the model is asked where the owner says nothing else.
const PROMPT: &str = include_str!("../prompts/flush.md");

/// When and how notes are written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FlushRules {
    /// How close to the limit it happens, in tokens.
    pub soft_threshold: u64,
    /// What the model is asked; `None` is ours.
    pub prompt: Option<String>,
    /// Put before it. The system prompt itself stays as it is: providers have it cached.
    pub extra: Option<String>,
}

impl FlushRules {
    fn question(&self) -> String {
        let asked = self.prompt.as_deref().unwrap_or(PROMPT).trim();
        match &self.extra {
            Some(extra) => format!("{}\n\n{asked}", extra.trim()),
            None => asked.to_owned(),
        }
    }
}

impl Asker<'_> {
    /// Lets the model write notes if it is time for that. Only being stopped is a failure: without notes the
    /// conversation goes on as well.
    pub(crate) async fn flush_if_due(
        &self,
        history: &History,
        tally: &mut Tally,
        on_step: &mut (dyn FnMut(Step<'_>) + Send),
    ) -> Result<(), LlmError> {
        let turn = self.turn();
        let Some(rules) = turn.rules.flush.as_ref().filter(|_| !tally.spent.flushed) else { return Ok(()) };
        let due_at = turn.compaction.limit().saturating_sub(rules.soft_threshold);
        if !turn.compaction.ahead || self.estimate(history) < due_at {
            return Ok(());
        }
        tally.spent.flushed = true;
        on_step(Step::Flushing);
        let written = self.write_notes(history, rules, tally, on_step).await;
        on_step(Step::Flushed { failed: written.is_err() });
        match written {
            Err(error) if error.reason == FailReason::Aborted => Err(error),
            Err(error) => {
                tracing::warn!(error = error.message, "notes could not be written before compaction");
                Ok(())
            }
            Ok(()) => Ok(()),
        }
    }

    async fn write_notes(
        &self,
        history: &History,
        rules: &FlushRules,
        tally: &mut Tally,
        on_step: &mut (dyn FnMut(Step<'_>) + Send),
    ) -> Result<(), LlmError> {
        let turn = self.turn();
        let mut told = history.clone();
        told.tell(Message::User(UserMessage {
            content: UserContent::Text(rules.question()),
            timestamp: self.agent().clock.now_ms(),
            idempotency_key: None,
        }));
        let mut guard = LoopGuard::new(turn.rules.repeats);
        for _call in 0..MAX_CALLS {
            // Nobody is shown what is said here; only what is done.
            let mut quietly = |step: Step<'_>| {
                if matches!(step, Step::Attempt(_)) {
                    on_step(step);
                }
            };
            let answer = self.ask(&told, &mut quietly).await?;
            tally.beside(&answer.usage);
            let calls: Vec<ToolCall> = answer.tool_calls().cloned().collect();
            told.tell(Message::Assistant(answer));
            if calls.is_empty() {
                return Ok(());
            }
            let mut runner = Runner {
                agent: self.agent(),
                turn,
                cancel: self.cancel(),
                guard: &mut guard,
                only: Some((&TOOLS, NOT_NOW)),
            };
            for result in runner.answers(&calls, on_step).await {
                told.tell(Message::ToolResult(result));
            }
        }
        Ok(())
    }
}
