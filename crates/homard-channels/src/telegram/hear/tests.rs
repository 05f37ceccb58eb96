//! Updates and what they mean, as a table.

use homard_channel::{Conversation, Inbound, InboundEvent, Sender};
use homard_protocol::{AccountId, ChannelId};
use homard_runtime::Clock;
use proptest::prelude::{ProptestConfig, any, prop_assert, proptest};
use serde_json::{Value, json};

use super::{BotContext, HeardUpdate, SkippedUpdate, hear};
use crate::telegram::recent::Recent;
use crate::telegram::settings::Reactions;

const BOT: i64 = 7_000;

fn meaning_with(update: &Value, reactions: Reactions) -> Result<HeardUpdate, SkippedUpdate> {
    let recent = Recent::new(Clock::fixed(0));
    recent.note(42, 5);
    recent.note(-100, 5);
    let commands = [("status".to_owned(), "x".to_owned())];
    let cx = BotContext {
        channel: &ChannelId::parse("telegram").unwrap(),
        account: &AccountId::default_account(),
        bot_id: Some(BOT),
        username: Some("Homard_bot"),
        commands: &commands,
        reactions,
        recent: &recent,
        now: 99,
    };
    hear(update, &cx)
}

fn meaning(update: &Value) -> Result<HeardUpdate, SkippedUpdate> {
    meaning_with(update, Reactions::Own)
}

fn place(conversation: &Conversation) -> String {
    let letter = match conversation {
        Conversation::Session(_) => 'S',
        Conversation::Direct { .. } => 'D',
        Conversation::Group { .. } => 'G',
        Conversation::Room { .. } => 'R',
    };
    let thread = conversation.thread().map(|thread| format!("/{thread}")).unwrap_or_default();
    format!("{letter}{}{thread}", conversation.peer().unwrap())
}

fn who(sender: &Sender) -> String {
    match sender {
        Sender::Operator => "operator".to_owned(),
        Sender::Peer { id, name } => format!("{id}({})", name.as_deref().unwrap_or_default()),
    }
}

fn message_in_words(message: &Inbound) -> String {
    let details = &message.details;
    let mut words =
        vec![format!("{} {} {:?}", place(&message.conversation), who(&message.sender), message.text)];
    if let Some(username) = &details.username {
        words.push(format!("@{username}"));
    }
    if details.mentions_us == Some(true) && !matches!(message.conversation, Conversation::Direct { .. }) {
        words.push("mentions".to_owned());
    }
    let flags = [(details.is_bot, "bot"), (details.native_command, "native")];
    words.extend(flags.iter().filter(|(on, _)| *on).map(|(_, word)| (*word).to_owned()));
    let named = [
        ("in", &details.label),
        ("topic", &details.thread_label),
        ("from", &details.forwarded_from),
        ("part", &details.part_of),
    ];
    words
        .extend(named.iter().filter_map(|(key, value)| value.as_ref().map(|value| format!("{key}={value}"))));
    if let Some(quoted) = &details.reply_to {
        let marks =
            format!("{}{}", if quoted.is_ours { "!" } else { "" }, if quoted.is_part { "~" } else { "" });
        let sender = quoted.sender.as_deref().unwrap_or_default();
        words.push(format!("re{marks}[{} {sender}: {}]", quoted.message_id, quoted.text));
    }
    for file in &details.files {
        let (mime, name) = (file.mime.as_deref().unwrap_or("?"), file.name.as_deref().unwrap_or("-"));
        words.push(format!("file[{:?} {} {mime} {name} {:?}]", file.kind, file.handle, file.size));
    }
    words.join(" ")
}

fn in_words(meaning: Result<HeardUpdate, SkippedUpdate>) -> String {
    let meaning = match meaning {
        Ok(meaning) => meaning,
        Err(SkippedUpdate::Ignored(_)) => return "ignored".to_owned(),
        Err(SkippedUpdate::Malformed(_)) => return "malformed".to_owned(),
    };
    let mut words: Vec<String> = meaning
        .heard
        .iter()
        .map(|heard| match heard {
            InboundEvent::Message(message) => message_in_words(message),
            InboundEvent::Event(event) => {
                format!("event {} {} {}", place(&event.conversation), who(&event.sender), event.text)
            }
            InboundEvent::Moved { from, to, .. } => format!("moved {from} {to}"),
        })
        .collect();
    words.extend(meaning.callback.map(|id| format!("answer {id}")));
    words.join("; ")
}

