//! What is said, as the server records it.

use homard_channel::{Button, ChannelError, Content, File, KnownNearby, MediaKind, Outbound, RichText};
use homard_testkit::{Fault, Outcome};
use serde_json::json;

use crate::telegram::bench::{ADA, Bench, CREW, address, text};

async fn ready() -> Bench {
    let bench = Bench::new().await;
    bench.fake.user_says(ADA, ADA, "hello");
    bench.fake.has_topics(CREW, [9]);
    bench
}

#[tokio::test]
async fn text_with_formatting_buttons_and_a_reply() {
    let bench = ready().await;
    let button = Button { text: "Yes".to_owned(), value: "y".to_owned() };
    let words = RichText { formatted: "<b>hi</b>".to_owned(), plain: "hi".to_owned() };
    let content = Content::Text { words, buttons: vec![vec![button]] };
    let outbound = Outbound { reply_to: Some("1".to_owned()), silent: true, ..bench.to(ADA, content) };
    let receipt = bench.channel.deliver(outbound).await.unwrap();
    let sent = bench.fake.next_sent().await.unwrap();
    assert_eq!(receipt.message_id, sent.message_id.unwrap().to_string());
    assert_eq!((sent.text(), sent.shown.as_deref()), ("<b>hi</b>", Some("hi")));
    assert_eq!(sent.param("reply_markup").unwrap()["inline_keyboard"][0][0]["callback_data"], "y");
    assert_eq!(bench.fake.known(ADA, 2)["reply_to_message"]["message_id"], 1);
}

#[tokio::test]
async fn formatting_the_server_does_not_read_is_sent_plain() {
    let bench = ready().await;
    bench.channel.deliver(bench.to(ADA, text("<b>broken", "broken"))).await.unwrap();
    let calls = bench.fake.calls_of("sendMessage");
    assert!(matches!(calls[0].outcome, Outcome::Refused(400, _)));
    assert_eq!((calls[1].text(), calls[1].param("parse_mode")), ("broken", None));
}

#[tokio::test]
async fn topics_are_written_to_and_lost_ones_are_left() {
    let bench = ready().await;
    for (thread, expected) in [("9", Some(json!(9))), ("1", None), ("5", None)] {
        let outbound = Outbound { address: address(CREW, Some(thread)), ..bench.to(CREW, text("a", "a")) };
        bench.channel.deliver(outbound).await.unwrap();
        let sent = bench.fake.next_sent().await.unwrap();
        assert_eq!(sent.param("message_thread_id"), expected.as_ref(), "{thread}");
    }
    let typing =
        Outbound { address: address(CREW, Some("1")), ..bench.to(CREW, Content::Typing { voice: false }) };
    bench.channel.deliver(typing).await.unwrap();
    let calls = bench.fake.calls_of("sendChatAction");
    assert_eq!(calls[0].params, json!({"chat_id": CREW, "message_thread_id": 1, "action": "typing"}));
}

#[tokio::test]
async fn changing_taking_back_reacting_pinning_and_new_topics() {
    let bench = ready().await;
    let deliver = |chat: i64, content: Content| bench.channel.deliver(bench.to(chat, content));
    let id = deliver(ADA, text("one", "one")).await.unwrap().message_id;
    let edit =
        || Content::Edit { message_id: id.clone(), words: RichText::plain("two"), buttons: Vec::new() };
    assert_eq!(deliver(ADA, edit()).await.unwrap().message_id, id);
    assert_eq!(deliver(ADA, edit()).await.unwrap().message_id, id, "nothing new is no failure");
    assert_eq!(bench.fake.shown(ADA).last().unwrap().text, "two");
    let react =
        |emoji: Option<&str>| Content::React { message_id: id.clone(), emoji: emoji.map(str::to_owned) };
    deliver(ADA, react(Some("👀"))).await.unwrap();
    deliver(ADA, react(None)).await.unwrap();
    assert!(matches!(deliver(ADA, react(Some("🦞"))).await, Err(ChannelError::Permanent(_))));
    deliver(ADA, Content::Pin { message_id: id.clone(), pinned: true }).await.unwrap();
    deliver(ADA, Content::Pin { message_id: id.clone(), pinned: false }).await.unwrap();
    deliver(ADA, Content::Delete { message_id: id.clone() }).await.unwrap();
    deliver(ADA, Content::Delete { message_id: id.clone() }).await.unwrap();
    assert!(matches!(deliver(ADA, edit()).await, Err(ChannelError::Permanent(_))));
    let poll = Content::Poll {
        question: "Soup?".to_owned(),
        options: vec!["yes".to_owned(), "no".to_owned()],
        max_selections: 1,
        open_seconds: None,
        anonymous: true,
    };
    assert!(!deliver(ADA, poll).await.unwrap().message_id.is_empty());
    let began = deliver(CREW, Content::NewThread { name: "Plans".to_owned() }).await.unwrap();
    assert_eq!(began.went_to.unwrap().thread.unwrap().as_str(), began.message_id);
}

