//! What becomes of what people say.

use std::collections::BTreeMap;

use homard_channel::{Conversation, Inbound, Sender};
use homard_protocol::{AccountId, ChannelId};
use homard_runtime::Clock;

use super::{BotContext, IrcPlace, SpokenLine};
use crate::irc::casemap::CaseMapping;
use crate::irc::wire::{Incoming, IrcReply};

const NOW: i64 = 1_794_823_200_000;

fn cx() -> BotContext {
    BotContext::new(ChannelId::parse("irc").unwrap(), AccountId::default_account(), Clock::fixed(NOW))
}

fn hear(cx: &mut BotContext, line: &str) -> Option<Inbound> {
    let line = Incoming::read(line);
    let IrcReply::Privmsg { to, text } = &line.said else { panic!("not a message") };
    let topics = BTreeMap::from([("#den".to_owned(), "\u{2}quiet\u{2} please".to_owned())]);
    let place = IrcPlace { our_nick: "homard", mapping: CaseMapping::Rfc1459, topics: &topics };
    let room = to.starts_with('#').then_some(to.as_str());
    cx.message(SpokenLine { mask: line.from.as_ref().unwrap(), tags: &line.tags, room, text }, place)
}

#[test]
fn a_word_in_a_channel_is_a_group_message() {
    let heard = hear(&mut cx(), ":Mia[x]!~Mia@Host PRIVMSG #Den :\u{2}Homard\u{2}: /status").unwrap();
    let Conversation::Group { id, thread: None } = &heard.conversation else { panic!("{heard:?}") };
    assert_eq!(id.as_str(), "#den");
    let Sender::Peer { id, name } = &heard.sender else { panic!("{heard:?}") };
    assert_eq!((id.as_str(), name.as_deref()), ("mia{x}", Some("Mia[x]")));
    assert_eq!(heard.text, "/status");
    assert_eq!(heard.timestamp, NOW);
    assert_eq!(heard.details.mentions_us, Some(true));
    assert_eq!(heard.details.label.as_deref(), Some("#Den"));
    assert_eq!(heard.details.also_known_as, ["mia[x]", "mia[x]!~mia", "mia[x]!~mia@host"]);
    assert_eq!(heard.details.about, ["Topic: quiet please"]);
}

#[test]
fn a_word_to_us_alone_is_a_direct_message() {
    let heard = hear(&mut cx(), "@account=Mia;bot :mia!m@h PRIVMSG homard :hi").unwrap();
    let Conversation::Direct { peer, thread: None } = &heard.conversation else { panic!("{heard:?}") };
    assert_eq!(peer.as_str(), "mia");
    assert_eq!(heard.details.mentions_us, Some(true));
    assert_eq!(heard.details.also_known_as, ["mia!m", "mia!m@h", "account:mia"]);
    assert!(heard.details.is_bot);
}

#[test]
fn what_somebody_does_is_told_and_nothing_is_no_message() {
    let mut cx = cx();
    let did = hear(&mut cx, ":mia!m@h PRIVMSG #den :\u{1}ACTION waves at homard\u{1}").unwrap();
    assert_eq!((did.text.as_str(), did.details.mentions_us), ("* mia waves at homard", Some(true)));
    let command = hear(&mut cx, ":mia!m@h PRIVMSG #den :\u{1}ACTION /status\u{1}").unwrap();
    assert!(!command.text.starts_with('/'));
    for nothing in ["\u{2}\u{f}", "  ", "\u{1}ACTION \u{1}", "\u{1}DCC SEND x\u{1}"] {
        assert_eq!(hear(&mut cx, &format!(":mia!m@h PRIVMSG #den :{nothing}")), None, "{nothing:?}");
    }
}

#[test]
fn other_words_do_not_mention_us() {
    let heard = hear(&mut cx(), ":mia!m@h PRIVMSG #den :lehomard is tasty").unwrap();
    assert_eq!(heard.details.mentions_us, Some(false));
}

#[test]
fn messages_have_the_servers_id_or_one_of_their_own() {
    let mut one = cx();
    let named = hear(&mut one, "@msgid=abc;time=2026-11-16T09:00:00.000Z :m!m@h PRIVMSG #den :x").unwrap();
    assert_eq!(named.message_id, "abc");
    assert_eq!(named.timestamp, 1_794_819_600_000);
    let plain = ":m!m@h PRIVMSG #den :x";
    let (first, second) = (hear(&mut one, plain).unwrap(), hear(&mut one, plain).unwrap());
    assert_ne!(first.message_id, second.message_id);
    assert_ne!(hear(&mut cx(), plain).unwrap().message_id, hear(&mut cx(), plain).unwrap().message_id);
}

#[test]
fn a_line_that_is_played_again_has_the_same_id_and_one_said_twice_has_not() {
    let ids = |cx: &mut BotContext| -> Vec<String> {
        ["x", "x", "y"]
            .map(|text| format!("@time=2026-11-16T09:00:00.000Z :m!m@h PRIVMSG #den :{text}"))
            .map(|line| hear(cx, &line).unwrap().message_id)
            .to_vec()
    };
    let (before, after) = (ids(&mut cx()), ids(&mut cx()));
    assert_eq!(before, after);
    assert_ne!(before[0], before[1]);
    assert_ne!(before[1], before[2]);
}

#[test]
fn a_time_far_ahead_is_not_believed() {
    let heard = hear(&mut cx(), "@time=2999-01-01T00:00:00.000Z :m!m@h PRIVMSG #den :x").unwrap();
    assert_eq!(heard.timestamp, NOW);
}