fn ada() -> Value {
    json!({"id": 42, "is_bot": false, "first_name": "Ada", "last_name": "L", "username": "ada"})
}

fn bob() -> Value {
    json!({"id": 43, "is_bot": false, "first_name": "Bob"})
}

fn group() -> Value {
    json!({"id": -100, "type": "supergroup", "title": "Crew"})
}

fn laid_over(mut base: Value, more: &Value) -> Value {
    for (key, value) in more.as_object().unwrap() {
        match value {
            Value::Null => base.as_object_mut().unwrap().remove(key),
            value => base.as_object_mut().unwrap().insert(key.clone(), value.clone()),
        };
    }
    base
}

/// A message to us alone.
fn direct(more: &Value) -> Value {
    let chat = json!({"id": 42, "type": "private", "first_name": "Ada"});
    laid_over(json!({"message_id": 9, "date": 5, "chat": chat, "from": ada()}), more)
}

/// A message in a group.
fn grouped(more: &Value) -> Value {
    laid_over(json!({"message_id": 9, "date": 5, "chat": group(), "from": ada()}), more)
}

/// A message in a topic of a group.
fn topical(more: &Value) -> Value {
    let forum = laid_over(group(), &json!({"is_forum": true}));
    laid_over(grouped(&json!({"chat": forum})), more)
}

#[track_caller]
fn check(rows: &[(Value, &str)]) {
    for (update, expected) in rows {
        assert_eq!(in_words(meaning(update)), *expected, "{update:#}");
    }
}

fn message(message: impl Into<Value>) -> Value {
    json!({"update_id": 1, "message": message.into()})
}

#[test]
fn texts() {
    let crew = "42(Ada L)";
    let mention = json!([{"type": "mention", "offset": 3, "length": 11}]);
    let text_mention = json!([{"type": "text_mention", "offset": 0, "length": 3, "user": bob()}]);
    let command = |length: usize| json!([{"type": "bot_command", "offset": 0, "length": length}]);
    let rows = [
        (direct(&json!({"text": "hi"})), "D42 42(Ada L) \"hi\" @ada".to_owned()),
        (direct(&json!({"text": "hi", "message_thread_id": 12})), "D42/12 42(Ada L) \"hi\" @ada".to_owned()),
        (direct(&json!({"text": "hi", "from": bob()})), "D42 43(Bob) \"hi\"".to_owned()),
        (grouped(&json!({"text": "hi"})), format!("G-100 {crew} \"hi\" @ada in=Crew")),
        (
            grouped(&json!({"text": "hi", "message_thread_id": 3})),
            format!("G-100 {crew} \"hi\" @ada in=Crew"),
        ),
        (topical(&json!({"text": "hi"})), format!("G-100/1 {crew} \"hi\" @ada in=Crew")),
        (
            topical(&json!({"text": "hi", "message_thread_id": 3, "is_topic_message": true})),
            format!("G-100/3 {crew} \"hi\" @ada in=Crew"),
        ),
        (
            topical(
                &json!({"text": "hi", "message_thread_id": 3, "is_topic_message": true, "reply_to_message":
                topical(&json!({"message_id": 3, "forum_topic_created": {"name": "Plans", "icon_color": 1}}))}),
            ),
            format!("G-100/3 {crew} \"hi\" @ada in=Crew topic=Plans"),
        ),
        (
            grouped(&json!({"text": "hi @homard_bot!", "entities": mention})),
            format!("G-100 {crew} \"hi @homard_bot!\" @ada mentions in=Crew"),
        ),
        (
            grouped(&json!({"text": "hi @HOMARD_BOT"})),
            format!("G-100 {crew} \"hi @HOMARD_BOT\" @ada mentions in=Crew"),
        ),
        (
            grouped(&json!({"text": "mail me@homard_bot"})),
            format!("G-100 {crew} \"mail me@homard_bot\" @ada in=Crew"),
        ),
        (
            grouped(&json!({"text": "hi @homard_bot2"})),
            format!("G-100 {crew} \"hi @homard_bot2\" @ada in=Crew"),
        ),
        (
            grouped(&json!({"text": "Bob, you", "entities": text_mention})),
            format!("G-100 {crew} \"Bob, you\" @ada in=Crew"),
        ),
        (
            grouped(&json!({"text": "/status@homard_bot now", "entities": command(18)})),
            format!("G-100 {crew} \"/status now\" @ada mentions native in=Crew"),
        ),
        (
            grouped(&json!({"text": "/status@other_bot", "entities": command(17)})),
            format!("G-100 {crew} \"/status@other_bot\" @ada in=Crew"),
        ),
        (
            direct(&json!({"text": "/status", "entities": command(7)})),
            "D42 42(Ada L) \"/status\" @ada native".to_owned(),
        ),
        (
            direct(&json!({"text": "/think high", "entities": command(6)})),
            "D42 42(Ada L) \"/think high\" @ada".to_owned(),
        ),
        (direct(&json!({"text": "/x", "entities": command(900)})), "D42 42(Ada L) \"/x\" @ada".to_owned()),
        (
            direct(&json!({"text": "😀😀", "entities": [{"type": "bold", "offset": 1, "length": 2}]})),
            "D42 42(Ada L) \"😀😀\" @ada".to_owned(),
        ),
        (
            direct(&json!({"text": "\u{202e}evil\u{200b}"})),
            "D42 42(Ada L) \"\\u{202e}evil\\u{200b}\" @ada".to_owned(),
        ),
    ];
    let rows: Vec<(Value, &str)> =
        rows.iter().map(|(m, words)| (message(m.clone()), words.as_str())).collect();
    check(&rows);
}

