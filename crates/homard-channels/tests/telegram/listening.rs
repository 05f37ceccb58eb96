//! Hearing by asking.

use homard_channel::{ChannelError, InboundEvent};
use homard_testkit::{Fault, Sending};
use serde_json::json;

use crate::telegram::bench::{ADA, Bench, CREW, listen};

#[tokio::test]
async fn what_people_write_is_heard_and_confirmed_only_once_it_is_kept() {
    let bench = Bench::new().await;
    let said = bench.fake.user_says(ADA, ADA, "hello");
    let mut listening = bench.listen();
    let (heard, kept) = listening.next_unkept().await;
    let InboundEvent::Message(message) = heard else { panic!("a message") };
    assert_eq!((message.text.as_str(), message.message_id), ("hello", said.message_id.to_string()));
    assert_eq!(bench.fake.unconfirmed(), [said.update_id]);
    assert_eq!(bench.offset(), None);
    kept.send(()).unwrap();
    bench.fake.wait_until_confirmed().await.unwrap();
    assert_eq!(bench.offset(), Some(said.update_id));
    assert_eq!(listening.stop().await, Ok(()));
}

#[tokio::test]
async fn a_hundred_messages_arrive_in_their_order() {
    let bench = Bench::new().await;
    for n in 0..120 {
        bench.fake.user_says(ADA, ADA, &n.to_string());
    }
    let mut listening = bench.listen();
    for n in 0..120 {
        assert_eq!(listening.next_message().await.text, n.to_string());
    }
}

#[tokio::test]
async fn what_was_not_kept_comes_again_after_a_restart() {
    let bench = Bench::new().await;
    bench.fake.user_says(ADA, ADA, "one");
    bench.fake.user_says(ADA, ADA, "two");
    let mut listening = bench.listen();
    assert_eq!(listening.next_message().await.text, "one");
    let (_, kept) = listening.next_unkept().await;
    drop(kept);
    assert_eq!(listening.end().await, Ok(()));
    assert_eq!(bench.fake.unconfirmed().len(), 2);
    let mut again = listen(&bench.restarted());
    assert_eq!(again.next_message().await.text, "two");
    bench.fake.wait_until_confirmed().await.unwrap();
}

#[tokio::test]
async fn malformed_and_unknown_updates_are_stepped_over() {
    let bench = Bench::new().await;
    bench.fake.raw_update(json!({"message": {"message_id": "what"}}));
    bench.fake.raw_update(json!({"hologram": {"a": [1, 2]}}));
    bench.fake.raw_update(json!({"message": null}));
    bench.fake.user_says(ADA, ADA, "fine");
    let mut listening = bench.listen();
    assert_eq!(listening.next_message().await.text, "fine");
    bench.fake.wait_until_confirmed().await.unwrap();
}

#[tokio::test]
async fn a_wrong_token_ends_listening() {
    let bench = Bench::new().await;
    for method in ["getMe", "getUpdates"] {
        bench.fake.fail_next(method, Fault::status(401));
        let ended = bench.listen().end().await;
        assert!(matches!(ended, Err(ChannelError::Refused(_))), "{method}: {ended:?}");
    }
}

/// A server that stumbles is asked again after a pause of two seconds, which is why each fault has a test of its own.
async fn heard_in_spite_of(method: &str, fault: Fault) {
    let bench = Bench::new().await;
    bench.fake.fail_next(method, fault);
    bench.fake.user_says(ADA, ADA, "still there?");
    let mut listening = bench.listen();
    assert_eq!(listening.next_message().await.text, "still there?");
}

#[tokio::test]
async fn a_bad_gateway_is_asked_again() {
    heard_in_spite_of("getUpdates", Fault::status(502)).await;
}

#[tokio::test]
async fn another_listener_is_waited_out() {
    heard_in_spite_of("getUpdates", Fault::status(409)).await;
}

#[tokio::test]
async fn a_wish_to_wait_is_granted() {
    heard_in_spite_of("getUpdates", Fault::TooMany(1)).await;
}

#[tokio::test]
async fn a_lost_connection_is_made_again() {
    heard_in_spite_of("getUpdates", Fault::CutBefore).await;
}

#[tokio::test]
async fn an_unreadable_answer_is_asked_again() {
    heard_in_spite_of("getUpdates", Fault::Answer("not json".to_owned())).await;
}

#[tokio::test]
async fn updates_without_a_number_do_not_spin() {
    let odd = "{\"ok\":true,\"result\":[{\"no\":\"number\"}]}";
    heard_in_spite_of("getUpdates", Fault::Answer(odd.to_owned())).await;
}

#[tokio::test]
async fn a_server_that_is_away_at_the_start_is_waited_for() {
    heard_in_spite_of("getMe", Fault::status(500)).await;
}

#[tokio::test]
async fn a_webhook_left_behind_is_removed() {
    let bench = Bench::new().await;
    let client = homard_http::client().build().expect("a client");
    let url = format!("{}/bot{}/setWebhook?url=https://a.example/x", bench.fake.url(), bench.fake.token());
    client.post(url).send().await.unwrap();
    bench.fake.user_says(ADA, ADA, "hi");
    let mut listening = bench.listen();
    assert_eq!(listening.next_message().await.text, "hi");
    assert_eq!(bench.fake.calls_of("deleteWebhook").len(), 1);
}

