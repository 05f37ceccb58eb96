//! What people on a platform hear of a turn.

use std::sync::Arc;
use std::time::Duration;

use homard_channel::{Abilities, Content};
use homard_protocol::Word;
use homard_store::RunStatus;
use serde_json::{Value, json};

use super::INTERRUPTED;
use crate::fixture::{Platform, Shared, World, abilities, address, editable};
use crate::turns::queue::Queue;

async fn open(abilities: Abilities, config: Value) -> (World, Arc<Platform>) {
    let (world, platform) = (World::new(config), Platform::new(abilities));
    connect(&world, &platform).await;
    (world, platform)
}

async fn connect(world: &World, platform: &Arc<Platform>) {
    let account: homard_channel::SharedChannel = Arc::new(Shared(Arc::clone(platform)));
    world.relay.platforms().know_channels(&[Arc::clone(&account)]);
    world.relay.turns().recover().await.unwrap();
    world.relay.platforms().open_channels(vec![account]).await.unwrap();
}

#[tokio::test]
async fn an_answer_goes_where_the_question_came_from_cut_to_size() {
    let (world, platform) = open(abilities(), json!({})).await;
    world.talker.says(&"word ".repeat(60));
    let run = world.asks("r1", "hello", &address("7")).await;
    world.ended(&run).await;
    let told = platform.told(2).await;
    assert!(told.iter().all(|part| part.chars().count() <= 200), "{told:?}");
    let rows = world.store.outbox().of_run(&run).await.unwrap();
    let keys: Vec<_> = rows.iter().map(|row| row.new.key.as_str()).collect();
    assert_eq!(keys, ["r1:0", "r1:1"]);
    assert!(
        platform
            .sent()
            .iter()
            .all(|outbound| outbound.address == address("7") && outbound.reply_to.is_none())
    );
}

#[tokio::test]
async fn replies_and_prefixes_are_as_the_owner_wants() {
    let config = json!({"channels": {"fake": {"replyToMode": "first", "responsePrefix": "[{model}]"}}});
    let (world, platform) = open(abilities(), config).await;
    world.talker.says("Good evening.");
    let run = world.asks("r1", "hello", &address("7")).await;
    world.ended(&run).await;
    assert_eq!(platform.told(1).await, ["[talker] Good evening."]);
    assert_eq!(platform.sent()[0].reply_to.as_deref(), Some("m-r1"));
}

#[tokio::test]
async fn tools_and_costs_are_shown_where_the_conversation_wants_to_know() {
    let key = homard_protocol::SessionKey::parse("agent:main:main").unwrap();
    for (verbose, usage, usual, expected) in [
        (None, None, "off", vec!["Done."]),
        (None, None, "on", vec!["🛠️ read: notes.md", "⚠️ read failed:", "Done."]),
        (Some("on"), None, "off", vec!["🛠️ read: notes.md", "⚠️ read failed:", "Done."]),
        (None, Some("tokens"), "off", vec!["Done.\n\nUsage: "]),
        (Some("off"), Some("full"), "on", vec!["Done.\n\nUsage: "]),
    ] {
        let settings = json!({"agents": {"defaults": {"verboseDefault": usual}}});
        let (world, platform) = open(abilities(), settings).await;
        let change = move |entry: &mut homard_store::SessionEntry| {
            entry.verbose_level = verbose.map(Word::of);
            entry.response_usage = usage.map(Word::of);
        };
        world.store.sessions().patch(&key, change).await.unwrap();
        world.talker.calls("read", json!({"path": "notes.md"}));
        world.talker.says("Done.");
        let run = world.asks("r1", "look", &address("7")).await;
        world.ended(&run).await;
        let told = platform.told(expected.len()).await;
        assert_eq!(told.len(), expected.len(), "{told:?}");
        for (said, begin) in told.iter().zip(&expected) {
            assert!(said.starts_with(begin), "{verbose:?} {usage:?}: {told:?}");
        }
        let names_session = told.last().unwrap().contains("session agent:main:main");
        assert_eq!(names_session, usage == Some("full"), "{told:?}");
    }
}

