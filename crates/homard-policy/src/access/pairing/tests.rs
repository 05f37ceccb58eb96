//! What strangers and owners are told.

use homard_protocol::ChannelId;

use super::{pairing_reply, plain_name};

#[test]
fn a_stranger_is_told_who_they_are_their_code_and_what_the_owner_types() {
    let channel = ChannelId::parse("irc").unwrap();
    let text = pairing_reply(&channel, "irc nick", "ada", "H7KQ2MXP");
    for part in ["irc nick: `ada`", "`H7KQ2MXP`", "`homard pairing approve irc H7KQ2MXP`"] {
        assert!(text.contains(part), "{text}");
    }
}

#[test]
fn names_from_outside_are_one_short_plain_line() {
    let rows = [
        ("ada", "ada"),
        ("  ada  ", "ada"),
        ("a`d`a", "ada"),
        ("a\nb\tc", "a b c"),
        ("**bold** [x](http://y)", "bold xhttp://y"),
        ("\u{202e}evil\u{200b}", "evil"),
        ("<@1234>", "@1234"),
        ("", ""),
    ];
    for (name, expected) in rows {
        assert_eq!(plain_name(name), expected, "{name:?}");
    }
    assert_eq!(plain_name(&"x".repeat(1000)).len(), 64);
}
