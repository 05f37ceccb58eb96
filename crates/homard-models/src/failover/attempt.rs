//! One question: proof, reservation, answer, bill.

use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use homard_llm::{Answer, CLI_API, FailReason, LlmError, Request, Resolved, StreamEvent};
use homard_protocol::{CallOutcome, StopReason, Usage};
use homard_runtime::{OrCancel, millis};
use homard_store::CallId;
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

use super::CallerParts;
use super::emit::EventSender;
use super::meter::{CallRecord, Meter, OpenedCall, target};
use crate::auth::Candidate;
use crate::budget::{Ledger, MaxCost, Reservation, Spender, estimate};

/// Part of a guessed prompt that is kept free besides.
const MARGIN_SHARE: u32 = 8;
/// The shortest answer asked for: less is no answer, and a conversation that leaves less is made shorter.
const LEAST_ANSWER: u32 = 256;

/// Where one attempt stands among others.
pub(super) struct AttemptCx<'a> {
    pub(super) parts: &'a CallerParts,
    pub(super) out: &'a EventSender,
    pub(super) cancel: &'a CancellationToken,
    /// When the whole call must be over.
    pub(super) deadline: &'a mut Instant,
    /// Whether the listener was told that an answer begins.
    pub(super) started: &'a mut bool,
}

/// How an attempt failed.
#[derive(Debug)]
pub(super) struct Failure {
    pub(super) error: LlmError,
    /// The person has seen part of the answer, or a tool was called.
    pub(super) delivered: bool,
    /// Whether the provider was asked at all.
    pub(super) asked: bool,
}

impl Failure {
    fn unasked(error: LlmError) -> Self {
        Self { error, delivered: false, asked: false }
    }
}

impl AttemptCx<'_> {
    /// Asks `model` with `candidate`; everything that comes is passed on, except the end of it.
    pub(super) async fn ask(
        &mut self,
        model: &Resolved,
        candidate: Option<&Candidate>,
        mut request: Request,
    ) -> Result<Answer, Failure> {
        request.model = Arc::clone(&model.model);
        request.max_tokens = request.max_tokens.map(|wanted| wanted.min(model.model.max_tokens));
        request.max_tokens = within_window(&request);
        self.prove(candidate, &mut request).await.map_err(Failure::unasked)?;
        let waiting = Instant::now();
        let reservation = self.reserve(&mut request).await.map_err(Failure::unasked)?;
        // Others held the budget: that is not this provider's slowness, and the run has a limit of its own.
        *self.deadline += waiting.elapsed();
        let mut bill = AttemptCost::new(self.parts, &request, candidate, reservation);
        bill.open().await;
        let stop = self.cancel.child_token();
        bill.reached(Stage::Asked);
        let mut stream = model.provider.stream(request, stop.clone());
        let limit = sleep_until(*self.deadline);
        tokio::pin!(limit);
        let mut late = false;
        loop {
            let event = tokio::select! {
                biased;
                event = stream.next() => event,
                () = &mut limit, if !late => {
                    late = true;
                    stop.cancel();
                    continue;
                }
            };
            match event {
                Some(StreamEvent::Done(answer)) => {
                    bill.pay(CallOutcome::Stopped(answer.message.stop_reason), answer.message.usage);
                    return Ok(answer);
                }
                Some(StreamEvent::Failed(error)) => {
                    let error = if late { self.overdue(error) } else { error };
                    return Err(bill.fail(error));
                }
                Some(event) => self.pass_on(event, &mut bill).await,
                None => return Err(bill.fail(unended())),
            }
        }
    }

    async fn prove(&self, candidate: Option<&Candidate>, request: &mut Request) -> Result<(), LlmError> {
        let Some(candidate) = candidate else { return Ok(()) };
        let Some(auth) = self.parts.auth.get(&candidate.provider) else { return Ok(()) };
        let proof = self.parts.profiles.credential(auth, candidate, self.cancel);
        let proof = proof.or_cancel(self.cancel).await.map_err(|_cancelled| LlmError::aborted())??;
        request.credential = Some(proof);
        Ok(())
    }

    /// Reserves the worst case and makes sure that it is the worst: the answer's length is always limited.
    async fn reserve(&self, request: &mut Request) -> Result<Option<Reservation>, LlmError> {
        let ledger = &self.parts.ledger;
        if ledger.is_unlimited() {
            return Ok(None);
        }
        let worst = MaxCost::of(request);
        let reservation = ledger.reserve(&self.parts.spender, worst, self.cancel).await?;
        request.max_tokens = Some(reservation.max_tokens().unwrap_or(worst.answer));
        Ok(Some(reservation))
    }

    async fn pass_on(&mut self, event: StreamEvent, bill: &mut AttemptCost) {
        match &event {
            StreamEvent::Start => {
                bill.reached(Stage::Started);
                if std::mem::replace(self.started, true) {
                    return;
                }
            }
            StreamEvent::Text(text) => bill.came(text.len(), true),
            StreamEvent::Thinking(text) => bill.came(text.len(), false),
            StreamEvent::ToolCallDelta { json, .. } => bill.came(json.len(), false),
            // A call that has only begun has done nothing yet; one that is complete may run.
            StreamEvent::ToolCallStart { name, .. } => bill.came(name.len(), false),
            StreamEvent::ToolCall(_) => bill.came(0, true),
            StreamEvent::Usage(usage) => bill.reported = *usage,
            StreamEvent::Attempt(_) | StreamEvent::Done(_) | StreamEvent::Failed(_) => {}
        }
        self.out.send(event).await;
    }

    /// The call was stopped by us, not by its caller.
    fn overdue(&self, mut error: LlmError) -> LlmError {
        if error.reason != FailReason::Aborted || self.cancel.is_cancelled() {
            return error;
        }
        error.reason = FailReason::Timeout;
        error.message = format!("the model took longer than {}", spoken(self.parts.policy.call_limit));
        if let Some(partial) = &mut error.partial {
            partial.stop_reason = StopReason::Error;
            partial.error_message = Some(error.message.clone());
        }
        error
    }
}

