//! What is said to a command line that leaves something out or has too much: what is missing is for, and an example.

use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command, Error};

use crate::report::Advice;

/// The lines after clap's own words; `None` where those say it all.
pub(super) fn hint(program: fn() -> Command, words: &[OsString], error: &Error) -> Option<String> {
    let is_missing = error.kind() == ErrorKind::MissingRequiredArgument;
    if !is_missing && error.kind() != ErrorKind::UnknownArgument {
        return None;
    }
    let mut program = program();
    program.build();
    let path = path(&program, words);
    let command = path.last()?;
    let missing: Vec<&str> = match error.get(ContextKind::InvalidArg).filter(|_| is_missing) {
        Some(ContextValue::Strings(names)) => names.iter().map(String::as_str).collect(),
        Some(ContextValue::String(name)) => vec![name.as_str()],
        _ => Vec::new(),
    };
    let mut lines = Vec::new();
    for name in &missing {
        let meant = command.get_arguments().find(|argument| argument.to_string() == *name);
        let help = meant.and_then(|argument| argument.get_long_help().or(argument.get_help()));
        lines.extend(help.map(|help| format!("  {name}  {help}")));
    }
    let names: Vec<&str> = path.iter().map(|command| command.get_name()).collect();
    let long = missing.first().and_then(|name| name.split(' ').next()).filter(|name| name.starts_with("--"));
    lines.extend(example(&path, &names.join(" "), long).map(|line| format!("For example:\n  {line}")));
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// The same for programs, in one error.
pub(super) fn told(error: &Error, hint: Option<String>) -> anyhow::Error {
    let text = error.render().to_string();
    let first = text.split("\n\n").next().unwrap_or_default().trim_start_matches("error: ");
    let words = first.split_whitespace().collect::<Vec<_>>().join(" ");
    Advice::usage(words, hint.unwrap_or_else(|| "`homard help` explains every command".to_owned()))
}

/// The command that was typed, below those it belongs to.
pub(super) fn path<'a>(program: &'a Command, words: &[OsString]) -> Vec<&'a Command> {
    let mut path = vec![program];
    for word in words.iter().skip(1).filter_map(|word| word.to_str()) {
        let next = path.last().and_then(|command| command.find_subcommand(word));
        path.extend(next);
    }
    path
}

/// A line of the examples that shows this command, with the option that is missing where one does.
fn example(path: &[&Command], name: &str, option: Option<&str>) -> Option<String> {
    let texts: Vec<String> =
        path.iter().rev().filter_map(|command| Some(command.get_after_help()?.to_string())).collect();
    let lines: Vec<&str> = texts.iter().flat_map(|text| text.lines()).map(str::trim).collect();
    let shows =
        |line: &&&str| line.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '));
    let with_it = option.and_then(|option| lines.iter().filter(shows).find(|line| line.contains(option)));
    let found = with_it.or_else(|| lines.iter().find(shows))?;
    // What stands apart explains the example.
    found.split("  ").next().map(str::to_owned)
}
