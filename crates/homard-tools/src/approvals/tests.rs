//! Questions asked, answered, forgotten.

use std::sync::Arc;
use std::time::Duration;

use homard_protocol::methods::approvals::ApprovalDecision;
use homard_runtime::{Clock, Mutex};
use tokio_util::sync::CancellationToken;

use super::{ANSWER_WITHIN, ApprovalRequest, Approvals, CommandTerms, KEEP_ANSWERED, NotTaken, Outcome};

fn request(can_always: bool) -> ApprovalRequest {
    ApprovalRequest {
        tool: "exec".into(),
        action: "ls".into(),
        cwd: None,
        resolved_path: None,
        reasons: vec!["not on the list".into()],
        can_always,
        terms: CommandTerms::default(),
        session_key: None,
        run_id: None,
        call_id: None,
        for_guest: false,
    }
}

#[tokio::test(start_paused = true)]
async fn a_question_ends_with_the_first_answer() {
    let approvals = Approvals::default();
    let heard: Arc<Mutex<Vec<String>>> = Arc::default();
    let (told, answerer) = (Arc::clone(&heard), approvals.clone());
    approvals.subscribe(move |question| {
        told.lock().push(question.id.to_string());
        if question.outcome.is_none() {
            assert_eq!(
                answerer.resolve(&question.id, ApprovalDecision::AllowAlways, "me"),
                Err(NotTaken::OnceOnly)
            );
            assert!(answerer.resolve(&question.id, ApprovalDecision::AllowOnce, "me").is_ok());
            assert_eq!(answerer.resolve(&question.id, ApprovalDecision::Deny, "me"), Err(NotTaken::Answered));
        }
    });
    let cancel = CancellationToken::new();
    let said = approvals.ask(request(false), &Clock::system(), ANSWER_WITHIN, &cancel).await;
    assert_eq!(said, Outcome::Said(ApprovalDecision::AllowOnce));
    let id = heard.lock()[0].clone();
    assert_eq!(approvals.get(&id).unwrap().answered_by.as_deref(), Some("me"));
    assert!(approvals.pending().is_empty());
    tokio::time::advance(KEEP_ANSWERED + Duration::from_millis(1)).await;
    assert_eq!(approvals.get(&id), None);
    assert_eq!(approvals.resolve(&id, ApprovalDecision::Deny, "me"), Err(NotTaken::Unknown));
}

#[tokio::test(start_paused = true)]
async fn silence_is_no_answer_and_stopping_withdraws() {
    let approvals = Approvals::default();
    let cancel = CancellationToken::new();
    let ask = |cancel: CancellationToken| {
        let approvals = approvals.clone();
        async move { approvals.ask(request(true), &Clock::system(), ANSWER_WITHIN, &cancel).await }
    };
    assert_eq!(ask(cancel.clone()).await, Outcome::NoRoute, "nobody shows it to anybody");
    approvals.subscribe(|_| ());
    assert_eq!(ask(cancel.clone()).await, Outcome::Expired);
    cancel.cancel();
    assert_eq!(ask(cancel).await, Outcome::Withdrawn);
}
