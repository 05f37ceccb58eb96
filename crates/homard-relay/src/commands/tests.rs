//! Which texts are commands.

use super::parse;

#[test]
fn a_message_is_a_command_only_when_it_is_nothing_else() {
    let rows = [
        ("/stop", Some(("stop", ""))),
        ("  /STOP \n", Some(("stop", ""))),
        ("/abort", Some(("stop", ""))),
        ("/stop@homard_bot", Some(("stop", ""))),
        ("/compact", Some(("compact", ""))),
        ("/compact keep the file names", Some(("compact", "keep the file names"))),
        ("/compact: keep", Some(("compact", "keep"))),
        ("/queue steer", Some(("queue", "steer"))),
        ("/new hello there", Some(("new", "hello there"))),
        ("/dock-telegram", Some(("dock", "telegram"))),
        ("/dock_telegram", Some(("dock", "telegram"))),
        ("/dock-telegram now", None),
        ("/tell 1 hurry", Some(("steer", "1 hurry"))),
        ("/id", Some(("whoami", ""))),
        ("/export", Some(("export-session", ""))),
        ("/stop it", None),
        ("/home/me/file", None),
        ("/", None),
        ("stop", None),
        ("please /stop", None),
        ("", None),
    ];
    for (text, expected) in rows {
        assert_eq!(parse(text).map(|(command, rest)| (command.name, rest)), expected, "{text}");
    }
}
