//! What is said goes out once, in order, or people learn why not.

use std::sync::Arc;
use std::time::Duration;

use homard_channel::{Abilities, Ability, ChannelError, Content, Outbound, Receipt, RichText, SharedChannel};
use serde_json::json;

use super::{OutgoingText, SendError};
use crate::fixture::{Platform, Shared, World, abilities, address};

const LIMIT: Duration = Duration::from_secs(20);

fn shared(platform: &Arc<Platform>) -> SharedChannel {
    Arc::new(Shared(Arc::clone(platform)))
}

async fn open() -> (World, Arc<Platform>) {
    let (world, platform) = (World::new(json!({})), Platform::new(abilities()));
    world.relay.platforms().open_channels(vec![shared(&platform)]).await.unwrap();
    (world, platform)
}

fn saying(to: &str, text: &str, key: &str) -> OutgoingText {
    OutgoingText { address: address(to), text: text.to_owned(), reply_to: None, key: key.to_owned() }
}

fn outbound(to: &str, text: &str, key: &str) -> Outbound {
    let content = Content::Text { words: RichText::plain(text), buttons: Vec::new() };
    Outbound {
        address: address(to),
        key: key.to_owned(),
        reply_to: None,
        silent: false,
        no_previews: false,
        content,
    }
}

#[tokio::test]
async fn what_is_said_goes_out_in_order_and_saying_it_again_says_nothing() {
    let (world, platform) = open().await;
    for number in 0..20 {
        world
            .relay
            .outgoing()
            .say(saying("1", &format!("number {number}"), &format!("k{number}")))
            .await
            .unwrap();
    }
    world.relay.outgoing().say(saying("1", "number 3", "k3")).await.unwrap();
    let expected: Vec<String> = (0..20).map(|number| format!("number {number}")).collect();
    assert_eq!(platform.told(20).await, expected);
    world.relay.stop(Duration::ZERO).await;
    assert_eq!(platform.sent().len(), 20);
    let counts = world.store.outbox().counts().await.unwrap();
    assert_eq!((counts[0].sent, counts[0].waiting, counts[0].ambiguous), (20, 0, 0));
}

#[tokio::test]
async fn a_receipt_is_waited_for_and_known_again() {
    let (world, platform) = open().await;
    let first = world.relay.outgoing().send(outbound("1", "hi", "k"), LIMIT).await.unwrap();
    let again = world.relay.outgoing().send(outbound("1", "hi", "k"), LIMIT).await.unwrap();
    assert_eq!((first.message_id.as_str(), platform.sent().len()), ("1", 1));
    assert_eq!(first, again);
    let mut elsewhere = outbound("1", "hi", "k2");
    elsewhere.address.channel = homard_protocol::ChannelId::parse("nowhere").unwrap();
    assert!(matches!(
        world.relay.outgoing().send(elsewhere, LIMIT).await,
        Err(SendError::NotConnected { .. })
    ));
}

#[tokio::test]
async fn what_surely_did_not_arrive_is_sent_again_and_is_not_ambiguous() {
    let (world, platform) = open().await;
    platform.answers(Err(ChannelError::Unreachable("reset".into())));
    platform.answers(Err(ChannelError::Wait(Duration::from_millis(50))));
    let receipt = world.relay.outgoing().send(outbound("1", "hi", "k"), LIMIT).await.unwrap();
    assert_eq!(receipt.message_id, "3");
    let row = world.store.outbox().get("k").await.unwrap().unwrap();
    assert_eq!((row.tries, row.ambiguous), (1, 0), "being asked to wait is no failure");
}

#[tokio::test]
async fn what_may_have_arrived_is_sent_again_and_counted() {
    let (world, platform) = open().await;
    platform.answers(Err(ChannelError::Unknown("timed out".into())));
    world.relay.outgoing().send(outbound("1", "hi", "k"), LIMIT).await.unwrap();
    assert_eq!(platform.told(2).await, ["hi", "hi"]);
    assert_eq!(world.store.outbox().get("k").await.unwrap().unwrap().ambiguous, 1);
    let dedupes = Platform::new(Abilities { dedupes_sends: Ability::Has, ..abilities() });
    world.relay.platforms().replace_channel(shared(&dedupes)).await;
    dedupes.answers(Err(ChannelError::Unknown("timed out".into())));
    world.relay.outgoing().send(outbound("1", "hi", "k2"), LIMIT).await.unwrap();
    assert_eq!(world.store.outbox().get("k2").await.unwrap().unwrap().ambiguous, 0);
}

#[tokio::test]
async fn what_will_never_be_taken_is_given_up_and_the_next_goes_on() {
    let (world, platform) = open().await;
    platform.answers(Err(ChannelError::Permanent("blocked by the user".into())));
    let refused = world.relay.outgoing().send(outbound("1", "hi", "k"), LIMIT).await;
    assert!(matches!(refused, Err(SendError::Channel(ChannelError::Permanent(_)))), "{refused:?}");
    world.relay.outgoing().send(outbound("1", "there", "k2"), LIMIT).await.unwrap();
    let dead = world.store.outbox().dead_letters(10).await.unwrap();
    assert_eq!(dead.len(), 1);
    assert!(dead[0].last_error.as_ref().unwrap().contains("blocked by the user"));
    let again = world.relay.outgoing().send(outbound("1", "hi", "k"), LIMIT).await;
    assert!(matches!(again, Err(SendError::Channel(ChannelError::Permanent(_)))), "{again:?}");
}