#[tokio::test]
async fn a_batched_reply_is_one_only_where_several_messages_are_answered_at_once() {
    let config = json!({"channels": {"fake": {"replyToMode": "batched"}}});
    let (world, platform) = open(abilities(), config).await;
    world.talker.says("One.");
    let run = world.asks("r1", "hello", &address("7")).await;
    world.ended(&run).await;
    platform.told(1).await;
    assert_eq!(platform.sent()[0].reply_to, None);
    let say = world.talker.next();
    let busy = world.asks("r2", "go on", &address("7")).await;
    world.begun(&busy).await;
    world.talker.says("Both.");
    let quiet = Queue::Collect(Duration::ZERO);
    world.asks_as("r3", "one", &address("7"), quiet).await;
    let last = world.asks_as("r4", "two", &address("7"), Queue::Collect(Duration::ZERO)).await;
    say.send("Two.".into()).await.unwrap();
    drop(say);
    world.ended(&last).await;
    platform.told(3).await;
    let replies: Vec<_> = platform.sent().iter().map(|sent| sent.reply_to.clone()).collect();
    assert_eq!(replies, [None, None, Some("m-r4".to_owned())]);
}

#[tokio::test]
async fn silence_is_silent_and_what_a_tool_said_is_not_said_again() {
    let (world, platform) = open(abilities(), json!({})).await;
    world.talker.says("NO_REPLY");
    let run = world.asks("r1", "hello", &address("7")).await;
    world.ended(&run).await;
    let say = world.talker.next();
    let run = world.asks("r2", "hello", &address("7")).await;
    let under_way = world.relay.turns().runs().get(&run).unwrap();
    under_way.delivery.said(address("7"), "The lights are off now.".into());
    drop(under_way);
    say.send("The lights are off now.".into()).await.unwrap();
    drop(say);
    world.ended(&run).await;
    world.talker.says("Something else entirely.");
    let run = world.asks("r3", "hello", &address("7")).await;
    world.ended(&run).await;
    assert_eq!(platform.told(1).await, ["Something else entirely."]);
}

#[tokio::test]
async fn a_failure_is_told_in_one_sentence() {
    let (world, platform) = open(abilities(), json!({})).await;
    let run = world.asks("r1", "hello", &address("7")).await;
    world.ended(&run).await;
    let told = platform.told(1).await;
    assert!(told[0].starts_with("⚠️ ") && told[0].contains("nothing to say"), "{told:?}");
}

#[tokio::test]
async fn a_stopped_turn_says_nothing() {
    let (world, platform) = open(abilities(), json!({})).await;
    let say = world.talker.next();
    let run = world.asks("r1", "hello", &address("7")).await;
    say.send("I was going to".into()).await.unwrap();
    let key = world.relay.turns().session_of(&run).unwrap();
    while world.relay.turns().views(&key).iter().all(|view| view.text.as_deref().is_none_or(str::is_empty)) {
        tokio::task::yield_now().await;
    }
    world.relay.abort(&key, None, homard_protocol::StopCause::Rpc).await;
    world.talker.says("The next answer.");
    let run = world.asks("r2", "hello", &address("7")).await;
    world.ended(&run).await;
    assert_eq!(platform.told(1).await, ["The next answer."]);
}

#[tokio::test]
async fn files_go_out_with_a_caption_and_only_from_the_workspace() {
    let (world, platform) = open(abilities(), json!({})).await;
    let workspace = world.dir.path().join("workspace");
    std::fs::write(workspace.join("cat.png"), b"picture").unwrap();
    std::fs::write(world.dir.path().join("secret.txt"), b"secret").unwrap();
    world.talker.says("Here is the cat.\nMEDIA: cat.png\nMEDIA: ../secret.txt");
    let run = world.asks("r1", "cat?", &address("7")).await;
    world.ended(&run).await;
    let told = platform.told(2).await;
    assert_eq!(told[0], "<cat.png> ", "the text is too long to stand beside it");
    assert!(told[1].starts_with("Here is the cat.") && told[1].contains("was not sent"), "{told:?}");
    let Content::Media { file, .. } = &platform.sent()[0].content else { panic!("no file") };
    assert!(file.path.starts_with(world.dir.path()) && !file.path.starts_with(&workspace));
    world.relay.stop(Duration::ZERO).await;
    assert!(!file.path.exists(), "the copy goes when it was sent");
}