#[tokio::test]
async fn the_menu_is_shown_and_its_failure_changes_nothing() {
    let more = json!({"customCommands": [{"command": "/weather", "description": "Rain?"}]});
    let bench = Bench::with(&more).await;
    let listening = bench.listen();
    bench.fake.wait_for_calls("setMyCommands", 1).await.unwrap();
    let names: Vec<_> =
        bench.fake.commands().iter().map(|c| c["command"].as_str().unwrap().to_owned()).collect();
    assert_eq!(names, ["status", "stop", "weather"]);
    listening.stop().await.unwrap();
    bench.fake.fail_next("deleteMyCommands", Fault::status(400));
    bench.fake.user_says(ADA, ADA, "hi");
    let mut listening = bench.listen();
    assert_eq!(listening.next_message().await.text, "hi");
}

#[tokio::test]
async fn a_pressed_button_is_answered_and_heard() {
    let bench = Bench::new().await;
    let said = bench.fake.user_says(ADA, ADA, "x");
    bench.fake.presses(ADA, ADA, said.message_id, "yes");
    let mut listening = bench.listen();
    listening.next_message().await;
    assert_eq!(listening.next_message().await.text, "callback_data: yes");
    let calls = bench.fake.wait_for_calls("answerCallbackQuery", 1).await.unwrap();
    assert!(calls[0].outcome.is_taken());
}

#[tokio::test]
async fn albums_and_long_texts_are_marked_as_parts_of_one() {
    let bench = Bench::new().await;
    bench.fake.sends_album(ADA, ADA, &[b"a", b"b"], "look");
    bench.fake.user_says(ADA, ADA, &"x".repeat(4_096));
    bench.fake.user_says(ADA, ADA, "tail");
    let mut listening = bench.listen();
    let mut parts = Vec::new();
    for _ in 0..4 {
        parts.push(listening.next_message().await.details.part_of.unwrap());
    }
    assert_eq!((&parts[0], &parts[2]), (&parts[1], &parts[3]));
    assert_ne!(parts[0], parts[2]);
}

#[tokio::test]
async fn groups_topics_mentions_and_moves() {
    let bench = Bench::new().await;
    bench.fake.has_topics(CREW, [9]);
    bench.fake.topic_says(CREW, 9, ADA, "hey @homard_test_bot");
    bench.fake.group_says(-77, ADA, "not for you");
    bench.fake.migrates(-77, -1_077);
    bench.fake.message(ADA, ADA).file(Sending::AnimatedSticker, "a.tgs", b"x").send();
    let mut listening = bench.listen();
    let first = listening.next_message().await;
    assert_eq!(first.conversation.thread().map(|thread| thread.as_str().to_owned()).as_deref(), Some("9"));
    assert_eq!(first.details.mentions_us, Some(true));
    assert_eq!(listening.next_message().await.details.mentions_us, Some(false));
    for _ in 0..2 {
        let InboundEvent::Moved { from, to, .. } = listening.next().await else { panic!("the group moved") };
        assert_eq!((from.as_str(), to.as_str()), ("-77", "-1077"));
    }
    assert_eq!(listening.next_message().await.text, "🦞");
}

#[tokio::test]
async fn every_answered_poll_is_a_sign_of_life() {
    let bench = Bench::new().await;
    let mut listening = bench.listen();
    bench.fake.wait_for_polls(1).await.unwrap();
    let before = listening.inbox.last_sign();
    bench.fake.user_says(ADA, ADA, "hi");
    listening.next_message().await;
    bench.fake.wait_for_polls(2).await.unwrap();
    assert!(listening.inbox.last_sign() >= before);
}

#[tokio::test]
async fn reactions_to_our_messages_are_told() {
    let bench = Bench::new().await;
    bench.fake.user_says(ADA, ADA, "hi");
    let mut listening = bench.listen();
    listening.next_message().await;
    let sent = bench.channel.deliver(bench.to(ADA, crate::telegram::bench::text("yo", "yo"))).await.unwrap();
    bench.fake.reacts(ADA, ADA, 1, Some("👎"));
    bench.fake.reacts(ADA, ADA, sent.message_id.parse().unwrap(), Some("👍"));
    let InboundEvent::Event(event) = listening.next().await else { panic!("an event") };
    assert_eq!(event.text, "Telegram reaction added: 👍 by User42 (@user42) on msg 2");
}

#[tokio::test]
async fn we_know_who_we_are_and_what_the_owner_should_change() {
    let bench = Bench::new().await;
    let probe = bench.channel.probe().await.unwrap();
    assert_eq!(probe.username.as_deref(), Some(bench.fake.bot_name()));
    assert_eq!(probe.id, Some(bench.fake.bot_id().to_string()));
    assert!(probe.advice.is_empty(), "{:?}", probe.advice);
    bench.fake.reads_all(false);
    let probe = bench.channel.probe().await.unwrap();
    assert!(probe.advice[0].contains("/setprivacy"));
    bench.fake.fail_next("getMe", Fault::status(401));
    assert!(matches!(bench.channel.probe().await, Err(ChannelError::Refused(_))));
}
