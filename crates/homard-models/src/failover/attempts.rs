//! The order of things in one call: each model with each credential, then what may pass again after a pause.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use homard_llm::{
    Answer, Attempt, FailReason, LlmError, NextStep, Request, Resolved, StreamEvent, ThinkingLevel,
};
use homard_runtime::{OrCancel, Timestamp, millis};
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use super::attempt::{AttemptCx, Failure};
use super::candidates::{Lineup, lineup};
use super::emit::EventSender;
use super::step::{self, FailureFacts, Step, cools, declines, may_pass};
use super::summary::{FailedCandidate, remember, sum};
use super::{CallerParts, Memory, Winner, thinking};
use crate::auth::Candidate;

/// How often the pause doubles while a model is being loaded.
const LOADING_STEPS: u32 = 3;

/// One call under way.
pub(super) struct AttemptLoop {
    parts: Arc<CallerParts>,
    memory: Memory,
    request: Request,
    out: EventSender,
    cancel: CancellationToken,
    deadline: Instant,
    /// The listener knows that an answer begins.
    started: bool,
    /// A failure whose consequence is not decided yet.
    pending: Option<Attempt>,
    roads: Vec<FailedCandidate>,
    /// What may be tried again.
    again: Vec<Retry>,
    /// Credentials whose failure was counted: the repeats of one call are one failure.
    marked: BTreeSet<String>,
    seen: TriedModels,
    declined: bool,
    asked: bool,
}

/// What was learned about models of the chain, by their place in it.
#[derive(Default)]
struct TriedModels {
    tried: BTreeMap<usize, Vec<ThinkingLevel>>,
    /// Those that are being loaded; each is told once.
    loading: BTreeSet<usize>,
}

/// A road that may be taken again.
#[derive(Debug, Clone)]
struct Retry {
    at: usize,
    candidate: Option<Candidate>,
    due: Instant,
    failures: u32,
    /// What kind of patience it takes.
    patience: RetryPatience,
}

/// What kind of patience a road takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RetryPatience {
    Usual,
    /// All that was wrong is that we asked too often.
    Limited,
    /// A server is loading its model: it is waited for as long as the call may take.
    Loading,
}

/// How one road ended.
enum Turn {
    Answered(Box<Answer>),
    /// The call is over.
    Over(LlmError),
    Failed {
        step: Step,
        error: LlmError,
    },
}

impl AttemptLoop {
    pub(super) fn new(
        parts: Arc<CallerParts>,
        memory: Memory,
        request: Request,
        out: EventSender,
        cancel: CancellationToken,
    ) -> Self {
        let deadline = Instant::now() + parts.policy.call_limit;
        Self {
            parts,
            memory,
            request,
            out,
            cancel,
            deadline,
            started: false,
            pending: None,
            roads: Vec::new(),
            again: Vec::new(),
            marked: BTreeSet::new(),
            seen: TriedModels::default(),
            declined: false,
            asked: false,
        }
    }

    /// Walks to the end and says how it was, once.
    pub(super) async fn run(mut self) {
        // Counted from the first poll: a stream nobody reads yet is not late.
        self.deadline = Instant::now() + self.parts.policy.call_limit;
        let end = match self.once().await {
            Ok(Some(answer)) => StreamEvent::Done(*answer),
            // Boxed, as little else of a call is: nearly all are answered without it.
            Ok(None) => match Box::pin(self.repeat()).await {
                Ok(answer) => StreamEvent::Done(*answer),
                Err(error) => StreamEvent::Failed(error),
            },
            Err(error) => StreamEvent::Failed(error),
        };
        self.decide(NextStep::GiveUp).await;
        self.out.send(end).await;
    }