#[test]
fn who_speaks() {
    let channel = json!({"id": -200, "type": "channel", "title": "News", "username": "news"});
    let program = json!({"id": 50, "is_bot": true, "first_name": "Beep", "username": "beep_bot"});
    let cx = json!({"id": BOT, "is_bot": true, "first_name": "Homard"});
    let hidden = json!({"id": 1_087_968_824, "is_bot": true, "first_name": "Group"});
    check(&[
        (message(grouped(&json!({"text": "a", "from": cx}))), "ignored"),
        (
            message(grouped(&json!({"text": "a", "from": program}))),
            "G-100 50(Beep) \"a\" @beep_bot bot in=Crew",
        ),
        (
            message(grouped(&json!({"text": "a", "from": hidden, "sender_chat": group()}))),
            "G-100 -100(Crew) \"a\" in=Crew",
        ),
        (
            message(grouped(
                &json!({"text": "a", "from": {"id": 777_000, "is_bot": false, "first_name": "Telegram"},
                "sender_chat": channel, "is_automatic_forward": true}),
            )),
            "G-100 -200(News) \"a\" @news in=Crew",
        ),
        (
            json!({"update_id": 1, "channel_post": {"message_id": 9, "date": 5, "chat": channel, "sender_chat": channel,
                "author_signature": "Ed", "text": "a @homard_bot"}}),
            "R-200 -200(Ed) \"a @homard_bot\" @news mentions in=News",
        ),
        (
            json!({"update_id": 1, "channel_post": {"message_id": 9, "date": 5, "chat": channel, "text": "a"}}),
            "R-200 -200(News) \"a\" in=News",
        ),
        (message(direct(&json!({"text": "a", "from": null}))), "D42 42(Ada) \"a\""),
    ]);
}

