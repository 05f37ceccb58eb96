//! Looks around in a real conversation: what people hear of them, and what is left of them.

use std::sync::Arc;
use std::time::Duration;

use homard_channel::Inbound;
use homard_protocol::{EntryKind, Message, RunId, SessionKey, TurnSource};
use homard_runtime::Clock;
use homard_store::{RunStatus, SessionRecord};
use homard_tools::Toolbox;
use serde_json::json;

use super::LookVerdict;
use crate::fixture::{Platform, Shared, World, abilities, address};
use crate::turns::listen::Listener;
use crate::turns::queue::Queue;
use crate::turns::request::TurnOptions;

const HOUR: Duration = Duration::from_secs(60 * 60);
const NOW: i64 = 1_760_000_000_000;

fn main() -> SessionKey {
    SessionKey::parse("agent:main:main").unwrap()
}

async fn open() -> (World, Arc<Platform>) {
    let config = json!({"agents": {"defaults": {"heartbeat": {"ackMaxChars": 20}}}});
    let world = World::with_clock(config, Toolbox::default(), Clock::fixed(NOW));
    let platform = Platform::new(abilities());
    let account: homard_channel::SharedChannel = Arc::new(Shared(Arc::clone(&platform)));
    world.relay.platforms().open_channels(vec![account]).await.unwrap();
    (world, platform)
}

async fn begin_look(world: &World, name: &str) -> Listener {
    let message =
        Inbound::from_operator(main(), name.to_owned(), "look around".to_owned(), world.clock.now_ms());
    let options = TurnOptions::of(TurnSource::Heartbeat).speaking_up(&main(), Some(address("7")));
    Listener::to_new(&world.relay.turns(), message, options).await.unwrap()
}

async fn look(world: &World, name: &str) -> LookVerdict {
    begin_look(world, name).await.ended().await.unwrap().look.unwrap()
}

async fn session(world: &World) -> SessionRecord {
    world.store.sessions().get(&main()).await.unwrap().unwrap()
}

/// What the conversation consists of, who said it before each.
async fn said(world: &World) -> Vec<String> {
    let id = session(world).await.session_id;
    let context = world.store.transcripts().context(&id).await.unwrap();
    let line = |kind: &EntryKind| match kind {
        EntryKind::Message { message: Message::User(user) } => Some(format!("user: {}", user.content.text())),
        EntryKind::Message { message: Message::Assistant(answer) } => {
            Some(format!("answer: {}", answer.text()))
        }
        _ => None,
    };
    context.entries.iter().filter_map(|entry| line(&entry.kind)).collect()
}

#[tokio::test]
async fn a_look_that_finds_nothing_is_told_to_nobody_and_leaves_no_trace() {
    let (world, platform) = open().await;
    world.talker.says("Hello.");
    let run = world.asks("r1", "hi", &address("7")).await;
    world.ended(&run).await;
    platform.told(1).await;
    let (before, was) = (said(&world).await, session(&world).await);
    for (name, text, verdict) in [
        ("h1", "HEARTBEAT_OK", LookVerdict::AllWell),
        ("h2", "**HEARTBEAT_OK** all calm", LookVerdict::AllWell),
        ("h3", "", LookVerdict::Silent),
        ("h4", "NO_REPLY", LookVerdict::AllWell),
    ] {
        world.clock.advance(HOUR);
        world.talker.says(text);
        assert_eq!(look(&world, name).await, verdict, "{text}");
        assert_eq!(said(&world).await, before, "{text}");
        let is = session(&world).await;
        assert_eq!(is.entry.updated_at, was.entry.updated_at, "nobody has spoken");
        assert_eq!(is.last_message_preview, was.last_message_preview);
    }
    world.talker.says("Good evening.");
    let run = world.asks("r2", "good evening", &address("7")).await;
    world.ended(&run).await;
    assert_eq!(platform.told(2).await, ["Hello.", "Good evening."]);
    let told = world.talker.asked().last().unwrap().messages.iter().map(|m| m.text()).collect::<String>();
    assert!(!told.contains("look around") && !told.contains("HEARTBEAT_OK"), "{told}");
}

#[tokio::test]
async fn news_is_told_once_a_day_in_the_same_words() {
    let (world, platform) = open().await;
    let news = "The bins go out tonight; it is Tuesday.";
    world.talker.says(news);
    assert_eq!(look(&world, "h1").await, LookVerdict::News);
    assert_eq!(platform.told(1).await, [news]);
    assert_eq!(session(&world).await.entry.last_heartbeat_text.as_deref(), Some(news));
    world.clock.advance(HOUR * 23);
    world.talker.says(&format!("{news} HEARTBEAT_OK"));
    assert_eq!(look(&world, "h2").await, LookVerdict::Repeated, "the same but for the word that all is well");
    world.clock.advance(HOUR);
    world.talker.says(news);
    assert_eq!(look(&world, "h3").await, LookVerdict::News, "a day has passed");
    world.talker.says("And the cat is out.");
    assert_eq!(look(&world, "h4").await, LookVerdict::News);
    assert_eq!(platform.told(3).await, [news, news, "And the cat is out."]);
    assert_eq!(said(&world).await.len(), 6, "what was said stays, with what it answers");
}

#[tokio::test]
async fn an_acknowledgement_is_as_long_as_the_owner_allows() {
    let (world, platform) = open().await;
    world.talker.says(&format!("HEARTBEAT_OK {}", "x".repeat(20)));
    assert_eq!(look(&world, "h1").await, LookVerdict::AllWell);
    world.talker.says(&format!("HEARTBEAT_OK {}", "x".repeat(21)));
    assert_eq!(look(&world, "h2").await, LookVerdict::News);
    assert_eq!(platform.told(1).await, ["x".repeat(21)]);
}

#[tokio::test]
async fn whoever_writes_during_a_look_is_answered_by_a_turn_of_their_own() {
    let (world, platform) = open().await;
    let say = world.talker.next();
    let run = begin_look(&world, "h1").await;
    world.begun(run.run_id()).await;
    world.talker.says("Nine o'clock.");
    let asked = world.asks_as("r1", "what time is it?", &address("7"), Queue::Steer).await;
    say.send("HEARTBEAT_OK".to_owned()).await.unwrap();
    drop(say);
    world.ended(&asked).await;
    assert_eq!(platform.told(1).await, ["Nine o'clock."]);
    let told = said(&world).await;
    assert_eq!(told.len(), 2, "{told:?}");
}

#[tokio::test]
async fn a_look_that_a_crash_cut_off_is_not_made_up_for() {
    let (world, _platform) = open().await;
    let say = world.talker.next();
    let begun = begin_look(&world, "h1").await.run_id().clone();
    world.begun(&begun).await;
    let waits = begin_look(&world, "h2").await.run_id().clone();
    let world = world.crash().await;
    world.relay.turns().recover().await.unwrap();
    drop(say);
    let status = async |run: &RunId| world.store.runs().get(run).await.unwrap().unwrap().status;
    assert_eq!(status(&begun).await, RunStatus::Interrupted);
    assert_eq!(status(&waits).await, RunStatus::Aborted);
    assert!(world.talker.asked().is_empty());
}
