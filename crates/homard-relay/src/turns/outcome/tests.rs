//! One outcome, and everything that is read from it.

use homard_agent::TurnUsage;
use homard_protocol::events::ErrorKind;
use homard_protocol::{AssistantMessage, RunId, SessionId, StopReason, Usage};
use homard_store::RunStatus;

use super::{Failure, ModelUsed, NotBegun, StopCause, TIMED_OUT, TakenOver, TurnFacts, TurnOutcome};

fn facts() -> TurnFacts {
    TurnFacts {
        started_at: 5,
        session_id: SessionId::parse("s").unwrap(),
        used: ModelUsed {
            provider: "p".to_owned(),
            model: "m".to_owned(),
            context_window: Some(1),
            profile: None,
        },
        attempts: Vec::new(),
        spent: TurnUsage { usage: Usage { output: 3, ..Usage::default() }, ..TurnUsage::default() },
    }
}

fn answer(why: StopReason) -> Option<AssistantMessage> {
    Some(AssistantMessage::injected("words".to_owned(), why, 1))
}

fn stopped(by: Option<StopCause>) -> TurnOutcome {
    TurnOutcome::Stopped { facts: facts(), answer: answer(StopReason::Aborted), by }
}

fn failed() -> TurnOutcome {
    let failure = Failure { error: "no".to_owned(), kind: ErrorKind::RateLimit };
    TurnOutcome::Failed { facts: facts(), answer: None, failure, is_unrecorded: false }
}

#[test]
fn everything_is_read_from_the_outcome() {
    let (answer, calls) = (answer(StopReason::Length), Vec::new());
    let answered = TurnOutcome::Answered { facts: facts(), answer, calls };
    let not = TurnOutcome::NotBegun;
    let by = RunId::parse("r2").unwrap();
    let command = |stopped, error: Option<&str>| {
        not(NotBegun::Command { stopped, error: error.map(str::to_owned), at: 9 })
    };
    let taken = |by| not(NotBegun::TakenOver { by, at: 9, session_id: None });
    let late = stopped(Some(StopCause::Timeout));
    let rows = [
        (answered, RunStatus::Ok, None, Some("length"), Some(5)),
        (stopped(Some(StopCause::Stop)), RunStatus::Aborted, None, Some("stop"), Some(5)),
        (stopped(None), RunStatus::Aborted, None, Some("rpc"), Some(5)),
        (late, RunStatus::TimedOut, Some(TIMED_OUT), Some("timeout"), Some(5)),
        (failed(), RunStatus::Error, Some("no"), Some("stop"), Some(5)),
        (not(NotBegun::Stopped { by: None }), RunStatus::Aborted, None, Some("rpc"), None),
        (
            TurnOutcome::failed_to_begin("gone".to_owned(), 7, None),
            RunStatus::Error,
            Some("gone"),
            Some("stop"),
            Some(7),
        ),
        (taken(TakenOver::Steered(by.clone())), RunStatus::Ok, None, Some("steered:r2"), Some(9)),
        (taken(TakenOver::Merged(by)), RunStatus::Ok, None, Some("merged:r2"), Some(9)),
        (command(None, None), RunStatus::Ok, None, None, Some(9)),
        (command(None, Some("bad")), RunStatus::Error, Some("bad"), None, Some(9)),
        (command(Some(StopCause::Reset), None), RunStatus::Aborted, None, Some("reset"), Some(9)),
    ];
    for (outcome, status, error, word, began) in rows {
        let read = (outcome.status(), outcome.error(), outcome.stop_word(), outcome.started_at());
        assert_eq!(read, (status, error, word.map(str::to_owned), began), "{outcome:?}");
    }
}

#[test]
fn what_could_not_be_kept_is_a_failure_whatever_it_was() {
    for outcome in [stopped(None), failed(), TurnOutcome::NotBegun(NotBegun::Stopped { by: None })] {
        let began = outcome.started_at();
        let lost = outcome.lost("the disk is full".to_owned());
        let read = (lost.status(), lost.error(), lost.error_kind(), lost.started_at());
        assert_eq!(read, (RunStatus::Error, Some("the disk is full"), ErrorKind::Unknown, began));
        assert!(lost.leaves_history_stale() && lost.calls().is_empty());
    }
}
