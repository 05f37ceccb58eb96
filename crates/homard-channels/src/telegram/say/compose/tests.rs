//! Every kind of content, as the call it becomes.

use homard_channel::{Address, Button, ChatKind, Content, File, MediaKind, Outbound, RichText};
use homard_protocol::{AccountId, ChannelId, PeerId, ThreadId};
use serde_json::{Value, json};

use super::{ChatTarget, Form, compose};

fn address(to: &str, thread: Option<&str>) -> Address {
    Address {
        channel: ChannelId::parse("telegram").unwrap(),
        account: AccountId::default_account(),
        chat: ChatKind::Group,
        to: PeerId::parse(to).unwrap(),
        thread: thread.map(|thread| ThreadId::parse(thread).unwrap()),
    }
}

fn outbound(content: Content) -> Outbound {
    Outbound {
        address: address("42", None),
        key: "k".to_owned(),
        reply_to: None,
        silent: false,
        no_previews: false,
        content,
    }
}

fn words() -> RichText {
    RichText { formatted: "<b>hi</b>".to_owned(), plain: "hi".to_owned() }
}

fn hi() -> Content {
    Content::Text { words: words(), buttons: Vec::new() }
}

#[track_caller]
fn check(outbound: &Outbound, forms: &[Form], method: &str, params: &Value) {
    let target = ChatTarget::of(&outbound.address).unwrap();
    let call = compose(outbound, &target, forms, true).unwrap();
    assert_eq!((call.method, &Value::Object(call.params)), (method, params));
}

#[test]
fn every_content_becomes_its_call() {
    let id = || "7".to_owned();
    let rows = [
        (hi(), "sendMessage", json!({"chat_id": 42, "text": "<b>hi</b>", "parse_mode": "HTML"})),
        (
            Content::Edit { message_id: id(), words: words(), buttons: Vec::new() },
            "editMessageText",
            json!({"chat_id": 42, "message_id": 7, "text": "<b>hi</b>", "parse_mode": "HTML"}),
        ),
        (Content::Delete { message_id: id() }, "deleteMessage", json!({"chat_id": 42, "message_id": 7})),
        (
            Content::React { message_id: id(), emoji: Some("❤️".to_owned()) },
            "setMessageReaction",
            json!({"chat_id": 42, "message_id": 7, "reaction": [{"type": "emoji", "emoji": "❤"}]}),
        ),
        (
            Content::React { message_id: id(), emoji: None },
            "setMessageReaction",
            json!({"chat_id": 42, "message_id": 7, "reaction": []}),
        ),
        (
            Content::Pin { message_id: id(), pinned: true },
            "pinChatMessage",
            json!({"chat_id": 42, "message_id": 7, "disable_notification": false}),
        ),
        (
            Content::Pin { message_id: id(), pinned: false },
            "unpinChatMessage",
            json!({"chat_id": 42, "message_id": 7}),
        ),
        (
            Content::NewThread { name: "Plans".to_owned() },
            "createForumTopic",
            json!({"chat_id": 42, "name": "Plans"}),
        ),
        (Content::Typing { voice: false }, "sendChatAction", json!({"chat_id": 42, "action": "typing"})),
        (Content::Typing { voice: true }, "sendChatAction", json!({"chat_id": 42, "action": "record_voice"})),
        (
            Content::Poll {
                question: "Soup?".to_owned(),
                options: vec!["yes".to_owned(), "no".to_owned()],
                max_selections: 2,
                open_seconds: Some(60),
                anonymous: false,
            },
            "sendPoll",
            json!({
                "chat_id": 42, "question": "Soup?", "options": [{"text": "yes"}, {"text": "no"}],
                "is_anonymous": false, "allows_multiple_answers": true, "open_period": 60,
            }),
        ),
    ];
    for (content, method, params) in rows {
        check(&outbound(content), &[], method, &params);
    }
}

#[test]
fn where_and_how_it_is_said() {
    let said = |to: &str, thread: Option<&str>| Outbound { address: address(to, thread), ..outbound(hi()) };
    let base = |more: Value| {
        let mut all = json!({"chat_id": -100, "text": "<b>hi</b>", "parse_mode": "HTML"});
        all.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        all
    };
    check(&said("-100", Some("9")), &[], "sendMessage", &base(json!({"message_thread_id": 9})));
    check(&said("-100", Some("1")), &[], "sendMessage", &base(json!({})));
    check(&said("-100", Some("9")), &[Form::OutsideTopic], "sendMessage", &base(json!({})));
    check(&said("telegram:-100", None), &[], "sendMessage", &base(json!({})));
    check(&said("tg:group:-100", None), &[], "sendMessage", &base(json!({})));
    check(&said("@news", None), &[], "sendMessage", &base(json!({"chat_id": "@news"})));
    check(&said("-100", None), &[Form::Plain], "sendMessage", &json!({"chat_id": -100, "text": "hi"}));
    let typing = Outbound { content: Content::Typing { voice: false }, ..said("-100", Some("1")) };
    let action = json!({"chat_id": -100, "message_thread_id": 1, "action": "typing"});
    check(&typing, &[], "sendChatAction", &action);
    let answer = Outbound { reply_to: Some("5".to_owned()), silent: true, ..said("-100", None) };
    let extra = json!({
        "disable_notification": true, "reply_parameters": {"message_id": 5, "allow_sending_without_reply": true},
    });
    check(&answer, &[], "sendMessage", &base(extra));
    let press = Outbound { reply_to: Some("callback:5".to_owned()), ..said("-100", None) };
    check(&press, &[], "sendMessage", &base(json!({})));
    let edit = Content::Edit { message_id: "3".to_owned(), words: words(), buttons: Vec::new() };
    let caption = json!({"chat_id": 42, "message_id": 3, "caption": "<b>hi</b>", "parse_mode": "HTML"});
    check(&outbound(edit), &[Form::Caption], "editMessageCaption", &caption);
}

