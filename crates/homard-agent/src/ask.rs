//! One answer of the model, and what is done when the conversation does not fit it: first its beginning is
//! summarised, up to [`MAX_COMPACTIONS`] times and shorter each time, then long tool results are cut, and only
//! then the person is told.

use std::sync::Arc;

use futures_util::StreamExt;
use homard_llm::{FailReason, LlmError, Request, Sampling, StreamEvent};
use homard_protocol::AssistantMessage;
use homard_runtime::TRACE;
use homard_store::StoreError;
use tokio_util::sync::CancellationToken;
use tracing::Instrument;
use tracing::field::Empty;

use crate::compaction::{CompactionOptions, Compactor, NotShorter, RoomNeeded, Trigger, size};
use crate::history::History;
use crate::hook_points;
use crate::stream::{self, Piece, TagFilter};
use crate::turn::{Agent, Step, Tally, Turn};

/// How often a conversation is summarised for a request the model keeps refusing as too long.
const MAX_COMPACTIONS: u32 = 3;

/// Why there is no answer.
pub(crate) enum Unanswered {
    /// The model could not answer.
    Failed(LlmError),
    /// A summary could not be recorded.
    NotRecorded(StoreError),
}

/// Asks the model of one turn.
pub(crate) struct Asker<'a> {
    compactor: Compactor<'a>,
    /// Tokens every request of the turn has beside the conversation.
    overhead: u64,
}

impl<'a> Asker<'a> {
    pub(crate) fn new(agent: &'a Agent, turn: &'a Turn, cancel: &'a CancellationToken) -> Self {
        let overhead = size::of_overhead(&turn.system, &turn.offered);
        Self { compactor: Compactor { agent, turn, cancel }, overhead }
    }

