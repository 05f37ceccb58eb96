//! A model that refuses what is too long, and everything that can go wrong while making room.

use std::sync::Arc;

use homard_agent::{TurnEnd, TurnEndKind};
use homard_llm::FailReason;
use homard_runtime::Mutex;
use homard_testkit::FakeLlm;
use homard_tools::{HookAnswer, HookPoint, HookValue};
use serde_json::json;

use crate::compaction::world::{World, model};

/// Says `turns` long things, each answered.
async fn talk(world: &mut World, fake: &FakeLlm, turns: usize) {
    for n in 0..turns {
        fake.says(format!("answer {n} {}", "y".repeat(1_000)));
        let ended = world.say(&format!("request {n} {}", "x".repeat(1_000))).await;
        assert!(matches!(ended.how, TurnEndKind::Done), "{:?}", ended.how);
    }
}

fn said(ended: &TurnEnd) -> String {
    assert!(matches!(ended.how, TurnEndKind::Done), "{:?}", ended.how);
    ended.answer.as_ref().unwrap().text()
}

/// The texts of the last request's messages, and whether it offered tools.
fn last_request(fake: &FakeLlm) -> (Vec<String>, bool) {
    let body = fake.requests().pop().unwrap().body;
    let messages = body["messages"].as_array().unwrap();
    (messages.iter().map(|m| m["content"].to_string()).collect(), body.get("tools").is_some())
}

#[tokio::test]
async fn a_refused_conversation_is_summarised_and_answered() {
    let fake = FakeLlm::start().await.unwrap();
    let mut world = World::new(model(&fake), 200_000);
    talk(&mut world, &fake, 10).await;
    fake.overflows_above(16_000);
    // What is dropped goes to the summarising model in two pieces.
    fake.says("THE FIRST PART").says("THE SUMMARY keeps src/main.rs").says("fine");
    let ended = world.say("and now?").await;
    assert_eq!(said(&ended), "fine");
    assert_eq!(
        (ended.spent.compactions, world.told.join(", ")),
        (1, "start overflow, end overflow".to_owned())
    );
    let (texts, tools) = last_request(&fake);
    assert!(tools && texts[1].contains("THE SUMMARY keeps src/main.rs"), "{texts:?}");
    assert!(texts.last().unwrap().contains("and now?"));
    assert!(texts.iter().any(|text| text.contains("request 9")), "recent turns stay word for word");
    assert!(!texts.iter().any(|text| text.contains("request 0 ")), "old turns are gone");
    // The summarising calls had the old turns, what was summarised so far, and no tools.
    let requests = fake.requests();
    let summarising: Vec<String> = requests
        .iter()
        .filter(|asked| asked.body.get("tools").is_none())
        .map(|asked| asked.body.to_string())
        .collect();
    assert_eq!(summarising.len(), 2);
    assert!(summarising[0].contains("request 0 ") && summarising[1].contains("THE FIRST PART"));
    // After a restart the transcript says the same.
    world.restart();
    fake.says("still here");
    assert_eq!(said(&world.say("again").await), "still here");
    assert!(last_request(&fake).0[1].contains("THE SUMMARY"));
}

#[tokio::test]
async fn filters_see_a_compaction_before_and_after_and_every_call_of_the_model() {
    let fake = FakeLlm::start().await.unwrap();
    let mut world = World::new(model(&fake), 200_000);
    talk(&mut world, &fake, 10).await;
    let seen = Arc::new(Mutex::new(Vec::new()));
    for point in [
        HookPoint::BeforeCompaction,
        HookPoint::AfterCompaction,
        HookPoint::BeforeModelCall,
        HookPoint::AfterModelCall,
    ] {
        let seen = Arc::clone(&seen);
        world.hooks.add(point, "watch", move |occasion| {
            let words = match occasion.value {
                HookValue::Text(words) => words,
                HookValue::Nothing | HookValue::Arguments(_) => String::new(),
            };
            let words: String = words.lines().next().unwrap_or_default().to_owned();
            seen.lock().push((occasion.point.name(), occasion.subject.unwrap_or_default(), words));
            async { Ok(HookAnswer::Pass) }
        });
    }
    fake.overflows_above(16_000);
    fake.says("THE FIRST PART").says("THE SUMMARY").says("fine");
    assert_eq!(said(&world.say("and now?").await), "fine");
    let seen: Vec<String> =
        seen.lock().iter().map(|(at, what, words)| format!("{at}|{what}|{words}")).collect();
    assert_eq!(
        seen,
        [
            // Refused as too long: there is no answer to look at.
            "before model call|fake/fake-1|",
            "before compaction|overflow|",
            "before model call|fake/fake-1|",
            "after model call|fake/fake-1|THE FIRST PART",
            "before model call|fake/fake-1|",
            "after model call|fake/fake-1|THE SUMMARY",
            "after compaction|overflow|THE SUMMARY",
            "before model call|fake/fake-1|",
            "after model call|fake/fake-1|fine",
        ]
    );
}