    /// Every model with every credential, without waiting. `None` when nobody answered.
    async fn once(&mut self) -> Result<Option<Box<Answer>>, LlmError> {
        let order = self.order();
        for (n, &at) in order.iter().enumerate() {
            let ahead = order.get(n + 1..).unwrap_or_default();
            let candidates = match lineup(&self.parts, &self.memory, at).await {
                Lineup::Ready(candidates) => candidates,
                Lineup::Cooling(candidate, until) => {
                    self.skip_cooling(at, candidate, until).await;
                    continue;
                }
                Lineup::Nobody(error) => {
                    self.decide(NextStep::NextModel).await;
                    self.failed(at, None, &error, None);
                    continue;
                }
            };
            if let Some(answer) = self.each(at, candidates, ahead).await? {
                return Ok(Some(answer));
            }
        }
        Ok(None)
    }

    /// One model with each of its credentials.
    async fn each(
        &mut self,
        at: usize,
        candidates: Vec<Option<Candidate>>,
        ahead: &[usize],
    ) -> Result<Option<Box<Answer>>, LlmError> {
        let mut left = candidates.into_iter();
        let mut next = NextStep::NextModel;
        let mut unreachable = false;
        for candidate in left.by_ref() {
            self.decide(next).await;
            next = NextStep::NextProfile;
            let step = match self.road(at, candidate.as_ref(), ahead).await {
                Turn::Answered(answer) => return Ok(Some(answer)),
                Turn::Over(error) => return Err(error),
                Turn::Failed { step, error } => {
                    self.may_repeat(at, candidate, &error, 1);
                    unreachable = error.reason == FailReason::Timeout;
                    step
                }
            };
            if step == Step::NextModel {
                break;
            }
        }
        // Those a provider out of reach made us pass over.
        let due = Instant::now();
        let rest = left.filter(|_| unreachable);
        self.again.extend(rest.map(|candidate| Retry {
            at,
            candidate,
            due,
            failures: 0,
            patience: RetryPatience::Usual,
        }));
        Ok(None)
    }

    /// What may pass, again, each after its pause.
    async fn repeat(&mut self) -> Result<Box<Answer>, LlmError> {
        self.last_resort();
        let (mut repeats, mut limited, mut waited) = (0, 0, Duration::ZERO);
        loop {
            let policy = &self.parts.policy;
            let open = |again: &Retry| match again.patience {
                RetryPatience::Limited => limited < policy.max_rate_limit_retries,
                RetryPatience::Usual => repeats < policy.max_retries,
                RetryPatience::Loading => true,
            };
            let soonest = self.again.iter().enumerate().filter(|(_, again)| open(again));
            let Some((n, _)) = soonest.min_by_key(|(_, again)| (again.due, again.at)) else { break };
            let again = self.again.remove(n);
            let wait = again.due.saturating_duration_since(Instant::now());
            if again.patience != RetryPatience::Loading {
                waited += wait;
            }
            if waited > policy.max_wait || Instant::now() + wait >= self.deadline {
                break;
            }
            if let Some(pending) = &mut self.pending {
                pending.retry_in_ms = Some(millis(wait));
            }
            self.decide(NextStep::Wait).await;
            sleep(wait).or_cancel(&self.cancel).await.map_err(|_cancelled| LlmError::aborted())?;
            match again.patience {
                RetryPatience::Limited => limited += 1,
                RetryPatience::Usual => repeats += 1,
                RetryPatience::Loading => {}
            }
            match self.road(again.at, again.candidate.as_ref(), &[]).await {
                Turn::Answered(answer) => return Ok(answer),
                Turn::Over(error) => return Err(error),
                Turn::Failed { error, .. } => {
                    self.may_repeat(again.at, again.candidate, &error, again.failures + 1);
                }
            }
        }
        Err(sum(&self.roads))
    }