#[tokio::test]
async fn files_of_every_kind_arrive_whole() {
    let bench = ready().await;
    let path = bench.home.path().join("thing.bin");
    std::fs::write(&path, b"\x00\x01bytes").unwrap();
    let rows = [
        (MediaKind::Image, "image/png", "sendPhoto"),
        (MediaKind::Voice, "audio/ogg", "sendVoice"),
        (MediaKind::Document, "application/pdf", "sendDocument"),
        (MediaKind::Video, "video/mp4", "sendVideo"),
    ];
    for (kind, mime, method) in rows {
        let file =
            File { kind, path: path.clone(), mime: mime.to_owned(), name: "thing \"1\".bin".to_owned() };
        let caption = RichText { formatted: "<i>see</i>".to_owned(), plain: "see".to_owned() };
        let outbound =
            Outbound { reply_to: Some("1".to_owned()), ..bench.to(ADA, Content::Media { file, caption }) };
        bench.channel.deliver(outbound).await.unwrap();
        let sent = bench.fake.next_sent().await.unwrap();
        assert_eq!((sent.method, sent.shown.as_deref()), (method, Some("see")));
        assert_eq!(sent.uploads[0].bytes, b"\x00\x01bytes");
        assert_eq!(sent.uploads[0].mime.as_deref(), Some(mime));
    }
}

#[tokio::test]
async fn files_that_cannot_go_out_say_why() {
    let bench = ready().await;
    let path = bench.home.path().join("thing.bin");
    std::fs::write(&path, b"x").unwrap();
    let media = |kind: MediaKind, path: std::path::PathBuf| {
        let mime = if kind == MediaKind::Voice { "audio/ogg" } else { "image/png" };
        let file = File { kind, path, mime: mime.to_owned(), name: "thing".to_owned() };
        bench.to(ADA, Content::Media { file, caption: RichText::default() })
    };
    let gone = bench.channel.deliver(media(MediaKind::Image, bench.home.path().join("gone"))).await;
    assert!(matches!(gone, Err(ChannelError::Permanent(_))), "{gone:?}");
    bench.fake.forbids_voice(ADA);
    let voice = bench.channel.deliver(media(MediaKind::Voice, path.clone())).await;
    assert_eq!(
        voice,
        Err(ChannelError::Permanent("they take no voice messages; send text instead".to_owned()))
    );
    let odd = Fault::Refuse(400, "Bad Request: PHOTO_INVALID_DIMENSIONS".to_owned());
    bench.fake.fail_next("sendPhoto", odd);
    bench.channel.deliver(media(MediaKind::Image, path)).await.unwrap();
    assert_eq!(bench.fake.next_sent().await.unwrap().method, "sendDocument");
}

#[tokio::test]
async fn a_group_that_moved_is_followed() {
    let bench = ready().await;
    bench.fake.migrates(-77, -1_077);
    let receipt = bench.channel.deliver(bench.to(-77, text("a", "a"))).await.unwrap();
    assert_eq!(receipt.went_to.unwrap().to.as_str(), "-1077");
    assert_eq!(bench.fake.next_sent().await.unwrap().chat(), -1_077);
}

#[tokio::test]
async fn failures_are_told_apart() {
    let bench = ready().await;
    let wait = |seconds| ChannelError::Wait(std::time::Duration::from_secs(seconds));
    let rows = [
        (Fault::TooMany(7), "wait"),
        (Fault::status(400), "permanent"),
        (Fault::status(403), "permanent"),
        (Fault::status(413), "permanent"),
        (Fault::status(401), "refused"),
        (Fault::status(404), "refused"),
        (Fault::status(500), "unknown"),
        (Fault::status(502), "unknown"),
        (Fault::status(504), "unknown"),
        (Fault::CutBefore, "unknown"),
        (Fault::CutAfter, "unknown"),
        (Fault::Answer("<html>".to_owned()), "unknown"),
        (Fault::Refuse(302, "moved".to_owned()), "unreachable"),
    ];
    for (fault, expected) in rows {
        bench.fake.fail_next("sendMessage", fault.clone());
        let error = bench.channel.deliver(bench.to(ADA, text("a", "a"))).await.unwrap_err();
        let kind = match &error {
            ChannelError::Wait(_) => "wait",
            ChannelError::Permanent(_) => "permanent",
            ChannelError::Refused(_) => "refused",
            ChannelError::Unknown(_) => "unknown",
            ChannelError::Unreachable(_) => "unreachable",
            ChannelError::TooLarge { .. } => "too large",
        };
        assert_eq!(kind, expected, "{fault:?}: {error:?}");
        assert!(!format!("{error} {error:?}").contains(bench.fake.token()), "{error:?}");
        if expected == "wait" {
            assert_eq!(error, wait(7));
        }
    }
    assert_eq!(bench.fake.sent().len(), 1, "only the cut after accepting was taken");
}

