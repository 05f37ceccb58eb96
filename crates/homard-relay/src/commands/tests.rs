//! Which texts are commands.

use super::{TABLE, parse};

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

#[test]
fn the_table_is_in_order_and_names_are_used_once() {
    let names: Vec<&str> = TABLE.iter().map(|command| command.name).collect();
    assert!(names.is_sorted());
    let mut all: Vec<&str> = TABLE.iter().flat_map(|c| c.aliases.iter().copied().chain([c.name])).collect();
    all.sort_unstable();
    let count = all.len();
    all.dedup();
    assert_eq!(all.len(), count);
}
