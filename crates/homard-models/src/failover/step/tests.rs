//! The table of the file's description, row by row.

use homard_llm::{FailReason, LlmError};

use super::{FailureFacts, Step, cools, may_pass, step};

#[test]
fn every_reason_has_its_step() {
    // (reason, next, next with another provider ahead, again after a pause, cools)
    let rows = [
        (FailReason::Auth, Step::NextProfile, Step::NextProfile, false, true),
        (FailReason::Billing, Step::NextProfile, Step::NextProfile, false, true),
        (FailReason::RateLimit, Step::NextProfile, Step::NextProfile, true, true),
        (FailReason::Overloaded, Step::NextProfile, Step::NextProfile, true, true),
        (FailReason::Unknown, Step::NextProfile, Step::NextProfile, true, true),
        (FailReason::Timeout, Step::NextProfile, Step::NextModel, true, true),
        (FailReason::Format, Step::NextModel, Step::NextModel, false, false),
        (FailReason::ModelNotFound, Step::NextModel, Step::NextModel, false, false),
        (FailReason::ContentFilter, Step::NextModel, Step::NextModel, false, false),
        (FailReason::Refusal, Step::NextModel, Step::NextModel, false, false),
        (FailReason::ContextOverflow, Step::Stop, Step::Stop, false, false),
        (FailReason::Budget, Step::Stop, Step::Stop, false, false),
        (FailReason::Aborted, Step::Stop, Step::Stop, false, false),
    ];
    for (reason, alone, others, again, cooling) in rows {
        let error = LlmError::new(reason, "no");
        assert_eq!(step(&error, FailureFacts::default()), alone, "{reason:?}");
        assert_eq!(
            step(&error, FailureFacts { other_provider: true, ..FailureFacts::default() }),
            others,
            "{reason:?}"
        );
        assert_eq!(
            step(&error, FailureFacts { delivered: true, ..FailureFacts::default() }),
            Step::Stop,
            "{reason:?}"
        );
        assert_eq!((may_pass(&error), cools(reason)), (again, cooling), "{reason:?}");
    }
}

#[test]
fn a_second_refusal_is_an_answer() {
    for reason in [FailReason::Refusal, FailReason::ContentFilter] {
        let facts = FailureFacts { declined: true, ..FailureFacts::default() };
        assert_eq!(step(&LlmError::new(reason, "no"), facts), Step::Stop);
    }
}