#[tokio::test]
async fn each_of_three_attempts_keeps_less() {
    let fake = FakeLlm::start().await.unwrap();
    let mut world = World::new(model(&fake), 200_000);
    talk(&mut world, &fake, 30).await;
    // Room for two turns or so: the first attempts still keep too much.
    fake.overflows_above(7_000);
    let ended = world.say("and now?").await;
    // Nobody scripted these answers: whatever was said, it was an answer.
    assert!(!said(&ended).is_empty());
    assert!((2..=3).contains(&ended.spent.compactions), "{:?}", world.told);
    let (texts, _) = last_request(&fake);
    assert!(texts.last().unwrap().contains("and now?"));
}

#[tokio::test]
async fn without_a_summary_the_requests_are_listed() {
    let fake = FakeLlm::start().await.unwrap();
    let mut world = World::new(model(&fake), 200_000);
    talk(&mut world, &fake, 10).await;
    fake.overflows_above(16_000);
    fake.fails(500, "the summariser is on holiday").says("fine");
    assert_eq!(said(&world.say("and now?").await), "fine");
    assert_eq!(world.told, ["start overflow", "end overflow listed"]);
    let summary = world.summary().await;
    assert!(summary.contains("- request 0 xxx") && summary.len() < 8_000, "{summary}");
}

#[tokio::test]
async fn a_single_giant_result_is_cut_and_the_turn_goes_on() {
    let fake = FakeLlm::start().await.unwrap();
    let mut world = World::new(model(&fake), 200_000);
    fake.overflows_above(20_000);
    fake.calls("dump", json!({"bytes": 100_000})).says("I saw it");
    let ended = world.say("look").await;
    assert_eq!((said(&ended).as_str(), ended.spent.compactions), ("I saw it", 0));
    let (texts, _) = last_request(&fake);
    assert!(texts.last().unwrap().contains("left out here"));
}

#[tokio::test]
async fn a_result_is_recorded_no_larger_than_the_window_bears() {
    let fake = FakeLlm::start().await.unwrap();
    let mut world = World::new(model(&fake), 32_000);
    fake.calls("dump", json!({"bytes": 3_000_000})).says("I saw it");
    assert_eq!(said(&world.say("look").await), "I saw it");
    let body = fake.requests().pop().unwrap().body.to_string();
    assert!(body.len() < 32_000 * 4 / 2, "{}", body.len());
}

#[tokio::test]
async fn a_long_tool_loop_is_cut_within_the_turn_and_the_request_stays() {
    let fake = FakeLlm::start().await.unwrap();
    let mut world = World::new(model(&fake), 32_000);
    fake.overflows_above(128_000);
    // Each summarising call takes an answer of the script too; words end a turn, so only tools are scripted
    // and a summary that calls a tool is no summary.
    for _ in 0..40 {
        fake.calls("dump", json!({"bytes": 6_000}));
    }
    let ended = world.say("the request nobody may forget").await;
    assert!(!said(&ended).is_empty());
    assert!(ended.spent.compactions >= 3, "{:?}", world.told);
    assert!(world.told.iter().all(|told| told.contains("safeguard")), "{:?}", world.told);
    let (texts, _) = last_request(&fake);
    assert_eq!(texts.iter().filter(|text| text.contains("the request nobody may forget")).count(), 1);
    assert!(texts[1].contains("word for word"), "{}", texts[1]);
}