#[tokio::test]
async fn of_what_was_received_only_what_the_conversation_was_sent_goes_out() {
    let (world, platform) = open(abilities(), json!({})).await;
    let kept = homard_config::Paths::under(world.dir.path()).state_dir.join("media/inbound");
    std::fs::create_dir_all(&kept).unwrap();
    for name in ["aa11-ours.png", "bb22-others.png"] {
        std::fs::write(kept.join(name), b"picture").unwrap();
    }
    let [ours, others] =
        ["aa11-ours.png", "bb22-others.png"].map(|name| kept.join(name).display().to_string());
    world.talker.says(&format!("Here.\nMEDIA: {ours}\nMEDIA: {others}"));
    let run = world.asks("r1", &format!("[media attached: {ours}] send it back"), &address("7")).await;
    world.ended(&run).await;
    // That it spoke of the other one itself changes nothing.
    world.talker.says(&format!("Then again.\nMEDIA: {others}"));
    let run = world.asks("r2", "and the other?", &address("7")).await;
    world.ended(&run).await;
    let told = platform.told(3).await.join("\n");
    assert_eq!(told.matches("<aa11-ours.png>").count(), 1, "{told}");
    assert!(!told.contains("<bb22-others.png>") && told.matches("was not sent").count() == 2, "{told}");
}

#[tokio::test]
async fn people_see_that_somebody_types() {
    let (world, platform) = open(abilities(), json!({})).await;
    let say = world.talker.next();
    let run = world.asks("r1", "hello", &address("7")).await;
    platform.typed.subscribe().wait_for(|typed| *typed > 0).await.unwrap();
    say.send("Hello.".into()).await.unwrap();
    drop(say);
    world.ended(&run).await;
    assert_eq!(platform.told(1).await, ["Hello."]);
}

#[tokio::test]
async fn a_message_that_is_seen_gets_its_sign_which_goes_after_the_answer() {
    let config = json!({"messages": {"ackReactionScope": "all", "removeAckAfterReply": true}});
    let (world, platform) = open(abilities(), config).await;
    let say = world.talker.next();
    let run = world.asks("r1", "hello", &address("7")).await;
    platform.told(1).await;
    say.send("Hello.".into()).await.unwrap();
    drop(say);
    world.ended(&run).await;
    assert_eq!(platform.told(3).await, ["react m-r1 👀", "Hello.", "react m-r1 none"]);
}

#[tokio::test]
async fn an_answer_grows_in_one_message_and_ends_in_it() {
    let (world, platform) = open(editable(), json!({})).await;
    let say = world.talker.next();
    let run = world.asks("r1", "hello", &address("7")).await;
    say.send("This is long enough to be shown already".into()).await.unwrap();
    platform.told(1).await;
    say.send(", and now it is whole.".into()).await.unwrap();
    drop(say);
    world.ended(&run).await;
    let told = platform.told(2).await;
    assert_eq!(told.first().map(String::as_str), Some("This is long enough to be shown already"));
    assert_eq!(
        told.last().map(String::as_str),
        Some("edit 1: This is long enough to be shown already, and now it is whole.")
    );
}

#[tokio::test]
async fn a_preview_of_what_becomes_long_is_taken_back() {
    let (world, platform) = open(editable(), json!({})).await;
    let say = world.talker.next();
    let run = world.asks("r1", "hello", &address("7")).await;
    say.send("This is long enough to be shown already. ".into()).await.unwrap();
    platform.told(1).await;
    say.send("word ".repeat(60)).await.unwrap();
    drop(say);
    world.ended(&run).await;
    let told = platform.told(4).await;
    let after: Vec<_> = told.iter().skip(1).filter(|line| !line.starts_with("edit 1")).collect();
    assert_eq!(after[0], "delete 1");
    assert_eq!(after.len(), 3, "{told:?}");
}

#[tokio::test]
async fn a_deleted_preview_does_not_swallow_the_answer() {
    let (world, platform) = open(editable(), json!({})).await;
    let say = world.talker.next();
    let run = world.asks("r1", "hello", &address("7")).await;
    say.send("This is long enough to be shown already".into()).await.unwrap();
    platform.told(1).await;
    platform.answers(Err(homard_channel::ChannelError::Permanent("message to edit not found".into())));
    drop(say);
    world.ended(&run).await;
    assert_eq!(platform.told(3).await.last().unwrap(), "This is long enough to be shown already");
}

