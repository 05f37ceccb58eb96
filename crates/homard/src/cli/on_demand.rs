//! Of the grammar only what is asked for: describing every option of every command takes longer than most answers.
//!
//! An outline has the commands by name and purpose. The command that a line begins with is described in full; where
//! the outline does not understand the line, the whole grammar has the word, so that what is said is the same.

use std::ffi::OsString;

use clap::error::ErrorKind;
use clap::{ArgMatches, Args, ColorChoice, CommandFactory, Error, FromArgMatches};

use super::{Cli, Command};

/// What a command takes. The outline does not ask for it.
pub(crate) struct OnDemand<T>(Box<T>);

impl<T> OnDemand<T> {
    /// What was typed.
    pub(crate) fn taken(self) -> T {
        *self.0
    }
}

impl<T: FromArgMatches> FromArgMatches for OnDemand<T> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        Ok(Self(Box::new(T::from_arg_matches(matches)?)))
    }

    fn from_arg_matches_mut(matches: &mut ArgMatches) -> Result<Self, Error> {
        Ok(Self(Box::new(T::from_arg_matches_mut(matches)?)))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        self.0.update_from_arg_matches(matches)
    }
}

impl<T: Args> Args for OnDemand<T> {
    fn augment_args(command: clap::Command) -> clap::Command {
        T::augment_args(command)
    }

    /// Nothing: what clap builds for an update is our outline.
    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        command
    }
}

/// The commands with what they are for.
pub(crate) fn outline() -> clap::Command {
    Cli::command_for_update()
}

/// The outline, and in it the command that `words` begin with described in full; its name comes with it.
pub(crate) fn grammar(words: &[OsString]) -> (clap::Command, Option<String>) {
    let outline = outline();
    let name = command_in(&outline, words);
    match name.as_deref().and_then(Command::describe) {
        Some(describe) => (outline.mut_subcommand(name.as_deref().unwrap_or_default(), describe), name),
        None => (outline, None),
    }
}

/// Reads a command line.
///
/// # Errors
/// What clap says, help and version too.
pub(super) fn read(words: &[OsString], color: ColorChoice) -> Result<ArgMatches, Error> {
    let (grammar, name) = grammar(words);
    match grammar.color(color).try_get_matches_from(words) {
        Ok(matches) if matches.subcommand_name() == name.as_deref() => Ok(matches),
        Err(told) if matches!(told.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) => Err(told),
        Ok(_) | Err(_) => Cli::command().color(color).try_get_matches_from(words),
    }
}

/// The first word that is no option and no option's value, where it is a command.
fn command_in(outline: &clap::Command, words: &[OsString]) -> Option<String> {
    let mut words = words.iter().skip(1).map(|word| word.to_str());
    while let Some(word) = words.next() {
        let Some(option) = word?.strip_prefix("--") else {
            let word = word.filter(|word| !word.starts_with('-'));
            match word {
                Some(word) => return Some(outline.find_subcommand(word)?.get_name().to_owned()),
                None => continue,
            }
        };
        if outline
            .get_arguments()
            .any(|arg| arg.get_long() == Some(option) && arg.get_action().takes_values())
        {
            words.next();
        }
    }
    None
}