    /// One model with one credential, with less thinking where that is rejected.
    async fn road(&mut self, at: usize, candidate: Option<&Candidate>, ahead: &[usize]) -> Turn {
        let Some(model) = self.parts.chain.get(at).cloned() else {
            return Turn::Over(sum(&self.roads));
        };
        loop {
            if self.cancel.is_cancelled() {
                return Turn::Over(LlmError::aborted());
            }
            if Instant::now() >= self.deadline {
                return Turn::Over(sum(&self.roads));
            }
            self.probing(candidate);
            let level = self.level(at);
            let since = Instant::now();
            let failure = match self.ask(&model, candidate, level).await {
                Ok(answer) => {
                    self.won(at, &model, candidate, level);
                    return Turn::Answered(Box::new(answer));
                }
                Err(failure) => failure,
            };
            let Failure { error, delivered, asked } = failure;
            self.asked |= asked;
            if matches!(error.reason, FailReason::Aborted | FailReason::Budget) {
                return Turn::Over(error);
            }
            self.failed(at, candidate, &error, Some(since.elapsed()));
            let tried = self.seen.tried.entry(at).or_default();
            tried.push(level);
            let lower = thinking::instead(&error, level, tried).filter(|_| !delivered);
            if let Some(lower) = lower {
                self.memory.0.lock().thinking.insert(at, lower);
                self.decide(NextStep::LessThinking).await;
                continue;
            }
            self.mark(candidate, &error);
            let facts = FailureFacts {
                delivered,
                declined: self.declined,
                other_provider: self.others(&model, ahead),
            };
            self.declined |= declines(error.reason);
            return match step::step(&error, facts) {
                Step::Stop => Turn::Over(self.ended(error, delivered)),
                step => Turn::Failed { step, error },
            };
        }
    }

    async fn ask(
        &mut self,
        model: &Resolved,
        candidate: Option<&Candidate>,
        thinking: ThinkingLevel,
    ) -> Result<Answer, Failure> {
        let request = Request { thinking, ..self.request.clone() };
        let mut asking = AttemptCx {
            parts: &self.parts,
            out: &self.out,
            cancel: &self.cancel,
            deadline: &mut self.deadline,
            started: &mut self.started,
        };
        asking.ask(model, candidate, request).await
    }

    /// Which models are asked, in order: whoever answered last in this run, then the chain.
    fn order(&self) -> Vec<usize> {
        let last = self.memory.0.lock().at;
        let rest = (0..self.parts.chain.len()).filter(|at| Some(*at) != last);
        last.into_iter().chain(rest).collect()
    }

    fn level(&self, at: usize) -> ThinkingLevel {
        let learnt = self.memory.0.lock().thinking.get(&at).copied();
        learnt.unwrap_or(self.request.thinking)
    }

    fn others(&self, model: &Resolved, ahead: &[usize]) -> bool {
        let mut ahead = ahead.iter().filter_map(|at| self.parts.chain.get(*at));
        ahead.any(|other| other.model.provider != model.model.provider)
    }

    fn won(&mut self, at: usize, model: &Resolved, candidate: Option<&Candidate>, level: ThinkingLevel) {
        if let Some(candidate) = candidate {
            self.parts.profiles.mark_good(candidate);
        }
        tracing::debug!(model = %model.model.id, thinking = level.as_str(), "a model answered");
        let mut learnt = self.memory.0.lock();
        learnt.at = Some(at);
        learnt.winner = Some(Winner {
            provider: model.model.provider.clone(),
            model: model.model.id.clone(),
            profile: candidate.map(|candidate| candidate.id.clone()),
        });
    }

    /// A credential that cools is asked nevertheless: others must know.
    fn probing(&self, candidate: Option<&Candidate>) {
        let now = self.parts.clock.now_ms();
        if let Some(candidate) = candidate.filter(|c| c.cooling_until.is_some_and(|until| until > now)) {
            self.parts.pacing.probing(&candidate.id, now);
        }
    }

    /// Counts a failure of a credential, once per call.
    fn mark(&mut self, candidate: Option<&Candidate>, error: &LlmError) {
        let Some(candidate) = candidate.filter(|_| cools(error.reason)) else { return };
        if let Some(wait) = error.retry_after {
            self.parts.pacing.rest(&candidate.id, wait, self.parts.clock.now_ms());
        }
        if self.marked.insert(candidate.id.clone()) {
            self.parts.profiles.mark_failed(candidate, error.reason, error.retry_after);
        }
    }