#[test]
fn links_show_no_preview_when_the_owner_says_so() {
    let hi = outbound(hi());
    let call = compose(&hi, &ChatTarget::of(&hi.address).unwrap(), &[], false).unwrap();
    assert_eq!(call.params["link_preview_options"], json!({"is_disabled": true}));
}

#[test]
fn buttons_that_cannot_come_back_are_left_out() {
    let button = |text: &str, value: String| Button { text: text.to_owned(), value };
    let rows = vec![
        vec![button("yes", "y".to_owned()), button("long", "v".repeat(65))],
        vec![button("none", String::new())],
        vec![button("edge", "é".repeat(32))],
    ];
    let message = outbound(Content::Text { words: words(), buttons: rows });
    let expected = json!({
        "chat_id": 42, "text": "<b>hi</b>", "parse_mode": "HTML",
        "reply_markup": {"inline_keyboard": [
            [{"text": "yes", "callback_data": "y"}], [{"text": "edge", "callback_data": "é".repeat(32)}],
        ]},
    });
    check(&message, &[], "sendMessage", &expected);
}

#[test]
fn files_go_by_the_method_that_fits_them() {
    use MediaKind::{Animation, Audio, Document, Image, Sticker, Video, VideoNote, Voice};
    let rows = [
        (Image, "image/png", "", "sendPhoto", "photo"),
        (Image, "image/jpeg; q=1", "", "sendPhoto", "photo"),
        (Image, "image/gif", "", "sendAnimation", "animation"),
        (Image, "image/svg+xml", "", "sendDocument", "document"),
        (Animation, "video/mp4", "", "sendAnimation", "animation"),
        (Video, "video/mp4", "", "sendVideo", "video"),
        (VideoNote, "video/mp4", "", "sendVideoNote", "video_note"),
        (VideoNote, "video/mp4", "words", "sendVideo", "video"),
        (Voice, "audio/ogg", "", "sendVoice", "voice"),
        (Voice, "audio/ogg; codecs=opus", "", "sendVoice", "voice"),
        (Voice, "audio/wav", "", "sendDocument", "document"),
        (Audio, "audio/mpeg", "", "sendAudio", "audio"),
        (Audio, "audio/flac", "", "sendDocument", "document"),
        (Document, "application/pdf", "", "sendDocument", "document"),
        (Sticker, "image/webp", "", "sendSticker", "sticker"),
        (Sticker, "image/webp", "words", "sendDocument", "document"),
    ];
    for (kind, mime, caption, method, field) in rows {
        let file = File { kind, path: "/x".into(), mime: mime.to_owned(), name: "x".to_owned() };
        let message = outbound(Content::Media { file, caption: RichText::plain(caption) });
        let call = compose(&message, &ChatTarget::of(&message.address).unwrap(), &[], true).unwrap();
        assert_eq!((call.method, call.file.unwrap().0), (method, field), "{kind:?} {mime}");
        assert_eq!(call.params.contains_key("caption"), !caption.is_empty());
        assert_eq!(call.params.contains_key("parse_mode"), !caption.is_empty());
    }
    let file = File { kind: Image, path: "/x".into(), mime: "image/png".to_owned(), name: "x".to_owned() };
    let message = outbound(Content::Media { file, caption: RichText::default() });
    let call =
        compose(&message, &ChatTarget::of(&message.address).unwrap(), &[Form::AsDocument], true).unwrap();
    assert_eq!(call.method, "sendDocument");
}

#[test]
fn the_impossible_is_refused_before_it_is_sent() {
    let poll = |options: usize, open: Option<u64>| Content::Poll {
        question: "q".to_owned(),
        options: vec!["o".to_owned(); options],
        max_selections: 1,
        open_seconds: open,
        anonymous: true,
    };
    let rows = [
        poll(1, None),
        poll(11, None),
        poll(2, Some(4)),
        poll(2, Some(601)),
        Content::Delete { message_id: "x".to_owned() },
    ];
    for content in rows {
        let message = outbound(content);
        let target = ChatTarget::of(&message.address).unwrap();
        assert!(compose(&message, &target, &[], true).is_err(), "{message:?}");
    }
    for to in ["ada", "@", "telegram:"] {
        assert!(ChatTarget::of(&address(to, None)).is_err(), "{to}");
    }
}