/// The longest answer to ask for: as long as wanted, and no longer than what the prompt leaves of a context that is
/// known, because servers refuse to promise more than they hold.
fn within_window(request: &Request) -> Option<u32> {
    let model = &request.model;
    let wanted = request.max_tokens.or(model.params.max_tokens);
    let Some(window) = model.context_window else { return wanted };
    let prompt = u32::try_from(MaxCost::of(request).likely_prompt).unwrap_or(u32::MAX);
    // Guesses are a little short for some languages.
    let room = window.saturating_sub(prompt.saturating_add(prompt / MARGIN_SHARE)).max(LEAST_ANSWER);
    let most = wanted.unwrap_or(model.max_tokens);
    if most > room { Some(room) } else { wanted }
}

fn unended() -> LlmError {
    LlmError::new(FailReason::Format, "the provider's answer ended without an end")
}

fn spoken(limit: Duration) -> String {
    if limit.subsec_nanos() == 0 { format!("{} seconds", limit.as_secs()) } else { format!("{limit:?}") }
}

/// How far an attempt has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    Preparing,
    /// The question was handed over.
    Asked,
    /// The provider accepted the request.
    Started,
    /// Something of the answer was shown.
    Delivered,
}

/// What one attempt costs, from the moment it is certain to be made. However it ends, also when it is dropped,
/// the budget is settled and the call is counted, once.
struct AttemptCost {
    reservation: Option<Reservation>,
    /// Who is told when nothing was reserved: limits may have come since.
    ledger: Ledger,
    spender: Spender,
    meter: Arc<dyn Meter>,
    record: CallRecord,
    /// For guessing what nobody reports.
    request: Request,
    since: Instant,
    stage: Stage,
    bytes: u64,
    reported: Usage,
    paid: bool,
}

impl AttemptCost {
    fn new(
        parts: &CallerParts,
        request: &Request,
        candidate: Option<&Candidate>,
        reservation: Option<Reservation>,
    ) -> Self {
        let record = CallRecord {
            at: parts.clock.now_ms(),
            target: target(&request.model, candidate.map(|candidate| candidate.id.clone()), request.thinking),
            open: None::<CallId>,
            usage: Usage::default(),
            estimated: false,
            first_ms: None,
            total_ms: 0,
            outcome: CallOutcome::Failed(FailReason::Aborted),
        };
        Self {
            reservation,
            ledger: parts.ledger.clone(),
            spender: parts.spender.clone(),
            meter: Arc::clone(&parts.meter),
            record,
            request: request.clone(),
            since: Instant::now(),
            stage: Stage::Preparing,
            bytes: 0,
            reported: Usage::default(),
            paid: false,
        }
    }