#[tokio::test]
async fn a_refused_account_keeps_everything_until_it_is_put_right() {
    let (world, platform) = open().await;
    platform.answers(Err(ChannelError::Refused("token revoked".into())));
    world.relay.outgoing().say(saying("1", "one", "k1")).await.unwrap();
    platform.told(1).await;
    world.relay.outgoing().say(saying("2", "two", "k2")).await.unwrap();
    let mended = Platform::new(abilities());
    world.relay.platforms().replace_channel(shared(&mended)).await;
    let mut told = mended.told(2).await;
    told.sort();
    assert_eq!(told, ["one", "two"]);
    assert_eq!(platform.sent().len(), 1);
}

#[tokio::test]
async fn what_waits_and_what_was_being_sent_goes_out_after_a_crash() {
    let world = World::new(json!({}));
    world.relay.outgoing().say(saying("1", "being sent", "k1")).await.unwrap();
    world.relay.outgoing().say(saying("1", "waiting", "k2")).await.unwrap();
    let sending = world.store.outbox().get("k1:0").await.unwrap().unwrap();
    assert!(world.store.outbox().mark_sending(&sending).await.unwrap());
    let (world, platform) = (world.crash().await, Platform::new(abilities()));
    world.relay.platforms().open_channels(vec![shared(&platform)]).await.unwrap();
    assert_eq!(platform.told(2).await, ["being sent", "waiting"]);
    world.relay.stop(Duration::ZERO).await;
    let ambiguous =
        [world.store.outbox().get("k1:0").await.unwrap(), world.store.outbox().get("k2:0").await.unwrap()];
    assert_eq!(ambiguous.map(|row| row.unwrap().ambiguous), [1, 0]);
}

#[tokio::test]
async fn a_slow_platform_is_not_waited_for_for_ever_but_the_message_goes_out() {
    let (world, platform) = open().await;
    platform.answers(Err(ChannelError::Wait(Duration::from_millis(300))));
    let later = world.relay.outgoing().send(outbound("1", "hi", "k"), Duration::from_millis(100)).await;
    assert!(matches!(later, Err(SendError::Later(_))), "{later:?}");
    assert_eq!(platform.told(2).await, ["hi", "hi"]);
}

#[tokio::test]
async fn a_stopped_account_sends_nothing_until_it_is_started() {
    let (world, platform) = open().await;
    let homard_channel::Address { channel, account, .. } = address("1");
    world.relay.platforms().stop_channel(&channel, &account).await;
    world.relay.outgoing().say(saying("1", "hi", "k")).await.unwrap();
    assert!(platform.sent().is_empty());
    world.relay.platforms().start_channel(&channel, &account).await;
    assert_eq!(platform.told(1).await, ["hi"]);
    assert!(world.relay.platforms().channel_status()[0].running);
    drop(Receipt::default());
}

#[tokio::test]
async fn a_bug_in_an_adapter_leaves_nobody_without_a_postman() {
    let (world, platform) = open().await;
    let broken = world.relay.outgoing().send(outbound("1", crate::fixture::BUG, "k1"), LIMIT).await;
    assert!(matches!(broken, Err(SendError::Channel(ChannelError::Permanent(_)))), "{broken:?}");
    world.relay.outgoing().send(outbound("1", "next", "k2"), LIMIT).await.unwrap();
    assert_eq!(platform.told(1).await, ["next"]);
}

#[tokio::test]
async fn whoever_stops_waiting_for_a_receipt_is_forgotten() {
    let (world, platform) = open().await;
    platform.answers(Err(ChannelError::Wait(LIMIT)));
    let (relay, told) = (world.relay.clone(), platform.told(1));
    let outgoing = relay.outgoing();
    tokio::select! {
        sent = outgoing.send(outbound("1", "hi", "k"), LIMIT) => panic!("{sent:?}"),
        _told = told => {}
    }
    assert!(world.relay.outgoing().outbox().waiting.lock().is_empty());
}

#[tokio::test]
async fn a_search_without_end_keeps_nobody_from_stopping() {
    let (world, platform) = open().await;
    platform.answers(Err(ChannelError::Unknown("timed out".into())));
    world.relay.outgoing().say(saying("1", crate::fixture::NOWHERE, "k")).await.unwrap();
    platform.looked.subscribe().wait_for(|times| *times > 0).await.unwrap();
    let stopped = tokio::time::timeout(LIMIT, world.relay.stop(Duration::ZERO)).await;
    assert!(stopped.is_ok());
    assert_eq!(platform.sent().len(), 1);
}
