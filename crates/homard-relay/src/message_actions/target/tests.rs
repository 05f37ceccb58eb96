//! How people write to whom.

use homard_channel::ChatKind;

use super::{ChannelName, channel_of, parse};

const NAMES: &[ChannelName] = &[
    ChannelName { id: "telegram", aliases: &["tg"], label: "Telegram" },
    ChannelName { id: "irc", aliases: &["internet-relay-chat"], label: "IRC" },
];

#[test]
fn places_are_read_as_people_write_them() {
    use ChatKind::{Channel, Direct, Group};
    let rows = [
        ("telegram:123", Some("telegram"), Direct, "123", None),
        ("tg:123", Some("telegram"), Direct, "123", None),
        (" TG:-100123 ", Some("telegram"), Group, "-100123", None),
        ("telegram:group:-100123:topic:7", Some("telegram"), Group, "-100123", Some("7")),
        ("-100123:topic:7", None, Group, "-100123", Some("7")),
        ("telegram:123:thread:9", Some("telegram"), Direct, "123", Some("9")),
        ("irc:#room", Some("irc"), Group, "#room", None),
        ("#room", None, Group, "#room", None),
        ("irc:nick", Some("irc"), Direct, "nick", None),
        ("user:42", None, Direct, "42", None),
        ("channel:general", None, Channel, "general", None),
        ("group:7", None, Group, "7", None),
        ("telegram:channel:-5", Some("telegram"), Channel, "-5", None),
        // A word before a colon that is nobody's name belongs to the id.
        ("spaces:abc", None, Direct, "spaces:abc", None),
        ("123", None, Direct, "123", None),
    ];
    for (text, channel, chat, to, thread) in rows {
        let target = parse(text, NAMES).unwrap();
        assert_eq!(
            (target.channel.as_ref().map(|id| id.as_str()), target.chat, target.to.as_str()),
            (channel, chat, to),
            "{text}"
        );
        assert_eq!(target.thread.as_ref().map(|id| id.as_str()), thread, "{text}");
    }
}

#[test]
fn what_names_nobody_is_refused_with_words() {
    for (text, words) in [
        ("", "names nobody"),
        ("telegram:", "names nobody"),
        ("telegram:user: ", "names nobody"),
        ("@somebody", "is a name"),
        ("telegram:@somebody", "numeric id"),
        ("a\nb", "not allowed"),
    ] {
        let error = parse(text, NAMES).unwrap_err();
        assert!(error.contains(words), "{text:?}: {error}");
    }
}

#[test]
fn platforms_answer_to_their_aliases() {
    assert_eq!(channel_of("TG", NAMES).unwrap().as_str(), "telegram");
    assert_eq!(channel_of("irc", NAMES).unwrap().as_str(), "irc");
    assert_eq!(channel_of("elsewhere", NAMES).unwrap().as_str(), "elsewhere");
    assert!(channel_of("not a name", NAMES).is_none());
}
