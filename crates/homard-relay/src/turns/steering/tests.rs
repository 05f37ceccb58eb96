//! Which messages a turn under way takes.

use std::sync::Arc;

use homard_agent::Steer;
use homard_channel::Inbound;
use homard_policy::queue::Overflow;
use homard_protocol::{RunId, TurnSource};
use homard_store::RunStatus;
use serde_json::json;
use tokio::sync::mpsc;

use super::Lane;
use crate::fixture::{Platform, Shared, World, abilities, address};
use crate::turns::queue::Queue;
use crate::turns::request::TurnOptions;

async fn open() -> (World, Arc<Platform>) {
    let (world, platform) = (World::new(json!({})), Platform::new(abilities()));
    world.relay.platforms().open_channels(vec![Arc::new(Shared(Arc::clone(&platform)))]).await.unwrap();
    (world, platform)
}

/// The lane of a run whose model speaks.
async fn lane_of(world: &World, run: &RunId, say: &mpsc::Sender<String>) -> Lane {
    say.send("To seven.".into()).await.unwrap();
    let key = world.relay.turns().session_of(run).unwrap();
    while world.relay.turns().views(&key).iter().all(|view| view.text.as_deref().is_none_or(str::is_empty)) {
        tokio::task::yield_now().await;
    }
    let session_id = world.store.runs().get(run).await.unwrap().unwrap().session_id.unwrap();
    let turns = world.relay.turns();
    let run = turns.runs().get(run).unwrap();
    Lane { turns, run, session_id }
}

#[tokio::test]
async fn a_message_goes_to_no_turn_that_answers_somewhere_else() {
    let (world, platform) = open().await;
    let say = world.talker.next();
    let first = world.asks("r1", "hello", &address("7")).await;
    let lane = lane_of(&world, &first, &say).await;
    let second = world.asks_as("r2", "and here?", &address("8"), Queue::Steer).await;
    assert!(lane.next().await.unwrap().is_none());
    world.talker.says("To eight.");
    drop(say);
    world.ended(&first).await;
    world.ended(&second).await;
    platform.told(2).await;
    let mut sent: Vec<_> =
        platform.sent().iter().map(|one| (one.address.to.to_string(), one.key.clone())).collect();
    sent.sort();
    assert_eq!(sent, [("7".to_owned(), "r1:0".to_owned()), ("8".to_owned(), "r2:0".to_owned())]);
}

#[tokio::test]
async fn a_message_of_the_backlog_is_told_to_the_turn_under_way_and_gets_its_own() {
    let (world, platform) = open().await;
    let say = world.talker.next();
    let first = world.asks("r1", "hello", &address("7")).await;
    let lane = lane_of(&world, &first, &say).await;
    let second = world.asks_as("r2", "and this", &address("7"), Queue::SteerToo).await;
    let taken = lane.next().await.unwrap().unwrap();
    assert_eq!((taken.run_id, taken.message.content.text().as_str()), (second.clone(), "and this"));
    assert!(lane.next().await.unwrap().is_none(), "once is enough");
    assert_eq!(world.store.runs().get(&second).await.unwrap().unwrap().status, RunStatus::Queued);
    world.talker.says("Its own answer.");
    drop(say);
    world.ended(&second).await;
    assert_eq!(platform.told(2).await, ["To seven.", "Its own answer."]);
}

#[tokio::test]
async fn the_turn_under_way_hears_of_those_that_had_to_go() {
    let (world, _platform) = open().await;
    let say = world.talker.next();
    let first = world.asks("r1", "hello", &address("7")).await;
    let lane = lane_of(&world, &first, &say).await;
    let mut overflow = Overflow::default();
    overflow.note("buy milk", 1, 20);
    let key = world.relay.turns().session_of(&first).unwrap();
    let message = Inbound::from_operator(key, "r2".into(), "and bread".into(), 1);
    let options = TurnOptions { overflow: Some(Box::new(overflow)), ..TurnOptions::of(TurnSource::Agent) };
    world.relay.accept(message, options, Queue::Steer).await.unwrap();
    let told = lane.next().await.unwrap().unwrap().message.content.text();
    assert!(told.contains("buy milk") && told.contains("and bread"), "{told}");
}
