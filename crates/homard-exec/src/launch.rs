//! Starting commands through this program itself, for what has to happen in the new process before the command.
//!
//! Code between fork and exec would be unsafe. So the program starts a copy of itself with [`WORD`], which sets itself
//! up and becomes the command: the number of the process, its group, terminal and pipes stay. It
//!
//! - takes in what the command leaves orphaned, so that a child in a session of its own still counts and ends with it;
//! - where it is told to, makes a mount namespace in which the gateway's records are not there;
//! - where it is told to, stays as the command's parent, and ends it when the gateway is gone.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use crate::command::{Command, Program};
use crate::unix;

/// The first argument that makes this program a launcher.
pub(crate) const WORD: &str = "launch-command";

/// How hard records are hidden from commands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum HideRecords {
    Never,
    /// Where it costs commands nothing: where the gateway may make mount namespaces, as root may.
    #[default]
    WhereFree,
    /// Always, in a user namespace if need be. What needs other users (`sudo`, some `ssh` settings) fails there. A
    /// command from which they cannot be hidden is not run.
    Always,
}

/// What is not there for commands.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HiddenPaths {
    pub how: HideRecords,
    /// Directories and files that are hidden.
    pub places: Vec<PathBuf>,
    /// Directories in them that are there all the same, beside those the owner shares with agents anyway.
    pub shown: Vec<PathBuf>,
}

/// How commands are started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Launcher {
    pub program: PathBuf,
    /// What they do not see.
    pub hidden: HiddenPaths,
}

impl Launcher {
    /// The program that runs, where such a thing can be started: the file may have been replaced since.
    #[must_use]
    pub fn this_program(hidden: HiddenPaths) -> Option<Self> {
        cfg!(target_os = "linux").then(|| Self { program: PathBuf::from("/proc/self/exe"), hidden })
    }

    fn arguments(&self, command: &Command, program: OsString, args: Vec<OsString>) -> Vec<OsString> {
        let mut words: Vec<OsString> = vec![WORD.into(), command.cwd.clone().into()];
        let hides = !command.sees_records && self.hidden.how != HideRecords::Never;
        if hides {
            words.push(if self.hidden.how == HideRecords::Always { MUST } else { MAY }.into());
            words.extend(self.hidden.places.iter().flat_map(|place| [HIDE.into(), place.clone().into()]));
            words.extend(self.hidden.shown.iter().flat_map(|place| [SHOW.into(), place.clone().into()]));
        }
        if command.ends_with_us {
            words.extend([WHILE.into(), std::process::id().to_string().into()]);
        }
        words.push(END.into());
        words.push(program);
        words.extend(args);
        words
    }
}

const MUST: &str = "--must";
const MAY: &str = "--may";
const HIDE: &str = "--hide";
const SHOW: &str = "--show";
const WHILE: &str = "--while";
const END: &str = "--";

/// The program and the arguments that are started for a command.
pub(crate) fn words(command: &Command) -> (OsString, Vec<OsString>) {
    let (program, args) = match &command.program {
        Program::Shell(line) => (unix::shell().into(), vec!["-c".into(), line.into()]),
        Program::Direct { program, args } => (program.into(), args.iter().map(Into::into).collect()),
    };
    match &command.launcher {
        Some(launcher) => (launcher.program.clone().into(), launcher.arguments(command, program, args)),
        None => (program, args),
    }
}

/// What a launcher was asked to do.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Order {
    pub(crate) cwd: PathBuf,
    pub(crate) hidden: HiddenPaths,
    /// The process without which the command is ended, if there is one.
    pub(crate) lives_with: Option<i32>,
    pub(crate) program: OsString,
    pub(crate) args: Vec<OsString>,
}

impl Order {
    /// Reads the arguments after [`WORD`]; `None` when they are not ours.
    fn parse(mut words: impl Iterator<Item = OsString>) -> Option<Self> {
        let mut order = Self { cwd: words.next()?.into(), ..Self::default() };
        order.hidden.how = HideRecords::Never;
        loop {
            let word = words.next()?;
            match word.to_str()? {
                MUST => order.hidden.how = HideRecords::Always,
                MAY => order.hidden.how = HideRecords::WhereFree,
                HIDE => order.hidden.places.push(words.next()?.into()),
                SHOW => order.hidden.shown.push(words.next()?.into()),
                WHILE => order.lives_with = Some(words.next()?.to_str()?.parse().ok()?),
                END => break,
                _ => return None,
            }
        }
        order.program = words.next()?;
        order.args = words.collect();
        Some(order)
    }
}

/// Why this program did not become a command.
#[derive(Debug, thiserror::Error)]
pub enum LaunchError {
    /// It was not the gateway that asked.
    #[error("`{WORD}` is how the gateway starts commands; it is of no other use")]
    NotOurs,
    #[error("could not start the command: {0}")]
    CannotRun(std::io::Error),
}

impl LaunchError {
    /// What shells answer with in its place.
    #[must_use]
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::NotOurs => 2,
            Self::CannotRun(_) => 126,
        }
    }
}

/// Becomes the command this program was started for, if it was: the first argument is [`WORD`]. Comes back with nothing
/// when it is an ordinary start.
#[must_use]
pub fn become_command(mut args: impl Iterator<Item = OsString>) -> Option<LaunchError> {
    let _program = args.next();
    if args.next().as_deref() != Some(OsStr::new(WORD)) {
        return None;
    }
    Some(match Order::parse(args) {
        Some(order) => LaunchError::CannotRun(unix::become_command(&order)),
        None => LaunchError::NotOurs,
    })
}

#[cfg(test)]
mod tests;