    /// Notes a failure, and how long it took where somebody was asked. What follows from it is told when it is
    /// known.
    fn failed(&mut self, at: usize, candidate: Option<&Candidate>, error: &LlmError, took: Option<Duration>) {
        let Some(model) = self.parts.chain.get(at) else { return };
        let profile = candidate.map(|candidate| candidate.id.clone());
        let with = profile.as_ref().map_or_else(String::new, |profile| format!(" ({profile})"));
        let name = format!("{}/{}{with}", model.model.provider, model.model.id);
        remember(&mut self.roads, name, error, u32::from(took.is_some()));
        if error.reason == FailReason::Loading && !self.seen.loading.insert(at) {
            return;
        }
        self.pending = Some(Attempt {
            provider: model.model.provider.to_string(),
            model: model.model.id.to_string(),
            profile,
            reason: error.reason.into(),
            status: error.status,
            error: error.message.clone(),
            took_ms: took.map_or(0, millis),
            next: NextStep::GiveUp,
            retry_in_ms: None,
        });
    }

    /// What follows from the last failure is known: it is told.
    async fn decide(&mut self, next: NextStep) {
        let Some(mut attempt) = self.pending.take() else { return };
        attempt.next = next;
        tracing::warn!(
            provider = %attempt.provider,
            model = %attempt.model,
            reason = %attempt.reason,
            status = attempt.status,
            next = ?attempt.next,
            "a model call failed"
        );
        self.memory.failed(attempt.clone());
        self.out.send(StreamEvent::Attempt(attempt)).await;
    }

    async fn skip_cooling(&mut self, at: usize, candidate: Candidate, until: Timestamp) {
        self.decide(NextStep::NextModel).await;
        let wait = self.until(until);
        let error = LlmError {
            retry_after: Some(wait),
            ..LlmError::new(
                FailReason::RateLimit,
                format!(
                    "`{}` is left alone for another {} seconds after earlier failures",
                    candidate.provider,
                    wait.as_secs().max(1)
                ),
            )
        };
        self.failed(at, Some(&candidate), &error, None);
        let due = Instant::now() + wait;
        self.again.push(Retry {
            at,
            candidate: Some(candidate),
            due,
            failures: 0,
            patience: RetryPatience::Usual,
        });
    }

    /// When nobody was asked because everybody cools, the first is asked at once: a person waits, and our caution
    /// may be out of date. A provider's own wish to be left alone is kept.
    fn last_resort(&mut self) {
        if self.asked {
            return;
        }
        let now = self.parts.clock.now_ms();
        let cooling = self.again.iter_mut().filter(|again| again.failures == 0);
        let Some(first) = cooling.min_by_key(|again| again.at) else { return };
        let Some(candidate) = &first.candidate else { return };
        let earliest = self.parts.pacing.wish(&candidate.id, now);
        let wait = Duration::from_millis(u64::try_from(earliest.saturating_sub(now)).unwrap_or(0));
        first.due = first.due.min(Instant::now() + wait);
    }

    fn until(&self, moment: Timestamp) -> Duration {
        let ms = moment.saturating_sub(self.parts.clock.now_ms());
        Duration::from_millis(u64::try_from(ms).unwrap_or(0))
    }

    /// Keeps a road for later, where its failure may pass.
    fn may_repeat(&mut self, at: usize, candidate: Option<Candidate>, error: &LlmError, failures: u32) {
        if !may_pass(error) {
            return;
        }
        let patience = match error.reason {
            FailReason::RateLimit => RetryPatience::Limited,
            FailReason::Loading => RetryPatience::Loading,
            _ => RetryPatience::Usual,
        };
        // A model that is being loaded is asked for every other second.
        let counted = if patience == RetryPatience::Loading { failures.min(LOADING_STEPS) } else { failures };
        let pause = self.parts.policy.pause(counted);
        let due = Instant::now() + error.retry_after.map_or(pause, |wanted| wanted.max(pause));
        self.again.push(Retry { at, candidate, due, failures, patience });
    }

    /// The error a call ends with at once. What was tried before is only worth telling if nothing was shown.
    fn ended(&self, error: LlmError, delivered: bool) -> LlmError {
        let told = delivered || self.roads.len() <= 1 || error.reason == FailReason::ContextOverflow;
        if told {
            error
        } else {
            LlmError { partial: error.partial, reason: error.reason, ..sum(&self.roads) }
        }
    }
}