    /// Has the worst case written down, where a budget depends on it.
    async fn open(&mut self) {
        let Some(reservation) = &self.reservation else { return };
        let call = OpenedCall {
            at: self.record.at,
            target: self.record.target.clone(),
            reservation: reservation.id(),
            worst: reservation.worst().as_usage(),
        };
        self.record.open = self.meter.opening(call).await;
        self.since = Instant::now();
    }

    fn reached(&mut self, stage: Stage) {
        self.stage = self.stage.max(stage);
    }

    fn came(&mut self, bytes: usize, delivered: bool) {
        if self.record.first_ms.is_none() {
            self.record.first_ms = Some(millis(self.since.elapsed()));
        }
        self.bytes = self.bytes.saturating_add(u64::try_from(bytes).unwrap_or(u64::MAX));
        if delivered {
            self.reached(Stage::Delivered);
        }
    }

    fn fail(mut self, error: LlmError) -> Failure {
        if let Some(partial) = &error.partial {
            self.reported = later(self.reported, partial.usage);
        }
        let reported = self.cut_short();
        let delivered = self.stage == Stage::Delivered;
        self.pay(CallOutcome::Failed(error.reason), reported);
        Failure { error, delivered, asked: true }
    }

    /// What an answer that did not end used: providers count at the end, so what arrived since is added.
    fn cut_short(&self) -> Usage {
        let mut usage = self.reported;
        let guess = self.bytes.div_ceil(4);
        if counted(&usage) && usage.output < guess {
            usage.output = guess;
            usage.total_tokens = usage.prompt_tokens().saturating_add(guess).max(usage.total_tokens);
            usage.cost = self.request.model.price.cost(&usage);
        }
        usage
    }

    fn pay(&mut self, outcome: CallOutcome, reported: Usage) {
        if std::mem::replace(&mut self.paid, true) {
            return;
        }
        let guess = if counted(&reported) { None } else { self.guess(outcome) };
        let (usage, estimated) = guess.map_or((reported, false), |guess| (guess, true));
        match self.reservation.take() {
            Some(reservation) => reservation.settle(&usage),
            None => self.ledger.count(&self.spender, self.record.at, &usage),
        }
        let mut record = self.record.clone();
        record.usage = usage;
        record.estimated = estimated;
        record.total_ms = millis(self.since.elapsed());
        record.outcome = outcome;
        self.meter.call(record);
    }
}

impl AttemptCost {
    /// What a call used of which nobody told; `None` for one that was turned away or never arrived.
    fn guess(&self, outcome: CallOutcome) -> Option<Usage> {
        let stopped = outcome == CallOutcome::Failed(FailReason::Aborted);
        if self.stage >= Stage::Started || self.bytes > 0 {
            return Some(estimate(&self.request, self.bytes));
        }
        // A program says nothing until it is done, and may have worked for minutes.
        let program = self.request.model.api == CLI_API;
        if self.stage >= Stage::Asked
            && program
            && (stopped || outcome == CallOutcome::Failed(FailReason::Timeout))
        {
            let worst = self.reservation.as_ref().map(|reservation| reservation.worst().as_usage());
            return Some(worst.unwrap_or_else(|| estimate(&self.request, 0)));
        }
        // Whoever stops waiting for the first byte has asked nevertheless.
        (self.stage >= Stage::Asked && stopped).then(|| estimate(&self.request, 0))
    }
}

impl Drop for AttemptCost {
    fn drop(&mut self) {
        let reported = self.cut_short();
        self.pay(CallOutcome::Failed(FailReason::Aborted), reported);
    }
}

fn counted(usage: &Usage) -> bool {
    usage.total_tokens > 0 || usage.prompt_tokens() > 0 || usage.output > 0
}

fn later(before: Usage, after: Usage) -> Usage {
    if counted(&after) { after } else { before }
}