#[tokio::test]
async fn pieces_are_sent_as_they_are_done_and_not_repeated() {
    let config = json!({
        "channels": {"fake": {"blockStreaming": true}},
        "agents": {"defaults": {"blockStreamingChunk": {"minChars": 20, "maxChars": 60},
            "blockStreamingCoalesce": {"minChars": 1, "maxChars": 60, "idleMs": 20}}}
    });
    let (world, platform) = open(editable(), config).await;
    let say = world.talker.next();
    let run = world.asks("r1", "hello", &address("7")).await;
    say.send("The first paragraph is here.\n\nThe second ".into()).await.unwrap();
    assert_eq!(platform.told(1).await, ["The first paragraph is here."]);
    say.send("one ends now.".into()).await.unwrap();
    drop(say);
    world.ended(&run).await;
    assert_eq!(platform.told(2).await, ["The first paragraph is here.", "The second one ends now."]);
    let rows = world.store.outbox().of_run(&run).await.unwrap();
    assert_eq!(rows.iter().map(|row| row.new.key.as_str()).collect::<Vec<_>>(), ["r1:b0", "r1:1"]);
}

#[tokio::test]
async fn a_turn_that_a_crash_cut_off_is_answered_once_after_the_restart() {
    let (world, platform) = open(editable(), json!({})).await;
    let say = world.talker.next();
    let run = world.asks("r1", "hello", &address("7")).await;
    say.send("This is long enough to be shown already".into()).await.unwrap();
    platform.told(1).await;
    // The receipt is noted before the process dies.
    let mut row = world.store.outbox().get("r1:preview").await.unwrap().unwrap();
    while row.sent_at.is_none() {
        tokio::task::yield_now().await;
        row = world.store.outbox().get("r1:preview").await.unwrap().unwrap();
    }
    let world = world.crash().await;
    drop(say);
    world.talker.says("Hello again.");
    let after = Platform::new(editable());
    connect(&world, &after).await;
    world.ended(&run).await;
    assert_eq!(after.told(1).await, ["edit 1: Hello again."]);
    assert_eq!(world.store.runs().get(&run).await.unwrap().unwrap().status, RunStatus::Ok);
}

#[tokio::test]
async fn after_a_turn_that_had_done_something_another_goes_on_and_what_was_shown_is_taken_back() {
    let (world, platform) = open(editable(), json!({})).await;
    let say = world.talker.next();
    let run = world.asks("r1", "hello", &address("7")).await;
    say.send("This is long enough to be shown already".into()).await.unwrap();
    platform.told(1).await;
    while world.store.outbox().get("r1:preview").await.unwrap().unwrap().sent_at.is_none() {
        tokio::task::yield_now().await;
    }
    let session = world.store.runs().get(&run).await.unwrap().unwrap().session_id.unwrap();
    let mut said =
        homard_protocol::AssistantMessage::injected("hm".into(), homard_protocol::StopReason::Stop, 1);
    said.content.clear();
    let entry = homard_protocol::EntryKind::Message { message: homard_protocol::Message::Assistant(said) };
    world.store.transcripts().append(&session, vec![entry]).await.unwrap();
    let world = world.crash().await;
    drop(say);
    world.talker.says("I go on.");
    let after = Platform::new(editable());
    connect(&world, &after).await;
    assert_eq!(after.told(2).await, ["delete 1", "I go on."]);
    assert_eq!(world.store.runs().get(&run).await.unwrap().unwrap().status, RunStatus::Interrupted);
}

#[tokio::test]
async fn what_was_sent_beside_a_turn_is_not_its_answer() {
    let (world, _platform) = open(abilities(), json!({})).await;
    let say = world.talker.next();
    let run = world.asks("r1", "hello", &address("7")).await;
    world.begun(&run).await;
    let session = world.store.runs().get(&run).await.unwrap().unwrap().session_id.unwrap();
    let said = homard_protocol::AssistantMessage::injected(
        "The job is done.".into(),
        homard_protocol::StopReason::Stop,
        1,
    );
    let entry = homard_protocol::EntryKind::Message { message: homard_protocol::Message::Assistant(said) };
    world.store.transcripts().append(&session, vec![entry]).await.unwrap();
    let world = world.crash().await;
    drop(say);
    world.talker.says("Hello to you.");
    let after = Platform::new(abilities());
    connect(&world, &after).await;
    assert_eq!(after.told(1).await, ["Hello to you."]);
    assert_eq!(world.store.runs().get(&run).await.unwrap().unwrap().status, RunStatus::Interrupted);
}

