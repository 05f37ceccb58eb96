//! What a conversation keeps of a turn, and what a model is told over days.

use std::time::Duration;

use homard_channel::Inbound;
use homard_llm::Request;
use homard_models::failover::Winner;
use homard_protocol::{Message, ModelId, ProviderId, RunId, SessionKey, TurnSource, WakeMode};
use homard_runtime::Clock;
use homard_tools::Toolbox;
use serde_json::json;

use super::to_keep;
use crate::fixture::World;
use crate::turns::queue::Queue;
use crate::turns::request::TurnOptions;
use crate::turns::wake::{Wake, WakeOutcome};

/// Ten minutes before midnight.
const LATE: i64 = 1_771_372_200_000;

#[tokio::test]
async fn over_midnight_and_after_a_restart_a_request_begins_as_the_one_before() {
    let zone = json!({"agents": {"defaults": {"userTimezone": "UTC"}}});
    let mut world = World::with_clock(zone, Toolbox::default(), Clock::fixed(LATE));
    let key = SessionKey::parse("agent:main:main").unwrap();
    let mut asked: Vec<Request> = Vec::new();
    for hour in 0..4 {
        world.talker.says("good night");
        let (name, now) = (format!("typed-{hour}"), world.clock.now_ms());
        let message = Inbound::from_operator(key.clone(), name.clone(), format!("hour {hour}"), now);
        world.relay.accept(message, TurnOptions::of(TurnSource::Agent), Queue::Wait).await.unwrap();
        world.ended(&RunId::parse(&name).unwrap()).await;
        world.talker.says("I am awake");
        let wake = Wake {
            session: key.clone(),
            text: "the clock strikes".to_owned(),
            mode: WakeMode::Now,
            source: TurnSource::Wake,
            run_id: None,
            labels: Vec::new(),
        };
        let WakeOutcome::Turn(run) = world.relay.turns().wake(wake).await.unwrap() else {
            panic!("it waits")
        };
        world.ended(&run).await;
        asked.append(&mut world.talker.asked());
        world.clock.advance(Duration::from_secs(8 * 3_600));
        world = world.crash().await;
    }
    assert_eq!(asked.len(), 8);
    let told = |request: &Request| {
        request.messages.iter().map(|message| Message::clone(message)).collect::<Vec<_>>()
    };
    for pair in asked.windows(2) {
        assert_eq!((&pair[0].system, &pair[0].tools), (&pair[1].system, &pair[1].tools));
        let (before, after) = (told(&pair[0]), told(&pair[1]));
        assert!(after.len() > before.len() && after.starts_with(&before), "{before:#?}\n{after:#?}");
    }
    let days = format!("{:?}", asked.last().unwrap().messages);
    assert!(days.contains("2026-02-17") && days.contains("2026-02-18"), "{days}");
}

#[test]
fn a_stand_in_does_not_replace_the_credential_kept_for_the_wanted_provider() {
    let provider = |id: &str| ProviderId::parse(id).unwrap();
    let winner = |id: &str| Winner {
        provider: provider(id),
        model: ModelId::parse("m").unwrap(),
        profile: Some(format!("{id}:a")),
    };
    let rows = [
        (Some(winner("one")), true, Some("one:a")),
        (Some(winner("one")), false, Some("one:a")),
        (Some(winner("two")), false, Some("two:a")),
        (Some(winner("two")), true, None),
        (None, false, None),
    ];
    for (winner, is_pinned, expected) in rows {
        assert_eq!(to_keep(winner.clone(), &provider("one"), is_pinned).as_deref(), expected, "{winner:?}");
    }
}