    pub(crate) fn turn(&self) -> &'a Turn {
        self.compactor.turn
    }

    pub(crate) fn agent(&self) -> &'a Agent {
        self.compactor.agent
    }

    pub(crate) fn cancel(&self) -> &'a CancellationToken {
        self.compactor.cancel
    }

    /// Tokens of the next request.
    pub(crate) fn estimate(&self, history: &History) -> u64 {
        history.estimate(self.overhead)
    }

    /// The model's next answer; makes room for it where that is needed.
    pub(crate) async fn answer(
        &self,
        history: &mut History,
        tally: &mut Tally,
        on_step: &mut (dyn FnMut(Step<'_>) + Send),
    ) -> Result<AssistantMessage, Unanswered> {
        let settings = &self.compactor.turn.compaction;
        self.flush_if_due(history, tally, on_step).await.map_err(Unanswered::Failed)?;
        if settings.ahead && history.estimate(self.overhead) > settings.limit() {
            // When there is nothing to summarise, the model may still manage.
            self.compact(history, tally, self.need(Trigger::Safeguard, 0), on_step).await?;
        }
        let mut effort = Effort::default();
        loop {
            on_step(Step::Asking);
            let wishes = &self.turn().rules.wishes;
            let sampling = wishes.sampling(tally.is_first());
            let error = match self.traced(history, sampling, wishes.max_tokens, on_step).await {
                Ok(answer) => return Ok(answer),
                Err(error) => error,
            };
            // Words the person has seen are not said twice.
            let untold = error.partial.as_ref().is_none_or(|partial| partial.content.is_empty());
            if error.reason != FailReason::ContextOverflow || !untold {
                return Err(Unanswered::Failed(error));
            }
            if !self.make_room(history, tally, &mut effort, on_step).await? {
                return Err(Unanswered::Failed(too_long(&error, &effort)));
            }
        }
    }

    /// Asks, in a span of its own.
    async fn traced(
        &self,
        history: &History,
        sampling: Sampling,
        max_tokens: Option<u32>,
        on_step: &mut (dyn FnMut(Step<'_>) + Send),
    ) -> Result<AssistantMessage, LlmError> {
        let model = &self.compactor.turn.model;
        let span = tracing::info_span!(
            target: TRACE,
            "model.call",
            "gen_ai.provider.name" = %model.provider.id(),
            "gen_ai.request.model" = %model.model.id,
            "gen_ai.usage.input_tokens" = Empty,
            "gen_ai.usage.output_tokens" = Empty,
            error = Empty,
        );
        let answer = self.ask_for(history, sampling, max_tokens, on_step).instrument(span.clone()).await;
        match &answer {
            Ok(message) => {
                span.record("gen_ai.usage.input_tokens", message.usage.input);
                span.record("gen_ai.usage.output_tokens", message.usage.output);
            }
            Err(error) => {
                span.record("error", error.reason.as_str());
            }
        }
        answer
    }

    /// Makes the conversation shorter; answers whether it is.
    async fn make_room(
        &self,
        history: &mut History,
        tally: &mut Tally,
        effort: &mut Effort,
        on_step: &mut (dyn FnMut(Step<'_>) + Send),
    ) -> Result<bool, Unanswered> {
        while effort.tried < MAX_COMPACTIONS {
            let tried = effort.tried;
            effort.tried += 1;
            if self.compact(history, tally, self.need(Trigger::Overflow, tried), on_step).await? {
                effort.compacted += 1;
                return Ok(true);
            }
        }
        if effort.shortened {
            return Ok(false);
        }
        effort.shortened = true;
        Ok(history.shorten_results())
    }

    fn need(&self, trigger: Trigger, tried: u32) -> RoomNeeded<'static> {
        RoomNeeded { trigger, tried, overhead: self.overhead, wish: CompactionOptions::default() }
    }

    async fn compact(
        &self,
        history: &mut History,
        tally: &mut Tally,
        need: RoomNeeded<'_>,
        on_step: &mut (dyn FnMut(Step<'_>) + Send),
    ) -> Result<bool, Unanswered> {
        match self.compactor.run(history, need, on_step).await {
            Ok(compacted) => {
                tally.compacted(&compacted.usage);
                Ok(true)
            }
            Err(NotShorter::NothingToDrop) => Ok(false),
            Err(NotShorter::Stopped) => Err(Unanswered::Failed(LlmError::aborted())),
            Err(NotShorter::Store(error)) => Err(Unanswered::NotRecorded(error)),
        }
    }

    /// Asks beside the conversation, as nobody in particular.
    pub(crate) async fn ask(
        &self,
        history: &History,
        on_step: &mut (dyn FnMut(Step<'_>) + Send),
    ) -> Result<AssistantMessage, LlmError> {
        self.ask_for(history, Sampling::default(), None, on_step).await
    }

    /// Asks, unless a filter says no.
    async fn ask_for(
        &self,
        history: &History,
        sampling: Sampling,
        max_tokens: Option<u32>,
        on_step: &mut (dyn FnMut(Step<'_>) + Send),
    ) -> Result<AssistantMessage, LlmError> {
        hook_points::before_call(self.turn()).await?;
        let answer = self.stream(history, sampling, max_tokens, on_step).await?;
        hook_points::after_call(self.turn(), &answer).await;
        Ok(answer)
    }

    async fn stream(
        &self,
        history: &History,
        sampling: Sampling,
        max_tokens: Option<u32>,
        on_step: &mut (dyn FnMut(Step<'_>) + Send),
    ) -> Result<AssistantMessage, LlmError> {
        let Compactor { turn, cancel, .. } = self.compactor;
        let request = Request {
            model: Arc::clone(&turn.model.model),
            system: Arc::clone(&turn.system),
            messages: history.messages(),
            tools: Arc::clone(&turn.offered),
            max_tokens,
            sampling,
            thinking: turn.thinking,
            credential: None,
            session: Some(Arc::from(turn.session_id.as_str())),
            program_dir: turn.program_dir(),
        };
        let mut stream = turn.model.provider.stream(request, cancel.child_token());
        let mut filter = TagFilter::default();
        while let Some(event) = stream.next().await {
            match event {
                StreamEvent::Text(text) => filter.push(&text, &mut |piece| tell(&piece, on_step)),
                StreamEvent::Thinking(text) => {
                    filter.finish(&mut |piece| tell(&piece, on_step));
                    on_step(Step::Thinking(&text));
                }
                StreamEvent::ToolCallStart { .. } => filter.finish(&mut |piece| tell(&piece, on_step)),
                StreamEvent::Done(answer) => {
                    filter.finish(&mut |piece| tell(&piece, on_step));
                    let mut message = answer.message;
                    stream::recover_calls(&mut message, &turn.offered);
                    stream::clean(&mut message, TagFilter::default());
                    return Ok(message);
                }
                StreamEvent::Failed(mut error) => {
                    filter.finish(&mut |piece| tell(&piece, on_step));
                    if let Some(partial) = &mut error.partial {
                        stream::clean(partial, TagFilter::default());
                    }
                    return Err(error);
                }
                StreamEvent::Attempt(attempt) => on_step(Step::Attempt(&attempt)),
                StreamEvent::Start
                | StreamEvent::ToolCallDelta { .. }
                | StreamEvent::ToolCall(_)
                | StreamEvent::Usage(_) => {}
            }
        }
        Err(LlmError::new(FailReason::Format, "the model's answer ended without an end"))
    }
}

/// Tells a piece of what the model says.
fn tell(piece: &Piece<'_>, on_step: &mut (dyn FnMut(Step<'_>) + Send)) {
    match piece {
        Piece::Text(text) => on_step(Step::Text(text)),
        Piece::Thinking(text) => on_step(Step::Thinking(text)),
        Piece::Wish(wish) => on_step(Step::Wish(wish)),
    }
}

/// What was done for one request that did not fit.
#[derive(Default)]
struct Effort {
    tried: u32,
    compacted: u32,
    shortened: bool,
}

/// What the person is told when nothing helped.
fn too_long(error: &LlmError, effort: &Effort) -> LlmError {
    let done = match effort.compacted {
        0 => "there was nothing to summarise".to_owned(),
        1 => "its beginning was summarised".to_owned(),
        times => format!("its beginning was summarised {times} times"),
    };
    let message = format!(
        "the conversation does not fit the model, although {done} and long tool results were cut: {}",
        error.message
    );
    LlmError { status: error.status, ..LlmError::new(FailReason::ContextOverflow, message) }
}
