//! The loop itself.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use homard_llm::{Attempt, FailReason, LlmError, Resolved, ThinkingLevel, ToolSpec};
use homard_protocol::{
    AssistantMessage, EntryKind, Message, RunId, SessionId, SessionKey, ToolCall, ToolResultMessage, Usage,
};
use homard_runtime::Clock;
use homard_store::{Store, StoreError};
use homard_tools::{Scope, ToolPolicy, Toolbox};
use tokio_util::sync::CancellationToken;

use crate::ask::{Asker, Unanswered};
use crate::compaction::{CompactionSettings, Trigger};
use crate::history::History;
use crate::loop_guard::LoopGuard;
use crate::rules::Rules;
use crate::steer::{Steering, Taken};
use crate::stream::Directive;
use crate::tool_calls;

/// Model calls in one run before it is taken for a loop that will not end.
const MAX_MODEL_CALLS: usize = 200;

/// What runs turns: the loop with what it needs of the house.
#[derive(Debug, Clone)]
pub struct Agent {
    /// Where steps are recorded.
    pub store: Store,
    /// Where the time comes from.
    pub clock: Clock,
}

/// One turn: everything that is fixed before the model is first asked.
pub struct Turn {
    pub run_id: RunId,
    pub session_key: SessionKey,
    pub session_id: SessionId,
    pub workspace: PathBuf,
    pub model: Resolved,
    /// What it is told first.
    pub system: Arc<str>,
    /// How hard it thinks.
    pub thinking: ThinkingLevel,
    /// What it is told it may use.
    pub offered: Arc<[ToolSpec]>,
    /// What it may use.
    pub tools: Arc<Toolbox>,
    /// And whether it may.
    pub policy: Arc<ToolPolicy>,
    /// How the conversation is kept within the model's context.
    pub compaction: CompactionSettings,
    /// What its tool calls share.
    pub scope: Arc<Scope>,
    /// What else it keeps to.
    pub rules: Rules,
    /// Where messages that come while it is under way come from.
    pub steer: Steering,
}

impl Turn {
    /// Where a program on this machine may be asked.
    pub(crate) fn program_dir(&self) -> Option<Arc<Path>> {
        self.scope.may_ask_programs().then(|| Arc::from(self.workspace.as_path()))
    }
}

