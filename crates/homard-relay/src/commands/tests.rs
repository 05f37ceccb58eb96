//! Which texts are commands.

use homard_config::{Config, Environment, Paths};
use homard_policy::words::table::{COMMANDS, Form};

use super::{FAMILIES, parse};

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
    let paths = Paths::under(std::path::Path::new("/nowhere"));
    let commands = Config::empty(&paths, &Environment::default()).commands;
    for (text, expected) in rows {
        let called = parse(text, &commands);
        let called = called.as_ref().map(|called| (called.command.name, called.rest.as_str()));
        assert_eq!(called, expected, "{text}");
    }
}

#[test]
fn every_command_that_is_listed_does_something_and_nothing_else_is_answered() {
    let mut entries: Vec<&str> = FAMILIES.iter().copied().flatten().map(|entry| entry.name).collect();
    entries.sort_unstable();
    // A directive is kept with the conversation, a compaction waits for its turn.
    let is_answered =
        |name: &str, form: Form| form != Form::Directive && name != "compact" || name == "queue";
    let mut listed: Vec<&str> = COMMANDS
        .iter()
        .filter(|command| is_answered(command.name, command.form))
        .map(|command| command.name)
        .collect();
    listed.sort_unstable();
    assert_eq!(entries, listed);
}

#[test]
fn no_skill_takes_the_name_of_a_command() {
    for command in COMMANDS {
        for name in std::iter::once(&command.name).chain(command.aliases) {
            let name = name.replace('-', "_");
            assert!(homard_skills::is_taken(&name), "{name} is missing in homard-skills/src/command.rs");
        }
    }
}