#[test]
fn answers_and_forwards() {
    let ours = grouped(
        &json!({"from": {"id": BOT, "is_bot": true, "first_name": "Homard"}, "message_id": 4, "text": "soup"}),
    );
    let picture = grouped(&json!({"message_id": 4, "from": bob(), "photo":
        [{"file_id": "p", "file_unique_id": "u", "width": 1, "height": 1}]}));
    let forwarded = |origin: Value| message(direct(&json!({"text": "a", "forward_origin": origin})));
    check(&[
        (
            message(grouped(&json!({"text": "a", "reply_to_message": ours}))),
            "G-100 42(Ada L) \"a\" @ada in=Crew re![4 Homard: soup]",
        ),
        (
            message(grouped(
                &json!({"text": "a", "reply_to_message": ours, "quote": {"text": "ou", "position": 1}}),
            )),
            "G-100 42(Ada L) \"a\" @ada in=Crew re!~[4 Homard: ou]",
        ),
        (
            message(grouped(&json!({"text": "a", "reply_to_message": picture}))),
            "G-100 42(Ada L) \"a\" @ada in=Crew re[4 Bob: <media:image>]",
        ),
        (
            message(grouped(&json!({"text": "a", "quote": {"text": "q", "position": 0}, "external_reply":
                {"origin": {"type": "user", "date": 1, "sender_user": bob()}, "message_id": 77}}))),
            "G-100 42(Ada L) \"a\" @ada in=Crew re~[77 Bob: q]",
        ),
        (
            message(grouped(&json!({"text": "a", "reply_to_message": {"message_id": "what"}}))),
            "G-100 42(Ada L) \"a\" @ada in=Crew",
        ),
        (
            forwarded(json!({"type": "user", "date": 1, "sender_user": ada()})),
            "D42 42(Ada L) \"a\" @ada from=Ada L (@ada)",
        ),
        (
            forwarded(json!({"type": "hidden_user", "date": 1, "sender_user_name": "Shy"})),
            "D42 42(Ada L) \"a\" @ada from=Shy",
        ),
        (
            forwarded(json!({"type": "chat", "date": 1, "sender_chat": group()})),
            "D42 42(Ada L) \"a\" @ada from=Crew",
        ),
        (
            forwarded(json!({"type": "channel", "date": 1, "message_id": 3, "author_signature": "Ed",
                "chat": {"id": -200, "type": "channel", "title": "News"}})),
            "D42 42(Ada L) \"a\" @ada from=News (Ed)",
        ),
        // What cannot be read, or is spelled as it used to be, was still written by somebody else.
        (forwarded(json!({"type": "teleport", "date": 1})), "D42 42(Ada L) \"a\" @ada from=somebody"),
        (
            message(direct(&json!({"text": "a", "forward_from": bob()}))),
            "D42 42(Ada L) \"a\" @ada from=somebody",
        ),
        (message(direct(&json!({"text": "a", "via_bot": bob()}))), "D42 42(Ada L) \"a\" @ada from=somebody"),
    ]);
}

#[test]
fn files_and_things_in_words() {
    let file = |more: Value| laid_over(json!({"file_id": "f", "file_unique_id": "u", "file_size": 8}), &more);
    let film =
        file(json!({"width": 1, "height": 1, "duration": 1, "mime_type": "video/mp4", "file_name": "a.mp4"}));
    let sticker = |animated: bool, video: bool| {
        file(
            json!({"type": "regular", "width": 1, "height": 1, "is_animated": animated, "is_video": video, "emoji": "🦞"}),
        )
    };
    let photo = json!([
        {"file_id": "big", "file_unique_id": "u", "width": 90, "height": 90, "file_size": 9},
        {"file_id": "small", "file_unique_id": "v", "width": 10, "height": 10},
    ]);
    let ada = |rest: &str| format!("D42 42(Ada L) {rest}");
    let rows = [
        (json!({"photo": photo, "caption": "see"}), "\"see\" @ada file[Image big image/jpeg - Some(9)]"),
        (
            json!({"photo": photo, "media_group_id": "77"}),
            "\"\" @ada part=media:77 file[Image big image/jpeg - Some(9)]",
        ),
        (json!({"voice": file(json!({"duration": 1}))}), "\"\" @ada file[Voice f audio/ogg - Some(8)]"),
        (
            json!({"audio": file(json!({"duration": 1, "mime_type": "audio/mpeg", "file_name": "a.mp3"}))}),
            "\"\" @ada file[Audio f audio/mpeg a.mp3 Some(8)]",
        ),
        (json!({"video": film}), "\"\" @ada file[Video f video/mp4 a.mp4 Some(8)]"),
        (
            json!({"animation": film, "document": file(json!({}))}),
            "\"\" @ada file[Animation f video/mp4 a.mp4 Some(8)]",
        ),
        (
            json!({"video_note": file(json!({"length": 1, "duration": 1}))}),
            "\"\" @ada file[VideoNote f video/mp4 - Some(8)]",
        ),
        (
            json!({"document": file(json!({"file_name": "../../x.pdf", "file_size": null}))}),
            "\"\" @ada file[Document f ? ../../x.pdf None]",
        ),
        (json!({"sticker": sticker(false, false)}), "\"\" @ada file[Sticker f image/webp - Some(8)]"),
        (json!({"sticker": sticker(true, false)}), "\"🦞\" @ada"),
        (json!({"sticker": sticker(false, true)}), "\"🦞\" @ada"),
        (json!({"location": {"latitude": 48.1, "longitude": 11.5}}), "\"📍 48.100000, 11.500000\" @ada"),
        (
            json!({"location": {"latitude": 48.1, "longitude": 11.5, "horizontal_accuracy": 12.4, "live_period": 60}}),
            "\"🛰 Live location: 48.100000, 11.500000 ±12m\" @ada",
        ),
        (
            json!({"venue": {"location": {"latitude": 1.0, "longitude": 2.0}, "title": "Bar", "address": "Pier 1"}}),
            "\"📍 1.000000, 2.000000 — Bar, Pier 1\" @ada",
        ),
        (json!({"contact": {"phone_number": "+491", "first_name": "Cy"}}), "\"Contact: Cy +491\" @ada"),
        (json!({"dice": {"emoji": "🎲", "value": 4}}), "\"🎲 4\" @ada"),
    ];
    for (more, expected) in rows {
        assert_eq!(in_words(meaning(&message(direct(&more)))), ada(expected), "{more}");
    }
}