#[tokio::test]
async fn what_may_have_arrived_is_found_and_nothing_else_is_touched() {
    let bench = ready().await;
    let before = bench.channel.deliver(bench.to(ADA, text("before", "before"))).await.unwrap().message_id;
    bench.fake.user_says(ADA, ADA, "not yours");
    let other = bench.channel.deliver(bench.to(ADA, text("other", "other"))).await.unwrap().message_id;
    bench.fake.fail_next("sendMessage", Fault::CutAfter);
    let lost = bench.to(ADA, text("<b>lost</b>", "lost"));
    bench.channel.deliver(lost.clone()).await.unwrap_err();
    let shown = || bench.fake.shown(ADA).into_iter().map(|shown| shown.text).collect::<Vec<_>>();
    let (seen, last) = (shown(), bench.fake.shown(ADA).pop().unwrap().message_id.to_string());
    let known = KnownNearby { older: vec![before], others: vec![other], ..KnownNearby::default() };
    // The first question about it gets no answer.
    bench.fake.fail_next("editMessageText", Fault::status(502));
    let found = bench.channel.find_sent(lost, known.clone()).await.unwrap();
    assert_eq!(found.map(|receipt| receipt.message_id), Some(last.clone()));
    let never = bench.to(ADA, text("never", "never"));
    let all = KnownNearby { others: known.others.into_iter().chain([last]).collect(), ..known };
    assert_eq!(bench.channel.find_sent(never.clone(), all).await, Ok(None));
    assert_eq!(bench.channel.find_sent(never, KnownNearby::default()).await, Ok(None), "from where on?");
    assert_eq!(shown(), seen);
    // A file with a text; the last known message is the one it answers.
    let asked = bench.fake.user_says(ADA, ADA, "a file, please").message_id;
    let path = bench.home.path().join("thing.txt");
    std::fs::write(&path, b"x").unwrap();
    let file =
        File { kind: MediaKind::Document, path, mime: "text/plain".to_owned(), name: "thing.txt".to_owned() };
    let lost = bench.to(ADA, Content::Media { file, caption: RichText::plain("here") });
    bench.fake.fail_next("sendDocument", Fault::CutAfter);
    bench.channel.deliver(lost.clone()).await.unwrap_err();
    let answers = vec![format!("{ADA}:{asked}"), "update:900000000".to_owned()];
    let found =
        bench.channel.find_sent(lost, KnownNearby { answers, ..KnownNearby::default() }).await.unwrap();
    assert_eq!(found.unwrap().message_id, (asked + 1).to_string());
}

#[tokio::test]
async fn what_others_posted_in_a_channel_stays_as_it_is() {
    let bench = ready().await;
    let news = -1_002_000_000_001;
    let before = bench.fake.channel_says(news, "before").message_id.to_string();
    bench.fake.channel_says(news, "a colleague's post");
    let lost = bench.to(news, text("lost", "lost"));
    let known = KnownNearby { older: vec![before], ..KnownNearby::default() };
    assert_eq!(bench.channel.find_sent(lost, known).await, Ok(None));
    assert!(bench.fake.calls_of("editMessageText").is_empty());
}

#[tokio::test]
async fn a_server_that_is_not_there_took_nothing() {
    let closed = homard_testkit::free_port().unwrap();
    let bench = Bench::with(&json!({"apiRoot": format!("http://127.0.0.1:{closed}")})).await;
    let error = bench.channel.deliver(bench.to(ADA, text("a", "a"))).await.unwrap_err();
    assert!(matches!(error, ChannelError::Unreachable(_)), "{error:?}");
    assert!(!error.to_string().contains(bench.fake.token()), "{error}");
}

#[tokio::test]
async fn a_server_that_falls_silent_may_have_taken_it() {
    let bench = Bench::with(&json!({"timeoutSeconds": 1})).await;
    bench.fake.user_says(ADA, ADA, "hello");
    bench.fake.fail_next("sendMessage", Fault::HangAfter);
    let error = bench.channel.deliver(bench.to(ADA, text("a", "a"))).await.unwrap_err();
    assert!(matches!(error, ChannelError::Unknown(_)), "{error:?}");
    assert_eq!(bench.fake.sent()[0].outcome, Outcome::TakenUnheard);
}

#[tokio::test]
async fn everything_goes_through_the_proxy() {
    let bench = Bench::with(&json!({"apiRoot": "http://telegram.invalid", "proxy": "the fake"})).await;
    bench.fake.user_says(ADA, ADA, "hello");
    bench.channel.deliver(bench.to(ADA, text("a", "a"))).await.unwrap();
    assert_eq!(bench.fake.next_sent().await.unwrap().text(), "a");
}
