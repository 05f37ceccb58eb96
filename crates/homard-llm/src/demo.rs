//! The offline demo: a scripted model that shows the whole house to a person without a key.
//!
//! It is an ordinary [`Provider`]: it streams, calls tools and is cancelled like any other, and everything
//! around it is the real thing. It never pretends to be clever; what it understands is the table in `intent`,
//! what it says is in `talk`, and what it does next is decided in `script` from the conversation alone.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::{self, BoxStream};
use homard_protocol::{ModelId, ProviderId, StopReason, Usage};
use homard_runtime::{Clip, Clock, OrCancel};
use tokio_util::sync::CancellationToken;

use crate::call::answer::Draft;
use crate::call::request::Request;
use crate::error::LlmError;
use crate::provider::{Answer, Provider, StreamEvent};
use crate::spec::ModelSpec;

mod intent;
mod script;
mod talk;

/// The demo's provider id.
pub const DEMO_PROVIDER: &str = "demo";
/// The demo's model id.
pub const DEMO_MODEL: &str = "demo";
/// The demo's place in the `api` field of transcripts.
pub(crate) const API: &str = "demo";

/// The pause between two words: quick reading speed.
const WORD_PAUSE: Duration = Duration::from_millis(12);
/// Longest time a whole answer may take to be spoken.
const LONGEST_SPEECH: Duration = Duration::from_millis(2_500);
/// Rough size of a token, for usage that looks like a real model's.
const BYTES_PER_TOKEN: usize = 4;

/// The demo's provider id, checked.
#[expect(clippy::expect_used, reason = "the constant is a valid id; a test says so")]
pub(crate) fn provider_id() -> ProviderId {
    ProviderId::parse(DEMO_PROVIDER).expect("a valid id")
}

/// The demo's model id, checked.
#[expect(clippy::expect_used, reason = "the constant is a valid id; a test says so")]
pub(crate) fn model_id() -> ModelId {
    ModelId::parse(DEMO_MODEL).expect("a valid id")
}

/// The offline scripted model.
#[derive(Debug)]
pub struct Demo {
    id: ProviderId,
    clock: Clock,
}

impl Demo {
    /// A demo that dates its notes by `clock`.
    #[must_use]
    pub fn new(clock: Clock) -> Self {
        Self { id: provider_id(), clock }
    }

    /// The one model it offers.
    #[must_use]
    pub fn model(&self) -> Arc<ModelSpec> {
        let mut model = ModelSpec::new(self.id.clone(), model_id(), API);
        model.name = "Demo (offline)".to_owned();
        Arc::new(model)
    }
}

impl Provider for Demo {
    fn id(&self) -> &ProviderId {
        &self.id
    }

    fn stream(&self, request: Request, cancel: CancellationToken) -> BoxStream<'static, StreamEvent> {
        let now = self.clock.now_ms();
        let speech = Speech {
            draft: Draft::new(Arc::clone(&request.model), now),
            stage: Stage::Fresh(Box::new(request)),
            out: VecDeque::new(),
            today: today(&self.clock),
            cancel,
        };
        stream::unfold(speech, Speech::next).boxed()
    }
}

fn today(clock: &Clock) -> String {
    clock.now_rfc3339().clip_chars("2026-01-01".len()).to_owned()
}

/// One answer being spoken.
struct Speech {
    draft: Draft,
    stage: Stage,
    out: VecDeque<StreamEvent>,
    today: String,
    cancel: CancellationToken,
}

/// What is still to be said and done.
struct Rest {
    words: VecDeque<String>,
    pause: Duration,
    then: Option<script::ScriptCall>,
    usage: Usage,
}

enum Stage {
    Fresh(Box<Request>),
    Speaking(Box<Rest>),
    Over,
}

impl Speech {
    async fn next(mut self) -> Option<(StreamEvent, Self)> {
        loop {
            if let Some(event) = self.out.pop_front() {
                return Some((event, self));
            }
            match std::mem::replace(&mut self.stage, Stage::Over) {
                Stage::Over => return None,
                _ if self.cancel.is_cancelled() => self.fail(LlmError::aborted()),
                Stage::Fresh(request) => self.begin(&request),
                Stage::Speaking(mut rest) => match rest.words.pop_front() {
                    Some(word) => {
                        let spoken = tokio::time::sleep(rest.pause).or_cancel(&self.cancel).await;
                        let said =
                            spoken.map_err(|_cancelled| LlmError::aborted()).and_then(|()| self.say(word));
                        match said {
                            Ok(()) => self.stage = Stage::Speaking(rest),
                            Err(error) => self.fail(error),
                        }
                    }
                    None => self.finish(*rest),
                },
            }
        }
    }

    fn begin(&mut self, request: &Request) {
        let step = script::next(request, &self.today);
        let words: VecDeque<String> = step.text.split_inclusive([' ', '\n']).map(str::to_owned).collect();
        let count = u32::try_from(words.len()).unwrap_or(u32::MAX).max(1);
        let usage = Usage {
            input: tokens(
                request.system.len() + request.messages.iter().map(|m| m.text().len()).sum::<usize>(),
            ),
            output: tokens(step.text.len()).max(1),
            ..Usage::default()
        };
        self.out.push_back(StreamEvent::Start);
        let pause = WORD_PAUSE.min(LONGEST_SPEECH / count);
        self.stage = Stage::Speaking(Box::new(Rest { words, pause, then: step.call, usage }));
    }

    fn say(&mut self, word: String) -> Result<(), LlmError> {
        let at = self.draft.text_block()?;
        self.draft.append(at, word, &mut self.out)
    }

    fn finish(&mut self, rest: Rest) {
        let Rest { then: call, usage, .. } = rest;
        let stop = if call.is_some() { StopReason::ToolUse } else { StopReason::Stop };
        if let Some(call) = call {
            let opened = self.draft.open_call("", call.name, &mut self.out);
            let written =
                opened.and_then(|at| self.draft.append(at, call.arguments.to_string(), &mut self.out));
            if let Err(error) = written {
                return self.fail(error);
            }
            self.draft.close_calls(&mut self.out);
        }
        self.draft.count(usage, &mut self.out);
        let message = self.draft.take(stop, None);
        self.out.push_back(StreamEvent::Done(Answer { message }));
    }

    fn fail(&mut self, mut error: LlmError) {
        if !self.draft.is_empty() {
            let message = self.draft.take(StopReason::Aborted, Some(error.message.clone()));
            error.partial = Some(Box::new(message));
        }
        self.stage = Stage::Over;
        self.out.push_back(StreamEvent::Failed(error));
    }
}

fn tokens(bytes: usize) -> u64 {
    u64::try_from(bytes / BYTES_PER_TOKEN).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests;