#[test]
fn what_is_no_message() {
    let reaction = |chat: Value, id: i64, new: Value| {
        json!({"update_id": 1, "message_reaction": {"chat": chat, "message_id": id, "user": ada(), "date": 5,
            "old_reaction": [], "new_reaction": new}})
    };
    let thumb = || json!([{"type": "emoji", "emoji": "👍"}]);
    let private = || json!({"id": 42, "type": "private", "first_name": "Ada"});
    let member = |old: &str, new: &str| {
        json!({"update_id": 1, "my_chat_member": {"chat": group(), "from": ada(), "date": 5,
            "old_chat_member": {"status": old}, "new_chat_member": {"status": new}}})
    };
    let cx = json!({"id": BOT, "is_bot": true, "first_name": "Homard"});
    check(&[
        (
            reaction(private(), 5, thumb()),
            "event D42 42(Ada L) Telegram reaction added: 👍 by Ada L (@ada) on msg 5",
        ),
        (
            reaction(laid_over(group(), &json!({"is_forum": true})), 5, thumb()),
            "event G-100/1 42(Ada L) Telegram reaction added: 👍 by Ada L (@ada) on msg 5",
        ),
        (reaction(private(), 6, thumb()), "ignored"),
        (reaction(private(), 5, json!([])), "ignored"),
        (reaction(private(), 5, json!("no list")), "malformed"),
        (
            member("left", "member"),
            "event G-100 42(Ada L) Telegram: the bot was added to the chat by Ada L (@ada)",
        ),
        (
            member("member", "kicked"),
            "event G-100 42(Ada L) Telegram: the bot was removed from the chat by Ada L (@ada)",
        ),
        (
            member("member", "administrator"),
            "event G-100 42(Ada L) Telegram: the bot was made an administrator by Ada L (@ada)",
        ),
        (member("member", "member"), "ignored"),
        (
            message(grouped(&json!({"new_chat_members": [bob()]}))),
            "event G-100 42(Ada L) Telegram: Bob joined the group",
        ),
        (message(grouped(&json!({"new_chat_members": [cx]}))), "ignored"),
        (
            message(grouped(&json!({"left_chat_member": bob()}))),
            "event G-100 42(Ada L) Telegram: Bob left the group",
        ),
        (
            message(grouped(&json!({"new_chat_title": "Crew 2"}))),
            "event G-100 42(Ada L) Telegram: Ada L renamed the group to Crew 2",
        ),
        (
            message(grouped(&json!({"pinned_message": grouped(&json!({"message_id": 3, "text": "rules"}))}))),
            "event G-100 42(Ada L) Telegram: Ada L pinned msg 3: rules",
        ),
        (message(grouped(&json!({"migrate_to_chat_id": -1_000}))), "moved -100 -1000"),
        (message(grouped(&json!({"migrate_from_chat_id": -5}))), "moved -5 -100"),
    ]);
    let others = reaction(private(), 6, thumb());
    assert!(meaning_with(&others, Reactions::All).is_ok());
    assert!(meaning_with(&reaction(private(), 5, thumb()), Reactions::Off).is_err());
}

