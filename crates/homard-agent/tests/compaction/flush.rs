//! Notes before a conversation is shortened: written beside it, paid for, and not part of it.

use homard_agent::{FlushRules, TurnEndKind};
use homard_testkit::FakeLlm;
use serde_json::json;

use crate::compaction::world::{World, model};

const QUESTION: &str = "write down what matters";

fn world(fake: &FakeLlm) -> World {
    let mut world = World::new(model(fake), 40_000);
    world.rules.flush =
        Some(FlushRules { soft_threshold: 4_000, prompt: Some(QUESTION.to_owned()), extra: None });
    world
}

#[tokio::test]
async fn notes_are_asked_for_once_in_a_turn_and_leave_nothing_but_their_cost() {
    let fake = FakeLlm::start().await.unwrap();
    let mut world = world(&fake);
    fake.calls("dump", json!({"bytes": 10})).says("NO_REPLY");
    fake.calls("dump", json!({"bytes": 20})).says("fine");
    let ended = world.say(&"x".repeat(72_000)).await;
    assert!(matches!(ended.how, TurnEndKind::Done) && ended.spent.flushed, "{:?}", ended.how);
    assert_eq!(ended.answer.as_ref().unwrap().text(), "fine");
    let requests: Vec<String> = fake.requests().iter().map(|asked| asked.body.to_string()).collect();
    assert_eq!(requests.len(), 4);
    let asked: Vec<bool> = requests.iter().map(|body| body.contains(QUESTION)).collect();
    assert_eq!(asked, [true, true, false, false], "the conversation does not know of it");
    assert!(requests[1].contains("only notes are written now"), "other tools wait");
    assert!(requests[3].contains("result line") && !requests[3].contains("NO_REPLY"));
    let session = world.session.clone().unwrap();
    assert_eq!(
        world.store.transcripts().context(&session).await.unwrap().entries.len(),
        4,
        "nor does the transcript"
    );
    let plain = {
        let mut world = World::new(model(&fake), 40_000);
        fake.calls("dump", json!({"bytes": 20})).says("fine");
        world.say(&"x".repeat(72_000)).await
    };
    assert!(
        !plain.spent.flushed && ended.spent.usage.output > plain.spent.usage.output,
        "{ended:?} {plain:?}"
    );
    assert_eq!(ended.spent.last_call, plain.spent.last_call, "the size of the context is the conversation's");
}

#[tokio::test]
async fn far_from_the_limit_no_notes_are_asked_for_and_failing_at_them_harms_nothing() {
    let fake = FakeLlm::start().await.unwrap();
    let mut world = world(&fake);
    fake.says("hello");
    assert!(!world.say("hi").await.spent.flushed);
    fake.fails(400, "{}").says("fine");
    let ended = world.say(&"x".repeat(72_000)).await;
    assert!(ended.spent.flushed && ended.answer.unwrap().text() == "fine");
}

#[tokio::test]
async fn when_notes_are_asked_for_and_with_which_words_is_the_owners_choice() {
    for (soft_threshold, is_due) in [(1_000, false), (30_000, true)] {
        let fake = FakeLlm::start().await.unwrap();
        let mut world = World::new(model(&fake), 40_000);
        world.rules.flush = Some(FlushRules {
            soft_threshold,
            prompt: Some(QUESTION.to_owned()),
            extra: Some("WRITE BRIEFLY".to_owned()),
        });
        if is_due {
            fake.says("NO_REPLY");
        }
        fake.says("fine");
        assert_eq!(world.say(&"x".repeat(20_000)).await.spent.flushed, is_due, "{soft_threshold}");
        assert_eq!(fake.requests()[0].body.to_string().contains("WRITE BRIEFLY"), is_due);
    }
}