/// Something that happened, told as it happens.
#[derive(Debug)]
pub enum Step<'a> {
    /// The model is being asked.
    Asking,
    /// An attempt at asking it failed, and another is made or not, as the attempt says.
    Attempt(&'a Attempt),
    Text(&'a str),
    Thinking(&'a str),
    /// How the answer is to be delivered.
    Wish(&'a Directive),
    ToolStart(&'a ToolCall),
    /// A tool says how far it is.
    ToolProgress {
        call: &'a ToolCall,
        /// What it printed since the last time.
        text: &'a str,
    },
    /// A tool is done.
    ToolEnd {
        call: &'a ToolCall,
        result: &'a ToolResultMessage,
    },
    /// An answer of the model is complete, its tools not yet run.
    Answered(&'a AssistantMessage),
    /// A message came while the turn is under way; the model hears it with its next call.
    Steered(&'a Taken),
    /// The model is asked to write notes, before the conversation is shortened.
    Flushing,
    Flushed {
        failed: bool,
    },
    /// The conversation is too long; its beginning is being summarised.
    Compacting {
        trigger: Trigger,
        /// The size of the request that is too long, in tokens, as far as is known.
        tokens_before: u64,
    },
    /// The conversation is shorter now. Does not come when summarising was stopped.
    Compacted {
        trigger: Trigger,
        tokens_before: u64,
        /// Its size now, guessed.
        tokens_after: u64,
        /// Whether there is a plain list in place of a summary, because the model could not give one.
        listed: bool,
    },
}

/// How a turn ended and what is left to record.
#[derive(Debug)]
pub struct TurnEnd {
    pub how: TurnEndKind,
    /// The last answer, whole or partial; everything before it is recorded already.
    pub answer: Option<AssistantMessage>,
    pub spent: TurnUsage,
    /// Calls that are the caller's to run: the turn ended because of them.
    pub handed: Vec<ToolCall>,
}

/// What a turn cost.
#[derive(Debug, Clone, Default)]
pub struct TurnUsage {
    /// Tokens of all calls.
    pub usage: Usage,
    /// Tokens of the last call: the size of the context.
    pub last_call: Usage,
    /// How often the conversation was summarised on the way.
    pub compactions: u32,
    /// Whether notes were written on the way.
    pub flushed: bool,
}

/// How a turn ended.
#[derive(Debug)]
pub enum TurnEndKind {
    /// The model was done.
    Done,
    Stopped,
    /// The model could not answer.
    Failed(LlmError),
    /// The model went in circles; these words say how.
    Looped(String),
    /// A step could not be recorded; going on would lose it.
    NotRecorded(StoreError),
}

/// Adds up what the calls of a turn cost.
#[derive(Default)]
pub(crate) struct Tally {
    pub(crate) spent: TurnUsage,
    answers: u32,
}

impl Tally {
    fn add(&mut self, call: &Usage) {
        self.beside(call);
        self.spent.last_call = *call;
        self.answers += 1;
    }

    /// Whether the model has not answered yet in this turn.
    pub(crate) fn is_first(&self) -> bool {
        self.answers == 0
    }

    /// Counts a compaction and what its calls cost; they say nothing about the size of the context.
    pub(crate) fn compacted(&mut self, cost: &Usage) {
        self.beside(cost);
        self.spent.compactions += 1;
    }

    /// Counts what a call beside the conversation cost.
    pub(crate) fn beside(&mut self, cost: &Usage) {
        self.spent.usage.add(cost);
    }

    fn end(self, how: TurnEndKind, answer: Option<AssistantMessage>) -> TurnEnd {
        TurnEnd { how, answer, spent: self.spent, handed: Vec::new() }
    }

    /// The caller goes on: these calls are its to run.
    fn hand_over(self, handed: Vec<ToolCall>, answer: Option<AssistantMessage>) -> TurnEnd {
        TurnEnd { handed, ..self.end(TurnEndKind::Done, answer) }
    }
}

impl Agent {
    /// Asks the model and runs its tools until it is done, stopped, or cannot go on. `history` already ends
    /// with what the person said.
    pub async fn run(
        &self,
        turn: &Turn,
        history: &mut History,
        on_step: &mut (dyn FnMut(Step<'_>) + Send),
        cancel: &CancellationToken,
    ) -> TurnEnd {
        let mut tally = Tally::default();
        let asker = Asker::new(self, turn, cancel);
        let mut guard = LoopGuard::new(turn.rules.repeats);
        if let Some(rules) = &turn.rules.prune {
            history.prune(rules, turn.compaction.window);
        }
        for _call in 0..MAX_MODEL_CALLS {
            if let Err(error) = self.take_steered(turn, history, on_step).await {
                return tally.end(TurnEndKind::NotRecorded(error), None);
            }
            let answer = match asker.answer(history, &mut tally, on_step).await {
                Ok(answer) => answer,
                Err(Unanswered::Failed(error)) => return failed(error, tally),
                Err(Unanswered::NotRecorded(error)) => {
                    return tally.end(TurnEndKind::NotRecorded(error), None);
                }
            };
            tally.add(&answer.usage);
            on_step(Step::Answered(&answer));
            let calls = answer.tool_calls().cloned();
            let (theirs, calls): (Vec<ToolCall>, Vec<ToolCall>) =
                calls.partition(|call| turn.rules.wishes.is_theirs(call));
            if calls.is_empty() {
                return tally.hand_over(theirs, Some(answer));
            }
            if let Err(error) = self.record(turn, history, vec![Message::Assistant(answer)]).await {
                return tally.end(TurnEndKind::NotRecorded(error), None);
            }
            let mut results = tool_calls::Runner { agent: self, turn, cancel, guard: &mut guard, only: None };
            if let Err(error) = results.run(&calls, history, on_step).await {
                return tally.end(TurnEndKind::NotRecorded(error), None);
            }
            if cancel.is_cancelled() {
                return tally.end(TurnEndKind::Stopped, None);
            }
            if let Some(words) = guard.ended() {
                return tally.end(TurnEndKind::Looped(words.to_owned()), None);
            }
            if !theirs.is_empty() {
                return tally.hand_over(theirs, None);
            }
        }
        let words = format!(
            "The model kept asking for tools without coming to an end ({MAX_MODEL_CALLS} calls), so the run was stopped."
        );
        tally.end(TurnEndKind::Looped(words), None)
    }

    /// Writes bookkeeping to the transcript.
    pub(crate) async fn note(
        &self,
        turn: &Turn,
        history: &mut History,
        kind: EntryKind,
    ) -> Result<(), StoreError> {
        let appended = self.store.transcripts().append(&turn.session_id, vec![kind.clone()]).await?;
        for place in appended {
            history.record_note(&kind, place.seq);
        }
        Ok(())
    }

    /// Writes messages to the transcript and adds them to the history.
    pub(crate) async fn record(
        &self,
        turn: &Turn,
        history: &mut History,
        messages: Vec<Message>,
    ) -> Result<(), StoreError> {
        let entries =
            messages.iter().map(|message| EntryKind::Message { message: message.clone() }).collect();
        let appended = self.store.transcripts().append(&turn.session_id, entries).await?;
        for (message, place) in messages.into_iter().zip(appended) {
            history.record(message, place.seq);
        }
        Ok(())
    }
}

fn failed(mut error: LlmError, mut tally: Tally) -> TurnEnd {
    let partial = error.partial.take().map(|partial| *partial);
    if let Some(partial) = &partial {
        tally.add(&partial.usage);
    }
    let how =
        if error.reason == FailReason::Aborted { TurnEndKind::Stopped } else { TurnEndKind::Failed(error) };
    tally.end(how, partial)
}