#[test]
fn pressed_buttons_speak_to_us() {
    let press = |more: Value| {
        json!({"update_id": 1, "callback_query": laid_over(
            json!({"id": "c1", "from": bob(), "chat_instance": "1", "data": "yes"}), &more)})
    };
    check(&[
        (
            press(json!({"message": grouped(&json!({"text": "?"}))})),
            "G-100 43(Bob) \"callback_data: yes\" mentions in=Crew; answer c1",
        ),
        (
            press(json!({"message": {"chat": {"id": 42, "type": "private"}, "message_id": 3, "date": 0}})),
            "D42 43(Bob) \"callback_data: yes\"; answer c1",
        ),
        (press(json!({})), "answer c1"),
        (press(json!({"data": null, "message": grouped(&json!({}))})), "answer c1"),
        (press(json!({"id": null})), "malformed"),
        (press(json!({"from": 5})), "malformed"),
    ]);
    let heard = meaning(&press(json!({"message": grouped(&json!({}))}))).unwrap().heard;
    let [InboundEvent::Message(message)] = &heard[..] else { panic!("one message, not {heard:?}") };
    assert_eq!((message.message_id.as_str(), message.timestamp), ("callback:c1", 99));
    let press = message.details.pressed.as_ref().unwrap();
    assert_eq!((press.message_id.as_str(), press.value.as_str()), ("9", "yes"));
}

#[test]
fn the_unknown_and_the_malformed_mean_nothing() {
    check(&[
        (json!({"update_id": 1}), "ignored"),
        (json!({"update_id": 1, "edited_message": direct(&json!({"text": "a"}))}), "ignored"),
        (json!({"update_id": 1, "edited_channel_post": {}}), "ignored"),
        (json!({"update_id": 1, "something_new": {"x": 1}}), "ignored"),
        (json!({"update_id": 1, "poll": {}}), "ignored"),
        (json!([1, 2]), "malformed"),
        (json!("update"), "malformed"),
        (Value::Null, "malformed"),
        (message(json!(null)), "malformed"),
        (message(json!([])), "malformed"),
        (message(json!({"message_id": 1})), "malformed"),
        (message(direct(&json!({"date": "yesterday", "text": "a"}))), "malformed"),
        (message(direct(&json!({"chat": {"id": 1, "type": "hologram"}, "text": "a"}))), "malformed"),
        (message(direct(&json!({"message_id": 99_999_999_999_u64, "text": "a"}))), "malformed"),
        (message(direct(&json!({}))), "ignored"),
        (message(direct(&json!({"text": ""}))), "ignored"),
        (message(direct(&json!({"brand_new_content": {"a": 1}}))), "ignored"),
        (message(direct(&json!({"text": 5}))), "ignored"),
    ]);
}

#[test]
fn what_is_new_in_a_message_takes_nothing_else_with_it() {
    check(&[
        (message(direct(&json!({"text": "a", "entities": "none"}))), "D42 42(Ada L) \"a\" @ada"),
        (message(direct(&json!({"text": "a", "photo": {"moved": 1}}))), "D42 42(Ada L) \"a\" @ada"),
        (message(direct(&json!({"text": "a", "reply_markup": 7, "poll": 3}))), "D42 42(Ada L) \"a\" @ada"),
        (message(direct(&json!({"text": "a", "gift": "?", "checklist": 1}))), "D42 42(Ada L) \"a\" @ada"),
        (
            message(direct(
                &json!({"text": "a", "entities": [{"type": "hologram", "offset": 0, "length": 1}]}),
            )),
            "D42 42(Ada L) \"a\" @ada",
        ),
    ]);
}

#[test]
fn times_are_milliseconds_and_ids_are_texts() {
    let heard = meaning(&message(direct(&json!({"text": "a", "date": 1_700_000_000})))).unwrap().heard;
    let [InboundEvent::Message(message)] = &heard[..] else { panic!("one message, not {heard:?}") };
    assert_eq!((message.timestamp, message.message_id.as_str()), (1_700_000_000_000, "9"));
    assert_eq!(heard[0].key(), "42:9");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]
    #[test]
    fn any_text_with_any_entity_is_heard(text in ".{1,40}", offset in any::<u16>(), length in any::<u16>(), kind in 0..3_usize) {
        let kind = ["mention", "bot_command", "text_link"][kind];
        let entities = json!([{"type": kind, "offset": offset % 50, "length": length % 50}]);
        let update = message(grouped(&json!({"text": text, "entities": entities})));
        prop_assert!(meaning(&update).is_ok(), "{}", update);
    }
}
