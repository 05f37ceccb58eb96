//! What is kept of something heard, and how its run is named.

use std::time::Duration;

use homard_channel::{Conversation, Inbound, InboundEvent, Sender};
use homard_protocol::{AgentId, ChannelId, PeerId, SessionKey};
use serde_json::json;

use super::{MAX_PAYLOAD, run_name, to_keep};
use crate::fixture::World;
use crate::parts::Intake;

fn message(peer: &str, id: &str) -> Inbound {
    let key = SessionKey::main(AgentId::main());
    let mut message = Inbound::from_operator(key, id.to_owned(), "hi".to_owned(), 1);
    let peer = PeerId::parse(peer).unwrap();
    message.channel = ChannelId::parse("telegram").unwrap();
    message.conversation = Conversation::Direct { peer: peer.clone(), thread: None };
    message.sender = Sender::Peer { id: peer, name: None };
    message
}

#[test]
fn the_same_message_makes_the_same_run_and_no_other_does() {
    let name = |peer, id| run_name(&message(peer, id)).unwrap().to_string();
    assert_eq!(name("7", "42"), name("7", "42"));
    assert_ne!(name("7", "42"), name("7", "43"));
    assert_ne!(name("7", "42"), name("74", "2"));
    assert!(name("7", "42").starts_with("telegram-"), "{}", name("7", "42"));
    let odd = run_name(&message("7", &"\u{202e}/../x y\n".repeat(500))).unwrap();
    assert!(odd.as_str().len() < 60);
}

#[test]
fn an_adapter_cannot_speak_as_the_owner_nor_choose_a_conversation() {
    assert!(to_keep(&InboundEvent::Message(Box::new(message("7", "1")))).is_some());
    let mut as_owner = message("7", "1");
    as_owner.sender = Sender::Operator;
    assert!(to_keep(&InboundEvent::Message(Box::new(as_owner))).is_none());
    let mut elsewhere = message("7", "1");
    elsewhere.conversation = Conversation::Session(SessionKey::main(AgentId::main()));
    assert!(to_keep(&InboundEvent::Message(Box::new(elsewhere))).is_none());
}

#[test]
fn a_message_without_end_is_left_out() {
    let mut long = message("7", "1");
    long.text = "x".repeat(MAX_PAYLOAD + 1);
    assert!(to_keep(&InboundEvent::Message(Box::new(long))).is_none());
}

#[test]
fn what_is_kept_reads_as_what_was_heard() {
    let heard = InboundEvent::Message(Box::new(message("7", "1")));
    let kept = to_keep(&heard).unwrap();
    assert_eq!(kept.key, "7:1");
    assert_eq!(serde_json::from_str::<InboundEvent>(&kept.payload).unwrap(), heard);
}

#[tokio::test]
async fn how_long_a_message_waits_for_more_is_the_owners_choice_on_each_platform() {
    let world = World::new(json!({"messages": {"inbound": {"debounceMs": 70, "byChannel": {"irc": 30}}}}));
    let intake = Intake::of(world.relay.downgrade().upgrade().unwrap());
    let mut heard = message("7", "1");
    assert_eq!(intake.pace_of(&heard).quiet, Duration::from_millis(70));
    heard.channel = ChannelId::parse("irc").unwrap();
    assert_eq!(intake.pace_of(&heard).quiet, Duration::from_millis(30));
}