#[tokio::test]
async fn what_cannot_fit_is_said_and_the_next_message_is_answered() {
    let fake = FakeLlm::start().await.unwrap();
    let mut world = World::new(model(&fake), 200_000);
    fake.overflows_above(20_000);
    let ended = world.say(&"x".repeat(100_000)).await;
    let TurnEndKind::Failed(error) = &ended.how else { panic!("{:?}", ended.how) };
    assert_eq!(error.reason, FailReason::ContextOverflow);
    assert!(error.message.contains("does not fit the model"), "{}", error.message);
    fake.says("a summary").says("hello");
    let ended = world.say("hi").await;
    assert_eq!(said(&ended), "hello");
}

#[tokio::test]
async fn a_conversation_is_summarised_before_it_is_refused() {
    let fake = FakeLlm::start().await.unwrap();
    let mut world = World::new(model(&fake), 16_000);
    talk(&mut world, &fake, 10).await;
    assert!(world.told.is_empty());
    for n in 0..20 {
        let ended = world.say(&format!("more {n} {}", "x".repeat(2_000))).await;
        assert!(!said(&ended).is_empty());
    }
    assert!(world.told.contains(&"end safeguard".to_owned()), "{:?}", world.told);
    let largest = fake.requests().iter().map(|asked| asked.body.to_string().len()).max().unwrap();
    assert!(largest < 16_000 * 4, "{largest}");
    // Switched off, it waits for the refusal.
    world.settings.ahead = false;
    world.told.clear();
    for n in 0..20 {
        world.say(&format!("more {n} {}", "x".repeat(2_000))).await;
    }
    assert!(world.told.is_empty(), "{:?}", world.told);
}

#[tokio::test]
async fn stopping_while_it_summarises_stops_the_turn() {
    let fake = FakeLlm::start().await.unwrap();
    let mut world = World::new(model(&fake), 200_000);
    talk(&mut world, &fake, 10).await;
    let asked = fake.requests().len();
    fake.overflows_above(16_000);
    fake.hangs();
    let cancel = world.cancel.clone();
    // The refused request, then the summarising one.
    let (ended, waited) = tokio::join!(world.say("and now?"), async {
        let waited = fake.wait_for_request(asked + 2).await;
        cancel.cancel();
        waited
    });
    waited.unwrap();
    assert!(matches!(ended.how, TurnEndKind::Stopped), "{:?}", ended.how);
    assert_eq!(world.told, ["start overflow"]);
}

/// How many messages are left of a long conversation that is refused, where these settings hold.
async fn left_of(change: impl FnOnce(&mut homard_agent::CompactionSettings)) -> usize {
    let fake = FakeLlm::start().await.unwrap();
    let mut world = World::new(model(&fake), 200_000);
    talk(&mut world, &fake, 30).await;
    change(&mut world.settings);
    fake.overflows_above(50_000);
    world.say("and now?").await;
    last_request(&fake).0.len()
}

#[tokio::test]
async fn how_much_is_kept_and_how_long_a_summary_may_take_is_the_owners_choice() {
    let much = left_of(|settings| settings.keep_recent = 6_000).await;
    let little = left_of(|settings| settings.keep_recent = 1_500).await;
    let share = left_of(|settings| (settings.keep_recent, settings.history_percent) = (6_000, 1)).await;
    assert!(little < much && share < much, "{much} {little} {share}");
    let fake = FakeLlm::start().await.unwrap();
    let mut world = World::new(model(&fake), 200_000);
    talk(&mut world, &fake, 10).await;
    fake.overflows_above(16_000);
    world.settings.timeout = std::time::Duration::from_millis(50);
    fake.hangs().says("fine");
    assert_eq!(said(&world.say("and now?").await), "fine");
    assert_eq!(world.told, ["start overflow", "end overflow listed"], "nobody waits for it any longer");
}

#[tokio::test]
async fn how_much_room_stays_free_is_the_owners_choice() {
    let mut turns = Vec::new();
    for reserve in [1_000, 7_000] {
        let fake = FakeLlm::start().await.unwrap();
        let mut world = World::new(model(&fake), 16_000);
        world.settings.reserve = reserve;
        let mut count = 0;
        while world.told.is_empty() {
            world.say(&"x".repeat(2_000)).await;
            count += 1;
        }
        turns.push(count);
    }
    assert!(turns[1] < turns[0], "{turns:?}");
}
