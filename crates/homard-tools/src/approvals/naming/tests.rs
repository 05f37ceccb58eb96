//! Names, and what happens when the asker leaves.

use std::time::Duration;

use homard_protocol::methods::approvals::ApprovalDecision;
use homard_runtime::Clock;
use tokio_util::sync::CancellationToken;

use super::{NotAsked, NotFound};
use crate::approvals::{ApprovalRequest, Approvals, CommandTerms, Outcome};

const LONG: Duration = Duration::from_secs(60);

fn request() -> ApprovalRequest {
    ApprovalRequest {
        tool: "exec".into(),
        action: "ls".into(),
        cwd: None,
        resolved_path: None,
        reasons: Vec::new(),
        can_always: true,
        terms: CommandTerms::default(),
        session_key: None,
        run_id: None,
        call_id: None,
        for_guest: false,
    }
}

fn with_questions(ids: &[&str]) -> Approvals {
    let approvals = Approvals::default();
    approvals.subscribe(|_| ());
    for id in ids {
        approvals.post_as(id.parse().unwrap(), request(), &Clock::system(), LONG).unwrap();
    }
    approvals
}

#[tokio::test]
async fn a_beginning_names_a_question_if_it_is_long_and_the_only_one() {
    let approvals = with_questions(&["aaaaaaaa-1", "aaaaaaaa-2", "bbbbbbbb-1", "short"]);
    let found = |name: &str| approvals.find(name).map(|question| question.id.to_string());
    let many = |name: &str| Err(NotFound::Many(name.to_owned()));
    let cases = [
        ("aaaaaaaa-1", Ok("aaaaaaaa-1".to_owned())),
        ("short", Ok("short".to_owned())),
        ("bbbbbbbb", Ok("bbbbbbbb-1".to_owned())),
        ("aaaaaaaa", many("aaaaaaaa")),
        ("bbbbbbb", Err(NotFound::Unknown)),
        ("cccccccc", Err(NotFound::Unknown)),
        ("", Err(NotFound::Unknown)),
    ];
    for (name, expected) in cases {
        assert_eq!(found(name), expected, "{name}");
    }
    approvals.resolve("aaaaaaaa-2", ApprovalDecision::Deny, "me").unwrap();
    assert_eq!(found("aaaaaaaa"), Ok("aaaaaaaa-1".to_owned()), "the one that waits is meant");
}

#[tokio::test]
async fn a_name_is_taken_once() {
    let approvals = with_questions(&["mine"]);
    let again = approvals.post_as("mine".parse().unwrap(), request(), &Clock::system(), LONG);
    assert_eq!(again, Err(NotAsked::Taken));
    let alone = Approvals::default();
    assert_eq!(alone.post_as("x".parse().unwrap(), request(), &Clock::system(), LONG), Err(NotAsked::Nobody));
}

#[tokio::test]
async fn a_question_whose_asker_is_gone_is_withdrawn() {
    let approvals = with_questions(&["left"]);
    let cancel = CancellationToken::new();
    let waiting = tokio::time::timeout(Duration::ZERO, approvals.wait("left", LONG, &cancel));
    assert!(waiting.await.is_err());
    assert_eq!(approvals.get("left").unwrap().outcome, Some(Outcome::Withdrawn));
    assert!(approvals.pending().is_empty());
}