#[tokio::test]
async fn a_turn_the_gateway_stopped_itself_is_told() {
    let (world, platform) = open(abilities(), json!({})).await;
    let say = world.talker.next();
    let run = world.asks("r1", "hello", &address("7")).await;
    say.send("I was going to".into()).await.unwrap();
    while world.store.runs().get(&run).await.unwrap().unwrap().status != RunStatus::Running {
        tokio::task::yield_now().await;
    }
    world.relay.stop(Duration::ZERO).await;
    assert_eq!(platform.told(1).await, [INTERRUPTED]);
}

#[tokio::test]
async fn what_was_cut_short_goes_on_before_what_came_after_it() {
    let world = World::new(json!({}));
    let _say = world.talker.next();
    let first = world.asks("r1", "one", &address("7")).await;
    world.begun(&first).await;
    world.asks("r2", "two", &address("7")).await;
    // A piece of the first answer is on its way, so its turn cannot begin as if nothing had been.
    let words = homard_channel::RichText::plain("piece");
    let outbound = homard_channel::Outbound {
        address: address("7"),
        key: "r1:b0".to_owned(),
        reply_to: None,
        silent: false,
        no_previews: false,
        content: Content::Text { words, buttons: Vec::new() },
    };
    let row = crate::delivery::outbox::row_of(&world.relay.outgoing(), &outbound, None, Some(first));
    world.store.outbox().post(vec![row]).await.unwrap();
    let world = world.crash().await;
    world.talker.says("The rest of the first.");
    world.talker.says("The second.");
    let platform = Platform::new(abilities());
    connect(&world, &platform).await;
    platform.told(3).await;
    let keys: Vec<_> = platform.sent().iter().map(|sent| sent.key.clone()).collect();
    assert_eq!(keys, ["r1:b0", "r1~2:0", "r2:0"]);
}

#[tokio::test]
async fn whether_and_how_often_typing_is_shown_is_the_owners_choice() {
    let wanted = |settings: Value| [json!({"agents": {"defaults": settings}}), json!({"session": settings})];
    let never = wanted(json!({"typingMode": "never"})).map(|config| (config, false));
    for (config, types) in [(json!({}), true)].into_iter().chain(never) {
        let (world, platform) = open(abilities(), config.clone()).await;
        let say = world.talker.next();
        let run = world.asks("r1", "hello", &address("7")).await;
        if types {
            platform.typed.subscribe().wait_for(|typed| *typed > 0).await.unwrap();
        }
        say.send("Good evening.".into()).await.unwrap();
        drop(say);
        world.ended(&run).await;
        platform.told(1).await;
        assert_eq!(*platform.typed.borrow() > 0, types, "{config}");
    }
    // The platform shows it for an hour; who wants it renewed sooner gets that.
    for config in wanted(json!({"typingIntervalSeconds": 1})) {
        let lasting = Abilities { typing: Some(Duration::from_secs(3_600)), ..abilities() };
        let (world, platform) = open(lasting, config).await;
        let say = world.talker.next();
        let run = world.asks("r1", "hello", &address("7")).await;
        platform.typed.subscribe().wait_for(|typed| *typed > 1).await.unwrap();
        drop(say);
        world.ended(&run).await;
    }
}

#[tokio::test]
async fn pieces_come_at_a_persons_pace_where_the_owner_wants_it() {
    let hour = json!({"mode": "custom", "minMs": 3_600_000, "maxMs": 3_600_000});
    let off = json!({"mode": "off", "minMs": 3_600_000, "maxMs": 3_600_000});
    for (delay, pieces) in [(hour, 2), (off, 3)] {
        let config = json!({
            "channels": {"fake": {"blockStreaming": true}},
            "agents": {"defaults": {"blockStreamingChunk": {"minChars": 20, "maxChars": 60}, "humanDelay": delay,
                "blockStreamingCoalesce": {"minChars": 1, "maxChars": 60, "idleMs": 20}}}
        });
        let (world, platform) = open(editable(), config).await;
        let say = world.talker.next();
        let run = world.asks("r1", "hello", &address("7")).await;
        say.send("The first paragraph is here.\n\n".into()).await.unwrap();
        platform.told(1).await;
        say.send("The second paragraph is here.\n\n".into()).await.unwrap();
        if pieces == 3 {
            platform.told(2).await;
        }
        say.send("The third one is here.".into()).await.unwrap();
        drop(say);
        world.ended(&run).await;
        let told = platform.told(pieces).await;
        assert_eq!(told.len(), pieces, "who pauses says the rest at the end at once: {told:?}");
    }
}
