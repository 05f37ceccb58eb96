//! Every command of the table has an entry.

use homard_policy::words::table::{COMMANDS, Form};

use super::FAMILIES;

#[test]
fn every_command_that_is_listed_does_something_and_nothing_else_is_answered() {
    let mut entries: Vec<&str> = FAMILIES.iter().copied().flatten().map(|entry| entry.name).collect();
    entries.sort_unstable();
    // A directive is kept with the conversation, a compaction waits for its turn.
    let is_answered = |name: &str, form: Form| form != Form::Directive && name != "compact";
    let mut listed: Vec<&str> = COMMANDS
        .iter()
        .filter(|command| is_answered(command.name, command.form))
        .map(|command| command.name)
        .collect();
    listed.sort_unstable();
    assert_eq!(entries, listed);
}
